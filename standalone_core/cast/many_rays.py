# SPDX-License-Identifier: MIT
"""Many pairs of a ray and a triangle, as columns: whether and where they meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arguments import EXCLUDED, NO_BACK
from ..hit import RayHits
from ..numerics import expansions, rational
from ..numerics import ray_triangle as formulas
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, components, pieces
from ..numerics.columns import Columns, concatenated, distinct
from ..numerics.double_double import two_difference
from ..numerics.ray_triangle import LEAST, SIDE_FLOOR, Vector, dot3
from .hits import joined
from .rays import LEAST_DISTANCE, LEAST_SQUARE, MOST_SQUARE, Geometry, RayBatch

# Pairs that are cast together: an interrupt waits for so many at most.
_CHUNK = 1 << 16

# Pairs that are solved together: their hundreds of columns stay in the processor's cache.
_SOLVED = 1 << 12

# Up to this, the rounding errors of a distance are relative to it.
_MOST_DISTANCE = 1e300

# If triangles reach this far from a ray's origin, float64 can bound their depths.
_LEAST_REACH, _MOST_REACH = 1e-30, 1e60


@dataclass(frozen=True, eq=False)
class Crossings(Columns):
    """Triangles that rays' lines go through, and bounds of t there, `least` and `most`.

    These are NaN where float64 cannot bound t. They are so wide that the intervals of two hits
    overlap if rounding makes their distances equal or swaps their order.
    """

    row: IntArray  # (N,), the ray
    item: IntArray  # (N,), the triangle
    side: FloatArray  # (N,), 1 front, -1 back
    least: FloatArray  # (N,), in lengths of the direction
    most: FloatArray  # (N,)

    def are_hits(self, rays: RayBatch) -> BoolArray:
        """Which of them are surely hits, at a distance that counts."""
        length = rays.lengths.take(self.row)
        start, limit = rays.starts.take(self.row), rays.limits.take(self.row)
        limit = np.minimum(limit, _MOST_DISTANCE)
        with np.errstate(all="ignore"):
            end = self.most * length
            ahead = (self.least > 0.0) & (end > LEAST_DISTANCE)
            ahead &= (start == 0.0) | (self.least * length > start * (1.0 + 16 * EPS))
            return np.asarray(ahead & (end < limit * (1.0 - 16 * EPS)))

    def may_count(self, rays: RayBatch) -> BoolArray:
        """Which of them are not surely before the start of their ray."""
        before = self.most < 0.0
        if rays.starts.any():
            start = rays.starts.take(self.row)
            with np.errstate(all="ignore"):
                end = self.most * rays.lengths.take(self.row)
                before |= (end < start * (1.0 - 16 * EPS)) & (start > LEAST_DISTANCE)
        return ~before


_NO_ROWS, _NO_NUMBERS = np.empty(0, dtype=np.int64), np.empty(0)

NO_CROSSINGS = Crossings(
    row=_NO_ROWS, item=_NO_ROWS, side=_NO_NUMBERS, least=_NO_NUMBERS, most=_NO_NUMBERS
)


def cross_many(
    geometry: Geometry, rays: RayBatch, axes: FloatArray, row: IntArray, item: IntArray
) -> Crossings:
    """The pairs (N,) of a ray and a triangle that its line goes through from a side that counts.

    Those surely before the ray's start are left out. `axes` (R, 2, 3) are the rays'
    :func:`.axes_across_many`.
    """
    parts = pieces(max(len(row), 1), _CHUNK)
    return concatenated(
        [_cross_some(geometry, rays, axes, row[part], item[part]) for part in parts]
    )


def _cross_some(
    geometry: Geometry, rays: RayBatch, axes: FloatArray, row: IntArray, item: IntArray
) -> Crossings:
    """:func:`cross_many` for at most _CHUNK pairs."""
    sign, excluded = rays.query.cull_sign, rays.query.excluded
    if excluded is not None:
        kept = excluded.take(item) != EXCLUDED
        row, item = row[kept], item[kept]
    corners = components(geometry.corners(item))
    with np.errstate(all="ignore"):
        side, edges = sides_of(corners, rays, axes, row)
        if excluded is not None:
            what = excluded.take(item)  # NO_BACK or NO_FRONT hides a side, 0 none.
            side[(what > EXCLUDED) & ((what == NO_BACK) == (side < 0.0))] = 0.0
        crossed = np.flatnonzero(side == sign if sign else side)
        row = row.take(crossed)
        d = components(rays.directions.take(row, axis=0))
        functions, bound, moved, reach = (each.take(crossed, axis=-1) for each in edges)
        least, most = _depths(d, functions, bound, moved, reach)
    found = Crossings(row, item.take(crossed), side.take(crossed), least, most)
    counts = found.may_count(rays)
    return found if counts.all() else found.take(np.flatnonzero(counts))


def hits_at(geometry: Geometry, rays: RayBatch, crossings: Crossings) -> tuple[IntArray, RayHits]:
    """The rays of the hits (M,) among crossings (N,), and these hits, in the same order."""
    parts = pieces(len(crossings), _SOLVED)
    return joined([_hits_at_some(geometry, rays, crossings.take(part)) for part in parts])


def _hits_at_some(
    geometry: Geometry, rays: RayBatch, crossings: Crossings
) -> tuple[IntArray, RayHits]:
    row, item = crossings.row, crossings.item
    with np.errstate(all="ignore"):
        t, v, w, normal, point = solve_many(components(geometry.corners(item)), rays, row)
        distance = t * rays.lengths[row]
        hit = (t >= 0.0) & (distance >= rays.starts[row])
        hit &= (distance <= rays.limits[row]) & (distance < np.inf)
        unit = normal / np.sqrt(dot3(vector(normal), vector(normal)))
    hits = RayHits(
        distance=distance,
        point=np.ascontiguousarray(point.T),
        normal=np.ascontiguousarray(unit.T),
        triangle=item,
        face=item if geometry.faces is None else geometry.faces[item],
        barycentric=np.stack([np.maximum((1.0 - v) - w, 0.0), v, w], axis=1),
        front=crossings.side > 0.0,
        instance=np.zeros(len(item), dtype=np.int64),
    )
    return (row, hits) if hit.all() else (row[hit], hits.take(hit))


def sides_of(
    corners: FloatArray, rays: RayBatch, axes: FloatArray, row: IntArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """From which side rays go through triangles (3, 3, N): 1 front, -1 back, 0 not at all.

    Also return, as seen along the rays, the edge functions (3, N), which are the determinants of
    the edges opposite of a, b, c; the bound of their errors (N,); the corners relative to the
    origin (3, 3, N), and their largest component (N,).
    """
    moved = corners - components(rays.origins.take(row, axis=0))
    axes = components(axes.take(row, axis=0))
    x = dot3(vector(moved.swapaxes(0, 1)), vector(axes[0]))
    y = dot3(vector(moved.swapaxes(0, 1)), vector(axes[1]))
    ax, bx, cx = x
    ay, by, cy = y
    u = cx * by - cy * bx
    v = ax * cy - ay * cx
    w = bx * ay - by * ax
    size = np.abs([x, y]).max(axis=(0, 1))
    reach = np.abs(moved).max(axis=(0, 1))
    bound = formulas.SIDE_MARGIN * size * reach + SIDE_FLOOR
    bound[~(bound < formulas.SIDE_CEILING)] = np.inf
    least, most = np.minimum(np.minimum(u, v), w), np.maximum(np.maximum(u, v), w)
    side: FloatArray = (least > bound) * 1.0 - (most < -bound) * 1.0
    unsure = np.flatnonzero((side == 0.0) & ~((least < -bound) & (most > bound)))
    unsure = unsure[np.isfinite(corners[..., unsure]).all(axis=(0, 1))]
    if len(unsure):
        side[unsure] = _exact_sides(corners[..., unsure], rays, row[unsure])
    return side, (np.stack([u, v, w]), bound, moved, reach)


def _depths(
    d: FloatArray, functions: FloatArray, bound: FloatArray, moved: FloatArray, reach: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds of t for rays of the directions (3, N) that are known to go through triangles.

    A hit is the mean of the corners, weighted by the exact edge functions U_i, which have one
    sign. So its t is the mean of the corners' t_i = (p_i - o) . d / d . d with the same weights.
    Let T be the sum of the computed functions u_i, each within the bound B of U_i. A weight u_i / T
    is off by at most (1 + 3 U_i / sum U) B / |T|, all three together by 6 B / |T|, and t by that
    times the distance between the nearest and the farthest t_i. It is between these two in any
    case. Where T is not above 12 B, they are the only bounds.

    The t_i and their mean have rounding errors of at most 21 EPS reach / |d|, and t is below 1.74
    reach / |d|. A slack of 64 EPS reach / |d| leaves more than 24 EPS t for the rounding of t, or
    of two distances.
    """
    u, v, w = functions
    square = dot3(vector(d), vector(d))
    a, b, c = dot3(vector(moved.swapaxes(0, 1)), vector(d)) / square
    nearest, farthest = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    total = u + v + w
    middle = (u * a + v * b + w * c) / total
    share = bound / np.abs(total)
    spread = np.where(share < 1 / 12, 6 * share, np.inf) * (farthest - nearest)
    slack = 64 * EPS * reach / np.sqrt(square)
    # So that nothing over- or underflows; the functions are above SIDE_FLOOR where it matters.
    known = (reach > _LEAST_REACH) & (reach < _MOST_REACH)
    known &= (square > LEAST_SQUARE) & (square < MOST_SQUARE)
    slack[~known] = np.nan
    return (np.fmax(middle - spread, nearest) - slack, np.fmin(middle + spread, farthest) + slack)


