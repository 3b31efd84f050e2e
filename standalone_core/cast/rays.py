# SPDX-License-Identifier: MIT
"""The input of casts: checked rays with their query, and the arrays of a mesh."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arguments import Border
from ..numerics import arrays, vectors
from ..numerics.arrays import FloatArray, IndexArray, IntArray, dot
from ..numerics.double_double import Number
from ..numerics.ray_triangle import Point
from ..numerics.values import guarded, is_constant, read_only

LEAST_SQUARE, MOST_SQUARE = 1e-40, 1e40
"""Between these the squared length of a direction is ordinary."""

LEAST_DISTANCE = 1e-290
"""From this on, the rounding errors of a distance are relative to it."""

LEAST_LENGTH = 1.0 - 2.0**-40
"""A direction is short if its length is below this; rounded unit vectors are not."""


def least_step(length: Number) -> Number:
    """A bound of the rounding error of tiny distances along a direction of this length.

    They are products of a parameter t and the length; t and product are multiples of 5e-324.
    """
    return 5e-324 * (length + 8.0)


def end_of(distance: Number, length: Number) -> Number:
    """A parameter t beyond which all hits are farther than this distance, even a tiny one."""
    return (distance + least_step(length)) / length


def ordinary_many(directions: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Directions (..., 3) scaled to ordinary lengths, the squares of these, and divisors.

    A divisor is 1, or a power of two for a direction longer than 1e20 or shorter than 1e-20.
    """
    with np.errstate(all="ignore"):
        square = dot(directions, directions)
        common = (square > LEAST_SQUARE) & (square < MOST_SQUARE)
        if common.all():
            return directions, square, np.broadcast_to(1.0, square.shape)
        size = np.where(common, 1.0, arrays.power_of_two(arrays.largest(directions)))
        directions = directions / size[..., None]
        return directions, dot(directions, directions), size


def ordinary(d: Point) -> tuple[Point, float]:
    """One direction of ordinary length, and that length: 0, inf or NaN if it is no direction."""
    x, y, z = d
    square = x * x + y * y + z * z
    if not LEAST_SQUARE < square < MOST_SQUARE:
        x, y, z = ordinary_many(np.array(d))[0].tolist()
        square = x * x + y * y + z * z
    return (x, y, z), sqrt(square)


def lengthened_many(d: FloatArray, length: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Directions (..., 3) of ordinary lengths (...) made about 1 or longer, and their lengths.

    Short ones are multiplied by a power of two. A parameter t along them is then at most its
    distance, and finite if that is.
    """
    short = length < LEAST_LENGTH
    if not short.any():
        return d, length
    size = np.where(short, arrays.power_of_two(arrays.largest(d)) * 0.5, 1.0)
    d = d / size[..., None]
    return d, np.sqrt(dot(d, d))


def lengthened(d: Point, length: float) -> tuple[Point, float]:
    """One direction and its length as :func:`lengthened_many` makes them."""
    if length >= LEAST_LENGTH:
        return d, length
    size = vectors.power_of_two(vectors.largest(d)) * 0.5
    x, y, z = d[0] / size, d[1] / size, d[2] / size
    return (x, y, z), sqrt(x * x + y * y + z * z)


Measured = tuple[FloatArray, FloatArray]
"""Directions (R, 3) as :func:`lengthened_many` makes them, and their lengths (R,)."""

SideArray = npt.NDArray[np.uint8 | np.bool_]


class Query(NamedTuple):
    """What rays, one or many, look for."""

    cull_sign: int = 0  # 1 keeps front-facing hits, -1 back-facing ones, 0 both
    every: bool = False  # whether all hits of each ray are wanted, or only the nearest
    excluded: SideArray | None = None  # by triangle, or instance id: EXCLUDED, NO_BACK ...
    border: Border | None = None  # None for that of each mesh


@dataclass(frozen=True, slots=True, eq=False)
class RayBatch:
    """R finite rays with their query, in one space."""

    origins: FloatArray  # (R, 3)
    directions: FloatArray  # (R, 3), of any ordinary length: the unit of a parameter t
    lengths: FloatArray  # (R,), what turns a t into a distance; in a scene, in its space
    starts: FloatArray  # (R,), the least distances that count
    limits: FloatArray  # (R,), the largest that count; below 0 for an invalid ray
    query: Query

    def __len__(self) -> int:
        return len(self.origins)

    def take(self, rows: Any) -> RayBatch:
        """The rays of the given rows (indices, mask or slice)."""
        return RayBatch(
            self.origins[rows],
            self.directions[rows],
            self.lengths[rows],
            self.starts[rows],
            self.limits[rows],
            self.query,
        )

    def moved(self, origins: FloatArray, directions: FloatArray, query: Query) -> RayBatch:
        """The same rays in another space, with another query; distances stay as they were."""
        directions, _, size = ordinary_many(directions)
        return replace(
            self, origins=origins, directions=directions, lengths=self.lengths / size, query=query
        )

    def ray(self, row: int) -> LoneRay:
        """One of the rays."""
        return LoneRay(
            tuple(self.origins[row].tolist()),
            tuple(self.directions[row].tolist()),
            float(self.lengths[row]),
            float(self.starts[row]),
            float(self.limits[row]),
            self.query,
        )


class LoneRay(NamedTuple):
    """One ray, with the fields of a :class:`RayBatch` as plain floats: for one, arrays are slow."""

    origin: Point
    direction: Point
    length: float
    start: float
    limit: float
    query: Query

    def batch(self) -> RayBatch:
        """A batch of this ray alone."""
        o, d, length, start, limit = (np.array([each]) for each in self[:-1])
        return RayBatch(o, d, length, start, limit, self.query)


class Geometry(NamedTuple):
    """Triangles (T, 3) over vertices (V, 3)."""

    vertices: FloatArray
    triangles: IndexArray
    faces: IntArray | None  # (T,); None where each triangle is a face

    def read_only(self) -> Geometry:
        """The same, with read-only views of its arrays."""
        faces = None if self.faces is None else read_only(self.faces)
        return Geometry(read_only(self.vertices), read_only(self.triangles), faces)

    def constant(self) -> Geometry:
        """The same, with its arrays, which belong to no caller, read-only for good."""
        faces = None if self.faces is None else guarded(self.faces)
        return Geometry(guarded(self.vertices), guarded(self.triangles), faces)

    @property
    def is_constant(self) -> bool:
        """Whether no caller can change the arrays."""
        return all(array is None or is_constant(array) for array in self)

    def corners(self, triangles: IntArray) -> FloatArray:
        """The corners (..., 3, 3) of triangles (...)."""
        return self.vertices.take(self.triangles.take(triangles, axis=0), axis=0)

    def face(self, triangle: int) -> int:
        """The face of a triangle."""
        return triangle if self.faces is None else int(self.faces[triangle])
