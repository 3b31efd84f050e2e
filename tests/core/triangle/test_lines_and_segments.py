# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines, segments and limits, the same for every ray-triangle test."""

import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import oracle
from ..scales import at_every_exact_scale
from .rays_and_triangles import MANY, ONE, aimed, each_ray_test, exact_crossing

LINE = sc.triangle.LINE
INF = np.inf
SEGMENT = {name: getattr(sc.triangle, f"{name}_segment") for name in ONE}
SEGMENTS = {name: getattr(sc.triangle, f"{name}_segments") for name in ONE}
TRIANGLE = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])

each_test = pytest.mark.parametrize("name", ONE)


@each_test
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_a_line_is_hit_ahead_of_its_origin_and_behind_it(rng, name, cull):
    behind = 0
    for _ in range(200):
        corners = rng.normal(size=(3, 3))
        toward = aimed(rng, corners)
        ray = sc.Ray(toward.origin, toward.direction * rng.choice([-1, 1]))
        found, margin = exact_crossing(ray, corners)
        if found is None or abs(found.gap) <= margin * found.growth:
            continue
        hit = ONE[name](ray, *corners, cull=cull, limits=LINE)
        wanted = found.gap > 0 and cull in (None, "back" if found.front else "front")
        assert (hit is not None) == wanted
        if hit:
            assert hit.t == pytest.approx(found.distance, rel=1e-12, abs=margin * found.growth)
            assert hit.front == found.front
            behind += hit.t < 0
    assert behind > 10


@each_test
def test_a_segment_is_hit_at_a_fraction_of_it(rng, name):
    outcomes = []
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        start = 2 * rng.normal(size=3)
        end = start + rng.uniform(0.3, 1.7) * (rng.dirichlet((1, 1, 1)) @ corners - start)
        way = oracle.sub(oracle.exact(end), oracle.exact(start))
        found = oracle.crossing(oracle.exact(start), way, oracle.exact(corners))
        t = found.distance / float(oracle.length(way))
        if min(abs(t), abs(1 - t), abs(found.gap)) < 1e-9 * found.growth:
            continue
        hit = SEGMENT[name](start, end, *corners)
        wanted = 0 < t < 1 and found.gap > 0
        assert (hit is not None) == wanted
        outcomes.append(wanted)
        if hit:
            assert hit.t == pytest.approx(t, rel=1e-9)
            weights = [float(w) for w in found.weights]
            assert (hit.u, hit.v) == pytest.approx(weights[1:], abs=1e-9)
            assert hit.front == found.front
            np.testing.assert_allclose(hit.point, weights @ corners, atol=1e-9)
    assert 50 < sum(outcomes) < 250


@each_test
@at_every_exact_scale
@pytest.mark.parametrize(
    ("start", "end", "t"),
    [
        ((1, 1, 2), (1, 1, -2), 0.5),
        ((1, 1, 0), (1, 1, 5), 0.0),
        ((1, 1, 5), (1, 1, 0), 1.0),
        ((1, 1, -3), (1, 1, 0), 1.0),
        ((1, 1, 3), (1, 1, 1), None),
        ((1, 1, -1), (1, 1, -3), None),
        ((1, 1, 1), (1, 1, 1), None),
        ((1, 1, 0), (1, 1, 0), None),
        ((1, 1, 0), (2, 1, 0), None),
        ((3, 3, 1), (3, 3, -1), None),
    ],
)
def test_a_segment_holds_both_its_ends(name, scale, start, end, t):
    ends = np.array([start, end]) * scale
    hit = SEGMENT[name](*ends, *(TRIANGLE * scale))
    many = SEGMENTS[name](*ends, *(TRIANGLE * scale))
    assert (hit and hit.t) == t
    assert many.t == (INF if t is None else t)


def test_watertight_decides_exactly_whether_a_segment_ends_on_a_triangle(rng):
    at = {0.0: 0, 1.0: 0}
    for _ in range(400):
        corners = rng.integers(-9, 9, (3, 3)) * 0.375  # their sum is 3 times a float
        if np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0])) < 1e-3:
            continue
        start = rng.normal(size=3)
        end = corners.sum(axis=0) / 3 + rng.integers(-1, 2) * 2.0**-54 * rng.normal(size=3)
        if rng.random() < 0.5:
            start, end = end, start
        a, b, c = oracle.exact(corners)
        n = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
        first, last = (
            oracle.sign(oracle.dot(n, oracle.sub(oracle.exact(p), a))) for p in (start, end)
        )
        hit = sc.triangle.watertight_segment(start, end, *corners)
        assert (hit is not None) == (first != last)
        if hit:
            assert (hit.t == 0) == (first == 0)
            if last == 0:
                assert hit.t == 1
            if first * last == 0:
                at[hit.t] += 1
    assert min(at.values()) > 3


@each_test
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_many_segments_are_the_same_to_the_last_bit_as_one_by_one(rng, name, cull):
    corners = rng.normal(size=(200, 3, 3))
    starts = 2 * rng.normal(size=(200, 3))
    ends = starts + 1.5 * (corners.mean(axis=1) - starts)
    ends[::4] = 1.0 / 3.0 * corners[::4].sum(axis=1)
    many = SEGMENTS[name](starts, ends, *corners.swapaxes(0, 1), cull=cull)
    hits = 0
    for row in range(200):
        one = SEGMENT[name](starts[row], ends[row], *corners[row], cull=cull)
        assert many.hit[row] == (one is not None)
        if one:
            hits += 1
            assert (many.t[row], many.u[row], many.v[row]) == tuple(one)
            assert many.point[row].tolist() == one.point.tolist()
            assert many.front[row] == one.front
    assert hits > 20


