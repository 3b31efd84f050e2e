# SPDX-License-Identifier: GPL-3.0-or-later
"""The integers and fractions of the core, against those of the tests, written independently."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from standalone_core.numerics import rational

from .. import oracle
from ..rational import passing_side, whole_numbers

DIRECTIONS = [d for d in itertools.product((-2, 0, 1), repeat=3) if any(d)] + [(3, 2, -3)]
E = Fraction(1, 2**300)
"""Smaller than any difference here that is not 0, and so is its square beside it."""


def moved(origin, direction):
    """The ray's point, moved by (e, e^2) along the axes across the ray."""
    z = max(range(3), key=lambda axis: abs(direction[axis]))
    x, y = (z + 1) % 3, (z + 2) % 3
    if direction[z] < 0:
        x, y = y, x
    point = list(oracle.exact(tuple(map(float, origin))))
    point[x] += E
    point[y] += E * E
    return tuple(point)


def side(o, d, p, q):
    """The sign of det[d, p - o, q - o], of Fractions."""
    return oracle.sign(oracle.dot(d, oracle.cross(oracle.sub(p, o), oracle.sub(q, o))))


def lattice(rng, count, size=3):
    return rng.integers(-size, size + 1, (count, 3)).astype(float).tolist()


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_side_of_an_edge_is_that_of_the_ray_moved_by_e_and_e_squared(rng, size):
    ties = 0
    for o, p, q in zip(*(lattice(rng, 600, size) for _ in range(3)), strict=True):
        d = tuple(map(float, DIRECTIONS[rng.integers(len(DIRECTIONS))]))
        exact = tuple(oracle.exact(tuple(x)) for x in (d, p, q))
        expected = side(moved(o, d), *exact)
        assert rational.edge_side(o, d, p, q) == expected
        ties += expected != side(oracle.exact(tuple(o)), *exact)
    assert ties > {1: 80, 3: 20, 1000: -1}[size]


def numbers_of_any_size(rng):
    """Twelve numbers from denormal ones to the largest, some of them 0."""
    numbers = rng.normal(size=12) * 10.0 ** rng.choice([-320, -300, -20, 0, 0, 0, 20, 300], 12)
    return np.where(rng.random(12) < 0.2, 0.0, numbers)


def test_the_side_of_an_edge_is_that_of_the_tests_own_integers_for_numbers_of_any_size(rng):
    for _ in range(500):
        o, d, p, q = numbers_of_any_size(rng).reshape(4, 3).tolist()
        if not any(d):
            continue
        (po, pp, pq), _ = whole_numbers([o, p, q])
        (pd,), _ = whole_numbers([d])
        expected = passing_side(pd, oracle.sub(pp, po), oracle.sub(pq, po))
        assert rational.edge_side(o, d, p, q) == expected


def test_the_orientation_is_the_sign_of_the_determinant_of_fractions(rng):
    for _ in range(500):
        a, b, c = rows = numbers_of_any_size(rng).reshape(-1, 3)[:3].tolist()
        x, y, z = ([Fraction(number) for number in row] for row in rows)
        assert rational.orientation(a, b, c) == oracle.sign(oracle.dot(x, oracle.cross(y, z)))
        assert rational.orientation(b, a, c) == -rational.orientation(a, b, c)
    assert rational.orientation((1e-300, 0, 0), (1, 5e-324, 0), (1, 1, -5e-324)) == -1
    assert rational.orientation((1, 2, 3), (4, 5, 6), (7, 8, 9)) == 0


def test_an_edge_passed_the_other_way_has_the_other_side(rng):
    for o, p, q in zip(*(lattice(rng, 600, 2) for _ in range(3)), strict=True):
        d = DIRECTIONS[rng.integers(len(DIRECTIONS))]
        assert rational.edge_side(o, d, p, q) == -rational.edge_side(o, d, q, p)


def test_only_an_edge_along_the_ray_or_without_length_has_no_side(rng):
    along = 0
    for o, p, q in zip(*(lattice(rng, 2000, 1) for _ in range(3)), strict=True):
        d = DIRECTIONS[rng.integers(len(DIRECTIONS))]
        is_along = not any(oracle.cross(oracle.sub(q, p), d))
        assert (rational.edge_side(o, d, p, q) == 0) == is_along
        along += is_along
    assert along > 50


