# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances and weights by corrected float64: right to the last digits, or left to fractions."""

from fractions import Fraction

import numpy as np
import pytest

from standalone_core.numerics import rational, ray_triangle
from standalone_core.numerics.ray_triangle import ORDINARY, TINY, own_normal, solve

from .. import oracle
from ..near_ties import exact_ties, near_ties, rows
from ..oracle import EPS
from ..ray_batches import batch, cast_pairs_of, geometry


def slanted(rng, count, scale=1.0, offset=0.0, aspect=1.0):
    """Rays (o, d) through triangles (a, b, c), all (N, 3)."""
    a, b = offset + scale * rng.normal(size=(2, count, 3))
    c = a + rng.uniform(-1, 2, (count, 1)) * (b - a)
    c = c + scale / aspect * rng.normal(size=(count, 3))
    weights = rng.dirichlet((1, 1, 1), count)
    target = weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c
    d = rng.normal(size=(count, 3)) * rng.uniform(0.1, 10, (count, 1))
    o = target - scale * rng.uniform(0, 30, (count, 1)) * d
    return o, d, a, b, c


def exact_solution(o, d, a, b, c):
    """t, v, w and the normal, as Fractions."""
    o, d, a, b, c = (oracle.exact(x) for x in (o, d, a, b, c))
    s, e1, e2 = oracle.sub(a, o), oracle.sub(b, a), oracle.sub(c, a)
    normal = oracle.cross(e1, e2)
    slope = oracle.dot(d, normal)
    v, w = oracle.dot(s, oracle.cross(d, e2)) / slope, oracle.dot(s, oracle.cross(e1, d)) / slope
    return oracle.dot(s, normal) / slope, v, w, normal


def assert_is_right(found, row):
    """What `solve` found for a row (o, d, a, b, c) is right to the last digits."""
    t, v, w, normal = exact_solution(*row)
    assert abs(Fraction(found[0]) - t) <= 2 * Fraction(EPS) * abs(t)
    assert abs(Fraction(found[1]) - max(v, 0)) <= 2 * Fraction(EPS)
    assert abs(Fraction(found[2]) - max(w, 0)) <= 2 * Fraction(EPS)
    for component, expected in zip(found[3], normal, strict=True):
        assert abs(Fraction(component) - expected) <= Fraction(EPS) * max(map(abs, normal))


@pytest.mark.parametrize("scale", [1e-100, 1e-60, 1e-30, 1.0, 1e30, 1e50, 1e100, 1e160])
def test_a_normal_that_is_good_is_right_to_the_last_digits(rng, scale):
    good = 0
    for aspect in 2.0 ** rng.uniform(0, 60, 100):
        (row,) = rows(*slanted(rng, 1, scale, 0.0, aspect))
        with np.errstate(all="ignore"):
            normal, is_good = own_normal(*row[2:])
        good += is_good
        if is_good:
            _, _, _, exact = exact_solution(*row)
            for component, expected in zip(normal, exact, strict=True):
                assert abs(Fraction(component) - expected) <= Fraction(EPS) * max(map(abs, exact))
    assert good > 50 if 1e-40 < scale < 1e40 else good == 0


def is_inside(o, d, a, b, c):
    _, v, w, _ = exact_solution(o, d, a, b, c)
    return min(v, w, 1 - v - w) >= 0


@pytest.mark.parametrize("aspect", [1, 1e4, 1e8])
@pytest.mark.parametrize(
    ("scale", "offset"), [(1, 0), (1, 1e6), (1e-3, 1e6), (1e-30, 0), (1e30, 0)]
)
def test_a_solution_is_right_to_the_last_digits(rng, scale, offset, aspect):
    solved = 0
    for row in rows(*slanted(rng, 150, scale, offset, aspect)):
        done, *found = solve(*row)
        if done and is_inside(*row):
            assert_is_right(found, row)
            solved += 1
    assert solved > (100 if aspect < 1e8 else 3)


@pytest.mark.parametrize("slope", [1e-3, 1e-6, 1e-8, 1e-11, 1e-13, 1e-16, 1e-19, 0.0])
def test_a_triangle_that_is_seen_almost_edge_on_is_right_or_left_to_fractions(rng, slope):
    o, d, a, b, c = slanted(rng, 300)
    d = (a + b + c) / 3 - o
    across = np.cross(b - a, c - a)
    flat = d - across * (np.sum(d * across, axis=1) / np.sum(across * across, axis=1))[:, None]
    d = flat + slope * across
    o = (a + b + c) / 3 - rng.uniform(0, 3, (300, 1)) * d
    solved = 0
    for row in rows(o, d, a, b, c):
        done, *found = solve(*row)
        if done and is_inside(*row):
            assert_is_right(found, row)
            solved += 1
    assert solved > (250 if slope > 1e-9 else -1)


POWERS = [0, 20, 45, 50, 55, 70, 100]
each_power = pytest.mark.parametrize("power", POWERS)


def around_0(rng, count):
    """Triangles (a, b, c) that hold 0, or nearly, and directions of few digits."""
    a, b = rng.normal(size=(2, count, 3))
    c = -(a * rng.uniform(0.5, 2, (count, 1)) + b * rng.uniform(0.5, 2, (count, 1)))
    return a, b, c, rng.normal(size=(count, 3)).astype(np.float32).astype(float)


@each_power
def test_a_triangle_is_as_well_seen_from_any_distance(rng, power):
    a, b, c, d = around_0(rng, 200)
    held = 0
    for row in rows(-d * 2.0**power, d, a, b, c):
        done, *found = solve(*row)
        held += is_inside(*row)
        if done and is_inside(*row):
            assert_is_right(found, row)
    assert held > 50


