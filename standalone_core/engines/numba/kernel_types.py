# SPDX-License-Identifier: MIT
"""What compiled functions take: types of arrays, and records of them.

numba takes about 1 us longer to unpack a record than the arrays in it. So kernels take arrays and
plain tuples of them, and make records of these for what they call.
"""

from collections import namedtuple
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from ...cast.hits import empty_hits
from ...hit import RayHits
from .kernel_cache import helper
from .simd import array_at

VECTOR = types.UniTuple(types.float64, 3)
"""Three floats."""


def given(dtype: Any, dimensions: int) -> Any:
    """An array that is only read; one that may be written to is taken too."""
    return types.Array(dtype, dimensions, "C", readonly=True)


FLOATS, POINTS, MATRICES = (given(types.float64, dimensions) for dimensions in (1, 2, 3))
SINGLES, WHOLES = given(types.float32, 1), given(types.int64, 1)
INDICES, TRIANGLES = given(types.int32, 1), given(types.int32, 2)
BYTES, MASK = given(types.uint8, 1), given(types.boolean, 1)


class TreeArrays(NamedTuple):
    """A tree: its nodes, flat, where its levels start in them, order, center and scale."""

    nodes: Any
    starts: Any
    order: Any
    center: Any
    scale: float


TREE = (SINGLES, WHOLES, INDICES, VECTOR, types.float64)


class PackedTree(NamedTuple):
    """Nodes and blocks, flat, as :mod:`.packing` makes them, and the units of their numbers.

    A place p in the space of the mesh is at (p - center) * unit; the unit is a power of two.
    """

    nodes: Any
    blocks: Any
    center: Any
    unit: float


PACKED = (SINGLES, SINGLES, VECTOR, types.float64)


class PackedMesh(NamedTuple):
    """What a cast reads of a mesh: its packed tree, its vertices (V, 3), and a mask (T,).

    The mask, see :class:`..cast.rays.Query`, is empty where no triangle is excluded. The faces are
    not in it: only hits need them, and each array takes time where it is handed on.
    """

    packed: Any
    vertices: Any
    excluded: Any


MESH_ARRAYS = (SINGLES, SINGLES, POINTS, WHOLES)
"""Arrays of a mesh, by rows of addresses: its packed tree's two, its vertices, its faces."""


@helper(inline=True)
def mesh_at(address: int, excluded: Any) -> Any:
    """A mesh with a mask, and its faces (T,), empty where each triangle is one.

    At the address a row of :func:`.row_of` has where its MESH_ARRAYS are, then center and unit.
    """
    row = array_at(address, (8,), np.int64)  # addresses and lengths of four arrays
    units = array_at(address + 8 * 8, (4,), np.float64)
    tree = PackedTree(
        array_at(row[0], (row[1],), np.float32),
        array_at(row[2], (row[3],), np.float32),
        (units[0], units[1], units[2]),
        units[3],
    )
    vertices = array_at(row[4], (row[5], 3), np.float64)
    return PackedMesh(tree, vertices, excluded), array_at(row[6], (row[7],), np.int64)


class MeshArrays(NamedTuple):
    """Vertices, and triangles in the tree's order, filled up to whole leaves.

    The faces (T,) are empty where each triangle is one, as is the mask where none is excluded.
    """

    vertices: Any
    triangles: Any
    faces: Any
    excluded: Any


class RayRecord(NamedTuple):
    """A ray, and the side that it is not to see, as in :class:`.LoneRay`."""

    origin: Any
    direction: Any
    length: float
    start: float
    limit: float
    cull_sign: int


RAY = (VECTOR, VECTOR, *[types.float64] * 3, types.int64)


WORK = types.UniTuple(types.int64, 7)
"""Of casts: cull sign, goal, first ray and end, most hits of a ray, a row, and most effort."""

_FIELDS = [field.name for field in fields(RayHits)]

HitColumns: Any = namedtuple("HitColumns", _FIELDS)  # type: ignore[misc]
"""The columns of :class:`.RayHits`, to be written to."""

columns_of = attrgetter(*_FIELDS)
"""The columns of hits, as arrays in this order."""

HITS = types.NamedTuple([typeof(column) for column in columns_of(empty_hits(0))], HitColumns)
