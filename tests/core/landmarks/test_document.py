# SPDX-License-Identifier: GPL-3.0-or-later
"""The text that an object keeps its landmarks in: what is read of it, and what is never lost."""

import json
import random

import pytest

from tests.core.landmark_files.model import model_module

document = model_module("landmarks.document")
Document, DocumentError = document.Document, document.DocumentError

LANDMARK = {
    "name": "nasion",
    "id": "n1",
    "point": [0.5, 0.25, 2.0],
    "anchor": {
        "face": 3,
        "corners": [0, 1, 2],
        "vertices": [4, 5, 6],
        "barycentric": [0.25, 0.25, 0.5],
        "topology": "ab12",
    },
}
MEASURE = {"name": "Width", "kind": "distance", "id": "m1", "places": [{"landmark": "n1"}] * 2}


def text_of(landmarks=(LANDMARK,), measures=(MEASURE,), **others):
    """The text of one set."""
    sets = [{"name": "Face", "id": "s1", "landmarks": [*landmarks]}]
    return json.dumps({"version": 1, "sets": sets, "measures": [*measures], **others})


def test_what_is_written_is_read_again_with_all_its_digits():
    before = Document.from_text(text_of())
    (face,) = before.sets
    assert face.landmarks[0].anchor.barycentric == (0.25, 0.25, 0.5)
    assert before.measures[0].places[1].landmark == "n1"
    assert Document.from_text(before.to_text()) == before


def test_anybody_can_read_the_text_with_a_parser_of_json():
    written = json.loads(Document.from_text(text_of()).to_text())
    anchor = written["sets"][0]["landmarks"][0]["anchor"]
    assert (anchor["vertices"], anchor["barycentric"]) == ([4, 5, 6], [0.25, 0.25, 0.5])


def test_a_newer_version_is_refused_whatever_else_it_holds():
    with pytest.raises(DocumentError, match="A newer Raypick saved"):
        Document.from_text('{"version": 2, "sets": "of another kind"}')


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": "1"}', '{"version": 1, "sets": {}}', "[" * 100_000, "\x00"],
    ids=["empty", "list", "no version", "text as version", "sets of a kind", "deep", "null"],
)
def test_what_is_no_document_is_refused_in_words(text):
    with pytest.raises(DocumentError, match=r"cannot be read|too large"):
        Document.from_text(text)


@pytest.mark.parametrize(
    "damage",
    [
        {"name": 3},
        {"point": [1, 2]},
        {"point": [1, 2, "3"]},
        {"anchor": None},
        {"anchor": {**LANDMARK["anchor"], "face": -1}},
        {"anchor": {**LANDMARK["anchor"], "barycentric": [1.0, 1.0, 1.0]}},
        {"anchor": {**LANDMARK["anchor"], "vertices": [1, 2]}},
    ],
    ids=["name", "short", "text", "no anchor", "face", "weights", "vertices"],
)
def test_a_damaged_landmark_is_left_out_and_written_again_to_the_letter(damage):
    damaged = {**LANDMARK, **damage}
    read = Document.from_text(text_of([damaged, LANDMARK]))
    assert [each.name for each in read.sets[0].landmarks] == ["nasion"]
    assert read.lost == 1
    assert damaged in json.loads(read.to_text())["sets"][0]["landmarks"]


def test_damaged_sets_and_measures_cost_nothing_else():
    text = text_of(measures=[{"kind": "mystery", "places": []}, MEASURE])
    values = json.loads(text)
    values["sets"].insert(0, {"name": None})
    read = Document.from_text(json.dumps(values))
    assert [each.name for each in read.sets] == ["Face"]
    assert [each.name for each in read.measures] == ["Width"]
    assert read.lost == 2
    written = json.loads(read.to_text())
    assert {"name": None} in written["sets"]
    assert {"kind": "mystery", "places": []} in written["measures"]


def test_numbers_that_are_none_are_read_as_damage():
    text = text_of().replace("0.5, 0.25, 2.0", "NaN, 0.25, 2.0")
    read = Document.from_text(text)
    assert read.sets[0].landmarks == ()
    assert read.lost == 1
    assert "NaN" in read.to_text()


def test_mutated_texts_are_read_or_refused_in_words(rng):
    """Never anything else is raised, and what is read can be written."""
    drawn = random.Random(int(rng.integers(2**31)))
    text = text_of([LANDMARK] * 3)
    for _ in range(3_000):
        changed = list(text)
        for _ in range(drawn.randint(1, 6)):
            place = drawn.randrange(len(changed))
            changed[place : place + drawn.randint(0, 3)] = drawn.choice('{}[]",:0-9.eEnN\\u ')
        try:
            read = Document.from_text("".join(changed))
        except DocumentError:
            continue
        assert Document.from_text(read.to_text()) == read


def test_a_name_that_is_taken_gets_a_number():
    (face,) = Document.from_text(text_of()).sets
    for name, found in (("nasion", "nasion.001"), ("gnathion", "gnathion"), (None, "Landmark.001")):
        new = document.replace(face.landmarks[0], id="new")
        placed, (added,) = face.with_placed([new], [name])
        assert (added.name, placed.names) == (found, ("nasion", found))


def test_what_has_no_id_gets_one_of_its_own():
    """What is done to one of two would be done to both."""
    bare = [
        {key: value for key, value in each.items() if key != "id"} for each in (LANDMARK, MEASURE)
    ]
    read = Document.from_text(text_of([bare[0]] * 2, [bare[1]] * 2))
    ids = [each.id for each in (*read.sets[0].landmarks, *read.measures)]
    assert all(ids)
    assert len(set(ids)) == 4
