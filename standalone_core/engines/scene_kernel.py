# SPDX-License-Identifier: MIT
"""Rays at the instances of a scene, compiled: on both levels the nearest boxes first."""

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ..bvh import LEAF
from ..cast.rays import LEAST_SQUARE, MOST_SQUARE
from ..numerics import vectors
from ..numerics.ray_triangle import dot3
from .approach_kernel import approached
from .array_table import array_at
from .cast_kernel import ANY, COUNT, EVERY, FULL, NEAREST, cast_in, lone_search, new_room
from .descent_kernel import UNSURE, Stack, descent, new_stack
from .instance_kernel import entry_of, inverse_of
from .kernel_cache import helper, kernel
from .kernel_types import HITS, PACKED, TREE, PackedTree, RayRecord, TreeArrays, given
from .kernels import FIELDS, insert, write_miss
from .simd import prefetch

for _function in (vectors.largest, vectors.scaled, vectors.normalized):
    helper(inline=False)(_function)

# Hits of one ray at one mesh that there is room for.
_HITS = 32

MESH_ARRAYS = (*PACKED[:2], given(types.float64, 2), given(types.int64, 1))
"""Arrays of a mesh, by rows of addresses: its packed tree's two, its vertices, its faces."""


class SceneArrays(NamedTuple):
    """N instances of M meshes, and a tree over their boxes."""

    tree: Any
    boxes: Any  # (N, 6), lower and upper corners, in the tree's order
    ways: Any  # (N, 12), inverse of the linear part and offset, in the tree's order
    ids: Any  # (N,)
    kinds: Any  # (N,), the row of the mesh of each
    matrices: Any  # (N, 4, 4)
    inverses: Any  # (N, 3, 3)
    hidden: Any  # (N,) of bool, or empty
    excluded: Any  # of bool, by ids; the last stands for all that follow; or empty
    rows: Any  # (M, 2 * 4), where the arrays of each mesh are; zeros where they are not known
    units: Any  # (M, 4), center and unit of the packed tree of each


SCENE = (
    *TREE,
    *[given(types.float64, 2)] * 2,
    *[given(types.int64, 1)] * 2,
    *[given(types.float64, 3)] * 2,
    *[given(types.boolean, 1)] * 2,
    given(types.int64, 2),
    given(types.float64, 2),
)
_CAST_MANY = types.int64(
    *SCENE,
    *(given(types.float64, dimensions) for dimensions in (2, 2, 1, 1, 1, 1)),
    *[types.int64] * 7,
    types.int64[::1],
    HITS,
)


class _Room(NamedTuple):
    """Room for the work on a ray, then on the next."""

    stack: Any
    near: Any  # (LEAF,) distances of the boxes of a leaf that are met
    near_items: Any  # (LEAF,), those
    cast: Any  # for casts at meshes
    hits: Any  # (_HITS, FIELDS), those of a mesh
    found: Any  # (K, FIELDS), the hits so far, in the spaces of their meshes
    places: Any  # (K,), the instance of each
    order: Any  # (K,), in which they are sorted
    nothing: Any  # (0,), for no triangle is excluded


class _Search(NamedTuple):
    """A ray on its way to instances."""

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


@helper(inline=True)
def _mesh_at(scene: Any, kind: int) -> Any:
    """The packed tree and the vertices of a mesh."""
    rows, units = scene.rows, scene.units
    tree = PackedTree(
        array_at(rows[kind, 0], (rows[kind, 1],), np.float32),
        array_at(rows[kind, 2], (rows[kind, 3],), np.float32),
        (units[kind, 0], units[kind, 1], units[kind, 2]),
        units[kind, 3],
    )
    return tree, array_at(rows[kind, 4], (rows[kind, 5], 3), np.float64)


@kernel(allocates=False)
def _cast_at_mesh(
    tree: Any, vertices: Any, excluded: Any, ray: Any, goal: int, room: Any, hits: Any
) -> Any:
    """The number of hits at a mesh, or FULL or UNSURE; if they are wanted, rows of them, sorted."""
    count = cast_in(tree, vertices, excluded, ray, goal, room)
    if goal > EVERY:
        return count
    search = lone_search(tree, vertices, excluded, ray, goal, room)
    known = 0
    for number in range(count):
        known = insert(search, room.places[number], room.sides[number], known, hits)
        if known < 0:
            return known
    return count


