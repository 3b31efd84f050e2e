# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators do with landmarks, their sets, their selection and their templates."""

import json
from importlib import import_module
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from ..scenes import mesh_object, square

PLACES = ((0.1, 0.2), (0.3, 0.4), (0.5, 0.6), (0.7, 0.2))
KEY = "raypick_landmarks"
ops = bpy.ops.raypick if bpy else None


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def obj(api):
    """A square that is active, with the landmarks A, B, C and D in one set."""
    made = square()
    bpy.context.view_layer.objects.active = made
    for name, at in zip("ABCD", PLACES, strict=True):
        add(api, name, at)
    return made


def add(api, name, at, **options):
    (hit,) = api.ray_cast(bpy.context, (*at, 9), (0, 0, -1))
    return api.landmarks.add(bpy.context, hit, name, **options)


def placed(api, obj):
    """The names of the landmarks that have a place."""
    return [each.name for each in api.landmarks.of(obj) if each.face is not None]


def names(api, obj, **options):
    return [each.name for each in api.landmarks.of(obj, **options)]


def selected(api, obj):
    return "".join(each.name for each in api.landmarks.of(obj) if each.selected)


def click(api, obj, name, extend="SET"):
    found = next(each for each in api.landmarks.of(obj) if each.name == name)
    assert ops.click_landmark(landmark=found.id, extend=extend) == {"FINISHED"}


def document(obj):
    return json.loads(obj[KEY])


# Sets


def test_sets_are_added_duplicated_moved_and_removed(api, obj):
    assert ops.add_landmark_set() == {"FINISHED"}
    assert [each["name"] for each in document(obj)["sets"]] == ["Landmarks", "Landmarks.001"]
    assert document(obj)["active_set"] == 1
    assert ops.move_landmark_set(way="UP") == {"FINISHED"}
    assert [each["name"] for each in document(obj)["sets"]] == ["Landmarks.001", "Landmarks"]
    assert document(obj)["active_set"] == 0
    assert ops.remove_landmark_set() == {"FINISHED"}
    assert names(api, obj) == ["A", "B", "C", "D"]
    assert ops.duplicate_landmark_set() == {"FINISHED"}
    first, second = document(obj)["sets"]
    assert [each["name"] for each in second["landmarks"]] == ["A", "B", "C", "D"]
    ids = [each["id"] for part in (first, second) for each in part["landmarks"]]
    assert len({first["id"], second["id"], *ids}) == 10
    assert first.get("color") != second.get("color")


def test_a_locked_set_is_not_removed(api, obj):
    which = document(obj)["sets"][0]["id"]
    ops.turn_landmark(landmark=which, what="locked")
    with pytest.raises(RuntimeError, match="The set is locked"):
        ops.remove_landmark_set()
    ops.turn_landmark(landmark=which, what="locked")
    ops.remove_landmark_set()
    assert KEY not in obj


# Adding and removing


def test_the_hit_that_is_shown_becomes_a_landmark(raypick, api):
    obj = square()
    assert not ops.add_landmark.poll() or raypick.session.history.count()
    ops.cast(origin=(0.25, 0.5, 9))
    assert ops.add_landmark() == {"FINISHED"}
    (where,) = api.landmarks.where(bpy.context, obj)
    assert where.point == pytest.approx((0.25, 0.5, 0.0), abs=1e-6)
    assert where.name == "Landmark.001"


def test_any_hit_of_the_pick_becomes_a_landmark_of_its_own_object(api):
    high, low = square("High", z=1.0), square("Low")
    ops.cast(origin=(0.25, 0.5, 9))
    assert ops.add_landmark(rank=1) == {"FINISHED"}
    assert (names(api, high), names(api, low)) == ([], ["Landmark.001"])
    with pytest.raises(RuntimeError, match="There is no such hit"):
        ops.add_landmark(rank=2)


