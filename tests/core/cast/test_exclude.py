# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles of a mesh, and instances of a scene, that a query leaves out."""

import inspect

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes
from ..meshes import HALVES, SQUARE
from ..questions import FIELDS, assert_same_bits, assert_same_hits, built, lattice_rays, toward

METHODS = ("ray_cast", "ray_cast_all", "cast_rays", "cast_rays_all")
each_method = pytest.mark.parametrize("method", METHODS)
each_path = pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
each_cull = pytest.mark.parametrize("cull", [None, "back", "front"])

DOWN = (0, 0, 9), (0, 0, -1)


def shapes(rng):
    yield meshes.soup(rng, 80)
    yield meshes.nasty(rng, 40)
    yield meshes.icosphere(1)


def rays(rng, vertices, triangles, count=20):
    at, through = toward(rng, vertices, triangles, count), lattice_rays(rng, count)
    return tuple(np.concatenate(pair) for pair in zip(at, through, strict=True))


def left_of_all_hits(caster, asked, options, keep):
    """All hits of a batch, and where each ray's begin, without those that are not to be kept."""
    hits, splits = caster.cast_rays_all(*asked, *options)
    kept = keep(hits)
    ray = np.repeat(np.arange(len(splits) - 1), np.diff(splits))[kept]
    return hits.take(kept), np.searchsorted(ray, np.arange(len(splits)))


def assert_filtered(caster, asked, options, exclude, keep):
    """All four questions that leave something out answer what is left of all hits."""
    hits, splits = left_of_all_hits(caster, asked, options, keep)
    found, found_splits = caster.cast_rays_all(*asked, *options, exclude=exclude)
    assert_same_bits(found, hits)
    np.testing.assert_array_equal(found_splits, splits)
    nearest = caster.cast_rays(*asked, *options, exclude=exclude)
    for i, ray in enumerate(zip(*asked, strict=True)):
        alone = [hits[row] for row in range(*splits[i : i + 2])]
        assert_same_hits([nearest[i]], alone[:1] or [None])
        assert_same_hits(caster.ray_cast_all(*ray, *options, exclude=exclude), alone)
        first = caster.ray_cast(*ray, *options, exclude=exclude)
        assert_same_hits([first], alone[:1] or [None])


@pytest.mark.parametrize("kind", [sc.Mesh, sc.Scene])
@each_method
def test_exclude_stands_after_cull_and_is_none_by_default(kind, method):
    parameters = inspect.signature(getattr(kind, method)).parameters
    names = [*parameters]
    assert names[names.index("cull") + 1] == "exclude"
    assert parameters["exclude"].default is None


# Meshes


@each_cull
def test_a_mesh_answers_what_is_left_of_all_hits(rng, engine, cull):
    for vertices, triangles in shapes(rng):
        mesh = sc.Mesh(vertices, triangles, engine=engine)
        mesh.build()
        mask = rng.random(len(triangles)) < 0.4
        for exclude in (mask, np.flatnonzero(mask)):
            assert_filtered(
                mesh,
                rays(rng, vertices, triangles),
                (rng.choice([8.0, np.inf]), cull),
                exclude,
                lambda hits, mask=mask: ~mask[hits.triangle],
            )


@each_path
def test_a_mesh_answers_as_one_that_was_made_without_those_triangles(rng, make):
    for vertices, triangles in shapes(rng):
        mask = rng.random(len(triangles)) < 0.4
        rows = np.flatnonzero(~mask)
        left = make(vertices, triangles[~mask])
        names = [name for name in FIELDS if name not in ("triangle", "face")]
        for origin, direction in zip(*rays(rng, vertices, triangles), strict=True):
            found = make(vertices, triangles).ray_cast_all(origin, direction, exclude=mask)
            expected = left.ray_cast_all(origin, direction)
            assert [hit.triangle for hit in found] == [rows[hit.triangle] for hit in expected]
            for hit, other in zip(found, expected, strict=True):
                assert_same_bits(hit, other, names)
            first = make(vertices, triangles).ray_cast(origin, direction, exclude=mask)
            assert_same_hits([first], found[:1] or [None])