@helper(inline=True)
def _is_after(search: Any, number: int, hit: Any, place: int) -> bool:
    """Whether a hit that was found is further than another, or its equal of a later instance."""
    room, ids = search.room, search.scene.ids
    distance, other = room.found[number, 0], room.places[number]
    if distance != hit[0]:
        return distance > hit[0]  # type: ignore[no-any-return]
    if other != place:
        return ids[other] > ids[place]  # type: ignore[no-any-return]
    return room.found[number, 1] > hit[1]  # type: ignore[no-any-return]


@helper(inline=True)
def _keep(search: Any, count: int, hit: Any, place: int) -> int:
    """Keep a hit, if it is wanted; how many there are then, or FULL."""
    room, spot = search.room, count
    while spot > 0 and _is_after(search, room.order[spot - 1], hit, place):
        spot -= 1
    if search.goal == NEAREST:
        if spot == 1:
            return 1
        count = 0
    elif count == len(room.order):
        return FULL
    for after in range(count, spot, -1):
        room.order[after] = room.order[after - 1]
    room.order[spot], room.places[count] = count, place
    for column in range(FIELDS):
        room.found[count, column] = hit[column]
    return count + 1


@helper(inline=True)
def _cast_at(search: Any, item: int, count: int, reach: float) -> Any:
    """Cast the ray at an instance, as :func:`.to_mesh` moves it; as :func:`.descent` visits."""
    scene, room, goal = search.scene, search.room, search.goal
    place = scene.tree.order[item]
    kind = scene.kinds[place]
    if scene.rows[kind, 0] == 0:
        return UNSURE, reach
    way, d = scene.ways[item], search.direction
    o = (search.origin[0] - way[9], search.origin[1] - way[10], search.origin[2] - way[11])
    first, second, third = way[0:3], way[3:6], way[6:9]
    origin = (dot3(o, first), dot3(o, second), dot3(o, third))
    direction = (dot3(d, first), dot3(d, second), dot3(d, third))
    is_ordinary = LEAST_SQUARE < dot3(direction, direction) < MOST_SQUARE
    if not (is_ordinary and isfinite(origin[0] + origin[1] + origin[2])):
        return UNSURE, reach
    # `every` is not asked for beside the goal.
    ray = RayRecord(
        *(origin, direction, search.length, search.start, reach, search.cull_sign, goal == EVERY)
    )
    tree, vertices = _mesh_at(scene, kind)
    hits = _cast_at_mesh(tree, vertices, room.nothing, ray, goal, room.cast, room.hits)
    if hits < 0:
        return hits, reach
    if search.goal == COUNT:
        return count + hits, reach
    if search.goal == ANY:
        return max(count, hits), (-np.inf if hits else reach)
    for row in range(hits):
        count = _keep(search, count, room.hits[row], place)
        if count < 0:
            return count, reach
    if count and search.goal == NEAREST:
        reach = room.found[0, 0]
    return count, reach


@helper(inline=True)
def _is_met(scene: Any, place: int) -> bool:
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
        if not is_met or not _is_met(scene, order[item]):
            continue
        spot = met
        while spot > 0 and near[spot - 1] > entry:
            near[spot], items[spot] = near[spot - 1], items[spot - 1]
            spot -= 1
        near[spot], items[spot] = entry, item
        met += 1
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
def _to_scene(scene: Any, place: int, hit: Any) -> bool:
    """Move point and normal of a hit as :func:`.to_scene` does; whether that is sure."""
    p, n = (hit[9], hit[10], hit[11]), (hit[6], hit[7], hit[8])
    m, t = scene.inverses, scene.matrices
    x = dot3(n, (m[place, 0, 0], m[place, 1, 0], m[place, 2, 0]))
    y = dot3(n, (m[place, 0, 1], m[place, 1, 1], m[place, 2, 1]))
    z = dot3(n, (m[place, 0, 2], m[place, 1, 2], m[place, 2, 2]))
    if not isfinite(x + y + z):
        return False
    hit[6], hit[7], hit[8] = vectors.normalized((x, y, z))
    for axis in range(3):
        row = (t[place, axis, 0], t[place, axis, 1], t[place, axis, 2])
        hit[9 + axis] = dot3(p, row) + t[place, axis, 3]
    return True


