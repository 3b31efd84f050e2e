# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hit reports: objects, faces, points, normals and weights, each in its space."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from ..scenes import down, instance_on_points, mesh_object, square, suzanne


def scene_ray_cast(x, y):
    """What Blender's own ray cast says, straight down from z = 10."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return bpy.context.scene.ray_cast(depsgraph, Vector((x, y, 10)), Vector((0, 0, -1)))


def test_01_a_face_index_of_the_evaluated_mesh_is_not_taken_for_the_original(raypick):
    obj = square()
    subdivision = obj.modifiers.new("Subdivision", "SUBSURF")
    subdivision.subdivision_type, subdivision.levels = "SIMPLE", 3
    (hit,) = down(raypick, 0.9, 0.9)
    assert hit.evaluated
    assert hit.face >= len(obj.data.polygons)
    assert hit.original_face == 0
    obj.modifiers.new("Bevel", "BEVEL")
    (hit,) = down(raypick, 0.9, 0.9)
    assert hit.original_face is None
    assert "Bevel" in hit.original_reason


def test_04_an_instance_is_told_from_its_carrier(raypick):
    carrier = mesh_object("Carrier", [(0, 0, 0), (3, 0, 0)], [])
    source = suzanne()
    source.location = (50, 0, 0)
    instance_on_points(carrier, source)
    (hit,) = down(raypick, 3.1, 0.2)
    assert (hit.object, hit.instancer) == (source.name, "Carrier")
    assert hit.instance is not None
    assert hit.original_face == hit.face < len(source.data.polygons)


def test_04_a_face_of_an_instance_is_not_taken_for_one_of_its_carrier(raypick):
    carrier = mesh_object("Carrier", [(0, 0, 0), (3, 0, 0)], [])
    instance_on_points(carrier)
    (hit,) = down(raypick, 3.1, 0.2)
    assert (hit.instancer, hit.original_face) == ("Carrier", None)
    assert hit.original_reason
    _, _, _, face, blenders, _ = scene_ray_cast(3.1, 0.2)
    assert blenders.name == "Carrier"
    assert face >= len(carrier.data.polygons)


def test_12_large_coordinates_keep_their_digits(raypick):
    obj = square(size=100.0)
    for offset in (1e5, 1e6):
        obj.location = (offset, offset, 0.0)
        x, y = offset + 12.345, offset + 67.891
        (hit,) = down(raypick, x, y)
        assert hit.point == pytest.approx((x, y, 0.0), abs=1e-8)


def test_13_normals_are_perpendicular_under_uneven_and_negative_scale(raypick):
    obj = mesh_object("Slope", [(0, 0, 0), (1, 0, 1), (0, 1, 0)], [(0, 1, 2)])
    obj.scale = (3, 1, -1)
    (hit,) = down(raypick, 0.5, 0.25)
    a, b, c = (np.array(obj.matrix_world @ vertex.co) for vertex in obj.data.vertices)
    for normal in (hit.normal, hit.flat_normal, hit.smooth_normal):
        assert np.dot(normal, b - a) == pytest.approx(0.0, abs=1e-6)
        assert np.dot(normal, c - a) == pytest.approx(0.0, abs=1e-6)
    blenders = np.array(scene_ray_cast(0.5, 0.25)[2])
    assert abs(np.dot(blenders, b - a)) > 0.5


def test_14_the_space_of_every_value_is_told(raypick):
    obj = square()
    obj.location = (5, 0, 1)
    obj.rotation_euler.z = np.pi / 2
    (hit,) = down(raypick, 4.75, 0.5)
    assert hit.point == pytest.approx((4.75, 0.5, 1.0))
    assert hit.point_local == pytest.approx((0.5, 0.25, 0.0))
    assert (Matrix(hit.matrix_world) @ Vector(hit.point_local))[:] == pytest.approx(hit.point)


def test_16_what_no_call_of_blender_tells(raypick):
    obj = square()
    obj.data.uv_layers.new(name="Map")
    back = square("Back", z=-1.0)
    back.data.flip_normals()
    hits = down(raypick, 0.25, 0.5, all_hits=True)
    assert [hit.front for hit in hits] == [True, False]
    assert [hit.object for hit in down(raypick, 0.25, 0.5, all_hits=True, cull="back")] == [
        "Square"
    ]
    assert hits[0].triangle in (0, 1)
    assert sum(hits[0].barycentric) == pytest.approx(1.0)
    assert hits[0].uv is not None


def test_normals_of_uneven_scale_are_perpendicular_to_the_surface(raypick):
    """Blender's own ray cast is 53 degrees off at scale (3, 1, 1)."""
    obj = mesh_object("Slope", [(0, 0, 0), (1, 0, 1), (1, 1, 1), (0, 1, 0)], [(0, 1, 2, 3)])
    obj.scale = (3, 1, 1)
    (hit,) = down(raypick, 1.5, 0.5)
    expected = Vector((-1 / 3, 0, 1)).normalized()
    assert hit.normal == pytest.approx(tuple(expected), abs=1e-6)


def test_a_mirrored_object_keeps_its_outside(raypick):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3)
    bpy.context.object.scale = (-1, 1, 1)
    (hit,) = down(raypick, 0.1, 0.2)
    assert hit.front
    assert hit.normal[2] > 0.9


def test_the_original_face_is_told_only_where_modifiers_lead_to_it(raypick):
    obj = square()
    assert down(raypick, 0.25, 0.5)[0].original_face == 0
    obj.modifiers.new("Deform", "SIMPLE_DEFORM").angle = 0.0
    assert down(raypick, 0.25, 0.5)[0].original_face == 0
    obj.modifiers.new("Array", "ARRAY")
    assert down(raypick, 1.25, 0.5)[0].face == 1
    assert down(raypick, 1.25, 0.5)[0].original_face == 0
    bevel = obj.modifiers.new("Bevel", "BEVEL")
    (hit,) = down(raypick, 1.25, 0.5)
    assert hit.original_face is None
    assert bevel.name in hit.original_reason
    bevel.show_viewport = False
    assert down(raypick, 0.25, 0.5)[0].original_face == 0


def test_of_objects_that_share_a_mesh_the_material_was_that_of_the_first(raypick):
    names = ["First", "Second"]
    first = square()
    first.data.materials.append(None)
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    second.location.x = 5.0
    for obj, name in zip((first, second), names, strict=True):
        obj.material_slots[0].link = "OBJECT"
        obj.material_slots[0].material = bpy.data.materials.new(name)
    assert [down(raypick, x, 0.5)[0].material for x in (0.25, 5.25)] == names
    assert [down(raypick, x, 0.5)[0].object for x in (0.25, 5.25)] == [first.name, second.name]
