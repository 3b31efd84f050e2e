# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine says of each pixel what Cycles renders there: object, material, place and more."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.scenes import instance_on_points, link, mesh_object

from . import cycles
from .shapes import (
    CORNERS,
    FACES,
    ball,
    chain,
    cube,
    dressed,
    grid,
    instancer,
    particles,
    put_in,
    tree,
)


def library(path, color):
    """A file with a cube in a collection; other files have the same names."""
    twin = cube("Twin", size=0.8)
    twin.rotation_euler.z = color
    put_in("Twins", twin)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def linked(path, kind, name):
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


@pytest.fixture
def libraries(raypick, tmp_path):
    """Return two files in which all things have the same names."""
    paths = tmp_path / "a.blend", tmp_path / "b.blend"
    for number, path in enumerate(paths):
        library(path, number * 0.5)
    return paths


def test_objects_of_one_name_from_two_libraries_and_the_file(check, libraries):
    cycles.camera()
    cube("Twin", (0, 2, 0))
    for number, path in enumerate(libraries):
        twin = link(linked(path, "objects", "Twin"))
        twin.location.x = -2 + 4 * number
        instancer(linked(path, "collections", "Twins"), (number, -2 + number, 2 * number))
    check()


def test_overridden_objects(check, libraries):
    cycles.camera()
    scene, layer = bpy.context.scene, bpy.context.view_layer
    for number, path in enumerate(libraries):
        made = linked(path, "collections", "Twins").override_hierarchy_create(scene, layer)
        (twin,) = made.all_objects
        twin.location = 2 * number - 1, number, 0
        twin.scale = 0.5 + number, 1, 1
    alone = link(linked(libraries[0], "objects", "Twin")).override_create(remap_local_usages=True)
    alone.location.y = -2
    check()


def test_instances_on_points_of_an_object_and_of_a_mesh_of_nodes(check):
    cycles.camera()
    instance_on_points(grid("Points"), cube(size=0.4))
    instance_on_points(grid("Others", 2, z=-2.0))
    check()


def test_instances_of_instances(check):
    cycles.camera()
    inner = grid("Inner", 2, 0.7)
    instance_on_points(inner, cube(size=0.25))
    outer = grid("Outer", 2, 2.5)
    instance_on_points(outer, inner)
    maker = instancer(put_in("Both", outer), (0.5, 0, 2))
    maker.rotation_euler.z, maker.scale.x = 0.4, -1.2
    check()


@pytest.mark.parametrize("as_instance", [True, False], ids=["instance", "geometry"])
def test_realized_instances_with_an_attribute(check, as_instance):
    cycles.camera((0.11, 0.23, 12))
    carrier = grid("Points")
    group, entry, leave, info, on_points, realize, store = tree(
        carrier, "ObjectInfo", "InstanceOnPoints", "RealizeInstances", "StoreNamedAttribute"
    )
    info.inputs["Object"].default_value = cube(size=0.5)
    info.inputs["As Instance"].default_value = as_instance
    group.links.new(info.outputs["Geometry"], on_points.inputs["Instance"])
    store.data_type, store.domain = "FLOAT", "FACE"
    store.inputs["Name"].default_value = cycles.NUMBER
    index = group.nodes.new("GeometryNodeInputIndex")
    group.links.new(index.outputs[0], store.inputs["Value"])
    chain(group, entry, on_points, realize, store, leave)
    check()


def test_a_mesh_that_nodes_make_and_one_that_they_instance_once(check):
    cycles.camera((0, -1, 9))
    carrier = link(bpy.data.objects.new("Carrier", bpy.data.meshes.new("Empty")))
    group, _, leave, shape, place, matter = tree(
        carrier, "MeshUVSphere", "Transform", "SetMaterial"
    )
    matter.inputs["Material"].default_value = cycles.material()
    place.inputs["Scale"].default_value = 1, 2, -0.5
    chain(group, shape, place, matter, leave)
    other = cube("Other", (2.5, 0, 0))
    group, entry, leave, whole, move, joined = tree(
        other, "GeometryToInstance", "TranslateInstances", "JoinGeometry"
    )
    move.inputs["Translation"].default_value = 0, 2.5, 0
    chain(group, entry, whole, move, joined, leave)
    group.links.new(entry.outputs[0], joined.inputs[0])
    check()


def test_curves_of_nodes_and_point_clouds_that_have_no_faces(check):
    cycles.camera()
    cube("Behind", (0, 0, -3), 2.0)
    other = cube("Carrier")
    group, entry, leave, to_points, circle, to_mesh, joined = tree(
        other, "MeshToPoints", "CurvePrimitiveCircle", "CurveToMesh", "JoinGeometry"
    )
    to_points.inputs["Radius"].default_value = 0.0
    profile = group.nodes.new("GeometryNodeCurvePrimitiveCircle")
    profile.inputs["Radius"].default_value = 0.3
    circle.inputs["Radius"].default_value = 2.0
    group.links.new(profile.outputs[0], to_mesh.inputs[1])
    chain(group, entry, to_points, joined, leave)
    chain(group, circle, to_mesh, joined)
    check()


