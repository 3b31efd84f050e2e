# SPDX-License-Identifier: GPL-3.0-or-later
"""One point and one triangle in plain floats, and in arrays: the same bits, whatever the region."""

from itertools import starmap

import numpy as np
import pytest

from standalone_core.closest.on_triangle import closest
from standalone_core.closest.one_triangle import (
    CORNER,
    EDGE,
    FACE,
    NOTHING,
    UNSURE,
    nearer,
    place_on,
    region_of,
)

from ..scales import at_every_scale
from .near_ties import KINDS

CORNERS = ((0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 3.0, 0.0))


def pairs_of(kind, rng, count):
    """Points (N, 3), each with the corners of some triangle (N, 3, 3)."""
    vertices, triangles, points = kind(rng, count)
    corners = vertices[triangles[rng.integers(0, len(triangles), count)]]
    finite = np.isfinite(corners).all(axis=(1, 2))
    return points[finite], corners[finite]


@at_every_scale
@pytest.mark.parametrize("kind", KINDS)
def test_floats_and_arrays_give_the_same_bits(rng, kind, scale):
    points, corners = pairs_of(kind, rng, 300)
    points, corners = points * scale, corners * scale
    with np.errstate(all="ignore"):
        (high, low), weights, places = closest(points, corners)
    sure = 0
    for row, (p, triangle) in enumerate(zip(points.tolist(), corners.tolist(), strict=True)):
        point, (a, b, c) = tuple(p), map(tuple, triangle)
        best = nearer(NOTHING, point, np.inf, 0, a, b, c)
        if best.is_sure:
            sure += 1
            assert (best.high, best.low) == (high[row], low[row])
            assert place_on(best, point) == (tuple(places[row]), tuple(weights[row]))
    assert sure > 0.9 * len(points)


@pytest.mark.parametrize(
    ("point", "region"),
    [
        ((-1.0, -1.0, 2.0), CORNER),
        ((6.0, -1.0, 1.0), CORNER + 1),
        ((-2.0, 5.0, 0.0), CORNER + 2),
        ((1.0, -1.0, 1.0), EDGE),
        ((-1.0, 1.0, 1.0), EDGE + 1),
        ((4.0, 4.0, 0.5), EDGE + 2),
        ((1.0, 1.0, 5.0), FACE),
        ((1.0, 1.0, 0.0), FACE),
        *zip(CORNERS, (CORNER, CORNER + 1, CORNER + 2), strict=True),
        ((2.0, 0.0, 0.0), UNSURE),
        ((0.0, -1.0, 0.0), UNSURE),
        ((1.0, 0.0, 1e-3), UNSURE),
        ((1.0, 0.0, 1e30), UNSURE),
    ],
)
def test_regions_that_are_clear_have_names(point, region):
    assert region_of(point, CORNERS) == region


def test_a_place_beyond_the_limit_is_no_better_than_none():
    assert nearer(NOTHING, (1.0, 1.0, 5.0), 4.9, 0, *CORNERS).triangle == -1
    assert nearer(NOTHING, (1.0, 1.0, 5.0), 5.0, 0, *CORNERS).triangle == 0


def test_of_triangles_as_near_the_smallest_number_is_nearest():
    for numbers in ((3, 5), (5, 3)):
        best = NOTHING
        for number in numbers:
            best = nearer(best, (1.0, -1.0, 1.0), np.inf, number, *CORNERS)
        assert best.triangle == 3


def test_what_leaves_the_range_of_float64_is_left_to_arrays():
    tiny = starmap(lambda *corner: tuple(1e-200 * x for x in corner), CORNERS)
    assert not nearer(NOTHING, (1e-200, 0.0, 1e-200), np.inf, 0, *tiny).is_sure
