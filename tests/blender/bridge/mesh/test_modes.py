# SPDX-License-Identifier: GPL-3.0-or-later
"""In every mode a pick meets the mesh and the faces that a viewport draws, or a render."""

from importlib import import_module
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Vector

from ...conftest import PACKAGE
from ...rendering import rendered
from ...scenes import down, instance_on_points, link, mesh_object

MODES = ["OBJECT", "EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"]
HIDING = MODES[1:]


@pytest.fixture
def bridge(raypick):
    """Return the functions under test, as installed."""
    return SimpleNamespace(
        displayed_mesh=import_module(f"{PACKAGE}.bridge.mesh.scene_mesh").displayed_mesh,
        Source=import_module(f"{PACKAGE}.bridge.mesh.scene_mesh").Source,
        MeshCache=import_module(f"{PACKAGE}.bridge.mesh.cache").MeshCache,
        listing=import_module(f"{PACKAGE}.bridge.scene.instances").listing,
        Scene=import_module(f"{PACKAGE}.standalone_core").Scene,
        hidden_faces=import_module(f"{PACKAGE}.bridge.mesh.arrays").hidden_faces,
        flush_sculpting=import_module(f"{PACKAGE}.bridge.scene.changes").flush_sculpting,
    )


def strip(faces=3, z=0.0):
    """Squares of size 1 in a row along x, the active object."""
    vertices = [(x, y, z) for x in range(faces + 1) for y in (0, 1)]
    quads = [(2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1) for i in range(faces)]
    return activate(mesh_object("Strip", vertices, quads))


def activate(obj):
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj


def enter(mode):
    bpy.ops.object.mode_set(mode=mode)


def heights_of(bridge, obj, depsgraph=None):
    """The z of each vertex of the mesh that is shown in a depsgraph, by default a viewport's."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    with bridge.displayed_mesh(evaluated, depsgraph) as mesh:
        return [vertex.co.z for vertex in mesh.vertices]


def hidden_of(bridge, obj, depsgraph=None):
    """The faces that are not shown, as a list, or None."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    with bridge.displayed_mesh(evaluated, depsgraph) as mesh:
        hidden = bridge.hidden_faces(evaluated, mesh, depsgraph)
        count = len(mesh.polygons)
    if hidden is None:
        return None
    assert hidden.dtype == bool
    assert hidden.shape == (count,)
    return np.flatnonzero(hidden).tolist()


def height(raypick, x=0.5, y=0.4):
    hits = down(raypick, x, y)
    return hits[0].point[2] if hits else None


def lift(obj, z):
    """Move the vertices of an object in edit mode, as an operator or another add-on does."""
    mesh = bmesh.from_edit_mesh(obj.data)
    for vertex in mesh.verts:
        vertex.co.z = z
    bmesh.update_edit_mesh(obj.data)


# Hidden faces


@pytest.mark.parametrize("mode", MODES)
def test_hidden_faces_are_drawn_in_object_mode_alone(bridge, mode):
    obj = strip()
    obj.data.polygons[1].hide = True
    enter(mode)
    assert hidden_of(bridge, obj) == ([1] if mode in HIDING else None)
    assert rendered(lambda depsgraph: hidden_of(bridge, obj, depsgraph)) is None


@pytest.mark.parametrize("mode", MODES)
def test_where_nothing_is_hidden_all_is_shown(bridge, mode):
    obj = strip()
    enter(mode)
    assert hidden_of(bridge, obj) is None


@pytest.mark.parametrize("mask", ["use_paint_mask", "use_paint_mask_vertex"])
@pytest.mark.parametrize("mode", ["VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"])
def test_paint_masks_hide_and_show_nothing(bridge, mode, mask):
    obj = strip()
    obj.data.polygons[1].hide = True
    enter(mode)
    setattr(obj.data, mask, True)
    assert hidden_of(bridge, obj) == [1]


