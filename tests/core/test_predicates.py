# SPDX-License-Identifier: GPL-3.0-or-later
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standalone_core.predicates import edge_function, tie_broken_sign

from . import oracle

finite = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True)
moderate = st.floats(min_value=-1e150, max_value=1e150)


def signs(quadruples):
    """Signs of the edge functions of rows (ax, ay, bx, by)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sign(edge_function(*np.array(quadruples, dtype=float).T)).tolist()


def exact_signs(quadruples):
    return [oracle.sign(oracle.edge_function(*map(float, q))) for q in quadruples]


def near_ties(rng, count, exponents):
    """Nearly parallel vectors: b is a multiple of a, then moved by a last digit or none."""
    a = rng.normal(size=(count, 2)) * 2.0 ** rng.integers(*exponents, (count, 1))
    b = a * 2.0 ** rng.integers(-8, 8, (count, 1)) * rng.uniform(0.5, 2, (count, 1))
    steps = rng.integers(-1, 2, (count, 2))
    b = np.where(steps == 0, b, np.nextafter(b, np.where(steps > 0, np.inf, -np.inf)))
    return np.concatenate([a, b], axis=1)


def exact_ties(rng, count, exponents):
    """Parallel vectors whose edge function is exactly 0, or off by one in one product."""
    small = rng.integers(1, 2**26, (count, 4)).astype(float)
    k, m, x, y = small.T
    rows = np.stack([k * x, k * y, m * x, m * y], axis=1)
    rows[::3, 3] += 1
    return rows * 2.0 ** rng.integers(*exponents, (count, 1))


@pytest.mark.parametrize("make", [near_ties, exact_ties])
@pytest.mark.parametrize(
    "exponents",
    [(-3, 3), (-100, -90), (90, 100), (-540, -500), (-1050, -1000), (440, 480)],
    ids=["at 1", "small", "large", "underflowing", "denormal", "very large"],
)
def test_edge_function_has_the_exact_sign_of_near_ties(rng, make, exponents):
    rows = make(rng, 1500, exponents)
    expected = exact_signs(rows)
    assert signs(rows) == expected
    assert len(set(expected)) > 1


def test_edge_function_has_the_exact_sign_where_float64_alone_says_0(rng):
    rows = near_ties(rng, 4000, (-3, 3))
    ax, ay, bx, by = rows.T
    rows = rows[ax * by - ay * bx == 0]
    expected = exact_signs(rows)
    assert len(rows) > 50
    assert expected.count(0) < len(rows) / 2
    assert signs(rows) == expected


@given(st.lists(st.tuples(finite, finite, finite, finite), min_size=1, max_size=20))
@settings(max_examples=200)
def test_edge_function_has_the_exact_sign_of_any_finite_numbers(rows):
    assert signs(rows) == exact_signs(rows)


@given(st.tuples(moderate, moderate, moderate, moderate))
@settings(max_examples=200)
def test_edge_function_has_the_exact_sign_of_any_numbers_whose_products_are_finite(row):
    assert signs([row]) == exact_signs([row])


@pytest.mark.parametrize(
    "row",
    [
        (5e-324, 5e-324, 5e-324, 5e-324),
        (5e-324, 1e-323, 5e-324, 5e-324),
        (1e-200, 1e-200, 2e-200, 1e-200),
        (1e-200, 1e-200, 1e-200, 1e-200),
        (0.0, 1e-200, 1e-200, 1.0),
        (0.0, 1e-200, 1e-200, 0.0),
        (1e-320, 1.0, 1e-320, 1.0),
        (1e300, 1e-300, 1e300, 1e-300),
        (1e300, 1e-300, np.nextafter(1e300, 0), 1e-300),
        (0.0, 0.0, 0.0, 0.0),
        (-0.0, 1.0, 0.0, -1.0),
        (2.0**53 + 2, 2.0**53, 2.0**53, 2.0**53 - 2),
    ],
)
def test_edge_function_has_the_exact_sign_of_tiny_and_of_uneven_numbers(row):
    assert signs([row]) == exact_signs([row])


@pytest.mark.parametrize(
    "row",
    [
        (1e200, 1e200, 1e200, 2e200),
        (1e200, 1e200, 2e200, 1e200),
        (1e200, 1e200, 1e200, 1e200),
        (1.7e308, 1.6e308, 1.6e308, 1.7e308),
        (-1e308, 1e308, 1e308, 1e308),
    ],
)
def test_edge_function_has_the_exact_sign_of_huge_numbers(row):
    assert signs([row]) == exact_signs([row])


@given(st.tuples(moderate, moderate, moderate, moderate))
@settings(max_examples=200)
def test_swapping_the_ends_of_an_edge_gives_exactly_the_negative(row):
    ax, ay, bx, by = (np.array([x]) for x in row)
    assert edge_function(ax, ay, bx, by)[0] == -edge_function(bx, by, ax, ay)[0]


def test_edge_function_is_accurate_where_it_cancels(rng):
    rows = near_ties(rng, 500, (-3, 3))
    actual = edge_function(*rows.T)
    for value, row in zip(actual, rows, strict=True):
        expected = oracle.edge_function(*row)
        size = abs(Fraction(row[0]) * Fraction(row[3]))
        assert abs(Fraction(float(value)) - expected) <= size * Fraction(2) ** -52


def test_what_is_not_finite_stays_so_and_harms_no_other():
    columns = np.array([[np.nan, 1, 1, 1], [1, np.inf, 1, 1], [1, 2, 3, 4], [2, 1, 4, 2]]).T
    with np.errstate(invalid="ignore"):
        values = edge_function(*columns)
    assert not np.isfinite(values[:2]).any()
    assert values[2:].tolist() == [-2, 0]


def test_a_tie_goes_to_the_side_of_a_point_moved_by_e_and_e_squared(rng):
    e = Fraction(1, 2**200)
    rows = rng.integers(-3, 4, (2000, 4)).astype(float)
    value = edge_function(*rows.T)
    sides = tie_broken_sign(value, *rows.T).tolist()
    ties = 0
    for side, exact_value, row in zip(sides, value.tolist(), rows.tolist(), strict=True):
        ax, ay, bx, by = map(Fraction, row)
        moved = (ax - e) * (by - e * e) - (ay - e * e) * (bx - e)
        assert side == oracle.sign(moved)
        ties += exact_value == 0
    assert ties > 100


def test_only_an_edge_without_length_has_no_side(rng):
    ax, ay, bx, by = rng.integers(-2, 3, (4, 3000)).astype(float)
    sides = tie_broken_sign(edge_function(ax, ay, bx, by), ax, ay, bx, by)
    assert ((sides == 0) == ((ax == bx) & (ay == by))).all()


def test_the_two_triangles_at_an_edge_see_opposite_sides(rng):
    ax, ay, bx, by = rng.integers(-3, 4, (4, 2000)).astype(float)
    there = tie_broken_sign(edge_function(ax, ay, bx, by), ax, ay, bx, by)
    back = tie_broken_sign(edge_function(bx, by, ax, ay), bx, by, ax, ay)
    np.testing.assert_array_equal(there, -back)
