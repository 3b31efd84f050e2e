# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.cast.hits import misses
from standalone_core.numerics.columns import distinct, run_starts, splits_of

from ..public_calls import Things

ANSWERS = ("ray_hits", "closest_points")
MASK = np.array([True, False])

PARTS = {
    "taken": lambda columns: columns.take([1, 0]),
    "taken by a mask": lambda columns: columns.take(MASK),
    "of indices": lambda columns: columns[[0, 1]],
    "of a mask": lambda columns: columns[MASK],
    "of a slice": lambda columns: columns[1:],
    "of a tuple": lambda columns: columns[1:,],
    "in another shape": lambda columns: columns.reshape(2, 1),
    "copied to another shape": lambda columns: columns[::-1].reshape(1, 2),
}

each_part = pytest.mark.parametrize("part", PARTS)


def arrays(columns):
    return [column for column in vars(columns).values() if column is not None]


@each_part
@pytest.mark.parametrize("name", ANSWERS)
def test_parts_of_an_answer_are_read_only(name, part):
    for column in arrays(PARTS[part](getattr(Things(), name)())):
        assert not column.flags.writeable


@each_part
def test_parts_of_what_is_still_written_to_can_be_written_to(part):
    for column in arrays(PARTS[part](misses(2))):
        column[...] = 1


def test_rows_of_an_array_are_kept_apart_from_it():
    """Of one row, the fields of an array have no gaps, and could be taken as they are."""
    array = Things().ray_hits()[:1].as_structured()
    hits = sc.RayHits.from_structured(array)
    array["distance"] = array["point"] = 7
    assert hits == Things().ray_hits()[:1]


ROWS = {
    "a single one": [0, 1, -1, -2, np.int64(1), np.uint8(0), (0,), (-1,), (..., 0), (1, ...)],
    "some": [slice(None), slice(1, 9), slice(0, 0), [1], [], [0, -1], MASK, [True, True], ()],
    "refused": ["a", 0.0, [0.0], True, np.True_, (..., ...), {}, [None]],
    "not there": [2, -3, [2], [0, -3], (2,), (0, 0), (slice(None), 0), 10**30, 2**63, MASK[:1]],
}
ROWS["some"] += [..., None, (0, None), (None, ..., None), np.array([[0, 1], [1, 0]])]
ROWS["refused"] += [slice(0.5, None), slice(0, 2, 0)]
ROWS["not there"] += [([0], [1]), (..., 0, 0)]


@pytest.mark.parametrize("name", ANSWERS)
def test_all_answers_have_the_same_rows(name):
    columns = getattr(Things(), name)()
    for row in ROWS["a single one"]:
        single = columns[row]
        assert single is None or single.distance == columns.distance[row]
    for rows in ROWS["some"]:
        assert np.array_equal(columns[rows].distance, columns.distance[rows])
    for rows in ROWS["refused"]:
        with pytest.raises(errors.DtypeError, match="rows must be indices, a mask or a slice"):
            columns[rows]
    for rows in ROWS["not there"]:
        with pytest.raises(errors.IndexRangeError, match="there are no such rows"):
            columns[rows]


@pytest.mark.parametrize("name", ANSWERS)
def test_rows_in_a_shape_of_several_axes_are_indexed_as_those_of_an_array(name):
    columns = getattr(Things(), name)().reshape(1, 2)
    some = [0, (0,), (0, slice(None)), (slice(None), 1), (slice(None), slice(1)), MASK[None]]
    some += [(..., 1), (..., [1, 0, 0]), (slice(None), [0, 1]), ([0, 0], [0, 1]), (..., MASK)]
    some += [(0, ..., None), (None, [0], MASK)]
    for index in some:
        rows, distance = columns[index], columns.distance[index]
        assert np.array_equal(rows.distance, distance)
        assert rows.point.shape == (*distance.shape, 3)
        x, y, z = (columns.point[..., axis][index] for axis in range(3))
        assert np.array_equal(rows.point, np.stack([x, y, z], axis=-1), equal_nan=True)
    assert columns[0, 0].triangle == columns.triangle[0, 0] >= 0
    assert columns.reshape(2)[:1].reshape(())[()].triangle == columns.triangle[0, 0]
    for index in [(0, 2), (1, 0), (0, 0, 0), (0, slice(None), 0)]:
        with pytest.raises(errors.IndexRangeError, match="there are no such rows"):
            columns[index]


def test_rows_are_walked_through_whatever_they_hold():
    assert [row.triangle for row in Things().closest_points()] == [2, 1]
    assert [row.triangle.tolist() for row in Things().triangles()] == [0, 1, 2]


@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_columns_that_are_equal_are_of_one_kind_and_others_are_not(rng, count):
    keys = rng.integers(-1, 2, (3, count)) * 1.0
    first, kind = distinct(keys)
    assert np.array_equal(keys[:, first[kind]], keys)
    assert len(first) == len({tuple(column) for column in keys.T.tolist()})


def test_zeros_are_equal_whatever_their_sign():
    first, kind = distinct(np.array([[0.0, -0.0, 1.0], [1.0, 1.0, 1.0]]))
    assert len(first) == 2
    assert kind[0] == kind[1] != kind[2]


@pytest.mark.parametrize("keys", [[], [5], [0, 0, 3, 3, 3, 7]])
def test_runs_of_keys_start_where_another_key_stood_before(keys):
    assert run_starts(np.array(keys, dtype=np.int64)).tolist() == [
        place for place, key in enumerate(keys) if place == 0 or keys[place - 1] != key
    ]


@pytest.mark.parametrize("rows", [[], [0, 0, 2], [1, 1, 1, 3]])
def test_splits_tell_where_each_row_stands_also_those_that_are_not_there(rows):
    splits = splits_of(np.array(rows, dtype=np.int64), 4)
    assert (splits.dtype, splits.shape) == (np.int64, (5,))
    assert [rows[splits[i] : splits[i + 1]] for i in range(4)] == [
        [i] * rows.count(i) for i in range(4)
    ]