@each_test
def test_limits_are_the_least_and_the_most_t_both_included(name):
    ray = sc.Ray((1, 1, 5), (0, 0, -2))
    for limits, wanted in [
        ((0, INF), True),
        ((5, 5), True),
        ((0, 5), True),
        ((5, INF), True),
        ((0, 4.999), False),
        ((5.001, 9), False),
        ((-INF, 0), False),
        (LINE, True),
    ]:
        assert (ONE[name](ray, *TRIANGLE, limits=limits) is not None) == wanted
        many = MANY[name](ray.origin, ray.direction, *TRIANGLE, limits=limits)
        assert many.hit == wanted


@each_test
def test_many_take_limits_of_their_own(name):
    origins = [(1, 1, z) for z in (5, 5, -5, -5)]
    limits = [0, 6, 0, -INF], [INF, INF, INF, 0]
    hits = MANY[name](origins, (0, 0, -1), *TRIANGLE, limits=limits)
    assert hits.t.tolist() == [5, INF, INF, -5]


@each_test
@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ((1, 0), "least"),
        ((np.nan, 1), "least"),
        (5, "limits must be a list"),
        ((1, 2, 3), "limits must be two"),
        (("a", 2), "limits must be (a )?real number"),
        (([0, 0, 0], 1), "limits"),
    ],
)
def test_bad_limits_are_refused(name, limits, words):
    with pytest.raises(errors.ArgumentError, match=words):
        ONE[name](sc.Ray((1, 1, 5), (0, 0, -1)), *TRIANGLE, limits=limits)
    with pytest.raises(errors.ArgumentError, match=words):
        MANY[name](np.zeros((2, 3)), (0, 0, -1), *TRIANGLE, limits=limits)


@each_test
def test_bad_segments_are_refused_by_name(name):
    with pytest.raises(errors.NonFiniteError, match="end is not finite"):
        SEGMENT[name]((0, 0, 0), (0, 0, np.inf), *TRIANGLE)
    with pytest.raises(errors.ShapeError, match="start must have shape"):
        SEGMENT[name]((0, 0), (0, 0, 1), *TRIANGLE)
    with pytest.raises(errors.NonFiniteError, match="starts is not finite"):
        SEGMENTS[name]((0, np.nan, 0), (0, 0, 1), *TRIANGLE)


@each_test
@pytest.mark.parametrize("size", [1e300, 1e307, 1e308, 1.7e308])
def test_triangles_and_segments_at_the_end_of_float64(name, size):
    corners = np.array([[-size, -size, 0], [size, -size, 0], [0, size, 0]])
    hit = SEGMENT[name]((0, 0, size), (0, 0, -size), *corners)
    assert tuple(hit) == (0.5, 0.25, 0.5)
    assert hit.point.tolist() == [0, 0, 0]
    many = SEGMENTS[name]((0, 0, size), [(0, 0, -size), (0, 0, size / 2)], *corners)
    assert many.t.tolist() == [0.5, INF]
    assert many.point[0].tolist() == [0, 0, 0]
    up = SEGMENT[name]((0, 0, -size), (0, 0, size), *(corners + (0, 0, size / 2)))
    assert up.t == pytest.approx(0.75, rel=1e-15)
    ray = sc.Ray((0, 0, size), (0, 0, -1))
    assert ONE[name](ray, *corners).t == size
    assert MANY[name](ray.origin, ray.direction, *corners).t == size


@each_test
def test_a_small_triangle_on_a_segment_from_end_to_end_of_float64(name):
    hit = SEGMENT[name]((1, 1, 1.7e308), (1, 1, -1.7e308), *TRIANGLE)
    assert tuple(hit) == (0.5, 0.25, 0.25)
    assert tuple(SEGMENTS[name]((1, 1, 1.7e308), (1, 1, -1.7e308), *TRIANGLE)) == tuple(hit)


@each_ray_test
def test_the_point_and_the_side_come_with_the_hit(rng, cast):
    sides = set()
    for _ in range(100):
        corners = rng.normal(size=(3, 3))
        ray = aimed(rng, corners, spread=0)
        hit = cast(ray, *corners)
        found, margin = exact_crossing(ray, corners)
        expected = [sum(w * x for w, x in zip(found.weights, column, strict=True))
                    for column in oracle.exact(corners.T)]  # fmt: skip
        atol = margin * found.growth / min(1, *found.heights)
        np.testing.assert_allclose(hit.point, oracle.approximate(tuple(expected)), atol=atol)
        assert hit.front == found.front
        sides.add(hit.front)
        again = pickle.loads(pickle.dumps(hit))
        assert again == hit
        assert again.point.tolist() == hit.point.tolist()
    assert sides == {True, False}


@each_test
def test_points_and_sides_of_misses_are_nan_and_false(name):
    hits = MANY[name]([(1, 1, 5), (9, 9, 5), (1, 1, -5)], [(0, 0, -1), (0, 0, -1), (0, 0, 1)],
                      *TRIANGLE)  # fmt: skip
    t, u, v = hits
    assert t.tolist() == [5, INF, 5]
    assert np.isnan(hits.point[1]).all()
    assert hits.point[[0, 2]].tolist() == [[1, 1, 0]] * 2
    assert hits.front.tolist() == [True, False, False]
    assert hits.hit.tolist() == [True, False, True]
    assert np.isnan([u[1], v[1]]).all()


def test_limits_that_do_not_fit_each_other_raised_a_bare_value_error():
    rays = np.zeros((2, 3)), (0, 0, 1), (0, 0, 1), (1, 0, 1), (0, 1, 1)
    for cast in MANY.values():
        with pytest.raises(sc.errors.ShapeError, match=r"least \(2,\), most \(3,\)"):
            cast(*rays, limits=(np.zeros(2), np.ones(3)))
