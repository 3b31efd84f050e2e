# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of a leaf in vectors, beside fractions: also where edges have no length."""

from math import sqrt

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from standalone_core.bvh import LEAF  # noqa: E402
from standalone_core.closest.on_triangle import FLOOR, ROUNDING  # noqa: E402
from standalone_core.engines.numba.vector_tests import triangle_test  # noqa: E402

from ... import oracle  # noqa: E402
from ...closest.nearest_places import exactly_nearest  # noqa: E402

KINDS = ("aaa", "aab", "aba", "abb", "abc")
"""Corners of triangles: equal letters are equal places."""


@numba.njit
def _tested(vertices, triangles, point, reach, margin):
    found = np.empty(3 * LEAF)
    near = triangle_test(vertices, triangles, 0, point, reach, margin, found)
    return near, found


def bounds(vertices, triangles, point, reach=np.inf):
    """Which triangles of a leaf may be within reach; the least and most distance of each."""
    near, found = _tested(vertices, triangles, tuple(point), reach, (ROUNDING, FLOOR))
    square, least, error = found.reshape(3, LEAF)
    assert np.isfinite(found).all()
    distance = np.sqrt(square)
    lower = np.divide(least, distance, out=np.zeros(LEAF), where=square > 0) - error
    return [bool(near >> lane & 1) for lane in range(LEAF)], lower, distance + error


@pytest.mark.parametrize("corners", KINDS)
def test_bounds_hold_and_meet_whichever_corners_are_one(rng, corners):
    kinds = {letter: row for row, letter in enumerate("abc")}
    for _ in range(50):
        vertices = rng.normal(size=(3 * LEAF, 3)) * 10.0 ** rng.integers(-3, 4)
        own = np.array([kinds[letter] for letter in corners])
        triangles = (3 * np.arange(LEAF)[:, None] + own).astype(np.int32)
        point = rng.normal(size=3) * 10.0 ** rng.integers(-3, 4)
        _, lower, upper = bounds(vertices, triangles, point)
        for lane, triangle in enumerate(vertices[triangles]):
            square, _ = exactly_nearest(oracle.exact(point), *oracle.exact(triangle))
            distance, slack = sqrt(square), 1e-12 * (np.abs(triangle).max() + np.abs(point).max())
            assert distance - slack <= lower[lane] <= distance <= upper[lane] <= distance + slack
            near, _, _ = bounds(vertices, triangles, point, distance)
            assert near[lane]
