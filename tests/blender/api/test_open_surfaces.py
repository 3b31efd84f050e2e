# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrains, sampled straight down at their own nodes: with a closed border none is missed."""

from fractions import Fraction

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.bridge.view.test_cameras import region, view_of
from tests.blender.scenes import collection_instance, mesh_object

ACROSS, ALONG = 9, 7
DOWN = (0.0, 0.0, -1.0)
HEIGHT = 4096.0

# Single precision holds none of these places in full, but double precision holds their sums.
PLACES = [(0, 0, 0), (512.5, -1024, 3.25), (500000.3, 4649776.7, 120.1)]
each_place = pytest.mark.parametrize("place", PLACES, ids=["origin", "near", "UTM"])


@pytest.fixture
def api(raypick):
    return raypick.api


def terrain(rng, step=1.0, name="Terrain"):
    """An object of quads over a grid, of random heights, and its nodes (N, 3) as it has them."""
    x, y = np.meshgrid(np.arange(ACROSS) * step, np.arange(ALONG) * step)
    vertices = np.stack([x, y, rng.normal(scale=step, size=x.shape)], axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(ALONG, ACROSS)
    around = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    faces = np.stack([each.ravel() for each in around], axis=1).tolist()
    obj = mesh_object(name, vertices.tolist(), faces)
    nodes = np.empty(3 * len(vertices), np.float32)
    obj.data.vertices.foreach_get("co", nodes)
    return obj, nodes.reshape(-1, 3).astype(np.float64)


def between(nodes):
    """The middles of all edges of the grid, which double precision has in full."""
    rows = nodes.reshape(ALONG, ACROSS, 3)
    pairs = (rows[:, 1:], rows[:, :-1]), (rows[1:], rows[:-1])
    return np.concatenate([((a + b) / 2).reshape(-1, 3) for a, b in pairs])


def moved(nodes, location):
    """Places moved by a location; x and y are not rounded."""
    sums = [[Fraction(x) + Fraction(t) for x, t in zip(n, location, strict=True)] for n in nodes]
    assert all(Fraction(float(number)) == number for row in sums for number in row[:2])
    return np.array([[float(number) for number in row] for row in sums])


def above(places):
    return np.column_stack([places[:, :2], np.full(len(places), HEIGHT)])


@each_place
@pytest.mark.parametrize("step", [1.0, 0.1])
def test_every_node_answers_with_its_own_height_and_every_edge_is_hit(api, rng, place, step):
    obj, nodes = terrain(rng, step)
    obj.location = place
    bpy.context.view_layer.update()
    location = [float(each) for each in obj.matrix_world.translation]
    there, middles = moved(nodes, location), moved(between(nodes), location)
    origins = above(np.concatenate([there, middles]))
    rays, closed = (bpy.context, origins, DOWN), {"border": "closed"}
    hits = api.cast_rays(*rays, **closed)
    assert hits.hit.all()
    assert hits["point"][: len(there)].tolist() == there.tolist()
    np.testing.assert_allclose(hits["point"][len(there) :, 2], middles[:, 2], rtol=1e-15)
    every = api.cast_rays_all(*rays, **closed)
    assert np.array_equal(every.splits, np.arange(len(origins) + 1))
    assert every["point"].tobytes() == hits["point"].tobytes()
    assert api.any_hit(*rays, **closed).all()
    assert (api.count_hits(*rays, **closed) == 1).all()
    assert 0 < np.count_nonzero(~api.any_hit(*rays)) < ACROSS + ALONG + ACROSS * ALONG
    assert np.array_equal(api.any_hit(*rays), api.any_hit(*rays, border="open"))
    for row in range(0, len(origins), 7):
        for all_hits in (False, True):
            (hit,) = api.ray_cast(bpy.context, origins[row], DOWN, all_hits=all_hits, **closed)
            assert (hit.object, hit.face) == ("Terrain", hits["face"][row])
            assert list(hit.point) == hits["point"][row].tolist()


@pytest.mark.parametrize("engine", ["NUMPY", "AUTO"])
def test_instances_meet_their_nodes_whatever_was_asked_before(api, raypick, rng, engine):
    preferences = bpy.context.preferences.addons[raypick.__name__].preferences
    obj, nodes = terrain(rng)
    collection_instance(obj, (64.0, 32.0, 0.5))
    preferences.engine = engine
    try:
        bpy.context.view_layer.update()
        origins = above(moved(nodes, (64.0, 32.0, 0.5)))
        for _ in range(2):
            closed = api.cast_rays(bpy.context, origins, DOWN, border="closed")
            openly = api.cast_rays(bpy.context, origins, DOWN)
            assert closed.hit.all()
            assert not openly.hit.all()
            assert closed["point"][:, 2].tolist() == (nodes[:, 2] + 0.5).tolist()
            both = openly.hit
            assert closed["triangle"][both].tobytes() == openly["triangle"][both].tobytes()
    finally:
        preferences.engine = "AUTO"


def test_a_frozen_terrain_answers_like_the_scene(api, rng):
    _, nodes = terrain(rng)
    bpy.context.view_layer.update()
    origins = above(nodes)
    with api.frozen(bpy.context) as scene:
        assert scene.cast_rays(origins, DOWN, border="closed").hit.all()
        assert len(scene.cast_rays_all(origins, DOWN, border="closed")["ray"]) == len(origins)
        assert scene.any_hit(origins, DOWN, border="closed").all()
        assert (scene.count_hits(origins, DOWN, border="closed") == 1).all()
        missed = origins[~scene.any_hit(origins, DOWN)]
        assert len(missed)
        assert not scene.ray_cast(missed[0], DOWN)
        assert scene.ray_cast(missed[0], DOWN, border="closed")
    core = api.core_scene(bpy.context)
    assert core.any_hit(origins, DOWN, border="closed").all()


def test_pixels_through_nodes_see_them(api, rng):
    obj, nodes = terrain(rng)
    obj.location = 3.5, 4.5, 0
    bpy.context.view_layer.update()
    view, window = np.eye(4), np.diag([1 / 8, 1 / 8, -1 / 8192, 1.0])
    view[:3, 3] = -8, -8, -HEIGHT
    camera = api.Camera(view, window, 16, 16)
    seen = api.survey(bpy.context, camera, border="closed")
    assert np.array_equal(seen.hit[4 : 4 + ALONG, 3 : 3 + ACROSS], np.ones((ALONG, ACROSS), bool))
    assert seen.hit.sum() == ACROSS * ALONG
    assert seen["point"][seen.hit][:, 2].tolist() == nodes[:, 2].tolist()
    assert 0 < api.survey(bpy.context, camera).hit.sum() < ACROSS * ALONG
    seen_by = region(16, 16), view_of(Matrix(view), Matrix(window), "ORTHO")
    for x, y in ((3.5, 4.5), (11.5, 4.5), (11.5, 10.5), (3.5, 7.5), (6.5, 6.5)):
        (hit,) = api.pick(bpy.context, *seen_by, (x, y), clip=False, border="closed")
        assert hit.point[:2] == (x, y)
    assert not api.pick(bpy.context, *seen_by, (11.5, 10.5), clip=False)


def test_a_turned_terrain_is_sampled_in_its_own_space(api, rng):
    """A matrix that rounds moves rays off the border, so the scene of the core is asked."""
    obj, nodes = terrain(rng)
    obj.rotation_euler, obj.scale = (0.3, 0.2, 0.1), (1.7, 1.7, 1.7)
    bpy.context.view_layer.update()
    own = api.core_scene(bpy.context)[0].mesh
    hits = own.cast_rays(above(nodes), DOWN, border="closed")
    assert hits.point.tolist() == nodes.tolist()


def test_hidden_faces_make_no_new_border(api, rng):
    obj, nodes = terrain(rng)
    hidden = np.zeros(len(obj.data.polygons), bool)
    hidden[: ACROSS - 1] = True
    obj.data.polygons.foreach_set("hide", hidden)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        found = api.any_hit(bpy.context, above(nodes), DOWN, border="closed")
        assert not found[:ACROSS].any()
        assert found[2 * ACROSS :].all()
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_terrain_that_a_scale_flattens_has_a_border_too(api, rng):
    obj, nodes = terrain(rng)
    obj.scale = 1, 1, 0
    bpy.context.view_layer.update()
    origins = above(nodes)
    assert api.any_hit(bpy.context, origins, DOWN, border="closed").all()
    assert not api.any_hit(bpy.context, origins, DOWN).all()


@pytest.mark.parametrize("wrong", [3, "shut", None, True, ["closed"]])
def test_a_border_is_open_or_closed(api, rng, wrong):
    terrain(rng)
    camera = api.Camera(np.eye(4), np.eye(4), 4, 4)
    ray, rays = ((0, 0, 9), DOWN), ([(0, 0, 9)], DOWN)
    with api.frozen(bpy.context) as frozen:
        for ask, given in (
            (api.ray_cast, (bpy.context, *ray)),
            (api.cast_rays, (bpy.context, *rays)),
            (api.cast_rays_all, (bpy.context, *rays)),
            (api.any_hit, (bpy.context, *rays)),
            (api.count_hits, (bpy.context, *rays)),
            (api.survey, (bpy.context, camera)),
            (frozen.ray_cast, ray),
            (frozen.any_hit, rays),
        ):
            with pytest.raises(api.RaypickError, match="border must be one of open, closed, not"):
                ask(*given, border=wrong)
