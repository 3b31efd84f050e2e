# SPDX-License-Identifier: GPL-3.0-or-later
import math

import numpy as np
import pytest

from standalone_core.numerics import arrays

from .. import oracle
from ..scales import at_every_scale

SIZES = [5e-324, 1e-310, 1e-200, 1e-30, 1.0, 1e30, 1e200, 1e307]


def test_dot_and_cross_are_those_of_exact_arithmetic(rng):
    a, b = rng.normal(size=(2, 50, 3))
    for u, v, d, c in zip(a, b, arrays.dot(a, b), arrays.cross(a, b), strict=True):
        p, q = oracle.exact((u, v))
        assert d == pytest.approx(float(oracle.dot(p, q)), abs=1e-14)
        np.testing.assert_allclose(c, oracle.approximate(oracle.cross(p, q)), atol=1e-14)


def test_a_batch_has_the_bits_of_its_rows(rng):
    a, b = rng.normal(size=(2, 100, 3))
    for function in (arrays.dot, arrays.cross):
        rows = [function(u, v) for u, v in zip(a, b, strict=True)]
        np.testing.assert_array_equal(function(a, b), rows)


@pytest.mark.parametrize("size", SIZES)
def test_length_neither_overflows_nor_underflows(size):
    vector = np.array((0, 3, -4)) * size
    expected = float(oracle.length(oracle.exact(vector)))
    assert arrays.length(vector) == pytest.approx(expected, rel=1e-15)


def test_length_of_nothing_is_0():
    assert arrays.length(np.zeros((2, 3))).tolist() == [0, 0]


@pytest.mark.parametrize("size", SIZES)
def test_normalized_has_length_1(size):
    unit = arrays.normalized(np.array((0, size, -size)))
    np.testing.assert_allclose(unit, (0, math.sqrt(0.5), -math.sqrt(0.5)), rtol=1e-15)


@pytest.mark.parametrize("vector", [(0, 0, 0), (0, np.nan, 1), (np.inf, 0, 0), (1, -np.inf, 0)])
def test_normalized_is_nan_where_there_is_no_direction(vector):
    both = np.array([vector, (0, 0, 2)], dtype=float)
    unit = arrays.normalized(both)
    assert not np.isfinite(unit[0]).all()
    assert unit[1].tolist() == [0, 0, 1]


@at_every_scale
def test_power_of_two_is_one_and_is_near(rng, scale):
    sizes = rng.uniform(0.1, 10, 200) * scale
    powers = arrays.power_of_two(sizes)
    assert (np.frexp(powers)[0] == 0.5).all()
    assert (powers > sizes).all()
    assert (powers <= 2 * sizes).all()


@pytest.mark.parametrize("size", [0.0, np.nan, np.inf, -np.inf])
def test_power_of_two_of_no_size_is_1(size):
    assert arrays.power_of_two(size) == 1


@pytest.mark.parametrize("size", [5e-324, 1.7e308])
def test_dividing_by_a_power_of_two_is_finite_at_the_ends_of_float64(size):
    assert 0 < size / arrays.power_of_two(size) < 2
