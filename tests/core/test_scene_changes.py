# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that was changed again and again answers as one that is made anew."""

import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.instancing.placements import InstanceIndex

from . import meshes
from .questions import FIELDS, assert_same_bits
from .test_scene import SHEAR
from .test_scene_instances import DOWN, TILE, at

MANY = 150


def random_matrix(rng, size=4.0):
    """Turned, and mirrored, sheared, tiny or huge now and then."""
    linear = meshes.rotation(rng) @ np.diag(rng.uniform(0.2, 1.5, 3))
    linear = (
        linear
        @ [np.eye(3), np.diag([-1, 1, 1]), SHEAR, 1e-3 * np.eye(3), 9 * np.eye(3)][
            rng.choice(5, p=[0.6, 0.1, 0.1, 0.15, 0.05])
        ]
    )
    return meshes.placement(linear, rng.uniform(-size, size, 3))


def shapes(rng, engine="auto"):
    arrays = [meshes.icosphere(1), meshes.soup(rng, 12), meshes.torus(9, 7)]
    return [sc.Mesh(*each, engine=engine) for each in arrays]


def scene_of_many(rng, several, count=MANY):
    scene = sc.Scene()
    scene.add_many(
        [several[i % len(several)] for i in range(count)],
        [random_matrix(rng) for _ in range(count)],
    )
    return scene


def rays_through(rng, count, size=4.0):
    origins = rng.normal(size=(count, 3)) * size
    return origins, rng.uniform(-size, size, (count, 3)) - origins


def assert_as_made_anew(rng, scene, count=60):
    """All questions are answered to the last bit as by a scene of the same instances."""
    fresh, ids = sc.Scene(), np.array([*scene, -1])
    for i in scene:
        fresh.add(scene[i].mesh, scene[i].matrix)
    assert len(fresh) == len(scene)
    origins, directions = rays_through(rng, count)
    limits = np.where(rng.random(count) < 0.5, np.inf, rng.uniform(0, 8, count))
    chosen = rng.random(len(fresh)) < 0.1
    for cull, excluded in ((None, None), ("back", None), (None, chosen), ("front", chosen)):
        mine, theirs = {"cull": cull}, {"cull": cull}
        if excluded is not None:
            theirs["exclude"] = np.flatnonzero(excluded).tolist()
            mine["exclude"] = ids[:-1][excluded].tolist()
        rays = origins, directions, limits
        one, other = scene.cast_rays(*rays, **mine), fresh.cast_rays(*rays, **theirs)
        assert_same_with_ids(one, other, ids)
        some, others = scene.cast_rays_all(*rays, **mine), fresh.cast_rays_all(*rays, **theirs)
        np.testing.assert_array_equal(some[1], others[1])
        assert_same_with_ids(some[0], others[0], ids)
        np.testing.assert_array_equal(scene.any_hit(*rays, **mine), one.hit)
        np.testing.assert_array_equal(scene.count_hits(*rays, **mine), np.diff(some[1]))
        for row, ray in enumerate(zip(*(each[:6] for each in rays), strict=True)):
            alone = scene.ray_cast(*ray, **mine)
            assert (alone is not None) == one.hit[row]
            if alone is not None:
                assert_same_bits(alone, one[row])


def assert_same_with_ids(one, other, ids):
    assert_same_bits(one, other, [name for name in FIELDS if name != "instance"])
    np.testing.assert_array_equal(one.instance, ids[other.instance])


def change_at_random(rng, scene, several):
    """One of all changes that there are."""
    ids = list(scene)
    what = rng.choice(["add", "add_many", "move", "move", "move again", "remove", "refit"])
    if what == "add":
        scene.add(several[rng.integers(len(several))], random_matrix(rng))
    elif what == "add_many":
        scene.add_many(several[0], [random_matrix(rng) for _ in range(rng.integers(1, 6))])
    elif what == "move":
        scene.set_matrix(int(rng.choice(ids)), random_matrix(rng))
    elif what == "move again":
        scene.set_matrix(ids[-1], random_matrix(rng))
    elif what == "remove":
        scene.remove(int(rng.choice(ids)))
    else:
        mesh = several[rng.integers(len(several))]
        mesh.refit(mesh.vertices * rng.uniform(0.5, 1.5))


