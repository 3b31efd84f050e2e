# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of all objects that a viewport shows: their points, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import bpy
import gpu
import numpy as np

from .. import settings
from ..model.landmarks.document import Document
from ..model.survey_colors import to_srgb
from ..session import landmarks
from ..session.landmarks import Shown
from ..standalone_core.extension import BoolArray, FloatArray
from . import faces, labels, layout, seen_places, text_images, view
from .canvas import BEHIND, buffer, draw_marks
from .labels import Names
from .seen_places import SeenPlaces

_drawn: tuple[VisibleLandmarks, SeenPlaces] | None = None
"""The points drawn last; the labels of their viewport are drawn next."""

_MOST_VIEWPORTS = 8
_TOUCHED = (9.0, 0.5)  # what shows around the one under the mouse: pixels, and opacity


def draw() -> None:
    """Draw the points into the viewport of the context."""
    global _drawn
    _drawn = None
    context, preferences = bpy.context, settings.preferences()
    shown = visible(context)
    if shown is None or preferences is None:
        return
    radius = preferences.landmark_size / 2
    places = seen_places.seen_with_hidden(context, "landmarks", shown.ids, shown.points, radius)
    opacities = np.where(places.hidden, BEHIND if preferences.landmark_behind else 0.0, 1.0)
    _draw_touched(context, preferences)
    draw_marks(context, _marks(shown), places.pixels, opacities, radius)
    _drawn = shown, places


def _draw_touched(context: bpy.types.Context, preferences: Any) -> None:
    """Draw a disc around the landmark under the mouse, which its mark will cover."""
    touched = faces.touched_here(context)
    pixels = view.pixels(context, [touched.point]) if touched else None
    if pixels:
        look = buffer(color=np.array([preferences.live_color[:3]]), kind=np.zeros((1, 3)))
        wider, opacity = _TOUCHED
        radius = preferences.landmark_size / 2 + wider
        draw_marks(context, look, np.array(pixels), np.array([opacity]), radius)


def names() -> Names | None:
    """The names of the landmarks drawn last, as the preferences say; None for none."""
    preferences = settings.preferences()
    if _drawn is None or preferences is None or preferences.landmark_labels == "NONE":
        return None
    shown, places = _drawn
    opacities = np.where(places.hidden, labels.BEHIND if preferences.landmark_behind else 0.0, 1.0)
    if preferences.landmark_labels == "SELECTED":
        opacities[shown.ranks <= 0.0] = 0.0
    gaps = _reaches(shown, preferences) + labels.GAP * settings.ui_scale()
    return Names(shown.names, places.pixels, opacities, shown.ranks, gaps)


def marks() -> FloatArray:
    """The boxes (N, 4) of the marks drawn last, in pixels of the region."""
    preferences = settings.preferences()
    if _drawn is None or preferences is None:
        return layout.NO_BOXES
    shown, places = _drawn
    is_drawn = np.isfinite(places.pixels[:, 0])
    if not preferences.landmark_behind:
        is_drawn &= ~places.hidden
    return layout.around(places.pixels, _reaches(shown, preferences))[is_drawn]


def _reaches(shown: VisibleLandmarks, preferences: Any) -> FloatArray:
    """How far the marks (N,) reach, in pixels of the region; their shader says the same."""
    lines = 1.5 + shown.kinds @ (2.0, 5.0, 0.0)
    return np.asarray((preferences.landmark_size / 2 + lines) * settings.ui_scale())


def forget() -> None:
    """Free the buffers of the GPU, and forget what was shown."""
    global _drawn, _made_from
    _drawn = _made_from = None
    _marks.cache_clear()
    for held in (_objects, _looks, _visible):
        held.clear()
    seen_places.forget()
    labels.forget()
    text_images.free()


@lru_cache(maxsize=_MOST_VIEWPORTS)
def _marks(shown: VisibleLandmarks) -> gpu.types.GPUVertBuf:
    """The colors and kinds of a viewport's marks; the same buffer until anything changes."""
    return buffer(color=shown.colors, kind=shown.kinds)


@dataclass(frozen=True, slots=True, eq=False)
class VisibleLandmarks:
    """N landmarks; those at the end are drawn last, above the others."""

    points: FloatArray  # (N, 3), in world space
    colors: FloatArray  # (N, 3), in sRGB
    kinds: FloatArray  # (N, 3): 1.0 where selected, active, locked
    names: tuple[str, ...]
    ids: tuple[str, ...]
    ranks: FloatArray  # (N,): highest for the active one, then for selected ones


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """How the landmarks of a document are drawn, without their places."""

    document: Document
    colors: FloatArray
    kinds: FloatArray
    drawn: BoolArray  # (N,): whether not hidden
    names: tuple[str, ...]
    instancers: tuple[str | None, ...]


