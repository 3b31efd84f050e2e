# SPDX-License-Identifier: MIT
"""A picture of what is seen from one point: places in it with bounds of their errors, and cells."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, dot_columns
from ..numerics.ray_triangle import SIDE_FLOOR

Box = tuple[FloatArray, FloatArray]
"""The left bottom and the right top corner (2,) of a part of the picture."""

DEPTH_ERROR = 2.0**-28
"""More than the relative rounding error of the depth of what is ahead, and of a distance."""

# What is ahead has a depth above this share of the terms that it is the sum of.
_AHEAD = 2.0**-20

# About how many places are in a cell, and in the rows of cells that make a band.
_CELL, _BAND = 16, 1 << 15


def frame_along(direction: FloatArray) -> FloatArray:
    """A frame (3, 3) of unit vectors, whose last row is along a direction (3,)."""
    z = direction / np.sqrt(dot_columns(direction, direction))
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.sqrt(dot_columns(x, x))
    return np.stack([x, np.cross(z, x), z])


def within(place: FloatArray, box: Box) -> BoolArray:
    """Which places (2, N) are in a part of the picture, (N,)."""
    (x, y), (left, bottom), (right, top) = place, *box
    return np.asarray((x >= left) & (x <= right) & (y >= bottom) & (y <= top))


class Picture(NamedTuple):
    """Vectors (N,) in a frame with its z ahead, and their places x / z and y / z in the picture."""

    across: FloatArray  # (2, N), x and y
    depth: FloatArray  # (N,), z
    place: FloatArray  # (2, N)
    size: FloatArray  # (N,), of the largest component of each vector
    share: FloatArray  # (3,), how large x, y, z may be for a vector of size 1

    @classmethod
    def of(cls, frame: FloatArray, vectors: FloatArray) -> Self:
        """The picture of vectors (3, N), rounded once at most, in a frame (3, 3)."""
        x, y, z = (dot_columns(axis, vectors) for axis in frame)
        a, b, c = np.abs(vectors)
        across, size = np.stack([x, y]), np.maximum(np.maximum(a, b), c)
        return cls(across, z, across / z, size, np.abs(frame).sum(axis=1))

    @property
    def least(self) -> FloatArray:
        """The depths (N,) above which the vectors are surely ahead."""
        return np.asarray(_AHEAD * self.share[2] * self.size + SIDE_FLOOR)

    def error(self) -> FloatArray:
        """Bounds of the errors (2, N) of places that are ahead.

        A coordinate is a sum of three products, whose sizes add up to at most s, share times size.
        With the rounding of the vector its error is at most 2 EPS s. So that of x / z is at most
        (2 s_x + 2 |x / z| s_z) EPS / z, as z is above _AHEAD s_z; the roundings of x / z itself are
        smaller. The last term is for products that underflow.
        """
        share = self.share[:2, None] + np.abs(self.place) * self.share[2]
        return np.asarray(16 * EPS * share * (self.size / np.abs(self.depth)) + 1e-60)

    def largest_error(self) -> FloatArray | None:
        """A bound (2,) of all these errors, for many vectors; None unless all are ahead."""
        if not (self.depth > self.least).all():
            return None
        away = np.maximum(self.place.max(axis=1), -self.place.min(axis=1))
        share = self.share[:2] + away * self.share[2]
        return np.asarray(16 * EPS * share * (self.size / self.depth).max() + 1e-60)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds (2, N) of the places, infinite unless they are ahead."""
        ahead, error = self.depth > self.least, self.error()
        lower = np.where(ahead, self.place - error, -np.inf)
        return lower, np.where(ahead, self.place + error, np.inf)

    def codes(self, box: Box) -> IntArray:
        """In which half-spaces beside what is in a box vectors are: a bit (N,) for each.

        A mean of vectors that have a bit in common is in that half-space, too.
        """
        codes = (self.depth < -self.least) * 1
        for end, sign in zip(box, (-1.0, 1.0), strict=True):
            for x, edge, share in zip(self.across, end, self.share[:2], strict=True):
                error = 16 * EPS * self.size * (share + abs(edge) * self.share[2]) + SIDE_FLOOR
                codes = codes * 2 + (sign * (x - edge * self.depth) > error)
        return np.asarray(codes)