@pytest.mark.parametrize("count", [3, MANY])
def test_a_scene_after_random_changes_answers_as_one_made_anew(rng, engine, count):
    several = shapes(rng, engine)
    scene = scene_of_many(rng, several, count)
    for _ in range(8):
        for _ in range(rng.integers(1, 4)):
            if len(scene) > 1:
                change_at_random(rng, scene, several)
        assert_as_made_anew(rng, scene, 40)


def test_an_instance_that_was_moved_is_where_it_is_now_and_nowhere_else(rng):
    scene = scene_of_many(rng, shapes(rng))
    for z in (100, 200, 300):
        scene.set_matrix(6, at(z))
        for there in (100, 200, 300):
            hit = scene.ray_cast((0, 0, there + 5), (0, 0, -1), 10)
            assert (hit is not None) == (there == z)
            batch = scene.cast_rays([(0, 0, there + 5)] * 50, (0, 0, -1), 10)
            assert batch.instance.tolist() == [6 if there == z else -1] * 50


def test_an_instance_that_was_removed_does_not_come_back_with_a_refit_of_its_mesh():
    mesh = sc.Mesh(TILE.vertices, TILE.triangles)
    scene = sc.Scene()
    ids = scene.add_many(mesh, [at(10 * i) for i in range(MANY)])
    scene.ray_cast(*DOWN)
    scene.remove(ids[0])
    assert scene.ray_cast(*DOWN) is None
    mesh.refit(mesh.vertices + (0, 0, 1))
    assert scene.ray_cast(*DOWN) is None
    assert scene.ray_cast((0, 0, 15), (0, 0, -1)).distance == 4


def test_a_refit_of_one_mesh_of_many_is_seen_each_time(rng):
    one = sc.Mesh(TILE.vertices, TILE.triangles)
    scene = scene_of_many(rng, shapes(rng))
    added = scene.add(one, at(100))
    for z in (1, 2, 4):
        one.refit(TILE.vertices + (0, 0, z))
        hit = scene.ray_cast((0, 0, 110), (0, 0, -1))
        assert (hit.instance, hit.distance) == (added, 10 - z)
        assert not scene._index.is_stale


class Breathing(sc.Placeable):
    """A tile that rises, and does not tell."""

    engine = "auto"

    def __init__(self):
        self.height = 0.0

    @property
    def revision(self):
        return self.height

    @property
    def bounds(self):
        return TILE.bounds[0] + (0, 0, self.height), TILE.bounds[1] + (0, 0, self.height)

    def tile(self):
        return sc.Mesh(TILE.vertices + (0, 0, self.height), TILE.triangles)

    def _cast(self, ray):
        return self.tile()._cast(ray)

    def _cast_many(self, rays):
        return self.tile()._cast_many(rays)


class QuietMesh(sc.Mesh):
    """A mesh that says itself which revision it is."""

    said = 0

    @property
    def revision(self):
        return self.said


@pytest.mark.parametrize("others", [0, MANY])
def test_what_does_not_announce_its_changes_is_asked_for_them(rng, others):
    scene, risen = sc.Scene(), Breathing()
    for _ in range(others):
        scene.add(TILE, random_matrix(rng))
    scene.add(risen, at(100))
    scene.ray_cast(*DOWN)
    for height in (1.0, 2.0):
        risen.height = height
        assert scene.ray_cast((0, 0, 110), (0, 0, -1)).distance == 10 - height
    quiet = QuietMesh(TILE.vertices, TILE.triangles)
    scene.add(quiet, at(200))
    scene.ray_cast(*DOWN)
    quiet._state = sc.Mesh(TILE.vertices + (0, 0, 3), TILE.triangles)._state
    quiet.said = 1
    assert scene.ray_cast((0, 0, 210), (0, 0, -1)).distance == 7