_Key = tuple[int | None, tuple[frozenset[str | None], ...]]
"""The active object; for each object the hidden instancers, where None is the object itself."""

_looks: dict[int, _Look] = {}
_made_from: object = None  # what the next two were made from
_objects: dict[int, bpy.types.Object] = {}
_visible: dict[_Key, VisibleLandmarks] = {}


def visible(context: bpy.types.Context) -> VisibleLandmarks | None:
    """The landmarks that the viewport of the context shows; None for none.

    It is the same object until anything changes.
    """
    global _made_from, _objects
    space = view.space(context)
    if not space.overlay.show_overlays:
        return None
    shown = landmarks.shown_to_draw(context)
    if not shown:
        return None
    if shown is not _made_from:
        _made_from = shown
        _objects = {obj.session_uid: obj for obj in landmarks.holders(context)}
        _visible.clear()
    looks = [_look(each) for each in shown]
    objects = (_objects[each.object_uid] for each in shown)
    hidden = tuple(_hidden(obj, look, space) for obj, look in zip(objects, looks, strict=True))
    in_use = context.view_layer.objects.active
    key = (in_use.session_uid if in_use else None), hidden
    if key not in _visible:
        if len(_visible) >= _MOST_VIEWPORTS:
            _visible.clear()
        _visible[key] = _gathered(shown, looks, key)
    found = _visible[key]
    return found if len(found.points) else None


def _look(shown: Shown) -> _Look:
    """How the landmarks of an object are drawn, made once for a document."""
    known = _looks.get(shown.object_uid)
    if known is not None and known.document is shown.document:
        return known
    linear = [(each.color or group.color) for group, each in shown.rows]
    colors = to_srgb(np.array(linear, dtype=np.float64).reshape(-1, 3))
    in_use = shown.document.landmark
    kinds = [
        (each.selected, each is in_use, each.locked or group.locked) for group, each in shown.rows
    ]
    look = _looks[shown.object_uid] = _Look(
        shown.document,
        colors,
        np.array(kinds, dtype=np.float64).reshape(-1, 3),
        np.array([not (each.hidden or group.hidden) for group, each in shown.rows], dtype=np.bool_),
        tuple(each.name for _, each in shown.rows),
        tuple(each.anchor.instancer if each.anchor else None for _, each in shown.rows),
    )
    return look


def _hidden(
    obj: bpy.types.Object, look: _Look, space: bpy.types.SpaceView3D
) -> frozenset[str | None]:
    """The instancers of an object that this viewport hides; None stands for the object itself.

    Landmarks that all viewports hide have no places.
    """
    makers = {each: bpy.data.objects.get(each) if each else obj for each in set(look.instancers)}
    return frozenset(
        each
        for each, maker in makers.items()
        if maker is not None and not maker.visible_in_viewport_get(space)
    )


def _gathered(shown: Sequence[Shown], looks: list[_Look], key: _Key) -> VisibleLandmarks:
    """All landmarks that are drawn, sorted by rank."""
    in_use, hidden = key
    kinds = np.concatenate(
        [
            look.kinds * (1.0, float(each.object_uid == in_use), 1.0)
            for each, look in zip(shown, looks, strict=True)
        ]
    )
    ranks = kinds[:, 0] + labels.IN_USE * kinds[:, 1]
    drawn = [
        look.drawn
        & np.isfinite(each.places.points).all(axis=1)
        & np.array([maker not in away for maker in look.instancers], dtype=np.bool_)
        for each, look, away in zip(shown, looks, hidden, strict=True)
    ]
    rows = np.flatnonzero(np.concatenate(drawn))
    rows = rows[np.argsort(ranks[rows], kind="stable")]
    names = [name for look in looks for name in look.names]
    ids = [each.id for one in shown for _, each in one.rows]
    return VisibleLandmarks(
        np.concatenate([each.places.points for each in shown])[rows],
        np.concatenate([look.colors for look in looks])[rows],
        kinds[rows],
        tuple(names[row] for row in rows.tolist()),
        tuple(ids[row] for row in rows.tolist()),
        ranks[rows],
    )
