# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc

from .. import oracle
from ..scales import at_every_scale

barycentric = sc.triangle.barycentric


@at_every_scale
def test_barycentric_p_is_v1_plus_u_v2_minus_v1_plus_v_v3_minus_v1(rng, scale):
    for _ in range(50):
        corners = rng.normal(size=(3, 3))
        u, v = rng.uniform(-1, 2, 2)
        v1, v2, v3 = corners
        point = v1 + u * (v2 - v1) + v * (v3 - v1)
        weights = barycentric(point * scale, *(corners * scale))
        np.testing.assert_allclose(weights, [1 - u - v, u, v], atol=1e-9)


def test_weight_of_v1_is_1_minus_u_minus_v(rng):
    weights = barycentric(*rng.normal(size=(4, 500, 3)))
    np.testing.assert_array_equal(weights[:, 0], 1 - weights[:, 1] - weights[:, 2])
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("corner", range(3))
@at_every_scale
def test_a_corner_has_all_the_weight_in_the_order_a_b_c(rng, corner, scale):
    corners = rng.normal(size=(3, 3)) * scale
    np.testing.assert_allclose(
        barycentric(corners[corner], *corners), np.eye(3)[corner], atol=1e-13
    )


@at_every_scale
def test_an_off_plane_point_has_the_weights_of_its_foot(rng, scale):
    for _ in range(50):
        corners = rng.normal(size=(3, 3)) * scale
        point = rng.normal(size=3) * 3 * scale
        expected = oracle.approximate(oracle.barycentric(*oracle.exact((point, *corners))))
        actual = barycentric(point, *corners)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


def test_slivers_keep_their_weights():
    point, *corners = (0.5, 2.5e-10, 0), (0, 0, 0), (1, 0, 0), (0.5, 1e-9, 0)
    np.testing.assert_allclose(barycentric(point, *corners), [0.375, 0.375, 0.25], rtol=1e-12)


@at_every_scale
def test_corners_on_one_line_give_nan(scale):
    line = np.outer([1, 2, 5], (1, 2, 4)) * scale
    assert np.isnan(barycentric((0, 0, 0), *line)).all()
    assert np.isnan(barycentric(line[0], line[0], line[0], line[0])).all()


def test_corners_that_are_not_finite_give_nan_and_leave_the_others_alone():
    a = np.array([[0, 0, 0], [np.nan, 0, 0], [0, 0, np.inf]])
    weights = barycentric((1, 1, 0), a, (4, 0, 0), (0, 4, 0))
    assert weights[0].tolist() == [0.5, 0.25, 0.25]
    assert np.isnan(weights[1:]).all()


def test_points_and_triangles_broadcast(rng):
    points, a = rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
    b, c = rng.normal(size=(2, 3))
    weights = barycentric(points, a, b, c)
    assert weights.shape == (5, 4, 3)
    for i, j in np.ndindex(5, 4):
        np.testing.assert_array_equal(weights[i, j], barycentric(points[i, 0], a[j], b, c))
