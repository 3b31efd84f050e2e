# SPDX-License-Identifier: GPL-3.0-or-later
"""The quick solution has the bits of the careful one, or leaves the query to it."""

import pytest

from standalone_core.cast.one_ray import solve_quickly
from standalone_core.numerics.ray_triangle import solve


def questions(rng, count, kind):
    """Origin, direction and three corners, (count, 5, 3)."""
    numbers = rng.normal(size=(count, 5, 3))
    if kind == "along axes":
        numbers = rng.integers(-3, 4, (count, 5, 3)).astype(float)
    elif kind == "slivers":
        numbers[:, 4] = numbers[:, 3] + 1e-7 * numbers[:, 4]
    elif kind == "far away":
        numbers[:, 2:] += 1e5
    elif kind == "all sizes":
        numbers *= 10.0 ** rng.integers(-60, 60, (count, 5, 3))
    elif kind == "from the triangle":
        numbers[:, 0] = numbers[:, 2:].mean(axis=1)
    elif kind == "at the ends of float64":
        numbers *= rng.choice([1e-320, 1e-300, 1e-90, 1, 1e39, 1e300], (count, 5, 3))
    if kind not in ("along axes", "all sizes", "at the ends of float64"):
        numbers[:, 1] = numbers[:, 2:].mean(axis=1) - numbers[:, 0] + 0.1 * numbers[:, 1]
    return numbers


KINDS = {
    "random": 0.95,
    "along axes": 0.4,
    "slivers": 0.1,
    "far away": 0.9,
    "all sizes": 0.001,
    "from the triangle": 0.0,
    "at the ends of float64": 0.0,
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_quick_solution_is_the_careful_one_to_the_last_bit(rng, kind):
    quick = 0
    for numbers in questions(rng, 2000, kind):
        vectors = [tuple(row) for row in numbers.tolist()]
        if vectors[1] == (0, 0, 0):
            continue
        found = solve_quickly(*vectors)
        if found is None:
            continue
        quick += 1
        done, *careful = solve(*vectors)
        assert done
        assert repr(found) == repr(tuple(careful))  # the sign of a zero too
    assert quick >= 2000 * KINDS[kind]