@pytest.mark.parametrize("length", [1e-300, 0.1, 3.0, 1e300])
def test_the_length_of_the_direction_does_not_matter(rng, length):
    for o, p, q in zip(*(lattice(rng, 200, 1) for _ in range(3)), strict=True):
        d = DIRECTIONS[rng.integers(len(DIRECTIONS))]
        longer = tuple(length * x for x in map(float, d))
        if len({longer[i] / d[i] for i in range(3) if d[i]}) == 1:
            assert rational.edge_side(o, longer, p, q) == rational.edge_side(o, d, p, q)


def hit_once_of(fan, middle, origin, direction):
    """How many triangles of a fan (rim points in order) around a vertex a ray hits."""
    found = 0
    for p, q in zip(fan, fan[1:] + fan[:1], strict=True):
        edges = ((p, q), (q, middle), (middle, p))
        sides = {rational.edge_side(origin, direction, *edge) for edge in edges}
        found += len(sides) == 1 and 0 not in sides
    return found


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_ray_through_the_middle_of_a_fan_hits_one_of_its_triangles(rng, direction):
    d = np.array(direction, float)
    x = np.roll(d, 1) if np.cross(d, np.roll(d, 1)).any() else np.array((1.0, -1, 0))
    y = np.cross(d, x)
    for spokes in ([(1, 0), (0, 1), (-1, -1)], list(itertools.product((1, 0, -1), repeat=2))):
        turns = sorted((s for s in spokes if any(s)), key=lambda s: math.atan2(*s))
        # Each rim point may stand anywhere along the ray: the fan need not be flat.
        rim = [(a * x + b * y + rng.integers(-2, 3) * d).tolist() for a, b in turns]
        middle = [0.0, 0.0, 0.0]
        origin = (-4 * d).tolist()
        assert hit_once_of(rim, middle, origin, direction) == 1
        assert hit_once_of(rim[::-1], middle, origin, direction) == 1
        beside = (-4 * d + 0.25 * x).tolist()
        assert hit_once_of(rim, middle, beside, direction) == 1
        outside = (-4 * d + 9 * x).tolist()
        assert hit_once_of(rim, middle, outside, direction) == 0


def expected_crossing(o, d, a, b, c):
    """t, weights of b and c, and the point, as Fractions."""
    o, d, a, b, c = (oracle.exact(tuple(x)) for x in (o, d, a, b, c))
    normal = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
    t = oracle.dot(oracle.sub(a, o), normal) / oracle.dot(d, normal)
    point = oracle.add(o, oracle.scaled(d, t))
    _, v, w = oracle.barycentric(point, a, b, c)
    return t, v, w, point


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_a_crossing_is_rounded_once(rng, scale):
    for _ in range(100):
        o, a, b, c = (rng.normal(size=(4, 3)) * scale).tolist()
        d = rng.normal(size=3).tolist()
        t, v, w, normal, point = rational.crossing(o, d, a, b, c)
        expected = expected_crossing(o, d, a, b, c)
        assert [t, v, w] == [float(x) for x in expected[:3]]
        assert list(point) == [float(x) for x in expected[3]]
        assert max(map(abs, normal)) == 1


def test_the_normal_of_a_crossing_is_right_in_each_of_its_components(rng):
    for _ in range(100):
        a = rng.normal(size=3)
        b, c = a + rng.normal(size=(2, 3)) * 10.0 ** rng.uniform(-9, 0, (2, 1))
        *_, normal, _ = rational.crossing([0, 0, 0], [1, 1, 1], a.tolist(), b.tolist(), c.tolist())
        pa, pb, pc = oracle.exact((a, b, c))
        exact = oracle.cross(oracle.sub(pb, pa), oracle.sub(pc, pa))
        largest = max(map(abs, exact))
        assert list(normal) == [float(x / largest) for x in exact]


def test_a_line_along_the_plane_has_no_crossing():
    t, v, w, normal, point = rational.crossing(
        (0, 0, 1), (1, 0, 0), (0, 0, 0), (1, 0, 0), (0, 1, 0)
    )
    assert all(map(math.isnan, (t, v, w, *point)))
    assert normal == (0, 0, 1)


def test_a_triangle_without_area_has_no_crossing():
    t, _, _, normal, _ = rational.crossing((0, 0, 1), (0, 0, 1), (0, 0, 0), (1, 1, 1), (2, 2, 2))
    assert math.isnan(t)
    assert normal == (0, 0, 0)


