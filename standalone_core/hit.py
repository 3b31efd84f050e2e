# SPDX-License-Identifier: MIT
"""What a cast answers: one hit, or the hits of a batch as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import overload

import numpy as np

from .errors import IndexRangeError
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import Columns, run_starts
from .numerics.reading import described


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """One ray's hit on one triangle.

    Attributes
    ----------
    distance : float
        Length from the ray's origin to `point`, in the caller's space.
    point : ndarray (3,)
        The place on the triangle, in the caller's space.
    normal : ndarray (3,)
        Unit normal of the triangle in the caller's space, by its winding: (b - a) x (c - a); for
        an instance moved by the inverse transpose, so that a mirrored mesh keeps its outside.
    triangle, face : int
        Row of the triangle in its mesh, and the face that the mesh says it belongs to.
    barycentric : ndarray (3,)
        Weights of the triangle's vertices in their order; their sum is 1.
    front : bool
        Whether the ray comes from the side that the normal points to.
    instance : int
        Id of the scene's instance; 0 for a mesh that was cast at by itself.
    """

    distance: float
    point: FloatArray
    normal: FloatArray
    triangle: int
    face: int
    barycentric: FloatArray
    front: bool
    instance: int


@dataclass(frozen=True, eq=False)
class RayHits(Columns):
    """Hits as columns, one row a hit: the fields of :class:`Hit`, with an axis in front.

    In an answer with one row a ray, a miss has distance inf, triangle, face and instance -1,
    front False, and NaN for the rest.

    Attributes
    ----------
    distance : ndarray (N,)
    point, normal, barycentric : ndarray (N, 3)
    triangle, face, instance : ndarray (N,) of int64
    front : ndarray (N,) of bool
    """

    distance: FloatArray
    point: FloatArray
    normal: FloatArray
    triangle: IntArray
    face: IntArray
    barycentric: FloatArray
    front: BoolArray
    instance: IntArray

    @classmethod
    def empty(cls, count: int) -> RayHits:
        """`count` rows of anything, to be written to."""
        return cls(
            distance=np.empty(count),
            point=np.empty((count, 3)),
            normal=np.empty((count, 3)),
            triangle=np.empty(count, dtype=np.int64),
            face=np.empty(count, dtype=np.int64),
            barycentric=np.empty((count, 3)),
            front=np.empty(count, dtype=np.bool_),
            instance=np.empty(count, dtype=np.int64),
        )

    @classmethod
    def misses(cls, count: int) -> RayHits:
        """`count` rows that are all misses."""
        result = cls.empty(count)
        result.distance[:] = np.inf
        for numbers in (result.point, result.normal, result.barycentric):
            numbers[:] = np.nan
        for rows in (result.triangle, result.face, result.instance):
            rows[:] = -1
        result.front[:] = False
        return result

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> RayHits:
        """Hits as columns."""
        if not hits:
            return cls.misses(0)
        return cls(*(np.array([getattr(hit, field.name) for hit in hits]) for field in fields(cls)))

    @property
    def hit(self) -> BoolArray:
        """Which rows are hits, (N,)."""
        result: BoolArray = self.triangle >= 0
        return result

    def __len__(self) -> int:
        return len(self.distance)

    @overload
    def __getitem__(self, row: int) -> Hit | None: ...

    @overload
    def __getitem__(self, row: slice | IntArray | BoolArray) -> RayHits: ...

    def __getitem__(self, row: int | slice | IntArray | BoolArray) -> Hit | RayHits | None:
        """One row as a :class:`Hit`, or None where it is a miss; of slices and masks, rows."""
        if not isinstance(row, (int, np.integer)) or isinstance(row, bool):
            return self.take(row)
        if not -len(self) <= row < len(self):
            raise IndexRangeError(f"there is no row {described(row)} of {len(self)}")
        if self.triangle[row] < 0:
            return None
        return Hit(
            distance=float(self.distance[row]),
            point=self.point[row].copy(),
            normal=self.normal[row].copy(),
            triangle=int(self.triangle[row]),
            face=int(self.face[row]),
            barycentric=self.barycentric[row].copy(),
            front=bool(self.front[row]),
            instance=int(self.instance[row]),
        )

    def __iter__(self) -> Iterator[Hit | None]:
        return (self[row] for row in range(len(self)))

    def sorted_by_ray(self, rays: IntArray, every: bool) -> tuple[IntArray, RayHits]:
        """The rays (N,) of the hits and the hits, sorted by ray, distance, instance and triangle.

        Without `every`, only the first of each ray is kept.
        """
        rows = np.lexsort((self.triangle, self.instance, self.distance, rays))
        if not every:
            rows = rows[run_starts(rays[rows])]
        return rays[rows], self.take(rows)

    def scattered(self, rows: IntArray, count: int) -> RayHits:
        """`count` rows, these at `rows`, the others misses."""
        result = RayHits.misses(count)
        result.put(rows, self)
        return result

    def put(self, rows: IntArray, hits: RayHits) -> None:
        """Replace some rows."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(hits, field.name)
