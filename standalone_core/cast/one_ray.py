# SPDX-License-Identifier: MIT
"""One ray against triangles that it may hit: NumPy picks the few, plain floats answer for them."""

import math
from collections.abc import Iterator
from math import isfinite

import numpy as np

from ..arguments import EXCLUDED, NO_BACK, NO_FRONT
from ..hit import Hit
from ..numerics import rational
from ..numerics.arrays import EPS, IntArray
from ..numerics.linear import matmul
from ..numerics.ray_triangle import (
    SIDE_CEILING,
    SIDE_FLOOR,
    SIDE_MARGIN,
    Vector,
    dot3,
    side_of_edge,
    solve,
)
from ..numerics.read_only import vector
from ..numerics.shear import axes_across, axes_across_many, frame_of
from .geometry import Geometry
from .hits import sorted_by_ray
from .quick_solution import solve_quickly
from .ray_pairs import intersect_many
from .rays import LoneRay, Query, least_step

Corners = tuple[Vector[float], Vector[float], Vector[float]]

_SHORTER = 1.0 - 16 * EPS

# Up to this many triangles are tested faster one by one than as columns.
_FEW = 64

# More than this are not tested at once, but as columns, some at a time.
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
    rows, hits = intersect_many(geometry, batch, axes_across_many(batch.directions), row, items)
    _, hits = sorted_by_ray(rows, hits, ray.query.every)
    return [hit for hit in hits if hit is not None]


def _begins(ray: LoneRay, corners: Corners) -> float:
    """A distance before which the ray does not meet a triangle; -inf if it is not finite."""
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
        across = matmul(moved, axes_across(ray.direction)[:, :2]).reshape(-1, 6)
        ax, ay, bx, by, cx, cy = across.T
        u = cx * by - cy * bx
        v = ax * cy - ay * cx
        w = bx * ay - by * ax
        # One bound for all: that of each takes longer than the few it lets through in vain.
        size, reach = np.abs(across).max(initial=0.0), np.abs(moved).max(initial=0.0)
        bound = np.full(len(u), SIDE_MARGIN * size * reach + SIDE_FLOOR)
        if not (bound < SIDE_CEILING).all():
            sizes = np.abs(across).max(axis=1), np.abs(moved).reshape(-1, 9).max(axis=1)
            bound = SIDE_MARGIN * sizes[0] * sizes[1] + SIDE_FLOOR
            bound[~(bound < SIDE_CEILING)] = np.inf
        least, most = np.minimum(np.minimum(u, v), w), np.maximum(np.maximum(u, v), w)
        possible = np.flatnonzero(~((least < -bound) & (most > bound)))

    def answers() -> Iterator[tuple[float, Corners]]:
        for row in possible.tolist():
            a, b, c = (tuple(corner) for corner in corners[3 * row : 3 * row + 3].tolist())
            side = 1.0 if least[row] > bound[row] else -1.0 if most[row] < -bound[row] else 0.0
            yield side, (a, b, c)

    return possible, answers()


def side_of(
    o: Vector[float], d: Vector[float], a: Vector[float], b: Vector[float], c: Vector[float]
) -> float:
    """The answer of :func:`exact_side`, by float64 alone where that is sure."""
    x, y, z = frame_of(d)
    ox, oy, oz = o[x], o[y], o[z]
    az, bz, cz = a[z] - oz, b[z] - oz, c[z] - oz
    shear_x, shear_y = -d[x] / d[z], -d[y] / d[z]
    ax, ay = a[x] - ox + shear_x * az, a[y] - oy + shear_y * az
    bx, by = b[x] - ox + shear_x * bz, b[y] - oy + shear_y * bz
    cx, cy = c[x] - ox + shear_x * cz, c[y] - oy + shear_y * cz
    u, v, w = cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax
    size = max(abs(ax), abs(ay), abs(bx), abs(by), abs(cx), abs(cy))
    # Corners are off by no more along a component than across the ray and along z together.
    bound = SIDE_MARGIN * size * (size + 2.0 * max(abs(az), abs(bz), abs(cz))) + SIDE_FLOOR
    if bound < SIDE_CEILING and isfinite(u + v + w):
        least, most = min(u, v, w), max(u, v, w)
        if least > bound:
            return 1.0
        if most < -bound:
            return -1.0
        if least < -bound and most > bound:
            return 0.0
    return exact_side(o, d, a, b, c)


def crossing(
    o: Vector[float], d: Vector[float], a: Vector[float], b: Vector[float], c: Vector[float]
) -> tuple[float, float, float, Vector[float], Vector[float]]:
    """Where a ray's line meets a triangle that it goes through: t, v, w, normal and point."""
    quick = solve_quickly(o, d, a, b, c)
    if quick is not None:
        return quick
    done, t, v, w, normal, point = solve(o, d, a, b, c)
    return (t, v, w, normal, point) if done else rational.crossing(o, d, a, b, c)


def exact_side(
    o: Vector[float], d: Vector[float], a: Vector[float], b: Vector[float], c: Vector[float]
) -> float:
    """The side of a triangle from which a ray's line goes through it: 1 front, -1 back, 0 none."""
    if not all(map(isfinite, (*a, *b, *c))):
        return 0.0
    first = _side_of_edge(o, d, c, b)
    if first and first == _side_of_edge(o, d, a, c) and first == _side_of_edge(o, d, b, a):
        return first
    return 0.0


def _side_of_edge(o: Vector[float], d: Vector[float], p: Vector[float], q: Vector[float]) -> float:
    side, sure = side_of_edge(o, d, p, q, frame_of(d))
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
