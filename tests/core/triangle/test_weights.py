# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

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


interpolate = sc.triangle.interpolate


def mixed(values, weights):
    """T1 + U (T2 - T1) + V (T3 - T1), exactly."""
    t1, t2, t3 = oracle.exact(values)
    _, u, v = oracle.exact(weights)
    second = oracle.scaled(oracle.sub(t2, t1), u)
    third = oracle.scaled(oracle.sub(t3, t1), v)
    return oracle.approximate(oracle.add(t1, oracle.add(second, third)))


@pytest.mark.parametrize(
    ("quantity", "components"), [("texture coordinate", 2), ("colour", 4), ("normal", 3)]
)
def test_interpolate_is_t1_plus_u_t2_minus_t1_plus_v_t3_minus_t1(rng, quantity, components):
    for _ in range(50):
        values, weights = rng.normal(size=(3, components)), rng.dirichlet((1, 1, 1))
        actual = interpolate(values, weights)
        np.testing.assert_allclose(actual, mixed(values, weights), atol=1e-15, err_msg=quantity)


def test_texture_coordinate_of_a_hit():
    mesh = sc.Mesh([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])
    hit = mesh.ray_cast((1, 2, 5), (0, 0, -1))
    uv = interpolate([[0, 0], [1, 0], [0, 0.5]], hit.barycentric)
    assert uv.tolist() == [0.25, 0.25]


@pytest.mark.parametrize("corner", range(3))
def test_a_corner_has_its_own_value(rng, corner):
    values = rng.normal(size=(3, 4))
    np.testing.assert_allclose(interpolate(values, np.eye(3)[corner]), values[corner], atol=1e-15)


def test_equal_values_stay_exactly_what_they_are(rng):
    for value in rng.normal(size=100) * 1e10:
        assert interpolate(np.full((3, 1), value), rng.dirichlet((1, 1, 1))).tolist() == [value]


def test_three_plain_numbers_give_a_number(rng):
    answer = interpolate((1.0, 2.0, 4.0), (0.5, 0.25, 0.25))
    assert np.shape(answer) == ()
    assert answer == 2.0


def test_many_weights_mix_the_values_of_one_triangle_or_of_many(rng):
    weights = rng.dirichlet((1, 1, 1), 5)
    one, many = rng.normal(size=(3, 2)), rng.normal(size=(5, 3, 2))
    for values, each in ((one, lambda _: one), (many, lambda i: many[i])):
        answer = interpolate(values, weights)
        assert answer.shape == (5, 2)
        for i in range(5):
            np.testing.assert_array_equal(answer[i], interpolate(each(i), weights[i]))


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.zeros(4), 1.0])
def test_values_that_are_not_of_three_vertices_are_refused(values):
    with pytest.raises(errors.ShapeError, match="values must have shape"):
        interpolate(values, (1, 0, 0))


def test_weights_must_be_three():
    with pytest.raises(errors.ShapeError, match="weights must have shape"):
        interpolate(np.zeros((3, 2)), (1, 0))


@pytest.mark.parametrize(
    "weights", [(0.5, 0.5, 0.5), (0, 0, 0), (1, 0, 1e-4), (np.inf, 0, 0), (np.inf, -np.inf, 1)]
)
def test_weights_that_do_not_add_up_to_one_are_refused(weights):
    with pytest.raises(errors.ArgumentError, match="weights must add up to 1"):
        interpolate((1, 2, 3), weights)
    with pytest.raises(errors.ArgumentError, match="weights must add up to 1"):
        interpolate((1, 2, 3), [(1, 0, 0), weights])


def test_weights_may_be_rounded_to_float32_also_those_of_far_places(rng):
    for scale in (1.0, 1e3, 1e6):
        weights = rng.normal(size=(100, 3)) * scale
        weights[:, 0] = 1.0 - weights[:, 1] - weights[:, 2]
        rounded = weights.astype(np.float32)
        assert interpolate((1, 2, 3), rounded).shape == (100,)


def test_weights_of_a_miss_give_nan_and_disturb_no_other_row():
    weights = [(np.nan, 0, 0), (0.5, 0.25, 0.25), (np.nan,) * 3]
    assert np.isnan(interpolate((5, 5, 5), weights)).tolist() == [True, False, True]
    assert interpolate((1, 2, 4), weights)[1] == 2.0


def test_infinite_values_count_where_their_weight_is_not_zero():
    weights = [(1, 0, 0), (0, 1, 0), (0.5, 0.5, 0), (0, 0.5, 0.5)]
    answer = interpolate((1.0, np.inf, -np.inf), weights)
    np.testing.assert_array_equal(answer, [1.0, np.inf, np.inf, np.nan])
    assert interpolate((np.inf,) * 3, (1.5, -0.25, -0.25)) == np.inf


def test_huge_values_of_both_signs_mix_to_what_is_between_them():
    assert interpolate((1.5e308, -1.5e308, 0), (0.5, 0.25, 0.25)) == 0.375e308


@pytest.mark.parametrize("components", [1, 2, 3, 4])
def test_a_place_in_plain_numbers_gets_the_bits_that_arrays_give(rng, components):
    for values in rng.normal(size=(50, 3, components)) * 10.0 ** rng.uniform(-9, 9, (50, 1, 1)):
        weights = rng.dirichlet((1, 1, 1))
        expected = interpolate(values, weights)
        for kind in (tuple, list):
            plain = interpolate(kind(map(kind, values.tolist())), kind(weights.tolist()))
            np.testing.assert_array_equal(plain, expected)
            assert (plain.dtype, plain.shape) == (expected.dtype, expected.shape)
    alone = interpolate([1.0, 2.0, 4.0], [0.5, 0.25, 0.25])
    assert (type(alone), alone.shape) == (np.ndarray, ())


@pytest.mark.parametrize("kind", ["datetime64[ns]", "timedelta64[ns]", "bool"])
def test_what_is_no_number_is_refused_at_one_place_too(kind):
    with pytest.raises(sc.errors.DtypeError):
        interpolate(np.array([1, 2, 3], kind), (0.5, 0.25, 0.25))
    with pytest.raises(sc.errors.DtypeError):
        sc.Mesh(np.eye(3), [[0, 1, 2]]).ray_cast(np.array([1, 2, 3], kind), (0, 0, 1))
