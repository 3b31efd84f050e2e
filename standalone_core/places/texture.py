# SPDX-License-Identifier: MIT
"""Places at texture coordinates: every point of a surface that a UV map puts there.

The points are sorted, so that each triangle finds those in its box. One is in the triangle, its
border included, if it is on no two different sides of the edges. Float64 leaves out those that
surely are; for the others twice the digits decide, or fractions where that is not enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, isqrt, ulp
from typing import NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Selection
from ..cast.rays import Geometry
from ..concurrency.threads import go_on
from ..errors import ShapeError
from ..numerics.arrays import EPS, BoolArray, FloatArray, IndexArray, IntArray, components
from ..numerics.columns import Columns, concatenated, distinct, runs, splits_of
from ..numerics.double_double import determinant2, two_difference
from ..numerics.ray_triangle import PAIR_ERROR, SIDE_FLOOR, SIDE_MARGIN
from ..numerics.reading import described_shape
from ..types import Reals
from .places import Places
from .thickness import MeasuredMesh

# How many pairs of a point and a triangle are looked at together: they fit the processor's cache.
_PAIRS = 1 << 14

# Triangles that reach into more strips than this get their own heights in each of them.
_NARROW = 2

_EDGES = ((0, 1), (1, 2), (2, 0))

# Products of two differences of coordinates between these sizes neither over- nor underflow, nor
# do their rounding errors.
_LEAST, _MOST = 1e-60, 1e60


class TexturedMesh(MeasuredMesh):
    """A mesh whose triangles have places in a UV map."""

    def at_uv(
        self, uv: Reals, points: Reals, exclude: Selection = None, *, only: Selection = None
    ) -> tuple[Places, IntArray]:
        """All places of the mesh that a UV map puts at each of N points: the inverse of the map.

        There are several where islands overlap, as those of mirrored halves do.

        Parameters
        ----------
        uv : array_like (V, 2) or (T, 3, 2)
            The map: texture coordinates of each vertex, or of the corners of each triangle. Those
            of a :class:`.PolygonMesh` are of its corners, (L, 2), or of its triangles' corners.
        points : array_like (..., 2)
            Texture coordinates, one or many, in any shape. Nothing repeats: 1.25 is not 0.25, but
            in the next tile. Points that are not finite have no place.
        exclude, only : array_like or set, optional
            Triangles that have no places, or that alone have some; as for :meth:`ray_cast`.

        Returns
        -------
        places : Places
            The places (M,) of point 0, by their triangles, then those of point 1, and so on.
        splits : ndarray (N + 1,) of int64
            The places of point i are ``places[splits[i] : splits[i + 1]]``.

        Raises
        ------
        ShapeError, DtypeError
            If `uv` is not of the mesh, or another argument not of this form.

        Notes
        -----
        The border of a triangle belongs to it; this is decided exactly. Where several triangles
        share an edge or a corner, in the mesh and in the map, a place there is found once, on the
        one with the smallest index. Corners at the same position are the same, whichever their
        vertices.

        Weights are 0 or more, and right to the last digits: with the longest edge L of a triangle
        in the map, and its area A, each is off by at most 4 EPS of itself and 2**-94 L**2 / A.
        Triangles without area in the map, such as those that were never unwrapped, have no places;
        nor have those at vertices that are not finite. This holds for all finite coordinates;
        those above 1e60 or below 1e-60 in size, other than 0, take longer.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> mesh = Mesh([[-2, 0, 0], [0, 0, 0], [2, 0, 0], [0, 0, 4]], [[0, 1, 3], [1, 2, 3]])
        >>> mirrored = [[1, 0], [0, 0], [1, 0], [0, 1]]
        >>> places, splits = mesh.at_uv(mirrored, [(0.5, 0.25), (0, 0.5), (3, 3)])
        >>> places.points(mesh.vertices).tolist()
        [[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 2.0]]
        >>> places.triangle.tolist(), splits.tolist()
        ([0, 1, 0], [0, 2, 3, 3])
        """
        asked = arguments.points(points, "points", 2).reshape(-1, 2)
        geometry = self._geometry(self._now())
        corners = self._uv_of_corners(arguments.floats(uv, "uv"), geometry)
        excluded = self._excluded(exclude, only)
        if excluded is not None:
            corners = np.where(excluded[:, None, None], np.nan, corners)
        found = _found(geometry, components(corners), asked)
        return self.places(found.triangle, found.weights), splits_of(found.row, len(asked))

    def _uv_of_corners(self, uv: FloatArray, geometry: Geometry) -> FloatArray:
        """The coordinates (T, 3, 2) of the triangles' corners, from a map in any of its forms."""
        vertices, triangles, _ = geometry
        return corner_values(uv, "V", len(vertices), triangles)


def corner_values(uv: FloatArray, letter: str, count: int, rows: IndexArray) -> FloatArray:
    """The UV of triangles' corners (T, 3, 2): as given, or of rows (T, 3) of a map (count, 2)."""
    if uv.shape == (count, 2):
        return uv[rows]
    shape = (len(rows), 3, 2)
    if uv.shape != shape and (uv.size or shape[0]):
        raise ShapeError(
            f"uv must have shape ({letter}, 2) or (T, 3, 2), which are {(count, 2)} and {shape} "
            f"of this mesh, not {described_shape(uv.shape)}"
        )
    return uv.reshape(shape)