class Outlines(NamedTuple):
    """T triangles in the picture: all that is in one is between its corners."""

    corners: FloatArray  # (2, 3, T), places; NaN unless all three are ahead
    error: FloatArray  # (2, T), of these, and several roundings more
    lower: FloatArray  # (2, T), bounds of all that is ahead
    upper: FloatArray  # (2, T)

    @classmethod
    def of(cls, seen: Picture, corners: IntArray, box: Box) -> Self:
        """Triangles of which seen vertices are the corners (3, T); those beside the box are gone.

        What :meth:`Picture.error` bounds is a quarter of it at most.
        """
        lower, upper = seen.bounds()
        lower, upper = (
            lower.take(corners, axis=1).min(axis=1),
            upper.take(corners, axis=1).max(axis=1),
        )
        places = seen.place.take(corners, axis=1)
        places[:, :, ~np.isfinite(lower).all(axis=0)] = np.nan
        lower[:, np.bitwise_and.reduce(seen.codes(box).take(corners)) > 0] = np.inf
        return cls(places, seen.error().take(corners, axis=1).max(axis=1), lower, upper)

    def take(self, items: IntArray) -> Outlines:
        """Some of the triangles."""
        return Outlines(*(each.take(items, axis=-1) for each in self))

    def grown(self, error: FloatArray) -> Outlines:
        """The triangles for places that may be off by an error (2,)."""
        x = error[:, None]
        return Outlines(self.corners, self.error + x, self.lower - x, self.upper + x)

    def near(self, place: FloatArray) -> IntArray:
        """The triangles (N,) whose bounds meet those of places (2, K)."""
        (left, bottom), (right, top) = place.min(axis=1), place.max(axis=1)
        met = (self.lower[0] <= right) & (self.upper[0] >= left)
        return np.flatnonzero(met & (self.lower[1] <= top) & (self.upper[1] >= bottom))

    def between(self, bottom: FloatArray, top: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds (T,) of x where y is between heights (T,).

        The least and the largest x are at ends of what is left there of the edges. Such an end is
        rounded as if the height were off by 2 EPS of its distance from a corner.
        """
        count, corners, (wider, taller) = len(top), self.corners, self.error
        least, most = np.full(count, np.inf), np.full(count, -np.inf)
        for i, j in ((0, 1), (1, 2), (2, 0)):
            (x, y), (run, rise) = corners[:, i], corners[:, j] - corners[:, i]
            low, high = np.minimum(y, corners[1, j]), np.maximum(y, corners[1, j])
            outside = (low > top + taller) | (high < bottom - taller)
            rise[rise == 0.0] = 1e-300
            for height in (bottom - taller, top + taller):
                end = x + np.clip((height - y) / rise, 0.0, 1.0) * run
                np.minimum(least, np.where(outside, np.inf, end), out=least)
                np.maximum(most, np.where(outside, -np.inf, end), out=most)
        return np.fmax(least - wider, self.lower[0]), np.fmin(most + wider, self.upper[0])


class Grid:
    """Places in a picture (2, R), sorted into square cells, row by row."""

    def __init__(self, place: FloatArray) -> None:
        self._least = place.min(axis=1)
        size, count = place.max(axis=1) - self._least, place.shape[1]
        area = size[0] * size[1]
        self._side = max(np.sqrt(area * _CELL / count), size.max() * _CELL / count, 1e-300)
        # How far a row reaches at most beyond its edges, which are rounded.
        self._error = 1e-3 * self._side + 16 * EPS * np.abs(place).max()
        self.columns, self.rows = ((size / self._side).astype(np.int64) + 1).tolist()
        cell = self.row(place[1]) * self.columns + self.column(place[0])
        self.order = np.argsort(cell, kind="stable")
        self.starts = np.append(0, np.bincount(cell, minlength=self.rows * self.columns).cumsum())

    def column(self, x: FloatArray) -> IntArray:
        """The column of each x (N,), or the nearest one; it never falls where x rises."""
        return self._cells(x, 0, self.columns)

    def row(self, y: FloatArray) -> IntArray:
        """The row of each y (N,), or the nearest one; it never falls where y rises."""
        return self._cells(y, 1, self.rows)

    def _cells(self, x: FloatArray, axis: int, count: int) -> IntArray:
        cell: IntArray = ((x - self._least[axis]) / self._side).clip(0, count - 1).astype(np.int64)
        return cell

    def heights(self, row: IntArray) -> tuple[FloatArray, FloatArray]:
        """The least and the largest y in rows (N,), and a bit more."""
        bottom = self._least[1] + row * self._side
        return bottom - self._error, bottom + (self._side + self._error)

    def bands(self) -> list[Band]:
        """All rows, in bands of about as many places each."""
        counts = self.starts[self.columns :: self.columns]
        cuts = (np.flatnonzero(np.diff(counts // _BAND)) + 1).tolist()
        return [Band(self, *ends) for ends in zip([0, *cuts], [*cuts, self.rows], strict=True)]


class Band(NamedTuple):
    """Some rows of a grid."""

    grid: Grid
    first: int
    stop: int

    @property
    def places(self) -> IntArray:
        """The places (P,) in the band, in the order of its cells."""
        grid = self.grid
        return grid.order[
            slice(*grid.starts[[self.first * grid.columns, self.stop * grid.columns]])
        ]

    def runs(self, rows: IntArray, outlines: Outlines) -> tuple[IntArray, IntArray, IntArray]:
        """Where triangles (T,) meet cells with some of the places, `rows` (K,) of :attr:`places`.

        Returns N runs: the triangle, the first of the K places, and their number.
        """
        grid, first = self.grid, self.first
        low = np.maximum(grid.row(outlines.lower[1]), first)
        count = np.maximum(np.minimum(grid.row(outlines.upper[1]) + 1, self.stop) - low, 0)
        item = np.arange(len(low)).repeat(count)
        row = np.arange(len(item)) - (count.cumsum() - count - low).repeat(count)
        left, right = outlines.take(item).between(*grid.heights(row))
        cells = grid.starts[first * grid.columns : self.stop * grid.columns + 1]
        starts = np.searchsorted(rows, cells - cells[0])
        row = (row - first) * grid.columns
        begin = starts.take(row + grid.column(left))
        size = starts.take(row + grid.column(right) + 1) - begin
        some = np.flatnonzero(size > 0)
        return item.take(some), begin.take(some), size.take(some)
