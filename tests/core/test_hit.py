# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.cast.hits import misses, scattered
from standalone_core.numerics.columns import concatenated

from . import meshes
from .questions import FIELDS, assert_same_bits


@pytest.fixture
def hits():
    """Two hits with a miss between them."""
    mesh = sc.Mesh(*meshes.cube())
    return mesh.cast_rays(
        [(0.25, 0.5, 9), (9, 9, 9), (0.5, 0.25, -9)], [(0, 0, -1), (0, 0, -1), (0, 0, 1)]
    )


def test_a_row_is_a_hit_or_none(hits):
    assert len(hits) == 3
    assert hits[1] is None
    for row in (0, 2):
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(hits[row], name), getattr(hits, name)[row])


def test_rows_can_be_walked_through(hits):
    assert [hit is None for hit in hits] == [False, True, False]
    assert hits[-1].distance == 8


def test_rows_that_are_walked_through_are_those_of_an_index(rng):
    """More than are taken apart together, hits and misses, whose memory is their own."""
    mesh, origins = sc.Mesh(*meshes.torus(16, 8)), rng.normal(size=(2500, 3))
    origins[::7] = np.nan
    for answers in (
        mesh.cast_rays(origins, (0, 0, -1), invalid="miss"),
        mesh.closest_point(origins, 0.3, invalid="miss"),
    ):
        assert 100 < answers.hit.sum() < 2400
        indexed = [answers[row] for row in range(2500)]
        walked = list(answers)
        assert walked == indexed
        assert [type(each) for each in walked] == [type(each) for each in indexed]
        first = next(each for each in answers if each is not None)
        for array in (first.point, first.barycentric):
            assert isinstance(array.base, bytes)
            assert len(array.base) == array.nbytes


def test_rows_of_several_axes_are_walked_through_by_the_first(hits):
    (row,) = hits.reshape(1, 3)
    assert_same_bits(row, hits)
    with pytest.raises(sc.errors.DtypeError, match="no length"):
        iter(sc.Mesh(*meshes.cube()).cast_rays((0, 0, 9), (0, 0, -1)))


def test_hit_says_which_rows_are_hits(hits):
    assert hits.hit.tolist() == [True, False, True]


def test_rows_are_taken_by_index_or_by_mask(hits):
    for rows in ([2, 0], np.array([False, True, True])):
        taken = hits.take(rows)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(taken, name), getattr(hits, name)[rows])


@pytest.mark.parametrize(
    "rows", [slice(1, 3), slice(1, 1), [2, 0], np.array([2]), np.array([False, True, True])]
)
def test_a_slice_or_a_mask_of_rows_is_rows_again(hits, rows):
    taken = hits[rows]
    assert isinstance(taken, sc.RayHits)
    assert_same_bits(taken, hits.take(rows))


def test_the_splits_of_all_hits_are_slices_of_them():
    mesh = sc.Mesh(*meshes.cube())
    hits, splits = mesh.cast_rays_all([(0.25, 0.5, 9), (9, 9, 9), (0.5, 0.25, 9)], (0, 0, -1))
    parts = [hits[splits[i] : splits[i + 1]] for i in range(3)]
    assert [part.distance.tolist() for part in parts] == [[8, 10], [], [8, 10]]


def test_parts_are_put_one_after_the_other(hits):
    joined = concatenated([hits, hits.take([0])])
    assert len(joined) == 4
    assert_same_bits(joined.take([0, 1, 2]), hits)
    assert_same_bits(joined.take([3]), hits.take([0]))


def test_scattered_rows_stand_among_misses(hits):
    spread = scattered(np.array([3, 1]), hits.take([0, 2]), 5)
    assert spread.hit.tolist() == [False, True, False, True, False]
    assert_same_bits(spread.take([3, 1]), hits.take([0, 2]))
    assert_same_bits(spread.take([0, 2, 4]), misses(3))


def test_misses_share_no_memory_with_each_other():
    missed = misses(2)
    missed.triangle[0] = 5
    missed.point[0] = 5
    assert missed.face[0] == missed.instance[0] == -1
    assert np.isnan(missed.normal).all()


@pytest.mark.parametrize(
    "way",
    [
        copy.copy,
        copy.deepcopy,
        lambda hits: pickle.loads(pickle.dumps(hits)),
        lambda hits: hits.take(np.arange(3)),
        lambda hits: hits[[True] * 3],
        lambda hits: hits[:],
        lambda hits: hits[()],
        lambda hits: hits.reshape(3, 1).reshape(3),
        lambda hits: hits.reshape(3, 1)[:, 0],
        lambda hits: hits.reshape(3, 1).take(slice(None))[:, 0],
    ],
)
def test_why_rows_are_misses_is_kept_by_copies_and_by_parts(way):
    down, nan = (0, 0, -1), float("nan")
    origins = [(0.25, 0.5, 9), (9, 9, 9), (nan, 0, 0)]
    hits = way(sc.Mesh(*meshes.cube()).cast_rays(origins, down))
    assert hits.invalid.tolist() == [False, False, True]
    reasons = [None, "the ray hits nothing", "the ray's origin is not finite"]
    assert [hits.reason(row) for row in range(3)] == reasons
