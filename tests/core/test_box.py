# SPDX-License-Identifier: GPL-3.0-or-later
import itertools
import math

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.box import inverse_direction, met_at

from . import oracle
from .scales import at_every_scale

FACES = [(axis, side) for axis in range(3) for side in (-1, 1)]
CORNERS = list(itertools.product((-1, 1), repeat=3))


def interval(box, ray):
    """Where the ray's line is inside of the box, exactly; None if it never is."""
    start, end = -math.inf, math.inf
    rows = zip(*map(oracle.exact, (ray.origin, ray.direction, box.lower, box.upper)), strict=True)
    for origin, direction, lower, upper in rows:
        if direction == 0:
            if not lower <= origin <= upper:
                return None
        else:
            ends = sorted(((lower - origin) / direction, (upper - origin) / direction))
            start, end = max(start, ends[0]), min(end, ends[1])
    return (start, end) if start <= end and end >= 0 else None


def test_ray_against_box_enters_and_leaves_where_the_slabs_overlap(rng):
    hits = 0
    for _ in range(400):
        corners = np.sort(rng.normal(size=(2, 3)), axis=0)
        box = sc.Box(*corners)
        origin = rng.normal(size=3) * rng.choice([0.3, 2])
        direction = (corners.mean(axis=0) - origin + 0.3 * rng.normal(size=3)) * rng.choice([1, -1])
        ray = sc.Ray(origin, direction * np.roll((rng.integers(0, 2), 1, 1), rng.integers(0, 3)))
        expected, found = interval(box, ray), box.intersect_ray(ray)
        hits += expected is not None
        if expected is None:
            assert found is None
        else:
            assert found == pytest.approx([float(t) for t in expected], rel=1e-13, abs=1e-13)
    assert 50 < hits < 350


@at_every_scale
@pytest.mark.parametrize(
    ("origin", "direction", "answer"),
    [
        ((0, 0, 3), (0, 0, -1), (2, 4)),
        ((0, 0, 3), (0, 0, 1), None),
        ((0, 0, 0), (1, 0, 0), (-1, 1)),
        ((0.5, 0, 0), (1, 0, 0), (-1.5, 0.5)),
        ((5, 0.999, 0.999), (-1, 0, 0), (4, 6)),
        ((5, 1.001, 0), (-1, 0, 0), None),
        ((-3, -3, -3), (1, 1, 1), (2 * 3**0.5, 4 * 3**0.5)),
        ((1, 0, 0), (1, 0, 0), (-2, 0)),
    ],
)
def test_ray_against_box_at_every_scale(scale, origin, direction, answer):
    box = sc.Box((-scale,) * 3, (scale,) * 3)
    found = box.intersect_ray(sc.Ray(np.array(origin) * scale, direction))
    expected = None if answer is None else pytest.approx(np.array(answer) * scale, rel=1e-14)
    assert found == expected


@at_every_scale
@pytest.mark.parametrize(("axis", "side"), FACES)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_ray_that_grazes_a_face_hits_it_on_every_side_alike(scale, axis, side, zero):
    box = sc.Box((-scale,) * 3, (scale,) * 3)
    along = (axis + 1) % 3
    origin, direction = np.zeros(3), np.full(3, zero)
    origin[axis], origin[along], direction[along] = side * scale, -3 * scale, 1
    found = box.intersect_ray(sc.Ray(origin, direction))
    assert found == pytest.approx((2 * scale, 4 * scale), rel=1e-14)


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("axis", range(3))
def test_a_ray_along_an_edge_hits_every_edge_alike(corner, axis):
    origin, direction = np.array(corner, float), np.zeros(3)
    origin[axis], direction[axis] = -4, 2
    assert sc.Box((-1, -1, -1), (1, 1, 1)).intersect_ray(sc.Ray(origin, direction)) == (3, 5)


@pytest.mark.parametrize("corner", CORNERS)
def test_rounding_never_turns_a_hit_near_a_corner_into_a_miss(rng, corner):
    box = sc.Box((-1, -1, -1), (1, 1, 1))
    exact_hits = 0
    for aside in rng.normal(size=(60, 3)):
        along = np.cross(corner, aside)
        ray = sc.Ray(np.array(corner) - along, along)
        if interval(box, ray) is not None:
            exact_hits += 1
            assert box.intersect_ray(ray) is not None
    assert exact_hits > 5


@at_every_scale
def test_a_flat_box_is_hit(scale):
    box = sc.Box((0, 0, scale), (scale, scale, scale))
    ray = sc.Ray((scale / 2, scale / 2, 0), (0, 0, 1))
    assert box.intersect_ray(ray) == pytest.approx((scale, scale), rel=1e-15)


def test_what_is_in_a_box_may_be_nearer_than_the_larger_box_by_the_margin_again():
    """The hits in it are rounded too."""
    ray = np.zeros(3), inverse_direction(np.array([0.0, 0.0, 2.0]))
    box = np.array([-1.0, -1, 8]), np.array([1.0, 1, 9])
    for margin, length, limit, is_met in ((0.5, 2.0, 7.5, True), (0.5, 2.0, 7.25, False)):
        met, distance = met_at(*ray, *box, margin, length, limit)
        assert (bool(met), float(distance)) == (is_met, 7.0)


def test_an_infinite_box_is_hit_from_everywhere():
    box = sc.Box((-np.inf,) * 3, (np.inf,) * 3)
    assert box.intersect_ray(sc.Ray((1, 2, 3), (1, 2, 3))) == (-np.inf, np.inf)


def test_a_half_space_is_entered_at_its_face():
    box = sc.Box((0, -np.inf, -np.inf), (np.inf,) * 3)
    assert box.intersect_ray(sc.Ray((-2, 0, 0), (1, 0, 0))) == (2, np.inf)


def test_bounding_box_is_the_smallest_one(rng):
    points = rng.normal(size=(40, 3))
    box = sc.Box.bounding(points)
    assert box.lower.tolist() == [min(p[i] for p in points) for i in range(3)]
    assert box.upper.tolist() == [max(p[i] for p in points) for i in range(3)]


def test_bounding_box_leaves_out_points_that_are_not_finite():
    box = sc.Box.bounding([(0, 0, 0), (np.nan, 9, 9), (1, 2, 3), (-np.inf, 9, 9)])
    assert box.lower.tolist() == [0, 0, 0]
    assert box.upper.tolist() == [1, 2, 3]


@pytest.mark.parametrize("points", [np.empty((0, 3)), np.full((2, 3), np.inf)])
def test_nothing_cannot_be_bounded(points):
    with pytest.raises(errors.ArgumentError, match="no finite point"):
        sc.Box.bounding(points)


@pytest.mark.parametrize(
    ("lower", "upper", "error", "words"),
    [
        ((0, 0, 1), (1, 1, 0), errors.ArgumentError, "lower .* must not exceed upper"),
        ((0, 0, np.nan), (1, 1, 1), errors.ArgumentError, "lower"),
        ((0, 0), (1, 1, 1), errors.ShapeError, "lower must have shape"),
        ((0, 0, 0), "abc", errors.ArgumentError, "upper"),
    ],
)
def test_a_bad_box_is_refused_with_its_reason(lower, upper, error, words):
    with pytest.raises(error, match=words):
        sc.Box(lower, upper)


def test_a_box_cannot_be_changed():
    lower = np.zeros(3)
    box = sc.Box(lower, (1, 1, 1))
    lower[:] = 9
    assert box.lower.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        box.upper[0] = 9