@dataclass(frozen=True, eq=False)
class _Found(Columns):
    """Pairs of a point and a triangle that it is in, sorted by both."""

    row: IntArray  # (M,)
    triangle: IntArray  # (M,)
    weights: FloatArray  # (M, 3)


def _found(geometry: Geometry, corners: FloatArray, points: FloatArray) -> _Found:
    """Where points (N, 2) are in triangles with their corners (3, 2, T) in the map."""
    rows = np.flatnonzero(np.isfinite(points).all(axis=1))
    points = points[rows]
    columns = np.ascontiguousarray(points.T)
    no = np.empty(0, dtype=np.int64)
    parts = [_Found(no, no, np.empty((0, 3)))]
    with np.errstate(all="ignore"):
        for row, triangle in _Strips.of(points).pairs(corners):
            go_on()
            p, around = columns.take(row, axis=1), corners.take(triangle, axis=2)
            near = np.flatnonzero(_may_contain(around, p))
            weights, inside = _weights(around.take(near, axis=2), p.take(near, axis=1))
            kept = near[inside]
            parts.append(_Found(rows[row[kept]], triangle[kept], weights[:, inside].T))
    found = concatenated(parts)
    there = np.isfinite(geometry.vertices.take(geometry.triangles[found.triangle], axis=0))
    found = found.take(np.flatnonzero(there.all(axis=(1, 2))))
    found = found.take(_each_once(geometry, corners, found))
    return found.take(np.argsort(found.row, kind="stable"))  # each row's triangles are in order


