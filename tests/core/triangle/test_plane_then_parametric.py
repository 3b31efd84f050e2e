# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc

from .. import oracle
from ..scales import at_every_exact_scale
from .rays_and_triangles import aimed, assert_is, exact_crossing


def parametric_coordinates(point, a, b, c):
    """s and t by D = (u.v)^2 - (u.u)(v.v), as the tutorial prints them."""
    u, v, w = oracle.sub(b, a), oracle.sub(c, a), oracle.sub(point, a)
    uu, uv, vv, wu, wv = (oracle.dot(*p) for p in ((u, u), (u, v), (v, v), (w, u), (w, v)))
    d = uv * uv - uu * vv
    return (uv * wv - vv * wu) / d, (uv * wu - uu * wv) / d


def test_triangle_test_1_plane_then_parametric_coordinates_s_and_t(rng):
    hits = 0
    for _ in range(200):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners)
        found, margin = exact_crossing(ray, corners)
        a, b, c = oracle.exact(corners)
        origin, direction = oracle.exact(ray.origin), oracle.exact(ray.direction)
        n = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
        way = oracle.dot(n, oracle.sub(a, origin)) / oracle.dot(n, direction)
        point = oracle.add(origin, oracle.scaled(direction, way))
        s, t = parametric_coordinates(point, a, b, c)
        hit = sc.triangle.plane_parametric(ray, *corners)
        if way >= 0 and s >= 0 and t >= 0 and s + t <= 1 and found.gap > margin:
            hits += 1
            assert (s, t) == found.weights[1:]
            assert_is(hit, found, margin)
        elif found.gap < -margin:
            assert hit is None
    assert hits > 40


@at_every_exact_scale
@pytest.mark.parametrize(
    ("x", "y"), [(0, 0), (4, 0), (0, 4), (2, 0), (0, 2), (2, 2), (1, 0), (3, 1)]
)
def test_the_borders_s_0_t_0_and_s_plus_t_1_are_inside(scale, x, y):
    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]]) * scale
    ray = sc.Ray(np.array((x, y, 1)) * scale, (0, 0, -1))
    hit = sc.triangle.plane_parametric(ray, *corners)
    assert (hit.u, hit.v) == pytest.approx((x / 4, y / 4), abs=1e-15)


@pytest.mark.parametrize("size", [1e-2, 1e-4, 1e-6, 1e-9, 1e-100])
def test_a_tiny_triangle_is_not_called_parallel(size):
    corners = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1]]) * size
    hit = sc.triangle.plane_parametric(sc.Ray((size / 4, size / 4, 0), (0, 0, 1)), *corners)
    assert hit.t == pytest.approx(size, rel=1e-15)
