# SPDX-License-Identifier: GPL-3.0-or-later
"""One vector in plain floats has the bits of the same vector in an array."""

import itertools

import numpy as np
import pytest

from standalone_core.numerics import arrays, vectors

from ..scales import at_every_scale

EXTREMES = [0.0, -0.0, 5e-324, 1e-310, 1e-200, 1.0, -3.0, 1e200, 1.7e308]


@at_every_scale
@pytest.mark.parametrize("name", ["length", "normalized"])
def test_one_vector_is_the_same_to_the_last_bit_as_one_of_many(rng, name, scale):
    rows = rng.normal(size=(500, 3)) * scale * 10.0 ** rng.integers(-5, 5, (500, 3))
    many = getattr(arrays, name)(rows)
    ones = np.array([getattr(vectors, name)(tuple(row)) for row in rows.tolist()])
    np.testing.assert_array_equal(ones, many)


@pytest.mark.parametrize("name", ["length", "normalized"])
def test_one_vector_is_the_same_at_the_ends_of_float64(rng, name):
    rows = rng.choice(EXTREMES, (300, 3))
    with np.errstate(all="ignore"):
        many = getattr(arrays, name)(rows)
    ones = np.array([getattr(vectors, name)(tuple(row)) for row in rows.tolist()])
    np.testing.assert_array_equal(ones, many)


def test_a_power_of_two_is_the_same(rng):
    sizes = [*EXTREMES, np.inf, np.nan, *np.exp(rng.uniform(-700, 700, 200))]
    assert [vectors.power_of_two(x) for x in sizes] == arrays.power_of_two(sizes).tolist()


def test_a_lone_normal_gets_the_bits_of_many():
    numbers = [0.0, 1.0, -3.0, 1e-320, 1e-200, 1e200, -1.7e308, np.inf, -np.inf, np.nan]
    for vector in itertools.product(numbers, repeat=3):
        with np.errstate(all="ignore"):
            expected = arrays.normalized(np.array(vector))
        np.testing.assert_array_equal(vectors.normalized(vector), expected, str(vector))