@pytest.mark.parametrize("is_emitter_shown", [True, False], ids=["emitter", "none"])
@pytest.mark.parametrize("source", ["OBJECT", "COLLECTION"])
def test_particles(check, source, is_emitter_shown):
    cycles.camera()
    one, two = cube("One", (9, 9, 0)), ball("Two", (9, 5, 0))
    emitter = ball("Emitter", size=2.0)
    emitter.show_instancer_for_render = is_emitter_shown
    settings = {"instance_object": one}
    if source == "COLLECTION":
        settings = {"instance_collection": put_in("Sources", one, two)}
    particles(emitter, render_type=source, **settings)
    check()


def test_hair_of_instances_without_its_emitter(check):
    cycles.camera()
    emitter = ball("Emitter", size=1.5)
    emitter.show_instancer_for_render = False
    hair = {
        "physics_type": "NEWTON",
        "type": "HAIR",
        "render_type": "OBJECT",
        "instance_object": cube("One", (9, 9, 0)),
    }
    particles(emitter, use_advanced_hair=True, size_random=0.7, **hair)
    check()


def test_an_armature_that_bends(check):
    cycles.camera((0, -9, 1), (1.5, 0, 0))
    rig = link(bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig")))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(3):
        bone = rig.data.edit_bones.new(f"B{number}")
        bone.head, bone.tail = (0, 0, number * 1.5 - 2), (0, 0, number * 1.5 - 0.5)
        bone.parent = rig.data.edit_bones[number - 1] if number else None
    bpy.ops.object.mode_set(mode="OBJECT")
    body = ball("Body", size=2.0)
    body.modifiers.new("Rig", "ARMATURE").object = rig
    for number, bone in enumerate(rig.data.bones):
        group = body.vertex_groups.new(name=bone.name)
        near = [v.index for v in body.data.vertices if int((v.co.z + 2) / 1.4) == number]
        group.add(near, 1.0, "REPLACE")
        rig.pose.bones[bone.name].rotation_mode = "XYZ"
        rig.pose.bones[bone.name].rotation_euler = 0.3 * number, 0.2, -0.4
    hand = cube("Hand", size=0.4)
    hand.parent, hand.parent_type, hand.parent_bone = rig, "BONE", "B2"
    check()


def test_shape_keys_and_corrections_after_them(check):
    cycles.camera()
    body = ball(size=2.0)
    body.shape_key_add(name="Basis")
    wide = body.shape_key_add(name="Wide")
    for point in wide.data:
        point.co.x *= 1.7
    wide.value = 0.6
    body.modifiers.new("Twist", "SIMPLE_DEFORM").angle = 0.8
    for polygon in body.data.polygons:
        polygon.use_smooth = True
    check()


def test_concave_polygons(check, rng):
    cycles.camera()
    for number, corners in enumerate((7, 12, 31)):
        angles = np.arange(corners) * 2 * np.pi / corners
        far = rng.uniform(0.4, 1.6, corners)
        star = np.stack([far * np.cos(angles), far * np.sin(angles)], axis=1)
        bent = np.column_stack([star, rng.uniform(-0.1, 0.1, corners)])
        obj = dressed(mesh_object(f"Star{number}", bent, [tuple(range(corners))]))
        obj.location = 2.4 * (number - 1), 0, number
    check()


def test_curves_text_metaballs_and_surfaces(check):
    cycles.camera()
    bpy.ops.curve.primitive_bezier_circle_add(location=(-2, 1, 0))
    circle = bpy.context.object
    circle.data.bevel_depth, circle.data.resolution_u, circle.data.render_resolution_u = 0.3, 2, 9
    bpy.ops.object.text_add(location=(-2, -2, 0))
    bpy.context.object.data.extrude = 0.2
    bpy.ops.object.metaball_add(location=(2, 1.5, 0))
    bpy.context.object.data.render_resolution = 0.3
    bpy.ops.object.metaball_add(location=(2.7, 1.2, 0))
    bpy.ops.surface.primitive_nurbs_surface_torus_add(location=(2, -1.5, 0))
    for obj in bpy.context.scene.objects:
        if obj.type != "CAMERA":
            obj.data.materials.append(cycles.material(obj.name))
    check()


def test_negative_scales_and_shears(check):
    cycles.camera()
    rows = np.diag([-1.0, 1, 1, 1]), np.diag([1.0, -0.6, -1.3, 1]), np.diag([-1.0, -1, -1, 1])
    for number, matrix in enumerate(rows):
        obj = cube(f"C{number}", size=0.8)
        sheared = matrix.copy()
        sheared[0, 1], sheared[2, 0] = 0.7, -0.4
        turned = Matrix.Rotation(0.7, 4, (1, 1, 0))
        obj.matrix_world = Matrix.Translation((number * 3 - 3, 1, 0)) @ Matrix(sheared) @ turned
        parent = link(bpy.data.objects.new(f"P{number}", None))
        parent.matrix_world = Matrix(sheared)
        child = ball(f"B{number}", (number * 2 - 2, -1.5, 0), 0.7)
        child.parent = parent
    check()


def test_tiny_things_close_and_large_ones_far_away(check):
    cycles.camera((1e-3, 0, 6e-3), (0, 0.1, 0.2), clip_start=1e-4, clip_end=1e6)
    cube("Tiny", size=1e-3)
    cube("Far", (-3e4, 2e4, -1e5), 2e4)
    check()


def test_far_from_the_middle_of_the_world_all_is_as_cycles_shows_it_there(check, tmp_path):
    cycles.camera((3, -9, 2), (1.4, 0, 0.3))
    for number in range(4):
        cube(f"C{number}", (number * 2 - 3, number, 0), 1.0)
    check()
    near = cycles.read(tmp_path / "raypick.exr").views["ViewLayer", ""]
    for obj in bpy.context.scene.objects:
        obj.location += Vector((100_000, -200_000, 10_000))
    far = cycles.render(tmp_path / "far").views["ViewLayer", ""]
    for name in ("Object", "Face"):
        assert (near.index(name) != far.index(name)).sum() <= cycles.MOST


def test_levels_of_renders_and_simplification(check):
    cycles.camera()
    for number in range(3):
        obj = cube(f"C{number}", (number * 2.4 - 2.4, 0, 0))
        subdivision = obj.modifiers.new("S", "SUBSURF")
        subdivision.levels, subdivision.render_levels = 0, number + 1
    obj.modifiers.new("V", "BEVEL").show_render = False
    hidden = bpy.data.objects["C0"].modifiers.new("R", "SOLIDIFY")
    hidden.thickness, hidden.show_viewport = 0.5, False
    check()
    scene = bpy.context.scene
    scene.render.use_simplify = True
    scene.render.simplify_subdivision, scene.render.simplify_subdivision_render = 0, 2
    check()


def test_materials_of_slots_objects_and_faces(check):
    cycles.camera()
    obj = cube(size=2.0)
    other, third = cycles.material("Other"), cycles.material("Third")
    obj.data.materials.append(other)
    obj.data.materials.append(None)
    obj.data.polygons.foreach_set("material_index", [0, 1, 2, 3, 9, 1])
    copy = link(obj.copy())
    copy.location.x, copy.rotation_euler.z = -3, 1.0
    copy.material_slots[1].link = "OBJECT"
    copy.material_slots[1].material = third
    bare = mesh_object("Bare", np.array(CORNERS) * 0.5, FACES)
    bare.location = 3, 0, 0
    check()


@pytest.mark.parametrize("kind", ["VERTS", "FACES"])
def test_instances_on_vertices_and_faces(check, kind):
    cycles.camera((0.1, -3, 11), (0.25, 0, 0))
    carrier = ball("Carrier", size=2.0)
    child = cube("Child", size=0.3)
    child.parent, carrier.instance_type = carrier, kind
    carrier.use_instance_vertices_rotation = carrier.use_instance_faces_scale = True
    carrier.instance_faces_scale = 1.3
    check()


def test_things_scaled_to_nothing_in_one_direction(check):
    cycles.camera((0.1, -3, 11), (0.25, 0, 0))
    corners = [(-2, -1, 0), (1, -1, 1), (2, 1, 2), (-1, 2, -1)]
    flat = dressed(mesh_object("Flat", corners, [(0, 1, 2), (0, 2, 3)]))
    flat.scale.z = 0.0
    upright = dressed(mesh_object("Upright", corners, [(0, 1, 2), (0, 2, 3)]))
    upright.scale, upright.location.x = (0.0, 1, 2), 2.5
    cube("None", (0, 0, 1)).scale = 0, 0, 0
    check()


def test_multiresolution(check):
    cycles.camera((0.1, -3, 11), (0.25, 0, 0))
    obj = cube(size=2.0)
    multires = obj.modifiers.new("M", "MULTIRES")
    bpy.context.view_layer.objects.active = obj
    for _ in range(3):
        bpy.ops.object.multires_subdivide(modifier="M")
    multires.levels, multires.render_levels = 0, 2
    check()


def test_the_uv_map_that_is_active_for_renders(check):
    cycles.camera()
    first = cube(size=2.0).data.uv_layers
    second = first.new(name="Second")
    second.data.foreach_set("uv", np.tile([0.1, 0.2, 0.7, 0.5], 12))
    first[0].active, second.active_render = True, True
    check()
