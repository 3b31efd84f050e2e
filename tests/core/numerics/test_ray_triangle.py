# SPDX-License-Identifier: GPL-3.0-or-later
"""The sides of edges, in float64 and with twice the digits: right where they are sure."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.numerics import rational, ray_triangle
from standalone_core.numerics.double_double import two_difference
from standalone_core.numerics.ray_triangle import (
    LEAST,
    SIDE_FLOOR,
    SIDE_MARGIN,
    axes_across,
    axes_across_many,
    edge_side,
    frame_of,
    frame_of_many,
    side_of_edge,
    tie_sides,
)

from .. import oracle
from ..near_ties import columns, exact_side, exact_ties, near_ties, rows
from ..oracle import EPS

PLACES = [
    (1.0, 0.0),
    (1.0, 1e3),
    (1.0, 1e9),
    (1e-6, 1e6),
    (1e-40, 0.0),
    (1e40, 0.0),
    (2.0**-60, 1e-6),
]
each_place = pytest.mark.parametrize(("scale", "offset"), PLACES)
each_tie = pytest.mark.parametrize("make", [near_ties, exact_ties])
SIZES = [1e-300, 1e-200, 1e-89, 1e-60, 1e-30, 1.0, 1e30]


def any_sizes(rng, count):
    """Rays and edges of coordinates that are small whole multiples of very different sizes."""
    places = rng.integers(-2, 3, (3, count, 3)) * rng.choice(SIZES, (3, count, 3))
    d = rng.integers(-2, 3, (count, 3)).astype(float)
    d[~d.any(axis=1)] = (0, 1, 0)
    return places[0], d, places[1], places[2]


@each_tie
@each_place
def test_the_error_of_a_side_is_within_its_bound_but_for_its_own_last_digit(
    rng, make, scale, offset
):
    unsure = 0
    for o, d, p, q in rows(*make(rng, 400, scale, offset)):
        value, bound = edge_side(o, d, p, q)
        exact = exact_side(o, d, p, q)
        rounded = Fraction(EPS) / 2 * abs(Fraction(value))
        assert abs(Fraction(value) - exact) <= Fraction(bound) + Fraction(SIDE_FLOOR) + rounded
        unsure += not abs(value) > bound + SIDE_FLOOR
    assert unsure < 350


@each_tie
def test_most_near_ties_need_no_integers(rng, make):
    for o, d, p, q in rows(*make(rng, 1000)):
        assert side_of_edge(o, d, p, q, frame_of(d))[1]


@pytest.mark.parametrize("make", [near_ties, exact_ties, any_sizes])
def test_a_value_and_a_bound_of_0_are_a_true_0(rng, make):
    ties = 0
    for o, d, p, q in rows(*make(rng, 2000)):
        pairs = [z for u, v in ((p, o), (q, o)) for z in zip(u, v, strict=True)]
        numbers = [abs(part) for pair in pairs for part in two_difference(*pair) if part]
        if edge_side(o, d, p, q) == (0, 0) and min(numbers, default=1) >= LEAST:
            assert exact_side(o, d, p, q) == 0
            ties += 1
    assert ties > (100 if make is exact_ties else -1)


@pytest.mark.parametrize("make", [near_ties, exact_ties, any_sizes])
def test_a_side_that_is_sure_is_that_of_integers(rng, make):
    sure = 0
    for o, d, p, q in rows(*make(rng, 2000)):
        side, is_sure = side_of_edge(o, d, p, q, frame_of(d))
        assert not is_sure or side == rational.edge_side(o, d, p, q)
        sure += is_sure
    assert sure > 1000


@pytest.mark.parametrize(
    ("o", "d", "p", "q"),
    [
        ((2, -2e-30, 2e-60), (0, -1, 0), (1, 0, 0), (-1e-300, 1e-30, -2e-60)),
        ((-1e-89, 0, -1), (-2, 2, -1), (0, 0, -1), (-1e-60, -2, 2e-300)),
        ((1e-300, 0, 0), (0, 0, 1), (1, 1e-60, 3), (2, 2e-60, 5)),
        ((1e-300, 0, 0), (0, 0, 1), (1, -1e-60, 3), (2, -2e-60, 5)),
    ],
)
def test_a_tie_but_for_an_offset_that_underflows_is_not_taken_for_one(o, d, p, q):
    o, d, p, q = (tuple(map(float, x)) for x in (o, d, p, q))
    side, sure = side_of_edge(o, d, p, q, frame_of(d))
    assert not sure or side == rational.edge_side(o, d, p, q)


def test_a_tie_that_twice_the_digits_cannot_break_is_not_sure():
    """With a b - c d = 1 for numbers of all digits, the second value is 1, and its bound 64."""
    d = 2.0**53 - 1
    a = float(pow(int(2.0**52 + 3), -1, int(d)))
    b, c = 2.0**52 + 3, float((int(a) * int(2.0**52 + 3) - 1) // int(d))
    ray = (0.0, 0.0, 0.0), (a, 0.0, d), (c, 0.0, b), (0.0, 0.0, 0.0)
    side, sure = side_of_edge(*ray, frame_of(ray[1]))
    assert rational.edge_side(*ray) != 0
    assert not sure or side == rational.edge_side(*ray)


@pytest.mark.parametrize("size", [5e-324, 1e-320, 1e-200, 1e120, 1e200, 1.7e308])
def test_a_side_at_the_ends_of_the_range_is_right_or_not_sure(rng, size):
    for make in (near_ties, exact_ties):
        o, d, p, q = make(rng, 300)
        largest = np.abs([o, p, q]).max()
        for row in rows(o / largest * size, d, p / largest * size, q / largest * size):
            side, sure = side_of_edge(*row, frame_of(row[1]))
            assert not sure or side == rational.edge_side(*row)


@each_tie
def test_an_edge_passed_the_other_way_has_exactly_the_other_side(rng, make):
    for o, d, p, q in rows(*make(rng, 500)):
        (there, sure), (back, also_sure) = (
            side_of_edge(o, d, *ends, frame_of(d)) for ends in ((p, q), (q, p))
        )
        assert (there, sure) == (-back, also_sure)


def test_a_tie_goes_by_the_first_value_that_is_not_0(rng):
    decided = [0, 0, 0]
    for o, d, p, q in rows(*exact_ties(rng, 1000)):
        if exact_side(o, d, p, q):
            continue
        frame = frame_of(d)
        first, first_bound, second, second_bound = tie_sides(
            *(tuple(x[axis] for axis in frame) for x in (d, p, q))
        )
        assert first_bound == second_bound == 0
        assert oracle.sign(first) or oracle.sign(second) == rational.edge_side(o, d, p, q)
        decided[0 if first else 1 if second else 2] += 1
    assert min(decided) > 20


def sheared_sides(o, d, p, q):
    """Edge functions in float64 as casts compute them, size and distance of each edge, (N,)."""
    axes = axes_across_many(d)
    seen = [
        [ray_triangle.dot3(*columns(point - o, axes[:, axis])) for axis in range(2)]
        for point in (p, q)
    ]
    (px, py), (qx, qy) = seen
    size = np.abs(seen).max(axis=(0, 1))
    reach = np.abs([p - o, q - o]).max(axis=(0, 2))
    return px * qy - py * qx, size, reach


def exact_sheared_side(o, d, p, q):
    return exact_side(o, d, p, q) / max(abs(Fraction(x)) for x in d)


def tangent(rng, count):
    """Edges that are seen almost along themselves from far away, at the steepest shears."""
    d = rng.choice([-1.0, 1.0], (count, 3)) * (1 - rng.random((count, 3)) * 2.0**-50)
    o = rng.uniform(-1, 1, (count, 3))
    far = rng.uniform(1, 2, (count, 1)) * d
    p = o + far + rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-17, 0, (count, 1))
    q = o + far + rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-17, 0, (count, 1))
    return o, d, p, q


@pytest.mark.parametrize("make", [near_ties, exact_ties, tangent])
def test_the_side_margin_bounds_the_error_of_sheared_edge_functions(rng, make):
    asked = make(rng, 3000)
    worst = 0.0
    numbers = (column.tolist() for column in sheared_sides(*asked))
    for value, size, reach, row in zip(*numbers, rows(*asked), strict=True):
        bound = SIDE_MARGIN * size * reach
        if size < 16 * EPS * reach:  # all across the ray is rounding, and nothing is sure
            assert abs(value) <= bound
            continue
        error = abs(Fraction(value) - exact_sheared_side(*row))
        assert error <= Fraction(bound)
        worst = max(worst, float(error) / bound if bound else 0.0)
    assert worst > (0.01 if make is not exact_ties else 0)


@each_tie
@pytest.mark.parametrize("function", [edge_side, lambda o, d, p, q: tie_sides(d, p, q)])
def test_floats_and_arrays_give_the_same_bits_of_sides(rng, make, function):
    asked = make(rng, 300)
    singly = np.array([function(*row) for row in rows(*asked)]).T
    np.testing.assert_array_equal(function(*columns(*asked)), singly)


def test_a_triangle_behind_the_origin_by_less_than_any_float_was_hit_at_minus_0(engine):
    corners = [(-1 / 3 * 1e-30, 0, -1), (1e-200, 0, 0), (1e-200, -1e-200, 1)]
    origin, directions = (-1e-200, 0, 0), np.array([(-2, 1, -1), (-2e-6, 1e-6, -1e-6)])
    mesh = sc.Mesh(corners, [[0, 1, 2]], engine=engine)
    for _ in range(2):
        assert [mesh.ray_cast(origin, direction) for direction in directions] == [None, None]
        assert mesh.cast_rays(origin, directions).triangle.tolist() == [-1, -1]
        mesh.build()


def test_a_direction_beyond_1e20_loses_what_is_below_1e_308_of_it_and_nothing_else():
    half = sc.Mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0)], [[0, 1, 2]])

    def is_hit(x, z):
        return half.ray_cast((0, 0, 1), (x, 0, -z)) is not None

    long = 2.0**900
    assert is_hit(1e-250 * long, long)
    assert not is_hit(-1e-250 * long, long)
    assert is_hit(-1e-300, 1e300) == is_hit(1e-300, 1e300) == is_hit(0, 1)


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]])
def test_the_order_of_corners_decided_whether_a_thin_triangle_was_hit(order):
    corners = [[0, 0, 0], [1, 0, 0], [1, 2**-52, 0]]
    across = 0.9, 0.9 * 2**-53
    assert sc.Mesh(corners, [order]).ray_cast((*across, 1), (0, 0, -1)) is not None


LENGTHS = [1, 0.5, 0.99, 1.7, 3, 1e-19, 1e-21, 1e-300, 5e-324, 1e19, 1e25, 1e300]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("far", [1.5e308, 1.79e308])
def test_a_hit_at_the_end_of_the_range_was_missed_along_short_directions(engine, length, far):
    """The parameter along the direction was beyond float64, and the distance was not."""
    mesh = sc.Mesh([[-1, -1, far], [1, -1, far], [0, 1, far]], [[0, 1, 2]], engine=engine)
    scene = sc.Scene()
    scene.add(mesh)
    ray = (0, 0, 0), (0, 0, length)
    for _ in range(2):
        for caster in (mesh, scene):
            assert caster.ray_cast(*ray).distance == pytest.approx(far, rel=1e-15)
            assert caster.ray_cast_all(*ray)[0].distance == caster.ray_cast(*ray).distance
            assert caster.cast_rays(*ray).distance == caster.ray_cast(*ray).distance
        mesh.build()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("near", [5e-324, 1e-320, 1e-310])
def test_a_subnormal_distance_is_right_to_1e_323_of_the_direction(engine, length, near):
    mesh = sc.Mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]], engine=engine)
    for _ in range(2):
        hit = mesh.ray_cast((0, 0, near), (0, 0, -length))
        assert abs(hit.distance - near) <= 1e-323 * max(1, min(length, 1e20))
        mesh.build()


LATTICE = [d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)]
each_lattice_direction = pytest.mark.parametrize("direction", LATTICE)


def some_directions(rng):
    """Directions of any slope and length, of which many have equal components or zeros."""
    d = np.concatenate([LATTICE, rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-9, 9, (200, 1))])
    d = np.concatenate([d, np.where(rng.random(d.shape) < 0.3, -0.0, d)])
    return d[d.any(axis=1)]


def test_the_ray_becomes_the_z_axis_and_its_largest_component_the_parameter(rng):
    for d in some_directions(rng):
        x, y, z = d @ axes_across(tuple(d.tolist()))
        size = np.abs(d).max()
        assert abs(x) <= 1e-15 * size
        assert abs(y) <= 1e-15 * size
        assert z == size


def test_the_largest_component_becomes_z_and_the_shear_is_at_most_1(rng):
    for d in some_directions(rng):
        frame = frame_of(tuple(d.tolist()))
        assert sorted(frame) == [0, 1, 2]
        assert abs(d[frame[2]]) == np.abs(d).max()
        assert np.abs(axes_across(tuple(d.tolist()))).max() == 1


@each_lattice_direction
def test_the_change_of_space_keeps_the_winding(direction):
    assert np.linalg.det(axes_across(direction)) > 0


@each_lattice_direction
def test_the_first_of_equal_components_becomes_z(direction):
    assert frame_of(direction)[2] == np.abs(direction).argmax()


def test_the_frame_does_not_depend_on_the_length_of_the_direction(rng):
    for d in some_directions(rng):
        frames = {frame_of(tuple((d * length).tolist())) for length in (2.0**-60, 1.0, 2.0**60)}
        assert len(frames) == 1


def test_many_directions_have_the_frames_and_axes_of_each_to_the_last_bit(rng):
    directions = some_directions(rng)
    frames, axes = np.stack(frame_of_many(directions), axis=1), axes_across_many(directions)
    assert axes.shape == (len(directions), 2, 3)
    for d, frame, across in zip(directions, frames, axes, strict=True):
        assert tuple(frame) == frame_of(tuple(d.tolist()))
        np.testing.assert_array_equal(across, axes_across(tuple(d.tolist()))[:, :2].T)


def test_no_directions_have_no_axes():
    assert axes_across_many(np.empty((0, 3))).shape == (0, 2, 3)
