# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in files: linked, overridden, appended, copied, saved, newer and damaged."""

import json

import bpy
import numpy as np
import pytest

from ...scenes import link, suzanne
from .oracle import hits_at, reasons

KEY = "raypick_landmarks"


def now(raypick, obj):
    return raypick.api.landmarks.points(bpy.context, obj)


def marked(raypick, count=12):
    """Suzanne, subdivided, with landmarks."""
    obj = suzanne()
    obj.modifiers.new("Subdivision", "SUBSURF")
    bpy.context.view_layer.update()
    for hit, _ in hits_at(raypick, obj, count, seed=1):
        raypick.api.landmarks.add(bpy.context, hit)
    return obj


@pytest.fixture
def saved(raypick, tmp_path):
    """A file that holds Suzanne with landmarks; its path, where they are, and what they are."""
    obj = marked(raypick)
    path = str(tmp_path / "library.blend")
    points, records = now(raypick, obj), raypick.api.landmarks.of(obj)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return path, points, records


def begin_anew():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def from_library(path, linked):
    """Suzanne of a file, linked or appended, on the scene."""
    with bpy.data.libraries.load(path, link=linked) as (_, wanted):
        wanted.objects = ["Suzanne"]
    (obj,) = wanted.objects
    link(obj)
    bpy.context.view_layer.update()
    return obj


def hit_of(raypick, obj, seed=9):
    ((hit, point),) = hits_at(raypick, obj, 1, seed)
    return hit, point


def test_a_saved_file_has_them_when_it_is_loaded_again(raypick, saved):
    path, points, records = saved
    begin_anew()
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Suzanne"]
    assert raypick.api.landmarks.of(obj) == records
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


def test_linked_objects_have_them_and_do_not_change(raypick, saved):
    path, points, records = saved
    begin_anew()
    obj = from_library(path, linked=True)
    assert raypick.api.landmarks.of(obj) == records
    assert np.abs(now(raypick, obj) - points).max() < 1e-6
    text = obj[KEY]
    hit, _ = hit_of(raypick, obj)
    for change in (
        lambda: raypick.api.landmarks.add(bpy.context, hit),
        lambda: raypick.api.landmarks.move(bpy.context, obj, records[0].id, hit),
        lambda: raypick.api.landmarks.remove(obj, records[0].id),
        lambda: raypick.api.landmarks.remove(obj),
    ):
        with pytest.raises(raypick.api.RaypickError, match="linked from a library"):
            change()
    assert obj[KEY] == text


def test_library_overrides_are_changed_and_stay_so(raypick, saved, tmp_path):
    path, points, records = saved
    begin_anew()
    linked = from_library(path, linked=True)
    override = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    assert raypick.api.landmarks.of(override) == records
    hit, point = hit_of(raypick, override)
    added = raypick.api.landmarks.add(bpy.context, hit, "Mine")
    raypick.api.landmarks.remove(override, records[0].id)
    expected = np.concatenate([points[1:], [point]])
    assert np.abs(now(raypick, override) - expected).max() < 1e-6
    user = str(tmp_path / "user.blend")
    bpy.ops.wm.save_as_mainfile(filepath=user)
    begin_anew()
    bpy.ops.wm.open_mainfile(filepath=user)
    (obj,) = (each for each in bpy.data.objects if each.override_library)
    kept = raypick.api.landmarks.of(obj)
    assert [each.id for each in kept] == [each.id for each in records[1:]] + [added.id]
    assert np.abs(now(raypick, obj) - expected).max() < 1e-6


def test_library_overrides_without_changes_follow_the_library_also_once_they_were_saved(
    raypick, tmp_path
):
    made = suzanne()
    made.modifiers.new("Remesh", "REMESH").voxel_size = 0.1
    bpy.context.view_layer.update()
    for hit, _ in hits_at(raypick, made, 3, seed=1):
        raypick.api.landmarks.add(bpy.context, hit)
    records = raypick.api.landmarks.of(made)
    assert all(each.evaluated for each in records)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    begin_anew()
    override = from_library(path, linked=True).override_create(remap_local_usages=True)
    override.modifiers.new("Cast", "CAST").factor = 0.5  # what is on the evaluated mesh moves
    bpy.context.view_layer.update()
    assert np.isfinite(now(raypick, override)).all()
    user = str(tmp_path / "user.blend")
    bpy.ops.wm.save_as_mainfile(filepath=user)
    bpy.ops.wm.open_mainfile(filepath=path)
    raypick.api.landmarks.remove(bpy.data.objects["Suzanne"], records[0].id)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=user)
    (obj,) = (each for each in bpy.data.objects if each.override_library)
    assert [each.id for each in raypick.api.landmarks.of(obj)] == [each.id for each in records[1:]]


def test_appended_objects_have_landmarks_of_their_own(raypick, saved):
    path, points, records = saved
    begin_anew()
    obj = from_library(path, linked=False)
    assert obj.library is None
    assert np.abs(now(raypick, obj) - points).max() < 1e-6
    hit, point = hit_of(raypick, obj)
    raypick.api.landmarks.add(bpy.context, hit)
    assert now(raypick, obj)[-1] == pytest.approx(point, abs=1e-6)
    assert len(raypick.api.landmarks.of(obj)) == len(records) + 1


