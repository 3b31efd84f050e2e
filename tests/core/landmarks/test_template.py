# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates, the order of landmarks, and their selection, as pure values."""

import json
from dataclasses import replace

import pytest

from tests.core.landmark_files.model import model_module

document, landmark, template = (
    model_module(f"landmarks.{name}") for name in ("document", "landmark", "template")
)
Document, Anchor, Landmark = document.Document, landmark.Anchor, landmark.Landmark
LandmarkSet = model_module("landmarks.landmark_set").LandmarkSet
TemplateError = template.TemplateError
reordered = landmark.reordered
clicked, with_selected = document.clicked, document.with_selected
in_order = document.in_order

ANCHOR = Anchor(0, (0, 1, 2), (0, 1, 2), (0.5, 0.25, 0.25), "0")
ANCHOR_JSON = {
    "face": 0,
    "corners": [0, 1, 2],
    "vertices": [0, 1, 2],
    "topology": "0",
    "barycentric": [0.5, 0.25, 0.25],
}


def landmark(name):
    return Landmark(ANCHOR, name, (0.0, 0.0, 0.0), id=f"id {name}")


def asking(names, **values):
    """A set that asks for landmarks of these names."""
    return replace(LandmarkSet("S").asking_for(dict.fromkeys(names, "")), **values)


def read(values):
    """The set that is read from a text with these values."""
    (found,) = Document.from_text(json.dumps({"version": 1, "sets": [values]})).sets
    return found


def placed(of, name=None):
    """The set with one more place, of a landmark of a name, or of the one that is asked for."""
    return of.with_placed([landmark(str(len(of.landmarks)))], [name])[0]


def asked(of):
    return None if of.next_number is None else of.landmarks[of.next_number].name


def there(of):
    """The names of the landmarks that have a place."""
    return [each.name for each in of.landmarks if each.anchor]


@pytest.fixture
def document():
    sets = [LandmarkSet("S", id="s"), LandmarkSet("T", id="t")]
    groups = [
        replace(each, landmarks=tuple(map(landmark, names)), active=1)
        for each, names in zip(sets, ("ABCDE", "xyz"), strict=True)
    ]
    return Document(tuple(groups))


def selected(document):
    return "".join(each.name for of in document.sets for each in of.landmarks if each.selected)


# Files and typed names


def test_a_list_of_names_and_one_of_objects_are_templates():
    plain = template.from_json(b'["nasion", " gnathion "]')
    assert (plain.name, [*plain.notes]) == (None, ["nasion", "gnathion"])
    rows = ["nasion", {"name": "gnathion", "description": "Chin\nbelow"}]
    full = template.from_json(json.dumps({"name": "Head", "landmarks": rows}).encode())
    assert full.name == "Head"
    assert [*full.notes.items()] == [("nasion", ""), ("gnathion", "Chin below")]


def test_typed_names_are_parted_by_commas_semicolons_tabs_and_lines():
    assert [*template.from_text("a, b;c\n\nd e\t f ,").notes] == ["a", "b", "c", "d e", "f"]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"nope", b'["a",\n"b"'])
def test_what_is_no_json_is_told(data):
    line = data.count(b"\n") + 1
    with pytest.raises(TemplateError, match=f"no valid JSON, from line {line} on"):
        template.from_json(data)


@pytest.mark.parametrize("data", [b'{"name": 3, "landmarks": ["a"]}', b"null"])
def test_what_is_no_json_of_names_is_told(data):
    with pytest.raises(TemplateError, match="a list of names is needed"):
        template.from_json(data)


def test_a_name_that_no_interface_can_show_is_quoted_in_the_error():
    with pytest.raises(TemplateError) as error:
        template.from_json(rb'["\udcff"]')
    assert str(error.value).encode() == rb"The name \udcff of the template cannot be used"


