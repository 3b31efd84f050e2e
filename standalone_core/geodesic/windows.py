# SPDX-License-Identifier: MIT
"""Windows: the part of an edge that straight lines from one point reach, unfolded into a plane."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import hypot, inf, sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray, IntArray

_Half = TypeVar("_Half", int, IntArray)
_Numbers = FloatArray | float

_FEW = 2048
"""So many windows take about as long together as one alone."""

_MOST_AT_ONCE = 1 << 14
"""More of them would not fit into the processor's caches, and save nothing."""

TIE = 1e-12
"""Lengths, and places on an edge, that differ by less than this share count as equal."""

FROM_VERTEX, FROM_START = -1, -2


class Windows(NamedTuple):
    """Windows as columns (N,).

    The lines of a window leave a triangle across its half-edge `leaving` and enter that of `entry`,
    in whose frame they cross the edge between `low` and `high`. They come from the point (x, y) of
    that frame, y <= 0: from the vertex `source`, or from the start of all paths if that is -1. The
    point is `far` away from the start, and no path through the window is shorter than `bound`.
    `before` is the number of the followed window that the lines crossed last, or -1.

    Where `entry` is -1, paths go on from the vertex `source`.
    """

    bound: FloatArray
    entry: IntArray
    leaving: IntArray
    low: FloatArray
    high: FloatArray
    x: FloatArray
    y: FloatArray
    far: FloatArray
    source: IntArray
    before: IntArray


_Table = TypeVar("_Table", bound=tuple[Any, ...])


def selected(table: _Table, rows: IntArray | BoolArray | slice) -> _Table:
    """Some rows of columns."""
    if isinstance(rows, np.ndarray) and rows.dtype == np.bool_:
        if rows.all():
            return table
        rows = np.flatnonzero(rows)  # once, not for each column
    return type(table)(*(column[rows] for column in table))


def joined(tables: Sequence[_Table]) -> _Table:
    """The rows of several, one after the other."""
    if len(tables) == 1:
        return tables[0]
    return type(tables[0])(*map(np.concatenate, zip(*tables, strict=True)))


