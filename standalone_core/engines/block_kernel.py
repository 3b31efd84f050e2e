# SPDX-License-Identifier: MIT
"""Which triangles of a block a ray hits, and between which depths, compiled.

Float32 decides where its bounds are sure, and else the exact formulas.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arguments import EXCLUDED, NO_BACK, NO_FRONT
from ..numerics.ray_triangle import solve
from .block_simd import LANE_BITS, LANES, block_test
from .exact_kernel import exact_side, point_at
from .kernel_cache import helper
from .packed_descent import BLOCK
from .simd import at, lowest_bit, whole_at

NO_HIT, HIT, UNSURE = 0, 1, -2
"""What is known of a triangle, or of a ray; only NumPy can tell where it is UNSURE."""

_TRIANGLES, _CORNERS = 9 * LANES, 10 * LANES

# More than what float32 rounds of depths up to 8.
_DEPTH = 2.0**-18


class Search(NamedTuple):
    """A ray on its way through a packed tree."""

    packed: Any
    vertices: Any  # (V, 3)
    excluded: Any  # (T,), see :class:`..cast.rays.Query`; or empty
    ray: Any
    local: Any
    start_least: float  # between which depths the ray's start is
    start_most: float
    end_least: float  # and its limit
    end_most: float
    goal: int
    room: Any


class Judged(NamedTuple):
    """What is known of a triangle: if it is a HIT, from which side, and between which depths."""

    kind: int
    side: float
    near: float
    far: float


@helper(inline=True)
def triangle_at(packed: Any, place: int) -> Any:
    """The triangle at a place, which is its block's number times LANES, and its lane."""
    block, lane = place >> LANE_BITS, place & (LANES - 1)
    return np.int64(whole_at(packed.blocks, block * BLOCK + _TRIANGLES + lane))


@helper(inline=True)
def vertex_at(packed: Any, place: int, corner: int) -> Any:
    """Where the numbers of a triangle's corner begin in the vertices, flat."""
    block, lane = place >> LANE_BITS, place & (LANES - 1)
    row = block * BLOCK + _CORNERS + corner * LANES
    return 3 * np.int64(whole_at(packed.blocks, row + lane))


@helper(inline=False)
def solved(search: Any, place: int) -> Any:
    """Where a ray meets the plane of a triangle, as :func:`.solve` has it."""
    a, b, c = _corners(search, place)
    return solve(search.ray.origin, search.ray.direction, a, b, c)


@helper(inline=True)
def _corners(search: Any, place: int) -> Any:
    packed, vertices = search.packed, search.vertices
    return (
        point_at(vertices, vertex_at(packed, place, 0)),
        point_at(vertices, vertex_at(packed, place, 1)),
        point_at(vertices, vertex_at(packed, place, 2)),
    )


@helper(inline=False)
def _side(search: Any, place: int) -> Any:
    a, b, c = _corners(search, place)
    return exact_side(search.ray, a, b, c)


@helper(inline=False)
def _exactly(search: Any, place: int, side: float) -> Any:
    """What is known of a triangle that the ray's line goes through, by its distance."""
    done, t, _, _, _, _ = solved(search, place)
    if not done:
        return Judged(UNSURE, side, 0.0, 0.0)
    ray, local = search.ray, search.local
    distance = t * ray.length
    if not (t >= 0.0 and ray.start <= distance <= ray.limit) or distance == np.inf:
        return Judged(NO_HIT, side, 0.0, 0.0)
    depth = t * local.unit - local.skipped
    return Judged(HIT, side, depth - local.slack, depth + local.slack)


@helper(inline=True)
def _judged(search: Any, bits: Any, block: int, lane: int) -> Any:
    """What is known of a triangle that passed the test of its block.

    Float32 has edge functions u_i of which each is off by at most B, and its sign is sure. The
    hit's depth z is the mean of the corners' depths with the weights u_i. With D their sum and R
    the range of the depths, weights that are off change it by at most 3 B R / (D - 3 B), which is
    at most 6 B R / D where that is at most R; and no mean is further off than R. What else is
    rounded is within `slack`.
    """
    ray, local = search.ray, search.local
    place = block * LANES + lane
    side = 1.0 if bits >> (LANES + lane) & 1 else (-1.0 if bits >> (2 * LANES + lane) & 1 else 0.0)
    if side == 0.0:
        search.room.effort[0] += LANES
        side, sure = _side(search, place)
        if not sure:
            return Judged(UNSURE, side, 0.0, 0.0)
        if side == 0.0 or ray.cull_sign == -side:
            return Judged(NO_HIT, side, 0.0, 0.0)
        return _exactly(search, place, side)
    if ray.cull_sign == -side:
        return Judged(NO_HIT, side, 0.0, 0.0)
    weights, blocks = search.room.weights, search.packed.blocks
    u, v, w = at(weights, lane), at(weights, LANES + lane), at(weights, 2 * LANES + lane)
    row = block * BLOCK + local.axes[2] + lane
    a, b, c = at(blocks, row), at(blocks, row + 3 * LANES), at(blocks, row + 6 * LANES)
    total = u + v + w
    extent = max(a, b, c) - min(a, b, c)
    off = np.float32(6.5) * at(weights, 3 * LANES + lane) * extent / abs(total)
    depth = (np.float64((u * a + v * b + w * c) / total) - local.start) * local.sign
    # Not `max`, which need not lose NaN.
    error = (np.float64(off) if off < extent else np.float64(extent)) * 1.01 + local.slack
    near, far = depth - error, depth + error
    if near > search.start_most and far < search.end_least:
        return Judged(HIT, side, near, far)
    if far < search.start_least or near > search.end_most:
        return Judged(NO_HIT, side, 0.0, 0.0)
    return _exactly(search, place, side)


def block_visit(found: Any) -> Any:
    """A visit for :func:`.packed_descent`.

    ``found(search, place, judged, bound) -> bound`` takes each hit.
    """

    @helper(inline=True)
    def visit(search: Any, block: int, bound: Any) -> Any:
        packed, local, room = search.packed, search.local, search.room
        reach = np.float32(np.float64(bound) + local.sign * local.start + _DEPTH)
        bits = block_test(
            packed.blocks,
            block * BLOCK,
            local.axes,
            local.shear,
            local.offset,
            local.margin,
            (np.float32(local.sign), reach),
            room.weights,
        )
        room.effort[0] += 1
        possible = np.uint8(bits & 255)
        while possible and bound >= 0.0:
            lane = lowest_bit(possible)
            possible = np.uint8(possible & (possible - 1))
            hidden = 0
            if len(search.excluded):
                hidden = search.excluded[triangle_at(packed, block * LANES + lane)]
                if hidden == EXCLUDED:
                    continue
            judged = _judged(search, bits, block, lane)
            if hidden and hidden == (NO_FRONT if judged.side > 0.0 else NO_BACK):
                continue
            if judged.kind == HIT:
                bound = found(search, block * LANES + lane, judged, bound)
            elif judged.kind == UNSURE:
                room.status[0] = UNSURE
                bound = np.float32(-1.0)
        return bound

    return visit


@helper(inline=True)
def bound_at(depth: float) -> Any:
    """A bound that lets through what is no deeper."""
    return np.float32(depth + _DEPTH)
