# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrains (grids, DEMs, heightfields), sampled straight down at their own nodes and edges."""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import border

from ..meshes import cube, placement, terrain
from ..questions import assert_same_bits

ALONG, ACROSS = 7, 9  # nodes of a terrain
DOWN = (0, 0, -1)
HIGH = 8192.0

UTM, ODD = (500000, 4649776), (500000.3, 4649776.7)
each_build = pytest.mark.parametrize("build", [False, True], ids=["scan", "tree"])


def on_edges(rng, vertices, triangles):
    """Places in x and y exactly on edges, and their heights there by fractions."""
    pairs = np.concatenate([triangles[:, [i, i - 1]] for i in range(3)])
    places, heights = [], []
    for p, q in np.unique(np.sort(pairs, axis=1), axis=0).tolist():
        a, b = ([Fraction(each) for each in vertices[end].tolist()] for end in (p, q))
        for share in (Fraction(1, 2), Fraction(int(rng.integers(1, 64)), 64)):
            x, y, z = (s + share * (t - s) for s, t in zip(a, b, strict=True))
            if Fraction(float(x)) == x and Fraction(float(y)) == y:
                places.append((float(x), float(y)))
                heights.append(float(z))
    return np.array(places), np.array(heights)


def above(places):
    """The origins of rays down to places in x and y."""
    return np.column_stack([places[:, :2], np.full(len(places), HIGH)])


def assert_sampled(caster, vertices, places, heights, lift=0.0, **closed):
    """Every node answers with its own place, and every place on an edge with its height."""
    count = len(vertices)
    origins = np.concatenate([above(vertices), above(places)])
    hits = caster.cast_rays(origins, DOWN, **closed)
    assert hits.hit.all()
    nodes = vertices + (0, 0, lift)
    np.testing.assert_array_equal(hits.point[:count], nodes)
    np.testing.assert_array_equal(np.sort(hits.barycentric[:count]), [[0, 0, 1]] * count)
    np.testing.assert_allclose(hits.point[count:, 2], heights + lift, rtol=0, atol=1e-12)
    every, splits = caster.cast_rays_all(origins, DOWN, **closed)
    np.testing.assert_array_equal(splits, np.arange(len(origins) + 1))
    assert_same_bits(every, hits)
    assert caster.any_hit(origins, DOWN, **closed).all()
    assert (caster.count_hits(origins, DOWN, **closed) == 1).all()
    for row in range(0, len(origins), 11):
        assert caster.ray_cast(origins[row], DOWN, **closed).point.tolist() == (
            hits.point[row].tolist()
        )


@each_build
@pytest.mark.parametrize(
    ("step", "offset"), [(1, (0, 0)), (30, UTM), (0.1, UTM), (1 / 3, (0, 0)), (1 / 3, ODD)]
)
def test_nodes_return_their_own_heights_and_edges_are_hit(rng, engine, build, offset, step):
    vertices, triangles = terrain(rng, step, offset)
    places = on_edges(rng, vertices, triangles)
    assert len(places[0]) > 40
    made = sc.Mesh(vertices, triangles, engine=engine, border="closed")
    asked = sc.Mesh(vertices, triangles, engine=engine)
    if build:
        made.build()
        asked.build()
    assert_sampled(made, vertices, *places)
    assert_sampled(asked, vertices, *places, border="closed")
    missed = ~asked.any_hit(above(vertices), DOWN)
    assert 0 < missed.sum() < 2 * (ALONG + ACROSS)
    assert not asked.any_hit(above(vertices[missed]), DOWN, border="open").any()


@pytest.mark.parametrize("offset", [(0, 0), UTM])
def test_nodes_of_a_turned_terrain_return_their_own_heights(rng, engine, offset):
    for angle in rng.uniform(0, 2 * np.pi, 3):
        vertices, triangles = terrain(rng, 1.5, offset, angle)
        mesh = sc.Mesh(vertices, triangles, engine=engine)
        places = on_edges(rng, vertices, triangles)
        assert_sampled(mesh, vertices, *places, border="closed")


def test_nodes_of_a_terrain_of_quads_return_their_own_heights(rng, engine):
    vertices, triangles = terrain(rng)
    first, second = np.split(triangles, 2)
    quads = np.column_stack([first, second[:, 2]])
    nodes = vertices.reshape(ALONG, ACROSS, 3)
    nodes = np.concatenate([nodes[0], nodes[-1], nodes[:, 0], nodes[:, -1]])
    polygons = sc.PolygonMesh(vertices, quads.ravel(), 4, engine=engine)
    for _ in range(2):
        for row in range(0, len(nodes), 3):
            assert (
                polygons.ray_cast(above(nodes)[row], DOWN, border="closed").point[2]
                == (nodes[row, 2])
            )
        hits = polygons.cast_rays(above(nodes), DOWN, border="closed")
        np.testing.assert_array_equal(hits.point, nodes)
        np.testing.assert_array_equal(hits.face, polygons.faces_of(hits.triangle))
        assert not polygons.any_hit(above(nodes), DOWN).all()
        polygons.build()


