# SPDX-License-Identifier: GPL-3.0-or-later
"""Callbacks of other add-ons: what they are told of picks and landmarks, and when."""

import json

import bpy
import pytest

from ..scenes import mesh_object, square

ops = bpy.ops.raypick if bpy else None


@pytest.fixture
def api(raypick):
    raypick.session.current.show(None)
    raypick.session.history.clear()
    yield raypick.api
    raypick.session.events.forget()


@pytest.fixture
def picks(api):
    """What the callback of picks was told so far."""
    told = []
    api.on_pick(lambda _context, pick: told.append(pick))
    return told


@pytest.fixture
def marks(api):
    """What the callback of landmarks was told so far: what, the object, and the name."""
    told = []
    api.on_landmark(lambda _, mark: told.append((mark.what, mark.object, mark.landmark.name)))
    return told


@pytest.fixture
def obj():
    made = square()
    bpy.context.view_layer.objects.active = made
    return made


def hit_at(api, x=0.25, y=0.5):
    (hit,) = api.ray_cast(bpy.context, (x, y, 9), (0, 0, -1))
    return hit


def add(api, *names):
    for number, name in enumerate(names):
        api.landmarks.add(bpy.context, hit_at(api, 0.1 + 0.2 * number), name)


# Picks


def test_a_pick_is_told_with_its_hits_and_its_ray(api, picks, obj):
    square("Below", z=-1.0)
    assert ops.cast(origin=(0.25, 0.5, 3), all_hits=True) == {"FINISHED"}
    (pick,) = picks
    assert [hit.object for hit in pick.hits] == ["Square", "Below"]
    assert pick.hit == pick.hits[0]
    assert (pick.origin, pick.direction) == ((0.25, 0.5, 3.0), (0.0, 0.0, -1.0))
    assert repr(pick).startswith("PickEvent(hit=PickHit(")


def test_a_pick_beside_everything_has_no_hit(picks, obj):
    ops.cast(origin=(5, 5, 3))
    assert [(pick.hit, pick.hits) for pick in picks] == [(None, ())]


def test_a_place_that_is_shown_is_a_pick_without_a_ray(picks, obj):
    ops.place(object="Square", triangle=1)
    assert [(pick.hit.triangle, pick.origin, pick.direction) for pick in picks] == [(1, None, None)]


def test_another_click_at_the_place_tells_the_hit_behind(raypick, api, picks, obj):
    square("Below", z=-1.0)
    current = raypick.session.current
    ops.cast(origin=(0.25, 0.5, 3), all_hits=True)
    record = current.kept()
    for _ in range(3):
        current.keep_or_walk(record, current.Click(1, (), (10, 10)))
        raypick.session.events.tell()
    assert [pick.hit.object for pick in picks] == ["Square", "Square", "Below", "Square"]


def test_questions_of_scripts_are_no_picks(api, picks, marks, obj):
    hit = hit_at(api)
    api.place(bpy.context, "Square", triangle=0)
    api.cast_rays(bpy.context, (0, 0, 9), (0, 0, -1))
    api.closest_point(bpy.context, hit.point)
    with pytest.raises(RuntimeError):
        ops.place(object="Nobody")
    assert (picks, marks) == ([], [])


# Landmarks


def test_it_is_told_what_scripts_do_with_landmarks(api, marks, obj):
    add(api, "nasion", "pronasale")
    assert marks == [("added", obj, "nasion"), ("added", obj, "pronasale")]
    marks.clear()
    api.landmarks.move(bpy.context, obj, "nasion", hit_at(api, 0.9))
    assert marks == [("moved", obj, "nasion")]
    marks.clear()
    api.landmarks.remove(obj)
    assert marks == [("removed", obj, "nasion"), ("removed", obj, "pronasale")]


def test_it_is_told_what_operators_do_with_landmarks(api, marks, obj):
    ops.cast(origin=(0.25, 0.5, 3))
    assert ops.add_landmark() == {"FINISHED"}
    assert ops.remove_landmarks() == {"FINISHED"}
    assert marks == [("added", obj, "Landmark.001"), ("removed", obj, "Landmark.001")]


def test_its_record_is_that_of_the_landmark_now_or_before_it_was_removed(api, obj):
    told = []
    api.on_landmark(lambda _, event: told.append(event.landmark))
    record = api.landmarks.add(bpy.context, hit_at(api), "nasion", "Head")
    moved = api.landmarks.move(bpy.context, obj, record.id, hit_at(api, 0.75))
    api.landmarks.remove(obj, "nasion")
    assert told == [record, moved, moved]
    assert record.barycentric != moved.barycentric


