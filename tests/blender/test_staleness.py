# SPDX-License-Identifier: GPL-3.0-or-later
"""After every change, the next pick sees it."""

from importlib import import_module

import addon_utils
import bmesh
import bpy
import numpy as np
import pytest

from .actions.common import window
from .conftest import PACKAGE
from .scenes import collection_instance, down, instance_on_points, mesh_object, square


def height(raypick, x=0.25, y=0.5):
    """Height of what is at (x, y), or None."""
    hits = down(raypick, x, y)
    return hits[0].point[2] if hits else None


def test_a_moved_object(raypick):
    obj = square()
    assert height(raypick) == 0.0
    obj.location.z = 2.0
    assert height(raypick) == 2.0


def test_a_parent_that_moves(raypick):
    obj = square()
    obj.parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(obj.parent)
    assert height(raypick) == 0.0
    obj.parent.location.z = 2.0
    assert height(raypick) == 2.0


def test_moved_vertices_of_the_same_number(raypick):
    obj = square()
    assert height(raypick) == 0.0
    obj.data.vertices.foreach_set("co", [0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1])
    obj.data.update()
    assert height(raypick) == 1.0


def test_a_modifier_added_changed_and_applied(raypick):
    obj = square()
    assert height(raypick) == 0.0
    solidify = obj.modifiers.new("Solidify", "SOLIDIFY")
    solidify.offset = 1.0
    solidify.thickness = 0.5
    assert height(raypick) == pytest.approx(0.5)
    solidify.thickness = 0.75
    assert height(raypick) == pytest.approx(0.75)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.modifier_apply(modifier="Solidify")
    assert height(raypick) == pytest.approx(0.75)
    assert down(raypick, 0.25, 0.5)[0].original_face is not None


def test_objects_added_duplicated_joined_and_deleted(raypick):
    low = square("Low")
    high = square("High", z=1.0)
    assert down(raypick, 0.25, 0.5)[0].object == "High"
    copy = high.copy()
    copy.location.z = 1.0
    bpy.context.scene.collection.objects.link(copy)
    assert height(raypick) == 2.0
    bpy.data.objects.remove(copy)
    assert height(raypick) == 1.0
    low.select_set(True)
    high.select_set(True)
    bpy.context.view_layer.objects.active = low
    bpy.ops.object.join()
    assert down(raypick, 0.25, 0.5)[0].object == "Low"
    bpy.data.objects.remove(low)
    assert height(raypick) is None


def test_hidden_and_shown_again(raypick):
    obj = square()
    for hidden in (False, True, False):
        obj.hide_set(hidden)
        assert (height(raypick) is None) is hidden


def test_another_mesh_behind_the_same_object(raypick):
    obj = square()
    other = square("Other", z=1.0)
    other.location.x = 100.0
    assert height(raypick) == 0.0
    obj.data = other.data
    assert height(raypick) == 1.0


def test_the_source_of_instances_moves_and_changes(raypick):
    source = square("Tile")
    collection_instance(source, (5, 0, 0))
    assert height(raypick, 5.25) == 0.0
    source.location.z = 1.0
    assert height(raypick, 5.25) == 1.0
    source.data.vertices.foreach_set("co", [0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1])
    source.data.update()
    assert height(raypick, 5.25) == 2.0


def test_geometry_nodes_that_change(raypick):
    points = mesh_object("Points", [(0, 0, 0)], [])
    instance_on_points(points)
    assert height(raypick, 0.1, 0.2) == 0.5
    cube = points.modifiers[0].node_group.nodes["Cube"]
    cube.inputs["Size"].default_value = (1, 1, 4)
    assert height(raypick, 0.1, 0.2) == 2.0


def test_keyframes_move_objects_and_shapes(raypick):
    obj = square()
    obj.keyframe_insert("location", frame=1)
    obj.location.z = 4.0
    obj.keyframe_insert("location", frame=5)
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Up")
    for point in key.data:
        point.co.z = 5.0
    key.value = 0.0
    key.keyframe_insert("value", frame=1)
    key.value = 1.0
    key.keyframe_insert("value", frame=5)
    for frame, expected in ((1, 0.0), (5, 9.0), (1, 0.0), (3, 4.5)):
        bpy.context.scene.frame_set(frame)
        assert height(raypick) == pytest.approx(expected, abs=1e-5)


def test_edit_mode_shows_live_edits(raypick):
    obj = square()
    bpy.context.view_layer.objects.active = obj
    assert height(raypick) == 0.0
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data)
    for vertex in edited.verts:
        vertex.co.z = 3.0
    bmesh.update_edit_mesh(obj.data)
    assert height(raypick) == 3.0
    bpy.ops.object.mode_set(mode="OBJECT")
    assert height(raypick) == 3.0


def test_picks_in_edit_mode_failed_where_there_was_a_uv_map(raypick):
    bpy.ops.mesh.primitive_plane_add(enter_editmode=True)
    hit = down(raypick, 0.25, 0.5)[0]
    assert hit.uv == pytest.approx((0.625, 0.75))


