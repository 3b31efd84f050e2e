# SPDX-License-Identifier: GPL-3.0-or-later
"""The three point-in-triangle tests: what they have in common, and the formula of each."""

import itertools
import math

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle

from .. import meshes, oracle
from ..scales import at_every_scale

METHODS = {
    "angle_sum": sc.triangle.contains_angle_sum,
    "same_side": sc.triangle.contains_same_side,
    "barycentric": sc.triangle.contains_barycentric,
}
each_method = pytest.mark.parametrize("contains", METHODS.values(), ids=METHODS)

A, B, C = TRIANGLE = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])


def places(rng, count=200):
    """Weights of points of the plane, inside or outside by a part in 1000 or more."""
    weights = rng.dirichlet((1, 1, 1), count) + rng.normal(size=(count, 3)) * 0.2
    weights[:, 0] = 1 - weights[:, 1] - weights[:, 2]
    return weights[np.abs(weights).min(axis=1) > 1e-3]


@each_method
@at_every_scale
def test_contains_agrees_with_the_signs_of_the_exact_weights(rng, contains, scale):
    corners = rng.normal(size=(3, 3)) * scale
    points = places(rng) @ corners
    expected = []
    for point in points:
        weights = oracle.barycentric(*oracle.exact((point, *corners)))
        expected.append(all(w >= 0 for w in weights))
    assert contains(points, *corners).tolist() == expected
    assert [contains(p, *corners) for p in points] == expected
    assert 20 < sum(expected) < len(expected) - 20


@each_method
def test_contains_agrees_with_the_exact_weights_far_from_the_origin(contains):
    far = np.array((1e6, -1e6, 1e6))
    corners = far + [(0, 0, 5), (3, 1, 5), (1, 3, 5)]
    for x, y in itertools.product(range(-1, 5), repeat=2):
        point = far + (x, y, 5)
        weights = oracle.barycentric(*oracle.exact((point, *corners)))
        assert contains(point, *corners) == all(w >= 0 for w in weights)


@each_method
def test_contains_answers_one_point_with_a_bool(contains):
    assert contains((1, 1, 0), A, B, C) is True
    assert contains((3, 3, 0), A, B, C) is False


@each_method
@at_every_scale
@pytest.mark.parametrize(
    "point", [(0, 0, 0), (4, 0, 0), (0, 4, 0), (2, 0, 0), (0, 1, 0), (2, 2, 0), (1, 1, 0)]
)
def test_corners_and_borders_are_contained(contains, scale, point):
    assert contains(np.array(point) * scale, *(TRIANGLE * scale)) is True


@each_method
@at_every_scale
@pytest.mark.parametrize(
    "point", [(-1e-6, 1, 0), (1, -1e-6, 0), (2 + 1e-6, 2, 0), (4.000001, 0, 0), (9, 9, 0)]
)
def test_points_beyond_a_border_are_not_contained(contains, scale, point):
    assert contains(np.array(point) * scale, *(TRIANGLE * scale)) is False


@each_method
def test_the_order_of_the_corners_does_not_matter(rng, contains):
    points = places(rng) @ TRIANGLE
    expected = contains(points, A, B, C).tolist()
    for corners in ((B, C, A), (C, A, B), (A, C, B), (C, B, A), (B, A, C)):
        assert contains(points, *corners).tolist() == expected


@each_method
def test_contains_holds_in_a_turned_plane(rng, contains):
    weights = places(rng)
    corners = rng.normal(size=(3, 3)) @ meshes.rotation(rng).T
    expected = (weights > 0).all(axis=1).tolist()
    assert contains(weights @ corners, *corners).tolist() == expected


@pytest.mark.parametrize("contains", [METHODS["same_side"], METHODS["barycentric"]])
@pytest.mark.parametrize("height", [1e-9, 1.0, 1e9])
def test_off_plane_points_are_judged_by_their_foot(contains, height):
    assert contains((1, 1, height), A, B, C) is True
    assert contains((1, 1, -height), A, B, C) is True
    assert contains((3, 3, height), A, B, C) is False


