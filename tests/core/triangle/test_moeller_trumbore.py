# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc

from .. import oracle
from ..scales import at_every_exact_scale
from .rays_and_triangles import aimed, assert_is, exact_crossing

moller_trumbore = sc.triangle.moller_trumbore


def quantities(ray, corners):
    """a = e1.p, s.p, d.q and e2.q of Moeller and Trumbore, p = d x e2, q = s x e1."""
    a, b, c = oracle.exact(corners)
    d = oracle.exact(ray.direction)
    e1, e2, s = oracle.sub(b, a), oracle.sub(c, a), oracle.sub(oracle.exact(ray.origin), a)
    p, q = oracle.cross(d, e2), oracle.cross(s, e1)
    return oracle.dot(e1, p), oracle.dot(s, p), oracle.dot(d, q), oracle.dot(e2, q)


def sure(found, margin):
    return abs(found.gap) > margin and abs(found.distance) > margin * found.growth


def test_triangle_test_2_moeller_trumbore_with_the_sign_of_the_determinant_folded_in(rng):
    sides = {1: 0, -1: 0}
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners)
        det, u, v, t = quantities(ray, corners)
        sign = oracle.sign(det)
        det, u, v, t = det * sign, u * sign, v * sign, t * sign
        inside = u >= 0 and v >= 0 and u + v <= det and t >= 0
        found, margin = exact_crossing(ray, corners)
        if sure(found, margin):
            hit = moller_trumbore(ray, *corners)
            assert (hit is not None) == inside
            if inside:
                sides[sign] += 1
                assert_is(hit, found, margin)
    assert min(sides.values()) > 30


def test_triangle_test_2_is_culled_by_the_sign_of_the_determinant(rng):
    for _ in range(100):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners, spread=0)
        det = quantities(ray, corners)[0]
        assert (moller_trumbore(ray, *corners, cull="back") is not None) == (det > 0)
        assert (moller_trumbore(ray, *corners, cull="front") is not None) == (det < 0)


def test_triangle_test_3_moeller_trumbore_with_f_1_over_a_gives_the_point(rng):
    hits = 0
    for _ in range(200):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners)
        a, su, dv, et = quantities(ray, corners)
        f = 1 / a
        u, v, t = f * su, f * dv, f * et
        found, margin = exact_crossing(ray, corners)
        if sure(found, margin):
            hit = moller_trumbore(ray, *corners)
            assert (hit is not None) == (u >= 0 and v >= 0 and u + v <= 1 and t > 0)
            if hit:
                hits += 1
                way = oracle.scaled(oracle.exact(ray.direction), t)
                point = oracle.approximate(oracle.add(oracle.exact(ray.origin), way))
                np.testing.assert_allclose(ray.at(hit.t), point, atol=margin * found.growth)
    assert hits > 40


def test_triangle_test_3_works_for_the_line_too_by_turning_the_ray_round(rng):
    for _ in range(50):
        corners = rng.normal(size=(3, 3))
        ahead = aimed(rng, corners, spread=0)
        back = sc.Ray(ahead.origin, -ahead.direction)
        assert moller_trumbore(ahead, *corners) is not None
        assert moller_trumbore(back, *corners) is None


def test_ray_and_triangle_must_be_in_the_same_frame_and_then_every_frame_will_do(rng):
    for _ in range(50):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners, spread=0)
        matrix = np.eye(4)
        matrix[:3] = rng.normal(size=(3, 4))
        moved = corners @ matrix[:3, :3].T + matrix[:3, 3]
        here = moller_trumbore(ray, *corners)
        there = moller_trumbore(ray.transformed(matrix), *moved)
        assert (there.u, there.v) == pytest.approx((here.u, here.v), abs=1e-6)


@at_every_exact_scale
@pytest.mark.parametrize(
    ("x", "y"), [(0, 0), (4, 0), (0, 4), (2, 0), (0, 2), (2, 2), (1, 0), (3, 1)]
)
def test_borders_count_as_inside(scale, x, y):
    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]]) * scale
    for height, direction in ((1, (0, 0, -1)), (-1, (0, 0, 1))):
        ray = sc.Ray(np.array((x, y, height)) * scale, direction)
        hit = moller_trumbore(ray, *corners)
        assert (hit.u, hit.v) == pytest.approx((x / 4, y / 4), abs=1e-15)


@pytest.mark.parametrize("size", [1e-2, 1e-3, 1e-5, 1e-9, 1e-100])
def test_a_determinant_below_0_0001_is_no_reason_to_miss(size):
    corners = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1]]) * size
    hit = moller_trumbore(sc.Ray((size / 4, size / 4, 0), (0, 0, 1)), *corners)
    assert hit.t == pytest.approx(size, rel=1e-15)


@pytest.mark.parametrize("t", [1e-6, 1e-12, 1e-100])
def test_a_t_below_0_00001_is_no_reason_to_miss(t):
    corners = np.array([[-1, -1, t], [2, -1, t], [-1, 2, t]])
    assert moller_trumbore(sc.Ray((0, 0, 0), (0, 0, 1)), *corners).t == pytest.approx(t, rel=1e-12)
