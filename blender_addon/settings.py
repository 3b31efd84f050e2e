# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's preferences or their defaults, and `present`, which rules out None."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import bpy

from .standalone_core.extension import Engine, engine_now

DEFAULT_CACHE_MEBIBYTES = 1024
DEFAULT_DECIMALS = 4
DEFAULT_ANGLE_DECIMALS = 1
DEFAULT_COPY_KEY = "face"

COPY_ALL = "ALL"
"""What a key copies: all values of a hit, and not that of one field."""


def preferences() -> Any:
    """The extension's preferences; None where it is registered without being enabled."""
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def ui_scale() -> float:
    """The scale of the interface; 1 where Blender has none, as without a window."""
    return bpy.context.preferences.system.ui_scale or 1.0


def cache_bytes() -> int:
    """The most memory for picked meshes, in bytes."""
    return int(_value("cache_size", DEFAULT_CACHE_MEBIBYTES)) << 20


def engine() -> Engine:
    """The engine that computes the answers, as set in the preferences."""
    return cast(Engine, _value("engine", "AUTO").lower())


def engine_name() -> str:
    """The name of the engine in use."""
    return "Numba" if engine_now(engine()) == "numba" else "NumPy"


def decimals() -> int:
    """How many digits are shown after the decimal point."""
    return int(_value("decimals", DEFAULT_DECIMALS))


def angle_decimals() -> int:
    """How many digits of an angle are shown after the decimal point."""
    return int(_value("angle_decimals", DEFAULT_ANGLE_DECIMALS))


def is_new() -> bool:
    """Whether the user has not picked anything yet."""
    return bool(_value("is_new", False))


def has_picked() -> None:
    """Note that the user knows how to pick, for good."""
    if is_new():
        preferences().is_new = False
        bpy.context.preferences.is_dirty = True


def copy_as() -> str:
    """The format of copied values: ``"TEXT"``, ``"PYTHON"`` or ``"JSON"``."""
    return str(_value("copy_as", "TEXT"))


def copy_key() -> str:
    """Which field of a hit a key copies, or `COPY_ALL`."""
    return str(_value("copy_key", DEFAULT_COPY_KEY))


def scene_units() -> bool:
    """Whether lengths are shown in the scene's units."""
    return bool(_value("units", "SCENE") == "SCENE")


def _value(name: str, default: Any) -> Any:
    return getattr(preferences(), name, default)


_Value = TypeVar("_Value")


def present(value: _Value | None) -> _Value:
    """Return a value that a poll, or the kind of callback, guarantees not to be None."""
    assert value is not None
    return value
