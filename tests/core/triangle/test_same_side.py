# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import standalone_core as sc

from .. import oracle


def on_the_same_side(p, q, start, end):
    """Whether two points are on the same side of a line, by cross and dot products."""
    edge = oracle.sub(end, start)
    normals = [oracle.cross(edge, oracle.sub(x, start)) for x in (p, q)]
    return oracle.dot(*normals) >= 0


def test_same_side_p_is_with_c_of_ab_with_a_of_bc_and_with_b_of_ca(rng):
    answers = set()
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        aside = rng.normal(size=3) * 0.4
        point = (1 / 3 + aside - aside.mean()) @ corners
        p, a, b, c = oracle.exact((point, *corners))
        expected = (
            on_the_same_side(p, c, a, b)
            and on_the_same_side(p, a, b, c)
            and on_the_same_side(p, b, c, a)
        )
        answers.add(expected)
        assert sc.triangle.contains_same_side(point, *corners) == expected
    assert answers == {True, False}


def test_same_side_is_exact_on_a_lattice():
    a, b, c = (0, 0, 0), (3, 1, 0), (1, 3, 0)
    for x, y in itertools.product(range(-1, 5), repeat=2):
        weights = oracle.barycentric(*oracle.exact(((x, y, 0), a, b, c)))
        expected = all(w >= 0 for w in weights)
        assert sc.triangle.contains_same_side((x, y, 0), a, b, c) == expected