def test_copies_on_another_object_and_landmarks_of_a_file_are_added(api, marks, obj, tmp_path):
    add(api, "nasion", "pronasale")
    path = tmp_path / "head.fcsv"
    api.landmarks.export(bpy.context, obj, path)
    other = mesh_object("Other", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
    marks.clear()
    api.landmarks.transfer(bpy.context, obj, other)
    assert marks == [("added", other, "nasion"), ("added", other, "pronasale")]
    api.landmarks.remove(other)
    marks.clear()
    api.landmarks.load(bpy.context, other, path)
    assert marks == [("added", other, "nasion"), ("added", other, "pronasale")]


def test_names_colors_selection_and_binding_are_no_events(raypick, api, marks, obj):
    add(api, "nasion")
    marks.clear()
    ops.select_landmarks(action="INVERT")
    ops.color_landmarks(color=(1, 0, 0))
    ops.mark_landmarks(what="locked", on=True, every=True)
    assert api.landmarks.bind(bpy.context, obj) == 1
    raypick.session.events.tell()
    assert api.landmarks.unbind(obj) == 1
    raypick.session.events.tell()
    assert marks == []


def test_what_a_template_asks_for_is_added_once_it_has_a_place(api, marks, obj):
    add(api, "nasion")
    marks.clear()
    ops.type_template("EXEC_DEFAULT", names="nasion, pronasale")
    assert marks == []
    ops.cast(origin=(0.25, 0.5, 3))
    ops.add_landmark()
    ops.remove_landmarks()
    assert marks == [("added", obj, "pronasale"), ("removed", obj, "pronasale")]


def test_a_landmark_that_is_put_back_was_not_moved(raypick, api, marks, obj):
    record = api.landmarks.add(bpy.context, hit_at(api), "nasion")
    hits = [hit_at(api, x) for x in (0.5, 0.75, 0.25)]
    marks.clear()
    editing = raypick.bridge.landmarks.editing
    for hit in hits:  # as a drag does
        editing.move(bpy.context, obj, record.id, hit)
    raypick.session.events.tell()
    assert marks == []
    for hit in hits[:2]:
        editing.move(bpy.context, obj, record.id, hit)
    raypick.session.events.tell()
    assert marks == [("moved", obj, "nasion")]


def test_all_of_a_call_that_fails_is_as_if_it_had_not_been(api, marks, obj):
    below = hit_at(api)
    other = square("Other", z=1.0)
    above = hit_at(api)
    api.landmarks.add(bpy.context, above, "nasion", "Head")
    bpy.context.view_layer.objects.active = other
    ops.turn_landmark(
        landmark=json.loads(other["raypick_landmarks"])["sets"][0]["id"], what="locked"
    )
    marks.clear()
    with pytest.raises(api.RaypickError, match="The set is locked"):
        api.landmarks.add_many(bpy.context, [below, above], set="Head")
    assert marks == []


def test_objects_that_are_gone_by_then_are_not_told_of(raypick, api, marks, obj):
    raypick.bridge.landmarks.editing.add(bpy.context, hit_at(api))
    bpy.data.objects.remove(obj)
    raypick.session.events.tell()
    assert marks == []


# Callbacks


def test_it_decorates_and_is_called_once_however_often_it_was_added(api, obj):
    told = []

    @api.on_pick
    @api.on_landmark
    @api.on_pick
    def note(context, event):
        told.append((context.scene, type(event)))

    ops.cast(origin=(0.25, 0.5, 3))
    add(api, "nasion")
    assert told == [(bpy.context.scene, api.PickEvent), (bpy.context.scene, api.LandmarkEvent)]
    assert api.remove_callback(note) is True
    assert api.remove_callback(note) is False
    ops.cast(origin=(0.25, 0.5, 3))
    add(api, "pronasale")
    assert len(told) == 2


class Panel:
    """An object whose method is a callback; objects like this have no hash."""

    __hash__ = None

    def __init__(self):
        self.told = []

    def note(self, _context, event):
        self.told.append(event)


def test_methods_are_told_apart_by_their_objects(api, obj):
    first, second = Panel(), Panel()
    for panel in (first, second, first):
        api.on_pick(panel.note)
    ops.cast(origin=(0.25, 0.5, 3))
    assert (len(first.told), len(second.told)) == (1, 1)
    assert api.remove_callback(first.note)
    ops.cast(origin=(0.25, 0.5, 3))
    assert (len(first.told), len(second.told)) == (1, 2)


@pytest.mark.parametrize("name", ["on_pick", "on_landmark", "remove_callback"])
def test_what_cannot_be_called_is_refused(api, name):
    with pytest.raises(api.RaypickError, match="callback must be callable, not"):
        getattr(api, name)("show")


def test_its_errors_are_printed_once_and_the_pick_stands(raypick, api, picks, obj, capfd):
    def broken(_context, pick):
        raise LookupError(f"face {pick.hit.face}")

    api.on_pick(broken)
    api.on_pick(lambda _, pick: picks.append(pick))
    for _ in range(2):
        assert ops.cast(origin=(0.25, 0.5, 3)) == {"FINISHED"}
    assert len(picks) == 4
    assert raypick.session.current.kept().hit == picks[-1].hit
    printed = capfd.readouterr().err
    assert printed.count("LookupError: face 0") == 1
    assert printed.count("broken") == printed.count("Traceback") + 1 == 2
    api.remove_callback(broken)
    api.on_pick(broken)
    ops.cast(origin=(0.25, 0.5, 3))
    assert "LookupError: face 0" in capfd.readouterr().err


def test_a_callback_is_told_only_of_what_others_cause(api, obj, marks):
    calls = []

    @api.on_pick
    def mark(context, pick):
        calls.append("pick")
        api.landmarks.add(context, pick.hit)
        ops.cast(origin=(0.75, 0.5, 3))

    @api.on_landmark
    def twin(context, event):
        calls.append(event.what)
        api.landmarks.add(context, hit_at(api, 0.1))

    @api.on_landmark
    def other(context, event):
        calls.append(f"other {event.what}")
        api.landmarks.remove(event.object, event.landmark.id)

    ops.cast(origin=(0.25, 0.5, 3))
    # Both are told of the landmark of the pick, and each of what the other then did.
    assert calls == ["pick", "added", "other added", "other added", "removed"]
    assert [what for what, _, _ in marks] == ["added", "added", "removed", "removed", "added"]


def test_one_that_is_removed_meanwhile_is_not_called(api, obj):
    calls = []

    def first(_context, _pick):
        calls.append("first")
        api.remove_callback(first)
        api.remove_callback(second)

    def second(_context, _pick):
        calls.append("second")

    api.on_pick(first)
    api.on_pick(second)
    for _ in range(2):
        ops.cast(origin=(0.25, 0.5, 3))
    assert calls == ["first"]


def test_it_may_change_the_scene(api, obj):
    @api.on_pick
    def put(context, pick):
        empty = bpy.data.objects.new("Put", None)
        empty.location = pick.hit.point
        context.scene.collection.objects.link(empty)
        bpy.data.objects.remove(bpy.data.objects[pick.hit.object])

    assert ops.cast(origin=(0.25, 0.5, 3)) == {"FINISHED"}
    assert [each.name for each in bpy.context.scene.objects] == ["Put"]


def test_it_stays_while_another_file_is_loaded_but_not_what_was_not_told(
    raypick, api, picks, marks, obj
):
    raypick.bridge.landmarks.editing.add(bpy.context, hit_at(api))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    square()
    ops.cast(origin=(0.25, 0.5, 3))
    assert (len(picks), marks) == (1, [])


def test_undo_is_not_told(raypick, api, marks, obj):
    add(api, "nasion")
    bpy.ops.ed.undo_push(message="nasion")
    add(api, "pronasale")
    bpy.ops.ed.undo_push(message="pronasale")
    marks.clear()
    raypick.bridge.landmarks.editing.add(bpy.context, hit_at(api), "not told")
    assert bpy.ops.ed.undo() == {"FINISHED"}
    raypick.session.events.tell()
    assert [each.name for each in api.landmarks.of("Square")] == ["nasion"]
    assert marks == []


def test_all_go_when_the_extension_is_disabled(raypick, picks, marks, api, obj):
    raypick.unregister()
    raypick.register()
    ops.cast(origin=(0.25, 0.5, 3))
    add(api, "nasion")
    assert (picks, marks) == ([], [])
