# SPDX-License-Identifier: MIT
"""One ray against triangles that it may hit: NumPy picks a few, plain floats do the rest.

Each call of a function costs Python as much as several additions, and :func:`.solve` makes fifty.
:func:`solve_quickly` does the same operations in the same order, so the bits are the same, but
splits each number into halves for exact products only once. It leaves unusual input to
:func:`.solve`.
"""

import math
from collections.abc import Iterator
from math import isfinite

import numpy as np

from ..arguments import EXCLUDED, NO_BACK, NO_FRONT
from ..hit import Hit
from ..numerics import rational
from ..numerics import ray_triangle as formulas
from ..numerics.arrays import EPS, IntArray
from ..numerics.double_double import SPLITTER
from ..numerics.ray_triangle import LEAST, SIDE_FLOOR, Point, dot3, frame_of
from ..numerics.values import vector
from ..numerics.vectors import matmul
from .hits import sorted_by_ray
from .many_rays import cross_many, hits_at
from .rays import Geometry, LoneRay, Query, least_step

Corners = tuple[Point, Point, Point]

_SHORTER = 1.0 - 16 * EPS

# Up to this many triangles, testing one by one is faster than in arrays.
_FEW = 64

# More triangles than this go to `cross_many`, which takes them in blocks.
_MANY = 1 << 16


def intersect(geometry: Geometry, ray: LoneRay, items: IntArray) -> list[Hit]:
    """The hits of a ray on some of the triangles (N,), the nearest first."""
    excluded = ray.query.excluded
    if excluded is not None:
        items = items[excluded[items] != EXCLUDED]
    if not len(items):
        return []
    if len(items) > _MANY:
        return _cast_among_many(geometry, ray, items)
    possible, answers = _possible(geometry, ray, items)
    if len(possible) > _FEW:
        return _cast_among_many(geometry, ray, items.take(possible))
    hits: list[Hit] = []
    candidates = [
        (_begins(ray, corners), int(items[row]), side, corners)
        for row, (side, corners) in zip(possible.tolist(), answers, strict=True)
    ]
    candidates.sort()
    for begin, item, side, corners in candidates:
        if hits and not ray.query.every and begin > hits[0].distance:
            break
        side = side or exact_side(ray.origin, ray.direction, *corners)
        hit = _hit(geometry, ray, item, side, corners) if side else None
        if hit is not None:
            hits.append(hit)
            hits.sort(key=lambda hit: (hit.distance, hit.triangle))
    return hits if ray.query.every else hits[:1]


def is_culled(query: Query, triangle: int, side: float) -> bool:
    """Whether a triangle is not hit from this side, 1 front or -1 back."""
    if query.cull_sign == -side:
        return True
    excluded = query.excluded
    return excluded is not None and excluded[triangle] == (NO_FRONT if side > 0.0 else NO_BACK)


def _cast_among_many(geometry: Geometry, ray: LoneRay, items: IntArray) -> list[Hit]:
    batch = ray.batch()
    row = np.zeros(len(items), dtype=np.int64)
    crossings = cross_many(geometry, batch, formulas.axes_across_many(batch.directions), row, items)
    _, hits = sorted_by_ray(*hits_at(geometry, batch, crossings), ray.query.every)
    return [hit for hit in hits if hit is not None]


def _begins(ray: LoneRay, corners: Corners) -> float:
    """A lower bound of the distance of a hit on a triangle; -inf if that is not finite."""
    _, _, z = frame_of(ray.direction)
    along, start = ray.length / ray.direction[z], ray.origin[z]
    a, b, c = corners
    least = min((a[z] - start) * along, (b[z] - start) * along, (c[z] - start) * along)
    return least * _SHORTER - least_step(ray.length) if isfinite(least) else -math.inf


def _possible(
    geometry: Geometry, ray: LoneRay, items: IntArray
) -> tuple[IntArray, Iterator[tuple[float, Corners]]]:
    """Rows of the triangles that the ray's line can go through, with side and corners.

    The side is 1 (front) or -1 (back) where float64 is sure of it, and else 0.
    """
    corners = geometry.corners(items).reshape(-1, 3)
    with np.errstate(all="ignore"):
        moved = corners - ray.origin
        across = matmul(moved, formulas.axes_across(ray.direction)[:, :2]).reshape(-1, 6)
        ax, ay, bx, by, cx, cy = across.T
        u = cx * by - cy * bx
        v = ax * cy - ay * cx
        w = bx * ay - by * ax
        # One bound for all: it lets a few more through, which costs less than a bound for each.
        size, reach = np.abs(across).max(initial=0.0), np.abs(moved).max(initial=0.0)
        bound = np.full(len(u), formulas.SIDE_MARGIN * size * reach + SIDE_FLOOR)
        if not (bound < formulas.SIDE_CEILING).all():
            sizes = np.abs(across).max(axis=1), np.abs(moved).reshape(-1, 9).max(axis=1)
            bound = formulas.SIDE_MARGIN * sizes[0] * sizes[1] + SIDE_FLOOR
            bound[~(bound < formulas.SIDE_CEILING)] = np.inf
        least, most = np.minimum(np.minimum(u, v), w), np.maximum(np.maximum(u, v), w)
        possible = np.flatnonzero(~((least < -bound) & (most > bound)))

    def answers() -> Iterator[tuple[float, Corners]]:
        for row in possible.tolist():
            a, b, c = (tuple(corner) for corner in corners[3 * row : 3 * row + 3].tolist())
            side = 1.0 if least[row] > bound[row] else -1.0 if most[row] < -bound[row] else 0.0
            yield side, (a, b, c)

    return possible, answers()


