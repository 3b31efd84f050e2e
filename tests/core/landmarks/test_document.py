# SPDX-License-Identifier: GPL-3.0-or-later
"""The text that an object keeps its landmarks in: what is read of it, and what is never lost."""

import json
import random
import tracemalloc

import pytest

from tests.core.landmark_files.model import model_module

document = model_module("landmarks.document")
landmark_set = model_module("landmarks.landmark_set")
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


def of_rows(row, count, key="sets"):
    return f'{{"version": 1, "{key}": [' + ",".join([row] * count) + "]}"


def many(value, count):
    return f"[{','.join([value] * count)}]"


MEASURE_TEXT = '{"name": "a", "kind": "thickness", "places": [{"landmark": ""}]}'
UNKNOWN = f', "{{}}": "{"x" * 900_000}"'
SPENDTHRIFT = {
    "bad sets": of_rows("[]", 300_000),
    "numbers": of_rows("0.5", 1_000_000),
    "landmarks": of_rows(f'{{"name":"a","landmarks":{many("0", 300_000)}}}', 1),
    "one row": of_rows(many("[]", 600_000), 1),
    "a name": of_rows(f'{{"name": "{"x" * 2_000_000}"}}', 1),
    "template": of_rows(
        f'{{"name": "a", "template": {json.dumps([*map(str, range(150_001))])}}}', 1
    ),
    "unknown": f'{{"version": 1{"".join(map(UNKNOWN.format, range(12)))}}}',
    "long": " " * (document.MOST_CHARACTERS + 1),
}
"""Texts that would take seconds and hundreds of megabytes, and that a file has in little space."""


