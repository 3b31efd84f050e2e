# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors as files have them, which is as they are shown on screen."""

from __future__ import annotations

from collections.abc import Iterable

from ..survey_colors import from_srgb, to_srgb
from .mark import Triple


def to_screen(color: Iterable[float]) -> Triple:
    """A linear color as it is shown; what is too bright to be shown is at its brightest."""
    r, g, b = to_srgb([*color]).tolist()
    return r, g, b


def from_screen(color: Iterable[float]) -> Triple:
    """A color that is shown, in linear color."""
    r, g, b = from_srgb([*color]).tolist()
    return r, g, b