def test_every_pick_failed_where_blender_had_inverted_a_flat_matrix(raypick):
    tile = square("Tile")
    tile.rotation_euler, tile.location = (2.8, 0.0, 2.8), (0.0, 2.5, -1.9)
    empty = collection_instance(tile, (2.5, -2.4, 0.8))
    empty.rotation_euler, empty.scale = (2.6, -0.5, 2.5), (1.3, -1.2, 0.0)
    instance_on_points(square("Carrier"), empty)
    square("Floor")
    assert height(raypick) == 0.0


@pytest.mark.parametrize("where", ["unlinked", "in a collection", "seen from another scene"])
def test_a_pick_crashed_after_what_nodes_show_was_removed(raypick, where):
    source, carrier = square("Source"), square("Carrier")
    instance_on_points(carrier, source)
    scene = bpy.context.scene
    scene.collection.objects.unlink(source)
    if where == "in a collection":
        collection_instance(carrier, (0, 0, 0))
    assert height(raypick) == 0.0
    if where == "seen from another scene":
        window().scene = bpy.data.scenes.new("Other")
        assert height(raypick) is None
    bpy.data.objects.remove(source)
    # They take the memory that became free.
    for _ in range(200):
        bpy.data.objects.new("New", None)
    window().scene = scene
    assert height(raypick) is None


def test_what_nodes_made_of_hidden_faces_was_hit_in_edit_mode(raypick):
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    instance_on_points(plane)
    group = plane.modifiers[0].node_group
    realize, leave = group.nodes.new("GeometryNodeRealizeInstances"), group.nodes["Group Output"]
    group.links.new(leave.inputs[0].links[0].from_socket, realize.inputs[0])
    group.links.new(realize.outputs[0], leave.inputs[0])
    plane.data.polygons[0].hide = True
    assert down(raypick, 1.0, 1.0)
    bpy.ops.object.mode_set(mode="EDIT")
    assert not down(raypick, 1.0, 1.0)


def test_another_place_was_hit_where_rounding_had_left_a_matrix_all_but_flat(raypick):
    obj = mesh_object("Triangle", [(0, 0, 0), (1, 0, 5), (0, 1, -3)], [(0, 1, 2)])
    obj.parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(obj.parent)
    obj.matrix_parent_inverse = (
        (2.3223819e-01, 0.0, 1.9215527e-01, -1.9928333),
        (-9.9087477e-02, -5.6383431e-01, 9.8701231e-02, 3.6785550),
        (-2.0601912e-05, -1.1723040e-04, 2.0521604e-05, 3.2247581),
        (0.0, 0.0, 0.0, 1.0),
    )
    bpy.context.view_layer.update()
    weights = np.array([0.2, 0.3, 0.5])
    corners = np.array([vertex.co for vertex in obj.data.vertices])
    matrix = np.array(obj.matrix_world, dtype=np.float64)
    target = matrix[:3, :3] @ (weights @ corners) + matrix[:3, 3]
    way = np.array([1.0, 2.0, -3.0])
    hit = raypick.api.ray_cast(bpy.context, target - 3 * way, way)[0]
    assert hit.barycentric == pytest.approx(weights, abs=1e-9)


def test_undo_and_redo(raypick):
    bpy.context.preferences.edit.use_global_undo = True
    obj = square()
    bpy.ops.ed.undo_push(message="made")
    obj.data.vertices.foreach_set("co", [0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1])
    obj.data.update()
    bpy.ops.ed.undo_push(message="raised")
    assert height(raypick) == 1.0
    bpy.ops.ed.undo()
    assert height(raypick) == 0.0
    bpy.ops.ed.redo()
    assert height(raypick) == 1.0


def test_another_scene_and_view_layer(raypick):
    obj = square()
    first = bpy.context.scene
    assert height(raypick) == 0.0
    second = bpy.data.scenes.new("Second")
    window().scene = second
    assert height(raypick) is None
    second.collection.objects.link(obj)
    obj.location.z = 1.0
    assert height(raypick) == 1.0
    window().scene = first
    assert height(raypick) == 1.0
    empty = first.view_layers.new("Empty")
    for child in empty.layer_collection.children:
        child.exclude = True
    obj.hide_set(True, view_layer=empty)
    window().view_layer = empty
    assert height(raypick) is None


def test_a_file_that_is_loaded(raypick, tmp_path):
    obj = square()
    obj.location.z = 1.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    obj.location.z = 2.0
    assert height(raypick) == 2.0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert height(raypick) == 1.0


@pytest.fixture
def reads(raypick, monkeypatch):
    """The meshes whose faces are read from Blender, by name."""
    geometry = import_module(f"{raypick.__name__}.bridge.mesh.arrays")
    names = []
    original = geometry.faces
    monkeypatch.setattr(geometry, "faces", lambda mesh: names.append(mesh.name) or original(mesh))
    return names


def test_what_is_unchanged_is_not_read_again(raypick, reads):
    obj = square()
    for x in (0.1, 0.2, 0.3):
        height(raypick, x)
    obj.location.z = 2.0
    assert height(raypick) == 2.0
    obj.select_set(True)
    assert height(raypick) == 2.0
    assert reads == ["Square"]