@pytest.mark.parametrize("height", [1e-3, 1.0, 1e9])
def test_off_plane_points_see_less_than_360_degrees_and_are_not_contained(height):
    for side in (height, -height):
        assert sc.triangle.contains_angle_sum((1, 1, side), A, B, C) is False
        assert sc.triangle.contains_angle_sum((3, 3, side), A, B, C) is False


@each_method
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_triangle_that_is_not_finite_contains_nothing(contains, bad):
    for corner in range(3):
        corners = TRIANGLE.copy()
        corners[corner, 1] = bad
        assert contains((1, 1, 0), *corners) is False


@pytest.mark.parametrize("contains", [METHODS["same_side"], METHODS["barycentric"]])
@at_every_scale
def test_a_triangle_without_area_contains_nothing(contains, scale):
    a, b = np.array([[1, 2, 4], [3, 6, 12]]) * scale
    for corners in ((a, a, a), (a, b, b), (a, b, (a + b) / 2)):
        assert contains(a, *corners) is False
        assert contains((a + b) / 2, *corners) is False


def test_angle_sum_on_a_triangle_without_area_contains_what_lies_on_it():
    contains = sc.triangle.contains_angle_sum
    assert contains((2, 0, 0), (0, 0, 0), (4, 0, 0), (4, 0, 0)) is True
    assert contains((2, 1, 0), (0, 0, 0), (4, 0, 0), (4, 0, 0)) is False


@each_method
def test_points_and_triangles_broadcast(contains):
    points = np.array([(1, 1, 0), (3, 3, 0), (5, 5, 0)], float)
    shifts = np.array([(0, 0, 0), (4, 4, 0)], float)[:, None]
    answer = contains(points, A + shifts, B + shifts, C + shifts)
    assert answer.tolist() == [[True, False, False], [False, False, True]]


@each_method
def test_a_point_of_the_wrong_shape_is_refused(contains):
    with pytest.raises(errors.ShapeError, match="point must have shape"):
        contains((1, 1), A, B, C)


@pytest.mark.parametrize("kind", [tuple, list, np.array], ids=["tuple", "list", "array"])
def test_one_point_is_the_same_to_the_last_bit_as_one_of_many(rng, kind):
    corners = rng.normal(size=(300, 3, 3))
    corners[:20, 2] = corners[:20, 1] * (1 + 1e-12)
    corners[20:30, 2] = corners[20:30, 1]
    corners[30, 0] = np.nan
    corners[40:60] *= 1e200
    corners[60:80] *= 1e-200
    corners[80:90] *= 3e307
    weights = rng.dirichlet((1, 1, 1), 300)
    weights[::3] = rng.normal(size=(100, 3))
    weights[1::7] = (0, 0.5, 0.5)
    weights[2::9] = (1, 0, 0)
    with np.errstate(all="ignore"):
        points = np.einsum("ni,nij->nj", weights, corners)
    for name in ("barycentric", "contains_angle_sum", "contains_barycentric", "contains_same_side"):
        test = getattr(sc.triangle, name)
        many = test(points, *corners.swapaxes(0, 1))
        for row in range(300):
            one = test(kind(points[row].tolist()), *(kind(c) for c in corners[row].tolist()))
            np.testing.assert_array_equal(one, many[row])
            assert name == "barycentric" or isinstance(one, bool)


def test_interpolation_of_one_point_is_the_same_as_of_many(rng):
    values, weights = rng.normal(size=(50, 3, 4)), rng.normal(size=(50, 3))
    weights[:, 0] = 1.0 - weights[:, 1] - weights[:, 2]
    many = sc.triangle.interpolate(values, weights)
    for row in range(50):
        assert sc.triangle.interpolate(values[row], weights[row]).tolist() == many[row].tolist()
    huge = sc.triangle.interpolate([[1e308], [-1e308], [0]], (0.0, 1.0, 0.0))
    assert huge.tolist() == [-1e308]


contains_angle_sum = sc.triangle.contains_angle_sum


def angle_sum(point, corners):
    """The three angles under which the edges are seen, added up, by the arccosine."""
    sides = corners - point
    sides /= np.linalg.norm(sides, axis=1)[:, None]
    return sum(math.acos(np.clip(sides[i] @ sides[i - 1], -1, 1)) for i in range(3))


