# SPDX-License-Identifier: MIT
"""Polygons over vertices: how triangles are numbered, a fingerprint of the faces, the normals.

A face of n corners has n - 2 triangles, numbered face by face: the first triangle of face f, whose
first corner is s, is s - 2 f.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from .. import arguments
from ..concurrency.forks import cached
from ..errors import ArgumentError, ShapeError
from ..numerics.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    SingleArray,
    finite_bounds,
    normalized,
)
from ..numerics.columns import runs
from ..numerics.reading import check_rows, described_shape
from ..numerics.values import guarded

# Vertices in a row of the reduction to bounds: NumPy is faster with long rows.
_LANES = 1 << 10


class Polygons:
    """F faces with L corners in all, over V vertices, as :class:`.PolygonMesh` takes them."""

    def __init__(self, vertices: Any, corners: Any, sizes: Any, *, copy: bool = False) -> None:
        self.vertices = _read_vertices(vertices, copy=copy)
        array = arguments.indices(corners, "corners")
        if array.ndim != 1:
            raise ShapeError(f"corners must have shape (N,), not {described_shape(array.shape)}")
        self.corners = arguments.vertex_indices(array, "corner", len(self.vertices), copy=copy)
        # How many corners each face has, (F,); an int if all have the same number.
        self.sizes, self.face_count = _read_sizes(sizes, len(self.corners), copy=copy)
        if copy:
            self.vertices, self.corners = guarded(self.vertices), guarded(self.corners)
        self.triangle_count = len(self.corners) - 2 * self.face_count

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "bounds"}

    @property
    def largest(self) -> int:
        """The largest number of corners of a face."""
        return self.sizes if isinstance(self.sizes, int) else int(self.sizes.max())

    @cached
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all finite vertices; NaN where there is none."""
        rows = len(self.vertices) // _LANES
        lanes = self.vertices[: rows * _LANES].reshape(rows, 3 * _LANES)
        rest = self.vertices[rows * _LANES :]
        if rows:
            parts = (lanes.min(axis=0).reshape(-1, 3), lanes.max(axis=0).reshape(-1, 3), rest)
            ends = np.concatenate(parts)
            if np.isfinite(ends).all():
                return finite_bounds(ends.astype(np.float64))
        return finite_bounds(self.vertices.astype(np.float64))

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        arrays = [self.vertices, self.corners]
        if not isinstance(self.sizes, int):
            arrays.append(self.sizes)
            arrays += [self._firsts] if "_firsts" in self.__dict__ else []
        return sum(array.nbytes for array in arrays)

    @cached
    def topology(self) -> str:
        """A fingerprint, equal for meshes whose faces have the same vertices in order."""
        return fingerprint(len(self.vertices), self.corners, self.sizes)

    def sizes_of(self, faces: IntArray) -> IntArray:
        """How many corners each of the faces (N,) has."""
        if isinstance(self.sizes, int):
            return np.full(len(faces), self.sizes)
        return self.sizes.take(faces).astype(np.int64)

    def triangles_from(self, faces: IntArray) -> IntArray:
        """The first triangle of each of the faces (N,)."""
        if isinstance(self.sizes, int):
            return faces * (self.sizes - 2)
        return self._firsts.take(faces).astype(np.int64)

    def triangles_of(self, faces: IntArray) -> IntArray:
        """All triangles of the faces (N,), face after face."""
        return runs(self.triangles_from(faces), self.sizes_of(faces) - 2)

    def corners_from(self, faces: IntArray) -> IntArray:
        """The first corner of each of the faces (N,)."""
        return self.triangles_from(faces) + 2 * faces

    def faces_of(self, triangles: IntArray) -> IntArray:
        """The face of each of the triangles (N,)."""
        if isinstance(self.sizes, int):
            return triangles // (self.sizes - 2)
        # With the dtype of `_firsts`, which NumPy would otherwise convert as a whole.
        wanted = triangles.astype(self._firsts.dtype)
        return self._firsts.searchsorted(wanted, side="right").astype(np.int64) - 1

    def positions(self, vertices: Any) -> FloatArray:
        """Positions (..., 3) of vertices (...)."""
        return np.asarray(self.vertices.take(vertices, axis=0), np.float64)

    def faces_at(self, corners: IntArray) -> IntArray:
        """The face of each of the corners (N,)."""
        if isinstance(self.sizes, int):
            return corners // self.sizes
        every = np.arange(self.face_count)
        return self.corners_from(every).searchsorted(corners, side="right") - 1

    def with_vertices(self, vertices: FloatArray) -> Polygons:
        """The same polygons over another array of the same positions."""
        other = object.__new__(Polygons)
        other.__dict__.update(self.__dict__, vertices=vertices)
        return other

    @cached
    def _firsts(self) -> IndexArray:
        """The first triangle of each face (F,), where sizes differ."""
        firsts: IndexArray = np.zeros(self.face_count, dtype=np.int32)
        np.cumsum(self.sizes[:-1] - 2, out=firsts[1:])  # type: ignore[index]
        return firsts