def side_of(o: Point, d: Point, a: Point, b: Point, c: Point) -> float:
    """The answer of :func:`exact_side`, from float64 alone if that is sure."""
    x, y, z = frame_of(d)
    ox, oy, oz = o[x], o[y], o[z]
    az, bz, cz = a[z] - oz, b[z] - oz, c[z] - oz
    shear_x, shear_y = -d[x] / d[z], -d[y] / d[z]
    ax, ay = a[x] - ox + shear_x * az, a[y] - oy + shear_y * az
    bx, by = b[x] - ox + shear_x * bz, b[y] - oy + shear_y * bz
    cx, cy = c[x] - ox + shear_x * cz, c[y] - oy + shear_y * cz
    u, v, w = cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax
    size = max(abs(ax), abs(ay), abs(bx), abs(by), abs(cx), abs(cy))
    # Relative to the origin, |x| and |y| of a corner are at most those across the ray plus its |z|.
    bound = formulas.SIDE_MARGIN * size * (size + 2.0 * max(abs(az), abs(bz), abs(cz))) + SIDE_FLOOR
    if bound < formulas.SIDE_CEILING and isfinite(u + v + w):
        least, most = min(u, v, w), max(u, v, w)
        if least > bound:
            return 1.0
        if most < -bound:
            return -1.0
        if least < -bound and most > bound:
            return 0.0
    return exact_side(o, d, a, b, c)


def crossing(o: Point, d: Point, a: Point, b: Point, c: Point) -> rational.Crossing:
    """Where a ray's line meets a triangle that it goes through: t, v, w, normal and point."""
    quick = solve_quickly(o, d, a, b, c)
    if quick is not None:
        return quick
    done, t, v, w, normal, point = formulas.solve(o, d, a, b, c)
    return (t, v, w, normal, point) if done else exact_crossing(o, d, a, b, c)


def exact_crossing(o: Point, d: Point, a: Point, b: Point, c: Point) -> rational.Crossing:
    """:func:`.rational.crossing`, with the triangle's :func:`.own_normal` where that is good."""
    t, v, w, normal, point = rational.crossing(o, d, a, b, c)
    own, is_good = formulas.own_normal(a, b, c)
    return t, v, w, own if is_good else normal, point


def exact_side(o: Point, d: Point, a: Point, b: Point, c: Point) -> float:
    """The side of a triangle from which a ray's line goes through it: 1 front, -1 back, 0 none."""
    if not all(map(isfinite, (*a, *b, *c))):
        return 0.0
    first = _side_of_edge(o, d, c, b)
    if first and first == _side_of_edge(o, d, a, c) and first == _side_of_edge(o, d, b, a):
        return first
    return 0.0


def _side_of_edge(o: Point, d: Point, p: Point, q: Point) -> float:
    side, sure = formulas.side_of_edge(o, d, p, q, frame_of(d))
    return side if sure else float(rational.edge_side(o, d, p, q))


def _hit(
    geometry: Geometry, ray: LoneRay, triangle: int, side: float, corners: Corners
) -> Hit | None:
    t, v, w, normal, point = crossing(ray.origin, ray.direction, *corners)
    distance = t * ray.length
    is_there = t >= 0.0 and ray.start <= distance <= ray.limit and distance < math.inf
    if not is_there or is_culled(ray.query, triangle, side):
        return None
    length = math.sqrt(dot3(normal, normal))
    return Hit(
        distance=distance,
        point=vector(point),
        normal=vector((normal[0] / length, normal[1] / length, normal[2] / length)),
        triangle=triangle,
        face=geometry.face(triangle),
        barycentric=vector((max((1.0 - v) - w, 0.0), v, w)),
        front=side > 0.0,
        instance=0,
    )