def test_angle_sum_the_three_angles_seen_from_p_add_up_to_360_degrees(rng):
    answers = set()
    for _ in range(200):
        corners = rng.normal(size=(3, 3))
        aside = rng.normal(size=3) * 0.4
        point = (np.full(3, 1 / 3) + aside - aside.mean()) @ corners
        total = math.degrees(angle_sum(point, corners))
        expected = total > 359.9999
        answers.add(expected)
        assert contains_angle_sum(point, *corners) == expected
    assert answers == {True, False}


def test_angle_sum_seen_from_above_the_middle_is_less_than_360_degrees():
    corners = np.array([[1.0, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]])
    assert math.degrees(angle_sum(np.array((0, 0, 1e-2)), corners)) < 360
    assert not contains_angle_sum((0, 0, 1e-2), *corners)
    assert contains_angle_sum((0, 0, 0), *corners)


def test_a_triangle_with_corners_that_are_not_finite_contains_nothing():
    assert not triangle.contains_angle_sum((0, 0, 0), (0, 0, 0), (np.nan, 0, 0), (0, 1, 0))


def on_the_same_side(p, q, start, end):
    """Whether two points are on the same side of a line, by cross and dot products."""
    edge = oracle.sub(end, start)
    normals = [oracle.cross(edge, oracle.sub(x, start)) for x in (p, q)]
    return oracle.dot(*normals) >= 0


def test_same_side_p_is_with_c_of_ab_with_a_of_bc_and_with_b_of_ca(rng):
    answers = set()
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        aside = rng.normal(size=3) * 0.4
        point = (1 / 3 + aside - aside.mean()) @ corners
        p, a, b, c = oracle.exact((point, *corners))
        expected = (
            on_the_same_side(p, c, a, b)
            and on_the_same_side(p, a, b, c)
            and on_the_same_side(p, b, c, a)
        )
        answers.add(expected)
        assert sc.triangle.contains_same_side(point, *corners) == expected
    assert answers == {True, False}


def test_same_side_is_exact_on_a_lattice():
    a, b, c = (0, 0, 0), (3, 1, 0), (1, 3, 0)
    for x, y in itertools.product(range(-1, 5), repeat=2):
        weights = oracle.barycentric(*oracle.exact(((x, y, 0), a, b, c)))
        expected = all(w >= 0 for w in weights)
        assert sc.triangle.contains_same_side((x, y, 0), a, b, c) == expected


def coordinates(p, a, b, c):
    """u and v of v2 = u v0 + v v1 by dot products, v0 = C - A, v1 = B - A, v2 = P - A."""
    v0, v1, v2 = oracle.sub(c, a), oracle.sub(b, a), oracle.sub(p, a)
    d00, d01, d11 = oracle.dot(v0, v0), oracle.dot(v0, v1), oracle.dot(v1, v1)
    d02, d12 = oracle.dot(v0, v2), oracle.dot(v1, v2)
    scale = d00 * d11 - d01 * d01
    return (d11 * d02 - d01 * d12) / scale, (d00 * d12 - d01 * d02) / scale


def test_barycentric_u_at_least_0_v_at_least_0_and_u_plus_v_at_most_1(rng):
    answers = set()
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        aside = rng.normal(size=3) * 0.4
        point = (1 / 3 + aside - aside.mean()) @ corners
        u, v = coordinates(*oracle.exact((point, *corners)))
        expected = u >= 0 and v >= 0 and u + v <= 1
        answers.add(expected)
        assert sc.triangle.contains_barycentric(point, *corners) == expected
    assert answers == {True, False}


def test_barycentric_u_is_the_weight_of_c_and_v_that_of_b(rng):
    for _ in range(50):
        point, a, b, c = rng.normal(size=(4, 3))
        u, v = coordinates(*oracle.exact((point, a, b, c)))
        wa, wb, wc = sc.triangle.barycentric(point, a, b, c)
        tolerance = 1e-11 * (1 + abs(float(u)) + abs(float(v)))
        assert abs(wb - float(v)) < tolerance
        assert abs(wc - float(u)) < tolerance
        assert abs(wa - float(1 - u - v)) < tolerance