def test_of_a_thousand_objects_only_the_one_that_changes_is_read_again(raypick, reads):
    objects = [square(f"At {z}", -z) for z in range(1000)]
    assert len(down(raypick, 0.25, 0.5, all_hits=True)) == 1000
    assert len(reads) == 1000
    reads.clear()
    objects[500].data.vertices[0].co.z = -499.5
    objects[500].data.update()
    objects[7].location.z = 3.0
    assert len(down(raypick, 0.25, 0.5, all_hits=True)) == 1000
    assert reads == ["At 500"]


def test_only_what_a_ray_can_meet_is_read(raypick, reads):
    square("Near")
    square("Behind", z=-1.0)
    aside = square("Aside")
    aside.location.x = 5.0
    assert down(raypick, 0.25, 0.5)[0].object == "Near"
    assert reads == ["Near"]


def test_enabling_and_loading_read_nothing(raypick, reads, tmp_path):
    square()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    addon_utils.disable(PACKAGE)
    addon_utils.enable(PACKAGE)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.context.view_layer.update()
    assert reads == []


def test_a_pick_in_a_handler_that_stands_before_ours_was_stale(raypick):
    obj = square()
    seen = []

    def pick(*_):
        seen.append((obj.matrix_world.translation.z, height(raypick)))

    bpy.app.handlers.depsgraph_update_post.insert(0, pick)
    try:
        # Enabled again, ours stands first.
        addon_utils.disable(PACKAGE)
        addon_utils.enable(PACKAGE)
        assert height(raypick) == 0.0
        obj.location.z = 2.0
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(pick)
    assert seen[-1] == (2.0, 2.0)


@pytest.mark.parametrize("name", ["depsgraph_update_post", "frame_change_post", "load_post"])
def test_picks_were_stale_after_a_script_had_cleared_the_handlers(raypick, name):
    obj = square()
    assert height(raypick) == 0.0
    getattr(bpy.app.handlers, name).clear()
    obj.location.z = 2.0
    assert height(raypick) == 2.0
    obj.location.z = 3.0
    assert height(raypick) == 3.0
    addon_utils.disable(PACKAGE)
    addon_utils.enable(PACKAGE)


@pytest.mark.parametrize("name", ["depsgraph_update_post", "frame_change_post"])
def test_a_pick_in_a_handler_that_was_put_before_ours_was_stale(raypick, name):
    obj = square()
    obj.keyframe_insert("location", frame=1)
    obj.location.z = 4.0
    obj.keyframe_insert("location", frame=5)
    bpy.context.scene.frame_set(1)
    assert height(raypick) == 0.0
    seen = []

    def pick(*_):
        if len(seen) < 10:
            seen.append((obj.matrix_world.translation.z, height(raypick)))

    handlers = getattr(bpy.app.handlers, name)
    handlers.insert(0, pick)
    try:
        for frame in (5, 1, 5):
            bpy.context.scene.frame_set(frame)
            obj.data.update()
            bpy.context.view_layer.update()
    finally:
        handlers.remove(pick)
    assert seen
    assert all(told == pytest.approx(true) for true, told in seen)


def test_threads_end_and_memory_is_given_back_as_soon_as_they_are_in_vain(raypick):
    snapshot = import_module(f"{PACKAGE}.bridge.scene.snapshot")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=300, y_subdivisions=300)
    obj = bpy.context.object
    for _ in range(2):
        assert down(raypick, 0.123, 0.234)
    thread = snapshot._meshes()[0].polygons._thread
    obj.data.update()
    bpy.context.view_layer.update()
    assert thread._cancelled
    assert raypick.api.indexing() is None
    assert snapshot.memory().bytes > 0
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert snapshot.memory().bytes == 0


def test_the_timer_of_the_progress_ran_for_ever_after_a_change(raypick):
    """With an n-gon the index waits for the main thread, which must not touch what is stale."""
    progress = import_module(f"{PACKAGE}.session.redraw")
    snapshot = import_module(f"{PACKAGE}.bridge.scene.snapshot")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=200, y_subdivisions=200)
    obj = bpy.context.object
    ring = [(3 + np.cos(a), np.sin(a), 0) for a in range(6)]
    other = mesh_object("Ring", ring, [tuple(range(6))])
    obj.select_set(True)
    other.select_set(True)
    bpy.ops.object.join()
    for _ in range(2):
        assert down(raypick, 0.123, 0.234)
    polygons = snapshot._meshes()[0].polygons
    polygons._thread.wait(60)
    assert polygons.progress is not None
    obj.location.z = 1.0
    bpy.context.view_layer.update()
    assert progress._tick() is None
    assert height(raypick, 0.123, 0.234) == 1.0
    assert raypick.api.indexing() is not None
    polygons._thread.wait(60)
    assert polygons.built
    assert raypick.api.indexing() is None


def test_a_pick_read_freed_memory_where_tool_settings_had_been_read_before_a_load(raypick):
    _ = bpy.context.tool_settings
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    square()
    assert height(raypick) == 0.0
    owner = bpy.context.evaluated_depsgraph_get().id_data
    assert owner in (None, bpy.context.scene)
