# SPDX-License-Identifier: GPL-3.0-or-later
"""What renders show as columns of NumPy, without a file.

Blender gives a render engine alone what renders show. So the scene is rendered with ours, which
finds what is asked in place of a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import bpy

from ... import idnames
from ...registration import Handlers, functions
from ...standalone_core import RaypickError
from ..mesh.scene_mesh import KeptPolygons

_SLOT = "Raypick"
_TURNED_OFF = ("use_compositing", "use_sequencer", "use_multiview", "use_freestyle")


Ask: TypeAlias = Callable[[bpy.types.Depsgraph, KeptPolygons], Any]


@dataclass(slots=True)
class Question:
    """What a render is to find, and its answer or why there is none."""

    ask: Ask
    view_layer: str
    answer: Any = None
    error: BaseException | None = None

    def put(self, depsgraph: bpy.types.Depsgraph, kept: KeptPolygons) -> None:
        """Ask the depsgraph of a render; `kept` is of earlier renders."""
        try:
            if depsgraph.view_layer.name == self.view_layer:
                self.answer = self.ask(depsgraph, kept)
        except BaseException as error:  # raised again after the render
            self.error = error


waiting: Question | None = None
"""What the render engine is asked in place of a picture."""

_is_rendering = False  # with any engine; a render within another spoils it, or crashes Blender


def _note_begin(*_: object) -> None:
    global _is_rendering
    _is_rendering = True
    _END.unregister()
    _END.register()  # as the last one: what other handlers do then is still within the render


def _note_end(*_: object) -> None:
    global _is_rendering
    _is_rendering = False


_END = Handlers(render_complete=_note_end, render_cancel=_note_end)
register, unregister = functions((Handlers(render_init=_note_begin), _END))


def asked_in_render(context: bpy.types.Context, ask: Ask) -> Any:
    """What a function finds in the depsgraph of a render of the context's view layer.

    The render settings stay as they are, and so does the last render.
    """
    global waiting
    if _is_rendering or waiting is not None or bpy.app.is_job_running("RENDER"):
        raise RaypickError("a render is going on: ask when it has ended")
    scene = context.scene
    if scene.camera is None:
        raise RaypickError("the scene has no camera, which a render needs")
    question = waiting = Question(ask, context.view_layer.name)
    try:
        # Not by the name of the scene, which linked ones may have, too.
        override = context.temp_override(scene=scene)
        with _settings(scene.render, context.view_layer), _result_kept(), override:
            bpy.ops.render.render(layer=question.view_layer)
    except RuntimeError as error:
        question.error = question.error or RaypickError(str(error).strip())
    finally:
        waiting = None
    if question.error is not None:
        raise question.error
    if question.answer is None:
        raise RaypickError("Blender did not render the view layer")
    return question.answer


@contextmanager
def _settings(render: Any, layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Set a view layer to be rendered by our engine alone, and back."""
    kept = {name: getattr(render, name) for name in ("engine", *_TURNED_OFF)}
    is_used = layer.use
    try:
        render.engine = idnames.ENGINE
    except TypeError:
        raise RaypickError("the extension is not enabled: its render engine is missing") from None
    try:
        for name in _TURNED_OFF:
            setattr(render, name, False)
        if not is_used:
            layer.use = True
        yield
    finally:
        if not is_used:
            layer.use = False
        for name, value in kept.items():
            if getattr(render, name) != value:
                setattr(render, name, value)


@contextmanager
def _result_kept() -> Iterator[None]:
    """Render to a slot of our own, which is empty again afterwards."""
    image = _result()
    if image is None:
        try:
            yield
        finally:
            made = _result()
            if made is not None:
                bpy.data.images.remove(made)
        return
    slots = image.render_slots
    shown = slots.active_index
    ours = [number for number, slot in enumerate(slots) if slot.name == _SLOT]
    if not ours:
        slots.new(name=_SLOT)
        ours = [len(slots) - 1]
    slots.active_index = ours[0]
    try:
        yield
    finally:
        slots[ours[0]].clear(iuser=None)
        slots.active_index = shown


def _result() -> Any:
    """The image of the last render, whatever its name; None if there is none."""
    return next((each for each in bpy.data.images if each.type == "RENDER_RESULT"), None)
