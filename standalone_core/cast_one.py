# SPDX-License-Identifier: MIT
"""One ray against triangles that it may hit: NumPy picks the few, plain floats answer for them."""

from __future__ import annotations

import math

import numpy as np

from . import rational
from .arrays import IntArray
from .cast_pairs import cast_pairs
from .geometry import Geometry
from .hit import Hit
from .intersection import SIDE_FLOOR, SIDE_MARGIN, Vector, dot3, edge_side, solve_one
from .ray_batch import LoneRay
from .ray_frame import all_axes_across, axes_across

Corners = tuple[Vector[float], Vector[float], Vector[float]]

# So many triangles are answered faster one by one than as columns.
_FEW = 64


def cast_one(geometry: Geometry, ray: LoneRay, items: IntArray) -> list[Hit]:
    """The hits of a ray on some of the triangles (N,), the nearest first."""
    excluded = ray.question.excluded
    if excluded is not None:
        items = items[~excluded[items]]
    crossed = _crossed(geometry, ray, items)
    if len(crossed) > _FEW:
        batch = ray.batch()
        rows = np.zeros(len(items), dtype=np.int64)
        axes = all_axes_across(batch.directions)
        found = cast_pairs(geometry, batch, axes, rows, items)[1]
        hits = [hit for hit in found if hit is not None]
    else:
        answers = (_hit(geometry, ray, *one) for one in crossed)
        hits = [hit for hit in answers if hit is not None]
    hits.sort(key=lambda hit: (hit.distance, hit.triangle))
    return hits if ray.question.every else hits[:1]


def _crossed(geometry: Geometry, ray: LoneRay, items: IntArray) -> list[tuple[int, float, Corners]]:
    """Triangles that the ray's line goes through: row, side (1 front, -1 back) and corners."""
    indices = geometry.triangles.take(items, axis=0)
    corners = geometry.vertices.take(indices.ravel(), axis=0)
    with np.errstate(all="ignore"):
        moved = corners - ray.origin
        across = (moved @ axes_across(ray.direction)[:, :2]).reshape(-1, 6)
        ax, ay, bx, by, cx, cy = across.T
        u = cx * by - cy * bx
        v = ax * cy - ay * cx
        w = bx * ay - by * ax
        size = np.abs(across).max(axis=1, initial=0.0)
        bound = SIDE_MARGIN * size * np.abs(moved).reshape(-1, 9).max(axis=1) + SIDE_FLOOR
        least, most = np.minimum(np.minimum(u, v), w), np.maximum(np.maximum(u, v), w)
        possible = np.flatnonzero(~((least < -bound) & (most > bound)))
    crossed = []
    for row in possible.tolist():
        a, b, c = (tuple(corner) for corner in corners[3 * row : 3 * row + 3].tolist())
        if least[row] > bound[row]:
            side = 1.0
        elif most[row] < -bound[row]:
            side = -1.0
        else:
            side = exact_side(ray.origin, ray.direction, a, b, c)
        if side:
            crossed.append((int(items[row]), side, (a, b, c)))
    return crossed


def exact_side(
    o: Vector[float], d: Vector[float], a: Vector[float], b: Vector[float], c: Vector[float]
) -> float:
    """The side of a triangle from which a ray's line goes through it: 1 front, -1 back, 0 none."""
    if not all(map(math.isfinite, (*a, *b, *c))):
        return 0.0
    first = _edge_side(o, d, c, b)
    if first and first == _edge_side(o, d, a, c) and first == _edge_side(o, d, b, a):
        return first
    return 0.0


def _edge_side(o: Vector[float], d: Vector[float], p: Vector[float], q: Vector[float]) -> float:
    value, bound = edge_side(o, d, p, q)
    if abs(value) > bound + SIDE_FLOOR:
        return math.copysign(1.0, value)
    return float(rational.edge_side(o, d, p, q))


def _hit(
    geometry: Geometry, ray: LoneRay, triangle: int, side: float, corners: Corners
) -> Hit | None:
    done, t, v, w, normal, point = solve_one(ray.origin, ray.direction, *corners)
    if not done:
        t, v, w, normal, point = rational.crossing(ray.origin, ray.direction, *corners)
    distance = t * ray.length
    cull_sign = ray.question.cull_sign
    if not 0.0 <= distance <= ray.limit or distance == math.inf or cull_sign == -side:
        return None
    length = math.sqrt(dot3(normal, normal))
    return Hit(
        distance=distance,
        point=np.array(point),
        normal=np.array((normal[0] / length, normal[1] / length, normal[2] / length)),
        triangle=triangle,
        face=geometry.face(triangle),
        barycentric=np.array((max((1.0 - v) - w, 0.0), v, w)),
        front=side > 0.0,
        instance=0,
    )
