# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be hit: all kinds of objects, and instances of all kinds."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from ...scenes import collection_instance, down, instance_on_points, mesh_object, square, suzanne


@pytest.mark.parametrize(
    "add",
    [
        lambda: bpy.ops.object.text_add(),
        lambda: bpy.ops.object.metaball_add(),
        lambda: bpy.ops.surface.primitive_nurbs_surface_sphere_add(),
        lambda: bpy.ops.curve.primitive_bezier_circle_add(),
    ],
    ids=["text", "metaball", "surface", "curve"],
)
def test_objects_that_evaluate_to_a_surface_are_hit_once(raypick, add):
    add()
    obj = bpy.context.object
    if obj.type in {"FONT", "CURVE"}:
        obj.data.extrude = 0.1
    if obj.type == "CURVE":
        obj.data.dimensions = "2D"
        obj.data.fill_mode = "BOTH"
    corners = np.array([obj.matrix_world @ Vector(corner) for corner in obj.bound_box])
    xs, ys = (np.linspace(corners[:, i].min(), corners[:, i].max(), 20) for i in (0, 1))
    hits = [hit for x in xs for y in ys for hit in down(raypick, x + 1e-3, y + 1e-3)]
    assert hits
    assert {hit.object for hit in hits} == {obj.name}
    assert {(hit.instancer, hit.instance) for hit in hits} == {(None, None)}
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert max(hit.face for hit in hits) < len(mesh.polygons)


def test_cameras_lights_and_empties_are_not_hit(raypick):
    bpy.ops.object.camera_add()
    bpy.ops.object.light_add()
    bpy.ops.object.empty_add()
    assert down(raypick, 0.0, 0.0) == []


def test_a_collection_instance_names_the_object_and_who_placed_it(raypick):
    source = square("Tile")
    collection_instance(source, (5, 0, 0))
    assert down(raypick, 0.25, 0.5) == []
    (hit,) = down(raypick, 5.25, 0.5)
    assert (hit.object, hit.instancer, hit.instance) == ("Tile", "Instancer", (0,))
    assert hit.point == (5.25, 0.5, 0.0)
    assert hit.point_local == (0.25, 0.5, 0.0)
    assert Matrix(hit.matrix_world).translation == Vector((5, 0, 0))


def test_geometry_nodes_instances_are_told_apart(raypick):
    points = mesh_object("Points", [(0, 0, 0), (3, 0, 0), (0, 3, 0)], [])
    instance_on_points(points)
    ids = set()
    for x, y in ((0.1, 0.2), (3.1, 0.2), (0.1, 3.2)):
        (hit,) = down(raypick, x, y)
        assert (hit.object, hit.instancer) == ("Points", "Points")
        assert hit.original_face is None
        assert hit.point[2] == 0.5
        ids.add(hit.instance)
    assert len(ids) == 3


def test_instances_of_an_object_share_its_faces(raypick):
    source = suzanne()
    source.location = (50, 0, 0)
    points = mesh_object("Points", [(0, 0, 0), (5, 0, 0)], [])
    instance_on_points(points, source)
    (own,) = down(raypick, 50.1, 0.2)
    (first,) = down(raypick, 0.1, 0.2)
    (second,) = down(raypick, 5.1, 0.2)
    assert own.face == first.face == second.face
    assert {first.object, second.object} == {source.name}
    assert {first.instancer, second.instancer} == {"Points"}
    assert own.instancer is None


def test_nested_collection_instances_are_hit_where_they_are_seen(raypick):
    inner = collection_instance(square("Tile"), (1, 0, 0))
    inner.name = "Inner"
    outer = collection_instance(inner, (10, 0, 0))
    (hit,) = down(raypick, 11.25, 0.5)
    assert (hit.object, hit.instancer) == ("Tile", outer.name)


def test_an_object_that_a_scale_of_zero_flattens_is_hit(raypick):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3)
    obj = bpy.context.object
    obj.scale = (1, 1, 0)
    obj.location = (0, 0, 2)
    hit = down(raypick, 0.1, 0.2)[0]
    assert hit.point == pytest.approx((0.1, 0.2, 2.0))
    assert hit.object == obj.name


@pytest.mark.parametrize("transform", ["parent", "shear", "tiny", "huge"])
def test_transformed_objects_are_hit_as_scene_ray_cast_hits_them(raypick, rng, transform):
    obj = suzanne()
    if transform == "parent":
        obj.parent = bpy.data.objects.new("Parent", None)
        bpy.context.scene.collection.objects.link(obj.parent)
        obj.parent.rotation_euler = (0.3, 0.5, 0.7)
        obj.parent.scale = (1.0, 2.0, 0.5)
        obj.rotation_euler = (1.0, 0.0, 0.4)
    elif transform == "shear":
        obj.matrix_world = ((1, 0.5, 0, 0), (0, 1, 0.3, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    else:
        obj.scale = (1e-4,) * 3 if transform == "tiny" else (1e4,) * 3
    depsgraph = bpy.context.evaluated_depsgraph_get()
    size = max(obj.dimensions)
    found = 0
    for _ in range(300):
        origin = rng.standard_normal(3).astype(np.float32) * size * 2
        target = rng.uniform(-0.3, 0.3, 3).astype(np.float32) * size
        direction = Vector(target - origin)
        expected = bpy.context.scene.ray_cast(depsgraph, Vector(origin), direction)
        hits = raypick.api.ray_cast(bpy.context, origin, direction)
        assert expected[0] == bool(hits)
        if hits:
            reach = (expected[1] - Vector(origin)).length
            assert hits[0].distance == pytest.approx(reach, rel=1e-4)
            assert hits[0].face == expected[3] or min(hits[0].barycentric) < 1e-3
            found += 1
    assert found > 100


def test_faces_that_no_mesh_should_have_hide_nothing(raypick):
    """Scripts can write anything into a mesh."""
    square("Below")
    broken = mesh_object("Broken", [(0, 0, 1), (1, 0, 1), (1, 1, 1)], [(0, 1, 2)])
    broken.data.attributes[".corner_vert"].data[2].value = 9
    broken.data.update_tag()
    assert [hit.object for hit in down(raypick, 0.5, 0.25, all_hits=True)] == ["Below"]
