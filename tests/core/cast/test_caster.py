# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad questions are refused alike by meshes and by scenes, one by one and in batches."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes


def a_mesh():
    return sc.Mesh(*meshes.cube())


def a_scene():
    scene = sc.Scene()
    scene.add(a_mesh())
    return scene


SINGLE = ("ray_cast", "ray_cast_all")
BATCH = ("cast_rays", "cast_rays_all")
DOWN = (0, 0, -1)

each_caster = pytest.mark.parametrize("make", [a_mesh, a_scene])

BAD_RAYS = [
    (((0, 0), DOWN), errors.ShapeError, r"origin must have shape \(3,\), not \(2,\)"),
    ((((0, 0, 5),), DOWN), errors.ShapeError, "origin must have shape"),
    (((0, 0, np.nan), DOWN), errors.NonFiniteError, "origin is not finite at index 2: nan"),
    (((0, np.inf, 0), DOWN), errors.NonFiniteError, "origin is not finite at index 1: inf"),
    ((("a", 0, 0), DOWN), errors.DtypeError, "origin must be real numbers"),
    (((0, 0, 5), (0, 0, 0)), errors.DirectionError, r"direction must be .* \[0.0, 0.0, 0.0\]"),
    (((0, 0, 5), (0, 0, np.inf)), errors.DirectionError, "direction must be finite"),
    (((0, 0, 5), (0, np.nan, 1)), errors.DirectionError, "direction must be finite"),
    (((0, 0, 5), (0, 1)), errors.ShapeError, "direction must have shape"),
    (((0, 0, 5), DOWN, -1), errors.ArgumentError, "max_distance must be 0 or more, not -1"),
    (((0, 0, 5), DOWN, np.nan), errors.ArgumentError, "max_distance must be 0 or more, not nan"),
    (((0, 0, 5), DOWN, "far"), errors.DtypeError, "max_distance must be a real number"),
    (((0, 0, 5), DOWN, 1, "both"), errors.ArgumentError, "cull must be .* not 'both'"),
    (((0, 0, 5), DOWN, 1, 1), errors.ArgumentError, "cull must be .* not 1"),
]

TWO = np.zeros((2, 3))
BAD_BATCHES = [
    ((TWO, np.ones((3, 3))), errors.ShapeError, r"\(2, 3\) and directions of shape \(3, 3\)"),
    ((np.zeros((2, 2)), DOWN), errors.ShapeError, "origins must have shape"),
    ((TWO, DOWN, [1, 2, 3]), errors.ShapeError, r"max_distance must .* shape \(2,\)"),
    ((TWO, DOWN, 1, "inside"), errors.ArgumentError, "cull must be"),
    ((TWO,), errors.ArgumentError, "rays are origins and directions, or alone a Ray"),
]

BAD_ROWS = [
    ((TWO, [DOWN, (0, 0, 0)]), errors.DirectionError, "directions 1 must be"),
    ((TWO, [(0, np.inf, 0), DOWN]), errors.DirectionError, "directions 0 must be"),
    (([(0, 0, 0), (0, np.nan, 0)], DOWN), errors.NonFiniteError, r"origins .* index \(1, 1\)"),
    ((TWO, DOWN, [1, -2]), errors.ArgumentError, "max_distance 1 must be 0 or more"),
    ((TWO, DOWN, [1, np.nan]), errors.ArgumentError, "max_distance 1 must be 0 or more"),
]


@each_caster
@pytest.mark.parametrize("method", SINGLE)
@pytest.mark.parametrize(("arguments", "error", "words"), BAD_RAYS)
def test_a_bad_ray_is_refused_with_its_reason(make, method, arguments, error, words):
    with pytest.raises(error, match=words):
        getattr(make(), method)(*arguments)


@each_caster
@pytest.mark.parametrize("method", BATCH)
@pytest.mark.parametrize(("arguments", "error", "words"), BAD_BATCHES)
def test_a_bad_batch_is_refused_with_its_reason_and_place(make, method, arguments, error, words):
    with pytest.raises(error, match=words):
        getattr(make(), method)(*arguments)


@each_caster
@pytest.mark.parametrize("method", [*BATCH, "any_hit", "count_hits"])
@pytest.mark.parametrize(("arguments", "error", "words"), BAD_ROWS)
def test_a_bad_row_is_an_error_with_its_place_if_asked(make, method, arguments, error, words):
    with pytest.raises(error, match=words):
        getattr(make(), method)(*arguments, invalid="raise")


@each_caster
@pytest.mark.parametrize(("arguments", "error", "words"), BAD_ROWS)
def test_a_bad_row_is_a_miss_and_no_end_of_the_others(make, arguments, error, words):
    hits = make().cast_rays(*arguments)
    assert hits.invalid.sum() == 1
    assert not hits.hit[hits.invalid].any()
    (row,) = np.flatnonzero(hits.invalid)
    assert hits[1 - row].distance == 1
    assert hits.reason(1 - row) is None
    assert hits.reason(row).split()[0] == "the"


@each_caster
def test_a_question_does_not_change_its_arrays(make):
    origins, directions = np.full((3, 3), 5.0), np.full((3, 3), -2.0)
    limits = np.array([1.0, 9, 9])
    make().cast_rays(origins, directions, limits)
    assert (origins == 5).all()
    assert (directions == -2).all()
    assert limits.tolist() == [1, 9, 9]


@each_caster
def test_a_miss_has_distance_inf_minus_1_for_indices_and_nan_for_the_rest(make):
    hits = make().cast_rays([(0, 0, 5), (9, 9, 5)], DOWN)
    assert hits.hit.tolist() == [True, False]
    assert hits.distance.tolist() == [4, np.inf]
    for index in (hits.triangle, hits.face, hits.instance):
        assert index[1] == -1 < index[0]
    for vector in (hits.point, hits.normal, hits.barycentric):
        assert np.isnan(vector[1]).all()
        assert np.isfinite(vector[0]).all()
    assert not hits.front[1]
    assert hits[1] is None


@each_caster
def test_the_columns_have_the_types_of_the_contract(make):
    hits, splits = make().cast_rays_all([(0, 0, 5), (9, 9, 5)], DOWN)
    assert splits.tolist() == [0, 2, 2]
    for name in ("distance", "point", "normal", "barycentric"):
        assert getattr(hits, name).dtype == np.float64
    for array in (hits.triangle, hits.face, hits.instance, splits):
        assert array.dtype == np.int64
    assert hits.front.dtype == np.bool_
    assert hits.point.shape == hits.normal.shape == hits.barycentric.shape == (2, 3)


@each_caster
def test_a_hit_is_made_of_python_numbers(make):
    hit = make().ray_cast((0.25, 0.5, 5), DOWN)
    assert type(hit.distance) is float
    assert {type(x) for x in (hit.triangle, hit.face, hit.instance)} == {int}
    assert type(hit.front) is bool


@each_caster
@pytest.mark.parametrize("build", [False, True])
def test_arrays_of_answers_are_read_only(make, build, engine):
    caster = sc.Mesh(*meshes.cube(), engine=engine) if make is a_mesh else make()
    if build and make is a_mesh:
        caster.build()
    ray = (0.25, 0.5, 5), DOWN
    answers = [caster.ray_cast(*ray), *caster.ray_cast_all(*ray), caster.cast_rays(*ray)]
    answers += [caster.cast_rays([ray[0]] * 40, DOWN), caster.cast_rays_all(*ray)[0]]
    for answer in [*answers, answers[-1][0]]:
        for array in (answer.point, answer.normal, answer.barycentric):
            with pytest.raises(ValueError, match="read-only"):
                array[..., 0] = 7