def test_instances_that_no_matrix_rounds_are_sampled_as_their_mesh(rng, engine):
    """Moved by whole numbers, and turned by right angles."""
    vertices, triangles = terrain(rng)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    scene, shapes = sc.Scene(), []
    for number, turn in enumerate((np.eye(3), quarter, quarter @ quarter)):
        offset = np.array([512.0 * number, -64, 0.25])
        scene.add(mesh, placement(turn, offset))
        shapes.append(vertices @ turn.T + offset - (0, 0, 0.25))
    for there in shapes:
        places = on_edges(rng, there, triangles)
        for _ in range(2):  # the second time there are trees
            assert not scene.any_hit(above(there), DOWN).all()
            assert_sampled(scene, there, *places, lift=0.25, border="closed")


def test_many_rays_at_many_terrains_are_answered_as_they_ask(rng, engine):
    """Compiled code keeps tables of the meshes: those of one kind of ray are not for the other."""
    vertices, triangles = terrain(rng)
    scene, solid = sc.Scene(), sc.Mesh(*cube(), engine=engine)
    meshes = [sc.Mesh(vertices + (0, 0, i), triangles, engine=engine) for i in range(3)]
    for number in range(24):
        scene.add(meshes[number % 3], placement(offset=(16.0 * number, 0, 0)))
        scene.add(solid, placement(offset=(16.0 * number, 32, 0)))
    rows = np.concatenate([vertices + (16.0 * i, 0, 0) for i in range(24)] * 2)
    found = [
        scene.cast_rays(above(rows), DOWN, border=border)
        for border in ("open", "closed", "open", "closed")
    ]
    openly, closed = found[::2], found[1::2]
    missed = np.flatnonzero(~openly[0].hit)[:4]
    for row in missed.tolist():  # so few rays make no table of their own
        assert not scene.any_hit(above(rows[[row]]), DOWN, border="open")
        assert scene.any_hit(above(rows[[row]]), DOWN, border="closed")
    for one, other in (openly, closed):
        assert_same_bits(one, other)
    assert closed[0].hit.all()
    assert not openly[0].hit.all()
    assert_same_bits(openly[0], scene.cast_rays(above(rows), DOWN))
    inner = np.flatnonzero(openly[0].hit)
    assert_same_bits(openly[0].take(inner), closed[0].take(inner))


def test_a_hit_beside_a_vertex_keeps_its_distance_from_it(engine):
    """A weight may round to 1 where another is not 0: the edge there may be long."""
    y = 2.6631910920386523e-09
    corners = np.array([(0.0, 0, 0), (1e-3, 0, 0), (2e-3, 1e8, 0)])
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1)):
        mesh = sc.Mesh(corners[[*order]], [(0, 1, 2)], engine=engine)
        for _ in range(2):
            hit = mesh.ray_cast((1e-3, y, 1), (0, 0, -1))
            many = mesh.cast_rays([(1e-3, y, 1)] * 99, (0, 0, -1)).point
            for point in (hit.point, *many):
                assert abs(point[0] - 1e-3) < 1e-18
                assert abs(point[1] - y) < 1e-8 * (order[0] == 2) + 1e-20
            mesh.build()


@pytest.mark.parametrize("offset", [(0, 0), UTM])
def test_limits_leave_out_what_is_beyond_them_and_nothing_else(rng, monkeypatch, offset):
    """Rays in planes of border edges, from border nodes and others, with limits at their hits."""
    vertices, triangles = terrain(rng, 30.0, offset)
    mesh = sc.Mesh(vertices, triangles, border="closed", engine="numpy")
    ends = vertices[rng.integers(0, len(vertices), (2, 400))]
    ways = [*(ends[1] - ends[0])[::2], *rng.integers(-2, 3, (200, 3))]
    origins = ends[0].copy()
    origins[::3] -= 3 * np.array(ways)[::3]
    at = mesh.cast_rays(origins, ways, invalid="miss").distance
    found = []
    for everything in (False, True):
        if everything:
            monkeypatch.setattr(border, "may_meet", lambda rays, row, p, q: row >= 0)
        for least, most in ((0.0, at), (np.where(np.isfinite(at), at, 0.0), np.inf), (1e-6, 9.0)):
            rays = origins, ways, np.where(np.isfinite(most), most, 99.0)
            found.append(mesh.cast_rays(*rays, min_distance=least))
    for one, other in zip(found[:3], found[3:], strict=True):
        assert one.hit.any()
        assert_same_bits(one, other)
