# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as texts: as panels show them, and as they are copied."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import blf
import bpy

from . import settings
from .model.landmarks.measure import Measured
from .translations import reasons

_UNITS = {
    "KILOMETERS": (1e3, "km"),
    "METERS": (1.0, "m"),
    "CENTIMETERS": (1e-2, "cm"),
    "MILLIMETERS": (1e-3, "mm"),
    "MICROMETERS": (1e-6, "µm"),
    "MILES": (1609.344, "mi"),
    "FEET": (0.3048, "ft"),
    "INCHES": (0.0254, "in"),
    "THOU": (2.54e-5, "thou"),
}
"""The length in meters, and the symbol, of each unit of length that a scene may have.

Blender's own texts round to significant digits, not to decimals, and adapt the unit to the size.
"""

NONE = "–"
"""What stands where a value would."""

_FONT = 0
_AROUND = 5.0  # pixels left and right of a label's text


def shown(value: object, decimals: int | None = None) -> str:
    """A value as panels show it, by default with as many decimals as the user wants."""
    if isinstance(value, float):
        text = f"{value:.{settings.decimals() if decimals is None else decimals}f}"
        return text if text.strip("-0.") else text.removeprefix("-")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(shown(each, decimals) for each in value)
    return str(value)


def _length_unit(scene: bpy.types.Scene) -> tuple[float, str]:
    """The length in meters of the unit in which panels show lengths, and its symbol.

    The symbol has a space before it. It is empty for Blender's own unit.
    """
    units = scene.unit_settings
    if not settings.scene_units() or units.system == "NONE":
        return units.scale_length, ""
    name = str(units.length_unit)
    if name == "ADAPTIVE":
        name = "METERS" if units.system == "METRIC" else "FEET"
    meters, symbol = _UNITS[name]
    return meters, f" {symbol}"


def shown_length(value: float, scene: bpy.types.Scene) -> str:
    """A length of world space as panels show it."""
    meters, symbol = _length_unit(scene)
    return f"{shown(value * (scene.unit_settings.scale_length / meters))}{symbol}"


def fitting(
    values: Sequence[float | None], unit: str, scene: bpy.types.Scene, free: float = math.inf
) -> list[str]:
    """The components of a vector side by side, with as many decimals as fit into `free` pixels.

    The unit stands behind the last; `free` is for an interface scale of 1.
    """
    meters, symbol = _length_unit(scene) if unit == "length" else (1.0, "")
    factor = scene.unit_settings.scale_length / meters if unit == "length" else 1.0
    for decimals in range(settings.decimals(), -1, -1):
        texts = [NONE if each is None else shown(each * factor, decimals) for each in values]
        texts[-1] += symbol if values[-1] is not None else ""
        if free == math.inf or sum(map(text_width, texts)) <= free:
            break
    return texts


def text_width(text: str) -> float:
    """The width of a label in pixels, at an interface scale of 1; sets the size of the font."""
    points = bpy.context.preferences.ui_styles[0].widget.points
    blf.size(_FONT, points)
    return float(blf.dimensions(_FONT, text)[0]) + _AROUND


def shown_angle(value: float, scene: bpy.types.Scene) -> str:
    """An angle in radians as panels show it."""
    if scene.unit_settings.system_rotation == "RADIANS":
        return f"{shown(value)} rad"
    return f"{shown(math.degrees(value), settings.angle_decimals())}°"


def with_unit(value: object, unit: str, scene: bpy.types.Scene) -> str:
    """A value of a hit's field as panels show it; `unit` is as in :class:`.HitField`."""
    if value is None:
        return bpy.app.translations.pgettext_iface("None")
    if unit == "length" and isinstance(value, float):
        return shown_length(value, scene)
    if unit == "angle" and isinstance(value, float):
        return shown_angle(value, scene)
    if unit == "text" and isinstance(value, str):
        return reasons.translated(value)
    return f"{shown(value)} px" if unit == "pixels" else shown(value)


def few(names: Sequence[str], most: int = 2) -> str:
    """Names with commas between them; of many only the first."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def not_picked(names: Sequence[str]) -> str:
    """A message with the names of the first two objects that no pick can hit."""
    return bpy.app.translations.pgettext_iface("Not picked: {}").format(few(names))


def copied(value: object) -> str:
    """A value as it is copied, with all its digits."""
    how = settings.copy_as()
    if how == "PYTHON":
        return repr(value)
    if how == "JSON":
        return json.dumps(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(copied, value)) if value else "()"
    return value if isinstance(value, str) else repr(value)


def measured(value: Measured, scene: bpy.types.Scene) -> str:
    """The value of a measure as panels and viewports show it, or why it is not known."""
    if value.value is None:
        return reasons.translated(value.reason or "")
    if value.is_angle:
        return shown_angle(value.value, scene)
    return ("" if value.exact else "≤ ") + shown_length(value.value, scene)