@pytest.mark.parametrize("text", SPENDTHRIFT.values(), ids=SPENDTHRIFT)
def test_a_text_that_would_take_much_memory_is_refused_before_it_does(text):
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError, match="too large"):
            Document.from_text(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.parametrize(
    ("key", "row", "kind"),
    [("sets", '{"name":"a"}', "LandmarkSet.read"), ("measures", MEASURE_TEXT, "Measure.from_json")],
)
def test_no_more_rows_are_made_than_an_object_may_have(monkeypatch, key, row, kind):
    made, (owner, method) = [], kind.split(".")
    make = getattr(getattr(document, owner), method)
    monkeypatch.setattr(
        getattr(document, owner), method, lambda *given: made.append(0) or make(*given)
    )
    monkeypatch.setitem(document._ROWS, key, (document._ROWS[key][0], 100))
    with pytest.raises(DocumentError, match="too large"):
        Document.from_text(of_rows(row, 1_000, key))
    assert len(made) == 101


def test_no_more_landmarks_are_made_than_an_object_may_have(monkeypatch):
    monkeypatch.setattr(document, "MOST_LANDMARKS", 100)
    made, make = [], landmark_set._landmark
    monkeypatch.setattr(landmark_set, "_landmark", lambda row: made.append(row) or make(row))
    rows = [{"name": "S", "landmarks": [LANDMARK] * 60}] * 50
    with pytest.raises(DocumentError, match="too large"):
        Document.from_text(json.dumps({"version": 1, "sets": rows}))
    assert len(made) == 101


def test_a_hundred_thousand_landmarks_with_all_their_values_are_not_too_many():
    anchor = {"vertices": [1234567] * 3, "barycentric": [1.0 / 3.0] * 3, "face": 1234567}
    anchor = {**LANDMARK["anchor"], **anchor, "topology": "0" * 32, "triangle": 1234567}
    places = {"point": [-1.2345678901234567] * 3, "last": [-1.2345678901234567] * 3}
    full = {**LANDMARK, **places, "name": "Landmark.123456", "id": "0" * 32, "anchor": anchor}
    (read,) = Document.from_text(text_of([full])).landmarks
    assert document.MOST_LANDMARKS >= 100_000
    assert 100_000 * (len(read.text) + 2) + 100 * 1_000 <= document.MOST_CHARACTERS


def test_what_could_not_be_read_again_is_not_written(monkeypatch):
    read = Document.from_text(text_of([LANDMARK] * 3))
    monkeypatch.setattr(document, "MOST_LANDMARKS", 2)
    with pytest.raises(DocumentError, match="more landmarks than an object can keep"):
        read.to_text()
    (face,) = read.sets
    monkeypatch.undo()
    long = document.replace(face.landmarks[0], name="x" * 2_000_000)
    with pytest.raises(DocumentError, match="more landmarks than an object can keep"):
        document.replace(read, sets=(face.with_landmark(long),)).to_text()


def test_landmarks_that_have_not_changed_are_not_written_anew(monkeypatch):
    written = []
    landmark = model_module("landmarks.landmark")
    monkeypatch.setattr(
        landmark, "written", lambda row: written.append(row["name"]) or json.dumps(row)
    )
    rows = [{**LANDMARK, "name": f"L{i}", "id": f"n{i}"} for i in range(50)]
    read = Document.from_text(text_of(rows))
    before = read.to_text()
    assert written == [f"L{i}" for i in range(50)]
    (face,) = read.sets
    new = document.replace(face.landmarks[0], id="new")
    changed, _ = face.with_placed([new], ["added"])
    text = read.with_set(changed).to_text()
    assert written[50:] == ["added"]
    assert (
        json.loads(text)["sets"][0]["landmarks"][:50] == json.loads(before)["sets"][0]["landmarks"]
    )


def test_landmarks_are_not_looked_up_anew_for_each_that_is_added(monkeypatch):
    looked_up = []
    lookup = landmark_set._Lookup
    monkeypatch.setattr(
        landmark_set, "_Lookup", lambda rows: looked_up.append(len(rows)) or lookup(rows)
    )
    (face,) = Document.from_text(text_of()).sets
    for i in range(20):
        face, _ = face.with_placed([document.replace(face.landmarks[0], id=f"new {i}")], [None])
        assert face.find(f"Landmark.{i + 1:03d}").id == f"new {i}"
    assert looked_up == [1]


def test_many_that_are_added_at_once_are_those_that_are_added_one_by_one(rng):
    """Under names that are taken, missing, asked for or none; the set before stays what it is."""
    drawn = random.Random(int(rng.integers(2**31)))
    for _ in range(200):
        of = landmark_set.LandmarkSet("S", id="s")
        (one,) = Document.from_text(text_of()).sets[0].landmarks
        names = ["a", "b", "a.001", "Landmark.002", None, ""]
        if drawn.random() < 0.6:
            of = of.asking_for(dict.fromkeys(drawn.sample(names[:4], 3), ""))
            of = document.replace(of, asked=drawn.randrange(6))
        wanted = [drawn.choice(names) for _ in range(drawn.randrange(9))]
        places = [
            document.replace(one, id=f"n{i}", point=(float(i),) * 3) for i in range(len(wanted))
        ]
        single, found = of, []
        for place, name in zip(places, wanted, strict=True):
            single, (added,) = single.with_placed([place], [name])
            found.append(added)
        before = of.names, of.missing
        at_once, many = of.with_placed(places, wanted)
        assert (at_once, many) == (single, found)
        assert (of.names, of.missing) == before
        count = len(at_once.landmarks)
        rows = ((at_once.asked + step) % count for step in range(count if at_once.asks else 0))
        asked = next((row for row in rows if at_once.landmarks[row].anchor is None), None)
        assert at_once.next_number == asked
        fresh = document.replace(at_once, landmarks=at_once.landmarks)
        assert [at_once.next_number, at_once.missing] == [fresh.next_number, fresh.missing]
        assert at_once.bound == fresh.bound


def test_a_row_with_a_key_twice_is_damage_and_written_again_to_the_letter():
    row = '{"name": "a", "name": "b"}'
    text = text_of().replace('"landmarks": [', f'"landmarks": [{row}, ')
    read = Document.from_text(text)
    assert (read.lost, [each.name for each in read.landmarks]) == (1, ["nasion"])
    assert row in read.to_text()


@pytest.mark.parametrize(
    "text",
    ['{"version": 1, "sets": [], "sets": []}', '{"version": 1, "version": 2}', '{"version": 1} 2'],
)
def test_a_text_that_means_two_things_is_refused(text):
    with pytest.raises(DocumentError, match="cannot be read"):
        Document.from_text(text)


@pytest.mark.parametrize("value", ["1" + "0" * 5_000, "1e999", "-1", "true", "[[[]]]", "Infinity"])
@pytest.mark.parametrize("name", ["face", "barycentric", "bound", "topology", "copies"])
def test_values_of_any_kind_cost_their_landmark_alone(name, value):
    row = json.dumps({**LANDMARK, "anchor": {**LANDMARK["anchor"], name: "HERE"}})
    row = row.replace('"HERE"', value)
    text = text_of().replace('"landmarks": [', f'"landmarks": [{row}, ')
    if len(value) > 4_300:  # Python makes no such integer
        with pytest.raises(DocumentError, match="cannot be read"):
            Document.from_text(text)
        return
    read = Document.from_text(text)
    assert [each.id for each in read.landmarks] == ["n1"]
    assert row in read.to_text()


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


def test_what_has_an_id_that_is_there_before_gets_one_of_its_own_at_each_reading_the_same():
    names = ("a", "b")
    sets = [
        {"name": of, "id": "s1", "landmarks": [{**LANDMARK, "name": of + name} for name in names]}
        for of in names
    ]
    text = text_of(measures=[MEASURE] * 2, sets=sets)
    read = Document.from_text(text)
    ids = [[each.id for each in rows] for rows in (read.sets, read.landmarks, read.measures)]
    assert [len(set(own)) for own in ids] == [2, 4, 2]
    assert [own[0] for own in ids] == ["s1", "n1", "m1"]
    assert Document.from_text(text) == read
    assert Document.from_text(read.to_text()) == read


def test_what_is_done_to_one_of_several_with_one_id_is_done_to_no_other():
    sets = [{"name": name, "id": "s1", "landmarks": [LANDMARK] * 2} for name in ("a", "b")]
    read = Document.from_text(text_of(sets=sets))
    second, last = read.find_set("b"), read.landmarks[-1]
    changed = read.with_set(second.with_landmark(document.replace(last, name="moved")))
    assert [each.name for each in changed.landmarks] == ["nasion"] * 3 + ["moved"]
    assert changed.find(last.id)[0].name == "b"
    assert read.with_set(second.without({last.id})).landmarks == read.landmarks[:-1]
    assert read.without_set(second.id).sets == read.sets[:1]


def test_landmarks_with_one_id_are_all_kept_by_a_set_that_had_a_template():
    rows = [{**LANDMARK, "name": name} for name in ("a", "b")]
    sets = [{"name": "Face", "template": ["b"], "landmarks": rows}]
    read = Document.from_text(text_of(sets=sets))
    assert [each.name for each in read.landmarks] == ["b", "a"]


def test_keys_that_are_not_known_are_dropped():
    sets = [{"name": "Face", "id": "s1", "mine": 1, "landmarks": [{**LANDMARK, "mine": 2}]}]
    read = Document.from_text(text_of(sets=sets))
    assert not read.lost
    assert read == Document.from_text(text_of())
    assert "mine" not in read.to_text()
