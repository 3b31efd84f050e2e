# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions alone in a ``.npy``, as NumPy reads and writes them."""

import io

import numpy as np
import pytest

from .model import MarkFile, MarkFileError, files, random_marks, written


def saved(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def points(found):
    nowhere = (np.nan,) * 3
    return np.array([mark.point or nowhere for mark in found.marks]).reshape(-1, 3)


@pytest.mark.parametrize("kind", ["f2", "f4", ">f8", "i4", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_of_rows_is_a_set(rng, kind, order):
    array = np.asarray(rng.uniform(0, 100, (7, 3)).astype(kind), order=order)
    (found,) = files.read(saved(array), file_name="skull.npy")
    assert found.name == "skull"
    assert np.array_equal(points(found), array.astype(float))


def test_an_array_of_specimens_is_a_set_for_each(rng):
    array = rng.normal(size=(4, 5, 3))
    array[1, 2] = np.nan
    found = files.read(saved(array), file_name="skulls.npy")
    assert [each.name for each in found] == ["skulls 1", "skulls 2", "skulls 3", "skulls 4"]
    assert np.array_equal([points(each) for each in found], array, equal_nan=True)
    assert found[1].marks[2].point is None


def test_numpy_reads_what_is_written_with_missing_rows(rng):
    marks = random_marks(rng, 50, missing=0.3)
    data = written("npy", marks)
    array = np.load(io.BytesIO(data), allow_pickle=False)
    assert (array.dtype, array.shape) == (np.float64, (50, 3))
    expected = points(MarkFile("a", tuple(marks)))
    assert np.isnan(expected).any()
    assert np.array_equal(array, expected, equal_nan=True)
    assert [m.point for m in files.read(data, "npy")[0].marks] == [m.point for m in marks]


@pytest.mark.parametrize(
    ("array", "fault"),
    [
        (np.zeros((3, 2)), r"float64 of shape \(3, 2\), not positions"),
        (np.zeros(3), "not positions"),
        (np.zeros((2, 2, 2, 3)), "not positions"),
        (np.array(["a"]), "not positions"),
        (np.array([[1.0, np.nan, 3.0]]), "only some of the three"),
        (np.array([[1.0, np.inf, 3.0]]), "not finite"),
    ],
)
def test_what_has_no_positions_is_refused(array, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(saved(array), "npy")


def test_an_array_of_objects_is_a_pickle_and_is_not_read():
    data = saved(np.array({"lmk_face_idx": 1}, dtype=object), allow_pickle=True)
    with pytest.raises(MarkFileError, match="A pickle is not read"):
        files.read(data, file_name="deca.npy")
