# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core.bvh.tree import rounded_outward


def neighbours(values):
    """Float64 numbers around float32 ones, on both sides of each."""
    return np.concatenate([values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)])


@pytest.mark.parametrize("exponent", [-320, -44, -38, -6, 0, 6, 38])
def test_float32_bounds_are_rounded_outward(rng, exponent):
    values = rng.uniform(-1, 1, 300).astype(np.float32).astype(float) * 10.0**exponent
    corners = neighbours(values)[:, None] * np.ones(3)
    level = rounded_outward(corners, corners)
    assert level.lower.dtype == level.upper.dtype == np.float32
    assert (level.lower.astype(float) <= corners).all()
    assert (level.upper.astype(float) >= corners).all()


def test_float32_bounds_are_as_tight_as_float32_can_be(rng):
    corners = rng.normal(size=(300, 3))
    level = rounded_outward(corners, corners)
    assert (np.nextafter(level.lower, np.float32(np.inf)).astype(float) > corners).all()
    assert (np.nextafter(level.upper, np.float32(-np.inf)).astype(float) < corners).all()


def test_what_float32_holds_exactly_is_not_rounded(rng):
    corners = rng.normal(size=(50, 3)).astype(np.float32).astype(float)
    level = rounded_outward(corners, corners)
    np.testing.assert_array_equal(level.lower, corners)
    np.testing.assert_array_equal(level.upper, corners)


def test_what_is_too_large_for_float32_is_held_by_infinity():
    corners = np.array([[1e39, -1e39, 1e300]])
    level = rounded_outward(corners, corners)
    largest = np.finfo(np.float32).max
    assert level.lower.tolist() == [[largest, -np.inf, largest]]
    assert level.upper.tolist() == [[np.inf, -largest, np.inf]]