def test_a_pick_of_the_history_becomes_a_landmark_where_it_is_now(api):
    obj = square()
    ops.cast(origin=(0.25, 0.5, 9))
    ops.cast(origin=(0.5, 0.75, 9))
    obj.location.z = 2.0
    assert ops.add_landmark(record=1) == {"FINISHED"}
    (where,) = api.landmarks.where(bpy.context, obj)
    assert where.point == pytest.approx((0.25, 0.5, 2.0), abs=1e-6)
    with pytest.raises(RuntimeError, match="not remembered"):
        ops.add_landmark(record=999)


def test_of_a_hit_whose_face_is_gone_no_landmark_is_made(api):
    obj = square()
    ops.cast(origin=(0.25, 0.5, 9))
    bpy.data.objects.remove(obj)
    with pytest.raises(RuntimeError, match="The object was deleted"):
        ops.add_landmark()


def test_the_selected_landmarks_of_all_objects_are_removed(api, obj):
    other = square("Other", z=1.0)
    add(api, "E", (0.1, 0.1))
    click(api, obj, "B")
    click(api, obj, "D", "TOGGLE")
    bpy.context.view_layer.objects.active = other
    click(api, other, "E", "TOGGLE")
    assert ops.remove_landmarks() == {"FINISHED"}
    assert (names(api, obj), names(api, other)) == (["A", "C"], [])
    assert ops.remove_landmarks() == {"CANCELLED"}


def test_one_that_is_added_at_a_hit_is_selected_alone(api, obj):
    click(api, obj, "B")
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert ops.add_landmark() == {"FINISHED"}
    assert ops.remove_landmarks() == {"FINISHED"}
    assert names(api, obj) == ["A", "B", "C", "D"]


def test_where_none_is_selected_the_list_removes_the_active_one(api, obj):
    click(api, obj, "C")
    ops.select_landmarks(action="DESELECT")
    assert ops.remove_landmarks() == {"CANCELLED"}
    assert ops.remove_landmarks(or_active=True) == {"FINISHED"}
    assert names(api, obj) == ["A", "B", "D"]


def test_removing_twice_leaves_the_names_of_the_template(api, obj):
    ops.type_template("EXEC_DEFAULT", names="A, B, C, D, E")
    click(api, obj, "B")
    assert ops.remove_landmarks() == {"FINISHED"}
    assert ops.remove_landmarks() == {"CANCELLED"}
    assert names(api, obj) == ["A", "B", "C", "D", "E"]
    click(api, obj, "B")  # its row, where it is missing now
    assert ops.remove_landmarks() == {"FINISHED"}
    assert names(api, obj) == ["A", "C", "D", "E"]


def test_of_copies_each_has_its_own_selection_which_alone_is_removed(api, obj):
    copy = obj.copy()
    bpy.context.scene.collection.objects.link(copy)
    bpy.context.view_layer.update()
    click(api, obj, "A")
    bpy.context.view_layer.objects.active = copy
    click(api, copy, "B", "TOGGLE")
    assert [each.id for each in api.landmarks.of(obj)] == [
        each.id for each in api.landmarks.of(copy)
    ]
    assert (selected(api, obj), selected(api, copy)) == ("A", "B")
    assert ops.remove_landmarks() == {"FINISHED"}
    assert names(api, obj) == ["B", "C", "D"]
    assert names(api, copy) == ["A", "C", "D"]


def test_where_an_object_was_just_removed_its_landmarks_are_gone(api, obj):
    assert ops.remove_landmarks.poll()
    bpy.data.objects.remove(obj)
    assert not ops.remove_landmarks.poll()
    assert not ops.reset_landmark_colors.poll()


def test_a_locked_landmark_is_not_removed(api, obj):
    click(api, obj, "B")
    ops.mark_landmarks(what="locked", on=True)
    with pytest.raises(RuntimeError, match="locked"):
        ops.remove_landmarks()
    click(api, obj, "C", "TOGGLE")
    ops.remove_landmarks()
    assert names(api, obj) == ["A", "B", "D"]


