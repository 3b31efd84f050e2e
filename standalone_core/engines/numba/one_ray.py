# SPDX-License-Identifier: MIT
"""One ray at one mesh, with a tree and without, with as little overhead per call as possible.

Each array that is passed to compiled code costs a tenth of a microsecond, and so does each that it
allocates. So the mesh is passed as an address, and scratch memory is on the stack.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from ...cast.rays import LEAST_LENGTH, LEAST_SQUARE, MOST_SQUARE, Geometry, LoneRay
from ...cast.scan import ABOVE, BEHIND, BELOW, LEFT, RIGHT, Codes
from ...hit import Hit, hit_of
from ...numerics.arrays import IndexArray, IntArray
from ...numerics.ray_triangle import dot3
from ...numerics.values import is_constant
from ...numerics.vectors import power_of_two
from .block_kernel import STACK, UNSURE, put_vector
from .cast_kernel import EVERY, NEAREST, Room, cast_in
from .hit_kernel import solved_hit, sorting, swap
from .kernel_cache import entry_point, helper, kernel
from .kernel_types import (
    BYTES,
    FLOATS,
    MESH_ARRAYS,
    POINTS,
    RAY,
    TRIANGLES,
    PackedTree,
    RayRecord,
    mesh_at,
)
from .packing import nbytes
from .simd import LANES, array_at, at, put, row_of, stack_array

NUMBERS = 13
"""The length of a hit as a row of numbers, see :func:`.hit_of`."""

MOST_HITS = 32
"""The most hits of one ray; a ray with more is left to NumPy, which sorts better."""

_WEIGHTS = 4 * LANES


@helper(inline=True)
def _with_length(origin: Any, direction: Any, limit: float) -> Any:
    """A direction and its length by :func:`.lengthened`, and whether the ray is ordinary."""
    x, y, z = origin
    square = dot3(direction, direction)
    is_ordinary = x * 0.0 + y * 0.0 + z * 0.0 == 0.0 and LEAST_SQUARE < square < MOST_SQUARE
    length = math.sqrt(square)
    if is_ordinary and length < LEAST_LENGTH:
        x, y, z = direction
        size = power_of_two(max(abs(x), abs(y), abs(z))) * 0.5
        direction = (x / size, y / size, z / size)
        length = math.sqrt(dot3(direction, direction))
    return direction, length, is_ordinary and limit >= 0.0


@helper(inline=True)
def _key(numbers: Any, row: int) -> Any:
    return at(numbers, NUMBERS * row), at(numbers, NUMBERS * row + 1)


@helper(inline=True)
def _swap_rows(numbers: Any, row: int, other: int) -> None:
    for column in range(NUMBERS):
        swap(numbers, NUMBERS * row + column, NUMBERS * other + column)


_sort = sorting(_key, _swap_rows)


@kernel(allocates=False)
def _cast_in_room(mesh: Any, faces: Any, ray: Any, every: bool, numbers: Any) -> Any:
    room = Room(
        stack_array(STACK, np.int64),
        stack_array(LANES, np.float32),
        stack_array(_WEIGHTS, np.float32),
        stack_array(1, np.int64),
        stack_array(MOST_HITS, np.int64),
        stack_array(MOST_HITS, np.float64),
        stack_array(2, np.float64),
        stack_array(1, np.int64),
    )
    room.effort[0] = 0
    count = cast_in(mesh, ray, EVERY if every else NEAREST, room)
    for row in range(count):
        is_sure, hit = solved_hit(mesh, ray, room.places[row], room.sides[row])
        if not is_sure:
            return UNSURE
        first = NUMBERS * row
        put(numbers, first, hit.distance)
        put(numbers, first + 1, hit.triangle)
        put(numbers, first + 2, hit.side)
        put_vector(numbers, first + 3, hit.barycentric)
        put_vector(numbers, first + 6, hit.normal)
        put_vector(numbers, first + 9, hit.point)
        put(numbers, first + 12, faces[hit.triangle] if len(faces) else hit.triangle)
    _sort(numbers, 0, count)
    return count


_ROWS = types.float64[::1]

_GIVEN = (types.int64, *RAY, types.boolean, types.int64, types.int64, _ROWS)


@kernel(types.int64(*_GIVEN), allocates=False)
def _cast(
    mesh: int,
    origin: Any,
    direction: Any,
    length: float,
    start: float,
    limit: float,
    cull_sign: int,
    every: bool,
    mask: int,
    mask_length: int,
    numbers: Any,
) -> Any:
    """Write the hits of one ray, sorted, to rows (K, NUMBERS); return their number, FULL or UNSURE.

    With `every`, K is MOST_HITS; otherwise only the nearest hit is searched, and K is 1. Mesh and
    mask are addresses; that of an empty mask is ignored.
    """
    ray = RayRecord(origin, direction, length, start, limit, cull_sign)
    known, faces = mesh_at(mesh, array_at(mask, (mask_length,), np.uint8))
    return _cast_in_room(known, faces, ray, every, numbers)


@kernel(types.int64(types.int64, *[types.float64] * 7, _ROWS), allocates=False, is_short=True)
def _cast_nearest(
    mesh: int,
    x: float,
    y: float,
    z: float,
    dx: float,
    dy: float,
    dz: float,
    limit: float,
    numbers: Any,
) -> Any:
    """Write the nearest hit of a ray (x, y, z), (dx, dy, dz) as :func:`_cast` does.

    UNSURE if the ray is not ordinary. Single numbers are faster to hand over than tuples.
    """
    origin = x, y, z
    direction, length, is_ordinary = _with_length(origin, (dx, dy, dz), limit)
    if not is_ordinary:
        return UNSURE
    ray = RayRecord(origin, direction, length, 0.0, limit, 0)
    known, faces = mesh_at(mesh, array_at(0, (0,), np.uint8))
    return _cast_in_room(known, faces, ray, False, numbers)


cast, cast_nearest = entry_point(_cast), entry_point(_cast_nearest)
"""These call :func:`_cast` and :func:`_cast_nearest` without checking the types of arguments."""


_NO_FACES = np.empty(0, dtype=np.int64)


def faces_of(geometry: Geometry) -> IntArray:
    """The faces (T,) of triangles for the kernels; empty if each triangle is a face."""
    return _NO_FACES if geometry.faces is None else geometry.faces


class LoneCaster:
    """Casts single rays at a mesh, whose packed tree may be replaced by a better one at any time.

    The geometry's `triangles` must have been checked; they are copied if a caller can change them.
    `known` holds the address at which compiled code finds the mesh, the tree, and the arrays that
    must live as long.
    """

    __slots__ = ("_of_geometry", "known", "triangles")

    def __init__(self, geometry: Geometry, packed: PackedTree) -> None:
        self._of_geometry = geometry.vertices, faces_of(geometry)
        is_fixed = is_constant(geometry.triangles)
        self.triangles = geometry.triangles if is_fixed else geometry.triangles.copy()
        self.take(packed)

    def take(self, packed: PackedTree) -> None:
        """Cast at this tree from now on."""
        arrays = packed.nodes, packed.blocks, *self._of_geometry
        units = np.array([*packed.center, packed.unit])
        record = np.concatenate([row_of(arrays, MESH_ARRAYS), units.view(np.int64)])
        # One tuple, set at once: a thread that holds it keeps alive the arrays at the address.
        self.known = record.ctypes.data, packed, (record, arrays)

    @property
    def packed(self) -> PackedTree:
        """The tree that rays are cast at now."""
        return self.known[1]

    @property
    def nbytes(self) -> int:
        """Memory of the packed tree, and of the triangles if they were copied, in bytes."""
        copied = 0 if is_constant(self.triangles) else self.triangles.nbytes
        return nbytes(self.packed) + copied

    def nearest(
        self, x: float, y: float, z: float, dx: float, dy: float, dz: float, limit: float
    ) -> Any:
        """The nearest hit of a ray, or None; NotImplemented if the ray is not ordinary.

        The origin is (x, y, z), the direction (dx, dy, dz). The arguments may be any numbers.
        """
        known, numbers = self.known, np.empty(NUMBERS)
        count = cast_nearest(known[0], x, y, z, dx, dy, dz, limit, numbers)
        if count > 0:
            return hit_of(numbers)
        return NotImplemented if count < 0 else None

    def cast(self, ray: LoneRay) -> list[Hit] | None:
        """The hits of one ray, the nearest first; None if only NumPy can tell."""
        known, mask = self.known, (0, 0)
        cull_sign, every, excluded, _ = ray.query
        if excluded is not None:
            excluded = np.ascontiguousarray(excluded)
            mask = excluded.ctypes.data, len(excluded)
        numbers = np.empty(MOST_HITS * NUMBERS if every else NUMBERS)
        count = cast(known[0], *ray[:5], cull_sign, every, *mask, numbers)
        return None if count < 0 else [hit_of(row) for row in numbers.reshape(-1, NUMBERS)[:count]]


# Rows that fit at the first try; there are seldom more.
_ROOM = 1024


@kernel(types.void(POINTS, POINTS, FLOATS, types.float64, types.uint8[::1]))
def code_vertices(vertices: Any, matrix: Any, origin: Any, margin: float, codes: Any) -> None:
    """As :func:`..scan.code_vertices`."""
    right, left = origin[0] + margin, origin[0] - margin
    above, below = origin[1] + margin, origin[1] - margin
    behind = origin[2] - margin
    a, b, c = matrix[0, 0], matrix[1, 0], matrix[2, 0]
    d, e, f = matrix[0, 1], matrix[1, 1], matrix[2, 1]
    g, h, i = matrix[0, 2], matrix[1, 2], matrix[2, 2]
    for row in range(len(vertices)):
        p, q, r = vertices[row, 0], vertices[row, 1], vertices[row, 2]
        x = a * p + b * q + c * r
        y = d * p + e * q + f * r
        z = g * p + h * q + i * r
        codes[row] = (
            (x > right) * RIGHT
            | (x < left) * LEFT
            | (y > above) * ABOVE
            | (y < below) * BELOW
            | (z < behind) * BEHIND
        )


@kernel(types.int64(TRIANGLES, BYTES, types.int64[::1]))
def _find(triangles: Any, codes: Any, found: Any) -> int:
    """Write rows to `found` while there is room; return how many there are in all."""
    count = 0
    for row in range(len(triangles)):
        i, j, k = triangles[row, 0], triangles[row, 1], triangles[row, 2]
        if codes[i] & codes[j] & codes[k] == 0:
            if count < len(found):
                found[count] = row
            count += 1
    return count


def not_outside(triangles: IndexArray, codes: Codes) -> IntArray:
    """As :func:`..scan.not_outside`."""
    found = np.empty(_ROOM, dtype=np.int64)
    count = _find(triangles, codes, found)
    if count > len(found):
        found = np.empty(count, dtype=np.int64)
        _find(triangles, codes, found)
    return found[:count]
