# SPDX-License-Identifier: MIT
"""The compiled cast of one ray, which is soon over: what leads to it must take no time.

Each array that compiled code is given costs a tenth of a microsecond, and so does each that it
allocates. So the mesh comes as an address, and the work is done on the stack.
"""

import math
from typing import Any

import numpy as np
from numba import types

from ..cast.rays import LEAST_LENGTH, LEAST_SQUARE, MOST_SQUARE
from ..numerics.ray_triangle import dot3
from ..numerics.vectors import power_of_two
from .array_table import array_at
from .block_kernel import UNSURE
from .block_simd import LANES
from .cast_kernel import EVERY, NEAREST, Room, cast_in, lone_search
from .kernel_cache import entry_point, helper, kernel
from .kernel_types import RAY, PackedTree, RayRecord
from .kernels import FIELDS, insert
from .packed_descent import STACK
from .stack_array import stack_array

NUMBERS = FIELDS + 1
"""Numbers of a hit: those of :mod:`.kernels`, and its face; as :func:`.hit_of` takes them."""

MOST_HITS = 32
"""Hits of one ray that there is room for; one with more is left to NumPy, which sorts better."""

OWN_LENGTH = 0.0
"""Instead of a ray's length: it is the direction's, and nothing was checked."""

# Where the units of a mesh begin, in bytes: behind addresses and lengths of four arrays.
_UNITS = 8 * 8

_WEIGHTS = 4 * LANES


@helper(inline=True)
def _mesh_at(mesh: int) -> Any:
    """The packed tree, the vertices and the faces of a mesh, see :class:`.LoneCaster`."""
    row = array_at(mesh, (8,), np.int64)
    units = array_at(mesh + _UNITS, (4,), np.float64)
    tree = PackedTree(
        array_at(row[0], (row[1],), np.float32),
        array_at(row[2], (row[3],), np.float32),
        (units[0], units[1], units[2]),
        units[3],
    )
    return tree, array_at(row[4], (row[5], 3), np.float64), array_at(row[6], (row[7],), np.int64)


@helper(inline=True)
def _with_length(origin: Any, direction: Any, limit: float) -> Any:
    """A direction and its length as :func:`.lengthened` makes them, and whether all is ordinary."""
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


@kernel(allocates=False)
def _cast_at(
    tree: Any, vertices: Any, excluded: Any, faces: Any, ray: Any, room: Any, numbers: Any
) -> Any:
    goal = EVERY if ray.every else NEAREST
    count = cast_in(tree, vertices, excluded, ray, goal, room)
    search = lone_search(tree, vertices, excluded, ray, goal, room)
    known = 0
    for number in range(count):
        known = insert(search, room.places[number], room.sides[number], known, numbers)
        if known < 0:
            return known
    for row in range(count):
        triangle = int(numbers[row, 1])
        numbers[row, FIELDS] = faces[triangle] if len(faces) else triangle
    return count


@kernel(
    types.int64(types.int64, *RAY, types.int64, types.int64, types.float64[:, ::1]), allocates=False
)
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
    """Write the hits of one ray, sorted, to rows (K, NUMBERS); their number, FULL or UNSURE.

    Without `every` the nearest hit only is looked for, and K is 1; else it is MOST_HITS. Mesh and
    mask are addresses; of the latter anything, if its length is 0. Of OWN_LENGTH a ray is UNSURE
    that is not ordinary.
    """
    if length == OWN_LENGTH:
        direction, length, is_ordinary = _with_length(origin, direction, limit)
        if not is_ordinary:
            return UNSURE
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
    tree, vertices, faces = _mesh_at(mesh)
    excluded = array_at(mask, (mask_length,), np.uint8)
    ray = RayRecord(origin, direction, length, start, limit, cull_sign, every)
    return _cast_at(tree, vertices, excluded, faces, ray, room, numbers)


cast = entry_point(_cast)
"""Calls :func:`_cast` with exactly the types that it is for: nothing is looked at."""