def test_a_crossing_beyond_float64_is_none():
    far = 1e308
    t, *_ = rational.crossing((0, 0, 0), (0, 0, 1e-10), (-1, -1, far), (1, -1, far), (0, 1, far))
    assert math.isnan(t)


@pytest.mark.parametrize("power", [0, -1070, 1020])
def test_a_meeting_is_that_of_fractions(rng, power):
    edges = []
    for places in np.ldexp(rng.integers(-2, 3, (3000, 5, 3)).astype(float), power):
        o, d, *corners = places.tolist()
        expected = oracle.meeting(o, d, corners)
        found = rational.meeting(o, d, *corners)
        assert found == (expected and (expected.t, expected.front))
        edges += [len(expected.edges)] if expected else []
    assert min(edges.count(count) for count in (0, 1, 2)) > 20


def test_a_meeting_is_that_of_fractions_for_numbers_of_any_size(rng):
    met = 0
    for _ in range(2000):
        numbers = np.concatenate([numbers_of_any_size(rng), rng.normal(size=3)])
        o, d, *corners = numbers.reshape(5, 3).tolist()
        expected = oracle.meeting(o, d, corners)
        assert rational.meeting(o, d, *corners) == (expected and (expected.t, expected.front))
        met += expected is not None
    assert met > 20


def columns_of_any_kind(rng, count):
    """Six points (3, N): small whole numbers, with ties of every kind, and numbers of any size."""
    whole = rng.integers(-2, 3, (count, 18)) * 2.0 ** rng.integers(-1040, 980, (count, 1))
    ordinary = rng.normal(size=(count, 18)) * 10.0 ** rng.integers(-300, 300, (count, 1))
    mixed = rng.normal(size=(count, 18)) * 10.0 ** rng.choice([-320, -20, 0, 300], (count, 18))
    rows = np.concatenate([whole, ordinary, np.where(rng.random(mixed.shape) < 0.3, -0.0, mixed)])
    rows[~rows[:, 3:6].any(axis=1), 3] = -1.0
    rows[::5, :3] = rows[::5, 6:9]
    return np.ascontiguousarray(rows.reshape(-1, 6, 3).transpose(1, 2, 0))


def bits(*numbers):
    return np.array(numbers, dtype=float).view(np.uint64).tolist()


def test_many_edges_have_the_sides_that_each_has_alone(rng, monkeypatch):
    monkeypatch.setattr(rational, "_CHUNK", 100)
    o, d, p, q, *_ = points = columns_of_any_kind(rng, 250)
    expected = [rational.edge_side(*rows) for rows in points[:4].transpose(2, 0, 1).tolist()]
    assert rational.edge_sides(o, d, p, q).tolist() == expected
    assert {-1, 0, 1} == set(expected)
    assert rational.edge_sides(*np.empty((4, 3, 0))).shape == (0,)


def test_many_points_are_on_the_sides_of_planes_that_each_is_alone(rng):
    points = columns_of_any_kind(rng, 100)[2:]
    expected = [rational.plane_side(*rows) for rows in points.transpose(2, 0, 1).tolist()]
    assert rational.plane_sides(*points).tolist() == expected
    assert {-1, 0, 1} == set(expected)


def test_many_crossings_have_the_bits_that_each_has_alone(rng, monkeypatch):
    monkeypatch.setattr(rational, "_CHUNK", 100)
    points = columns_of_any_kind(rng, 150)[:5]
    alone = []
    for rows in points.transpose(2, 0, 1).tolist():
        try:
            t, v, w, normal, point = rational.crossing(*rows)
        except OverflowError:  # a weight of a point far outside of the triangle
            t, v, w, normal, point = (math.inf,) * 3 + ((math.inf,) * 3,) * 2
        alone.append((t, v, w, *normal, *point))
    alone = np.array(alone).T
    fits = alone[0] != math.inf
    weights, places = rational.crossings(*points[..., fits])
    together = np.concatenate([weights, places[0], places[1]])
    assert bits(together) == bits(alone[:, fits])
    assert np.isnan(together[0]).sum() > 20
    assert (together[0] == 0.0).sum() > 20
    assert rational.crossings(*np.empty((5, 3, 0)))[1].shape == (2, 3, 0)
