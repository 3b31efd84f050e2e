# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that a script or a brush changed, of which Blender reports nothing: it is read anew."""

from contextlib import contextmanager
from importlib import import_module

import bmesh
import bpy
import numpy as np
import pytest

from ...conftest import PACKAGE
from ...scenes import down, mesh_object

VERTICES = [(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (0, 2, 0), (5, 0, 0), (6, 0, 0), (5, 1, 0)]
PENTAGON, TRIANGLE = (0, 1, 2, 3, 4), (5, 6, 7)
IN_PENTAGON, IN_TRIANGLE = (1.0, 1.0), (5.2, 0.2)


@pytest.fixture(params=["sculpted", "own"])
def own(raypick, request):
    """Whether an object's own mesh is picked; else its evaluated one, which is sculpted on."""
    yield request.param == "own"
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.fixture
def unreported(raypick):
    """Pick before Blender evaluates, which would report a change: as drawing does."""
    changes = import_module(f"{PACKAGE}.bridge.scene.changes")
    while_drawing = import_module(f"{PACKAGE}.bridge.scene.changes").while_drawing

    @contextmanager
    def drawing():
        assert not changes.pending.any
        with while_drawing():
            yield

    return drawing


def picked_on(obj, own):
    if not own:
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="SCULPT")
    return obj.data


def rebuild(mesh, faces):
    """Give a mesh the same vertices with other faces."""
    build = bmesh.new()
    vertices = [build.verts.new(place) for place in VERTICES]
    for face in faces:
        build.faces.new([vertices[number] for number in face])
    build.to_mesh(mesh)
    build.free()


def test_faces_that_swapped_their_sizes_are_split_anew(raypick, own, unreported):
    mesh = picked_on(mesh_object("Swapped", VERTICES, [PENTAGON, TRIANGLE]), own)
    for _ in range(2):
        assert down(raypick, *IN_TRIANGLE, evaluated=not own)[0].face == 1
    rebuild(mesh, [TRIANGLE, PENTAGON])
    with unreported():
        for _ in range(2):
            (hit,) = down(raypick, *IN_PENTAGON, evaluated=not own)
            assert (hit.face, hit.face_vertices) == (1, PENTAGON)
            assert {*hit.vertices} <= {*PENTAGON}


def test_a_face_that_has_a_corner_more_is_split_anew(raypick, own, unreported):
    """It has all the triangles that it had, and one of the next face."""
    mesh = picked_on(mesh_object("Grown", VERTICES, [PENTAGON, (5, 6, 7, 3)]), own)
    for _ in range(2):
        assert down(raypick, *IN_TRIANGLE, evaluated=not own)[0].face == 1
    hexagon = (0, 1, 5, 2, 3, 4)
    rebuild(mesh, [hexagon, TRIANGLE])
    with unreported():
        (hit,) = down(raypick, *IN_PENTAGON, evaluated=not own)
        assert (hit.face, hit.face_vertices) == (0, hexagon)
        (hit,) = down(raypick, 3.0, 0.5, evaluated=not own)
        assert (hit.face, hit.face_vertices) == (0, hexagon)


def test_faces_that_were_flipped_in_place_are_reported_as_they_are(raypick, own, unreported):
    obj = mesh_object("Flipped", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)])
    uv = obj.data.uv_layers.new(name="UV")
    uv.data.foreach_set("uv", [0, 0, 1, 0, 1, 1])
    mesh = picked_on(obj, own)
    for _ in range(2):
        (hit,) = down(raypick, 0.6, 0.3, evaluated=not own)
        assert hit.front
        assert hit.uv == pytest.approx((0.6, 0.3))
    corners = np.empty(3, dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.loops.foreach_set("vertex_index", corners[::-1].copy())
    with unreported():
        (hit,) = down(raypick, 0.6, 0.3, evaluated=not own)
        assert hit.face_vertices == (2, 1, 0)
        assert not hit.front
        # The map stays with the corners, whose places are now (1, 1), (1, 0) and (0, 0).
        assert hit.uv == pytest.approx((0.7, 0.4))


def test_where_no_face_is_hidden_a_pick_is_not_lost_to_a_hidden_face(raypick, unreported):
    query = import_module(f"{PACKAGE}.bridge.query")
    snapshot = import_module(f"{PACKAGE}.bridge.scene.snapshot")
    mesh = mesh_object("Swapped", VERTICES, [PENTAGON, TRIANGLE]).data
    hits = down(raypick, *IN_PENTAGON, evaluated=False)
    for each in snapshot._meshes():
        each.release()  # how the pentagon is split is forgotten
    down(raypick, *IN_TRIANGLE, evaluated=False)
    rebuild(mesh, [TRIANGLE, PENTAGON])
    with unreported():
        (reason,) = query.follow(bpy.context, hits, None)
        assert reason == "The topology has changed"
