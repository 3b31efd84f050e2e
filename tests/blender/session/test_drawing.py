# SPDX-License-Identifier: GPL-3.0-or-later
"""What is about to be drawn brings itself up to date, and no exception leaves it."""

from importlib import import_module

import bmesh
import bpy
import numpy as np
import pytest

from ..scenes import instance_on_points, mesh_object, square


@pytest.fixture
def following(raypick):
    yield import_module(f"{raypick.__name__}.session.following")
    raypick.session.current.show(None)
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.fixture
def changes(raypick):
    return import_module(f"{raypick.__name__}.bridge.scene.changes").pending


@pytest.fixture
def picked(raypick):
    """Pick straight down, and return the record that is kept of it."""

    def pick(**options):
        assert bpy.ops.raypick.cast(origin=(0.25, 0.5, 9), **options) == {"FINISHED"}
        return raypick.session.current.kept()

    return pick


def grid():
    """Four quads in a plane."""
    vertices = [(x, y, 0) for y in range(3) for x in range(3)]
    return mesh_object("Grid", vertices, [(0, 1, 4, 3), (1, 2, 5, 4), (3, 4, 7, 6), (4, 5, 8, 7)])


def reverse(mesh):
    """Give all corners the vertices of others: there are as many of everything as before."""
    vertices = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", vertices)
    mesh.loops.foreach_set("vertex_index", vertices[::-1].copy())


def triangulate(mesh):
    build = bmesh.new()
    build.from_mesh(mesh)
    bmesh.ops.triangulate(build, faces=build.faces)
    build.to_mesh(mesh)
    build.free()


def add_a_face(mesh):
    """One apart from the others, which all stay as they are."""
    build = bmesh.new()
    build.from_mesh(mesh)
    build.faces.new([build.verts.new((x, y, 5.0)) for x, y in [(5, 5), (6, 5), (6, 6)]])
    build.to_mesh(mesh)
    build.free()


@pytest.mark.parametrize("change", [reverse, triangulate, add_a_face])
@pytest.mark.parametrize("mesh", ["sculpted", "own"])
def test_a_mesh_that_changed_unreported_is_known_to_have_when_next_drawn(
    picked, following, change, mesh
):
    obj = grid()
    if mesh == "sculpted":
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="SCULPT")
    record = picked(mesh={"sculpted": "EVALUATED", "own": "ORIGINAL"}[mesh])
    change(obj.data)
    record.as_of = None  # as if the scene had changed elsewhere
    assert following.update_to_draw(bpy.context)
    assert "topology" in record.stale


def test_what_has_to_be_evaluated_before_another_view_layer_is_listed_waits(
    picked, following, changes
):
    square()
    instance_on_points(mesh_object("Carrier", [(9, 9, 9)], []))
    record = picked()
    other = bpy.context.scene.view_layers.new("Other")
    with bpy.context.temp_override(view_layer=other):
        bpy.context.evaluated_depsgraph_get()
        before = changes.number
        assert not following.update_to_draw(bpy.context)
        assert changes.number == before
        assert following.stale(record, bpy.context) == "Updating"
        following.update(bpy.context)
        assert changes.number > before
        assert following.stale(record, bpy.context) is None


def test_what_is_out_of_date_while_drawing_waits_if_edits_have_to_be_flushed(
    picked, following, changes
):
    obj = grid()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    record = picked(mesh="ORIGINAL")
    # A script edits and tells nobody; something else, as saving does, writes that into the mesh.
    build = bmesh.from_edit_mesh(obj.data)
    bmesh.ops.triangulate(build, faces=build.faces[:])
    obj.update_from_editmode()
    build.verts.new((9, 9, 9))  # shows whether it is written once more
    assert len(obj.data.vertices) == 9
    record.as_of = None  # as if the scene had changed elsewhere
    assert not changes.any
    assert not following.update_to_draw(bpy.context)
    assert len(obj.data.vertices) == 9
    assert following.stale(record, bpy.context) == "Updating"
    following.update(bpy.context)
    assert len(obj.data.vertices) == 10
    assert "topology" in following.stale(record, bpy.context)
