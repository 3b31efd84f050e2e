# SPDX-License-Identifier: GPL-3.0-or-later
import math

import numpy as np

import standalone_core as sc
from standalone_core import triangle

contains_angle_sum = sc.triangle.contains_angle_sum


def angle_sum(point, corners):
    """The three angles under which the edges are seen, added up, by the arccosine."""
    sides = corners - point
    sides /= np.linalg.norm(sides, axis=1)[:, None]
    return sum(math.acos(np.clip(sides[i] @ sides[i - 1], -1, 1)) for i in range(3))


def test_angle_sum_the_three_angles_seen_from_p_add_up_to_360_degrees(rng):
    answers = set()
    for _ in range(200):
        corners = rng.normal(size=(3, 3))
        aside = rng.normal(size=3) * 0.4
        point = (np.full(3, 1 / 3) + aside - aside.mean()) @ corners
        total = math.degrees(angle_sum(point, corners))
        expected = total > 359.9999
        answers.add(expected)
        assert contains_angle_sum(point, *corners) == expected
    assert answers == {True, False}


def test_angle_sum_seen_from_above_the_middle_is_less_than_360_degrees():
    corners = np.array([[1.0, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]])
    assert math.degrees(angle_sum(np.array((0, 0, 1e-2)), corners)) < 360
    assert not contains_angle_sum((0, 0, 1e-2), *corners)
    assert contains_angle_sum((0, 0, 0), *corners)


def test_a_triangle_with_corners_that_are_not_finite_contains_nothing():
    assert not triangle.contains_angle_sum((0, 0, 0), (0, 0, 0), (np.nan, 0, 0), (0, 1, 0))
