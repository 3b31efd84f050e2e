# SPDX-License-Identifier: GPL-3.0-or-later
"""What the three ray-triangle tests have in common."""

from dataclasses import replace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes
from ..scales import SCALES, at_every_exact_scale, at_every_scale
from .rays_and_triangles import MANY, ONE, aimed, assert_decides, each_ray_test

TRIANGLE = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
DOWN, UP = (0, 0, -1), (0, 0, 1)


def answers(cast, questions, **options):
    return [cast(*query, **options) for query in questions]


@each_ray_test
def test_ray_triangle_test_agrees_with_exact_arithmetic_on_random_triangles(rng, cast):
    outcomes = []
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        outcomes.append(assert_decides(cast, aimed(rng, corners), corners))
    assert outcomes.count(True) > 60
    assert outcomes.count(False) > 60
    assert outcomes.count(None) < 3


@each_ray_test
def test_ray_triangle_test_agrees_with_exact_arithmetic_on_slivers(rng, cast):
    outcomes = []
    for thinness in np.repeat([1e-3, 1e-6, 1e-9], 60):
        a, b = rng.normal(size=(2, 3))
        corners = np.array([a, b, a + rng.uniform() * (b - a) + thinness * rng.normal(size=3)])
        outcomes.append(assert_decides(cast, aimed(rng, corners, spread=0.1), corners))
    assert outcomes.count(True) > 40


@each_ray_test
def test_ray_triangle_test_agrees_with_exact_arithmetic_far_from_the_origin(rng, cast):
    outcomes = []
    for offset in np.repeat([1e3, 1e6, 1e9], 40):
        corners = rng.normal(size=(3, 3)) + offset
        outcomes.append(assert_decides(cast, aimed(rng, corners), corners))
    assert outcomes.count(True) > 20
    assert outcomes.count(False) > 20


@each_ray_test
@pytest.mark.parametrize("cull", ["back", "front"])
def test_culling_keeps_the_other_side_alone(rng, cast, cull):
    outcomes = []
    for _ in range(150):
        corners = rng.normal(size=(3, 3))
        outcomes.append(assert_decides(cast, aimed(rng, corners), corners, cull))
    assert outcomes.count(True) > 15


@each_ray_test
def test_the_front_is_where_the_corners_run_counter_clockwise(cast):
    from_above = sc.Ray((1, 1, 5), DOWN)
    from_below = sc.Ray((1, 1, -5), UP)
    assert cast(from_above, *TRIANGLE, cull="back").t == 5
    assert cast(from_above, *TRIANGLE, cull="front") is None
    assert cast(from_below, *TRIANGLE, cull="back") is None
    assert cast(from_below, *TRIANGLE, cull="front").t == 5


@each_ray_test
def test_without_culling_both_sides_are_hit(cast):
    assert cast(sc.Ray((1, 1, 5), DOWN), *TRIANGLE).t == 5
    assert cast(sc.Ray((1, 1, -5), UP), *TRIANGLE).t == 5


@each_ray_test
def test_u_weighs_b_and_v_weighs_c(cast):
    hit = cast(sc.Ray((1, 2, 5), DOWN), *TRIANGLE)
    assert (hit.u, hit.v) == (0.25, 0.5)


@each_ray_test
@at_every_scale
def test_ray_triangle_test_has_no_epsilon_of_its_own(rng, cast, scale):
    for _ in range(40):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners)
        hit = cast(ray, *corners)
        scaled = cast(sc.Ray(ray.origin * scale, ray.direction), *(corners * scale))
        assert (hit is None) == (scaled is None)
        if hit:
            assert scaled.t == pytest.approx(hit.t * scale, rel=1e-9)
            assert (scaled.u, scaled.v) == pytest.approx((hit.u, hit.v), abs=1e-9)


@each_ray_test
@at_every_exact_scale
def test_ray_triangle_test_at_another_power_of_two_gives_the_same_bits(rng, cast, scale):
    hits = 0
    for _ in range(40):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners)
        hit = cast(ray, *corners)
        scaled = cast(sc.Ray(ray.origin * scale, ray.direction), *(corners * scale))
        assert (scaled and tuple(scaled)) == (hit and (hit.t * scale, hit.u, hit.v))
        hits += hit is not None
    assert hits > 5


@each_ray_test
@pytest.mark.parametrize("tilt", [1e-6, 1e-9, 1e-12])
def test_a_ray_almost_parallel_to_a_triangle_hits_it(cast, tilt):
    hit = cast(sc.Ray((-1, 1, tilt * 2), (1, 0, -tilt)), *TRIANGLE)
    assert hit.t == pytest.approx(2, rel=1e-3)


@each_ray_test
@at_every_scale
def test_a_ray_parallel_to_a_triangle_misses_it(cast, scale):
    for height in (0, 1e-9, 1):
        ray = sc.Ray(np.array((-1, 1, height)) * scale, (1, 0, 0))
        assert cast(ray, *(TRIANGLE * scale)) is None


@each_ray_test
@at_every_scale
def test_a_triangle_without_area_is_missed(rng, cast, scale):
    a, b = rng.normal(size=(2, 3)) * scale
    down_at = [sc.Ray(p + np.array((0, 0, 5)) * scale, DOWN) for p in (a, b, (a + b) / 2)]
    for corners in ((a, a, a), (a, a, b), (a, b, b), (a, b, a)):
        assert answers(cast, [(ray, *corners) for ray in down_at]) == [None] * 3


