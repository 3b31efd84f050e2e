# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes, oracle
from .scales import at_every_scale


def test_ray_p_of_t_is_p0_plus_t_u(rng):
    for _ in range(50):
        ray = sc.Ray(rng.normal(size=3), rng.normal(size=3))
        t = float(rng.uniform(0, 100))
        p0, u = oracle.exact(ray.origin), oracle.exact(ray.direction)
        expected = oracle.add(p0, oracle.scaled(u, oracle.exact(t)))
        np.testing.assert_allclose(ray.at(t), oracle.approximate(expected), rtol=1e-14, atol=1e-13)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e-6, 1.0, 1e6, 1e200, 1e308])
def test_u_is_a_unit_vector_whatever_the_length_given(size):
    direction = sc.Ray((0, 0, 0), (0, size, -size)).direction
    np.testing.assert_allclose(direction, [0, 0.5**0.5, -(0.5**0.5)], rtol=1e-15)


def test_u_has_the_direction_given(rng):
    for given in rng.normal(size=(50, 3)) * 10.0 ** rng.integers(-9, 9, (50, 1)):
        v = oracle.exact(given)
        expected = oracle.scaled(v, 1 / oracle.length(v))
        actual = sc.Ray((0, 0, 0), given).direction
        np.testing.assert_allclose(actual, oracle.approximate(expected), rtol=1e-15)


@at_every_scale
def test_t_is_a_length_in_the_callers_space(scale):
    ray = sc.Ray((scale, 0, 0), (0, 3e-9, 4e-9))
    np.testing.assert_allclose(ray.at(5 * scale) / scale, [1, 3, 4], rtol=1e-15)


def test_at_takes_many_t():
    ray = sc.Ray((1, 2, 3), (0, 0, 1))
    assert ray.at([[0, 1], [2, 3]]).shape == (2, 2, 3)
    assert ray.at([0, 1.5])[1].tolist() == [1, 2, 4.5]


def test_a_ray_keeps_its_numbers_when_the_arrays_it_was_made_of_change():
    origin, direction = np.zeros(3), np.array([0.0, 0, 1])
    ray = sc.Ray(origin, direction)
    origin[:], direction[:] = 7, 7
    assert ray.origin.tolist() == [0, 0, 0]
    assert ray.direction.tolist() == [0, 0, 1]


def test_a_ray_cannot_be_changed():
    ray = sc.Ray((0, 0, 0), (0, 0, 1))
    for array in (ray.origin, ray.direction):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_ray_moved_by_a_matrix_takes_the_origin_as_a_point_with_the_divide_by_w(rng):
    for _ in range(50):
        matrix, origin = rng.normal(size=(4, 4)), rng.normal(size=3)
        *point, w = oracle.apply(oracle.exact(matrix), (*oracle.exact(origin), 1))
        expected = oracle.approximate(tuple(x / w for x in point))
        moved = sc.Ray(origin, (0, 0, 1)).transformed(matrix)
        tolerance = 1e-14 * (1 + np.abs(origin).sum()) / abs(float(w))
        np.testing.assert_allclose(moved.origin, expected, rtol=1e-12, atol=10 * tolerance)


def test_ray_moved_by_a_matrix_takes_the_direction_as_a_vector_and_normalises(rng):
    for _ in range(50):
        matrix, ray = rng.normal(size=(4, 4)), sc.Ray((1, 2, 3), rng.normal(size=3))
        linear = tuple(row[:3] for row in oracle.exact(matrix)[:3])
        turned = oracle.apply(linear, oracle.exact(ray.direction))
        expected = oracle.approximate(oracle.scaled(turned, 1 / oracle.length(turned)))
        np.testing.assert_allclose(ray.transformed(matrix).direction, expected, atol=1e-13)