class _Strips(NamedTuple):
    """Points sorted into strips of about equally many, from left to right, and upward in each."""

    left: FloatArray  # (S,), the least u of each strip
    right: FloatArray  # (S,), the largest
    heights: FloatArray  # (K,), all values of v, sorted
    keys: IntArray  # (N,), sorted: the strip of a point times K, plus the place of its v
    rows: IntArray  # (N,), the points in this order

    @classmethod
    def of(cls, points: FloatArray) -> _Strips:
        """Sort points (N, 2)."""
        count = max(isqrt(len(points)), 1)
        order = np.argsort(points[:, 0], kind="stable")
        strip = np.arange(len(points)) * count // max(len(points), 1)
        ends = np.searchsorted(strip, np.arange(count + 1 if len(points) else 1))
        heights, place = np.unique(points[:, 1], return_inverse=True)
        keys = strip * len(heights) + place.reshape(-1)[order]
        within = np.argsort(keys, kind="stable")
        u = points[order, 0]
        return cls(u[ends[:-1]], u[ends[1:] - 1], heights, keys[within], order[within])

    def pairs(self, corners: FloatArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Points and triangles (3, 2, T) that they are in or near, (M,), by triangle, in parts."""
        lower, upper = corners.min(axis=0), corners.max(axis=0)
        lower[:, ~np.isfinite(corners).all(axis=(0, 1))] = np.nan
        first = np.searchsorted(self.right, lower[0], "left")
        stop = np.searchsorted(self.left, upper[0], "right")
        low = np.searchsorted(self.heights, lower[1], "left")
        high = np.searchsorted(self.heights, upper[1], "right")
        counts = np.where(low < high, np.maximum(stop - first, 0), 0)
        for part in _shares(counts):
            triangle = np.repeat(np.arange(part.start, part.stop), counts[part])
            strip = runs(first[part], counts[part])
            bottom, top = low[triangle], high[triangle]
            wide = np.flatnonzero(counts[triangle] > _NARROW)
            if len(wide):
                ends = self.left[strip[wide]], self.right[strip[wide]]
                least, most = _heights_between(corners.take(triangle[wide], axis=2), *ends)
                bottom[wide] = np.searchsorted(self.heights, least, "left")
                top[wide] = np.searchsorted(self.heights, most, "right")
            base = strip * len(self.heights)
            start = np.searchsorted(self.keys, base + bottom)
            size = np.maximum(np.searchsorted(self.keys, base + top) - start, 0)
            for some in _shares(size):
                row = self.rows[runs(start[some], size[some])]
                yield row, np.repeat(triangle[some], size[some])


def _shares(counts: IntArray) -> Iterator[slice]:
    """Split counts (N,) into slices with a sum of at most _PAIRS, or of one larger count."""
    ends = np.cumsum(counts)
    first, done = 0, 0
    while first < len(counts):
        stop = max(int(np.searchsorted(ends, done + _PAIRS, "right")), first + 1)
        if ends[stop - 1] > done:
            yield slice(first, stop)
        first, done = stop, int(ends[stop - 1])


def _heights_between(
    corners: FloatArray, left: FloatArray, right: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The least and the largest v (M,) of triangles (3, 2, M) between two u (M,), and a bit more.

    Rounding keeps the order of numbers, so no edge that reaches into the strip is left out; but
    upright ones may be, as their ends are ends of others.
    """
    x, y = corners.swapaxes(0, 1)
    least, most = np.full(len(left), np.inf), np.full(len(left), -np.inf)
    for i, j in _EDGES:
        way = x[j] - x[i]
        shares = np.sort([(left - x[i]) / way, (right - x[i]) / way], axis=0)
        begin, end = np.maximum(shares[0], 0.0), np.minimum(shares[1], 1.0)
        for share in (begin, end):
            height = np.where(begin <= end, y[i] + share * (y[j] - y[i]), np.nan)
            least, most = np.fmin(least, height), np.fmax(most, height)
    size = np.abs(corners).max(axis=(0, 1))
    margin = np.where(size < _MOST, 8 * EPS * size + SIDE_FLOOR, np.inf)
    return np.nan_to_num(least - margin, nan=-np.inf), np.nan_to_num(most + margin, nan=np.inf)


def _may_contain(corners: FloatArray, p: FloatArray) -> BoolArray:
    """Whether points (2, M) are not surely outside of triangles (3, 2, M), (M,)."""
    x, y = (corners - p).swapaxes(0, 1)
    is_left, is_right = np.zeros((2, p.shape[1]), dtype=np.bool_)
    for i, j in _EDGES:
        first, second = x[i] * y[j], y[i] * x[j]
        side = first - second
        margin = SIDE_MARGIN * (np.abs(first) + np.abs(second)) + SIDE_FLOOR
        is_left |= side > margin
        is_right |= side < -margin
    return ~(is_left & is_right)


def _weights(corners: FloatArray, p: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Weights (3, M) of points (2, M) in triangles (3, 2, M), and whether they are inside (M,)."""
    ways = [[two_difference(end[axis], p[axis]) for axis in (0, 1)] for end in corners]
    areas, sure = np.empty((3, p.shape[1])), _are_common(p) & _are_common(corners).all(axis=0)
    for i, area in enumerate(areas):
        b, c = ways[(i + 1) % 3], ways[(i + 2) % 3]
        high, low, size = determinant2(b[0], b[1], c[0], c[1])
        area[:] = high + low
        sure &= (np.abs(area) > PAIR_ERROR * size) | (size == 0.0)
    for i in np.flatnonzero(~sure).tolist():
        areas[:, i] = _exact_areas(corners[..., i].tolist(), p[:, i].tolist())
    is_across = (areas > 0.0).any(axis=0) & (areas < 0.0).any(axis=0)
    inside = np.asarray(~is_across & areas.any(axis=0))
    return np.abs(areas / areas.sum(axis=0)), inside


def _are_common(points: FloatArray) -> BoolArray:
    """Whether differences of such coordinates (..., 2, M) have exact products, (..., M)."""
    size = np.abs(points)
    return np.asarray((((size >= _LEAST) & (size <= _MOST)) | (size == 0.0)).all(axis=-2))


def _exact_areas(corners: list[list[float]], p: list[float]) -> list[float]:
    """The areas opposite the corners, relative to their sum; none but 0 becomes 0."""
    x, y = map(Fraction, p)
    ways = [(Fraction(u) - x, Fraction(v) - y) for u, v in corners]
    around = zip(ways[1:] + ways[:1], ways[2:] + ways[:2], strict=True)
    areas = [b[0] * c[1] - b[1] * c[0] for b, c in around]
    whole = sum(map(abs, areas)) or Fraction(1)
    return [float(area / whole) or copysign(ulp(0.0), area) * bool(area) for area in areas]


def _each_once(geometry: Geometry, corners: FloatArray, found: _Found) -> IntArray:
    """Which places to keep (K,), so that those on edges and corners are there once, in order.

    What triangles share is named by the positions and the map of its ends.
    """
    left_out = found.weights == 0.0
    on_border = np.flatnonzero(left_out.any(axis=1))
    left_out, triangle = left_out[on_border], found.triangle[on_border]
    is_corner = left_out.sum(axis=1) == 2
    own, opposite = left_out.argmin(axis=1), left_out.argmax(axis=1)
    ends = [np.where(is_corner, own, (opposite + step) % 3) for step in (1, 2)]
    vertices, number = np.unique(geometry.triangles[triangle, ends], return_inverse=True)
    _, place = distinct(geometry.vertices[vertices].T)
    place = place[number].reshape(2, -1)
    u, v = corners[ends, :, triangle].transpose(2, 0, 1)
    names = np.array([place, u, v])  # (3, 2, K)
    turned = np.flatnonzero(_is_less(names[:, 1], names[:, 0]))
    names[..., turned] = names[:, ::-1, turned]
    first, _ = distinct(np.concatenate([found.row[None, on_border], names.reshape(6, -1)]))
    is_kept = np.ones(len(found), dtype=np.bool_)
    is_kept[on_border] = False
    is_kept[on_border[first]] = True
    return np.flatnonzero(is_kept)


def _is_less(a: FloatArray, b: FloatArray) -> BoolArray:
    """Whether columns of a (3, K) come before those of b, as words do, (K,)."""
    result = np.zeros(a.shape[1], dtype=np.bool_)
    for x, y in zip(a[::-1], b[::-1], strict=True):
        result = (x < y) | ((x == y) & result)
    return result
