# SPDX-License-Identifier: MIT
"""Places on triangles, each given by three vertices and their weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from .. import arguments
from ..errors import IndexRangeError, ShapeError
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.columns import Columns
from ..numerics.point_triangle import triangle_normals
from ..numerics.reading import AnyArray, check_rows, counted, described_shape, real_numbers
from ..numerics.values import frozen, record
from ..triangle.weights import mixed, refuse_other_sums
from ..types import Integers, Reals

# How many numbers of a result are computed together: they fit the processor's cache.
_BLOCK = 1 << 14


@record
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Places(Columns):
    """Places on triangles, as three vertices and weights each, so that they follow deformations.

    :meth:`.Mesh.places` makes them from triangles; the constructor takes vertices, as a file of
    landmarks may have them. They are rows in any shape (...): ``places[0]`` is one of them. One row
    alone is true if it is a place; for many use ``places.hit.all()`` or ``places.hit.any()``.

    Parameters
    ----------
    vertices : array_like (..., 3) of int
        The vertices of the triangle that each place is on; three times -1 for no place.
    weights : array_like (..., 3)
        Their weights in the same order, with the sum 1. NaN stands for no place, as in the weights
        of a miss. Negative weights put the place beside the triangle.
    triangle : array_like (...) of int
        The triangle of a mesh that has these vertices; -1 where it is not known.

    Attributes
    ----------
    vertices : ndarray (..., 3) of int64
        -1 where there is no place.
    weights : ndarray (..., 3)
        NaN where there is no place.
    triangle : ndarray (...) of int64
        -1 where there is no place, or the triangle is not known.

    Raises
    ------
    ShapeError, DtypeError
        If the arrays are not of this form, or do not fit each other.
    ArgumentError
        If weights do not add up to 1, within a rounding to float32 or to six decimals.
    IndexRangeError
        If an index is negative, other than the -1 of a miss.

    Examples
    --------
    >>> import standalone_core as sc
    >>> places = sc.Places(vertices=[[0, 1, 2]], weights=[[0.25, 0.25, 0.5]])
    >>> shape = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    >>> places.points(shape).tolist()
    [[1.0, 2.0, 0.0]]
    >>> places.points([shape, 2 * shape]).tolist()              # two frames
    [[[1.0, 2.0, 0.0]], [[2.0, 4.0, 0.0]]]
    """

    vertices: IntArray
    weights: FloatArray
    triangle: IntArray

    def __init__(self, vertices: Integers, weights: Reals, triangle: Integers = -1) -> None:
        v = arguments.in_rows(arguments.indices(vertices, "vertices"), "vertices")
        w = arguments.points(weights, "weights")
        t = arguments.indices(triangle, "triangle")
        shapes = {"vertices": v.shape[:-1], "weights": w.shape[:-1], "triangle": t.shape}
        rows = {name: np.broadcast_to(0.0, each) for name, each in shapes.items()}
        shape = arguments.broadcast(**rows)[0].shape
        check_rows(prod(shape), "places")
        missing = np.isnan(w).any(axis=-1) | (v == -1).all(axis=-1)
        _refuse_negative(v, "vertices", missing[..., None])
        _refuse_negative(t, "triangle", t == -1)
        w = np.where(missing[..., None], np.nan, w)
        refuse_other_sums(w)
        columns = {
            "vertices": np.broadcast_to(np.where(missing[..., None], -1, v), (*shape, 3)),
            "weights": np.broadcast_to(w, (*shape, 3)),
            "triangle": np.broadcast_to(np.where(missing, -1, t), shape),
        }
        for name, column in columns.items():
            kind = np.float64 if name == "weights" else np.int64
            object.__setattr__(self, name, frozen(column.astype(kind, order="C")))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (...) that the places stand in."""
        return self.triangle.shape

    @property
    def hit(self) -> BoolArray:
        """Mask (...) of the rows that are places, a new array.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([[0.25, 0.25, 1], [9, 9, 1]], [0, 0, -1])
        >>> mesh.places(hits).hit.tolist()
        [True, False]
        """
        return np.asarray(self.vertices[..., 0] >= 0)

    def points(self, vertices: Reals) -> FloatArray:
        """Where the places are, for one shape of the mesh or for many.

        Parameters
        ----------
        vertices : array_like (V, 3) or (F, V, 3)
            Positions of all vertices in one space, for one shape or for F of them, such as the
            frames of an animation. There may be more leading axes.

        Returns
        -------
        ndarray (..., 3) or (F, ..., 3)
            For places of the shape (...), in the same space; NaN where there is no place. Equal to
            :func:`.triangle.interpolate` of the same corners.

        Raises
        ------
        ShapeError, DtypeError
            If `vertices` is not of this form.
        IndexRangeError
            If a place has a vertex beyond the last.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> places = mesh.places([0, 0], [[0.5, 0.25, 0.25], [0, 0, 1]])
        >>> places.points(mesh.vertices).tolist()
        [[0.25, 0.25, 0.0], [0.0, 1.0, 0.0]]
        """
        return self._interpolated(_positions(vertices), "vertices")

    def normals(self, vertices: Reals) -> FloatArray:
        """Unit normals of the triangles of the places, along (b - a) x (c - a).

        Parameters
        ----------
        vertices : array_like (V, 3) or (F, V, 3)
            As for :meth:`points`.

        Returns
        -------
        ndarray (..., 3) or (F, ..., 3)
            Right to the last digits; NaN for triangles without area, and where there is no place.

        Raises
        ------
        ShapeError, DtypeError, IndexRangeError
            As for :meth:`points`.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.places(0, [0.5, 0.25, 0.25]).normals(mesh.vertices).tolist()
        [0.0, 0.0, 1.0]
        """
        positions = _positions(vertices)
        result, rows, frames = self._blank(positions, "vertices")
        for frame, row in _blocks(len(result), len(rows), 8 * 3):
            # Where there is no place, all three corners are the same, so the normal is NaN.
            result[frame, row] = triangle_normals(*_corners(frames[frame], rows[row]))
        return self._in_frames(result, positions)

    def interpolate(self, values: Reals) -> FloatArray:
        """Interpolate any quantity of the vertices: colors, texture coordinates, heights.

        Parameters
        ----------
        values : array_like (..., V, C) or (V,)
            C components at each vertex, or one plain number. Leading axes are for frames; plain
            numbers then need a last axis, ``values[..., None]``.

        Returns
        -------
        ndarray (..., C), (F, ..., C), or (...) of plain numbers
            With the shape of the places; NaN where there is no place. Equal to
            :func:`.triangle.interpolate` of the same corners.

        Raises
        ------
        ShapeError, DtypeError, IndexRangeError
            As for :meth:`points`.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> places = mesh.places([0, 0], [[0.5, 0.25, 0.25], [0, 0, 1]])
        >>> places.interpolate([0.0, 4.0, 8.0]).tolist()
        [3.0, 8.0]
        """
        given = real_numbers(values, "values")
        if given.ndim == 0:
            raise ShapeError("values must have shape (..., V, C) or (V,), not a single number")
        if given.ndim == 1:
            return np.asarray(self._interpolated(given[:, None], "values")[..., 0])
        return self._interpolated(given, "values")

    def _interpolated(self, values: AnyArray, name: str) -> FloatArray:
        result, rows, frames = self._blank(values, name)
        weights = self.weights.reshape(-1, 3)
        for frame, row in _blocks(len(result), len(rows), result.shape[2]):
            a, b, c = _corners(frames[frame], rows[row])
            result[frame, row] = mixed(a, b, c, weights[row])
        return self._in_frames(result, values)

    def _blank(self, values: AnyArray, name: str) -> tuple[FloatArray, IntArray, AnyArray]:
        """An array (F, N, C) of NaN, the vertices (N, 3), and values (..., V, C) as (F, V, C)."""
        rows = self.vertices.reshape(-1, 3)
        count, size = values.shape[-2:]
        most = int(rows.max(initial=-1))
        if most >= count:
            raise IndexRangeError(
                f"{name} must reach up to vertex {most}, which a place needs, "
                f"but has only {counted(count, 'rows')}"
            )
        frames = values.reshape(prod(values.shape[:-2]), count, size)
        return np.full((len(frames), len(rows), size), np.nan), rows, frames

    def _in_frames(self, result: FloatArray, values: AnyArray) -> FloatArray:
        return result.reshape(*values.shape[:-2], *self.shape, result.shape[-1])

    def _counts(self) -> str:
        missing = self.hit.size - np.count_nonzero(self.hit)
        return f", {missing} without a place" if missing else ""


