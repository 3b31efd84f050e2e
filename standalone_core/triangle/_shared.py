# SPDX-License-Identifier: MIT
"""What the ray-triangle tests have in common: answers, arguments, and freedom from scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Cull
from ..arrays import BoolArray, FloatArray, scaled_edges
from ..ray import Ray


class TriangleHit(NamedTuple):
    """A hit: distance t along the ray, and P = A + u (B - A) + v (C - A)."""

    t: float
    u: float
    v: float


class TriangleHits(NamedTuple):
    """Hits of many tests, arrays (...): t is inf and u, v are NaN where there is none."""

    t: FloatArray
    u: FloatArray
    v: FloatArray


Kernel = Callable[
    [FloatArray, FloatArray, FloatArray, FloatArray],
    tuple[FloatArray, FloatArray, FloatArray, BoolArray, BoolArray],
]
"""(origin - a, unit direction, b - a, c - a), each (N, 3) -> t, u, v, hit, front."""


def cast_one(
    many: Callable[..., TriangleHits], ray: Ray, a: Any, b: Any, c: Any, cull: Cull
) -> TriangleHit | None:
    """One answer of a vectorised test, for one ray and one triangle of points (3,)."""
    arguments.instance_of(ray, Ray, "ray")
    corners = [arguments.floats(p, name, (3,)) for p, name in ((a, "a"), (b, "b"), (c, "c"))]
    t, u, v = (float(x) for x in many(ray.origin, ray.direction, *corners, cull=cull))
    return TriangleHit(t, u, v) if np.isfinite(t) else None


def broadcast_tests(
    origins: Any, directions: Any, a: Any, b: Any, c: Any
) -> tuple[tuple[int, ...], list[FloatArray]]:
    """Read rays and triangles (..., 3): the common shape (...), and all of them as (N, 3)."""
    o = arguments.finite(arguments.points(origins, "origins"), "origins")
    d = arguments.unit_directions(arguments.points(directions, "directions"), "directions")
    corners = {name: arguments.points(p, name) for name, p in (("a", a), ("b", b), ("c", c))}
    arrays = arguments.broadcast(origins=o, directions=d, **corners)
    return arrays[0].shape[:-1], [array.reshape(-1, 3) for array in arrays]


def cast_many(
    kernel: Kernel, origins: Any, directions: Any, a: Any, b: Any, c: Any, cull: Cull
) -> TriangleHits:
    """Run a kernel on all rays and triangles (..., 3) that broadcast against each other.

    The triangle is moved to its first corner and divided by a power of two near its size, which
    rounds nothing more and lets the kernel compare with 1.
    """
    sign = arguments.cull_sign(cull)
    shape, (o, d, pa, pb, pc) = broadcast_tests(origins, directions, a, b, c)
    with np.errstate(all="ignore"):
        edge1, edge2, size = scaled_edges(pa, pb, pc)
        t, u, v, hit, front = kernel((o - pa) / size[:, None], d, edge1, edge2)
        hit = hit & (t >= 0.0) & np.isfinite(t)
        if sign:
            hit &= front == (sign > 0)
        t = np.where(hit, t * size, np.inf)
    u, v = (np.where(hit, x, np.nan) for x in (u, v))
    return TriangleHits(*(x.reshape(shape) for x in (t, u, v)))
