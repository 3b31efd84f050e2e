# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file holds, reading it ends in landmarks or in one kind of error."""

import dataclasses
import io
import math
import zipfile

import numpy as np
import pytest

from .model import HEAD, Mark, MarkFileError, Measurement, files, random_marks, text, written
from .test_points import GEOMORPH, LANDMARK, MESHLAB, VIEWBOX

MUTANTS = 2_000
TOKENS = (
    *(b"NaN", b"nan", b"inf", b"-1", b"1e999", b"1,5", b"9999", b"NA", b"null", b"true", b"{}"),
    *(b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3"),
    *(b"[" * 5000, b"{" * 50, b"<!ENTITY a 'b'>", b"&a;", b"]]>", b"<point/>", b"LM3=2", b"="),
    *(b"999999999999999999999", b"\xd9\xa3", b"0x10", b"1_000", b"(99999999,)", b"|O", b"<U9"),
    *(b"\\ud800", b"\xed\xa0\x80", b"Version 1.0", b"9" * 5000, b"-0", b"x,y,z", b"\x0b"),
)


def originals(rng):
    """A good file of each format and layout, and some of other tools."""
    marks = [*random_marks(rng, 4), *HEAD, Mark("a", (1.0, 2.0, 3.0), 1, 2, (1.0, 0.0, 0.0))]
    extras = {"measurements": (Measurement("l", 1.0, "mm"),), "color": (0.0, 0.5, 1.0)}
    for format in files.formats():
        for layout in format.layouts or (None,):
            columns = format.columns or None
            yield format.name, written(format.name, marks, layout, columns, **extras)
    yield from (("meshlab", MESHLAB), ("pts", LANDMARK), ("pts", VIEWBOX), ("tps", GEOMORPH))


def mutant(rng, data):
    """The file with bytes changed, cut, doubled, moved, or a token put in."""
    content = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        at, end = np.sort(rng.integers(0, len(content) + 1, 2)).tolist()
        end = min(end, at + int(rng.choice([1, 4, 40, 4000])))
        kind = int(rng.integers(6))
        if kind == 0:
            content[at:end] = rng.bytes(end - at)
        elif kind == 1:
            del content[at:end]
        elif kind == 2:
            content[at:at] = content[at:end]
        elif kind == 3:
            content[at:at] = TOKENS[int(rng.integers(len(TOKENS)))]
        elif kind == 4:
            content[at : at + 1] = TOKENS[int(rng.integers(len(TOKENS)))]
        elif rng.random() < 0.3:
            del content[at:]
    return bytes(content)


def repacked(rng, data):
    """A zip whose members are changed, with checksums that belong to them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in members.items():
            made.writestr(name, mutant(rng, content) if rng.random() < 0.5 else content)
    return file.getvalue()


def check(sets):
    """That what was read can be used without another look: types, finite numbers, indices."""
    assert isinstance(sets, list)
    for each in sets:
        assert each.axes is None or each.axes in files.AXES
        assert each.unit is None or each.unit in files.METERS
        for mark in each.marks:
            for numbers in (mark.point, mark.barycentric, mark.normal):
                assert numbers is None or (
                    len(numbers) == 3
                    and all(type(item) is float and math.isfinite(item) for item in numbers)
                )
            for number in (mark.triangle, mark.face):
                assert number is None or (type(number) is int and number >= 0)
            assert mark.index is None or type(mark.index) is int
            for name in (mark.name, mark.description, each.name, each.object):
                name.encode()
                assert "\0" not in name
        for item in each.measurements:
            assert math.isfinite(item.value)


def test_mutants_end_in_landmarks_or_in_the_one_error(rng):
    good = list(originals(rng))
    ends = {name: {"read": 0, "refused": 0} for name, _ in good}
    for number in range(MUTANTS):
        name, data = good[number % len(good)]
        is_zip = name == "embedding" and rng.random() < 0.7
        changed = repacked(rng, data) if is_zip else mutant(rng, data)
        try:
            check(files.read(changed, name))
            ends[name]["read"] += 1
        except MarkFileError:
            ends[name]["refused"] += 1
    for name, counts in ends.items():
        assert min(counts.values()) > 0, name


def test_mutants_without_a_known_format_end_in_the_same_way(rng):
    good = list(originals(rng))
    endings = sorted({ending for each in files.formats() for ending in each.endings})
    for number in range(MUTANTS):
        _, data = good[number % len(good)]
        try:
            check(files.read(mutant(rng, data), file_name=f"a{rng.choice(endings)}"))
        except MarkFileError:
            continue


def test_what_is_read_of_a_mutant_can_be_written(rng):
    for name, data in originals(rng):
        for _ in range(40):
            try:
                sets = files.read(mutant(rng, data), name)
            except MarkFileError:
                continue
            try:
                written_again = files.write("slicer", sets)
            except MarkFileError:
                continue  # axes that Slicer does not know
            again = files.read(written_again, "slicer")
            assert [len(each.marks) for each in again] == [len(each.marks) for each in sets]


@pytest.mark.parametrize("deep", [b"[" * 200_000, b'{"a":' * 200_000, b"[" * 9999 + b"]" * 9999])
def test_json_that_is_nested_too_deeply_is_refused(deep):
    for name in ("slicer", "wrap"):
        with pytest.raises(MarkFileError):
            files.read(deep, name)
    with pytest.raises(MarkFileError):
        files.read(deep, file_name="a.json")


@pytest.mark.parametrize("name", [each.name for each in files.formats()])
@pytest.mark.parametrize(
    "data", [b"", b"\0" * 50, b"\xff\xfe1\0", b"PK\x03\x04", b"\x80\x04", b"\n"]
)
def test_what_is_nothing_is_refused(name, data):
    with pytest.raises(MarkFileError):
        files.read(data, name)


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("csv", b"x,y,z\n", b"1,2,3\n"),
        ("cloudcompare", b"", b"1,2,3\n"),
        ("pts", b"Version 1.0\n300000\n", b"S 1 2 3\n"),
        ("tps", b"LM3=300000\n", b"1 2 3\n"),
        ("meshlab", b"<PickedPoints>", b'<point active="0"/>'),
        ("wrap", b"[[1,0,1]", b",[1,0,1]"),
        ("wrap", b"[[]", b",[],[],[],[],[],[]"),
        ("slicer", b'{"markups":[{}', b",{},{},{},{},{},{}"),
    ],
)
def test_more_landmarks_than_anybody_has_are_refused(name, head, row):
    with pytest.raises(MarkFileError, match="more than 200000 landmarks"):
        files.read(head + row * 300_000 + {"wrap": b"]", "slicer": b"]}"}.get(name, b""), name)


def test_landmarks_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        HEAD[0].name = "other"


@pytest.mark.parametrize(
    ("name", "readable"),
    [("a\nb\x00c", "a b c"), ("\ud800", "?"), (" a ", "a"), ("\u2028é", "é"), (None, ""), (7, "")],
)
def test_names_are_one_line_of_characters_that_exist(name, readable):
    assert text.readable(name) == readable