def _exact_sides(corners: FloatArray, rays: RayBatch, row: IntArray) -> FloatArray:
    """:func:`sides_of` where float64 alone cannot decide.

    For one ray each edge is decided once, for all its triangles and for both orders of its ends,
    which give opposite sides.
    """
    p, q = (np.concatenate([corners[i] for i in ends], axis=1) for ends in ((2, 0, 1), (1, 2, 0)))
    # Where p comes after q, by their first component that differs.
    x, y, z = p > q
    same_x, same_y, _ = p == q
    turned = x | (same_x & (y | (same_y & z)))
    p, q = np.where(turned, q, p), np.where(turned, p, q)
    rows = np.tile(row, 3)
    first, kind = distinct(np.concatenate([p, q, rows[None]]))
    row, p, q = rows[first], p[:, first], q[:, first]
    o, d = components(rays.origins[row]), components(rays.directions[row])
    frames = np.stack(formulas.frame_of_many(d.T))
    side, unsure = _edge_sides(o, d, p, q, frames)
    left = np.flatnonzero(unsure)
    if len(left):
        o, d, p, q = o[:, left], d[:, left], p[:, left], q[:, left]
        side[left], sure = expansions.edge_sides(o, d, p, q, frames[:, left])
        side[left[~sure]] = rational.edge_sides(*(x[:, ~sure] for x in (o, d, p, q)))
    sides = np.where(turned, -side[kind], side[kind]).reshape(3, -1)
    agreed = (sides[0] == sides[1]) & (sides[1] == sides[2])
    return np.where(agreed, sides[0], 0.0)