def test_an_affine_matrix_takes_points_of_the_ray_to_points_of_the_moved_ray(rng):
    matrix = meshes.placement(rng.normal(size=(3, 3)), (10, 20, 30))
    ray = sc.Ray(rng.normal(size=3), rng.normal(size=3))
    moved = ray.transformed(matrix)
    for t in (0.0, 0.5, 7.0):
        point = matrix[:3, :3] @ ray.at(t) + matrix[:3, 3]
        along = np.dot(point - moved.origin, moved.direction)
        np.testing.assert_allclose(moved.at(along), point, atol=1e-12)


@at_every_scale
def test_moving_a_ray_by_a_scale_leaves_a_unit_direction(scale):
    moved = sc.Ray((1, 2, 3), (0, 3, 4)).transformed(np.diag([scale, scale, scale, 1]))
    np.testing.assert_allclose(moved.direction, [0, 0.6, 0.8], rtol=1e-15)
    np.testing.assert_allclose(moved.origin / scale, [1, 2, 3], rtol=1e-15)


@pytest.mark.parametrize(
    ("origin", "direction", "error", "words"),
    [
        ((0, 0, 0), (0, 0, 0), errors.DirectionError, "direction.*longer than 0"),
        ((0, 0, 0), (0, np.nan, 1), errors.DirectionError, "direction.*finite"),
        ((0, 0, 0), (0, np.inf, 1), errors.DirectionError, "direction.*finite"),
        ((0, np.nan, 0), (0, 0, 1), errors.NonFiniteError, "origin is not finite at index 1"),
        ((0, 0), (0, 0, 1), errors.ShapeError, r"origin must have shape \(3,\), not \(2,\)"),
        ((0, 0, 0), (0, 0, 1, 0), errors.ShapeError, "direction must have shape"),
        (("a", "b", "c"), (0, 0, 1), errors.DtypeError, "origin must be real numbers"),
        ((0, 0, 1j), (0, 0, 1), errors.DtypeError, "origin must be real numbers"),
        ((0, [0], 1), (0, 0, 1), errors.ShapeError, "origin is not a regular array"),
    ],
)
def test_a_bad_ray_is_refused_with_its_reason(origin, direction, error, words):
    with pytest.raises(error, match=words):
        sc.Ray(origin, direction)


def test_a_matrix_that_flattens_the_direction_is_singular():
    with pytest.raises(errors.SingularMatrixError, match="direction to zero"):
        sc.Ray((0, 0, 0), (0, 0, 1)).transformed(np.diag([1, 1, 0, 1]))


def test_an_origin_moved_to_infinity_is_refused():
    matrix = np.eye(4)
    matrix[3] = (0, 0, 1, 0)
    with pytest.raises(errors.NonFiniteError, match="transformed origin"):
        sc.Ray((1, 1, 0), (0, 0, 1)).transformed(matrix)


@pytest.mark.parametrize("matrix", [np.eye(3), np.full((4, 4), np.nan)])
def test_a_matrix_must_be_four_by_four_and_finite(matrix):
    with pytest.raises(errors.ArgumentError, match="matrix"):
        sc.Ray((0, 0, 0), (0, 0, 1)).transformed(matrix)


def test_the_end_of_a_ray_was_nan_where_it_does_not_move():
    ray = sc.Ray((3, -2, 1), (0, -2, 0))
    assert ray.at(np.inf).tolist() == [3, -np.inf, 1]
    assert ray.at(-np.inf).tolist() == [3, np.inf, 1]
    assert ray.at([0, np.inf]).tolist() == [[3, -2, 1], [3, -np.inf, 1]]
    slanted = sc.Ray((0, 0, 0), (1, 0, -1)).at(np.inf)
    assert slanted.tolist() == [np.inf, 0, -np.inf]
    assert np.isnan(ray.at(np.nan)).all()


@pytest.mark.parametrize("far", [1e308, 1.7e308])
def test_points_of_a_ray_at_the_end_of_float64(far):
    ray = sc.Ray((-far, far, 0), (1, 0, 0))
    assert ray.at(far).tolist() == [0, far, 0]
    assert sc.Ray((0, 0, far), (0, 0, 1)).at(far).tolist() == [0, 0, np.inf]