# Selection and order


def test_clicks_select_one_a_range_and_one_more(api, obj):
    click(api, obj, "B")
    assert selected(api, obj) == "B"
    click(api, obj, "D", "RANGE")
    assert selected(api, obj) == "BCD"
    click(api, obj, "C", "TOGGLE")
    assert selected(api, obj) == "BD"
    click(api, obj, "A")
    assert selected(api, obj) == "A"
    assert document(obj)["sets"][0].get("active", 0) == 0


def test_a_click_deselects_what_other_objects_have(api, obj):
    other = square("Other", z=1.0)
    add(api, "E", (0.1, 0.1))
    click(api, obj, "A")
    bpy.context.view_layer.objects.active = other
    click(api, other, "E")
    assert (selected(api, obj), selected(api, other)) == ("", "E")


@pytest.mark.parametrize(
    ("action", "then"), [("SELECT", "ABCD"), ("DESELECT", ""), ("INVERT", "ACD")]
)
def test_all_none_and_the_others_are_selected(api, obj, action, then):
    click(api, obj, "B")
    ops.select_landmarks(action=action)
    assert selected(api, obj) == then


def in_order(items, moved, way):
    """The items with some moved, one place or one after the other, each past one that stays."""
    items = list(items)
    if way in ("TOP", "BOTTOM"):
        stay = [each for each in items if each not in moved]
        go = [each for each in items if each in moved]
        return go + stay if way == "TOP" else stay + go
    step = -1 if way == "UP" else 1
    for each in items[::-step]:
        at = items.index(each)
        if each in moved and 0 <= at + step < len(items) and items[at + step] not in moved:
            items[at], items[at + step] = items[at + step], items[at]
    return items


@pytest.mark.parametrize("way", ["UP", "DOWN", "TOP", "BOTTOM"])
def test_selected_landmarks_move_in_the_list_and_stay_in_their_own_order(api, obj, way, rng):
    for _ in range(12):
        before = names(api, obj)
        moved = [name for name in before if rng.random() < 0.5] or before[:1]
        ops.select_landmarks(action="DESELECT")
        for name in moved:
            click(api, obj, name, "TOGGLE")
        active = moved[-1]
        ops.order_landmarks(way=way)
        after = names(api, obj)
        assert after == in_order(before, moved, way), (before, moved)
        assert after[document(obj)["sets"][0].get("active", 0)] == active


# Looks


def test_selected_landmarks_have_a_color_of_their_own_and_that_of_the_set_again(api, obj):
    plain = api.landmarks.of(obj)[0].color
    click(api, obj, "B")
    ops.color_landmarks(color=(0.25, 0.5, 0.75))
    assert api.landmarks.of(obj)[1].color == (0.25, 0.5, 0.75)
    assert api.landmarks.of(obj)[0].color == plain
    ops.reset_landmark_colors()
    assert api.landmarks.of(obj)[1].color == plain


@pytest.mark.parametrize("what", ["hidden", "locked"])
def test_landmarks_are_hidden_and_locked_and_all_of_them_back(api, obj, what):
    click(api, obj, "B")
    ops.mark_landmarks(what=what, on=True)
    flags = [getattr(each, what) for each in api.landmarks.of(obj)]
    assert flags == [False, True, False, False]
    ops.mark_landmarks(what=what, on=False, every=True)
    assert not any(getattr(each, what) for each in api.landmarks.of(obj))
    ops.turn_landmark(landmark=api.landmarks.of(obj)[2].id, what=what)
    flags = [getattr(each, what) for each in api.landmarks.of(obj)]
    assert flags == [False, False, True, False]


