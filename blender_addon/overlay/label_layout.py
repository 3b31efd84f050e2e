# SPDX-License-Identifier: GPL-3.0-or-later
"""Where labels stand beside their places, so that none covers another. Pure: no Blender."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..standalone_core.extension import BoolArray, FloatArray, IntArray

_STEP = 4  # pixels: what is taken across is noted in steps of so many
_STRIP = 6  # pixels: and in strips of so many
_FAR = 2.5  # heights of a label, from the place to a label that is led away from it

_BESIDE = ((1, 0), (-1, 0))
_ANYWHERE = (*_BESIDE, (1, 1), (-1, 1), (1, -1), (-1, -1))


class Laid(NamedTuple):
    """A label that has found room."""

    label: int
    left: float
    low: float
    is_led: bool
    """Whether it stands away from its place, so that a line has to lead there."""


def laid_out(
    places: FloatArray,
    sizes: FloatArray,
    area: tuple[float, float],
    *,
    gap: float,
    led: BoolArray | None = None,
    taken: FloatArray | None = None,
) -> list[Laid]:
    """Of labels in the order of their importance those that have room, and where.

    Parameters
    ----------
    places : ndarray (N, 2)
        Pixels that the labels name.
    sizes : ndarray (N, 2)
        Their widths and heights in pixels.
    area : (float, float)
        Width and height that they must not leave.
    gap : float
        Pixels between a place and the label beside it.
    led : ndarray (N,) of bool, optional
        Which are led away where there is no room beside the place; by default none.
    taken : ndarray (M, 4), optional
        Left, low, right and top of what stands there already.
    """
    room = _Room(area)
    for left, low, right, top in [] if taken is None else taken.tolist():
        room.take(left, low, right - left, top - low)
    laid: list[Laid] = []
    rows = zip(places.tolist(), sizes.tolist(), strict=True)
    for number, ((x, y), (width, height)) in enumerate(rows):
        may_be_led = led is not None and led[number]
        for across, up in _ANYWHERE if may_be_led else _BESIDE:
            away = gap + abs(up) * _FAR * height
            left = x + away if across > 0 else x - away - width
            low = y - height / 2 + up * _FAR * height
            if room.take(left, low, width, height):
                laid.append(Laid(number, left, low, up != 0))
                break
    return laid


def first_in_squares(places: FloatArray, side: float) -> IntArray:
    """The rows of places (N, 2) that are the first in a square of so many pixels, in order."""
    squares = np.floor(places / side).astype(np.int64)
    _, firsts = np.unique(squares[:, 0] << 32 | squares[:, 1] & 0xFFFFFFFF, return_index=True)
    return np.asarray(np.sort(firsts))


class _Room:
    """What of an area is taken: for each strip of it, a number with a bit for each step across."""

    def __init__(self, area: tuple[float, float]) -> None:
        self._width, self._height = area
        self._strips = [0] * (int(max(area[1], 0.0)) // _STRIP + 1)

    def take(self, left: float, low: float, width: float, height: float) -> bool:
        """Take a box, unless part of it is taken or outside."""
        right, top = left + width, low + height
        if left < 0.0 or low < 0.0 or right > self._width or top > self._height:
            return False
        first = int(left) // _STEP
        bits = ((1 << (int(right) // _STEP - first + 1)) - 1) << first
        bottom, end = int(low) // _STRIP, int(top) // _STRIP + 1
        for taken in self._strips[bottom:end]:
            if taken & bits:
                return False
        for strip in range(bottom, end):
            self._strips[strip] |= bits
        return True