@each_power
def test_a_triangle_of_any_height_is_seen_as_well(rng, power):
    a, b, c, d = around_0(rng, 200)
    held = 0
    for row in rows(-4 * d, d, a * 2.0**-power, b * 2.0**-power, c):
        done, *found = solve(*row)
        held += is_inside(*row)
        if done and is_inside(*row):
            assert_is_right(found, row)
    assert held > 50


@pytest.mark.parametrize("make", [near_ties, exact_ties])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_triangle_that_holds_the_ray_but_for_last_digits_is_right_or_left_to_fractions(
    rng, make, offset
):
    o, d, b, c = make(rng, 600, 1.0, offset)
    a = 2 * o - (b + c) / 2 + d
    for row in rows(o, d, a, b, c):
        done, *found = solve(*row)
        if done and is_inside(*row):
            assert_is_right(found, row)


@pytest.mark.parametrize(
    ("scale", "offset"), [(1, 0), (0.1, 0), (0.1, 1e3), (1 / 3, 1e6), (1e-3, 1e9)]
)
def test_whether_a_ray_begins_before_or_behind_a_triangle_is_right_or_left_to_fractions(
    rng, scale, offset
):
    a, e1, e2 = rng.integers(-8, 9, (3, 1000, 3)).astype(float)
    d = rng.integers(-3, 4, (1000, 3)).astype(float)
    d[~d.any(axis=1)] = (0, 0, 1)
    steep = np.einsum("ni,ni->n", d, np.cross(e1, e2)) != 0
    a, e1, e2, d = a[steep], e1[steep], e2[steep], d[steep]
    points = (a + e1 + e2, a, a + 4 * e1, a + 4 * e2)
    o, a, b, c = ((point + offset) * scale for point in points)
    on_it = 0
    for row in rows(o, d, a, b, c):
        done, t, *_ = solve(*row)
        if done:
            assert (t >= 0) == (exact_solution(*row)[0] >= 0)
        else:
            on_it += rational.crossing(*row)[0] == 0
    assert on_it > 30 or scale != 1


def test_weights_are_never_below_0(rng):
    o, _, a, b, c = slanted(rng, 300)
    p = a + rng.random((300, 1)) * (b - a)
    for row in rows(o, p - o, a, b, c):
        done, t, v, w, *_ = solve(*row)
        assert not done or (v >= 0 and w >= 0 and np.copysign(1, [t, v, w]).min() > 0)


UP = (0.25, 0.25, -1.0), (0.0, 0.0, 1.0)
CORNERS = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])


@pytest.mark.parametrize("scale", [0.0, 1e-300, TINY / 2, ORDINARY * 2, 1e300])
def test_what_is_not_of_ordinary_size_is_left_to_fractions(scale):
    corners = map(tuple, (CORNERS * scale).tolist())
    assert not solve(UP[0], UP[1], *corners)[0]


@pytest.mark.parametrize(
    ("o", "d"), [((0.25, 0.25, -2 * ORDINARY), UP[1]), ((0.25, 0.25, -1.0), (1.0, 0.0, 0.0))]
)
def test_a_far_origin_or_a_ray_along_the_plane_is_left_to_fractions(o, d):
    assert not solve(o, d, *map(tuple, CORNERS.tolist()))[0]


def test_a_point_is_reached_from_its_corner_by_the_weights(rng):
    assert solve(*UP, *map(tuple, CORNERS.tolist())) == (
        True,
        1.0,
        0.25,
        0.25,
        (0.0, 0.0, 1.0),
        (0.25, 0.25, 0.0),
    )


@pytest.mark.parametrize("aspect", [1, 1e4, 1e8])
def test_one_solution_and_columns_of_them_give_the_same_bits(rng, aspect):
    o, d, a, b, c = slanted(rng, 200, aspect=aspect)
    shape = geometry(np.concatenate([a, b, c]), np.arange(600).reshape(3, 200).T)
    rays = batch(o, d)
    row, hits = cast_pairs_of(shape, rays, np.arange(200), np.arange(200))
    assert len(row) > 150
    compared = 0
    for ray, hit in zip(row.tolist(), hits, strict=True):
        done, t, v, w, normal, point = solve(*(tuple(x[ray].tolist()) for x in (o, d, a, b, c)))
        if done:
            compared += 1
            assert hit.barycentric[1:].tolist() == [v, w]
            assert hit.point.tolist() == list(point)
            assert hit.distance == t * rays.lengths[ray]
            unit = np.array(normal) / np.sqrt(ray_triangle.dot3(normal, normal))
            assert hit.normal.tolist() == unit.tolist()
    assert compared > 30


@each_power
def test_columns_of_triangles_from_any_distance_or_of_any_height_are_right_too(rng, power):
    a, b, c, d = around_0(rng, 100)
    small = 2.0**-power
    for o, p, q in ((-d * 2.0**power, a, b), (-4 * d, a * small, b * small)):
        shape = geometry(np.concatenate([p, q, c]), np.arange(300).reshape(3, 100).T)
        row, hits = cast_pairs_of(shape, batch(o, d), np.arange(100), np.arange(100))
        assert len(row) > 30
        for ray, hit in zip(row.tolist(), hits, strict=True):
            exact = exact_solution(*(tuple(x[ray].tolist()) for x in (o, d, p, q, c)))
            for weight, right in zip(hit.barycentric[1:].tolist(), exact[1:3], strict=True):
                assert abs(Fraction(weight) - max(right, 0)) <= 2 * Fraction(EPS)