def in_a_list(mask):
    return mask.tolist()


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def strided(array):
    return np.repeat(array, 2)[::2]


def doubled_and_turned(indices):
    return np.concatenate([indices, indices])[::-1]


@each_path
@pytest.mark.parametrize("form", [in_a_list, read_only, strided])
def test_a_mask_and_indices_can_have_any_form(engine, make, form):
    mesh = make(*meshes.stack(5), None, engine)
    mask = np.array([False, True, False, False, True])
    for exclude in (form(mask), form(np.flatnonzero(mask))):
        hits = mesh.ray_cast_all(*DOWN, exclude=exclude)
        assert [hit.triangle for hit in hits] == [3, 2, 0]


@each_path
@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "uint32", "int64", "uint64", ">i4"])
def test_indices_can_be_integers_of_any_kind_in_any_order_and_repeated(make, kind):
    mesh = make(*meshes.stack(5))
    exclude = doubled_and_turned(np.array([1, 4], dtype=kind))
    assert [hit.triangle for hit in mesh.ray_cast_all(*DOWN, exclude=exclude)] == [3, 2, 0]


@each_path
@pytest.mark.parametrize(
    "exclude", [None, [], (), np.empty(0, dtype=int), np.zeros(5, dtype=bool), [False] * 5]
)
def test_leaving_out_nothing_changes_nothing(make, exclude):
    mesh = make(*meshes.stack(5))
    assert_same_hits(mesh.ray_cast_all(*DOWN, exclude=exclude), mesh.ray_cast_all(*DOWN))
    assert mesh.ray_cast(*DOWN, exclude=exclude).triangle == 4


@each_path
@pytest.mark.parametrize("exclude", [range(5), np.ones(5, dtype=bool)])
def test_leaving_out_everything_misses(make, exclude):
    mesh = make(*meshes.stack(5))
    assert mesh.ray_cast(*DOWN, exclude=exclude) is None
    assert mesh.ray_cast_all(*DOWN, exclude=exclude) == []
    assert not mesh.cast_rays([DOWN[0]] * 3, DOWN[1], exclude=exclude).hit.any()
    hits, splits = mesh.cast_rays_all([DOWN[0]] * 3, DOWN[1], exclude=exclude)
    assert (len(hits), splits.tolist()) == (0, [0, 0, 0, 0])


@pytest.mark.parametrize("exclude", [None, [], np.zeros(0, dtype=bool)])
def test_an_empty_mesh_has_nothing_to_leave_out(exclude):
    mesh = sc.Mesh(np.empty((0, 3)), [])
    assert mesh.ray_cast_all(*DOWN, exclude=exclude) == []


@each_path
def test_a_question_leaves_out_nothing_of_the_next_one_and_does_not_change_its_array(make):
    mesh = make(*meshes.stack(5))
    mask = np.array([False, True, False, False, True])
    assert mesh.ray_cast(*DOWN, exclude=mask).triangle == 3
    assert mask.tolist() == [False, True, False, False, True]
    assert mesh.ray_cast(*DOWN).triangle == 4
    mask[:] = True
    assert mesh.ray_cast(*DOWN).triangle == 4


def test_what_lies_behind_is_found_one_hit_after_the_other(rng):
    vertices, triangles = meshes.soup(rng, 200, size=2.0)
    mesh = built(vertices, triangles)
    for ray in zip(*toward(rng, vertices, triangles, 10), strict=True):
        everything, seen = mesh.ray_cast_all(*ray), []
        while (hit := mesh.ray_cast(*ray, exclude=seen)) is not None:
            seen.append(hit.triangle)
        assert seen == [hit.triangle for hit in everything]