def _edge_sides(
    o: FloatArray, d: FloatArray, p: FloatArray, q: FloatArray, frames: IntArray
) -> tuple[FloatArray, BoolArray]:
    """:func:`.side_of_edge` for many (3, N): sides, and where they are not sure."""
    value, bound = formulas.edge_side(vector(o), vector(d), vector(p), vector(q))
    side = np.sign(value)
    unsure = ~(np.abs(value) > bound + SIDE_FLOOR)
    differences = (*two_difference(p, o), *two_difference(q, o), *two_difference(p, q))
    sizes = np.abs(np.concatenate([d, *differences]))
    least = np.where(sizes == 0.0, np.inf, sizes).min(axis=0)
    tied = np.flatnonzero(unsure & (value == 0.0) & (bound == 0.0) & (least >= LEAST))
    if len(tied):
        d, p, q = (np.take_along_axis(x[:, tied], frames[:, tied], axis=0) for x in (d, p, q))
        known = formulas.tie_sides(vector(d), vector(p), vector(q))
        first, first_bound, second, second_bound = known
        side[tied] = np.where(first != 0.0, np.sign(first), np.sign(second))
        sure = (np.abs(first) > first_bound) | ((first == 0.0) & (first_bound == 0.0))
        sure &= (first != 0.0) | (np.abs(second) > second_bound) | (second_bound == 0.0)
        unsure[tied] = ~sure
    return side, unsure


