# SPDX-License-Identifier: GPL-3.0-or-later
"""What the person has set in the preferences, and what holds where nothing is set."""

from __future__ import annotations

import bpy

from .standalone_core.extension import Engine, engine_now

DEFAULT_CACHE_MEBIBYTES = 1024
DEFAULT_DECIMALS = 6


def preferences() -> bpy.types.AddonPreferences | None:
    """The extension's preferences; None where it is registered without being enabled."""
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def ui_scale() -> float:
    """Pixels for a pixel of the interface at the scale 1; without a window Blender knows none."""
    return bpy.context.preferences.system.ui_scale or 1.0


def cache_bytes() -> int:
    """Memory for meshes that were picked, in bytes."""
    settings = preferences()
    return (settings.cache_size if settings else DEFAULT_CACHE_MEBIBYTES) << 20


def engine() -> Engine:
    """What computes the answers."""
    settings = preferences()
    return settings.engine.lower() if settings else "auto"


def engine_name() -> str:
    """What computes the answers now, in words."""
    return "Numba" if engine_now(engine()) == "numba" else "NumPy"


def decimals() -> int:
    """Digits after the point that are shown."""
    settings = preferences()
    return settings.decimals if settings else DEFAULT_DECIMALS


def copy_as() -> str:
    """What is copied: ``"TEXT"``, ``"PYTHON"`` or ``"JSON"``."""
    settings = preferences()
    return settings.copy_as if settings else "TEXT"


def scene_units() -> bool:
    """Whether lengths are shown in the scene's units."""
    settings = preferences()
    return settings is not None and settings.units == "SCENE"