FIVE = np.arange(5)
BAD_FOR_A_MESH = [
    (np.array([True, 1], dtype=object), errors.DtypeError),
    ([1, 2**63], errors.IndexRangeError),
    (np.zeros(4, dtype=bool), errors.ShapeError),
    (np.zeros(6, dtype=bool), errors.ShapeError),
    (np.zeros(0, dtype=bool), errors.ShapeError),
    (np.zeros((5, 1), dtype=bool), errors.ShapeError),
    (np.zeros((2, 5), dtype=bool), errors.ShapeError),
    (True, errors.ShapeError),
    (3, errors.ShapeError),
    ([[0, 1], [2, 3]], errors.ShapeError),
    ([[0, 1], [2]], errors.ShapeError),
    ([5], errors.IndexRangeError),
    ([0, -1], errors.IndexRangeError),
    (np.array([2**63], dtype="u8"), errors.IndexRangeError),
    ([2**70], errors.ArgumentError),
    ([0.0, 1.0], errors.DtypeError),
    ([np.nan], errors.DtypeError),
    (["0"], errors.DtypeError),
    ("all", errors.ArgumentError),
    ([None], errors.DtypeError),
    ({0: 1}, errors.ArgumentError),
    (object(), errors.ArgumentError),
]


@each_path
@each_method
@pytest.mark.parametrize(("exclude", "error"), BAD_FOR_A_MESH)
def test_a_mesh_refuses_what_it_cannot_leave_out(make, method, exclude, error):
    mesh = make(*meshes.stack(5))
    with pytest.raises(error, match="exclude"):
        getattr(mesh, method)(*DOWN, exclude=exclude)
    assert mesh.ray_cast(*DOWN).triangle == 4


# Scenes


def random_scene(rng, count=12):
    scene = sc.Scene()
    shape = sc.Mesh(*meshes.icosphere(1))
    for _ in range(count):
        scene.add(shape, meshes.placement(meshes.rotation(rng), rng.normal(size=3) * 2))
    return scene


def tower(count=4):
    """A scene of tiles one above the other, and their ids from below."""
    scene, tile = sc.Scene(), sc.Mesh(*meshes.stack(1))
    return scene, [scene.add(tile, meshes.placement(offset=(0, 0, z))) for z in range(count)]


@each_cull
def test_a_scene_answers_what_is_left_of_all_hits(rng, cull):
    scene = random_scene(rng)
    origins = rng.normal(size=(40, 3)) * 8
    asked = origins, rng.normal(size=(40, 3)) - origins
    for count in (0, 1, 6, 12):
        ids = rng.permutation(12)[:count]
        assert_filtered(
            scene,
            asked,
            (rng.choice([10.0, np.inf]), cull),
            ids.tolist(),
            lambda hits, ids=ids: ~np.isin(hits.instance, ids),
        )


@pytest.mark.parametrize(
    "form",
    [list, tuple, set, frozenset, iter, np.array, dict.fromkeys, lambda ids: (i for i in ids)],
)
def test_ids_can_come_from_anything_that_can_be_iterated_over(form):
    scene, ids = tower()
    hits = scene.ray_cast_all(*DOWN, exclude=form([ids[3], ids[1]]))
    assert [hit.instance for hit in hits] == [ids[2], ids[0]]
    nearest = scene.cast_rays([DOWN[0]] * 3, DOWN[1], exclude=form([ids[3], ids[1], ids[3]]))
    assert nearest.instance.tolist() == [ids[2]] * 3


@pytest.mark.parametrize("exclude", [None, [], (), set(), np.empty(0, dtype=int)])
def test_a_scene_that_leaves_out_nothing_is_whole(exclude):
    scene, ids = tower()
    assert [hit.instance for hit in scene.ray_cast_all(*DOWN, exclude=exclude)] == ids[::-1]


def test_a_scene_that_leaves_out_everything_is_missed():
    scene, ids = tower()
    assert scene.ray_cast(*DOWN, exclude=ids) is None
    assert scene.ray_cast_all(*DOWN, exclude=ids) == []
    assert not scene.cast_rays([DOWN[0]] * 2, DOWN[1], exclude=ids).hit.any()
    assert scene.cast_rays_all([DOWN[0]] * 2, DOWN[1], exclude=ids)[1].tolist() == [0, 0, 0]
    assert scene.ray_cast(*DOWN).instance == ids[3]


