# SPDX-License-Identifier: GPL-3.0-or-later
"""Text properties that mirror the last pick, so that the panel can show and copy them.

A number in a property of Blender has single precision; a text has all the digits. The texts are
made when they are asked for and stored nowhere.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.props import PointerProperty, StringProperty

from .. import declarations, picked
from .values import Value, all_values


def _reader(value: Value) -> Callable[[object], str]:
    def read(_self: object) -> str:
        last = picked.last()
        return value.text(last.hits[0]) if last and last.hits else ""

    return read


class RAYPICK_PG_hit(bpy.types.PropertyGroup):
    """The nearest hit of the last pick, as texts."""

    __annotations__ = {
        value.key: StringProperty(
            name=value.label, description=value.description, get=_reader(value)
        )
        for value in all_values()
    }


def register() -> None:
    """Add the texts to the window manager."""
    bpy.utils.register_class(RAYPICK_PG_hit)
    setattr(
        bpy.types.WindowManager,
        declarations.WINDOW_MANAGER_PROPERTY,
        PointerProperty(type=RAYPICK_PG_hit),
    )


def unregister() -> None:
    """Take the texts back."""
    delattr(bpy.types.WindowManager, declarations.WINDOW_MANAGER_PROPERTY)
    bpy.utils.unregister_class(RAYPICK_PG_hit)
