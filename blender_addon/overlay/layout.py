# SPDX-License-Identifier: GPL-3.0-or-later
"""Where labels have room beside their places: none over another, nor over what is taken.

Those without room are counted at the nearest one that has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..session.viewports import Box
from ..standalone_core.extension import BoolArray, FloatArray, IntArray

_CELL = 3.0  # pixels: side of the cells in the grid of taken room
_FAR = 2.5  # distance of a label with a line from its place, in heights of the label
_BESIDE = ((1, 0), (-1, 0))
_ANYWHERE = (*_BESIDE, *((side, way) for way in (1, -1, 2, -2) for side in (1, -1)))

NO_BOXES: FloatArray = np.empty((0, 4))


class Laid(NamedTuple):
    """A label that has found room."""

    label: int
    box: Box
    side: int  # the row of `_ANYWHERE`
    extra: int = 0  # of the labels without room for which it stands

    @property
    def is_led(self) -> bool:
        """Whether it is away from its place, with a line between them."""
        return self.side >= len(_BESIDE)

    @property
    def is_right(self) -> bool:
        """Whether it is right of its place."""
        return _ANYWHERE[self.side][0] > 0


class Labels(NamedTuple):
    """N labels that want room, the most important first; all in pixels."""

    places: FloatArray  # (N, 2)
    sizes: FloatArray  # (N, 2)
    gaps: FloatArray  # (N,): between a place and its label
    led: BoolArray  # (N,): whether it may be moved away from its place

    def only(self, rows: IntArray) -> Labels:
        """Some of the labels."""
        return Labels(self.places[rows], self.sizes[rows], self.gaps[rows], self.led[rows])


def counted(
    labels: Labels,
    others: FloatArray,
    area: tuple[float, float],
    reserve: float,
    taken: FloatArray = NO_BOXES,
    before: Sequence[Laid] | None = None,
) -> tuple[list[Laid], int]:
    """The labels for which an area has room, with counts, and how many are counted at none.

    A label without room is counted at the one with the nearest place, as are `others`: places
    (M, 2) whose labels were not tried. As soon as one is counted, all labels are wider by
    `reserve`, for the number. Those that had room `before`, in an earlier layout, are not counted.
    For all else see :func:`laid_out`.
    """
    laid = laid_out(labels, area, taken, before)
    if len(laid if before is None else before) == len(labels.places) and not len(others):
        return laid, 0
    wide = labels._replace(sizes=labels.sizes + (reserve, 0.0))
    laid = laid_out(wide, area, taken, before)
    shown = [each.label for each in laid]
    known = [each.label for each in (laid if before is None else before)]
    left_out = np.concatenate([np.delete(labels.places, known, axis=0), others])
    if not laid:
        return [], len(left_out)
    counts = np.bincount(_nearest(left_out, labels.places[shown]), minlength=len(laid)).tolist()
    return [each._replace(extra=extra) for each, extra in zip(laid, counts, strict=True)], 0


def laid_out(
    labels: Labels,
    area: tuple[float, float],
    taken: FloatArray = NO_BOXES,
    before: Sequence[Laid] | None = None,
) -> list[Laid]:
    """The labels for which an area has room, and where.

    If there is no room beside its place, a label that may be `led` is moved away from it. All keep
    clear of the `taken` boxes (M, 4). Those laid out `before` stay where they were if there is
    still room, and no others are tried.
    """
    room = _Room(area, taken)
    boxes = [_boxes(labels, side).tolist() for side in range(len(_ANYWHERE))]
    laid: dict[int, Laid] = {}

    def place(label: int, sides: Sequence[int]) -> None:
        side = next((each for each in sides if room.take(boxes[each][label])), None)
        if side is not None:
            laid[label] = Laid(label, tuple(boxes[side][label]), side)

    for each in before or ():
        place(each.label, (each.side,))
    tried = range(len(labels.places)) if before is None else [each.label for each in before]
    for label in tried:
        if label not in laid:
            place(label, range(len(_ANYWHERE if labels.led[label] else _BESIDE)))
    return [laid[label] for label in sorted(laid)]


def have_room(labels: Labels, area: tuple[float, float], taken: FloatArray) -> BoolArray:
    """Which labels (N,) have room beside their places, before any other label takes it."""
    room = _Room(area, taken)
    sides = [room.is_free(_boxes(labels, side)) for side in range(len(_BESIDE))]
    return np.asarray(np.any(sides, axis=0))


def _boxes(labels: Labels, side: int) -> FloatArray:
    """The boxes (N, 4) of labels on a side of their places, a row of `_ANYWHERE`."""
    across, up = _ANYWHERE[side]
    widths, heights = labels.sizes.T
    away = labels.gaps + abs(up) * _FAR * heights
    left = labels.places[:, 0] + (away if across > 0 else -away - widths)
    low = labels.places[:, 1] - heights / 2 + up * _FAR * heights
    return np.stack([left, low, left + widths, low + heights], axis=1)


def trimmed(laid: Laid, width: float) -> Box:
    """The part of a label's box that is nearest to its place, with a width."""
    left, low, right, top = laid.box
    return (left, low, left + width, top) if laid.is_right else (right - width, low, right, top)