@helper(inline=True)
def _cast_ray(search: Any, limit: float) -> int:
    """The number of hits of a ray, which are then in the scene's space; or FULL or UNSURE."""
    tree, room = search.scene.tree, search.room
    if len(tree.order) == 0:
        return 0
    local = approached(tree.center, tree.scale, search.origin, search.direction)
    if not local.known:
        return UNSURE
    count = _descend(tree, local, search.length, limit, room.stack, search)
    if search.goal in (ANY, COUNT):
        return count  # type: ignore[no-any-return]
    for number in range(count):
        if not _to_scene(search.scene, room.places[number], room.found[number]):
            return UNSURE
    return count  # type: ignore[no-any-return]


@helper(inline=False)
def _write_hit(scene: Any, columns: Any, row: int, hit: Any, place: int) -> None:
    rows, kind, item = scene.rows, scene.kinds[place], int(hit[1])
    faces = array_at(rows[kind, 6], (rows[kind, 7],), np.int64)
    columns.distance[row] = hit[0]
    columns.triangle[row] = item
    columns.face[row] = faces[item] if len(faces) else item
    columns.front[row] = hit[2] > 0.0
    columns.instance[row] = scene.ids[place]
    for axis in range(3):
        columns.barycentric[row, axis] = hit[3 + axis]
        columns.normal[row, axis] = hit[6 + axis]
        columns.point[row, axis] = hit[9 + axis]


@kernel(allocates=False)
def _cast_rays(
    scene: Any,
    rays: Any,
    begin: int,
    end: int,
    row: int,
    most: int,
    counts: Any,
    columns: Any,
    room: Any,
) -> int:
    """Cast the rays from `begin` to `end`; see :func:`cast_many`."""
    o, d, lengths, starts, limits, margins, cull_sign, goal = rays
    for i in range(begin, end):
        if room.stack.effort[0] > most:
            return i
        direction = (d[i, 0], d[i, 1], d[i, 2])
        search = _Search(
            scene,
            room,
            margins[i],
            (o[i, 0], o[i, 1], o[i, 2]),
            direction,
            inverse_of(direction),
            lengths[i],
            starts[i],
            cull_sign,
            goal,
        )
        count = _cast_ray(search, limits[i])
        if goal == EVERY and row + count > len(columns.distance):
            return i
        counts[i] = count
        if goal in (ANY, COUNT):
            continue
        if goal == NEAREST:
            row = i
            if count <= 0:
                write_miss(row, columns)
        for number in range(count):
            hit = room.order[number]
            _write_hit(scene, columns, row, room.found[hit], room.places[hit])
            row += 1
    return end


@kernel(_CAST_MANY)
def cast_many(
    nodes: Any,
    starts: Any,
    order: Any,
    center: Any,
    scale: float,
    boxes: Any,
    ways: Any,
    ids: Any,
    kinds: Any,
    matrices: Any,
    inverses: Any,
    hidden: Any,
    excluded: Any,
    rows: Any,
    units: Any,
    origins: Any,
    directions: Any,
    lengths: Any,
    least: Any,
    limits: Any,
    margins: Any,
    cull_sign: int,
    goal: int,
    begin: int,
    end: int,
    most_hits: int,
    row: int,
    most: int,
    counts: Any,
    columns: Any,
) -> int:
    """Cast the rays from `begin` to `end`, and write their hits to columns.

    As :func:`.kernels.cast_many`, but a ray for whose hits there is no room in the columns is left
    to the next call. The first arguments are those of :class:`SceneArrays`, and boxes are made
    larger by the margin (R,) of each ray.
    """
    scene = SceneArrays(
        TreeArrays(nodes, starts, order, center, scale),
        *(boxes, ways, ids, kinds, matrices, inverses, hidden, excluded, rows, units),
    )
    top, cast = new_stack(), new_room(_HITS)
    room = _Room(
        Stack(top.nodes, top.entries, cast.effort),
        *(np.empty(LEAF), np.empty(LEAF, dtype=np.int64), cast, np.empty((_HITS, FIELDS))),
        *(np.empty((most_hits, FIELDS)), np.empty(most_hits, dtype=np.int64)),
        *(np.empty(most_hits, dtype=np.int64), np.empty(0, dtype=np.uint8)),
    )
    rays = (origins, directions, lengths, least, limits, margins, cull_sign, goal)
    return _cast_rays(scene, rays, begin, end, row, most, counts, columns, room)  # type: ignore[no-any-return]
