# SPDX-License-Identifier: GPL-3.0-or-later
"""What renders hide and show: the engine leaves out what Cycles leaves out, in whatever mode."""

import bmesh
import bpy
import numpy as np
import pytest

from tests.blender.scenes import instance_on_points, link, mesh_object

from . import cycles
from .shapes import ball, cube, grid, instancer, layer_collection, particles, put_in


def test_collections_excluded_indirect_and_held_out(check):
    cycles.camera()
    cube("Wall", (0, 0, -4), 2.0)
    names = "Excluded", "Indirect", "Holdout", "Plain", "Disabled"
    sources = put_in("Sources", cube("Source", size=0.4))
    layer_collection("Sources").exclude = True
    for number, name in enumerate(names):
        x = number * 1.5 - 3
        outer = put_in(name, cube(f"{name}-own", (x, 2, 0), 0.5))
        inner = put_in(f"{name}-inner", cube(f"{name}-nested", (x, 0, 0), 0.5), parent=outer)
        maker = instancer(sources, (x, -2, 0), f"{name}-maker")
        bpy.context.scene.collection.objects.unlink(maker)
        inner.objects.link(maker)
    layer_collection("Excluded").exclude = True
    layer_collection("Indirect").indirect_only = True
    layer_collection("Holdout").holdout = True
    bpy.data.collections["Disabled"].hide_render = True
    second = bpy.context.scene.view_layers.new("Second")
    nested = {
        each.name: each.children[0] for each in second.layer_collection.children if each.children
    }
    nested["Excluded"].exclude = True
    nested["Indirect"].indirect_only = True
    nested["Holdout"].holdout = True
    check()


def test_sources_in_collections_with_other_settings_than_what_makes_instances(check):
    cycles.camera((0.11, 0.23, 12))
    cube("Wall", (0, 0, -4), 2.0)
    for number, name in enumerate(("Excluded", "Indirect", "Holdout", "Hidden", "Unseen")):
        source = cube(f"{name}-source", (number * 1.5 - 3, 2, 0), 0.5)
        collection = put_in(name, source)
        instancer(collection, (0, -3, 1), f"{name}-maker")
        instance_on_points(mesh_object(f"{name}-points", [(number * 1.5 - 3, -2, -1)], []), source)
        source.hide_render, source.visible_camera = name == "Hidden", name != "Unseen"
    layer_collection("Excluded").exclude = True
    layer_collection("Indirect").indirect_only = True
    layer_collection("Holdout").holdout = True
    check()


def test_sources_that_nodes_alone_show(check):
    cycles.camera((0.11, 0.23, 12))
    cube("Wall", (0, 0, -4), 2.0)
    sources = [cube(f"Source {number}", (9, 9, 0), 0.5) for number in range(3)]
    sources[0].visible_camera = False
    sources[1].is_holdout = sources[2].hide_render = True
    put_in("Away", *sources)
    layer_collection("Away").exclude = True
    for number, source in enumerate(sources):
        points = mesh_object(f"Points {number}", [(number * 2 - 2, y, 0) for y in (-1, 1)], [])
        instance_on_points(points, source)
    check()


def test_what_is_indirect_and_a_holdout_is_a_holdout(check):
    cycles.camera()
    cube("Wall", (0, 0, -4), 2.0)
    put_in("Both", cube("By collection", (-2, 0, 0), 0.6))
    own = cube("By itself", (0, 0, 0), 0.6)
    own.is_holdout = True
    source = cube("Source", (9, 9, 0), 0.6)
    maker = instancer(put_in("Sources", source), (-7, -9, 0))
    put_in("Indirect", own, maker)
    layer_collection("Both").indirect_only = layer_collection("Indirect").indirect_only = True
    layer_collection("Both").holdout = maker.is_holdout = True
    check()


def test_objects_held_out_and_those_that_make_them(check):
    cycles.camera()
    cube("Wall", (0, 0, -4), 2.0)
    cube("Own", (-3, 0, 0), 0.6).is_holdout = True
    source = put_in("Source", cube("Part", (9, 9, 0), 0.6))
    instancer(source, (-9, -9, 0)).is_holdout = True
    held = cube("Held", (9, 5, 0), 0.6)
    held.is_holdout = True
    instancer(put_in("Held", held), (-8, -7, 0))
    catcher = cube("Catcher", (3, 0, 0), 0.6)
    catcher.is_shadow_catcher = False
    check()


def test_what_the_camera_does_not_see(check):
    cycles.camera()
    cube("Wall", (0, 0, -4), 2.0)
    cube("Unseen", size=0.9).visible_camera = False
    source = put_in("Source", cube("Part", (9, 9, 0), 0.6))
    instancer(source, (-9, -9, 0)).visible_camera = False
    instancer(source, (-7, -9, 0))
    points = grid("Points", 2, 2.0)
    instance_on_points(points, bpy.data.objects["Part"])
    points.visible_camera = False
    inner = instancer(source, (-9, -6, 0), "Inner")
    inner.visible_camera = False
    instancer(put_in("Nested", inner), (-1, 0, 0), "Outer")
    seen = instancer(source, (-9, -7, 0), "Seen")
    outer = instancer(put_in("Whole", seen), (1, -1, 0), "Hiding")
    outer.visible_camera = False
    emitter = ball("Emitter", (0, 2, 0), 0.5)
    emitter.visible_camera = False
    particles(emitter, render_type="OBJECT", instance_object=bpy.data.objects["Part"])
    check()


