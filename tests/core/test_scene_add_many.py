# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that are added together are as if they were added one by one."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes
from .meshes import HALVES, SQUARE
from .questions import assert_same_bits
from .test_scene_instances import DOWN, TILE, at, random_rays


def test_many_instances_added_at_once_are_those_added_one_by_one(rng):
    mesh = sc.Mesh(*meshes.icosphere(1))
    matrices = [
        meshes.placement(rng.normal(size=(3, 3)), rng.normal(size=3) * 4) for _ in range(20)
    ]
    scene, singly = sc.Scene(), sc.Scene()
    scene.add(TILE)
    assert scene.add_many(mesh, matrices) == list(range(1, 21))
    singly.add(TILE)
    for matrix in matrices:
        singly.add(mesh, matrix)
    for instance in scene:
        np.testing.assert_array_equal(scene[instance].matrix, singly[instance].matrix)
        np.testing.assert_allclose(
            scene[instance].linear_inverse, singly[instance].linear_inverse, rtol=1e-13, atol=1e-13
        )
    rays = random_rays(rng, 200)
    one, other = scene.cast_rays(*rays), singly.cast_rays(*rays)
    assert_same_bits(one, other, ["triangle", "instance", "front"])
    np.testing.assert_allclose(one.distance, other.distance, rtol=1e-12)


def test_many_meshes_are_added_at_once_each_by_its_matrix(rng):
    several = [sc.Mesh(*meshes.icosphere(level)) for level in (0, 1, 2)]
    matrices = [at(0), at(5), at(10)]
    scene = sc.Scene()
    ids = scene.add_many(several, matrices, ["a", "b", "c"])
    assert [scene[i].mesh for i in ids] == several
    assert [scene[i].name for i in ids] == ["a", "b", "c"]
    with pytest.raises(errors.ShapeError, match="meshes must be as many as the matrices, 3, not 2"):
        scene.add_many(several[:2], matrices)
    with pytest.raises(errors.DtypeError, match="mesh 1 must be a Mesh"):
        scene.add_many([TILE, "x", TILE], matrices)
    assert len(scene) == 3
    assert scene.add_many([], np.empty((0, 4, 4))) == []


def test_many_instances_added_at_once_have_names_and_matrices_of_their_own():
    matrices = np.array([at(1), at(2)])
    scene = sc.Scene()
    first, second = scene.add_many(TILE, matrices, ["low", None])
    matrices[:] = 0
    assert (scene[first].name, scene[second].name) == ("low", None)
    assert [hit.distance for hit in scene.ray_cast_all(*DOWN)] == [3, 4]
    assert scene.add_many(TILE, np.empty((0, 4, 4))) == []
    scene.remove(second)
    scene.set_matrix(first, at(3))
    assert scene.add_many(TILE, [at(4)]) == [2]
    assert [hit.distance for hit in scene.ray_cast_all(*DOWN)] == [1, 2]


@pytest.mark.parametrize(
    ("mesh", "matrices", "names", "error", "words"),
    [
        (TILE, [np.eye(4), np.zeros((4, 4))], None, errors.ArgumentError, "matrices"),
        (TILE, [np.eye(4), np.diag([1, 1, 0, 1])], None, errors.SingularMatrixError, "matrices"),
        (TILE, [np.diag([1, np.nan, 1, 1])], None, errors.NonFiniteError, "matrices is not finite"),
        (TILE, np.eye(4), None, errors.ShapeError, "matrices must have shape"),
        (TILE, [np.eye(4)], ["a", "b"], errors.ShapeError, "names must be as many as .* not 2"),
        ([[0, 0, 0]], [np.eye(4)], None, errors.ArgumentError, "mesh 0 must be a Mesh"),
        (sc.Mesh, [np.eye(4)], None, errors.DtypeError, "mesh must be .* not the class Mesh"),
        (TILE, [np.eye(4)] * 2, ["a", 3], errors.DtypeError, "names 1 must be a str, not an int"),
    ],
)
def test_bad_instances_added_at_once_are_refused_and_none_is_added(
    mesh, matrices, names, error, words
):
    scene = sc.Scene()
    with pytest.raises(error, match=words):
        scene.add_many(mesh, matrices, names)
    assert len(scene) == 0


def test_names_from_a_generator_ended_in_an_error_and_a_text_in_letters():
    scene, mesh = sc.Scene(), sc.Mesh(SQUARE, HALVES)
    added = scene.add_many(mesh, [np.eye(4)] * 3, (f"number {i}" for i in range(3)))
    assert [scene[i].name for i in added] == ["number 0", "number 1", "number 2"]
    with pytest.raises(sc.RaypickError, match="names"):
        scene.add_many(mesh, [np.eye(4)] * 3, "abc")
    assert len(scene) == 3


@pytest.mark.parametrize("none", [[], (), np.empty((0, 4, 4))], ids=str)
def test_no_matrices_place_nothing_and_are_no_error(none):
    scene = sc.Scene()
    assert scene.add_many(TILE, none) == scene.add_many([], none) == []
    only = scene.add(TILE)
    scene.set_matrices([], none)
    np.testing.assert_array_equal(scene[only].matrix, np.eye(4))