@pytest.mark.parametrize("mode", HIDING)
def test_a_render_meets_hidden_faces(bridge, mode):
    def height_in(depsgraph):
        (row,) = bridge.listing(depsgraph, bridge.MeshCache(), True).meshes
        scene = bridge.Scene()
        scene.add(row.mesh, row.matrix)
        hit = scene.ray_cast((1.5, 0.4, 5.0), (0.0, 0.0, -1.0))
        return hit and hit.point[2]

    obj = strip()
    obj.data.polygons[1].hide = True
    enter(mode)
    assert height_in(bpy.context.evaluated_depsgraph_get()) is None
    assert rendered(height_in) == 0.0


@pytest.mark.parametrize("mode", HIDING)
def test_a_pick_passes_through_hidden_faces(raypick, mode):
    obj = strip()
    obj.data.polygons[1].hide = True
    below = mesh_object("Below", [(0, 0, -1), (3, 0, -1), (3, 1, -1), (0, 1, -1)], [(0, 1, 2, 3)])
    assert height(raypick, 1.5) == 0.0
    enter(mode)
    assert height(raypick, 0.5) == 0.0
    (hit,) = down(raypick, 1.5, 0.4)
    assert (hit.object, hit.point[2]) == (below.name, -1.0)
    enter("OBJECT")
    assert height(raypick, 1.5) == 0.0


def test_faces_hidden_and_revealed_by_operators_in_edit_mode(raypick):
    obj = strip()
    bpy.context.scene.tool_settings.mesh_select_mode = (False, False, True)
    enter("EDIT")
    mesh = bmesh.from_edit_mesh(obj.data)
    for face in mesh.faces:
        face.select_set(face.index == 1)
    bpy.ops.mesh.hide(unselected=False)
    assert height(raypick, 1.5) is None
    assert height(raypick, 0.5) == 0.0
    bpy.ops.mesh.reveal()
    assert height(raypick, 1.5) == 0.0


def test_modifiers_hide_what_they_make_of_hidden_faces(bridge):
    obj = strip()
    obj.data.polygons[1].hide = True
    modifier = obj.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = 1
    modifier.subdivision_type = "SIMPLE"
    enter("EDIT")
    assert hidden_of(bridge, obj) == [4, 5, 6, 7]
    modifier.show_in_editmode = False
    assert hidden_of(bridge, obj) == [1]


def test_an_object_in_object_mode_shows_what_another_with_its_mesh_hides(raypick, bridge):
    obj = strip()
    twin = link(bpy.data.objects.new("Twin", obj.data))
    twin.location.z = -2.0
    obj.data.polygons[1].hide = True
    enter("WEIGHT_PAINT")
    assert hidden_of(bridge, obj) == [1]
    assert hidden_of(bridge, twin) is None
    assert height(raypick, 0.5) == 0.0
    assert height(raypick, 1.5) == -2.0


# Edit mode


def test_live_edits_in_edit_mode(raypick):
    obj = strip()
    enter("EDIT")
    assert height(raypick) == 0.0
    lift(obj, 2.0)
    assert height(raypick) == 2.0
    mesh = bmesh.from_edit_mesh(obj.data)
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.faces[0]], context="FACES")
    bmesh.update_edit_mesh(obj.data)
    assert height(raypick) is None
    assert height(raypick, 1.5) == 2.0


def test_operators_in_edit_mode(raypick):
    strip()
    enter("EDIT")
    assert height(raypick) == 0.0
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 3))
    assert height(raypick) == 3.0


def test_several_objects_in_edit_mode(raypick):
    one = strip()
    other = link(bpy.data.objects.new("Other", one.data.copy()))
    other.location.y = 5.0
    other.select_set(True)
    enter("EDIT")
    assert {one.mode, other.mode} == {"EDIT"}
    lift(one, 1.0)
    lift(other, 2.0)
    assert height(raypick) == 1.0
    assert height(raypick, y=5.4) == 2.0


