# SPDX-License-Identifier: GPL-3.0-or-later
"""Normals of triangles are right to the last digits."""

import numpy as np

from standalone_core.numerics.point_triangle import triangle_normals

from .. import oracle

EPS = 2.0**-52


def exact_normal(a, b, c):
    """The unit normal by fractions, rounded once; None without area."""
    a, b, c = (oracle.exact(corner) for corner in (a, b, c))
    normal = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
    size = oracle.length(normal)
    return oracle.approximate(oracle.scaled(normal, 1 / size)) if size else None


def test_normals_are_those_of_fractions_however_narrow_triangles_are(rng):
    a, b = rng.normal(size=(2, 300, 3))
    share = rng.random((300, 1))
    height = 10.0 ** rng.uniform(-15, 0, (300, 1))
    c = a + share * (b - a) + height * rng.normal(size=(300, 3))
    scale = 10.0 ** rng.integers(-200, 200, (300, 1))
    a, b, c = a * scale, b * scale, c * scale
    wanted = np.array([exact_normal(*corners) for corners in zip(a, b, c, strict=True)])
    assert np.abs(triangle_normals(a, b, c) - wanted).max() <= 3 * EPS


def test_far_from_the_origin_normals_are_as_right(rng):
    a, b, c = 1e6 + 1e-6 * rng.normal(size=(3, 200, 3))
    wanted = np.array([exact_normal(*corners) for corners in zip(a, b, c, strict=True)])
    assert np.abs(triangle_normals(a, b, c) - wanted).max() <= 3 * EPS


def test_at_the_ends_of_float64_there_is_a_normal():
    corner = np.array([[-1.7e308, 0, 0]])
    up = triangle_normals(corner, -corner, np.array([[0, 1.7e308, 0]]))
    np.testing.assert_array_equal(up, [[0, 0, 1]])
    tiny = np.array([[5e-324, 0, 0], [0, 5e-324, 0]])
    np.testing.assert_array_equal(triangle_normals(np.zeros(3), *tiny), [0, 0, 1])


def test_corners_on_a_line_have_none(rng):
    a, way = rng.integers(-99, 99, (2, 100, 3)).astype(float)
    steps = rng.integers(-9, 9, (2, 100, 1))
    assert np.isnan(triangle_normals(a, a + steps[0] * way, a + steps[1] * way)).all()


def test_on_a_line_not_even_what_twice_the_digits_round_counts(rng):
    start = rng.integers(-(2**53), -(2**53) + 2**40, (300, 3))
    way = 2 * rng.integers(2**49, 2**50, (300, 3)) + 1
    a, b, c = start.astype(float), (start + 5 * way).astype(float), (start + 7 * way).astype(float)
    assert all(exact_normal(*corners) is None for corners in zip(a, b, c, strict=True))
    assert np.isnan(triangle_normals(a, b, c)).all()


def test_corners_that_are_not_finite_have_none():
    for wrong in (np.nan, np.inf, -np.inf):
        assert np.isnan(triangle_normals(np.array([wrong, 0, 0]), np.ones(3), np.eye(3)[1])).all()
