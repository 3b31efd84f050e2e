# SPDX-License-Identifier: GPL-3.0-or-later
"""Of lines across an edge, the parts that are shortest, beside the lengths at many points of it."""

from itertools import combinations

import numpy as np

from standalone_core.geodesic.windows import Reach, shortest_parts


def drawn_reach(rng):
    low, high = np.sort(rng.uniform(0, 1, 2)).tolist()
    x, y = rng.uniform(-1, 2), -rng.uniform(0, 0.6) * rng.integers(0, 2)
    return Reach(low, high, x, y, rng.uniform(0, 0.5))


def lengths(reach, at):
    """How far it is through a reach to points, inf where its lines do not go."""
    away = reach.far + np.hypot(at - reach.x, reach.y)
    return np.where((at > reach.low) & (at < reach.high), away, np.inf)


def test_parts_are_where_no_known_lines_are_as_short(rng):
    at, gained = (np.arange(4000) + 0.5) / 4000, 0
    for _ in range(60):
        known, least = [], np.full(len(at), np.inf)
        for _ in range(8):
            new = drawn_reach(rng)
            parts = shortest_parts(new, known)
            found = np.zeros(len(at), dtype=int)
            for part in parts:
                found += (at > part.low) & (at < part.high)
            away = lengths(new, at)
            sure = ~np.isclose(away, least, rtol=1e-9)
            assert np.array_equal(found[sure], away[sure] < least[sure])
            assert found.max() <= 1
            gained += len(parts) > 1
            assert all(
                one.high <= other.low or other.high <= one.low
                for one, other in combinations(known, 2)
            )
            least = np.minimum(least, away)
    assert gained > 10


def test_what_is_known_already_has_no_shorter_part(rng):
    for _ in range(50):
        reach = drawn_reach(rng)
        assert shortest_parts(reach, [reach]) == []
