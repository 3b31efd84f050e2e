# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that have landmarks survive edits of the topology."""

import bmesh
import bpy
import numpy as np
import pytest

from ..scenes import down, square, suzanne


@pytest.fixture
def head(raypick):
    """Return a head with three landmarks, active and selected."""
    obj = suzanne()
    for number, (x, y) in enumerate([(0.1, 0.2), (-0.3, 0.1), (0.4, -0.2)]):
        raypick.api.landmarks.add(bpy.context, down(raypick, x, y)[0], f"L{number}")
    return obj


def subdivide(obj):
    """Split each edge of an object's mesh in two, which moves no surface."""
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    bmesh.ops.subdivide_edges(edited, edges=edited.edges, cuts=1)
    edited.to_mesh(obj.data)
    edited.free()
    bpy.context.view_layer.update()


def points(raypick, obj):
    return raypick.api.landmarks.points(bpy.context, obj)


def test_carrying_over_puts_them_back_onto_the_surface(raypick, head):
    before = points(raypick, head)
    subdivide(head)
    assert np.isnan(points(raypick, head)).all()
    assert bpy.ops.raypick.carry_over_landmarks() == {"FINISHED"}
    after = points(raypick, head)
    # Quads that are not plane get another surface when they are split.
    assert np.abs(after - before).max() < 0.02
    moved = [each.moved for each in raypick.api.landmarks.of(head)]
    assert moved == pytest.approx(np.linalg.norm(after - before, axis=1), abs=1e-6)


def test_where_nothing_has_changed_nothing_is_carried_over(raypick, head):
    before = head["raypick_landmarks"]
    with pytest.raises(RuntimeError, match="topology has not changed"):
        bpy.ops.raypick.carry_over_landmarks()
    assert head["raypick_landmarks"] == before


def test_landmarks_are_transferred_exactly_to_the_same_topology(raypick, head):
    other = head.copy()
    other.data = head.data.copy()
    del other["raypick_landmarks"]
    bpy.context.collection.objects.link(other)
    other.location = (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    other.select_set(True)
    assert bpy.ops.raypick.transfer_landmarks() == {"FINISHED"}
    there = points(raypick, other)
    assert np.abs(there - (5.0, 0.0, 0.0) - points(raypick, head)).max() < 1e-6
    mine, copies = raypick.api.landmarks.of(head), raypick.api.landmarks.of(other)
    assert [each.barycentric for each in copies] == [each.barycentric for each in mine]
    assert {each.id for each in copies}.isdisjoint({each.id for each in mine})


def test_landmarks_are_transferred_to_the_nearest_places_of_another(raypick, head):
    floor = square("Floor", z=-3.0, size=4.0)
    floor.location = (-2.0, -2.0, 0.0)
    bpy.context.view_layer.update()
    floor.select_set(True)
    with pytest.raises(RuntimeError, match="another topology"):
        bpy.ops.raypick.transfer_landmarks(by="TOPOLOGY")
    bpy.ops.raypick.transfer_landmarks()
    before, there = points(raypick, head), points(raypick, floor)
    assert np.abs(there[:, :2] - before[:, :2]).max() < 1e-5
    assert there[:, 2].tolist() == pytest.approx([-3.0] * 3)


def test_without_another_selected_object_nothing_is_transferred(head):
    for obj in bpy.context.selected_objects:
        obj.select_set(obj == head)
    assert not bpy.ops.raypick.transfer_landmarks.poll()


def test_bound_landmarks_are_known_after_edits_elsewhere(raypick, head):
    before = points(raypick, head)
    assert bpy.ops.raypick.bind_landmarks() == {"FINISHED"}
    edited = bmesh.new()
    edited.from_mesh(head.data)
    edited.faces.ensure_lookup_table()
    kept = {each.face for each in raypick.api.landmarks.of(head)}
    gone = [face for face in edited.faces if face.index not in kept][:20]
    bmesh.ops.delete(edited, geom=gone, context="FACES")
    edited.to_mesh(head.data)
    edited.free()
    bpy.context.view_layer.update()
    assert np.abs(points(raypick, head) - before).max() < 1e-6
    bpy.ops.raypick.unbind_landmarks()
    assert "raypick_landmark" not in head.data.attributes


def test_scripts_do_the_same(raypick, head):
    landmarks = raypick.api.landmarks
    assert landmarks.bind(bpy.context, head, ["L0"]) == 1
    assert landmarks.unbind(head) == 1
    subdivide(head)
    assert set(landmarks.carry_over(bpy.context, head, ["L1"])) == {"L1"}
    assert set(landmarks.carry_over(bpy.context, head)) == {"L0", "L2"}
    floor = square("Floor", z=-3.0, size=4.0)
    bpy.context.view_layer.update()
    assert set(landmarks.transfer(bpy.context, head, floor)) == {"L0", "L1", "L2"}
    with pytest.raises(raypick.api.RaypickError, match="by must be"):
        landmarks.transfer(bpy.context, head, floor, by="name")
    with pytest.raises(raypick.api.RaypickError, match="no landmark 'nasion'"):
        landmarks.bind(bpy.context, head, ["nasion"])
