# SPDX-License-Identifier: GPL-3.0-or-later
"""What handlers of other add-ons change is evaluated unreported, and seen all the same."""

from importlib import import_module

import bpy
import pytest

from ...conftest import PACKAGE
from ...scenes import collection_instance, height, instance_on_points, mesh_object, square


@pytest.fixture(params=["depsgraph_update_post", "frame_change_post"])
def update(raypick, request):
    """Have something happen, in whose course a handler of another add-on does something, once."""
    handlers = getattr(bpy.app.handlers, request.param)
    other = square("Other", -1.0)
    waiting, added = [], []

    def handler(*_):
        if waiting:
            waiting.pop()()

    def happen(do):
        if not added:
            added.append(handlers.append(handler))
            bpy.context.view_layer.update()
            height(raypick)  # from here on, the last handler is ours
        waiting.append(do)
        if request.param == "frame_change_post":
            bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
        other.location.x += 1.0
        bpy.context.view_layer.update()
        assert not waiting

    yield happen
    handlers.remove(handler)


def raise_to(mesh, z):
    for vertex in mesh.vertices:
        vertex.co.z = z
    mesh.update()


def test_a_mesh_that_a_handler_had_edited_was_hit_as_it_was(raypick, update):
    """Where Blender put the new mesh at the address of the old, which it did nearly always."""
    obj = square()
    assert height(raypick) == 0.0
    for z in range(1, 9):
        update(lambda z=z: raise_to(obj.data, z))
        assert height(raypick) == z


def test_what_a_modifier_makes_of_an_object_that_a_handler_moves_is_seen(raypick, update):
    obj, origin = square(), square("Origin", -2.0)
    array = obj.modifiers.new("Array", "ARRAY")
    array.use_relative_offset, array.use_object_offset = False, True
    array.offset_object = origin
    for z in range(1, 9):
        update(lambda z=z: setattr(origin.location, "z", z))
        assert height(raypick) == z


def test_what_a_handler_removes_is_gone(raypick, update):
    tile = square("Tile")
    instance_on_points(mesh_object("Carrier", [(5, 0, 0)], []), tile)
    collection_instance(square("Inside", z=-1.0), (10, 0, 0))
    assert height(raypick, 5.25) == 0.0
    update(lambda: bpy.data.objects.remove(tile))
    assert height(raypick, 5.25) is None
    assert height(raypick, 10.25) == -1.0


def test_an_object_that_moved_and_that_a_handler_then_removes_is_gone(raypick, update):
    obj = square()
    assert height(raypick) == 0.0
    obj.location.z = 1.0
    update(lambda: bpy.data.objects.remove(obj))
    assert height(raypick) is None


def test_a_handler_that_changes_nothing_has_no_mesh_read_again(raypick, update, monkeypatch):
    square()
    update(lambda: None)
    assert height(raypick) == 0.0
    mesh = import_module(f"{PACKAGE}.bridge.mesh.scene_mesh").SceneMesh
    read, original = [], mesh.__init__
    monkeypatch.setattr(mesh, "__init__", lambda *a: read.append(1) or original(*a))
    for _ in range(3):
        update(lambda: None)
        assert height(raypick) == 0.0
    assert not read