class Pending:
    """Windows that are not followed yet, at most `most`; the lowest bounds are taken first."""

    def __init__(self, most: float) -> None:
        self.lost = inf  # the lowest bound of a window that was not kept
        self._most, self._limit, self._number = most, -inf, 0
        self._near: list[Windows] = []  # with bounds up to the limit
        self._far: list[Windows] = []

    def add(self, windows: Windows) -> None:
        """Keep windows until they are taken."""
        is_near = windows.bound <= self._limit
        for part, rows in ((self._near, is_near), (self._far, ~is_near)):
            if rows.any():
                part.append(selected(windows, rows))

    def take(self, best: float) -> Windows | None:
        """Take some with the lowest bounds; None if no bound is less than `best`."""
        count = sum(len(part.bound) for part in self._near)
        if (count < _FEW and self._far) or count > 2 * self._number:
            self._draw_near(best)
        if not self._near:
            return None
        near = joined(self._near)
        self._near = []
        if len(near.bound) > _MOST_AT_ONCE:
            self._near = [selected(near, slice(_MOST_AT_ONCE, None))]
            near = selected(near, slice(_MOST_AT_ONCE))
        return near

    def _draw_near(self, best: float) -> None:
        """Set the limit so that half of all windows are near."""
        windows = joined([*self._near, *self._far])
        windows = selected(windows, windows.bound < best)
        count = len(windows.bound)
        if count > self._most:
            windows, count = self.best_of(windows, int(self._most)), int(self._most)
        self._near, self._far = [], []
        if count:
            self._number = min(max(_FEW, count // 2), count)
            self._limit = float(np.partition(windows.bound, self._number - 1)[self._number - 1])
            self.add(windows)

    def best_of(self, windows: Windows, number: int) -> Windows:
        """So many with the lowest bounds; the others are lost."""
        kept, lost = np.split(np.argpartition(windows.bound, number), [number])
        self.lose(windows.bound[lost])
        return selected(windows, kept)

    def lose(self, bound: FloatArray) -> None:
        """Note the bounds of windows that are not followed."""
        self.lost = min(self.lost, float(bound.min()))


class Followed:
    """The windows that were followed, which have numbers from 0 on."""

    def __init__(self) -> None:
        self.count = 0
        self._parts: list[Windows] = []
        self._firsts: list[int] = []

    def add(self, windows: Windows) -> IntArray:
        """Keep windows, and return their numbers (N,)."""
        self._parts.append(windows)
        self._firsts.append(self.count)
        self.count += len(windows.bound)
        return np.arange(self._firsts[-1], self.count)

    def crossed(self, number: int) -> tuple[int, int, float, float, float, float, int, int]:
        """Entry, leaving, low, high, x, y, source and before of one window."""
        part = bisect_right(self._firsts, number) - 1
        row = number - self._firsts[part]
        _, *first, _, source, before = (column[row].item() for column in self._parts[part])
        crossed: Any = *first, source, before
        return crossed  # type: ignore[no-any-return]


class Step(NamedTuple):
    """The last piece of a path, which goes straight to the point (x, y) of a half-edge's frame."""

    window: int  # the number of the window that it comes through, or FROM_VERTEX or FROM_START
    half_edge: int  # one of the triangle where it ends; with FROM_VERTEX, starting at that vertex
    x: float
    y: float


def crossing(
    low: _Numbers, high: _Numbers, x: _Numbers, y: _Numbers, to_x: _Numbers, to_y: _Numbers
) -> FloatArray:
    """Where lines from (x, y) to (to_x, to_y) cross the x axis, clipped to `low` and `high`."""
    at = x - (to_x - x) * _quotient(np.asarray(y), np.asarray(to_y - y))
    return np.minimum(np.maximum(at, low), high)


def meets(
    x: FloatArray, y: FloatArray, at: FloatArray, ux: FloatArray, uy: FloatArray
) -> FloatArray:
    """The r where r * (ux, uy) is on the line from (x, y) through (at, 0)."""
    return _quotient(at * y, (at - x) * uy + y * ux)


def meets_at(
    angle: FloatArray, ax: FloatArray, ay: FloatArray, ux: FloatArray, uy: FloatArray
) -> FloatArray:
    """The r where (ax, ay) + r * (ux, uy) is on the line from the origin at an angle."""
    dx, dy = np.cos(angle), np.sin(angle)
    return _quotient(ax * dy - ay * dx, dx * uy - dy * ux)


def _quotient(share: FloatArray, divisor: FloatArray) -> FloatArray:
    return np.divide(share, divisor, out=np.zeros_like(share), where=divisor != 0.0)


def after(half_edge: _Half) -> _Half:
    """The next half-edge of the same triangle."""
    following: Any = half_edge + 1 - 3 * (half_edge % 3 == 2)
    return following  # type: ignore[no-any-return]


def previous(half_edge: _Half) -> _Half:
    """The previous half-edge of the same triangle."""
    before: Any = half_edge - 1 + 3 * (half_edge % 3 == 0)
    return before  # type: ignore[no-any-return]


class Reach(NamedTuple):
    """Lines from a point (x, y), which is `far` from the start, to an edge on the x axis."""

    low: float
    high: float
    x: float
    y: float
    far: float


def shortest_parts(new: Reach, known: list[Reach]) -> list[Reach]:
    """The parts of new lines across an edge that are shorter than known ones, which are cut there.

    At an edge of many triangles, lines go on into each of the others. Where two sheets share their
    edges, as the two sides of quads that are split along different diagonals, there would be twice
    as many at every edge. But at each point only the shortest are of use, whichever triangles they
    come through (Mitchell, Mount and Papadimitriou, *The discrete geodesic problem*, 1987).
    """
    parts = [new]
    for old in known:
        if new.low < old.high and old.low < new.high:
            parts = [shorter for part in parts for shorter in _shorter(part, old)]
    for part in parts:
        known[:] = [outer for old in known for outer in _outside(old, part)]
    known += parts
    return parts


def _outside(old: Reach, part: Reach) -> list[Reach]:
    if old.high <= part.low or part.high <= old.low:
        return [old]
    outer = old._replace(high=part.low), old._replace(low=part.high)
    return [each for each in outer if each.low < each.high]


def _shorter(new: Reach, old: Reach) -> list[Reach]:
    if old.high <= new.low or new.high <= old.low:
        return [new]
    least = TIE * max(new.high, old.high)
    cuts = old.low, old.high, *_crossings(new, old)
    inner = sorted(cut for cut in cuts if new.low + least < cut < new.high - least)
    found = list[Reach]()
    for low, high in pairwise([new.low, *inner, new.high]):
        at = (low + high) / 2
        if old.low < at < old.high and not _length(new, at) < _length(old, at) * (1.0 - TIE):
            continue
        if found and found[-1].high == low:
            low = found.pop().low
        found.append(new._replace(low=low, high=high))
    return found


def _length(reach: Reach, at: float) -> float:
    return reach.far + hypot(at - reach.x, reach.y)


def _crossings(one: Reach, other: Reach) -> tuple[float, ...]:
    """Where lines of both are equally long: the roots of a quadratic equation after two squarings.

    These may also be places where the lengths agree with other signs.
    """
    c = other.far - one.far
    a = 2.0 * (other.x - one.x)
    b = one.x**2 + one.y**2 - other.x**2 - other.y**2 - c * c
    square, half = a * a - 4.0 * c * c, a * b + 4.0 * c * c * other.x
    constant = b * b - 4.0 * c * c * (other.x**2 + other.y**2)
    inside = half * half - square * constant
    if inside < 0.0:
        return ()
    root = -half - sqrt(inside) if half > 0.0 else -half + sqrt(inside)
    return tuple(up / down for up, down in ((root, square), (constant, root)) if down)
