# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has set in the preferences, or else its default; and `present`."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import bpy

from .standalone_core.extension import Engine, engine_now

DEFAULTS = {"cache_size": 1024, "engine": "AUTO", "decimals": 6, "copy_as": "TEXT", "units": "NONE"}


def preferences() -> Any:
    """The extension's preferences; None where it is registered without being enabled."""
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def value(name: str) -> Any:
    """What the user has set, of `DEFAULTS`."""
    return getattr(preferences(), name, DEFAULTS[name])


def ui_scale() -> float:
    """Pixels for a pixel of the interface at the scale 1; without a window Blender knows none."""
    return bpy.context.preferences.system.ui_scale or 1.0


def cache_bytes() -> int:
    """Memory for meshes that were picked, in bytes."""
    return int(value("cache_size")) << 20


def engine() -> Engine:
    """What computes the answers."""
    return cast(Engine, value("engine").lower())


def engine_name() -> str:
    """What computes the answers now, in words."""
    return "Numba" if engine_now(engine()) == "numba" else "NumPy"


_Value = TypeVar("_Value")


def present(value: _Value | None) -> _Value:
    """A value that a poll, or the kind of callback, guarantees."""
    assert value is not None
    return value
