# SPDX-License-Identifier: GPL-3.0-or-later
"""To register all parts or none, and only where no other copy of the extension is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol

import bpy

from . import idnames


class Part(Protocol):
    """Something to be registered; `unregister` must work even after `register` failed half-way."""

    def register(self) -> None:
        """Make it known to Blender."""

    def unregister(self) -> None:
        """Take back what is there."""


class Classes:
    """Classes as a part.

    Parameters
    ----------
    *classes : type
        Subclasses of those that Blender registers.
    """

    def __init__(self, *classes: type) -> None:
        self._classes = classes

    def register(self) -> None:
        """Register them."""
        for cls in self._classes:
            bpy.utils.register_class(cls)

    def unregister(self) -> None:
        """Take them back, in the reverse order."""
        for cls in reversed(self._classes):
            if cls.is_registered:
                bpy.utils.unregister_class(cls)


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


def enabled_copy() -> str | None:
    """The package of the copy of the extension that is enabled, if one is."""
    panel = bpy.types.Panel.bl_rna_get_subclass_py(idnames.MAIN_PANEL)
    return None if panel is None else panel.__module__.removesuffix(".ui.main_panel")
