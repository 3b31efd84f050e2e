# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that tell what they answer: one that is not all that was written answers nothing."""

import struct

import numpy as np
import pytest

from standalone_core.tables import read_table, write_table
from standalone_core.tables.answers import is_answer, write_answer, write_picture_answer

from ..peers import peer

QUESTION = {"frame": 3, "columns": ("face", "point"), "limit": None}


@pytest.fixture(params=[".npz", ".parquet"])
def answer(request, tmp_path, rng):
    """Write an answer; return its path."""
    if request.param == ".parquet":
        peer("pyarrow")
    path = tmp_path / f"hits{request.param}"
    columns = {
        "object": rng.integers(-1, 2, (40, 30)),
        "face": rng.integers(-1, 9, (40, 30)).astype(np.int32),
        "point": np.where(rng.random((40, 30, 1)) < 0.5, np.nan, rng.random((40, 30, 3))),
        "front": rng.random((40, 30)) < 0.5,
        "mine_x": rng.random((40, 30)).astype(np.float32),
    }
    names = {"object": ["Cube", "Größe"]}
    extra = {"matrix": rng.random((2, 4, 4))}
    write_answer(path, QUESTION, columns, names=names, extra=extra, meta={"rays": 7})
    return path


def test_it_answers_its_own_question_alone(answer):
    assert is_answer(answer, QUESTION)
    assert read_table(answer).meta["rays"] == 7
    for change in ({"frame": 4}, {"limit": 1.0}, {"columns": ("point", "face")}, {"more": 0}):
        assert not is_answer(answer, {**QUESTION, **change})
    assert not is_answer(answer.with_name("none.npz"), QUESTION)
    assert not is_answer(answer.parent, QUESTION)


def test_what_is_cut_off_or_damaged_anywhere_answers_nothing(answer, rng):
    whole = answer.read_bytes()
    for length in (0, 3, 100, len(whole) // 2, len(whole) - 1):
        answer.write_bytes(whole[:length])
        assert not is_answer(answer, QUESTION)
    for place in rng.integers(100, len(whole) * 3 // 4, 30).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        answer.write_bytes(damaged)
        table = read_table_or_none(answer)
        assert is_answer(answer, QUESTION) == (table is not None)
    answer.write_bytes(whole)
    assert is_answer(answer, QUESTION)


def read_table_or_none(path):
    """The table, if a damaged bit was one that holds nothing, such as a date."""
    try:
        return read_table(path)
    except Exception:
        return None


@pytest.mark.parametrize(
    "change",
    [
        lambda columns, names, extra: columns.pop("face"),
        lambda columns, names, extra: columns.update(more=columns["face"]),
        lambda columns, names, extra: columns.update(face=columns["face"].astype(np.int64)),
        lambda columns, names, extra: columns.update({k: a[:-1] for k, a in columns.items()}),
        lambda columns, names, extra: columns.update({k: a[::-1] for k, a in columns.items()}),
        lambda columns, names, extra: columns.update(mine_x=columns["mine_x"] + 1e-6),
        lambda columns, names, extra: names.update(object=("Cube", "Other")),
        lambda columns, names, extra: names.clear(),
    ],
)
def test_a_table_that_another_program_changed_answers_nothing(answer, change):
    table = read_table(answer)
    write_table(answer, table.columns, names=table.names, extra=table.extra, meta=table.meta)
    assert is_answer(answer, QUESTION)
    change(table.columns, table.names, table.extra)
    write_table(answer, table.columns, names=table.names, extra=table.extra, meta=table.meta)
    assert not is_answer(answer, QUESTION)


def test_extra_arrays_count(tmp_path):
    path, extra = tmp_path / "a.npz", {"splits": [0, 2]}
    write_answer(path, QUESTION, {"face": [1, 2]}, extra=extra)
    assert is_answer(path, QUESTION)
    table = read_table(path)
    for found in ({}, {"splits": np.array([0, 1])}):
        write_table(path, table.columns, extra=found, meta=table.meta)
        assert not is_answer(path, QUESTION)


@pytest.mark.parametrize("text", ["[]", "3", '{"question": {}}', "x", "[" * 100_000])
def test_a_file_of_another_answers_nothing(tmp_path, text):
    path = tmp_path / "a.npz"
    np.savez(path, face=[1, 2], meta=text)
    assert not is_answer(path, QUESTION)
    for content in (b"", b"PK\3\4", b"v/1\1"):
        for name in ("b.npz", "b.exr", "b.parquet", "b.csv", "b.txt"):
            (tmp_path / name).write_bytes(content)
            assert not is_answer(tmp_path / name, QUESTION)


def test_a_picture_answers_its_question_until_any_bit_of_it_changes(tmp_path, rng):
    path = tmp_path / "a.exr"
    channels = {
        "Z": rng.random((40, 9)).astype(np.float32),
        "id.X": np.arange(360, dtype=np.uint32).reshape(40, 9),
    }
    write_picture_answer(path, QUESTION, channels, {"camera": "Käse"})
    assert is_answer(path, QUESTION)
    assert not is_answer(path, {**QUESTION, "frame": 4})
    whole = path.read_bytes()
    for place in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        assert not is_answer(path, QUESTION), place
    for content in (whole[:-1], whole[:3], whole + b"\0", whole * 2):
        path.write_bytes(content)
        assert not is_answer(path, QUESTION)


def test_a_picture_of_another_program_answers_nothing(tmp_path):
    library = peer("OpenEXR")
    path = tmp_path / "a.exr"
    write_picture_answer(path, QUESTION, {"Z": np.zeros((3, 2), np.float32)}, {})
    picture = library.File(str(path))
    assert len(picture.header()["checksum"]) == 32
    picture.write(str(path))
    assert not is_answer(path, QUESTION)


def test_a_header_that_promises_much_is_not_believed(tmp_path):
    path = tmp_path / "a.exr"
    window = struct.pack("<4i", 0, 0, 0, 2**31 - 1)
    path.write_bytes(
        b"v/1\1\2\0\0\0dataWindow\0box2i\0" + struct.pack("<i", 16) + window + b"\0" * 99
    )
    assert not is_answer(path, QUESTION)
