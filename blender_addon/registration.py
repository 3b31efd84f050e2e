# SPDX-License-Identifier: GPL-3.0-or-later
"""Register all parts or none; a second copy of the extension stays disabled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from types import ModuleType
from typing import Any, Literal, Protocol

import addon_utils
import bpy
from bpy.app.handlers import persistent
from bpy.app.translations import pgettext_iface

from . import idnames

TEXT = "Raypick is already enabled as {}, so this copy stays disabled"


class Part(Protocol):
    """Something to be registered; `unregister` must work even after `register` failed half-way."""

    def register(self) -> None:
        """Make it known to Blender."""

    def unregister(self) -> None:
        """Undo whatever `register` has done."""


class Classes:
    """A part that registers classes with Blender."""

    def __init__(self, *classes: type[Any]) -> None:
        self._classes = classes

    def register(self) -> None:
        for cls in self._classes:
            bpy.utils.register_class(cls)

    def unregister(self) -> None:
        for cls in reversed(self._classes):
            if cls.is_registered:
                bpy.utils.unregister_class(cls)


def classes_in(*modules: ModuleType) -> Iterator[type[Any]]:
    """The operators, panels, menus and lists that modules define, in their order."""
    for module in modules:
        for name, value in vars(module).items():
            if name.startswith("RAYPICK_") and value.__module__ == module.__name__:
                yield value


class Handlers:
    """A part that has Blender call functions, by the names of its lists of handlers."""

    def __init__(self, **handlers: Callable[..., None]) -> None:
        self._handlers = [
            (getattr(bpy.app.handlers, name), persistent(each)) for name, each in handlers.items()
        ]

    def register(self) -> None:
        for called, each in self._handlers:
            called.append(each)

    def unregister(self) -> None:
        for called, each in self._handlers:
            if each in called:
                called.remove(each)


class OnLoad:
    """A part that calls `on_load` after or before a file is loaded, or before one is saved.

    Unregistering it calls `on_disable`, by default `on_load`.
    """

    def __init__(
        self,
        on_load: Callable[[], None],
        on_disable: Callable[[], None] | None = None,
        handlers: Literal["load_post", "load_pre", "save_pre"] = "load_post",
    ) -> None:
        self._handler = persistent(lambda *_: on_load())
        self._on_disable = on_disable or on_load
        self._handlers = getattr(bpy.app.handlers, handlers)

    def register(self) -> None:
        self._handlers.append(self._handler)

    def unregister(self) -> None:
        if self._handler in self._handlers:
            self._handlers.remove(self._handler)
        self._on_disable()


def register(parts: Sequence[Part]) -> None:
    """Register all parts; if one fails, unregister it and those before, and raise its error."""
    with ExitStack() as undo:
        for part in parts:
            undo.callback(part.unregister)  # even if it fails: it may have registered something
            part.register()
        undo.pop_all()


def unregister(parts: Sequence[Part]) -> None:
    """Unregister all parts in reverse order, even if one fails."""
    with ExitStack() as undo:
        for part in parts:
            undo.callback(part.unregister)


def functions(parts: Sequence[Part]) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return the `register` and `unregister` of a package that consists of parts."""
    return partial(register, parts), partial(unregister, parts)


_is_enabled: bool | None = None  # None before it is enabled for the first time


def enable(parts: Sequence[Part]) -> None:
    """Register the parts of the extension, unless another copy is enabled."""
    global _is_enabled
    other = enabled_copy()
    if other is not None:
        stay_disabled(other)
        return
    register(parts)
    _is_enabled = True


def disable(parts: Sequence[Part]) -> None:
    """Unregister the parts of the extension, if this copy was enabled."""
    global _is_enabled
    if _is_enabled:
        _is_enabled = False
        unregister(parts)


def was_disabled() -> bool:
    """Whether this copy was enabled once, and is not now."""
    return _is_enabled is False


def enabled_copy() -> str | None:
    """Package name of the enabled copy of the extension; None if none is enabled."""
    panel = bpy.types.Panel.bl_rna_get_subclass_py(idnames.MAIN_PANEL)
    return None if panel is None else panel.__module__.rpartition(".ui.")[0]


def stay_disabled(first: str) -> None:
    """Tell the user that the package `first` is already enabled; RuntimeError without a window.

    With a window, Blender would show an error raised while enabling as a traceback.
    """
    if bpy.app.background:
        raise RuntimeError(f"{TEXT.format(first)}.")

    def draw(menu: bpy.types.UIPopupMenu, _context: bpy.types.Context) -> None:
        menu.layout.label(text=pgettext_iface(TEXT).format(first), translate=False)

    def disable() -> None:
        """Disable this copy, once Blender has enabled it."""
        addon_utils.disable(__package__, default_set=True)
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
            bpy.context.window_manager.popup_menu(draw, title="Raypick", icon="ERROR")

    # Persistent, as Blender may open a file at its start before the timer runs.
    bpy.app.timers.register(disable, first_interval=0.0, persistent=True)