def solve_many(
    corners: FloatArray, rays: RayBatch, row: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """t, v, w (N,), normal and point (3, N) of rays that go through triangles (3, 3, N)."""
    o, d = components(rays.origins[row]), components(rays.directions[row])
    a, b, c = (vector(corner) for corner in corners)
    known = formulas.equations(vector(o), vector(d), a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2 = np.abs(e1).max(axis=0), np.abs(e2).max(axis=0)
    size = np.maximum(size1, size2)
    full = np.abs(d).max(axis=0) * size1 * size2
    slope = np.abs(dot3(vector(d), normal))
    away = np.abs(s).max(axis=0)
    done = (size > formulas.TINY) & (size < formulas.ORDINARY) & (away < formulas.ORDINARY)
    done &= slope > formulas.FLAT * full
    done &= slope > formulas.DISTANT * (np.abs(d).max(axis=0) * size * (away + size))
    done &= np.abs(normal).max(axis=0) > LEAST
    sizes = np.abs([*d, *s, *e1, *e2])
    done &= ((sizes >= LEAST) | (sizes == 0.0)).all(axis=0)
    t, v, w = formulas.solution(known, s)
    active = np.flatnonzero(done)
    done[:] = False
    for step in range(formulas.MAX_STEPS):
        if not len(active):
            break
        part = known
        if len(active) < len(t):
            part = tuple((x[active], y[active], z[active]) for x, y, z in known)
        dt, dv, dw = formulas.correction(part, t[active], v[active], w[active])
        t[active] += dt
        v[active] += dv
        w[active] += dw
        trusted = (step == 0) & (slope[active] > formulas.STEEP * full[active])
        enough = np.where(trusted, formulas.FIRST_STEP, formulas.LAST_STEP)
        good = (np.abs(dt) <= enough * np.abs(t[active])) & (np.abs(dv) <= enough)
        good &= np.abs(dw) <= enough
        done[active[good]] = True
        active = active[~good]
    done &= np.abs(t) * slope > formulas.BEGIN * (away + size) * size1 * size2
    v, w = np.maximum(v, 0.0) + 0.0, np.maximum(w, 0.0) + 0.0
    point = np.stack(formulas.point_on(a, e1, e2, v, w))
    for corner, weight, other, edge in ((c, w, v, e1), (b, v, w, e2)):  # as by `place_on`
        there = np.flatnonzero(weight == 1.0)
        ways = zip(corner, edge, strict=True)
        point[:, there] = [x[there] + other[there] * way[there] + 0.0 for x, way in ways]
    normals = np.stack(normal)
    left = np.flatnonzero(~done)
    if len(left):
        first, kind = distinct(np.concatenate([corners[..., left].reshape(9, -1), row[None, left]]))
        lone = left[first]
        weights, places = _exact_crossings(o[:, lone], d[:, lone], corners[..., lone])
        t[left], v[left], w[left] = weights[:, kind]
        normals[:, left], point[:, left] = places[..., kind]
    return t, v, w, normals, point


def _exact_crossings(
    o: FloatArray, d: FloatArray, corners: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """t, v, w (3, N), normals and points (2, 3, N) of rays (3, N) that go through triangles."""
    weights, places = np.zeros((3, o.shape[1])), np.empty((2, 3, o.shape[1]))
    normal, is_good = formulas.own_normal(*map(vector, corners))
    begins = is_good & expansions.begin_in(vector(o), *map(vector, corners))
    starts = np.flatnonzero(begins)
    if len(starts):
        given = (o[:, starts], d[:, starts], *corners[..., starts])
        begins[starts], *weights[1:, starts] = expansions.solve_starts(*map(vector, given))
        places[1, :, starts] = o[:, starts].T + 0.0
    left = np.flatnonzero(~begins)
    weights[:, left], places[..., left] = rational.crossings(
        o[:, left], d[:, left], *corners[..., left]
    )
    places[0] = np.where(is_good, np.stack(normal), places[0])
    return weights, places


def vector(components: FloatArray) -> Vector[FloatArray]:
    """Components (3, ...) as a tuple of three."""
    x, y, z = components
    return x, y, z