def test_the_values_of_the_active_landmark_are_copied(api, obj):
    click(api, obj, "C")
    obj.location.z = 1.0
    assert ops.copy_landmark() == {"FINISHED"}
    copied = bpy.context.window_manager.clipboard
    if not copied:
        pytest.skip("this Blender has no clipboard without a window")
    values = json.loads(copied)
    assert values["name"] == "C"
    assert values["point"] == pytest.approx((*PLACES[2], 1.0), abs=1e-6)
    assert values["placed"] == pytest.approx((*PLACES[2], 0.0), abs=1e-6)


# Templates


@pytest.fixture
def file(tmp_path):
    def written(values):
        path = tmp_path / "head.json"
        path.write_text(values if isinstance(values, str) else json.dumps(values))
        return str(path)

    return written


def test_a_template_of_a_file_asks_for_one_name_after_the_other(api, file):
    obj = square()
    bpy.context.view_layer.objects.active = obj
    rows = ["nasion", {"name": "gnathion", "description": "The lowest point of the chin"}, "alare"]
    assert ops.load_template(filepath=file({"name": "Head", "landmarks": rows})) == {"FINISHED"}
    for at in PLACES:
        add(api, None, at)
    assert names(api, obj, set="Head") == ["nasion", "gnathion", "alare", "Landmark.001"]
    assert api.landmarks.of(obj)[1].description == "The lowest point of the chin"


def test_names_are_skipped_and_gone_back_to(api):
    obj = square()
    bpy.context.view_layer.objects.active = obj
    ops.type_template(names="a, b; c\nd")
    ops.step_template(step=1)
    ops.step_template(step=1)
    add(api, None, PLACES[0])
    add(api, None, PLACES[1])
    ops.step_template(step=-1)
    add(api, None, PLACES[2])
    assert names(api, obj) == ["a", "b", "c", "d"]
    assert placed(api, obj) == ["b", "c", "d"]
    add(api, None, PLACES[3])
    assert placed(api, obj) == ["a", "b", "c", "d"]
    assert list(api.landmarks.points(bpy.context, obj)[:, 0]) == pytest.approx(
        [PLACES[number][0] for number in (3, 2, 0, 1)]
    )
    with pytest.raises(RuntimeError, match="No landmark of the template is missing"):
        ops.step_template()
    ops.clear_template()
    assert "asks" not in document(obj)["sets"][0]
    assert names(api, obj) == ["a", "b", "c", "d"]


def test_without_its_template_a_set_keeps_the_rows_of_what_is_missing_until_they_are_removed(api):
    obj = square()
    bpy.context.view_layer.objects.active = obj
    ops.type_template(names="a, b, c")
    add(api, "b", PLACES[0])
    ops.clear_template()
    assert names(api, obj) == ["a", "b", "c"]
    assert placed(api, obj) == ["b"]
    assert api.landmarks.remove(obj, "a") == 1
    assert names(api, obj) == ["b", "c"]


def test_a_set_of_another_object_is_a_template(api, obj):
    other = square("Other", z=1.0)
    bpy.context.view_layer.objects.active = other
    assert ops.template_from_set(object=obj.name) == {"FINISHED"}
    add(api, None, PLACES[0])
    assert names(api, other) == names(api, obj)
    assert placed(api, other) == ["A"]
    with pytest.raises(RuntimeError, match="There is no such set"):
        ops.template_from_set(object="Nobody")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no valid JSON, from line 1 on"),
        ('["a",\n"b"\n"c"]', "no valid JSON, from line 3 on"),
        ("3", "a list of names is needed"),
        ('{"landmarks": 3}', "a list of names is needed"),
        ('[{"description": "no name"}]', "a list of names is needed"),
        ('["a", ["b"]]', "a list of names is needed"),
        ("[" * 100_000, "a list of names is needed"),
        ("[]", "has no names"),
        ('["a", " "]', "cannot be used"),
        ('["' + "x" * 256 + '"]', "cannot be used"),
        (r'["\ud800"]', "cannot be used"),
        ('["a", "b", "a"]', "twice"),
        ("[" + ",".join(f'"{n}"' for n in range(10_001)) + "]", "too large"),
        (" " * (1 << 20) + '["a"]', "too large"),
    ],
)
def test_what_is_no_template_is_refused_and_changes_nothing(api, obj, file, text, why):
    before = obj[KEY]
    with pytest.raises(RuntimeError, match=why):
        ops.load_template(filepath=file(text))
    assert obj[KEY] == before


