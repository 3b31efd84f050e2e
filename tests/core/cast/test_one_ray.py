# SPDX-License-Identifier: GPL-3.0-or-later
"""One ray in plain floats: the same bits as in columns, whichever of the two answers.

The quick solution has the bits of the careful one, or leaves the query to it.
"""

import numpy as np
import pytest

from standalone_core.cast import one_ray as module
from standalone_core.cast.one_ray import exact_side, intersect, solve_quickly
from standalone_core.numerics import rational
from standalone_core.numerics.ray_triangle import solve

from .. import meshes
from ..near_ties import exact_ties, near_ties, rows
from ..questions import assert_same_hits, lattice_rays, toward
from ..ray_batches import batch, cast_everything, geometry, lone
from .test_many_rays import AT_1E154

UP = (0, 0, -1), (0, 0, 1)


def everything(shape):
    return np.arange(len(shape.triangles))


def questions(rng, **query):
    """Shapes, and rays at them one by one."""
    for vertices, triangles in (
        meshes.soup(rng, 150),
        meshes.nasty(rng, 80),
        meshes.stack(100),
        meshes.torus(9, 7),
    ):
        asked = toward(rng, vertices, triangles, 12), lattice_rays(rng, 12)
        origins, directions = map(np.concatenate, zip(*asked, strict=True))
        limits = np.where(rng.random(24) < 0.5, np.inf, rng.uniform(0, 20, 24))
        excluded = rng.random(len(triangles)) < 0.1
        rays = batch(origins, directions, limits, excluded=excluded, **query)
        for i in range(24):
            yield geometry(vertices, triangles), rays.ray(i)
    through = batch((0, 0, -1), (1e-3, -2e-3, 1), **query)
    yield geometry(*meshes.stack(100)), through.ray(0)


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("cull_sign", [0, 1, -1])
def test_the_hits_are_those_of_pairs_to_the_last_bit(rng, every, cull_sign):
    found = 0
    for shape, ray in questions(rng, every=every, cull_sign=cull_sign):
        hits = intersect(shape, ray, everything(shape))
        assert_same_hits(hits, list(cast_everything(shape, ray.batch())[1]))
        found += len(hits)
    assert found > 30


@pytest.mark.parametrize("every", [True, False])
def test_few_and_many_triangles_are_answered_alike_to_the_last_bit(rng, monkeypatch, every):
    found = 0
    for shape, ray in questions(rng, every=every):
        answers = []
        for few in (0, 10**9):
            monkeypatch.setattr(module, "_FEW", few)
            answers.append(intersect(shape, ray, everything(shape)))
        assert_same_hits(*answers)
        found += len(answers[0])
    assert found > 40


def test_only_the_triangles_that_are_asked_for_are_hit(rng):
    shape = geometry(*meshes.stack(100))
    for count in (0, 1, 30, 90):
        items = rng.permutation(100)[:count]
        hits = intersect(shape, lone(*UP), items)
        assert [hit.triangle for hit in hits] == sorted(items.tolist())


def test_hits_come_by_distance_then_by_triangle():
    vertices = np.concatenate([meshes.stack(1, start=z)[0] for z in (2.0, 1.0, 2.0, 1.0, 1.0)])
    shape = geometry(vertices, np.arange(15).reshape(-1, 3))
    items = np.array([4, 3, 2, 1, 0])
    assert [hit.triangle for hit in intersect(shape, lone(*UP), items)] == [1, 3, 4, 0, 2]
    (nearest,) = intersect(shape, lone(*UP, every=False), items)
    assert nearest.triangle == 1


def test_a_hit_is_made_of_python_numbers_and_read_only_arrays():
    vertices, triangles = meshes.stack(1)
    shape = geometry(vertices, triangles, np.array([9]))
    (hit,) = intersect(shape, lone(*UP), np.array([0]))
    assert (type(hit.distance), type(hit.triangle), type(hit.face)) == (float, int, int)
    assert (hit.distance, hit.triangle, hit.face, hit.instance) == (1, 0, 9, 0)
    assert hit.front is False
    for array in (hit.point, hit.normal, hit.barycentric):
        assert array.dtype == np.float64
        assert not array.flags.writeable


@pytest.mark.parametrize(("corners", "direction"), AT_1E154)
def test_what_overflows_is_answered_as_in_pairs(corners, direction):
    shape = geometry(corners, [[0, 1, 2]])
    ray = lone((0, 0, 0), direction)
    exact = exact_side(ray.origin, ray.direction, *map(tuple, corners))
    assert len(intersect(shape, ray, np.array([0]))) == (exact != 0)


def fans(rng, make):
    """Rays with triangles (o, d, a, b, c) of which the edge b, c almost meets the ray."""
    o, d, b, c = make(rng, 400)
    a = 2 * o - (b + c) / 2 + d + rng.integers(-1, 2, (400, 1))
    return rows(o, d, a, b, c)


@pytest.mark.parametrize("make", [near_ties, exact_ties])
def test_the_exact_side_is_that_on_which_integers_see_all_edges(rng, make):
    hit = 0
    for o, d, a, b, c in fans(rng, make):
        sides = {rational.edge_side(o, d, *edge) for edge in ((c, b), (a, c), (b, a))}
        expected = sides.pop() if len(sides) == 1 else 0
        assert exact_side(o, d, a, b, c) == expected
        assert exact_side(o, d, b, c, a) == expected
        assert exact_side(o, d, a, c, b) == -expected
        hit += expected != 0
    assert hit > 20


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_triangle_that_is_not_finite_has_no_side(bad):
    corners = [(-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 2.0, 0.0)]
    assert exact_side((0.0, 0.0, 1.0), (0.0, 0.0, -1.0), *corners) == 1
    for corner in range(3):
        for axis in range(3):
            broken = [list(c) for c in corners]
            broken[corner][axis] = bad
            assert exact_side((0.0, 0.0, 1.0), (0.0, 0.0, -1.0), *map(tuple, broken)) == 0


def test_a_triangle_without_area_has_no_side(rng):
    for _ in range(500):
        o, d, a, step = rng.integers(-2, 3, (4, 3)).astype(float)
        d = d if d.any() else np.ones(3)
        b, c = a + step, a + step * rng.integers(-2, 3)
        o, d, *corners = (tuple(x.tolist()) for x in (o, d, *rng.permutation([a, b, c])))
        assert exact_side(o, d, *corners) == 0


def crossings(rng, count, kind):
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
    for numbers in crossings(rng, 2000, kind):
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