def first_in_squares(places: FloatArray, side: float) -> IntArray:
    """The rows of places (N, 2) that are the first in their square of `side` pixels."""
    squares = np.floor(places / side).astype(np.int64)
    _, firsts = np.unique(squares[:, 0] << 32 | squares[:, 1] & 0xFFFFFFFF, return_index=True)
    return np.asarray(np.sort(firsts))


def around(places: FloatArray, reaches: FloatArray) -> FloatArray:
    """Boxes (N, 4) around places (N, 2), which reach so far (N,) to each side."""
    return np.concatenate([places - reaches[:, None], places + reaches[:, None]], axis=1)


def overlap(box: Box, other: Box) -> float:
    """The area (in square pixels) that two boxes share."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _nearest(places: FloatArray, others: FloatArray) -> IntArray:
    """For each of some places (N, 2), the row of the nearest of others (M, 2)."""
    squares = (others**2).sum(axis=1) - 2.0 * places @ others.T
    return np.asarray(squares.argmin(axis=1))


class _Room:
    """The taken parts of an area: for each row of its cells, a number with a bit for each."""

    def __init__(self, area: tuple[float, float], taken: FloatArray) -> None:
        self._width, self._height = area
        self._columns, self._lines = (int(max(side, 0.0) / _CELL) + 1 for side in area)
        # Each box is 1 at its lower left cell, -1 right of it and above, and sums fill it.
        steps = np.zeros((self._lines + 1, self._columns + 1), dtype=np.int64)
        left, low, right, top = self._cells(taken)
        for x, y, step in ((left, low, 1), (right, low, -1), (left, top, -1), (right, top, 1)):
            np.add.at(steps, (y, x), step)
        self._taken = steps.cumsum(axis=0).cumsum(axis=1) > 0
        packed = np.packbits(self._taken, axis=1, bitorder="little")
        self._rows = [int.from_bytes(row.tobytes(), "little") for row in packed]

    def _cells(self, boxes: FloatArray) -> IntArray:
        """The cells of boxes (N, 4): the first ones, and those after the last ones, as (4, N)."""
        ends = np.floor(boxes / _CELL) + (0, 0, 1, 1)
        return np.clip(ends, 0, (self._columns, self._lines) * 2).astype(np.int64).T

    def is_free(self, boxes: FloatArray) -> BoolArray:
        """Which boxes (N, 4) are inside and were free at the beginning."""
        sums = np.pad(self._taken.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        left, low, right, top = self._cells(boxes)
        taken = sums[top, right] - sums[low, right] - sums[top, left] + sums[low, left]
        inside = (boxes[:, :2] >= 0.0) & (boxes[:, 2:] <= (self._width, self._height))
        return np.asarray(inside.all(axis=1) & (taken == 0))

    def take(self, box: Sequence[float]) -> bool:
        """Take a box and return True, unless part of it is taken or outside."""
        left, low, right, top = box
        if left < 0.0 or low < 0.0 or right > self._width or top > self._height:
            return False
        first = int(left / _CELL)
        bits = ((1 << (int(right / _CELL) - first + 1)) - 1) << first
        bottom, end = int(low / _CELL), int(top / _CELL) + 1
        if any(taken & bits for taken in self._rows[bottom:end]):
            return False
        for row in range(bottom, end):
            self._rows[row] |= bits
        return True