@pytest.mark.parametrize("how", ["copy", "duplicate", "linked duplicate"])
def test_copied_objects_have_landmarks_of_their_own(raypick, how):
    obj = marked(raypick)
    points = now(raypick, obj)
    if how == "copy":
        other = link(obj.copy())
        other.data = obj.data.copy()
    else:
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        bpy.ops.object.duplicate(linked="linked" in how)
        other = bpy.context.view_layer.objects.active
    assert other != obj
    other.location = (5, 0, 0)
    bpy.context.view_layer.update()
    assert np.abs(now(raypick, other) - points - (5, 0, 0)).max() < 1e-6
    raypick.api.landmarks.remove(other, raypick.api.landmarks.of(other)[-1].id)
    assert len(now(raypick, obj)) == len(points)
    assert len(now(raypick, other)) == len(points) - 1
    hit, point = hit_of(raypick, other)
    raypick.api.landmarks.add(bpy.context, hit)
    assert now(raypick, other)[-1] == pytest.approx(point, abs=1e-6)
    assert np.array_equal(now(raypick, obj), points)


def test_undo_gives_landmarks_and_places_back(raypick):
    bpy.context.preferences.edit.use_global_undo = True
    obj = marked(raypick)
    bpy.context.view_layer.objects.active = obj
    points = now(raypick, obj)
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.flip_normals()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.ed.undo_push(message="Flip")
    assert {*reasons(raypick, obj)} == {"The topology has changed"}
    raypick.api.landmarks.remove(obj)
    bpy.ops.ed.undo_push(message="Remove")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Suzanne"]
    assert {*reasons(raypick, obj)} == {"The topology has changed"}
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Suzanne"]
    for _ in range(3):
        if reasons(raypick, obj)[0] is None:
            break
        bpy.ops.ed.undo()
        obj = bpy.data.objects["Suzanne"]
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


def test_what_a_newer_version_saved_is_refused_and_left_alone(raypick):
    obj = marked(raypick)
    hit, _ = hit_of(raypick, obj)
    held = json.loads(obj[KEY])
    held["version"] = 1000
    text = obj[KEY] = json.dumps(held)
    for ask in (
        lambda: raypick.api.landmarks.of(obj),
        lambda: now(raypick, obj),
        lambda: raypick.api.landmarks.add(bpy.context, hit),
        lambda: raypick.api.landmarks.remove(obj),
    ):
        with pytest.raises(raypick.api.RaypickError, match="newer Raypick"):
            ask()
    assert obj[KEY] == text


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": "1"}', '{"version": 1, "sets": 3}', "[" * 100_000, 7, b"\xff"],
    ids=lambda text: repr(text)[:20],
)
def test_what_is_no_landmarks_is_refused_and_left_alone(raypick, text):
    obj = marked(raypick, 1)
    hit, _ = hit_of(raypick, obj)
    del obj[KEY]
    obj[KEY] = text
    with pytest.raises(raypick.api.RaypickError, match="cannot be read"):
        raypick.api.landmarks.of(obj)
    with pytest.raises(raypick.api.RaypickError, match="cannot be read"):
        raypick.api.landmarks.add(bpy.context, hit)
    assert obj[KEY] == text


def test_a_damaged_landmark_loses_no_other(raypick):
    obj = marked(raypick)
    points, records = now(raypick, obj), raypick.api.landmarks.of(obj)
    held = json.loads(obj[KEY])
    damaged = held["sets"][0]["landmarks"][4]
    damaged["anchor"]["face"] = "none"
    held["sets"].append({"name": 3})
    held["measures"] = [None]
    obj[KEY] = json.dumps(held)
    left = [*range(4), *range(5, 12)]
    assert raypick.api.landmarks.of(obj) == [records[i] for i in left]
    assert np.abs(now(raypick, obj) - points[left]).max() < 1e-6
    hit, point = hit_of(raypick, obj)
    raypick.api.landmarks.add(bpy.context, hit)
    assert now(raypick, obj)[-1] == pytest.approx(point, abs=1e-6)
    written = json.loads(obj[KEY])
    assert damaged in written["sets"][0]["landmarks"]
    assert {"name": 3} in written["sets"]
    assert written["measures"] == [None]


DAMAGE = [
    {"face": 1 << 30},
    {"corners": [0, 1, 900]},
    {"corners": [1, 1, 2]},
    {"vertices": [1 << 30, 0, 1]},
    {"copies": [["Subdivision", 1 << 30]]},
    {"instancer": "Nobody", "instance": [7]},
    {"topology": ""},
    {"bound": 7, "topology": ""},
    {"evaluated": True, "face": 1 << 30},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
@pytest.mark.parametrize("subdivided", [True, False])
def test_anchors_that_no_mesh_has_are_told_and_lose_no_other(raypick, damage, subdivided):
    obj = marked(raypick)
    if not subdivided:
        obj.modifiers.clear()
    points = now(raypick, obj)
    held = json.loads(obj[KEY])
    held["sets"][0]["landmarks"][4]["anchor"].update(damage)
    obj[KEY] = json.dumps(held)
    told = reasons(raypick, obj)
    assert told[:4] + told[5:] == [None] * 11
    if "vertices" in damage:  # face and corners say where it is
        assert np.abs(now(raypick, obj) - points).max() < 1e-6
    else:
        assert isinstance(told[4], str)
        rest = [*range(4), *range(5, 12)]
        assert np.abs(now(raypick, obj)[rest] - points[rest]).max() < 1e-6
