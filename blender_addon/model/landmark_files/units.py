# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of length of files."""

from __future__ import annotations

from fractions import Fraction

from .mark import MarkFileError

METERS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "µm": 1e-6, "in": 0.0254, "ft": 0.3048}
"""How many meters each unit is."""


def factor(source: str, target: str) -> float:
    """What turns a length in one unit into another, correctly rounded: 1000 from "m" to "mm"."""
    for unit in (source, target):
        if unit not in METERS:
            raise MarkFileError(f"units are one of {', '.join(METERS)}, not {unit!r}")
    return float(_exact(source) / _exact(target))


def _exact(unit: str) -> Fraction:
    return Fraction(repr(METERS[unit]))
