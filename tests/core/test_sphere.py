# SPDX-License-Identifier: GPL-3.0-or-later
import math

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes, oracle
from .scales import at_every_scale


def roots(sphere, ray):
    """Roots of t^2 + B t + C, B = 2 u.v, C = v.v - r^2, v = origin - centre; None for no root."""
    u = oracle.exact(ray.direction)
    v = oracle.sub(oracle.exact(ray.origin), oracle.exact(sphere.center))
    a, b = oracle.dot(u, u), 2 * oracle.dot(u, v)
    c = oracle.dot(v, v) - oracle.exact(sphere.radius) ** 2
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return None
    reach = oracle.root(discriminant)
    return (-b - reach) / (2 * a), (-b + reach) / (2 * a)


def named_case(found):
    if found is None:
        return "miss"
    if found[1] < 0:
        return "behind"
    return "inside" if found[0] < 0 else "outside"


def test_bounding_sphere_discriminant_gives_both_roots(rng):
    seen = set()
    for _ in range(300):
        sphere = sc.Sphere(rng.normal(size=3), float(rng.uniform(0.1, 2)))
        ray = sc.Ray(rng.normal(size=3) * 2, rng.normal(size=3))
        exact = roots(sphere, ray)
        expected = named_case(exact)
        seen.add(expected)
        assert sphere.case(ray) == expected
        found = sphere.intersect_ray(ray)
        if expected in ("miss", "behind"):
            assert found is None
        else:
            near_tangent = float(exact[1] - exact[0])
            tolerance = 1e-14 * max(1, 1 / near_tangent)
            assert found == pytest.approx(oracle.approximate(exact), rel=1e-13, abs=tolerance)
    assert seen == {"miss", "behind", "inside", "outside"}


@at_every_scale
@pytest.mark.parametrize(
    ("origin", "case", "answer"),
    [
        ((0, 0, -5), "outside", (3, 7)),
        ((0, 0, 0), "inside", (-2, 2)),
        ((0, 0, 1), "inside", (-3, 1)),
        ((0, 0, 5), "behind", None),
        ((2, 0, -5), "tangent", (5, 5)),
        ((0, -2, -5), "tangent", (5, 5)),
        ((2, 0, 5), "behind", None),
        ((2.001, 0, -5), "miss", None),
        ((3, 0, 5), "miss", None),
    ],
)
def test_bounding_sphere_outside_inside_behind_tangent(scale, origin, case, answer):
    sphere = sc.Sphere((0, 0, 0), 2 * scale)
    ray = sc.Ray(np.array(origin) * scale, (0, 0, 1))
    assert sphere.case(ray) == case
    found = sphere.intersect_ray(ray)
    assert found == (None if answer is None else pytest.approx(np.array(answer) * scale, rel=1e-14))


@at_every_scale
def test_tangent_roots_are_equal(scale):
    t0, t1 = sc.Sphere((0, 0, 0), scale).intersect_ray(sc.Ray((scale, -3 * scale, 0), (0, 1, 0)))
    assert t0 == t1


def test_a_ray_through_a_diagonal_direction_can_be_tangent():
    ray = sc.Ray((-3, -3, 1), (1, 1, 0))
    assert sc.Sphere((0, 0, 0), 1).case(ray) == "tangent"


def test_a_touch_is_one_up_to_rounding_from_every_direction(rng):
    for _ in range(100):
        across, along, _ = meshes.rotation(rng)
        ray = sc.Ray(across - 3 * along, along)
        t0, t1 = sc.Sphere((0, 0, 0), 1).intersect_ray(ray)
        assert t0 == t1 == pytest.approx(3, rel=1e-14)
        assert sc.Sphere((0, 0, 0), 1).case(ray) == "tangent"
        assert sc.Sphere((0, 0, 0), 1 + 1e-12).case(ray) == "outside"
        assert sc.Sphere((0, 0, 0), 1 - 1e-12).case(ray) == "miss"