def test_random_bytes_are_a_template_or_are_told(rng):
    pieces = [b"[", b"]", b"{", b"}", b'"a"', b'"name"', b":", b",", b"1", b"\xff", b"null", b" "]
    for _ in range(2000):
        data = b"".join(pieces[i] for i in rng.integers(0, len(pieces), rng.integers(0, 12)))
        try:
            found = template.from_json(data)
        except TemplateError:
            continue
        assert set(found.notes) <= {"a", "name"}


# Asking


def test_names_are_asked_for_in_their_order_until_none_is_missing():
    of = asking("abc")
    for name in ("a", "b", "c", None):
        assert asked(of) == name
        of = placed(of)
    assert of.names == ("a", "b", "c", "Landmark.001")


def test_a_name_that_is_placed_out_of_turn_is_not_asked_for():
    of = placed(asking("abc"), "b")
    assert (asked(of), asked(placed(of))) == ("a", "c")
    assert placed(placed(of)).names == ("a", "b", "c")


def test_skipped_names_are_asked_for_again_after_the_last_one():
    of = template.stepped(asking("abc"), 1)
    asked_for = []
    while asked(of) is not None:
        asked_for.append(asked(of))
        of = placed(of)
    assert asked_for == ["b", "c", "a"]


def test_steps_go_round_among_what_is_missing(rng):
    """Against a walk over the list, name by name."""
    for _ in range(300):
        count = int(rng.integers(1, 9))
        of = asking("abcdefgh"[:count], asked=int(rng.integers(0, 12)))
        for name in of.names:
            if rng.random() < 0.4:
                of = placed(of, name)
        missing = [name for name in of.names if name not in there(of)]
        for _ in range(6):
            step = int(rng.choice([-1, 1]))
            before, of = asked(of), template.stepped(of, step)
            if not missing:
                assert asked(of) is None
            else:
                assert asked(of) == missing[(missing.index(before) + step) % len(missing)]


def test_a_removed_landmark_is_asked_for_again():
    of = placed(placed(asking("ab")))
    assert asked(of) is None
    first = of.landmarks[0].id
    removed = of.without({first})
    assert (asked(removed), removed.names, there(removed)) == ("a", ("a", "b"), ["b"])
    assert removed.without({first}).names == ("b",)


def test_a_landmark_that_nobody_asked_for_is_removed_for_good():
    of = placed(placed(LandmarkSet("S"), "a"), "b")
    assert of.without({of.landmarks[0].id}).names == ("b",)


def test_a_set_has_the_order_of_its_template_whatever_was_placed_before():
    of = placed(placed(placed(LandmarkSet("S"), "own"), "c"), "a")
    found = of.asking_for({"a": "first", "b": "second", "c": ""})
    assert (found.names, there(found)) == (("a", "b", "c", "own"), ["a", "c", "own"])
    assert [each.description for each in found.missing] == ["second"]
    assert {each.id for each in of.landmarks} < {each.id for each in found.landmarks}
    assert found.landmarks[found.active].name == "a"


def test_a_set_that_was_kept_with_a_template_beside_its_landmarks_has_both_in_one_row():
    rows = [{"name": name, "point": [0, 0, 0], "anchor": ANCHOR_JSON} for name in ("own", "c")]
    values = {"name": "S", "template": ["a", "b", "c"], "notes": ["first"], "landmarks": rows}
    found = read({**values, "asked": 1})
    assert (found.names, there(found), asked(found)) == (("a", "b", "c", "own"), ["c", "own"], "b")
    assert found.landmarks[0].description == "first"
    assert Document.from_text(Document((found,)).to_text()).sets == (found,)


def test_place_and_descriptions_of_a_template_survive_the_file():
    of = replace(LandmarkSet("S", id="s").asking_for({"a": "first", "b": ""}), asked=1)
    text = Document((of,)).to_text()
    (read,) = Document.from_text(text).sets
    assert read == of
    assert [each.description for each in read.landmarks] == ["first", ""]


