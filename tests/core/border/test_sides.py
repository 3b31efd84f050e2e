# SPDX-License-Identifier: GPL-3.0-or-later
"""What float64 says of sides it is sure of is what fractions say, and it is sure of most."""

import numpy as np
import pytest

from standalone_core.border.sides import may_touch, sure_sides

from .. import oracle
from ..ray_batches import batch

each_power = pytest.mark.parametrize("power", [0, -60, 60, -310, 300, -1070, 1020])


def on_lattice(rng, power, count=2000):
    """Rays and triangles (N, 3) of small whole numbers; places are times a power of two."""
    d, *places = rng.integers(-2, 3, (5, count, 3)).astype(float)
    o, *corners = np.ldexp(places, power)
    return o, d, *corners


def side(o, d, p, q):
    """The sign of det[d, p - o, q - o], by fractions."""
    o, d, p, q = (oracle.exact(tuple(x.tolist())) for x in (o, d, p, q))
    return oracle.sign(oracle.dot(d, oracle.cross(oracle.sub(p, o), oracle.sub(q, o))))


@each_power
def test_sides_that_are_sure_are_right(rng, power):
    o, d, p, q, _ = on_lattice(rng, power)
    found = sure_sides(batch(o, d), np.arange(len(o)), p, q)
    expected = np.array([side(*rows) for rows in zip(o, d, p, q, strict=True)])
    sure = ~np.isnan(found)
    np.testing.assert_array_equal(found[sure], expected[sure])
    if abs(power) <= 60:
        assert sure.all()
        assert (expected == 0).sum() > 100


def test_sides_of_rays_that_only_just_pass_are_right(rng):
    """Places on edges as near as float64 has them: some are to the left, some to the right."""
    p, q, away = rng.normal(size=(3, 2000, 3))
    weight = rng.random((2000, 1))
    o, d = p + weight * (q - p) - away, away
    found = sure_sides(batch(o, d), np.arange(len(o)), p, q)
    expected = np.array([side(*rows) for rows in zip(o, d, p, q, strict=True)])
    assert {-1, 1} <= set(expected)
    np.testing.assert_array_equal(found, expected)


def touches(o, d, a, b, c):
    """Whether a ray's line goes exactly through the border of a triangle and not in its plane."""
    sides = [side(o, d, p, q) for p, q in ((a, b), (b, c), (c, a))]
    return 0 in sides and any(sides) and len({*sides} - {0}) == 1


@each_power
def test_no_touch_is_left_out(rng, power):
    points = on_lattice(rng, power)
    found = may_touch(batch(*points[:2]), np.arange(2000), *points[2:])
    expected = np.array([touches(*rows) for rows in zip(*points, strict=True)])
    assert expected.sum() > 100
    if abs(power) <= 60:
        np.testing.assert_array_equal(found, expected)
    else:
        assert found[expected].all()
