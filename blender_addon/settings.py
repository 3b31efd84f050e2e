# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has set in the preferences, or else its default; and `present`."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import bpy

from .standalone_core.extension import Engine, engine_now

DEFAULT_CACHE_MEBIBYTES = 1024
DEFAULT_DECIMALS = 6


def preferences() -> Any:
    """The extension's preferences; None where it is registered without being enabled."""
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def ui_scale() -> float:
    """Pixels for a pixel of the interface at the scale 1; without a window Blender knows none."""
    return bpy.context.preferences.system.ui_scale or 1.0


def cache_bytes() -> int:
    """Memory for meshes that were picked, in bytes."""
    return int(_value("cache_size", DEFAULT_CACHE_MEBIBYTES)) << 20


def engine() -> Engine:
    """What computes the answers."""
    return cast(Engine, _value("engine", "AUTO").lower())


def engine_name() -> str:
    """What computes the answers now, in words."""
    return "Numba" if engine_now(engine()) == "numba" else "NumPy"


def decimals() -> int:
    """Digits after the decimal point that are shown."""
    return int(_value("decimals", DEFAULT_DECIMALS))


def copy_as() -> str:
    """The format of what is copied: ``"TEXT"``, ``"PYTHON"`` or ``"JSON"``."""
    return str(_value("copy_as", "TEXT"))


def scene_units() -> bool:
    """Whether lengths are shown in the scene's units."""
    return bool(_value("units", "NONE") == "SCENE")


def _value(name: str, default: Any) -> Any:
    return getattr(preferences(), name, default)


_Value = TypeVar("_Value")


def present(value: _Value | None) -> _Value:
    """A value that a poll, or the kind of callback, guarantees."""
    assert value is not None
    return value