@each_ray_test
@at_every_exact_scale
def test_a_triangle_whose_corners_lie_on_a_line_is_missed_by_rays_at_the_line(rng, cast, scale):
    line = np.outer([1, 2, 5], (1, 2, 4)) * scale
    for along in rng.uniform(1, 5, 100):
        origin = rng.normal(size=3) * 5 * scale
        target = along * np.array((1, 2, 4)) * scale
        assert cast(sc.Ray(origin, target - origin), *line) is None


@each_ray_test
@at_every_scale
def test_a_triangle_behind_the_origin_is_missed(cast, scale):
    for height in (1e-12, 1, 1e12):
        ray = sc.Ray(np.array((1, 1, height)) * scale, UP)
        assert cast(ray, *(TRIANGLE * scale)) is None


@each_ray_test
@at_every_scale
def test_a_ray_that_starts_on_a_triangle_hits_it_at_0(cast, scale):
    for direction in (UP, DOWN):
        assert cast(sc.Ray(np.array((1, 1, 0)) * scale, direction), *(TRIANGLE * scale)).t == 0


@each_ray_test
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("corner", range(3))
@pytest.mark.parametrize("axis", range(3))
def test_a_corner_that_is_not_finite_is_never_hit(cast, bad, corner, axis):
    corners = TRIANGLE.copy()
    corners[corner, axis] = bad
    for origin in ((1, 1, 5), (3, 0.5, 5), (0.5, 3, 5)):
        assert cast(sc.Ray(origin, DOWN), *corners) is None


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_many_at_once_are_the_same_to_the_last_bit_as_one_by_one(rng, name, cull):
    corners = rng.normal(size=(60, 3, 3))
    rays = [aimed(rng, c) for c in corners]
    origins, directions = (np.array([getattr(r, k) for r in rays]) for k in ("origin", "direction"))
    hits = MANY[name](origins, directions, *np.moveaxis(corners, 1, 0), cull=cull)
    ones = [ONE[name](ray, *c, cull=cull) for ray, c in zip(rays, corners, strict=True)]
    assert any(ones)
    assert not all(ones)
    for row, one in enumerate(ones):
        t, u, v = (float(column[row]) for column in hits)
        if one is None:
            assert t == np.inf
            assert np.isnan([u, v]).all()
        else:
            assert (t, u, v) == tuple(one)


@pytest.mark.parametrize("name", ONE)
def test_many_broadcast_rays_against_triangles(rng, name):
    vertices, triangles = meshes.icosphere(0)
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    directions = rng.normal(size=(7, 1, 3))
    hits = MANY[name]((0, 0, 0), directions, a, b, c)
    assert hits.t.shape == hits.u.shape == hits.v.shape == (7, 20)
    assert (np.isfinite(hits.t).sum(axis=1) == 1).all()


@each_ray_test
@pytest.mark.parametrize("scale", SCALES)
def test_the_point_is_the_same_by_t_and_by_the_weights(rng, cast, scale):
    for _ in range(50):
        corners = rng.normal(size=(3, 3)) * scale
        ray = aimed(rng, corners)
        hit = cast(ray, *corners)
        if hit:
            a, b, c = corners
            by_weights = a + hit.u * (b - a) + hit.v * (c - a)
            np.testing.assert_allclose(ray.at(hit.t) / scale, by_weights / scale, atol=1e-9)


@each_ray_test
def test_an_unknown_side_to_cull_is_refused(cast):
    with pytest.raises(errors.ArgumentError, match="cull must be"):
        cast(sc.Ray((1, 1, 5), DOWN), *TRIANGLE, cull="both")


@each_ray_test
def test_a_corner_of_the_wrong_shape_is_refused_by_name(cast):
    with pytest.raises(errors.ShapeError, match="b must have shape"):
        cast(sc.Ray((1, 1, 5), DOWN), TRIANGLE[0], (1, 2), TRIANGLE[2])


@pytest.mark.parametrize("many", MANY.values(), ids=MANY)
def test_many_refuse_a_direction_without_length_and_say_which(many):
    directions = np.array([[0, 0, 1], [0, 0, 0]], float)
    with pytest.raises(errors.DirectionError, match="directions 1 must be finite"):
        many(np.zeros((2, 3)), directions, *TRIANGLE)


@each_ray_test
def test_a_hit_from_the_front_was_equal_to_one_from_the_back(cast):
    above, below = sc.Ray((0.25, 0.25, 1), (0, 0, -1)), sc.Ray((0.25, 0.25, -1), (0, 0, 1))
    corners = (0, 0, 0), (1, 0, 0), (0, 1, 0)
    front, back = cast(above, *corners), cast(below, *corners)
    assert tuple(front) == tuple(back)
    assert front != back
    assert front == cast(above, *corners)
    assert hash(front) == hash(cast(above, *corners))


@each_ray_test
def test_a_hit_is_neither_a_tuple_nor_changed(cast):
    hit = cast(sc.Ray((0.25, 0.25, 1), (0, 0, -1)), (0, 0, 0), (1, 0, 0), (0, 1, 0))
    assert hit != (hit.t, hit.u, hit.v)
    assert not isinstance(hit, tuple)
    with pytest.raises(AttributeError):
        hit.t = 3.0
    moved = replace(hit, t=2.0)
    assert tuple(moved) == (2.0, hit.u, hit.v)
    assert moved.point is hit.point