def test_a_small_sphere_far_away_is_met_to_full_precision(rng):
    for _ in range(50):
        center = rng.normal(size=3)
        center *= 1e6 / np.linalg.norm(center)
        aside = np.cross(center, rng.normal(size=3))
        aside *= 5e-4 / np.linalg.norm(aside)
        sphere, ray = sc.Sphere(center, 1e-3), sc.Ray((0, 0, 0), center + aside)
        t0, t1 = sphere.intersect_ray(ray)
        expected = oracle.approximate(roots(sphere, ray))
        assert (t0, t1) == pytest.approx(expected, rel=1e-15, abs=3e-10)
        assert t1 - t0 == pytest.approx(expected[1] - expected[0], rel=1e-5)


def test_a_sphere_of_radius_0_is_a_point_that_is_touched():
    sphere = sc.Sphere((1, 2, 3), 0)
    assert sphere.intersect_ray(sc.Ray((1, 2, 0), (0, 0, 1))) == (3, 3)
    assert sphere.intersect_ray(sc.Ray((1, 2.1, 0), (0, 0, 1))) is None


@at_every_scale
@pytest.mark.parametrize("offset", [0, 1e6, -1e6])
def test_bounding_sphere_holds_every_point_and_is_near_the_smallest(rng, scale, offset):
    for count in (1, 2, 3, 50):
        points = (rng.normal(size=(count, 3)) + offset) * scale
        sphere = sc.Sphere.bounding(points)
        center, square = oracle.exact(sphere.center), oracle.exact(sphere.radius) ** 2
        ways = [oracle.sub(oracle.exact(p), center) for p in points]
        assert all(oracle.dot(way, way) <= square for way in ways)
        widest = max(np.linalg.norm((p - q) / scale) for p in points for q in points)
        smallest_at_most = widest / math.sqrt(3)
        assert sphere.radius / scale <= smallest_at_most * 1.15 + 1e-14 * (1 + abs(offset))


def test_bounding_sphere_of_a_cube_is_close_to_its_half_diagonal():
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sphere = sc.Sphere.bounding(corners)
    assert sphere.radius == pytest.approx(math.sqrt(3) / 2, rel=0.02)


def test_bounding_sphere_leaves_out_points_that_are_not_finite():
    points = [(0, 0, 0), (np.nan, 0, 0), (2, 0, 0), (0, np.inf, 0)]
    sphere = sc.Sphere.bounding(points)
    np.testing.assert_allclose(sphere.center, [1, 0, 0], atol=1e-14)
    assert sphere.radius == pytest.approx(1)


@pytest.mark.parametrize("points", [np.empty((0, 3)), np.full((2, 3), np.nan)])
def test_nothing_cannot_be_bounded(points):
    with pytest.raises(errors.ArgumentError, match="no finite point"):
        sc.Sphere.bounding(points)


@pytest.mark.parametrize(
    ("center", "radius", "error", "words"),
    [
        ((0, 0, 0), -1, errors.ArgumentError, "radius must be 0 or more, not -1"),
        ((0, 0, 0), np.nan, errors.ArgumentError, "radius"),
        ((0, 0, 0), np.inf, errors.NonFiniteError, "radius is not finite"),
        ((0, 0, np.inf), 1, errors.NonFiniteError, "center is not finite at index 2"),
        ((0, 0), 1, errors.ShapeError, "center must have shape"),
        ((0, 0, 0), [1, 2], errors.ShapeError, "radius must be a single number"),
    ],
)
def test_a_bad_sphere_is_refused_with_its_reason(center, radius, error, words):
    with pytest.raises(error, match=words):
        sc.Sphere(center, radius)


def test_a_bounding_sphere_is_a_cheap_first_test_that_loses_nothing(rng):
    vertices, triangles = meshes.torus(12, 8)
    mesh, sphere, box = (
        sc.Mesh(vertices, triangles),
        sc.Sphere.bounding(vertices),
        sc.Box.bounding(vertices),
    )
    passed = 0
    for _ in range(300):
        origin = rng.normal(size=3) * 4
        ray = sc.Ray(origin, rng.normal(size=3) * 1.5 - origin)
        if mesh.ray_cast(ray.origin, ray.direction):
            passed += 1
            assert sphere.intersect_ray(ray) is not None
            assert box.intersect_ray(ray) is not None
    assert 30 < passed < 280
