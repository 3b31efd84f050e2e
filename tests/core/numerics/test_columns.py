# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers compare by value, read well, and become what other libraries take."""

import json
import sys
from dataclasses import fields

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle
from standalone_core.cast.hits import misses
from standalone_core.numerics.columns import distinct, flat, run_starts, splits_of

from ..meshes import HALVES, SQUARE
from ..peers import peer
from ..public_calls import PLANES, Things

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


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("rows", [slice(None), None, 0])
def test_a_column_is_found_by_its_name(name, rows):
    answers = getattr(Things(), name)()
    if rows != 0:
        answers = answers[rows]
        for field in fields(answers):
            np.testing.assert_array_equal(answers[field.name], getattr(answers, field.name))
    else:
        answers = answers.take([0]).reshape(())
        assert answers["distance"].item() == answers.distance.item()
    with pytest.raises(errors.ArgumentError, match="no column 'distnce', but distance, point"):
        answers["distnce"]


ROWS = {
    "a single one": [0, 1, -1, -2, np.int64(1), np.uint8(0), (0,), (-1,), (..., 0), (1, ...)],
    "some": [slice(None), slice(1, 9), slice(0, 0), [1], [], [0, -1], MASK, [True, True], ()],
    "refused": [0.0, [0.0], True, np.True_, (..., ...), {}, [None]],
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


DOWN = (0, 0, -1)


def mesh():
    return sc.Mesh(SQUARE, HALVES, [4, 9])


def ray_hits():
    """Two hits and two misses, in two rows of two."""
    origins = [(0.1, 0.2, 1), (9, 9, 1), (-0.2, -0.25, 2), (7, 7, 1)]
    return mesh().cast_rays(origins, DOWN).reshape(2, 2)


RECORDS = {
    "RayHits": ray_hits,
    "ClosestPoints": lambda: mesh().closest_point([(0, 0, 1), (9, 9, 9)], [5, 1]),
    "Triangles": lambda: mesh().triangles_in(sc.Region.of(PLANES)),
    "Hit": lambda: ray_hits()[0, 0],
    "TriangleHit": lambda: triangle.watertight(sc.Ray((1, 1, 5), DOWN), *CORNERS),
    "TriangleHits": lambda: triangle.watertight_many([(1, 1, 5), (9, 9, 5)], DOWN, *CORNERS),
}
CORNERS = (0, 0, 0), (4, 0, 0), (0, 4, 0)
COLUMNS = ("RayHits", "ClosestPoints", "Triangles")

each_record = pytest.mark.parametrize("name", RECORDS)
each_columns = pytest.mark.parametrize("name", COLUMNS)


def names(record):
    return [field.name for field in fields(record)]


def changed(record, field):
    """The same record with another number in a field."""
    given = {each: getattr(record, each) for each in names(record)}
    value = np.array(given[field])
    value[...] = ~value if value.dtype == bool else value + 1
    given[field] = value if value.ndim else value.item()
    return type(record)(**given)


def test_the_answers_tried_here_have_hits_and_misses():
    assert ray_hits().hit.tolist() == [[True, False], [True, False]]
    assert RECORDS["ClosestPoints"]().triangle.tolist()[1] == -1
    assert len(RECORDS["Triangles"]()) == 2


@each_record
def test_records_of_the_same_numbers_are_equal_and_of_others_not(name):
    one, other = RECORDS[name](), RECORDS[name]()
    assert one is not other
    assert (one == other) is (one == one) is True
    assert one.__eq__(5) is NotImplemented
    assert one != "RayHits"
    for field in names(one):
        if np.isfinite(np.asarray(getattr(one, field))).any():
            assert (one == changed(one, field)) is False, field


@each_columns
def test_columns_of_other_rows_or_of_another_shape_differ(name):
    columns = RECORDS[name]()
    assert columns != columns.take([0])
    assert columns != columns.reshape(1, -1, 1)
    assert columns == columns.reshape(1, -1, 1).reshape(columns.shape)
    with pytest.raises(TypeError, match="unhashable"):
        hash(columns)


def test_answers_of_other_kinds_differ():
    records = [make() for make in RECORDS.values()]
    assert sum(one == other for one in records for other in records) == len(records)


@pytest.mark.parametrize("name", sorted(RECORDS.keys() - {"TriangleHits"}))  # which has none
def test_as_dict_has_every_field_by_its_name(name):
    record = RECORDS[name]()
    given = record.as_dict()
    assert list(given) == names(record)
    for field, value in given.items():
        np.testing.assert_array_equal(value, getattr(record, field))


@pytest.mark.parametrize("name", ["Hit", "TriangleHit"])
def test_one_hit_goes_to_json_and_back_to_the_last_digit(name):
    record = RECORDS[name]()
    again = json.loads(json.dumps(record.as_dict()))
    again = {each: np.array(v) if isinstance(v, list) else v for each, v in again.items()}
    assert type(record)(**again) == record


def test_a_repr_of_a_hit_has_its_numbers_rounded_in_a_line():
    assert repr(sc.Mesh(SQUARE, HALVES).ray_cast((0.1, 1 / 6, 4 / 3), DOWN)).startswith(
        "Hit(distance=1.33333, point=(0.1, 0.166667, 0), normal=(0, 0, 1), triangle="
    )
    assert repr(RECORDS["TriangleHit"]()) == (
        "TriangleHit(t=5, u=0.25, v=0.25, point=(1, 1, 0), front=True)"
    )


def test_a_repr_of_columns_counts_them_and_shows_the_first_rows():
    assert repr(ray_hits()).startswith("<RayHits (2, 2), 2 hits: distance [1, inf, 2, ...], ")
    assert repr(ray_hits().take([0])[0, :1]).startswith("<RayHits (1,), 1 hit: distance [1], ")
    assert repr(RECORDS["ClosestPoints"]()).startswith(
        "<ClosestPoints (2,), 1 hit: distance [1, inf], "
    )
    many = mesh().cast_rays(np.zeros((100_000, 3)), DOWN)
    assert len(repr(many)) < 200


@each_columns
def test_a_structured_array_has_a_row_a_row_in_the_same_shape(name):
    columns = RECORDS[name]()
    rows = columns.as_structured()
    assert rows.shape == columns.shape
    for field, column in columns.as_dict().items():
        np.testing.assert_array_equal(rows[field], column)
        assert rows[field].dtype == column.dtype
    rows["triangle"] = 7
    assert columns == RECORDS[name]()


def test_ray_hits_come_back_from_a_structured_array():
    rows = ray_hits().as_structured()
    assert sc.RayHits.from_structured(rows) == ray_hits()
    assert sc.RayHits.from_structured(rows[0, 0]).shape == ()
    more = np.empty(2, [("note", "U5"), *rows.dtype.descr])
    for field in rows.dtype.names:
        more[field] = rows[0][field]
    assert sc.RayHits.from_structured(more) == ray_hits()[0]


@pytest.mark.parametrize(
    ("array", "error", "words"),
    [
        (None, errors.DtypeError, "structured, with a field 'distance'"),
        (np.zeros(3), errors.DtypeError, "structured, with a field 'distance'"),
        ("distance", errors.DtypeError, "structured"),
        (np.zeros(3, [("distance", float)]), errors.DtypeError, "with a field 'point'"),
        (
            np.zeros(3, [("distance", float), ("point", float, 2)]),
            errors.ShapeError,
            r"'point' must have shape \(3,\), not \(2,\)",
        ),
        (np.zeros(3, [("distance", "U3")]), errors.DtypeError, "'distance' must be of float64"),
    ],
)
def test_what_is_no_array_of_hits_is_refused_by_name(array, error, words):
    with pytest.raises(error, match=words):
        sc.RayHits.from_structured(array)


def test_numbers_of_a_row_are_named_by_axis_and_corner():
    hits, triangles = ray_hits(), RECORDS["Triangles"]()
    columns = flat(hits.as_dict(), hits.shape)
    point, weights = (f"point_{axis}" for axis in "xyz"), (f"barycentric_{v}" for v in "abc")
    normal = (f"normal_{axis}" for axis in "xyz")
    every = ["distance", *point, *normal, "triangle", "face", *weights, "front", "instance"]
    assert list(columns) == every
    np.testing.assert_array_equal(columns["point_y"], hits.point[..., 1].ravel())
    np.testing.assert_array_equal(columns["barycentric_c"], hits.barycentric[..., 2].ravel())
    corners = flat(triangles.as_dict(), triangles.shape)
    np.testing.assert_array_equal(corners["corners_b_z"], triangles.corners[:, 1, 2])
    assert len(corners) == 3 + 9


def test_without_pandas_a_data_frame_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(errors.MissingPackageError, match="needs pandas") as raised:
        ray_hits().as_frame()
    assert isinstance(raised.value, (errors.ArgumentError, ImportError))


@each_columns
def test_a_data_frame_has_a_row_a_row_and_a_column_a_number(name):
    peer("pandas")
    columns = RECORDS[name]()
    frame = columns.as_frame()
    assert list(frame.columns) == list(flat(columns.as_dict(), columns.shape))
    assert len(frame) == np.prod(columns.shape)
    np.testing.assert_array_equal(frame["triangle"], columns.triangle.ravel())


def test_a_data_frame_of_an_image_is_indexed_by_row_and_column():
    peer("pandas")
    frame = ray_hits().as_frame()
    assert frame.loc[(1, 0), "distance"] == ray_hits().distance[1, 0]
    assert frame.query("face >= 0")["point_x"].tolist() == pytest.approx([0.1, -0.2])
    assert len(ray_hits()[0, 0:0].as_frame()) == 0
