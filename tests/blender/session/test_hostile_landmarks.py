# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stranger's file holds as landmarks: drawn at no cost, said, and never lost."""

import json
from importlib import import_module
from types import SimpleNamespace

import bpy
import pytest

from ...recorder import drawn
from ..conftest import PACKAGE
from ..scenes import down, square

KEY = "raypick_landmarks"
DAMAGED = '{"version": 1, "sets": [' + '{"name": "a"}, ' * 200 + "0"
MANY = '{"version": 1, "sets": [' + ", ".join(['{"name": "a"}'] * 10_001) + "]}"


@pytest.fixture
def storage(raypick):
    return import_module(f"{PACKAGE}.bridge.landmarks.storage")


@pytest.fixture
def parsed(storage, monkeypatch):
    """The lengths of the texts that are parsed, one after the other."""
    read, calls = storage.Document.from_text, []
    monkeypatch.setattr(
        storage.Document, "from_text", lambda text: calls.append(len(text)) or read(text)
    )
    return calls


@pytest.fixture
def looked_at(storage, monkeypatch):
    """The objects whose texts Blender has made anew."""
    text, calls = storage.text, []
    monkeypatch.setattr(storage, "text", lambda obj, key: calls.append(obj.name) or text(obj, key))
    return calls


@pytest.fixture
def clock(storage, monkeypatch):
    """A clock that stands still unless it is set, or something is looked at."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(storage, "time", SimpleNamespace(perf_counter=lambda: now.seconds))
    return now


@pytest.fixture
def objects(raypick):
    """An active object that holds a text, beside one with a landmark."""
    square("Good", z=-1.0)
    raypick.api.landmarks.add(bpy.context, down(raypick, 0.5, 0.5)[0])
    bad = square("Bad")
    bpy.context.view_layer.objects.active = bad
    bpy.context.view_layer.update()
    return bad


def draw(raypick):
    """Draw what there is in a window, as far as it can be without one."""
    session = import_module(f"{PACKAGE}.session.landmarks")
    measures = import_module(f"{PACKAGE}.session.measures")
    found = session.shown(bpy.context)
    measures.shown(bpy.context)
    return found, drawn([bpy.types.RAYPICK_PT_landmarks], bpy.context)


def change_scene():
    """Have all looked up again, as in playback."""
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)


@pytest.mark.parametrize(
    ("held", "said"),
    [(DAMAGED, "cannot be read"), (MANY, "too large"), ('{"version": 9}', "A newer Raypick")],
    ids=["damaged", "many", "newer"],
)
def test_a_text_that_cannot_be_read_is_parsed_once_however_often_it_is_drawn(
    raypick, objects, parsed, held, said
):
    objects[KEY] = held
    for _ in range(5):
        found, panel = draw(raypick)
        assert len(found) == 1, "of the other object"
        assert said in " ".join(panel.labels)
        change_scene()
    assert parsed.count(len(held)) == 1
    with pytest.raises(raypick.api.RaypickError, match=said):
        raypick.api.landmarks.of(objects)
    assert parsed.count(len(held)) == 1
    assert objects[KEY] == held


def test_a_text_that_can_be_read_is_parsed_once_too(raypick, objects, parsed, storage):
    storage.forget()
    for _ in range(5):
        draw(raypick)
        change_scene()
        raypick.api.landmarks.of("Good")
    assert len(parsed) == 1


def test_what_took_long_to_be_looked_at_is_looked_at_again_after_many_times_as_long(
    raypick, objects, storage, looked_at, clock, monkeypatch
):
    """Of a text of 200 MB that is all that it costs."""
    objects[KEY] = DAMAGED
    read = storage._looked_up

    def slowly(obj):
        clock.seconds += 0.1
        return read(obj)

    monkeypatch.setattr(storage, "_looked_up", slowly)
    for _ in range(5):
        draw(raypick)
        change_scene()
        clock.seconds = 0.2
    assert looked_at.count("Bad") == 1
    clock.seconds = 0.2 + 20 * 0.1
    draw(raypick)
    assert looked_at.count("Bad") == 2


def test_what_a_script_has_mended_is_read_by_scripts_at_once_and_drawn_then(
    raypick, objects, storage, clock
):
    objects[KEY] = DAMAGED
    draw(raypick)
    storage._refused[objects.session_uid] = 1e9, "not yet"
    objects[KEY] = bpy.data.objects["Good"][KEY]
    assert len(raypick.api.landmarks.of(objects)) == 1
    draw(raypick)
    assert len(draw(raypick)[0]) == 2
    objects[KEY] = DAMAGED
    storage._refused[objects.session_uid] = 1e9, "not yet"
    del objects[KEY]
    change_scene()
    assert storage.to_draw(objects) == storage.Document()


def test_too_long_a_text_is_neither_parsed_nor_kept(raypick, objects, storage, monkeypatch):
    held = objects[KEY] = bpy.data.objects["Good"][KEY]
    model = import_module(f"{PACKAGE}.model.landmarks.document")
    parsed = []
    monkeypatch.setattr(model, "Reader", lambda text: parsed.append(text))
    for module in (model, storage):
        monkeypatch.setattr(module, "MOST_CHARACTERS", len(held) - 1)
    storage.forget()
    with pytest.raises(raypick.api.RaypickError, match="too large"):
        raypick.api.landmarks.of(objects)
    assert (parsed, storage._read) == ([], {})


def test_what_removed_objects_held_is_forgotten(raypick, storage):
    for _ in range(30):
        obj = square()
        raypick.api.landmarks.add(bpy.context, down(raypick, 0.5, 0.5)[0])
        bpy.data.objects.remove(obj)
    assert len(storage._read) < 10


@pytest.mark.parametrize(
    "held",
    [7, 1.5, True, b"\xff", [1, 2], [0.5] * 3, {"a": 1}, [{"a": 1}], "", "\x00", "[" * 100_000],
    ids=lambda held: repr(held)[:12],
)
def test_a_property_of_any_kind_is_refused_drawn_and_left_alone_when_saving(
    raypick, objects, tmp_path, held
):
    objects[KEY] = held
    before = _plain(objects[KEY])
    _, panel = draw(raypick)
    assert "The landmarks saved with this object cannot be read" in " ".join(panel.labels)
    hit = down(raypick, 0.5, 0.5)[0]
    for change in (
        lambda: raypick.api.landmarks.add(bpy.context, hit),
        lambda: raypick.api.landmarks.remove(objects),
        lambda: raypick.api.landmarks.add_many(bpy.context, [hit]),
    ):
        with pytest.raises(raypick.api.RaypickError, match="cannot be read"):
            change()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert _plain(bpy.data.objects["Bad"][KEY]) == before


def _plain(held):
    """A property as Python has it."""
    if hasattr(held, "to_dict"):
        return held.to_dict()
    return [*map(_plain, held)] if hasattr(held, "to_list") or isinstance(held, list) else held


@pytest.mark.parametrize("held", [b"\xff", [1, 2], {"a": 1}, 7, ""], ids=repr)
def test_properties_of_any_kind_on_empties_stop_no_other_from_following(raypick, held):
    obj = square()
    raypick.api.landmarks.add(bpy.context, down(raypick, 0.25, 0.5)[0])
    (good,) = raypick.api.landmarks.add_empties(bpy.context, obj)
    for key in ("raypick_landmark", "raypick_object", "raypick_follows", "raypick_turns"):
        bad = good.copy()
        bpy.context.scene.collection.objects.link(bad)
        del bad[key]
        bad[key] = held
    module = import_module(f"{PACKAGE}.bridge.landmarks.empties")
    module.forget()
    obj.location.z = 3.0
    bpy.context.view_layer.update()
    module.follow(bpy.context.evaluated_depsgraph_get())
    assert good.location[:] == (0.25, 0.5, 3.0)
    assert raypick.api.landmarks.add_empties(bpy.context, obj)


@pytest.mark.parametrize("held", [b"\xff", [1, 2], {"a": {"b": 1}}, 7], ids=repr)
def test_an_image_of_a_strangers_survey_is_taken_for_one(raypick, held):
    import numpy as np

    module = import_module(f"{PACKAGE}.bridge.survey_image")
    image = bpy.data.images.new("Raypick Survey: Face", 2, 2)
    image[module.ABOUT] = held
    made = module.keep("Face", np.zeros((2, 2, 4), np.float32), {"kind": "FACE"})
    assert [each.name for each in bpy.data.images] == [made.name] == ["Raypick Survey: Face"]


MEASURES = [
    {"places": [{"landmark": "x" * 100_000}]},
    {"places": [{"landmark": "a", "object": "Nobody", "library": "//" + "x" * 5_000}]},
    {"places": [{"landmark": "a", "object": "Nobody\x00", "library": ""}]},
    {"places": [{"landmark": "a", "object": "x" * 5_000}]},
    {"places": [{"landmark": "a"}], "kind": "clearance", "other": "x" * 5_000},
]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda each: str(each)[:40])
def test_measures_that_name_anything_are_drawn_and_say_why_they_have_no_value(
    raypick, objects, measure
):
    row = {"name": "x" * 100_000, "kind": "thickness", "id": "m", **measure}
    held = json.loads(bpy.data.objects["Good"][KEY])
    objects[KEY] = json.dumps({**held, "measures": [row]})
    draw(raypick)
    drawn([bpy.types.RAYPICK_PT_measures], bpy.context)
    (found,) = raypick.api.measures.values(bpy.context, objects)
    assert found.value is None
    assert found.reason


def test_a_name_of_a_megabyte_is_drawn_in_a_few_lines(raypick, objects):
    held = json.loads(bpy.data.objects["Good"][KEY])
    held["sets"][0]["landmarks"][0] = {"name": "a " * 200_000, "description": "b " * 200_000}
    held["sets"][0]["asks"] = True
    objects[KEY] = json.dumps(held)
    _, panel = draw(raypick)
    assert sum(map(len, panel.labels)) < 10_000