def test_only_the_instance_is_left_out_not_others_of_its_mesh():
    scene, ids = tower()
    assert scene.ray_cast(*DOWN, exclude=[ids[3]]).instance == ids[2]
    assert scene.ray_cast(*DOWN, exclude=[ids[0]]).instance == ids[3]


def test_coincident_instances_are_found_one_after_the_other():
    scene, tile = sc.Scene(), sc.Mesh(*meshes.stack(1))
    ids = [scene.add(tile) for _ in range(5)]
    seen = []
    while (hit := scene.ray_cast(*DOWN, exclude=seen)) is not None:
        seen.append(hit.instance)
    assert seen == ids


@each_method
@pytest.mark.parametrize("unknown", [[4], [0, 1, -1], [None], ["0"], [1.5], [[0]], np.array([9])])
def test_an_id_that_the_scene_does_not_know_is_refused(method, unknown):
    scene, ids = tower()
    with pytest.raises(errors.UnknownInstanceError, match="no instance"):
        getattr(scene, method)(*DOWN, exclude=unknown)
    assert scene.ray_cast(*DOWN).instance == ids[3]


@each_method
def test_an_id_that_was_removed_is_refused(method):
    scene, ids = tower()
    scene.remove(ids[2])
    with pytest.raises(errors.UnknownInstanceError, match=f"no instance {ids[2]}"):
        getattr(scene, method)(*DOWN, exclude=[ids[2]])
    empty = sc.Scene()
    with pytest.raises(errors.UnknownInstanceError):
        getattr(empty, method)(*DOWN, exclude=[0])


MASK = [False, True, False, True]


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda m: list(np.array(m))])
def test_a_list_of_bools_is_a_mask_in_the_order_of_the_scene(form):
    scene, ids = tower(5)
    scene.remove(ids[0])
    hits = scene.ray_cast_all(*DOWN, exclude=form(MASK))
    assert [hit.instance for hit in hits] == [ids[3], ids[1]]
    hits = scene.ray_cast_all(*DOWN, only=form(MASK))
    assert [hit.instance for hit in hits] == [ids[4], ids[2]]


@each_method
@pytest.mark.parametrize("exclude", [[True, False], [True] * 5, np.ones((4, 1), dtype=bool)])
def test_a_mask_of_another_length_than_the_scene_is_refused(method, exclude):
    scene, _ = tower()
    with pytest.raises(errors.ShapeError, match=r"there are 4 instances: it must have shape \(4,"):
        getattr(scene, method)(*DOWN, exclude=exclude)


@each_method
@pytest.mark.parametrize("exclude", [{True}, {True, False}, [True, 0], [0, False]])
def test_bools_that_are_no_mask_are_no_indices_and_no_ids(method, exclude):
    scene, _ = tower(2)
    for caster in (scene, sc.Mesh(*meshes.stack(2))):
        with pytest.raises(errors.RaypickError, match=r"bool|instance True|instance False"):
            getattr(caster, method)(*DOWN, exclude=exclude)


@each_method
@pytest.mark.parametrize("exclude", [0, 1.5, object(), True])
def test_a_scene_refuses_what_cannot_be_iterated_over(method, exclude):
    scene, _ = tower()
    with pytest.raises(errors.RaypickError, match="exclude"):
        getattr(scene, method)(*DOWN, exclude=exclude)


def test_no_triangles_left_out_as_complex_numbers_warned():
    assert sc.Mesh(SQUARE, HALVES).ray_cast(
        (0.5, 0.25, 1), (0, 0, -1), exclude=np.empty(0, complex)
    )


def test_true_and_false_were_taken_for_the_ids_1_and_0():
    scene = sc.Scene()
    scene.add_many(sc.Mesh(SQUARE, HALVES), [np.eye(4)] * 2)
    hit = scene.ray_cast((0.1, 0.2, 5), (0, 0, -1), exclude=[False, True])
    assert hit.instance == 0