def test_a_text_with_a_name_in_each_line_is_a_template(api, obj, tmp_path):
    path = tmp_path / "Face.txt"
    path.write_text("\ufeffnasion\r\nbridge of the nose\r\n", encoding="utf-8")
    ops.load_template(filepath=str(path))
    assert names(api, obj)[:2] == ["nasion", "bridge of the nose"]
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RuntimeError, match="a list of names is needed"):
        ops.load_template(filepath=str(path))


def test_a_folder_is_no_template(obj, tmp_path):
    with pytest.raises(RuntimeError, match="Choose a file"):
        ops.load_template(filepath=str(tmp_path))


def test_a_file_that_is_not_there_is_told(obj, tmp_path):
    with pytest.raises(RuntimeError, match="No such file"):
        ops.load_template(filepath=str(tmp_path / "nothing.json"))


@pytest.mark.parametrize(
    ("files", "found"),
    [(["face.json", "scan.mrk.json"], "face.json"), (["face.json", "hand.json"], ""), ([], "")],
)
def test_the_only_template_beside_the_blend_file_is_found(raypick, tmp_path, files, found):
    for name in files:
        (tmp_path / name).touch()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scan.blend"))
    beside = import_module(f"{raypick.__name__}.operators.landmark_template").template_beside()
    assert beside == (str(tmp_path / found) if found else "")


def test_no_template_is_beside_a_file_that_is_not_saved(raypick):
    bpy.ops.wm.read_homefile(use_empty=True)
    module = import_module(f"{raypick.__name__}.operators.landmark_template")
    assert module.template_beside() == ""


def test_names_are_mirrored(api):
    obj = square()
    bpy.context.view_layer.objects.active = obj
    for name, at in zip(("eye.L", "eye.R", "nose", "l_ear"), PLACES, strict=True):
        add(api, name, at)
    for name in ("eye.L", "eye.R", "nose"):
        click(api, obj, name, "TOGGLE")
    ops.mirror_names(of_what="SELECTED")
    assert names(api, obj) == ["eye.R", "eye.L", "nose", "l_ear"]
    ops.select_landmarks(action="DESELECT")
    click(api, obj, "eye.R")
    ops.mirror_names(of_what="SELECTED")
    assert names(api, obj) == ["eye.L.001", "eye.L", "nose", "l_ear"]


def test_a_template_gets_the_names_of_the_other_side(api):
    obj = square()
    bpy.context.view_layer.objects.active = obj
    ops.type_template(names="Left Eye, nose, ear_r, ear_l, jaw.R")
    ops.mirror_names(of_what="TEMPLATE")
    wanted = ["Left Eye", "Right Eye", "nose", "ear_r", "ear_l", "jaw.R", "jaw.L"]
    assert names(api, obj) == wanted


# What cannot be changed


def test_without_an_object_the_buttons_say_so(raypick):
    bpy.context.view_layer.objects.active = None
    polled = ("add_landmark_set", "remove_landmark_set", "order_landmarks", "remove_landmarks")
    assert not any(getattr(ops, name).poll() for name in polled)
    with pytest.raises(RuntimeError, match="There is no active object"):
        ops.add_landmark_set()


