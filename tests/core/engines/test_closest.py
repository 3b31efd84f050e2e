# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest place by each engine, alone or in a batch: the same bits as by a scan."""

import numpy as np
import pytest

from standalone_core.closest.places import without_places
from standalone_core.engines.numba import compiling
from standalone_core.numerics.columns import concatenated

from .. import meshes
from ..closest.near_ties import KINDS
from ..closest.nearest_places import around, assert_same_bits, built, scanning
from ..scales import at_every_scale

ROOM = 64
"""Triangles that the compiled search keeps before it compares them."""


@pytest.fixture(params=["alone", "batch"])
def find(request, engine):
    """How points are looked for in a mesh with a tree: one by one, or all together."""

    def found(vertices, triangles, points, *query):
        mesh = built(vertices, triangles, engine=engine)
        if request.param == "batch":
            return mesh.closest_point(points, *query)
        return concatenated([mesh.closest_point([point], *query) for point in points])

    return found


@at_every_scale
@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_decided_as_by_a_scan(rng, find, kind, scale):
    vertices, triangles, points = kind(rng, 40)
    vertices, points = vertices * scale, points * scale
    expected = scanning(vertices, triangles).closest_point(points)
    assert_same_bits(find(vertices, triangles, points), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_ties_far_from_the_origin_are_decided_as_by_a_scan(rng, find, kind):
    vertices, triangles, points = kind(rng, 40)
    vertices, points = vertices + (3e5, -1e6, 7e4), points + (3e5, -1e6, 7e4)
    expected = scanning(vertices, triangles).closest_point(points)
    assert_same_bits(find(vertices, triangles, points), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_count_is_left_out_as_by_a_scan(rng, find, kind):
    vertices, triangles, points = kind(rng, 40)
    excluded = rng.random(len(triangles)) < 0.5
    limit = float(np.median(scanning(vertices, triangles).closest_point(points).distance))
    expected = scanning(vertices, triangles).closest_point(points, limit, excluded)
    assert_same_bits(find(vertices, triangles, points, limit, excluded), expected)


@pytest.mark.parametrize("cells", [1, 3, 9])
def test_where_all_triangles_are_excluded_there_is_no_place(rng, find, cells):
    """Also not in the last nodes, some of whose children there are not."""
    vertices, triangles = meshes.grid(cells)
    near = find(vertices, triangles, rng.normal(size=(20, 3)), np.inf, range(len(triangles)))
    assert_same_bits(near, without_places(20))


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**-290, 2.0**290, 2.0**600, 2.0**1000])
def test_sizes_at_the_ends_of_float64(rng, find, scale):
    vertices, triangles = meshes.nasty(rng)
    vertices, points = vertices * scale, rng.uniform(-2, 5, (30, 3)) * scale
    expected = scanning(vertices, triangles).closest_point(points)
    assert_same_bits(find(vertices, triangles, points), expected)


@pytest.mark.parametrize("away", [1.0, 3e2, 1e4, 1e7, 1e12, 1e30, 1e200])
def test_points_at_any_distance(rng, find, away):
    vertices, triangles = meshes.icosphere(3)
    points = around(rng, vertices, triangles, 20, away)
    expected = scanning(vertices, triangles).closest_point(points)
    assert_same_bits(find(vertices, triangles, points), expected)


def test_numbers_whose_products_underflow_are_left_to_numpy(rng, find):
    """Beside ordinary ones: the errors of their products are no longer exact."""
    vertices = rng.choice([0.0, 1.0, 1e-160, -1e-165, 1e-300], (60, 3))
    triangles = rng.integers(0, 60, (80, 3))
    points = rng.choice([0.0, 1.0, 1e-160, 3e-161, 1e-310], (60, 3))
    expected = scanning(vertices, triangles).closest_point(points)
    assert_same_bits(find(vertices, triangles, points), expected)


def test_more_triangles_at_one_distance_than_there_is_room_for(rng, find):
    """All faces of a sphere in any order, and many copies of the nearest triangle."""
    vertices, triangles = meshes.icosphere(2)
    triangles = rng.permutation(triangles)
    assert len(triangles) > 4 * ROOM
    points = np.concatenate([np.zeros((3, 3)), 1e-17 * rng.normal(size=(6, 3))])
    expected = scanning(vertices, triangles).closest_point(points)
    assert_same_bits(find(vertices, triangles, points), expected)
    copies = np.concatenate([triangles, np.tile(triangles[7], (3 * ROOM, 1))])
    copies = rng.permutation(copies)
    points = around(rng, vertices, triangles[7:8], 9, 0.1)
    expected = scanning(vertices, copies).closest_point(points)
    assert_same_bits(find(vertices, copies, points), expected)


def test_a_mesh_refitted_to_what_is_not_finite(rng, engine):
    vertices, triangles = meshes.torus(20, 12)
    points = rng.normal(size=(40, 3))
    broken = vertices.copy()
    broken[::17], broken[5] = np.nan, (np.inf, 0, 0)
    mesh = built(vertices, triangles, engine=engine)
    mesh.refit(broken)
    expected = scanning(broken, triangles).closest_point(points)
    assert_same_bits(mesh.closest_point(points), expected)
    for row in (0, 7, 21):
        assert_same_bits(mesh.closest_point(points[row : row + 1]), expected.take([row]))


def test_more_points_than_a_thread_takes(rng, engine):
    vertices, triangles = meshes.torus(24, 16)
    points = rng.normal(size=(5000, 3))
    near = built(vertices, triangles, engine=engine).closest_point(points)
    rows = rng.integers(0, len(points), 40)
    assert_same_bits(near.take(rows), scanning(vertices, triangles).closest_point(points[rows]))


def test_compiled_code_finds_all_but_the_unusual_itself(rng, monkeypatch):
    pytest.importorskip("numba")
    engine = compiling.engine(wait=True)
    if engine is None:
        pytest.skip(str(compiling.reason()))
    left = []

    def counted(geometry, tree, points, limits, excluded):
        left.append(len(points))
        return numpy_closest(geometry, tree, points, limits, excluded)

    numpy_closest = engine.numpy_engine.closest
    monkeypatch.setattr(engine.numpy_engine, "closest", counted)
    for kind in KINDS:
        vertices, triangles, points = kind(rng, 200)
        built(vertices, triangles, engine="numba").closest_point(points)
        assert sum(left) < 20
        left.clear()
