# SPDX-License-Identifier: GPL-3.0-or-later
"""What users of other pickers suffer from, case by case, and that Raypick has none of it."""

from importlib import import_module
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from .scenes import collection_instance, down, instance_on_points, mesh_object, square, suzanne


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


def test_02_hidden_is_not_hit_and_display_and_selectability_have_a_rule(raypick):
    obj = square()
    collection = bpy.data.collections.new("Collection")
    bpy.context.scene.collection.children.link(collection)
    hidden = square("Hidden", z=1.0)
    bpy.context.scene.collection.objects.unlink(hidden)
    collection.objects.link(hidden)
    assert down(raypick, 0.25, 0.5)[0].object == "Hidden"
    bpy.context.view_layer.layer_collection.children["Collection"].hide_viewport = True
    assert down(raypick, 0.25, 0.5)[0].object == "Square"
    obj.hide_render = True
    obj.hide_select = True
    assert down(raypick, 0.25, 0.5)
    assert not down(raypick, 0.25, 0.5, selectable_only=True)
    obj.hide_select = False
    for display, hits in (("WIRE", 0), ("BOUNDS", 0), ("SOLID", 1), ("TEXTURED", 1)):
        obj.display_type = display
        assert len(down(raypick, 0.25, 0.5)) == 1
        assert len(down(raypick, 0.25, 0.5, solid_only=True)) == hits


def test_02_instances_are_as_selectable_as_what_makes_them(raypick):
    source = square("Tile")
    empty = collection_instance(source, (5, 0, 0))
    source.hide_select = True
    assert down(raypick, 5.25, 0.5, selectable_only=True)
    empty.hide_select = True
    assert not down(raypick, 5.25, 0.5, selectable_only=True)


def test_02_instances_are_as_solid_as_their_object_and_as_what_makes_them(raypick):
    source = square("Tile")
    empty = collection_instance(source, (5, 0, 0))
    for obj in (source, empty):
        for display, hits in (("WIRE", 0), ("BOUNDS", 0), ("SOLID", 1), ("TEXTURED", 1)):
            obj.display_type = display
            assert len(down(raypick, 5.25, 0.5)) == 1
            assert len(down(raypick, 5.25, 0.5, solid_only=True)) == hits


def test_02_a_collection_can_make_its_objects_unselectable(raypick):
    collection = bpy.data.collections.new("Collection")
    bpy.context.scene.collection.children.link(collection)
    obj = square()
    bpy.context.scene.collection.objects.unlink(obj)
    collection.objects.link(obj)
    assert down(raypick, 0.25, 0.5, selectable_only=True)
    collection.hide_select = True
    assert not down(raypick, 0.25, 0.5, selectable_only=True)


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


def test_05_an_orthographic_camera_sees_what_is_near_it(raypick):
    """Blender's `region_2d_to_origin_3d` starts in the middle of the view there."""
    near, far = square("Near", z=9.0), square("Far", z=0.0)
    view = Matrix.Translation((0, 0, 10)).inverted()
    for clip_end in (100.0, 1e5, 1e6):
        window = orthographic(width=4.0, height=4.0, start=0.1, end=clip_end)
        region_data = SimpleNamespace(view_matrix=view, window_matrix=window)
        region = SimpleNamespace(width=400, height=400)
        hits = raypick.api.pick(bpy.context, region, region_data, (250, 250), all_hits=True)
        assert [hit.object for hit in hits] == [near.name, far.name]
        assert hits[0].point[:2] == pytest.approx((0.5, 0.5), abs=1e-6)


def test_06_the_nearest_hit_is_not_the_nearest_origin(raypick):
    near = square("Origin far away", z=5.0)
    near.data.transform(Matrix.Translation((-100, 0, 0)))
    near.location.x = 100.0
    square("Origin at hand")
    assert down(raypick, 0.25, 0.5)[0].object == "Origin far away"


def test_07_the_first_pick_builds_no_tree(raypick):
    obj = suzanne(levels=3)
    assert down(raypick, 0.1, 0.2)
    (mesh,) = meshes_read(raypick)
    assert len(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons) > 30000
    assert not mesh.polygons.built


def test_08_what_changes_with_its_counts_unchanged_is_seen(raypick):
    obj = square()
    for height in (0.0, 1.0, 2.0):
        obj.data.vertices.foreach_set(
            "co", [0, 0, height, 1, 0, height, 1, 1, height, 0, 1, height]
        )
        obj.data.update()
        assert down(raypick, 0.25, 0.5)[0].point[2] == height


def test_09_what_the_view_clips_is_not_hit(raypick):
    for z in (9.95, 5.0, -200.0):
        square(f"At {z:g}", z)
    region = SimpleNamespace(width=400, height=400)
    region_data = SimpleNamespace(
        view_matrix=Matrix.Translation((0.25, 0.5, 10)).inverted(),
        window_matrix=orthographic(width=2.0, height=2.0, start=0.1, end=100.0),
    )

    def names(**options):
        hits = raypick.api.pick(bpy.context, region, region_data, (201, 202), **options)
        return [hit.object for hit in hits]

    assert names() == ["At 5"]
    assert names(all_hits=True) == ["At 5"]
    assert names(all_hits=True, clip=False)[-2:] == ["At 5", "At -200"]
    region_data.use_clip_planes = True
    region_data.clip_planes = [(0, 0, -1, 1)] + [(0, 0, 0, 1)] * 5  # z <= 1, all else is open
    assert names() == []


def test_10_all_hits_are_all_hits(raypick):
    """Stepping an epsilon along the ray finds a face again and again, or none of two close ones."""
    corners = [(x, y, 100 - i * 1e-3) for i in range(20) for x, y in ((0, 0), (1, 0), (0, 1))]
    mesh_object("Sheets", corners, [(i, i + 1, i + 2) for i in range(0, 60, 3)])
    square("Coincident", z=100.0)
    hits = raypick.api.ray_cast(bpy.context, (0.2, 0.2, 200), (0, 0, -1), all_hits=True)
    assert len(hits) == 21
    assert sorted(hit.object for hit in hits[:2]) == ["Coincident", "Sheets"]


def test_11_a_shared_edge_or_vertex_is_hit_once(raypick, rng):
    """Blender's own ray cast and its BVHTree let some of such rays through."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=30, y_subdivisions=30)
    vertices = np.array([vertex.co for vertex in bpy.context.object.data.vertices])
    interior = vertices[np.abs(vertices).max(axis=1) < 1.0 - 1e-4]
    edges = (interior[:, None] + interior[rng.integers(len(interior), size=1)]) / 2
    for target in np.concatenate([interior, edges[:, 0]]):
        origin = rng.uniform((-1, -1, 3), (1, 1, 5))
        hits = raypick.api.ray_cast(bpy.context, origin, target - origin, all_hits=True)
        assert len(hits) == 1


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


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_15_numpy_arrays_are_taken_and_bad_input_is_told(raypick, kind):
    square()
    assert raypick.api.ray_cast(bpy.context, np.array([0, 0, 1], kind), np.array([1, 2, -4], kind))
    with pytest.raises(raypick.api.RaypickError, match="origin"):
        raypick.api.ray_cast(bpy.context, np.zeros((2, 2), kind), np.array([0, 0, -1], kind))


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


def meshes_read(raypick):
    return import_module(f"{raypick.__name__}.bridge.scene.snapshot")._meshes()


def orthographic(width, height, start, end):
    return Matrix(
        (
            (2 / width, 0, 0, 0),
            (0, 2 / height, 0, 0),
            (0, 0, -2 / (end - start), -(end + start) / (end - start)),
            (0, 0, 0, 1),
        )
    )
