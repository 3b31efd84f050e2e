# SPDX-License-Identifier: GPL-3.0-or-later
"""Registering all parts or none, and none where another copy of the extension is enabled."""

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
        """Undo what `register` did, as far as it came."""


class Classes:
    """Classes of Blender's types, as a part."""

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


class OnLoad:
    """What is done after or before another file is loaded, or before one is saved, as a part.

    When it is unregistered, `on_disable` is done, by default the same.
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
    """Register all parts; where one fails, take back all that was done, and raise its error."""
    with ExitStack() as undo:
        for part in parts:
            undo.callback(part.unregister)  # of a part that fails, too: it may have begun
            part.register()
        undo.pop_all()


def unregister(parts: Sequence[Part]) -> None:
    """Take all parts back, in the reverse order, even where one fails to."""
    with ExitStack() as undo:
        for part in parts:
            undo.callback(part.unregister)


def functions(parts: Sequence[Part]) -> tuple[Callable[[], None], Callable[[], None]]:
    """What a package of parts offers as its `register` and `unregister`."""
    return partial(register, parts), partial(unregister, parts)


def enabled_copy() -> str | None:
    """The package of the copy of the extension that is enabled, if one is."""
    panel = bpy.types.Panel.bl_rna_get_subclass_py(idnames.MAIN_PANEL)
    return None if panel is None else panel.__module__.removesuffix(".ui.main_panel")


def stay_disabled(first: str) -> None:
    """Say that another copy, of a package, is enabled; RuntimeError without a window.

    With a window, what is raised while enabling would be shown as a traceback.
    """
    if bpy.app.background:
        raise RuntimeError(f"{TEXT.format(first)}.")

    def draw(menu: bpy.types.UIPopupMenu, _context: bpy.types.Context) -> None:
        menu.layout.label(text=pgettext_iface(TEXT).format(first), translate=False)

    def disable() -> None:
        """Once Blender has enabled this copy, take that back."""
        addon_utils.disable(__package__, default_set=True)
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
            bpy.context.window_manager.popup_menu(draw, title="Raypick", icon="ERROR")

    # At Blender's start a file may be opened in between.
    bpy.app.timers.register(disable, first_interval=0.0, persistent=True)