@pytest.mark.parametrize("text", ["{", '{"version": 999}', 3])
def test_unreadable_and_newer_landmarks_are_not_replaced(api, obj, text):
    del obj[KEY]
    obj[KEY] = text
    polled = (
        *("add_landmark_set", "remove_landmark_set", "order_landmarks", "type_template"),
        *("color_landmarks", "mirror_names", "select_landmarks", "duplicate_landmark_set"),
    )
    assert not any(getattr(ops, name).poll() for name in polled)
    ops.cast(origin=(0.25, 0.5, 9))
    with pytest.raises(RuntimeError, match="landmarks"):
        ops.add_landmark()
    assert ops.remove_landmarks() == {"CANCELLED"}
    assert obj[KEY] == text


def test_of_an_object_without_faces_nothing_fails(api):
    obj = mesh_object("Empty", np.zeros((1, 3)), [])
    bpy.context.view_layer.objects.active = obj
    assert ops.add_landmark_set() == {"FINISHED"}
    assert ops.type_template(names="a") == {"FINISHED"}


# The lists


def test_the_lists_are_searched_by_name(raypick, obj):
    lists = import_module(f"{raypick.__name__}.ui.lists")
    lists.follow()
    manager = bpy.context.window_manager

    def found(kind, name, sought):
        listed = SimpleNamespace(
            filter_name=sought,
            bitflag_filter_item=1 << 30,
            use_filter_sort_alpha=False,
            listed=kind.listed,
            searched=kind.searched,
        )
        flags, order = kind.filter_items(listed, None, manager, name)
        assert order == []
        return [bool(flag) for flag in flags]

    landmarks = lists.RAYPICK_UL_landmarks
    assert found(landmarks, "raypick_landmarks", "") == [True] * 4
    assert found(landmarks, "raypick_landmarks", "b") == [False, True, False, False]
    bpy.context.view_layer.objects.active = None
    assert found(landmarks, "raypick_landmarks", "") == [False] * 4, "left of another object"


def test_rows_of_measures_are_renamed_chosen_and_sorted(raypick, api, obj):
    for name, pair in (("width", "AB"), ("Height", "CD")):
        api.measures.add("distance", [(obj, each) for each in pair], name)
    lists = import_module(f"{raypick.__name__}.ui.lists")
    lists.follow()
    manager = bpy.context.window_manager
    rows = manager.raypick_measures
    assert [row.name for row in rows] == ["width", "Height"]
    kind = lists.RAYPICK_UL_measures
    shown = SimpleNamespace(
        filter_name="",
        bitflag_filter_item=1 << 30,
        use_filter_sort_alpha=True,
        listed=kind.listed,
        searched=kind.searched,
    )
    assert kind.filter_items(shown, None, manager, "raypick_measures") == ([1 << 30] * 2, [1, 0])
    manager.raypick_measure_active = 0
    assert document(obj)["active_measure"] == 0
    assert manager.raypick_measure_active == 0
    rows[0].name = " Height "
    rows[1].name = ""
    assert [each["name"] for each in document(obj)["measures"]] == ["Height.001", "Height"]
    manager.raypick_measure_active = 7
    assert document(obj)["active_measure"] == 0


def test_rows_read_and_write_the_document(raypick, api, obj):
    import_module(f"{raypick.__name__}.ui.lists").follow()
    manager = bpy.context.window_manager
    listed = manager.raypick_landmarks
    assert [row.name for row in listed] == ["A", "B", "C", "D"]
    listed[2].name = "nasion"
    listed[2].color = (0.25, 0.5, 1.0)
    assert names(api, obj) == ["A", "B", "nasion", "D"]
    assert api.landmarks.of(obj)[2].color == (0.25, 0.5, 1.0)
    listed[0].name = "nasion"
    assert names(api, obj) == ["nasion.001", "B", "nasion", "D"]
    ops.color_landmark_set(color=(0.0, 1.0, 0.0))
    assert [each.color[1] for each in api.landmarks.of(obj)] == [1.0, 1.0, 0.5, 1.0]
    manager.raypick_landmark_active = 3
    assert selected(api, obj) == "D"
    obj[KEY] = "{"
    listed[0].name = "lost"
    assert obj[KEY] == "{"
