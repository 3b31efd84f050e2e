# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks whose topology has changed go to the nearest places; others go to other objects."""

import importlib
import math

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from mathutils.bvhtree import BVHTree

from ...scenes import collection_instance, link, mesh_object, suzanne
from .oracle import hits_at, mark, reasons

CHANGED = "The topology has changed"


@pytest.fixture
def over(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.landmarks.topology")


@pytest.fixture
def binding(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.landmarks.topology")


def edit(obj, change):
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    edited.faces.ensure_lookup_table()
    change(edited)
    edited.to_mesh(obj.data)
    edited.free()
    obj.data.update()


def triangulate(edited):
    bmesh.ops.triangulate(edited, faces=edited.faces[:])


def decimate(edited):
    """Merge what is near, which moves the surface."""
    bmesh.ops.remove_doubles(edited, verts=edited.verts[:], dist=0.12)


def now(raypick, obj):
    return raypick.api.landmarks.points(bpy.context, obj)


def own_shape(obj, matrix=None):
    """Blender's own search in the object's own mesh, or in that moved by a matrix."""
    obj.data.calc_loop_triangles()
    vertices = [(matrix or Matrix()) @ vertex.co for vertex in obj.data.vertices]
    triangles = [triangle.vertices[:] for triangle in obj.data.loop_triangles]
    return BVHTree.FromPolygons(vertices, triangles, all_triangles=True)


@pytest.fixture
def head(raypick):
    """Suzanne with landmarks, turned, scaled and away from the origin."""
    obj = suzanne()
    obj.matrix_world = Matrix.LocRotScale((3, 1, -2), Matrix.Rotation(0.7, 3, "Y"), (2, 2, 2))
    bpy.context.view_layer.update()
    for hit, _ in hits_at(raypick, obj, 40, seed=1):
        raypick.api.landmarks.add(bpy.context, hit)
    now(raypick, obj)
    return obj


def test_they_go_to_the_nearest_places_and_say_how_far_that_is(raypick, over, head):
    before = now(raypick, head)
    edit(head, decimate)
    assert {*reasons(raypick, head)} == {CHANGED}
    tree = own_shape(head)
    inverse = head.matrix_world.inverted()
    nearest = [tree.find_nearest(inverse @ point) for point in map(vector, before)]
    moved = over.carry_over(bpy.context, head)
    assert reasons(raypick, head) == [None] * 40
    for (landmark, distance), (_, _, _, local), old, new in zip(
        moved, nearest, before, now(raypick, head), strict=True
    ):
        assert distance == pytest.approx(2.0 * local, abs=1e-5)
        assert distance == pytest.approx(np.linalg.norm(new - old), abs=1e-5)
        assert landmark.moved == distance
    assert max(distance for _, distance in moved) > 0.01


def vector(row):
    return Matrix.Translation(row.tolist()).translation


def test_only_those_that_are_asked_for_and_lost_are_carried_over(raypick, over, head):
    kept = raypick.api.landmarks.of(head)
    assert over.carry_over(bpy.context, head) == []
    edit(head, triangulate)
    wanted = {kept[3].id, kept[7].id}
    assert {each.id for each, _ in over.carry_over(bpy.context, head, wanted)} == wanted
    told = reasons(raypick, head)
    assert [i for i, reason in enumerate(told) if reason is None] == [3, 7]
    assert len(over.carry_over(bpy.context, head)) == 38
    assert reasons(raypick, head) == [None] * 40


def test_a_pose_does_not_matter(raypick, over, head):
    armature = link(bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature")))
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    head.vertex_groups.new(name="Bone").add(range(len(head.data.vertices)), 1.0, "REPLACE")
    head.modifiers.new("Armature", "ARMATURE").object = armature
    before = now(raypick, head)
    armature.pose.bones["Bone"].matrix = Matrix.LocRotScale(
        (5, 5, 5), Matrix.Rotation(2, 3, "X"), (1, 3, 1)
    )
    bpy.context.view_layer.update()
    posed = now(raypick, head)
    assert np.abs(posed - before).max() > 1.0
    edit(head, triangulate)  # the shape is the same: but for faces that are not flat
    moved = over.carry_over(bpy.context, head)
    assert max(distance for _, distance in moved) < 0.05
    assert np.abs(now(raypick, head) - posed).max() < 0.3
    armature.pose.bones["Bone"].matrix_basis = Matrix()
    bpy.context.view_layer.update()
    assert np.abs(now(raypick, head) - before).max() < 0.1


def test_the_last_known_shape_counts_and_not_that_in_which_they_were_placed(raypick, over, head):
    for vertex in head.data.vertices:
        vertex.co.x += 10.0
    head.data.update()
    before = now(raypick, head)
    edit(head, triangulate)
    over.carry_over(bpy.context, head)
    assert np.abs(now(raypick, head) - before).max() < 0.1


def test_it_counts_after_loading_too(raypick, over, head, tmp_path):
    for vertex in head.data.vertices:
        vertex.co.x += 10.0
    head.data.update()
    before = now(raypick, head)
    path = str(tmp_path / "head.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    head = bpy.data.objects["Suzanne"]
    edit(head, triangulate)
    assert {*reasons(raypick, head)} == {CHANGED}
    over.carry_over(bpy.context, head)
    assert np.abs(now(raypick, head) - before).max() < 0.1


def test_on_faces_that_modifiers_make_they_go_to_the_nearest_of_these(raypick, over, head):
    remesh = head.modifiers.new("Wireframe", "WIREFRAME")
    raypick.api.landmarks.remove(head)
    for hit, _ in hits_at(raypick, head, 20, seed=2):
        raypick.api.landmarks.add(bpy.context, hit)
    before = now(raypick, head)
    edit(head, triangulate)
    assert {*reasons(raypick, head)} == {CHANGED}
    moved = over.carry_over(bpy.context, head)
    after = now(raypick, head)
    distances = [distance for _, distance in moved]
    assert np.linalg.norm(after - before, axis=1) == pytest.approx(distances, abs=1e-5)
    evaluated = head.evaluated_get(bpy.context.evaluated_depsgraph_get())
    inverse = head.matrix_world.inverted()
    for old, distance in zip(before, distances, strict=True):
        local = inverse @ vector(old)
        point = evaluated.closest_point_on_mesh(local)[1]
        assert distance == pytest.approx(2.0 * (point - local).length, abs=1e-5)
    remesh.thickness *= 2.0
    assert np.isfinite(now(raypick, head)).all()


def test_copies_and_instances_are_kept(raypick, over):
    obj = mesh_object("Patch", [(1, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0)], [(0, 1, 2, 3)])
    obj.modifiers.new("Mirror", "MIRROR")
    empty = collection_instance(obj, (0, 0, 5))
    bpy.context.view_layer.update()
    (hit,) = raypick.api.ray_cast(bpy.context, (-1.3, 0.2, 9), (0, 0, -1))
    kept = raypick.api.landmarks.add(bpy.context, hit)
    assert (kept.instancer, kept.evaluated) == (empty.name, False)
    now(raypick, obj)
    edit(obj, lambda b: bmesh.ops.poke(b, faces=b.faces[:]))
    assert reasons(raypick, obj) == [CHANGED]
    ((landmark, distance),) = over.carry_over(bpy.context, obj)
    assert distance == pytest.approx(0.0, abs=1e-6)
    assert landmark.anchor.instancer == empty.name
    assert now(raypick, obj)[0] == pytest.approx((-1.3, 0.2, 5.0), abs=1e-6)


def test_of_a_bound_face_that_was_divided_its_parts_count(raypick, over, binding):
    """Another face comes nearer by then, to which a landmark that is not bound goes."""
    vertices = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    vertices += [(x, y, 0.5) for x, y, _ in vertices]
    obj = mesh_object("Two", vertices, [(0, 1, 2, 3), (4, 5, 6, 7)])
    mark(raypick, obj, [(0.2, 0.3, 0), (0.2, 0.3, 0)])
    bound, _ = raypick.api.landmarks.of(obj)
    now(raypick, obj)
    binding.bind(bpy.context, obj, {bound.id})

    def change(b):
        bmesh.ops.poke(b, faces=[b.faces[0]])
        for vertex in b.verts:
            vertex.co.z += 1.0 if vertex.co.z < 0.25 else -0.4

    edit(obj, change)
    assert reasons(raypick, obj) == ["The bound face was divided", CHANGED]
    (first, away), (second, near) = over.carry_over(bpy.context, obj)
    assert (away, near) == pytest.approx((1.0, 0.1), abs=1e-6)
    assert now(raypick, obj)[:, 2].tolist() == pytest.approx([1.0, 0.1], abs=1e-6)
    assert (first.bound is not None, second.bound) == (True, None)
    edit(obj, lambda b: b.faces.sort(key=lambda face: -face.index))
    assert reasons(raypick, obj) == [None, CHANGED]


def test_bound_faces_that_are_found_again_are_kept_as_they_are(raypick, over, binding, head):
    binding.bind(bpy.context, head)
    before = now(raypick, head)
    edit(head, lambda b: b.faces.sort(key=lambda face: -face.index))
    moved = over.carry_over(bpy.context, head)
    assert [distance for _, distance in moved] == [0.0] * 40
    assert np.abs(now(raypick, head) - before).max() < 1e-6
    binding.unbind(head)
    assert np.abs(now(raypick, head) - before).max() < 1e-6


def test_where_no_face_is_left_that_is_said(raypick, over, head):
    edit(head, lambda b: bmesh.ops.delete(b, geom=b.faces[:], context="FACES_ONLY"))
    text = head["raypick_landmarks"]
    with pytest.raises(raypick.api.RaypickError, match="no faces"):
        over.carry_over(bpy.context, head)
    assert head["raypick_landmarks"] == text


def test_a_transfer_to_the_same_topology_is_exact(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    del target["raypick_landmarks"]
    for vertex in target.data.vertices:
        vertex.co = (vertex.co.y * 3, math.sin(vertex.co.x), vertex.co.z + 1)
    target.matrix_world = Matrix.LocRotScale((0, 9, 0), None, (-1, 2, 3))
    bpy.context.view_layer.update()
    names = [each.name for each in raypick.api.landmarks.of(head)]
    assert over.transfer(bpy.context, head, target) == [(name, None) for name in names]
    pairs = zip(raypick.api.landmarks.of(head), raypick.api.landmarks.of(target), strict=True)
    for old, new in pairs:
        assert (new.name, new.set) == (old.name, old.set)
        assert new.id != old.id
        assert (new.face, new.barycentric, new.moved) == (old.face, old.barycentric, None)
    mesh, matrix = target.data, np.array(target.matrix_world)
    for record, point in zip(raypick.api.landmarks.of(target), now(raypick, target), strict=True):
        corners = [mesh.vertices[v].co[:] for v in record.vertices]
        local = sum(w * np.array(p) for w, p in zip(record.barycentric, corners, strict=True))
        assert point == pytest.approx(matrix[:3, :3] @ local + matrix[:3, 3], abs=1e-6)


def test_to_another_topology_they_go_to_the_nearest_places_of_the_world(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    del target["raypick_landmarks"]
    edit(target, decimate)
    target.matrix_world = (
        Matrix.Translation((0.5, 0, 0)) @ head.matrix_world @ Matrix.Scale(0.5, 4, (0, 0, 1))
    )
    bpy.context.view_layer.update()
    with pytest.raises(raypick.api.RaypickError, match="another topology"):
        over.transfer(bpy.context, head, target, by="topology")
    found = over.transfer(bpy.context, head, target)
    tree = own_shape(target, target.matrix_world)
    places = zip(now(raypick, head), now(raypick, target), found, strict=True)
    for old, new, (_, distance) in places:
        nearest = tree.find_nearest(old.tolist())
        assert distance == pytest.approx(nearest[3], abs=1e-5)
        assert distance == pytest.approx(np.linalg.norm(new - old), abs=1e-6)


def test_by_closest_point_the_same_topology_does_not_matter(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    target.matrix_world = Matrix()
    bpy.context.view_layer.update()
    wanted = {raypick.api.landmarks.of(head)[5].id}
    ((name, distance),) = over.transfer(bpy.context, head, target, wanted, by="closest")
    assert distance > 0.5
    sets = {each.set for each in raypick.api.landmarks.of(target)}
    assert sets == {"Landmarks", "Landmarks.001"}
    (record,) = raypick.api.landmarks.of(target, "Landmarks.001")
    assert (record.name, record.moved) == (name, distance)


def test_what_is_nowhere_is_not_transferred(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    del target["raypick_landmarks"]
    target.location.x += 1.0
    bpy.context.view_layer.update()
    edit(head, decimate)
    found = over.transfer(bpy.context, head, target)
    assert {distance for _, distance in found} == {None}, "the target has their topology"
    edit(target, triangulate)
    del target["raypick_landmarks"]
    with pytest.raises(raypick.api.RaypickError, match="not known where"):
        over.transfer(bpy.context, head, target)
    assert "raypick_landmarks" not in target