def _corners(values: AnyArray, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The values (F, V, C) at the vertices (N, 3) of triangles: three times (F, N, C).

    Where there is no triangle they are those of the last vertex, or NaN if there are no vertices.
    """
    if not values.shape[1]:
        values = np.full((len(values), 1, values.shape[2]), np.nan)
        rows = np.zeros_like(rows)
    with np.errstate(over="ignore"):  # a long double can be beyond float64
        a, b, c = (values.take(each, axis=1).astype(np.float64, copy=False) for each in rows.T)
    return a, b, c


def _blocks(frames: int, rows: int, size: int) -> Iterator[tuple[slice, slice]]:
    """Split a table of frames and rows, `size` numbers a cell, into blocks of _BLOCK numbers."""
    width = max(min(rows, _BLOCK // max(size, 1)), 1)
    height = max(_BLOCK // max(width * size, 1), 1)
    for first in range(0, frames, height):
        for start in range(0, rows, width):
            yield slice(first, first + height), slice(start, start + width)


def _positions(vertices: Reals) -> AnyArray:
    array = real_numbers(vertices, "vertices")
    if array.shape == (0,):
        array = array.reshape(0, 3)
    if array.ndim < 2 or array.shape[-1] != 3:
        given = described_shape(array.shape)
        raise ShapeError(f"vertices must have shape (V, 3) or (F, V, 3), not {given}")
    return array


def _refuse_negative(indices: AnyArray, name: str, missing: BoolArray) -> None:
    bad = (indices < 0) & ~missing
    if bad.any():
        first = np.broadcast_to(indices, bad.shape)[bad][0]
        raise IndexRangeError(f"{name} must be 0 or more, or -1 for no place, not {first}")
