# SPDX-License-Identifier: GPL-3.0-or-later
"""A kept pick is where its triangle is by now, or says why that is not known."""

import json
from importlib import import_module
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ...recorder import drawn
from ..scenes import collection_instance, instance_on_points, mesh_object, square


@pytest.fixture
def following(raypick):
    yield import_module(f"{raypick.__name__}.session.following")
    raypick.session.current.show(None)
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.fixture
def kept(raypick, following):
    """Return a function that gives the kept record, up to date."""

    def up_to_date():
        following.update(bpy.context)
        return raypick.session.current.kept()

    return up_to_date


def cast(x, y, **options):
    assert bpy.ops.raypick.cast(origin=(x, y, 9), **options) == {"FINISHED"}


def with_shape_key(z=2.0):
    """A square with a shape key that lifts its corners (1, 0) and (1, 1)."""
    obj = square()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Up")
    for corner in (1, 2):
        key.data[corner].co.z = z
    key.value = 0.0
    return obj, key


def animate(obj):
    for frame, x in ((1, 0.0), (11, 5.0)):
        obj.location.x = x
        obj.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)


def point_of(obj, record):
    """Where Blender's own evaluated mesh has the place, by its vertices and weights."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    hit = record.hit
    corners = [evaluated.matrix_world @ evaluated.data.vertices[i].co for i in hit.vertices]
    return np.array(hit.barycentric) @ np.array(corners)


CHANGES = {
    "a move": lambda obj, key: setattr(obj, "location", (3.0, -2.0, 1.0)),
    "a turn": lambda obj, key: setattr(obj, "rotation_euler", (0.3, 0.5, -1.0)),
    "a mirrored, uneven scale": lambda obj, key: setattr(obj, "scale", (-2.0, 1.0, 3.0)),
    "a shape key": lambda obj, key: setattr(key, "value", 0.7),
    "vertices": lambda obj, key: obj.data.transform(Matrix.Translation((0, 0, 4)), shape_keys=True),
    "another frame": lambda obj, key: (animate(obj), bpy.context.scene.frame_set(7)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_follows(raypick, kept, change):
    obj, key = with_shape_key()
    cast(0.75, 0.5)
    before = kept().hit
    CHANGES[change](obj, key)
    obj.data.update()
    bpy.context.view_layer.update()
    record = kept()
    assert record.stale is None
    assert record.hit_now.point == pytest.approx(point_of(obj, record), abs=1e-6)
    assert record.hit_now.point != pytest.approx(before.point, abs=0.1)
    assert record.hit_now.barycentric == pytest.approx(before.barycentric, abs=1e-12)
    assert (record.hit_now.face, record.hit_now.triangle) == (before.face, before.triangle)
    assert record.hit_now.distance == pytest.approx(
        np.linalg.norm(np.array(record.hit_now.point) - record.origin)
    )


def test_it_comes_back_to_the_very_same_place(raypick, kept):
    _, key = with_shape_key()
    cast(0.75, 0.5)
    then = kept().hit
    key.value = 0.7
    assert kept().hit_now != then
    key.value = 0.0
    now = kept().hit_now
    assert now.point == pytest.approx(then.point, abs=1e-12)
    assert now.normal == pytest.approx(then.normal, abs=1e-12)


def test_what_has_not_moved_keeps_its_last_digits(raypick, kept, rng):
    """Whatever else changes: a place that is found again by its weights is rounded otherwise."""
    bpy.ops.mesh.primitive_monkey_add(rotation=(0.3, 0.2, 0.1))
    other = square("Other", z=-5.0)
    hits = 0
    for x, y in rng.uniform(-0.8, 0.8, (60, 2)).tolist():
        cast(x, y)
        then = kept().hit
        other.location.x += 1.0
        if then is not None and then.object != "Other":
            hits += 1
            assert kept().now is not None
            assert kept().hit_now == then
    assert hits > 20


def test_all_hits_of_the_stack_follow(raypick, kept):
    lower, upper = square("Lower"), square("Upper", z=1.0)
    cast(0.25, 0.5, all_hits=True)
    lower.location.z, upper.location.x = -3.0, 7.0
    record = kept()
    assert [hit.object for hit in record.hits_now] == ["Upper", "Lower"]
    assert [hit.point for hit in record.hits_now] == [(7.25, 0.5, 1.0), (0.25, 0.5, -3.0)]


def test_an_instance_is_followed_and_not_its_sibling(raypick, kept):
    source = square("Tile")
    carrier = mesh_object("Carrier", [(5, 0, 0), (10, 0, 0)], [])
    instance_on_points(carrier, source)
    cast(10.25, 0.5)
    assert kept().hit.instance is not None
    carrier.location.z = 3.0
    assert kept().hit_now.point == pytest.approx((10.25, 0.5, 3.0))
    carrier.data.vertices[1].co.y = 6.0
    carrier.data.update()
    assert kept().hit_now.point == pytest.approx((10.25, 6.5, 3.0))


def test_history_and_exports_keep_what_was_picked(raypick, kept):
    obj, _ = with_shape_key()
    animate(obj)
    bpy.context.scene.frame_set(3)
    cast(1.25, 0.5)
    then = kept().as_dict()
    assert then["frame"] == 3.0
    bpy.context.scene.frame_set(8)
    assert kept().hit_now.point != kept().hit.point
    assert kept().as_dict() == then
    history_file = import_module(f"{raypick.__name__}.model.record")
    text = history_file.csv_bytes([kept()]).decode()
    assert f",{then['hits'][0]['point'][0]}," in text
    assert raypick.session.history.records()[0].hit.point == tuple(then["hits"][0]["point"])
    assert type(kept()).from_dict(then).frame == 3.0


def test_a_record_of_an_older_version_has_no_frame(raypick, kept):
    square()
    cast(0.25, 0.5)
    values = kept().as_dict()
    new = ("pixels_away", "mesh_size", "is_base_mesh")
    del values["frame"]
    for name in new:
        del values["hits"][0][name]
    record = type(kept()).from_dict(values)
    assert record.frame is None
    assert record.hit.point == (0.25, 0.5, 0.0)


@pytest.mark.parametrize("action", ["cursor_to_hit", "add_empty"])
def test_actions_use_where_it_is_now(raypick, kept, action):
    obj = square()
    cast(0.25, 0.5)
    obj.location = (4.0, 5.0, 6.0)
    assert getattr(bpy.ops.raypick, action)() == {"FINISHED"}
    at = bpy.context.object.location if action == "add_empty" else bpy.context.scene.cursor.location
    assert tuple(at) == pytest.approx((4.25, 5.5, 6.0))


def test_panels_show_where_it_is_now(raypick, kept):
    obj = square()
    cast(0.25, 0.5)
    obj.location.x = 4.0
    kept()
    panels = [import_module(f"{raypick.__name__}.ui.pick_panel").RAYPICK_PT_main]
    assert "4.2500" in drawn(panels, bpy.context).labels


def subdivide(obj):
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")


def hide_the_face(obj):
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.hide()


def flatten(obj):
    for vertex in obj.data.vertices:
        vertex.co.y = 0.0
    obj.data.update()


def hide_collection(obj):
    bpy.context.view_layer.layer_collection.exclude = True


STALE = {
    "removed": (lambda obj: bpy.data.objects.remove(obj), "was deleted"),
    "hidden": (lambda obj: obj.hide_set(True), "not visible"),
    "disabled": (lambda obj: setattr(obj, "hide_viewport", True), "not visible"),
    "unlinked": (lambda obj: bpy.context.scene.collection.objects.unlink(obj), "not visible"),
    "a modifier": (lambda obj: obj.modifiers.new("S", "SUBSURF"), "topology"),
    "subdivided": (subdivide, "topology"),
    "another mesh": (lambda obj: setattr(obj, "data", bpy.data.meshes.new("Empty")), "topology"),
    "a hidden face": (hide_the_face, "face is hidden"),
    "without area": (flatten, "no area"),
}


@pytest.mark.parametrize("change", STALE)
def test_it_says_why_it_cannot_follow(raypick, following, kept, change):
    obj = square()
    cast(0.25, 0.5)
    make_stale, reason = STALE[change]
    make_stale(obj)
    record = kept()
    assert reason in following.stale(record, bpy.context)
    assert record.hits_now == record.hits
    panels = [import_module(f"{raypick.__name__}.ui.pick_panel").RAYPICK_PT_main]
    labels = drawn(panels, bpy.context).labels
    assert any(reason in label for label in labels)
    for action in ("cursor_to_hit", "add_empty", "select_object", "frame_hit"):
        assert not getattr(bpy.ops.raypick, action).poll()
    with pytest.raises(RuntimeError, match=reason):
        bpy.ops.raypick.cursor_to_hit()


def test_it_is_known_again_when_the_change_is_taken_back(raypick, following, kept):
    obj = square()
    cast(0.25, 0.5)
    obj.hide_set(True)
    assert "not visible" in following.stale(kept(), bpy.context)
    obj.hide_set(False)
    assert following.stale(kept(), bpy.context) is None
    obj.modifiers.new("Subdivision", "SUBSURF")
    assert "topology" in following.stale(kept(), bpy.context)
    obj.modifiers.clear()
    assert following.stale(kept(), bpy.context) is None


def test_faces_in_another_order_are_another_topology(raypick, following, kept):
    vertices = [(x, y, 0) for y in range(3) for x in range(3)]
    faces = [(0, 1, 4, 3), (1, 2, 5, 4), (3, 4, 7, 6), (4, 5, 8, 7)]
    obj = mesh_object("Grid", vertices, faces)
    cast(0.25, 0.5)
    obj.data.clear_geometry()
    obj.data.from_pydata(vertices, [], faces[::-1])
    assert "topology" in following.stale(kept(), bpy.context)


def test_with_flipped_normals_it_is_the_same_place_from_the_other_side(raypick, kept):
    obj = square()
    cast(0.7, 0.2)
    then = kept().hit
    obj.data.flip_normals()
    record = kept()
    assert record.stale is None
    assert record.hit_now.point == pytest.approx(then.point, abs=1e-9)
    assert record.hit_now.front != then.front
    assert record.hit_now.side_normal == pytest.approx(then.side_normal, abs=1e-9)


def test_a_quad_that_folds_over_is_split_otherwise(raypick, following, kept):
    obj = mesh_object("Kite", [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], [(0, 1, 2, 3)])
    cast(1.75, 0.25)
    obj.data.vertices[1].co = (0.5, 1.0, 0.0)
    obj.data.update()
    assert "split" in following.stale(kept(), bpy.context)


def test_of_a_removed_instancer_the_instance_is_not_visible(raypick, following, kept):
    empty = collection_instance(square(), (5, 0, 0))
    cast(5.25, 0.5)
    bpy.data.objects.remove(empty)
    assert "instance" in following.stale(kept(), bpy.context)


def test_another_scene_has_not_the_pick(raypick, following, kept):
    square()
    cast(0.25, 0.5)
    other = bpy.data.scenes.new("Other")
    context = SimpleNamespace(scene=other)
    assert "another scene" in following.stale(kept(), context)


def test_a_renamed_scene_is_still_the_scene_of_the_pick(raypick, following, kept):
    square()
    cast(0.25, 0.5)
    bpy.context.scene.name = "Shot"
    assert following.stale(kept(), bpy.context) is None
    assert bpy.ops.raypick.cursor_to_hit.poll()


def test_of_several_hits_each_says_whether_it_is_known(raypick, following, kept):
    lower, upper = square("Lower"), square("Upper", z=1.0)
    cast(0.25, 0.5, all_hits=True)
    lower.hide_set(True)
    upper.location.z = 2.0
    record = kept()
    assert [bool(record.stale_at(rank)) for rank in (0, 1)] == [False, True]
    panels = [import_module(f"{raypick.__name__}.ui.pick_panel").RAYPICK_PT_stack]
    labels = [button.label for button in drawn(panels, bpy.context).buttons]
    upper_row, lower_row = (labels.index(name) for name in ("Upper", "Lower"))
    assert labels[upper_row + 2] == f"{record.hits_now[0].distance:.4f} m"
    assert labels[lower_row + 2] == "–"
    bpy.ops.raypick.copy_report()
    values = json.loads(bpy.context.window_manager.clipboard or "[]")
    if values:  # there is no clipboard without a window, before Blender 5
        assert ["stale" in hit for hit in values] == [False, True]


def test_an_objects_own_mesh_in_edit_mode_is_looked_up_once_an_edit(raypick, following, kept):
    """To have the edits written into it evaluates it again, which is no change."""
    obj = square()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.raypick.cast(origin=(0.25, 0.5, 9), mesh="ORIGINAL") == {"FINISHED"}
    pending = import_module(f"{raypick.__name__}.bridge.scene.changes").pending
    kept()
    before = pending.number
    for _ in range(5):
        kept()
        bpy.context.view_layer.update()
    assert pending.number == before
    edited = bmesh.from_edit_mesh(obj.data)
    for vertex in edited.verts:
        vertex.co.z = 1.5
    bmesh.update_edit_mesh(obj.data)
    assert kept().hit_now.point == (0.25, 0.5, 1.5)


def test_a_renamed_object_is_still_the_picked_one(raypick, following, kept):
    obj, other = square("A"), square("B", z=-1.0)
    cast(0.25, 0.5)
    obj.name, other.name = "C", "A"
    record = kept()
    assert following.stale(record, bpy.context) is None
    assert record.hit_now.object == "C"
    assert record.hit.object == "A"
    assert bpy.ops.raypick.select_object() == {"FINISHED"}
    assert bpy.context.selected_objects == [obj]


def test_another_object_of_the_name_is_not_the_picked_one(raypick, following, kept):
    obj = square("A")
    cast(0.25, 0.5)
    bpy.data.objects.remove(obj)
    square("A")
    assert "was deleted" in following.stale(kept(), bpy.context)


def test_of_a_renamed_instancer_the_instance_is_still_picked(raypick, following, kept):
    empty = collection_instance(square(), (5, 0, 0))
    cast(5.25, 0.5)
    empty.name = "Renamed"
    empty.location.z = 2.0
    record = kept()
    assert record.hit_now.instancer == "Renamed"
    assert record.hit_now.point == pytest.approx((5.25, 0.5, 2.0))


def test_a_pick_follows_through_undo_and_redo(raypick, following, kept):
    bpy.context.preferences.edit.use_global_undo = True
    obj = square()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.ed.undo_push(message="Start")
    cast(0.25, 0.5)
    obj.location.z = 3.0
    bpy.ops.ed.undo_push(message="Move")
    assert kept().hit_now.point == pytest.approx((0.25, 0.5, 3.0))
    bpy.ops.ed.undo()
    assert kept().hit_now.point == pytest.approx((0.25, 0.5, 0.0))
    bpy.ops.ed.redo()
    assert kept().hit_now.point == pytest.approx((0.25, 0.5, 3.0))
    bpy.data.objects.remove(bpy.data.objects["Square"])
    bpy.ops.ed.undo_push(message="Remove")
    assert following.stale(kept(), bpy.context)
    bpy.ops.ed.undo()
    assert kept().hit_now.point == pytest.approx((0.25, 0.5, 3.0))


def test_a_file_that_is_loaded_again_has_the_objects_of_its_history(raypick, following, tmp_path):
    path = str(tmp_path / "scan.blend")
    obj = square()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    cast(0.25, 0.5)
    obj.location.z = 2.0
    bpy.ops.wm.save_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.ops.raypick.show_record(number=0) == {"FINISHED"}
    following.update(bpy.context)
    assert raypick.session.current.kept().hit_now.point == pytest.approx((0.25, 0.5, 2.0))


def test_where_it_is_is_looked_up_once_a_change(raypick, following, kept, monkeypatch):
    obj = square()
    cast(0.25, 0.5)
    asked = []
    follow = following.queries.follow
    monkeypatch.setattr(
        following.queries, "follow", lambda *given: asked.append(given) or follow(*given)
    )
    obj.location.z = 1.0
    for _ in range(5):
        kept()
    assert len(asked) == 1


def test_following_changes_nothing_in_the_file(raypick, kept, tmp_path):
    _, key = with_shape_key()
    cast(0.25, 0.5)
    before = set(bpy.data.user_map())
    key.value = 0.5
    kept()
    assert set(bpy.data.user_map()) == before


def test_a_pick_in_a_handler_of_a_frame_change_leaves_nothing_stale(raypick):
    """What a later handler changes, Blender evaluates without telling anybody."""
    _, key = with_shape_key(z=1.0)

    def pick(*_):
        raypick.api.ray_cast(bpy.context, (0.75, 0.5, 5), (0, 0, -1))

    def lift(scene, *_):
        key.value = scene.frame_current / 20

    handlers = bpy.app.handlers.frame_change_post
    handlers.insert(0, pick)
    pick()
    handlers.insert(len(handlers) - 1, lift)
    try:
        for frame in (1, 5, 9):
            bpy.context.scene.frame_set(frame)
            (hit,) = raypick.api.ray_cast(bpy.context, (0.75, 0.5, 5), (0, 0, -1))
            assert hit.point[2] == pytest.approx(0.75 * frame / 20, abs=1e-6)
    finally:
        handlers.remove(pick)
        handlers.remove(lift)