@pytest.mark.parametrize(
    "row",
    [{"point": [0, 0, 0]}, {"point": None}, {"anchor": None}, {"anchor": {}, "point": [0, 0, 0]}],
)
def test_half_a_place_is_none_and_is_written_again(row):
    values = {"name": "S", "id": "s", "landmarks": [{"name": "a", **row}]}
    found = read(values)
    assert (found.landmarks, len(found.unreadable)) == ((), 1)
    written = json.loads(Document((found,)).to_text())
    assert written["sets"][0]["landmarks"] == values["landmarks"]


def test_mirrored_names_stand_behind_their_own():
    sides = {"l": "r", "r": "l"}
    found = template.with_mirrored(("nose", "l", "chin"), lambda name: sides.get(name, name))
    assert found == ("nose", "l", "r", "chin")
    assert template.with_mirrored(found, lambda name: sides.get(name, name)) == found


# Order and selection


@pytest.mark.parametrize(
    ("way", "then"), [("UP", "BADEC"), ("DOWN", "ACBED"), ("TOP", "BDEAC"), ("BOTTOM", "ACBDE")]
)
def test_some_move_past_the_others(way, then):
    moved = {"UP": "BDE", "DOWN": "BD", "TOP": "BDE", "BOTTOM": "BDE"}[way]
    assert "".join(reordered("ABCDE", lambda each: each in moved, way)) == then


@pytest.mark.parametrize("way", ["UP", "DOWN", "TOP", "BOTTOM"])
def test_moving_keeps_everything_and_ends_at_the_end(rng, way):
    for _ in range(200):
        items = "ABCDEFG"[: rng.integers(0, 8)]
        some = {each for each in items if rng.random() < 0.5}
        then = items
        for _ in range(8):
            then = "".join(reordered(then, some.__contains__, way))
        stay, go = ("".join(e for e in items if (e in some) is part) for part in (False, True))
        assert then == (go + stay if way in ("UP", "TOP") else stay + go)


def test_a_click_selects_one_alone_of_all_sets(document):
    document = clicked(document, "id C", "SET")
    assert (selected(document), document.active_set, document.landmark.name) == ("C", 0, "C")
    document = clicked(document, "id y", "SET")
    assert (selected(document), document.active_set, document.landmark.name) == ("y", 1, "y")


def test_a_range_goes_from_the_active_one_in_either_direction(document):
    assert selected(clicked(document, "id D", "RANGE")) == "BCD"
    assert selected(clicked(document, "id A", "RANGE")) == "AB"


def test_a_toggle_changes_one(document):
    document = clicked(document, "id x", "TOGGLE")
    document = clicked(document, "id C", "TOGGLE")
    assert selected(document) == "Cx"
    assert selected(clicked(document, "id x", "TOGGLE")) == "C"


def test_what_is_not_there_is_not_clicked(document):
    assert clicked(document, "nobody", "SET") is document


def test_what_removes_landmarks_leaves_the_active_number_within_bounds(document):
    left = document.changed(lambda each: None if each.name in "BCDExyz" else each)
    assert [[each.name for each in of.landmarks] for of in left.sets] == [["A"], []]
    assert [of.active for of in left.sets] == [0, 0]


def test_selected_landmarks_are_in_the_order_of_their_clicks(document):
    for name in ("id C", "id A", "id x", "id A"):  # the last click deselects
        document = clicked(document, name, "TOGGLE")
    chosen = [each for each in document.landmarks if each.selected]
    assert [each.name for each in in_order(chosen)] == ["C", "x"]
    document = clicked(document, "id A", "TOGGLE")
    chosen = [each for each in document.landmarks if each.selected]
    assert [each.name for each in in_order(chosen)] == ["C", "x", "A"]


def test_landmarks_that_are_selected_at_once_are_in_the_order_of_the_list(document):
    document = with_selected(document, lambda each: each.name in "CxA")
    chosen = [each for each in document.landmarks if each.selected]
    names = [each.name for each in document.landmarks if each.name in "CxA"]
    assert [each.name for each in in_order(chosen)] == names
