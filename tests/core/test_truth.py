# SPDX-License-Identifier: GPL-3.0-or-later
"""What answers are in an ``if``: one is true if it is a hit, and many are an error."""

import copy
import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

TWO_LEAVES = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 2], [0, 4, 2], [4, 0, 2]]
MESH = sc.Mesh(TWO_LEAVES, [[0, 2, 1], [3, 5, 4]])
SCENE = sc.Scene()
SCENE.add(MESH)
POLYGONS = sc.PolygonMesh(TWO_LEAVES, [0, 2, 1, 3, 5, 4], 3)
HERE, AWAY, DOWN = (1.0, 1.0, 9.0), (7.0, 7.0, 9.0), (0.0, 0.0, -1.0)
WEIGHTS = (0.5, 0.25, 0.25)
TRIANGLE = (0, 0, 0), (4, 0, 0), (0, 4, 0)
LEAF = sc.Mesh(TWO_LEAVES[:3], [[0, 1, 2]])

# One answer each, that is there and that is not.
ONE = {
    "a hit": (MESH.ray_cast(HERE, DOWN), MESH.ray_cast(AWAY, DOWN)),
    "a hit in a scene": (SCENE.ray_cast(HERE, DOWN), SCENE.ray_cast(AWAY, DOWN)),
    "hits of one ray": (MESH.ray_cast_all(HERE, DOWN), MESH.ray_cast_all(AWAY, DOWN)),
    "a single row of hits": (MESH.cast_rays(HERE, DOWN), MESH.cast_rays(AWAY, DOWN)),
    "a row of hits": tuple(MESH.cast_rays([HERE, AWAY], DOWN)),
    "a nearest place": (MESH.closest_point(HERE), MESH.closest_point(HERE, 1.0)),
    "one in a scene": (SCENE.closest_point(HERE), SCENE.closest_point(HERE, 1.0)),
    "one of polygons": (POLYGONS.closest_point(HERE), POLYGONS.closest_point(HERE, 1.0)),
    "a point that is not finite": (MESH.closest_point(HERE), MESH.closest_point((np.nan, 0, 0))),
    "a row of places": tuple(MESH.closest_point([HERE, AWAY], [20.0, 1.0])),
    "a place": (MESH.places(0, WEIGHTS), MESH.places(-1, [np.nan] * 3)),
    "a place by vertices": (sc.Places((0, 1, 2), WEIGHTS), sc.Places((-1, -1, -1), [np.nan] * 3)),
    "a thickness": (
        MESH.thickness(MESH.places(1, WEIGHTS)),
        LEAF.thickness(LEAF.places(0, WEIGHTS)),
    ),
    "a path": (MESH.surface_path((0, WEIGHTS), (0, (1, 0, 0))), None),
    "a path between parts": (
        MESH.surface_path((0, WEIGHTS), (0, WEIGHTS)),
        MESH.surface_path((0, WEIGHTS), (1, WEIGHTS)),
    ),
    "a triangle's hit": (
        sc.triangle.watertight(sc.Ray(HERE, DOWN), *TRIANGLE),
        sc.triangle.watertight(sc.Ray(AWAY, DOWN), *TRIANGLE),
    ),
    "a single row of a triangle's hits": (
        sc.triangle.watertight_many(HERE, DOWN, *TRIANGLE),
        sc.triangle.watertight_many(AWAY, DOWN, *TRIANGLE),
    ),
    "triangles": (
        MESH.triangles_in(sc.Region.of([(1, 0, 0, 0)])),
        MESH.triangles_in(sc.Region.of([(1, 0, 0, -99)])),
    ),
}


@pytest.mark.parametrize(("there", "missing"), ONE.values(), ids=ONE)
def test_one_answer_is_true_if_it_is_there(there, missing):
    for way in (lambda answer: answer, copy.copy, lambda a: pickle.loads(pickle.dumps(a))):
        assert bool(way(there)) is True
        assert bool(way(missing)) is False


ORIGINS = np.array([HERE, AWAY])
MANY = {
    "hits": lambda rows: MESH.cast_rays(ORIGINS[rows], DOWN),
    "hits in a grid": lambda rows: SCENE.cast_rays(ORIGINS[rows][None], DOWN),
    "all hits": lambda rows: MESH.cast_rays_all(ORIGINS[rows], DOWN)[0],
    "nearest places": lambda rows: MESH.closest_point(ORIGINS[rows]),
    "places": lambda rows: MESH.places(np.zeros(len(ORIGINS[rows]), int), WEIGHTS),
    "thicknesses": lambda rows: LEAF.thickness(
        LEAF.places(np.zeros(len(ORIGINS[rows]), int), WEIGHTS)
    ),
    "a triangle's hits": lambda rows: sc.triangle.watertight_many(ORIGINS[rows], DOWN, *TRIANGLE),
}


@pytest.mark.parametrize("rows", [[0, 1], [0], [1], []], ids=str)
@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_many_answers_are_neither_true_nor_false(make, rows):
    answers = make(rows)
    for ask in (bool, lambda each: not each, lambda each: each and 1):
        with pytest.raises(errors.DtypeError, match=r"neither true nor false: ask hit\.any\(\)"):
            ask(answers)
    assert bool(answers.hit.any()) is any(np.ravel(answers.hit).tolist())
