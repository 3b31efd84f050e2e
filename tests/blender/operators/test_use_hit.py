# SPDX-License-Identifier: GPL-3.0-or-later
"""What the buttons do with a hit."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Vector

from ..scenes import collection_instance, mesh_object, square

TILTED = [(0, 0, 0), (4, 0, 0), (4, 2, 2), (0, 2, 2)]


@pytest.fixture(autouse=True)
def _object_mode():
    yield
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def cast(x, y, **options):
    assert bpy.ops.raypick.cast(origin=(x, y, 9), **options) == {"FINISHED"}


def edit(obj):
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")


def test_select_object(raypick):
    square("Other").select_set(True)
    obj = square("Square", z=1.0)
    cast(0.25, 0.5)
    assert bpy.ops.raypick.select_object() == {"FINISHED"}
    assert bpy.context.selected_objects == [obj]
    assert bpy.context.view_layer.objects.active == obj


def test_of_an_instance_its_instancer_is_selected(raypick):
    empty = collection_instance(square(), (5, 0, 0))
    cast(5.25, 0.5)
    bpy.ops.raypick.select_object()
    assert bpy.context.selected_objects == [empty]


def test_cursor_stands_on_the_face_with_z_along_its_normal(raypick):
    mesh_object("Tilted", TILTED, [(0, 1, 2, 3)])
    bpy.context.scene.cursor.rotation_mode = "QUATERNION"
    cast(1, 1)
    assert bpy.ops.raypick.cursor_to_hit() == {"FINISHED"}
    cursor = bpy.context.scene.cursor
    assert tuple(cursor.location) == pytest.approx((1, 1, 1), abs=1e-6)
    assert cursor.rotation_mode == "QUATERNION"
    up = cursor.matrix.to_3x3() @ Vector((0, 0, 1))
    assert tuple(up) == pytest.approx((0, -np.sqrt(0.5), np.sqrt(0.5)), abs=1e-6)


def test_from_behind_z_points_to_the_viewer(raypick):
    square()
    cast(0.25, 0.5)
    bpy.ops.raypick.cast(origin=(0.25, 0.5, -3), direction=(0, 0, 1))
    bpy.ops.raypick.cursor_to_hit()
    up = bpy.context.scene.cursor.matrix.to_3x3() @ Vector((0, 0, 1))
    assert tuple(up) == pytest.approx((0, 0, -1), abs=1e-6)


def test_an_empty_is_added_there(raypick):
    mesh_object("Tilted", TILTED, [(0, 1, 2, 3)])
    cast(1, 1)
    assert bpy.ops.raypick.add_empty() == {"FINISHED"}
    empty = bpy.context.object
    assert (empty.type, empty.name) == ("EMPTY", "Tilted 0")
    assert bpy.context.selected_objects == [empty]
    assert tuple(empty.matrix_world.translation) == pytest.approx((1, 1, 1), abs=1e-6)


@pytest.mark.parametrize(
    ("at", "vertex", "edge"),
    [((0.5, 0.25), 0, {0, 1}), ((3.9, 1.0), None, {1, 2}), ((3.5, 1.75), 2, None)],
)
def test_elements_of_the_edited_face_are_selected(raypick, at, vertex, edge):
    obj = mesh_object("Tilted", [*TILTED, (8, 0, 0), (8, 2, 2)], [(0, 1, 2, 3), (1, 4, 5, 2)])
    edit(obj)
    bpy.ops.mesh.select_all(action="SELECT")
    cast(*at)
    assert bpy.ops.raypick.select_element(element="FACE") == {"FINISHED"}
    edited = bmesh.from_edit_mesh(obj.data)
    assert [face.index for face in edited.faces if face.select] == [0]
    assert edited.faces.active.index == 0
    if vertex is not None:
        bpy.ops.raypick.select_element(element="VERTEX")
        edited = bmesh.from_edit_mesh(obj.data)
        assert [v.index for v in edited.verts if v.select] == [vertex]
    if edge is not None:
        bpy.ops.raypick.select_element(element="EDGE")
        edited = bmesh.from_edit_mesh(obj.data)
        assert [{v.index for v in e.verts} for e in edited.edges if e.select] == [edge]


def test_under_a_modifier_the_original_face_is_selected(raypick):
    obj = mesh_object("Tilted", [*TILTED, (8, 0, 0), (8, 2, 2)], [(0, 1, 2, 3), (1, 4, 5, 2)])
    modifier = obj.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type, modifier.levels = "SIMPLE", 1
    edit(obj)
    cast(7.8, 1.9)
    assert raypick.session.current.kept().hit.face >= 4
    bpy.ops.raypick.select_element(element="FACE")
    edited = bmesh.from_edit_mesh(obj.data)
    assert [face.index for face in edited.faces if face.select] == [1]
    bpy.ops.raypick.select_element(element="VERTEX")
    edited = bmesh.from_edit_mesh(obj.data)
    assert [v.index for v in edited.verts if v.select] == [5]


def test_a_face_that_is_gone_is_told(raypick):
    obj = mesh_object("Tilted", [*TILTED, (8, 0, 0), (8, 2, 2)], [(0, 1, 2, 3), (1, 4, 5, 2)])
    edit(obj)
    cast(7, 1)
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="VERT")
    with pytest.raises(RuntimeError, match="topology has changed"):
        bpy.ops.raypick.select_element(element="FACE")


def test_grey_buttons_say_why(raypick):
    obj = square()
    raypick.session.current.show(None)
    names = ("select_object", "select_element", "cursor_to_hit", "add_empty", "frame_hit")
    assert not any(getattr(bpy.ops.raypick, name).poll() for name in names)
    cast(0.25, 0.5)
    assert not bpy.ops.raypick.select_element.poll()
    assert not bpy.ops.raypick.frame_hit.poll()
    edit(obj)
    assert bpy.ops.raypick.select_element.poll()
    assert not bpy.ops.raypick.select_object.poll()
    assert not bpy.ops.raypick.add_empty.poll()
    with pytest.raises(RuntimeError, match="Only in object mode"):
        bpy.ops.raypick.add_empty()


@pytest.mark.parametrize("action", ["select_object", "cursor_to_hit", "add_empty"])
def test_nothing_can_be_done_with_what_was_deleted(raypick, action):
    obj = square()
    cast(0.25, 0.5)
    assert getattr(bpy.ops.raypick, action).poll()
    bpy.data.objects.remove(obj)
    assert not getattr(bpy.ops.raypick, action).poll()
