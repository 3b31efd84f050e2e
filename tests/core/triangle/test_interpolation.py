# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import oracle

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
