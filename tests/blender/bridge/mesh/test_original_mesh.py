# SPDX-License-Identifier: GPL-3.0-or-later
"""With ``evaluated=False`` objects' own meshes are hit, without modifiers and shape keys."""

import bmesh
import bpy
import pytest

from ...scenes import collection_instance, down, square, suzanne


def original(raypick, x=0.25, y=0.5):
    return down(raypick, x, y, evaluated=False)


def test_modifiers_are_left_out(raypick):
    obj = square()
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 2
    obj.modifiers.new("Displace", "DISPLACE").strength = 3.0
    seen, own = down(raypick, 0.25, 0.5)[0], original(raypick)[0]
    assert seen.evaluated
    assert seen.point[2] != 0.0
    assert not own.evaluated
    assert (own.face, own.original_face, own.original_reason) == (0, 0, None)
    assert own.point == (0.25, 0.5, 0.0)
    assert down(raypick, 0.25, 0.5)[0] == seen


def test_what_has_no_modifiers_is_hit_the_same(raypick, rng):
    suzanne()
    for x, y in rng.uniform(-0.8, 0.8, (40, 2)):
        seen, own = (down(raypick, x, y, all_hits=True, evaluated=e) for e in (True, False))
        assert [(h.face, h.triangle, h.barycentric, h.uv) for h in own] == [
            (h.face, h.triangle, h.barycentric, h.uv) for h in seen
        ]


def test_shape_keys_are_left_out(raypick):
    obj = square()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="High")
    for point in key.data:
        point.co.z = 2.0
    key.value = 1.0
    assert down(raypick, 0.25, 0.5)[0].point[2] == 2.0
    assert original(raypick)[0].point[2] == 0.0


def test_edits_that_are_not_finished_are_seen(raypick):
    obj = square()
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert original(raypick)[0].point[2] == 0.0
    edited = bmesh.from_edit_mesh(obj.data)
    for vertex in edited.verts:
        vertex.co.z = 1.5
    bmesh.update_edit_mesh(obj.data)
    assert original(raypick)[0].point[2] == 1.5
    bpy.ops.object.mode_set(mode="OBJECT")
    assert original(raypick)[0].point[2] == 1.5


def test_changes_of_the_mesh_are_seen(raypick):
    obj = square()
    assert original(raypick)[0].point[2] == 0.0
    for vertex in obj.data.vertices:
        vertex.co.z = -1.0
    obj.data.update()
    assert original(raypick)[0].point[2] == -1.0
    obj.location.z = 3.0
    assert original(raypick)[0].point[2] == 2.0


def test_instances_of_an_object_have_its_own_mesh(raypick):
    obj = square()
    obj.modifiers.new("Displace", "DISPLACE").strength = 3.0
    collection_instance(obj, (5, 0, 0))
    hit = original(raypick, 5.25)[0]
    assert (hit.instancer, hit.evaluated, hit.point[2]) == ("Instancer", False, 0.0)


def test_what_has_no_mesh_of_its_own_is_hit_as_it_is_seen(raypick):
    bpy.ops.surface.primitive_nurbs_surface_sphere_add()
    hit = original(raypick, 0.1, 0.1)[0]
    assert (hit.evaluated, hit.original_face) == (True, None)


@pytest.mark.parametrize("by_name", [False, True])
def test_objects_can_be_left_out(raypick, by_name):
    high, low = square("High", z=1.0), square("Low")
    given = "High" if by_name else high
    assert [h.object for h in down(raypick, 0.25, 0.5, all_hits=True, exclude=[given])] == ["Low"]
    assert down(raypick, 0.25, 0.5, all_hits=True, exclude=[given, low]) == []
    assert len(down(raypick, 0.25, 0.5, all_hits=True)) == 2


def test_instances_go_with_what_is_left_out(raypick):
    empty = collection_instance(tile := square(), (0, 0, 0))
    assert down(raypick, 0.25, 0.5)
    for left_out in (empty, tile):
        assert not down(raypick, 0.25, 0.5, exclude=[left_out])


@pytest.mark.parametrize("wrong", ["Nobody", ["Nobody"], [3], 3, [None]])
def test_what_cannot_be_left_out_is_told(raypick, wrong):
    square()
    with pytest.raises(raypick.api.RaypickError):
        down(raypick, 0.25, 0.5, exclude=wrong)


def test_a_removed_object_cannot_be_left_out(raypick):
    gone = square("Gone")
    bpy.data.objects.remove(gone)
    with pytest.raises(raypick.api.RaypickError, match="removed"):
        down(raypick, 0.25, 0.5, exclude=[gone])
