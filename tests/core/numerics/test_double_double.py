# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums and products with their rounding errors, against rational arithmetic."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standalone_core.numerics.double_double import (
    determinant2,
    two_difference,
    two_product,
    two_sum,
)

from .. import oracle
from ..oracle import EPS

PAIRS = {two_sum: operator.add, two_difference: operator.sub, two_product: operator.mul}
each_function = pytest.mark.parametrize("function", PAIRS, ids=lambda f: f.__name__)

any_size = st.floats(-1e145, 1e145)
no_tiny = any_size.filter(lambda x: x == 0 or abs(x) > 1e-130)


def exact_sum(pair):
    return Fraction(float(pair[0])) + Fraction(float(pair[1]))


def assert_is_exact(function, a, b):
    """The pair is the exact result, its first part that result rounded."""
    high, low = function(a, b)
    assert high == PAIRS[function](a, b)
    assert exact_sum((high, low)) == PAIRS[function](Fraction(a), Fraction(b))


def near_numbers(rng, count, exponents):
    """Pairs of numbers whose sums cancel, whose digits are full, or which are simple."""
    a = rng.normal(size=count) * 2.0 ** rng.integers(*exponents, count)
    b = a * rng.choice([-1, 1, 0.5, 2.0**-53, 3], count)
    b = np.where(rng.random(count) < 0.7, np.nextafter(b, rng.choice([-np.inf, np.inf], count)), b)
    return a.tolist(), b.tolist()


@each_function
@pytest.mark.parametrize("exponents", [(-3, 3), (-400, -300), (300, 400)])
def test_a_pair_is_the_exact_result_of_its_rounded_part_and_error(rng, function, exponents):
    for a, b in zip(*near_numbers(rng, 500, exponents), strict=True):
        assert_is_exact(function, a, b)


@given(any_size, any_size)
@settings(max_examples=200)
def test_a_pair_is_the_exact_sum_or_difference_of_any_numbers(a, b):
    assert_is_exact(two_sum, a, b)
    assert_is_exact(two_difference, a, b)


@given(no_tiny, no_tiny)
@settings(max_examples=200)
def test_a_pair_is_the_exact_product_where_its_error_does_not_underflow(a, b):
    assert_is_exact(two_product, a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.0, 0.0), (1.0, -1.0), (5e-324, 5e-324), (1e308, 7e307), (1.0, 2.0**-60), (2.0**-60, 1.0)],
)
def test_sums_are_exact_at_the_ends_of_the_range(a, b):
    assert_is_exact(two_sum, a, b)
    assert_is_exact(two_difference, a, b)


def test_the_error_of_a_product_that_underflows_is_no_larger_than_the_least_numbers(rng):
    a, b = (rng.normal(size=500) * 10.0 ** rng.uniform(-160, -140, 500) for _ in range(2))
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        error = exact_sum(two_product(x, y)) - Fraction(x) * Fraction(y)
        assert abs(error) <= 8 * Fraction(5e-324)


def pairs_of(rng, count, exponent=4):
    """Numbers as high + low, each low a rounding error's size or 0."""
    high = rng.normal(size=count) * 2.0 ** rng.integers(-exponent, exponent, count)
    low = high * 2.0**-54 * rng.uniform(-1, 1, count) * rng.integers(0, 2, count)
    return high, low


def near_determinants(rng, count):
    """Four pairs each, of which a d nearly is b c or is it exactly."""
    a, b, c = (pairs_of(rng, count) for _ in range(3))
    d = b[0] * c[0] / a[0]
    d = np.where(rng.random(count) < 0.5, np.nextafter(d, np.inf), d)
    low = d * 2.0**-54 * rng.uniform(-1, 1, count)
    same = rng.random(count) < 0.2
    b, c = ([np.where(same, p, q) for p, q in zip(a, x, strict=True)] for x in (b, c))
    return a, b, c, (np.where(same, a[0], d), np.where(same, a[1], low))


def rows_of(columns):
    """Columns of pairs as rows of pairs of floats."""
    pairs = ([(float(h), float(low)) for h, low in zip(*pair, strict=True)] for pair in columns)
    return zip(*pairs, strict=True)


def any_determinants(rng, count):
    return tuple(pairs_of(rng, count) for _ in range(4))


@pytest.mark.parametrize("make", [near_determinants, any_determinants])
def test_a_determinant_of_pairs_is_right_to_16_eps_of_the_size_of_its_low_part(rng, make):
    for a, b, c, d in rows_of(make(rng, 1500)):
        high, low, size = determinant2(a, b, c, d)
        p, q = exact_sum(a) * exact_sum(d), exact_sum(b) * exact_sum(c)
        error = abs(exact_sum((high, low)) - (p - q))
        assert error <= 16 * Fraction(EPS) * Fraction(size)
        assert abs(Fraction(low)) <= 2 * Fraction(size)
        assert size <= 4 * EPS * float(abs(p) + abs(q))


def test_a_determinant_whose_low_part_has_no_size_is_exact(rng):
    exact = 0
    for _ in range(3000):
        numbers = (rng.integers(-9, 10, 4) * 2.0 ** rng.integers(0, 40, 4)).tolist()
        high, low, size = determinant2(*((x, 0.0) for x in numbers))
        a, b, c, d = map(Fraction, numbers)
        assert low == size == 0 or size > 0
        if size == 0:
            assert Fraction(high) == a * d - b * c
            exact += 1
    assert exact > 1500


def test_a_determinant_of_numbers_without_errors_has_the_exact_sign(rng):
    ties = 0
    for a, b, c, d in rows_of(near_determinants(rng, 1500)):
        high, low, _ = determinant2(*((x[0], 0.0) for x in (a, b, c, d)))
        exact = Fraction(a[0]) * Fraction(d[0]) - Fraction(b[0]) * Fraction(c[0])
        assert oracle.sign(exact_sum((high, low))) == oracle.sign(exact)
        ties += exact == 0
    assert 100 < ties < 1000


@pytest.mark.parametrize("order", [(1, 0, 3, 2), (2, 3, 0, 1)], ids=["columns", "rows"])
def test_swapping_two_columns_or_rows_gives_exactly_the_negative(rng, order):
    columns = near_determinants(rng, 500)
    high, low, size = determinant2(*columns)
    other_high, other_low, other_size = determinant2(*(columns[i] for i in order))
    np.testing.assert_array_equal(high, -other_high)
    np.testing.assert_array_equal(low, -other_low)
    np.testing.assert_allclose(size, other_size, rtol=1e-15)


@each_function
@pytest.mark.parametrize("exponents", [(-3, 3), (-1050, -500), (900, 1020)])
def test_floats_and_arrays_give_the_same_bits(rng, function, exponents):
    a, b = near_numbers(rng, 300, exponents)
    with np.errstate(all="ignore"):
        columns = function(np.array(a), np.array(b))
    singly = np.array([function(x, y) for x, y in zip(a, b, strict=True)]).T
    np.testing.assert_array_equal(columns, singly)


def test_floats_and_arrays_give_the_same_bits_of_a_determinant(rng):
    columns = near_determinants(rng, 300)
    singly = [determinant2(*row) for row in rows_of(columns)]
    np.testing.assert_array_equal(determinant2(*columns), np.array(singly).T)