def solve_quickly(o: Point, d: Point, a: Point, b: Point, c: Point) -> rational.Crossing | None:
    """t, v, w, normal and point like those of :func:`.solve`; None for unusual input."""
    rows = []
    for start, way, first, second, third in zip(o, d, a, b, c, strict=True):
        s = first - start
        part = s - first
        s_low = (first - (s - part)) - (start + part)
        e1 = second - first
        part = e1 - second
        e1_low = (second - (e1 - part)) - (first + part)
        e2 = third - first
        part = e2 - third
        e2_low = (third - (e2 - part)) - (first + part)
        if (
            (s and -LEAST < s < LEAST)
            or (way and -LEAST < way < LEAST)
            or (e1 and -LEAST < e1 < LEAST)
            or (e2 and -LEAST < e2 < LEAST)
        ):
            return None
        part = SPLITTER * e1
        e1_top = part - (part - e1)
        part = SPLITTER * e2
        e2_top = part - (part - e2)
        rows.append((s, s_low, e1, e1_low, e1_top, e1 - e1_top, e2, e2_low, e2_top, e2 - e2_top))
    x, y, z = rows
    normal = []
    for left, right in ((y, z), (z, x), (x, y)):
        _, _, p1, p1_low, p1_top, p1_rest, p2, p2_low, p2_top, p2_rest = left
        _, _, q1, q1_low, q1_top, q1_rest, q2, q2_low, q2_top, q2_rest = right
        p = p1 * q2
        p_error = p1_rest * q2_rest - (
            ((p - p1_top * q2_top) - p1_rest * q2_top) - p1_top * q2_rest
        )
        q = q1 * p2
        q_error = q1_rest * p2_rest - (
            ((q - q1_top * p2_top) - q1_rest * p2_top) - q1_top * p2_rest
        )
        high = p - q
        part = high - p
        low = (p - (high - part)) - (q + part)
        low = low + (
            (p_error + (p1 * q2_low + p1_low * q2)) - (q_error + (q1 * p2_low + q1_low * p2))
        )
        normal.append(high + low)
    nx, ny, nz = normal
    dx, dy, dz = d
    sx, ux, vx = x[0], x[2], x[6]
    sy, uy, vy = y[0], y[2], y[6]
    sz, uz, vz = z[0], z[2], z[6]
    size1, size2 = max(abs(ux), abs(uy), abs(uz)), max(abs(vx), abs(vy), abs(vz))
    size, way_size = max(size1, size2), max(abs(dx), abs(dy), abs(dz))
    full = way_size * size1 * size2
    inclination = dx * nx + dy * ny + dz * nz
    slope = abs(inclination)
    away = max(abs(sx), abs(sy), abs(sz))
    if not (
        formulas.TINY < size < formulas.ORDINARY
        and away < formulas.ORDINARY
        and max(abs(nx), abs(ny), abs(nz)) > LEAST
        and slope > formulas.STEEP * full
        and slope > formulas.DISTANT * (way_size * size * (away + size))
    ):
        return None
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    qx, qy, qz = uy * dz - uz * dy, uz * dx - ux * dz, ux * dy - uy * dx
    t = (sx * nx + sy * ny + sz * nz) / inclination
    v = (sx * px + sy * py + sz * pz) / inclination
    w = (sx * qx + sy * qy + sz * qz) / inclination
    part = SPLITTER * t
    t_top = part - (part - t)
    t_rest = t - t_top
    part = SPLITTER * v
    v_top = part - (part - v)
    v_rest = v - v_top
    part = SPLITTER * w
    w_top = part - (part - w)
    w_rest = w - w_top
    rest = []
    for way, row in zip(d, rows, strict=True):
        s, s_low, e1, e1_low, e1_top, e1_rest, e2, e2_low, e2_top, e2_rest = row
        part = SPLITTER * way
        way_top = part - (part - way)
        way_rest = way - way_top
        p = t * way
        p_error = t_rest * way_rest - (
            ((p - t_top * way_top) - t_rest * way_top) - t_top * way_rest
        )
        q = v * e1
        q_error = v_rest * e1_rest - (((q - v_top * e1_top) - v_rest * e1_top) - v_top * e1_rest)
        r = w * e2
        r_error = w_rest * e2_rest - (((r - w_top * e2_top) - w_rest * e2_top) - w_top * e2_rest)
        total = s - p
        part = total - s
        first = (s - (total - part)) - (p + part)
        before, total = total, total + q
        part = total - before
        second = (before - (total - part)) + (q - part)
        before, total = total, total + r
        part = total - before
        third = (before - (total - part)) + (r - part)
        errors = (first + second + third) + (s_low - p_error) + (q_error + r_error)
        rest.append(total + (errors + (v * e1_low + w * e2_low)))
    rx, ry, rz = rest
    dt = (rx * nx + ry * ny + rz * nz) / inclination
    dv = (rx * px + ry * py + rz * pz) / inclination
    dw = (rx * qx + ry * qy + rz * qz) / inclination
    t, v, w = t + dt, v + dv, w + dw
    if not (
        abs(dt) <= formulas.FIRST_STEP * abs(t)
        and abs(dv) <= formulas.FIRST_STEP
        and abs(dw) <= formulas.FIRST_STEP
        and abs(t) * slope > formulas.BEGIN * (away + size) * size1 * size2
    ):
        return None
    v, w = max(v, 0.0) + 0.0, max(w, 0.0) + 0.0
    point = formulas.place_on(a, b, c, (ux, uy, uz), (vx, vy, vz), v, w)
    return t, v, w, (nx, ny, nz), point