def test_objects_hidden_by_curves_drivers_and_their_makers(check):
    cycles.camera()
    scene = bpy.context.scene
    cubes = [cube(f"C{i}", (i * 1.5 - 3, 1, 0), 0.6) for i in range(5)]
    for frame, is_hidden in ((1, False), (3, True)):
        cubes[0].hide_render = is_hidden
        cubes[0].keyframe_insert("hide_render", frame=frame)
    cubes[1].driver_add("hide_render").driver.expression = "frame > 2"
    cubes[2].hide_render, cubes[3].hide_viewport = True, True
    cubes[4].hide_set(True)
    vertices = mesh_object("Vertices", [(-2, -2, 0), (2, -2, 0), (0, -1, 1)], [(0, 1, 2)])
    child = cube("Child", size=0.3)
    child.parent, vertices.instance_type = vertices, "VERTS"
    vertices.show_instancer_for_render = False
    held = cube("Held", size=0.4)
    limit = held.constraints.new("COPY_LOCATION")
    limit.target, limit.use_offset = cubes[3], True
    held.location.y = -1.5
    scene.frame_set(3)
    check()


def test_what_the_camera_sees_and_holds_out_by_curves_and_drivers(check):
    cycles.camera()
    cube("Wall", (0, 0, -5), 3.0)
    seen, held = cube("Seen", (-2, 0, 0)), cube("Held")
    for frame, value in ((1, True), (3, False)):
        seen.visible_camera = value
        seen.keyframe_insert("visible_camera", frame=frame)
    held.driver_add("is_holdout").driver.expression = "frame > 2"
    for frame in (1, 3):
        bpy.context.scene.frame_set(frame)
        check()


def test_view_layers_that_are_not_rendered(check):
    cycles.camera()
    cube()
    bpy.context.scene.view_layers.new("Unused").use = False
    assert set(check()) == {("ViewLayer", "")}


def test_a_scene_in_the_background(check):
    cycles.camera()
    cube("Front", (1, 0, 0))
    scene = bpy.context.scene
    back = bpy.data.scenes.new("Back")
    behind = cube("Behind", (-0.5, 0, -1), 1.4)
    unseen = cube("Unseen", (-2, 1, 1), 0.6)
    unseen.visible_camera = False
    held = cube("Held", (1, 1, 2), 0.4)
    held.is_holdout = bpy.app.version >= (5, 2)  # before, Cycles does not hold it out
    for obj in (behind, unseen, held):
        scene.collection.objects.unlink(obj)
        back.collection.objects.link(obj)
    scene.background_set = back
    check()


def test_an_object_in_edit_mode_with_hidden_faces(check):
    cycles.camera((0.1, -3, 11), (0.25, 0, 0))
    obj = cube(size=2.0)
    obj.modifiers.new("S", "SUBSURF").render_levels = 1
    other = link(obj.copy())
    other.location.x = 3
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data)
    edited.faces.ensure_lookup_table()
    edited.faces[5].hide_set(True)
    edited.faces[3].hide_set(True)
    for vertex in edited.verts:
        vertex.co.x *= 0.6
    bmesh.update_edit_mesh(obj.data)
    check()
    assert obj.mode == "EDIT"


@pytest.mark.parametrize("mode", ["OBJECT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT"])
def test_hidden_faces_render_in_all_modes(check, mode):
    cycles.camera((0.1, -3, 11), (0.25, 0, 0))
    obj = cube(size=2.0)
    obj.data.polygons.foreach_set("hide", [False, True, False, True, False, True])
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode=mode)
    check()


@pytest.mark.parametrize("is_shaped", [False, True], ids=["plain", "shape keys"])
def test_what_brushes_change_in_sculpt_mode(check, is_shaped):
    cycles.camera((0.1, -3, 11), (0.25, 0, 0))
    obj = ball(size=2.0)
    if is_shaped:
        obj.shape_key_add(name="Basis")
        obj.shape_key_add(name="Wide").value = 0.5
    obj.modifiers.new("S", "SUBSURF").show_viewport = False
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="SCULPT")
    points = obj.data.shape_keys.key_blocks["Wide"].data if is_shaped else obj.data.vertices
    for point in points:
        point.co.x *= 1.3 + 0.2 * np.sin(9 * point.co.z)
    check()


def test_objects_moved_without_a_keyframe(check):
    cycles.camera()
    moved, animated = cube("Moved"), cube("Animated", (2, 0, 0), 0.7)
    animated.keyframe_insert("location", frame=1)
    bpy.context.scene.frame_set(4)
    moved.location, animated.location = (-1, 1, 0), (2, -1, 0)
    moved.data.vertices[0].co.x -= 1.0
    check()