def test_an_object_that_shares_the_mesh_in_edit_mode_shows_the_edit(raypick):
    obj = strip()
    twin = link(bpy.data.objects.new("Twin", obj.data))
    twin.location.y = 5.0
    enter("EDIT")
    lift(obj, 2.0)
    assert twin.mode == "OBJECT"
    assert height(raypick, y=5.4) == 2.0


@pytest.mark.parametrize("on_cage", [False, True])
def test_edit_mode_shows_the_modifiers_result_and_not_the_cage(raypick, on_cage):
    obj = strip()
    modifier = obj.modifiers.new("Displace", "DISPLACE")
    modifier.direction, modifier.mid_level = "Z", 0.0
    modifier.show_in_editmode, modifier.show_on_cage = True, on_cage
    enter("EDIT")
    assert height(raypick) == 1.0
    modifier.show_in_editmode = False
    assert height(raypick) == 0.0


# Sculpt mode


def sculpt(obj, z):
    """Do as a brush does: move the original mesh, and have nothing evaluated."""
    positions = np.zeros((len(obj.data.vertices), 3), dtype=np.float32)
    position = obj.data.attributes["position"].data
    position.foreach_get("vector", positions.ravel())
    positions[:, 2] = z
    position.foreach_set("vector", positions.ravel())


def test_a_brush_is_followed_without_an_evaluation(bridge):
    obj = strip()
    enter("SCULPT")
    assert set(heights_of(bridge, obj)) == {0.0}
    sculpt(obj, 2.0)
    assert set(heights_of(bridge, obj)) == {2.0}


def test_a_modifier_in_sculpt_mode_is_shown(bridge):
    obj = strip()
    modifier = obj.modifiers.new("Displace", "DISPLACE")
    modifier.direction, modifier.mid_level = "Z", 0.0
    enter("SCULPT")
    assert set(heights_of(bridge, obj)) == {1.0}
    modifier.show_viewport = False
    assert set(heights_of(bridge, obj)) == {0.0}
    assert set(rendered(lambda depsgraph: heights_of(bridge, obj, depsgraph))) == {1.0}


def test_a_shape_key_in_sculpt_mode_is_shown(bridge):
    obj = keyed(2.0)
    obj.data.shape_keys.key_blocks["Key"].value = 0.5
    enter("SCULPT")
    obj.active_shape_key_index = 0
    obj.show_only_shape_key = False
    assert set(heights_of(bridge, obj)) == {1.0}


def test_the_base_mesh_stands_in_for_multiresolution_sculpting(bridge):
    obj = strip()
    obj.modifiers.new("Multires", "MULTIRES")
    for _ in range(2):
        bpy.ops.object.multires_subdivide(modifier="Multires", mode="SIMPLE")
    assert len(heights_of(bridge, obj)) == 65

    def stands_in(depsgraph):
        return bridge.Source(depsgraph, obj, 0).is_base_mesh(obj)

    assert not stands_in(bpy.context.evaluated_depsgraph_get())
    enter("SCULPT")
    assert len(heights_of(bridge, obj)) == 8
    assert stands_in(bpy.context.evaluated_depsgraph_get())
    assert rendered(lambda depsgraph: len(heights_of(bridge, obj, depsgraph))) == 65
    assert not rendered(stands_in)


def test_dynamic_topology(bridge):
    obj = strip()
    enter("SCULPT")
    bpy.ops.sculpt.dynamic_topology_toggle()
    bridge.flush_sculpting(bpy.context)
    assert obj.use_dynamic_topology_sculpting
    assert len(obj.data.polygons) == 6
    assert set(heights_of(bridge, obj)) == {0.0}


def test_instances_of_a_sculpted_object(raypick):
    obj = strip()
    carrier = mesh_object("Carrier", [(0, 5, 1)], [])
    instance_on_points(carrier, obj)
    enter("SCULPT")
    sculpt(obj, 2.0)
    obj.data.update()
    assert height(raypick) == 2.0
    assert height(raypick, y=5.4) == 3.0


