# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file holds is read when it is asked for, under bounds, and never lost by saving."""

import json
import os
from dataclasses import replace
from datetime import timedelta
from importlib import import_module

import bpy
import pytest

from ...recorder import drawn
from ..model.test_record import history
from .test_history import read_again

__all__ = ["history"]

KEY = "raypick_history"


def test_opening_a_file_reads_no_history(raypick, history, tmp_path, monkeypatch):
    module = import_module(f"{raypick.__name__}.session.history")
    history.save_to(bpy.context.scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    history.clear()
    read, calls = module.read_saved, []
    monkeypatch.setattr(module, "read_saved", lambda *given: calls.append(given) or read(*given))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert calls == []
    assert len(history.records()) == 1
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("held", "text"),
    [
        ("[" * 100_000, "cannot be read"),
        ('{"version": 2, "else": 1}', "newer Raypick"),
        ("[" + "0," * 1_000_001 + "0]", "too large"),
        (7, "cannot be read"),
        (b"\xff", "cannot be read"),
    ],
    ids=["deep", "newer", "large", "number", "bytes"],
)
def test_what_cannot_be_read_is_said_and_not_replaced(history, held, text):
    bpy.context.scene[KEY] = held
    with pytest.raises(RuntimeError, match=text):
        bpy.ops.raypick.save_history()
    assert bpy.context.scene[KEY] == held


@pytest.mark.parametrize(
    "pick", ['{"when": [1]}', "NaN", '{"seconds": 1e999}', '"\\ud800"', "[[]]"]
)
def test_malformed_picks_are_kept_to_the_letter(history, pick):
    bpy.context.scene[KEY] = f"[{pick}]"
    read_again(history)
    assert history.save_to(bpy.context.scene) == 1, "those that can be read"
    assert bpy.context.scene[KEY].startswith(f'{{"version": 1, "picks": [{pick}, ')
    assert len(json.loads(bpy.context.scene[KEY])["picks"]) == 2


@pytest.fixture
def reopened(history, tmp_path):
    """Open a file that holds a text as its history, besides the pick that is remembered."""

    def reopen(held):
        bpy.context.scene[KEY] = held
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))

    return reopen


def panel():
    return drawn([bpy.types.RAYPICK_PT_history], bpy.context)


@pytest.mark.parametrize(
    ("held", "line"),
    [
        ('{"version": 2, "else": 1}', "A newer Raypick saved the history in this file"),
        ("[" * 100_000, "The history saved in this file cannot be read"),
    ],
    ids=["newer", "deep"],
)
def test_the_panel_says_what_cannot_be_read_and_greys_save_with_the_reason(
    reopened, history, held, line
):
    reopened(held)
    assert panel().labels == [line]
    with pytest.raises(RuntimeError, match=f"poll[(][)] {line}"):
        bpy.ops.raypick.save_history()
    assert len(history.records()) == 1
    assert bpy.context.scene[KEY] == held


def test_the_panel_counts_picks_that_cannot_be_read_and_they_can_be_saved_again(reopened, history):
    reopened('[3, {"when": [1]}]')
    assert panel().labels == ["Picks saved in this file that cannot be read: 2"]
    assert bpy.ops.raypick.save_history() == {"FINISHED"}
    assert json.loads(bpy.context.scene[KEY])["picks"] == [3, {"when": [1]}]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert panel().labels == []


def test_a_pick_that_cannot_be_read_is_kept_beside_one_of_the_same_moment(history):
    history.save_to(bpy.context.scene)
    (good,) = json.loads(bpy.context.scene[KEY])["picks"]
    damaged = {**good, "rank": "first", "note": "precious"}
    bpy.context.scene[KEY] = json.dumps([damaged, good])
    for _ in range(2):
        assert bpy.ops.raypick.save_history() == {"FINISHED"}
        assert json.loads(bpy.context.scene[KEY])["picks"] == [damaged, good]


@pytest.mark.parametrize("wrong", ["", "?"], ids=["whole", "damaged"])
def test_the_histories_of_all_scenes_together_are_bounded(raypick, history, monkeypatch, wrong):
    module = import_module(f"{raypick.__name__}.session.history")
    history.save_to(bpy.context.scene)
    held = bpy.context.scene[KEY] + wrong
    for number in range(3):
        bpy.data.scenes.new(f"Scene {number}")[KEY] = held
    bpy.context.scene[KEY] = held
    monkeypatch.setattr(module, "MOST_CHARACTERS", int(2.5 * len(held)))
    read_again(history)
    kinds = [text for text, _ in history.troubles()]
    assert sum("too large" in text for text in kinds) == 2
    assert len(kinds) == (4 if wrong else 2)


def test_so_much_is_written_as_can_be_read_again(raypick, history, monkeypatch):
    module = import_module(f"{raypick.__name__}.session.history")
    history.save_to(bpy.context.scene)
    held = bpy.context.scene[KEY]
    other = bpy.data.scenes.new("Other")
    other[KEY] = held
    monkeypatch.setattr(module, "MOST_CHARACTERS", int(2.5 * len(held)))
    assert bpy.ops.raypick.save_history() == {"FINISHED"}
    assert bpy.ops.raypick.cast(origin=(0.5, 0.5, 3)) == {"FINISHED"}
    with pytest.raises(RuntimeError, match="too many"):
        bpy.ops.raypick.save_history()
    assert (bpy.context.scene[KEY], other[KEY]) == (held, held)


def test_two_hundred_picks_through_many_faces_of_many_corners_are_saved(history):
    bpy.data.objects.remove(bpy.data.objects["Square"])
    bpy.ops.mesh.primitive_cylinder_add(vertices=64)
    for number in range(7):
        copy = bpy.context.object.copy()
        copy.location.z = -5.0 * (number + 1)
        bpy.context.collection.objects.link(copy)
    history.clear()
    assert bpy.ops.raypick.cast(origin=(0.25, 0.5, 3), all_hits=True) == {"FINISHED"}
    (picked,) = history.records()
    assert len(picked.hits) == 16
    for number in range(1, history.MOST):
        history.add(replace(picked, when=picked.when + timedelta(seconds=number)))
    assert len(history.records()) == history.MOST
    assert bpy.ops.raypick.save_history() == {"FINISHED"}
    history.clear()
    read_again(history)
    assert len(history.records()) == history.MOST


def test_a_library_whose_path_is_no_text_is_found_and_shown(raypick, history, tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.blend"
    bpy.ops.wm.save_as_mainfile(filepath=os.fsdecode(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(os.fsdecode(path), link=True) as (_, into):
        into.objects = ["Square"]
    bpy.context.collection.objects.link(into.objects[0])
    assert bpy.ops.raypick.cast(origin=(0.25, 0.5, 3)) == {"FINISHED"}
    (hit,) = import_module(f"{raypick.__name__}.session.current").kept().hits
    assert hit.library.endswith("caf\udce9.blend")
    again = raypick.api.place(
        bpy.context,
        hit.object,
        face=hit.face,
        barycentric=hit.barycentric,
        triangle_of_face=hit.triangle_of_face,
        library=hit.library,
    )
    assert again.point == pytest.approx(hit.point)
    panels = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("RAYPICK_PT")]
    drawn([panel for panel in panels if "preferences" not in panel.__module__], bpy.context)
    for name in ("select_object", "cursor_to_hit", "leave_out", "frame_hit"):
        getattr(bpy.ops.raypick, name).poll()
    assert bpy.ops.raypick.select_object() == {"FINISHED"}
