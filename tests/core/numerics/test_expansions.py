# SPDX-License-Identifier: GPL-3.0-or-later
"""Determinants of which no digit is lost, and what they decide: fractions judge them."""

from fractions import Fraction

import numpy as np
import pytest

from standalone_core.numerics import expansions
from standalone_core.numerics.expansions import TERMS, distilled, edge_rows, fill, quotient
from standalone_core.numerics.ray_triangle import frame_of_many

from .. import oracle, rational
from ..near_ties import columns, exact_side, exact_ties, near_ties, rows, stepped

MAKERS = [near_ties, exact_ties]
each_tie = pytest.mark.parametrize("make", MAKERS)


def total(numbers):
    return sum(map(Fraction, numbers), Fraction(0))


@each_tie
def test_terms_and_what_they_are_distilled_to_have_the_sum_of_the_determinant(rng, make):
    most = 0
    for ray in rows(*make(rng, 200)):
        terms, exact = np.zeros(TERMS), exact_side(*ray)
        count = fill(edge_rows(*ray), (1, 2, 2), terms)
        assert total(terms[:count]) == exact
        high, size = distilled(terms, count)
        assert total(terms[:count]) == exact
        assert high == terms[count - 1]
        assert size == pytest.approx(np.abs(terms[: count - 1]).sum())
        most = max(most, count)
    assert fill([edge_rows(*ray)[1]] * 3, (2, 2, 2), np.zeros(TERMS)) == TERMS > most


@each_tie
def test_determinants_have_the_digits_of_a_pair(rng, make):
    _, d, p, q = make(rng, 2000)
    q[::2] = stepped(rng, (rng.normal(size=(2000, 1)) * d - 3 * p)[::2])  # almost 0
    found = expansions.determinants([expansions.plain(each) for each in columns(d, p, q)])
    pairs = zip(*(each.tolist() for each in found), strict=True)
    for (high, low), vectors in zip(pairs, rows(d, p, q), strict=True):
        exact = oracle.determinant(*map(oracle.exact, vectors))
        assert oracle.sign(high) == oracle.sign(exact)
        assert abs(Fraction(high) + Fraction(low) - exact) <= Fraction(2) ** -75 * abs(exact)


@each_tie
def test_sides_that_are_sure_are_those_of_a_ray_moved_a_little(rng, make):
    ray = make(rng, 1000)
    frames = np.stack(frame_of_many(ray[1]))
    sides, sure = expansions.edge_sides(*(each.T for each in ray), frames)
    for side, is_sure, (o, d, p, q) in zip(sides, sure, rows(*ray), strict=True):
        o, d, p, q = map(oracle.exact, (o, d, p, q))
        moved = oracle.sub(p, o), oracle.sub(q, o)
        assert not is_sure or side == rational.passing_side(d, *moved)
    assert sure.sum() > (900 if make is exact_ties else 0)


def test_a_side_is_not_sure_if_a_difference_is_rounded(rng):
    o, d, p, q = near_ties(rng, 300)
    for end in (p, q):
        end[::2] = o[::2] + d[::2]  # often exact from o, and seldom from the other end
    _, sure = expansions.edge_sides(o.T, d.T, p.T, q.T, np.stack(frame_of_many(d)))
    for is_sure, origin, *ends in zip(sure, *(each.tolist() for each in (o, p, q)), strict=True):
        pairs = [(x, y) for end in ends for x, y in zip(end, origin, strict=True)]
        assert not is_sure or all(Fraction(x) - Fraction(y) == x - y for x, y in pairs)


def test_rays_begin_in_planes_where_integers_say_so(rng):
    a, b, c, o = rng.integers(-2, 3, (4, 1000, 3)).astype(float)
    begin = expansions.begin_in(*columns(o, a, b, c))
    for found, (origin, *corners) in zip(begin, rows(o, a, b, c), strict=True):
        assert found == (oracle.determinant(*(oracle.sub(x, origin) for x in corners)) == 0)
    assert 50 < begin.sum() < 900
    for each in (a, b, c):  # a plane through 0, and origins so near to it that they are rounded off
        each[:, 2] = each[:, 0] + each[:, 1]
    above = np.zeros((1000, 3)) + (0, 0, 2.0**-60)
    ends = np.abs(np.stack([a, b, c])[..., 2]).min(axis=0)
    assert not expansions.begin_in(*columns(above, a, b, c))[ends > 0].any()


def test_weights_at_a_start_are_rounded_once(rng):
    a, b, c, d = rng.integers(-50, 51, (4, 500, 3)).astype(float)
    second, third = rng.integers(0, 9, (2, 500, 1))
    o = (8 - second - third) * a + second * b + third * c
    given = (o, d, 8 * a, 8 * b, 8 * c)
    with np.errstate(invalid="ignore"):  # where the direction is in the plane
        sure, v, w = expansions.solve_starts(*columns(*given))
    count = 0
    for is_sure, *found, ray in zip(sure, v, w, rows(*given), strict=True):
        o, d, *corners = (tuple(map(int, each)) for each in ray)
        crossing = rational.crossing(d, *(oracle.sub(corner, o) for corner in corners))
        if crossing and crossing[0] == 0:
            assert is_sure
            assert found == [float(weight) for weight in crossing[1][1:]]
            count += 1
    assert count > 50


def test_a_quotient_that_is_sure_is_rounded_once(rng):
    a, b = rng.normal(size=(2, 500)) * 2.0 ** rng.integers(-9, 9, (2, 500))
    low = a * 2.0**-54 * rng.uniform(-1, 1, 500)
    count = 0
    for high, rest, divisor in zip(a, low, b, strict=True):
        found, sure = quotient((high, rest), (divisor, divisor * 2.0**-60))
        exact = (Fraction(high) + Fraction(rest)) / total([divisor, divisor * 2.0**-60])
        assert not sure or found == float(exact)
        count += bool(sure)
    assert count > 450


@pytest.mark.parametrize(
    ("number", "sure"),
    [
        ((1.0, 2.0**-53), False),
        ((1.0, 2.0**-53 * (1 + 2.0**-20)), False),
        ((1.0, 2.0**-53 * (1 + 2.0**-14)), True),
        ((0.0, 0.0), True),
        ((1e-300, 0.0), False),
    ],
    ids=["a tie", "almost a tie", "clear", "0", "tiny"],
)
def test_a_quotient_near_a_tie_of_rounding_or_tiny_is_not_sure(number, sure):
    assert bool(quotient(number, (1.0, 0.0))[1]) is sure