# Other modes


def keyed(z):
    """A strip with a shape key that lifts it."""
    obj = strip()
    obj.shape_key_add(name="Basis")
    for point in obj.shape_key_add(name="Key").data:
        point.co.z = z
    return obj


def test_shape_keys(raypick):
    obj = keyed(2.0)
    key = obj.data.shape_keys.key_blocks["Key"]
    key.value = 0.25
    assert height(raypick) == 0.5
    obj.active_shape_key_index = 1
    obj.show_only_shape_key = True
    assert height(raypick) == 2.0
    obj.show_only_shape_key = False
    assert height(raypick) == 0.5
    enter("EDIT")
    assert height(raypick) == 2.0


def test_the_pose_is_followed(raypick):
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    obj = strip()
    obj.vertex_groups.new(name="Bone").add(range(8), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = armature
    activate(armature)
    enter("POSE")
    assert height(raypick) == 0.0
    armature.pose.bones[0].location.y = 2.0
    assert height(raypick) == pytest.approx(2.0)


def test_playback_is_followed(raypick):
    obj = keyed(2.0)
    key = obj.data.shape_keys.key_blocks["Key"]
    for frame, value in ((1, 0.0), (11, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    for frame, expected in ((1, 0.0), (6, 1.0), (11, 2.0), (6, 1.0)):
        bpy.context.scene.frame_set(frame)
        assert height(raypick) == pytest.approx(expected)


@pytest.mark.parametrize("mode", [*MODES, "PARTICLE_EDIT"])
def test_every_mode_is_picked_and_left_as_it_was(raypick, bridge, mode):
    """Reading changes nothing: no update, no data, no mode."""
    obj = strip(z=1.0)
    if mode == "PARTICLE_EDIT":
        bpy.ops.object.particle_system_add()
        obj.particle_systems[0].settings.type = "HAIR"
    enter(mode)
    bpy.context.view_layer.update()
    updates = []

    def follow(_scene, depsgraph):
        updates.extend(update.id.name for update in depsgraph.updates)

    bpy.app.handlers.depsgraph_update_post.append(follow)
    try:
        before = len(bpy.data.meshes), len(bpy.data.objects), bpy.context.mode
        assert height(raypick) == 1.0
        hidden_of(bridge, obj)
        bpy.context.view_layer.update()
        assert (len(bpy.data.meshes), len(bpy.data.objects), bpy.context.mode) == before
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(follow)
    assert updates == []


def test_03_edit_mode_shows_live_edits_and_skips_hidden_faces(raypick):
    obj = mesh_object(
        "Two",
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
        [(0, 1, 2, 3), (4, 5, 6, 7)],
    )
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert not obj.ray_cast(Vector((0.25, 0.5, 10)), Vector((0, 0, -1)))[0]  # Blender's own
    edited = bmesh.from_edit_mesh(obj.data)
    edited.verts.ensure_lookup_table()
    for vertex in edited.verts[4:]:
        vertex.co.z = 3.0
    bmesh.update_edit_mesh(obj.data)
    assert [hit.point[2] for hit in down(raypick, 0.25, 0.5, all_hits=True)] == [3.0, 0.0]
    edited.faces.ensure_lookup_table()
    edited.faces[1].hide_set(True)
    bmesh.update_edit_mesh(obj.data)
    (hit,) = down(raypick, 0.25, 0.5, all_hits=True)
    assert (hit.face, hit.triangle in (0, 1), hit.point[2]) == (0, True, 0.0)
    edited.faces[1].hide_set(False)
    edited.faces[0].hide_set(True)
    bmesh.update_edit_mesh(obj.data)
    (hit,) = down(raypick, 0.25, 0.5, all_hits=True)
    assert (hit.face, hit.triangle in (2, 3), hit.point[2]) == (1, True, 3.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(down(raypick, 0.25, 0.5, all_hits=True)) == 2
