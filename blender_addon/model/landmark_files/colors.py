# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors as files have them, which is as they are shown on screen: in sRGB, of IEC 61966-2-1."""

from __future__ import annotations

from collections.abc import Iterable

from .mark import Triple


def to_screen(linear: Iterable[float]) -> Triple:
    """A linear color as it is shown; what is too bright to be shown is at its brightest."""
    r, g, b = (_encoded(min(max(part, 0.0), 1.0)) for part in linear)
    return r, g, b


def from_screen(shown: Iterable[float]) -> Triple:
    """A color that is shown, in linear color."""
    r, g, b = (_decoded(part) for part in shown)
    return r, g, b


def _encoded(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * float(part ** (1 / 2.4)) - 0.055


def _decoded(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
