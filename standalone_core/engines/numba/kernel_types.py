# SPDX-License-Identifier: MIT
"""Types of the arguments of compiled functions: arrays, and records of arrays.

numba takes about 1 us longer to unpack a record than the arrays in it. So kernels take arrays and
plain tuples of them, and make records of these for the functions that they call.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from ...cast.hits import FoundHits, empty_found, empty_hits
from ...hit import RayHits
from ...numerics.columns import names_of
from .kernel_cache import helper
from .simd import array_at

VECTOR = types.UniTuple(types.float64, 3)
"""Three floats."""


def _read_only(dtype: Any, dimensions: int) -> Any:
    """The type of an array that is only read; writable arrays are accepted too."""
    return types.Array(dtype, dimensions, "C", readonly=True)


FLOATS, POINTS, MATRICES = (_read_only(types.float64, dimensions) for dimensions in (1, 2, 3))
SINGLES, WHOLES = _read_only(types.float32, 1), _read_only(types.int64, 1)
INDICES, TRIANGLES = _read_only(types.int32, 1), _read_only(types.int32, 2)
BYTES, MASK = _read_only(types.uint8, 1), _read_only(types.boolean, 1)


class TreeArrays(NamedTuple):
    """A tree: its flat nodes, where each level starts in them, its order, center and scale."""

    nodes: Any
    starts: Any
    order: Any
    center: Any
    scale: float


TREE = (SINGLES, WHOLES, INDICES, VECTOR, types.float64)


class PackedTree(NamedTuple):
    """The flat nodes and blocks that :mod:`.packing` makes, and the units of their coordinates.

    A point p in the space of the mesh is at (p - center) * unit; the unit is a power of two.
    """

    nodes: Any
    blocks: Any
    center: Any
    unit: float


PACKED = (SINGLES, SINGLES, VECTOR, types.float64)


class PackedMesh(NamedTuple):
    """What a cast reads of a mesh: its packed tree, its vertices (V, 3), and a mask (T,).

    The mask, see :class:`..cast.rays.Query`, is empty if no triangle is excluded. The faces are
    left out: only hits need them, and each array costs time in every call.
    """

    packed: Any
    vertices: Any
    excluded: Any


MESH_ARRAYS = (SINGLES, SINGLES, POINTS, WHOLES)
"""The types of a mesh's arrays in :func:`.row_of`: nodes, blocks, vertices and faces."""


@helper(inline=True)
def mesh_at(address: int, excluded: Any) -> Any:
    """The mesh at an address, with a mask, and its faces (T,), empty if each triangle is one.

    The address holds the :func:`.row_of` its MESH_ARRAYS, then center and unit.
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
    """Vertices, and triangles in the tree's order, padded to whole leaves.

    The faces (T,) are empty if each triangle is one, the mask if none is excluded.
    """

    vertices: Any
    triangles: Any
    faces: Any
    excluded: Any


class RayRecord(NamedTuple):
    """A ray, and the side of triangles that it ignores, as in :class:`.LoneRay`."""

    origin: Any
    direction: Any
    length: float
    start: float
    limit: float
    cull_sign: int


RAY = (VECTOR, VECTOR, *[types.float64] * 3, types.int64)


WORK = types.UniTuple(types.int64, 7)
"""What a cast does: cull sign, goal, first ray, end, most hits of a ray, first row, most effort."""

HitColumns: Any = namedtuple("HitColumns", names_of(RayHits))  # type: ignore[misc]
"""The columns of :class:`.RayHits`, to be written to."""

FoundColumns: Any = namedtuple("FoundColumns", names_of(FoundHits))  # type: ignore[misc]
"""The columns of :class:`.FoundHits`, to be written to."""

HITS, FOUND = (
    types.NamedTuple([typeof(column) for column in empty(0)._columns()], kind)
    for empty, kind in ((empty_hits, HitColumns), (empty_found, FoundColumns))
)