def _read_vertices(value: Any, *, copy: bool) -> FloatArray | SingleArray:
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        if value.ndim != 2 or value.shape[1] != 3:
            raise ShapeError(f"vertices must have shape (N, 3), not {value.shape}")
        check_rows(len(value), "vertices")
        return np.asarray(value).astype(np.float32, order="C", copy=copy)
    return arguments.positions(value, "vertices", copy=copy)


def _read_sizes(value: Any, corner_count: int, *, copy: bool) -> tuple[int | IndexArray, int]:
    """The sizes, as an int where they are all the same, and the number of faces."""
    array = arguments.indices(value, "sizes")
    if array.ndim > 1:
        raise ShapeError(f"sizes must be a number or have shape (F,), not {array.shape}")
    least = int(array.min()) if array.size else 3
    if least < 3:
        raise ArgumentError(f"a face has 3 corners or more, not {least}")
    if array.ndim == 0:
        if corner_count % least:
            raise ShapeError(f"{corner_count} corners cannot be divided into faces of {least}")
        return least, corner_count // least
    if array.size and int(array.max()) > corner_count:
        raise ShapeError(f"a face of {array.max()} corners needs more than {corner_count}")
    total = int(array.sum(dtype=np.int64))
    if total != corner_count:
        raise ShapeError(f"sizes add up to {total}, but there are {corner_count} corners")
    same = not array.size or int(array.max()) == least
    return (least if same else array.astype(array.dtype, copy=copy)), len(array)


_BYTES = 16


def fingerprint(vertex_count: int, corners: IndexArray, sizes: int | IndexArray) -> str:
    """Hexadecimal digits that two meshes share if their faces have the same vertices in order.

    `corners` (L,) are the vertices of the faces, face after face, and `sizes` (F,) their numbers of
    corners. The digits are the same on every machine: files may keep them.
    """
    every = np.full(len(corners) // sizes, sizes) if isinstance(sizes, int) else sizes
    digest = hashlib.blake2b(digest_size=_BYTES)
    digest.update(np.array([vertex_count, len(every)], "<i8").data)
    digest.update(np.ascontiguousarray(every, "<i4").data)
    digest.update(np.ascontiguousarray(corners, "<i4").data)
    return digest.hexdigest()


def vertex_normals(polygons: Polygons, vertices: IntArray, faces: IntArray) -> FloatArray:
    """Unit normals (K, 3) of vertices (K,); NaN where no face of a vertex has a normal.

    `faces` (N,) must include all faces that have one of the vertices; others do no harm.
    """
    sizes = polygons.sizes_of(faces)
    ends = np.cumsum(sizes)
    first = np.repeat(ends - sizes, sizes)
    row = np.arange(len(first))
    corner_vertices = polygons.corners.take(runs(polygons.corners_from(faces), sizes))
    points = polygons.vertices.take(corner_vertices, axis=0).astype(np.float64)
    after = np.where(row + 1 == np.repeat(ends, sizes), first, row + 1)
    before = np.empty_like(after)
    before[after] = row
    with np.errstate(all="ignore"):
        onward = normalized(points[after] - points)
        cosine = np.einsum("ij,ij->i", onward, -onward[before])
        angles = np.arccos(np.clip(cosine, -1.0, 1.0))
        moved = points - points[first]
        areas = np.cross(moved, moved[after])
        normals = normalized(np.add.reduceat(areas, ends - sizes)) if len(faces) else areas
        shares = angles[:, None] * np.repeat(normals, sizes, axis=0)
        shares[~np.isfinite(shares)] = 0.0
        return normalized(np.array([shares[corner_vertices == v].sum(axis=0) for v in vertices]))