def test_ties_go_to_the_smaller_id_also_beside_a_change(rng):
    scene = sc.Scene()
    ids = scene.add_many(TILE, [at(0)] * MANY)
    scene.ray_cast(*DOWN)
    rays = np.tile(DOWN[0], (50, 1)), DOWN[1]
    for moved in (0, 77, 1):
        scene.set_matrix(moved, at(-1))
        nearest = min(i for i in ids if i != moved)
        assert scene.ray_cast(*DOWN).instance == nearest
        assert set(scene.cast_rays(*rays).instance.tolist()) == {nearest}
        scene.set_matrix(moved, at(0))
        hits, splits = scene.cast_rays_all(*rays)
        assert hits.instance.tolist() == ids * 50
        scene.remove(moved)
        ids.remove(moved)
        assert scene.ray_cast(*DOWN).instance == min(ids)
        hits, splits = scene.cast_rays_all(*rays)
        assert hits.instance[: splits[1]].tolist() == ids


@pytest.mark.parametrize("moved", [0, 1])
def test_of_equal_distances_the_smaller_id_is_nearest_whichever_tree_it_is_in(moved):
    scene = sc.Scene()
    aside = [meshes.placement(offset=(10 + 5 * i, 0, 0)) for i in range(1000)]
    scene.add_many(TILE, [at(0), at(0), *aside])
    scene.ray_cast(*DOWN)
    scene.set_matrix(moved, at(0))
    assert scene.ray_cast(*DOWN).instance == 0
    assert scene.cast_rays(np.tile(DOWN[0], (50, 1)), DOWN[1]).instance.tolist() == [0] * 50
    assert scene._index.parts[1].placed.ids.tolist() == [moved]


def test_a_scene_with_changes_that_no_cast_has_seen_is_pickled_with_them(rng):
    scene = scene_of_many(rng, shapes(rng))
    scene.ray_cast(*DOWN)
    scene.set_matrix(3, at(100))
    scene.ray_cast(*DOWN)
    scene.remove(4)
    again = pickle.loads(pickle.dumps(scene))
    assert list(again) == list(scene)
    assert_as_made_anew(rng, again)


def test_few_changes_leave_the_tree_and_many_are_put_in_one(rng):
    several = shapes(rng)
    scene = scene_of_many(rng, several, 2000)
    scene.ray_cast(*DOWN)
    tree = scene._index.parts[0].tree
    scene.set_matrix(5, at(1))
    scene.ray_cast(*DOWN)
    settled, changed = scene._index.parts
    assert settled.tree is tree
    assert changed.placed.ids.tolist() == [5]
    for i in range(600):
        scene.set_matrix(i, at(i))
    scene.ray_cast(*DOWN)
    (whole,) = scene._index.parts
    assert len(whole) == 2000


def test_rays_enough_pay_for_one_tree(rng):
    scene = scene_of_many(rng, shapes(rng), 2000)
    scene.ray_cast(*DOWN)
    scene.set_matrix(5, at(1))
    scene.ray_cast(*DOWN)
    assert len(scene._index.parts) == 2
    scene.cast_rays(*rays_through(rng, 2000))
    scene.ray_cast(*DOWN)
    assert len(scene._index.parts) == 1


def test_changes_of_an_index_leave_it_as_it_was(rng):
    instances = dict(scene_of_many(rng, shapes(rng))._instances)
    index = InstanceIndex.of(instances)
    changed = index.updated({3: None, 4: instances[5], MANY: instances[6]})
    shown = [part.visible().ids.tolist() for part in changed.parts]
    assert shown == [[i for i in range(MANY) if i not in (3, 4)], [4, MANY]]
    (before,) = index.parts
    assert before.hidden is None
    assert before.visible().ids.tolist() == list(range(MANY))
