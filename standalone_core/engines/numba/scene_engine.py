# SPDX-License-Identifier: MIT
"""Compiled casts of rays at the instances of a scene: on both levels the nearest boxes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ...bvh import LEAF, Tree
from ...cast.hits import empty_hits, in_a_row
from ...cast.rays import LEAST_SQUARE, MOST_SQUARE, Geometry, RayBatch
from ...hit import RayHits
from ...numerics import vectors
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.ray_triangle import dot3
from .cast_kernel import ANY, COUNT, EVERY, FULL, NEAREST, cast_in, new_room
from .hit_kernel import SolvedHit, key_of, put_hit, put_miss, solved_hit, sort_columns
from .kernel_cache import helper, kernel
from .kernel_types import (
    FLOATS,
    HITS,
    MASK,
    MATRICES,
    POINTS,
    TREE,
    WHOLES,
    WORK,
    HitColumns,
    PackedTree,
    RayRecord,
    TreeArrays,
    mesh_at,
)
from .numba_engine import EFFORT, NO_MASK, Cast, cast_in_chunks, lone_caster, tree_arrays
from .one_ray import LoneCaster
from .ray_kernel import local_ray
from .simd import at, prefetch
from .tree_kernel import UNSURE, Stack, descent, entry_of, insert, inverse_of, new_stack

for _function in (vectors.largest, vectors.scaled, vectors.normalized):
    helper(inline=False)(_function)

# The most hits of one ray at one mesh; a ray with more is FULL.
_HITS = 32


class SceneArrays(NamedTuple):
    """N instances of M meshes, and a tree over their boxes."""

    tree: Any
    boxes: Any  # (N, 6), lower and upper corners, in the tree's order
    to_local: Any  # (N, 12), 3x3 inverse and translation, in the tree's order
    ids: Any  # (N,)
    kinds: Any  # (N,), the row of each instance's mesh in `meshes`
    matrices: Any  # (N, 4, 4)
    inverses: Any  # (N, 3, 3)
    hidden: Any  # (N,) of bool; empty if none is hidden
    excluded: Any  # of bool, indexed by id; the last value holds for all larger ids; or empty
    meshes: Any  # (M,), the addresses that `mesh_at` takes; 0 for a mesh without arrays


class _Room(NamedTuple):
    """Scratch memory, which all rays of a call use in turn."""

    stack: Any
    near: Any  # (LEAF,), the distances of those boxes of a leaf that the ray meets
    near_items: Any  # (LEAF,), the items in these boxes
    cast: Any  # the scratch memory of casts at meshes
    nothing: Any  # (0,), a mask that excludes no triangle


class _Search(NamedTuple):
    """A ray, and what is searched along it."""

    scene: Any
    room: Any
    margin: float
    origin: Any
    direction: Any
    inverse: Any
    length: float
    start: float
    cull_sign: int
    goal: int
    columns: Any  # for the hits
    row: int  # where the ray's hits begin in the columns
    most_hits: int


@kernel(allocates=False)
def _cast_at_mesh(mesh: Any, ray: Any, goal: int, room: Any) -> Any:
    """Cast at a mesh; return the number of hits, which are in the room, or FULL or UNSURE."""
    return cast_in(mesh, ray, goal, room)


@helper(inline=True)
def _keep(search: Any, count: int, hit: Any, faces: Any, place: int) -> Any:
    """Write a hit to the columns if it is wanted; return the new count, or FULL or UNSURE."""
    scene, columns, row = search.scene, search.columns, search.row
    instance = scene.ids[place]
    if search.goal == NEAREST:
        if count and not (hit.distance, instance, hit.triangle) < key_of(columns, row):
            return count
    elif count == search.most_hits:
        return FULL
    else:
        row += count
    is_sure, moved = _to_scene(scene, place, hit)
    if not is_sure:
        return UNSURE
    face = faces[hit.triangle] if len(faces) else hit.triangle
    put_hit(columns, row, moved, face, instance)
    return row - search.row + 1


@helper(inline=True)
def _cast_at(search: Any, item: int, count: int, reach: float) -> Any:
    """Move the ray by :func:`.to_mesh`, cast it at the mesh; return what a visit returns."""
    scene, room, goal = search.scene, search.room, search.goal
    place = scene.tree.order[item]
    address = scene.meshes[scene.kinds[place]]
    if address == 0:
        return UNSURE, reach
    move, d = scene.to_local[item], search.direction
    o = (search.origin[0] - move[9], search.origin[1] - move[10], search.origin[2] - move[11])
    first, second, third = move[0:3], move[3:6], move[6:9]
    origin = (dot3(o, first), dot3(o, second), dot3(o, third))
    direction = (dot3(d, first), dot3(d, second), dot3(d, third))
    is_ordinary = LEAST_SQUARE < dot3(direction, direction) < MOST_SQUARE
    if not (is_ordinary and isfinite(origin[0] + origin[1] + origin[2])):
        return UNSURE, reach
    ray = RayRecord(origin, direction, search.length, search.start, reach, search.cull_sign)
    mesh, faces = mesh_at(address, room.nothing)
    hits = _cast_at_mesh(mesh, ray, goal, room.cast)
    if hits < 0:
        return hits, reach
    if goal == COUNT:
        return count + hits, reach
    if goal == ANY:
        return max(count, hits), (-np.inf if hits else reach)
    for number in range(hits):
        is_sure, hit = solved_hit(mesh, ray, room.cast.places[number], room.cast.sides[number])
        count = _keep(search, count, hit, faces, place) if is_sure else UNSURE
        if count < 0:
            return count, reach
    if count and goal == NEAREST:
        reach = at(search.columns.distance, search.row)
    return count, reach


@helper(inline=True)
def _is_hittable(scene: Any, place: int) -> bool:
    """Whether an instance is neither hidden nor excluded."""
    if len(scene.hidden) and scene.hidden[place]:
        return False
    excluded = scene.excluded
    return not (len(excluded) and excluded[min(scene.ids[place], len(excluded) - 1)])


@helper(inline=True)
def _visit(search: Any, leaf: int, count: int, reach: float) -> Any:
    """Cast at the instances of a leaf, the nearest box first; see :func:`.descent`."""
    scene, near, items, met = search.scene, search.room.near, search.room.near_items, 0
    order, boxes = scene.tree.order, scene.boxes
    for item in range(leaf * LEAF, min(leaf * LEAF + LEAF, len(order))):
        is_met, entry = entry_of(search, boxes[item, :3], boxes[item, 3:], reach)
        if not is_met or not _is_hittable(scene, order[item]):
            continue
        met = insert(near, items, met, entry, item)
    for spot in range(met):
        if near[spot] > reach:
            break
        count, reach = _cast_at(search, items[spot], count, reach)
        if count < 0:
            break
    return count, reach


@helper(inline=True)
def _prefetch_leaf(search: Any, leaf: int) -> None:
    first = leaf * LEAF
    prefetch(search.scene.tree.order, first)
    for line in range(0, 6 * LEAF, 8):
        prefetch(search.scene.boxes, first * 6 + line)


_descend = descent(_visit, _prefetch_leaf)


@helper(inline=False)
def _to_scene(scene: Any, place: int, hit: Any) -> Any:
    """Move a hit as :func:`.to_scene` does; return whether the result is sure, and the hit."""
    n, m, t = hit.normal, scene.inverses, scene.matrices
    x = dot3(n, (m[place, 0, 0], m[place, 1, 0], m[place, 2, 0]))
    y = dot3(n, (m[place, 0, 1], m[place, 1, 1], m[place, 2, 1]))
    z = dot3(n, (m[place, 0, 2], m[place, 1, 2], m[place, 2, 2]))
    point = (
        dot3(hit.point, (t[place, 0, 0], t[place, 0, 1], t[place, 0, 2])) + t[place, 0, 3],
        dot3(hit.point, (t[place, 1, 0], t[place, 1, 1], t[place, 1, 2])) + t[place, 1, 3],
        dot3(hit.point, (t[place, 2, 0], t[place, 2, 1], t[place, 2, 2])) + t[place, 2, 3],
    )
    normal = vectors.normalized((x, y, z))
    moved = SolvedHit(hit.distance, hit.triangle, hit.side, hit.barycentric, normal, point)
    return isfinite(x + y + z), moved


@helper(inline=True)
def _cast_ray(search: Any, limit: float) -> int:
    """Write the hits of a ray to the columns, sorted; return their number, FULL or UNSURE."""
    tree, room = search.scene.tree, search.room
    if len(tree.order) == 0:
        return 0
    local = local_ray(tree.center, 1.0 / tree.scale, search.origin, search.direction)
    if not local.known:
        return UNSURE
    count = _descend(tree, local, search.length, limit, room.stack, search)
    if search.goal == EVERY:
        sort_columns(search.columns, search.row, search.row + count)
    return count  # type: ignore[no-any-return]


@kernel(allocates=False)
def _cast_rays(scene: Any, rays: Any, work: Any, counts: Any, columns: Any, room: Any) -> Any:
    """Cast some rays; see :func:`cast_many`."""
    o, d, lengths, starts, limits, margins = rays
    cull_sign, goal, begin, end, most_hits, row, most = work
    for i in range(begin, end):
        if goal == EVERY and row + most_hits > len(columns.distance):
            return i
        if room.stack.effort[0] > most:
            return i
        origin, direction = (o[i, 0], o[i, 1], o[i, 2]), (d[i, 0], d[i, 1], d[i, 2])
        first = i if goal == NEAREST else row
        search = _Search(
            scene,
            room,
            margins[i],
            origin,
            direction,
            inverse_of(direction),
            lengths[i],
            starts[i],
            cull_sign,
            goal,
            columns,
            first,
            most_hits,
        )
        count = _cast_ray(search, limits[i])
        counts[i] = count
        if goal == NEAREST and count <= 0:
            put_miss(columns, i)
        if goal == EVERY:
            row += max(count, 0)
    return end


_COLUMNS = (POINTS, POINTS, WHOLES, WHOLES, MATRICES, MATRICES, MASK, MASK, WHOLES)
_SCENE = types.Tuple((types.Tuple(TREE), *_COLUMNS))
_RAYS = types.Tuple((POINTS, POINTS, FLOATS, FLOATS, FLOATS, FLOATS))


@kernel(types.int64(_SCENE, _RAYS, WORK, types.int64[::1], HITS))
def cast_many(scene: Any, rays: Any, work: Any, counts: Any, columns: Any) -> int:
    """Cast rays at a scene, and write their hits to columns.

    Works like :func:`.cast_kernel.cast_many`, but stops at a ray where the columns have fewer than
    `most_hits` free rows. The scene has the fields of :class:`SceneArrays`. The rays have
    origins, directions, lengths, starts, limits, and the margins by which boxes grow.
    """
    known = SceneArrays(TreeArrays(*scene[0]), *scene[1:])
    top, cast = new_stack(), new_room(_HITS)
    room = _Room(
        Stack(top.nodes, top.entries, cast.effort),
        *(np.empty(LEAF), np.empty(LEAF, dtype=np.int64), cast, np.empty(0, dtype=np.uint8)),
    )
    return _cast_rays(known, rays, work, counts, columns, room)  # type: ignore[no-any-return]


# The most hits of one ray; a ray with more is left to NumPy.
_MOST = 1 << 10

Shape = tuple[Geometry, Tree]
"""Triangles with their tree."""


class MeshTable:
    """The addresses of the arrays of M meshes for compiled code; keeps the arrays alive."""

    def __init__(self, shapes: Sequence[Shape | None]) -> None:
        # New casters: for a polygon mesh, the tree's own caster has other faces.
        self._casters = [
            None if shape is None else LoneCaster(shape[0], lone_caster(*shape).packed)
            for shape in shapes
        ]
        addresses = [0 if caster is None else caster.known[0] for caster in self._casters]
        self.meshes = np.array(addresses, dtype=np.int64)

    @property
    def is_empty(self) -> bool:
        """Whether no mesh has arrays for compiled code."""
        return not self.meshes.any()

    def is_of(self, shapes: Sequence[Shape | None]) -> bool:
        """Whether the table was made of these shapes and their current trees."""
        trees = (None if caster is None else caster.packed for caster in self._casters)
        return all(tree is _packed_of(shape) for tree, shape in zip(trees, shapes, strict=True))


def _packed_of(shape: Shape | None) -> PackedTree | None:
    return None if shape is None else lone_caster(*shape).packed


@dataclass(frozen=True, slots=True, eq=False)
class CompiledScene:
    """N instances and a tree over their boxes, as :class:`SceneArrays` has them."""

    tree: Tree
    boxes: FloatArray
    to_local: FloatArray
    ids: IntArray
    kinds: IntArray
    matrices: FloatArray
    inverses: FloatArray
    hidden: BoolArray | None
    table: MeshTable

    def cast_nearest(self, rays: RayBatch, margins: FloatArray) -> tuple[RayHits, IntArray]:
        """The nearest hit of each ray, misses included, and the rows (N,) of rays left to NumPy.

        Boxes grow by the margins (R,).
        """
        found = empty_hits(len(rays))
        return found, self._cast(rays, margins, NEAREST, found)[1]

    def cast_every(self, rays: RayBatch, margins: FloatArray) -> tuple[IntArray, RayHits, IntArray]:
        """Each hit's ray (N,), all hits, sorted, and the rows of rays left to NumPy."""
        counts, left, parts = self._cast(rays, margins, EVERY, None)
        return (
            np.repeat(np.arange(len(rays)), counts.clip(min=0)),
            in_a_row(parts, empty_hits),
            left,
        )

    def count(self, rays: RayBatch, margins: FloatArray) -> tuple[IntArray, IntArray]:
        """Each ray's number of hits (at most 1 unless `every`), and the rows left to NumPy."""
        goal = COUNT if rays.query.every else ANY
        return self._cast(rays, margins, goal, empty_hits(0))[:2]

    def _cast(
        self, rays: RayBatch, margins: FloatArray, goal: int, columns: RayHits | None
    ) -> Cast[RayHits]:
        hidden, excluded = (
            NO_MASK if mask is None else mask.view(np.bool_)
            for mask in (self.hidden, rays.query.excluded)
        )
        instances = self.boxes, self.to_local, self.ids, self.kinds, self.matrices, self.inverses
        scene = tuple(tree_arrays(self.tree)), *instances, hidden, excluded, self.table.meshes
        arrays = rays.origins, rays.directions, rays.lengths, rays.starts, rays.limits, margins
        given = tuple(map(np.ascontiguousarray, arrays))
        most_hits = _MOST if goal == EVERY else 1

        def cast(begin: int, end: int, row: int, counts: IntArray, columns: RayHits) -> int:
            work = rays.query.cull_sign, goal, begin, end, most_hits, row, EFFORT
            into = HitColumns(*columns._columns())
            stopped: int = cast_many(scene, given, work, counts, into)
            return stopped

        return cast_in_chunks(cast, len(rays), most_hits, columns, empty_hits)
