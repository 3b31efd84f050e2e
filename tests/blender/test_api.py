# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python API: the contract of ray_cast and of its hits."""

import json
import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from .scenes import down, mesh_object, square


def test_a_hit_says_everything_about_the_place(raypick):
    obj = square("Floor", z=2.0)
    obj.data.materials.append(bpy.data.materials.new("Wood"))
    obj.data.uv_layers.new(name="Map").uv.foreach_set("vector", [0, 0, 2, 0, 2, 2, 0, 2])
    (hit,) = down(raypick, 0.75, 0.25)
    assert (hit.object, hit.instancer, hit.instance) == ("Floor", None, None)
    assert (hit.face, hit.original_face, hit.evaluated) == (0, 0, True)
    triangle = obj.data.loop_triangles[hit.triangle]
    assert tuple(triangle.vertices) == hit.vertices
    assert hit.distance == 8.0
    assert hit.point == hit.point_local == (0.75, 0.25, 2.0)
    assert hit.normal == (0.0, 0.0, 1.0)
    assert hit.front
    assert hit.uv == (1.5, 0.5)
    assert hit.material == "Wood"
    assert sum(hit.barycentric) == pytest.approx(1.0, abs=1e-15)
    assert Matrix(hit.matrix_world) == obj.matrix_world


def test_values_are_plain_python_that_json_can_store(raypick):
    square()
    (hit,) = down(raypick, 0.3, 0.6)
    assert json.loads(json.dumps(hit.as_dict()))["point"] == [0.3, 0.6, 0.0]
    assert type(hit.distance) is type(hit.barycentric[0]) is float
    assert type(hit.face) is type(hit.vertices[0]) is int


def test_hits_can_be_members_of_sets(raypick):
    square().data.uv_layers.new(name="Map")
    again = [down(raypick, 0.3, 0.6)[0] for _ in range(2)]
    assert set(again) == {again[0]}
    assert down(raypick, 0.3, 0.7)[0] not in set(again)


def test_nothing_hit_is_an_empty_list(raypick):
    square()
    assert down(raypick, 5.0, 5.0) == []


def test_an_empty_scene_and_empty_meshes_are_never_hit(raypick):
    assert down(raypick, 0.0, 0.0) == []
    mesh_object("Empty", [], [])
    mesh_object("Loose", [(0, 0, 0), (1, 0, 0)], [])
    assert down(raypick, 0.0, 0.0) == []


def test_all_hits_are_sorted_over_all_objects(raypick):
    for z in (1.0, -3.0, 0.0, -1.0):
        square(f"At {z:g}", z)
    hits = down(raypick, 0.25, 0.5, all_hits=True)
    assert [hit.object for hit in hits] == ["At 1", "At 0", "At -1", "At -3"]
    assert [hit.distance for hit in hits] == [9.0, 10.0, 11.0, 13.0]
    assert down(raypick, 0.25, 0.5) == hits[:1]


def test_max_distance_includes_its_end(raypick):
    square()
    assert down(raypick, 0.25, 0.5, max_distance=10.0)
    assert not down(raypick, 0.25, 0.5, max_distance=9.999)


def test_cull_leaves_out_a_side(raypick):
    square()
    assert down(raypick, 0.25, 0.5, cull="back")
    assert not down(raypick, 0.25, 0.5, cull="front")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (((0, 0), (0, 0, -1)), "origin"),
        (((0, 0, math.nan), (0, 0, -1)), "origin"),
        (((0, 0, 0), (0, 0, 0)), "direction"),
        (((0, 0, 0), ("a", "b", "c")), "direction"),
        (((0, 0, 0), (0, 0, 1), -1.0), "max_distance"),
        (((0, 0, 0), (0, 0, 1), 1.0, "sideways"), "cull"),
    ],
)
def test_bad_input_raises_an_error_that_names_the_argument(raypick, arguments, told):
    with pytest.raises(raypick.api.RaypickError, match=told):
        raypick.api.ray_cast(bpy.context, *arguments)


def test_a_context_or_space_that_is_none_is_told(raypick):
    ray = (0, 0, 1), (0, 0, -1)
    with pytest.raises(raypick.api.RaypickError, match="context"):
        raypick.api.ray_cast(None, *ray)
    with pytest.raises(raypick.api.RaypickError, match="space"):
        raypick.api.ray_cast(bpy.context, *ray, space="x")
    with pytest.raises(raypick.api.RaypickError, match="context"):
        raypick.api.render_camera(None)


def test_numpy_arrays_and_vectors_are_taken(raypick):
    square()
    (a,) = raypick.api.ray_cast(bpy.context, np.array([0.25, 0.5, 3]), np.array([0, 0, -1]))
    origin = Matrix.Translation((0.25, 0.5, 3)).translation
    (b,) = raypick.api.ray_cast(bpy.context, origin, -Matrix.Identity(3)[2])
    assert a == b


@pytest.mark.parametrize("sides", [3, 4, 5, 8])
def test_the_triangle_is_blenders_loop_triangle(raypick, rng, sides):
    """Concave polygons and n-gons are split by Blender; the index counts in its triangles."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    radii = np.where(np.arange(sides) % 2, 1.0, 0.45 if sides > 3 else 1.0)
    ring = np.stack([radii * np.cos(angles), radii * np.sin(angles), 0 * angles], axis=1)
    vertices = np.concatenate([ring, ring + (3, 0, 0)]).tolist()
    faces = [tuple(range(sides)), tuple(range(sides, 2 * sides))]
    obj = mesh_object("Polygons", vertices, faces)
    obj.data.calc_loop_triangles()
    seen = set()
    for x, y in rng.uniform(-1, 1, (300, 2)):
        for hit in (*down(raypick, x, y), *down(raypick, x + 3, y)):
            triangle = obj.data.loop_triangles[hit.triangle]
            assert (tuple(triangle.vertices), triangle.polygon_index) == (hit.vertices, hit.face)
            seen.add(hit.triangle)
    assert seen == set(range(len(obj.data.loop_triangles)))


def test_a_face_beyond_the_material_slots_has_the_last_material(raypick):
    obj = square()
    for name in ("First", "Last"):
        obj.data.materials.append(bpy.data.materials.new(name))
    obj.data.polygons[0].material_index = 7
    (hit,) = down(raypick, 0.25, 0.5)
    assert hit.material == "Last"


def test_vertices_that_are_not_finite_harm_nothing(raypick):
    obj = mesh_object(
        "Holes",
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (math.nan, 0, 0), (0, math.inf, 0)],
        [(0, 1, 2), (0, 1, 3), (0, 1, 4)],
    )
    (hit,) = down(raypick, 0.25, 0.25, all_hits=True)
    assert (hit.object, hit.face) == (obj.name, 0)


def test_hits_at_large_coordinates_keep_their_digits(raypick):
    """Blender's own ray cast is off by millimetres here."""
    obj = square(size=100.0)
    obj.location = (1e6, 1e6, 0.0)
    (hit,) = down(raypick, 1e6 + 12.345, 1e6 + 67.891)
    assert hit.point == pytest.approx((1e6 + 12.345, 1e6 + 67.891, 0.0), abs=1e-8)


def test_a_thousand_sheets_a_millimetre_apart_are_all_hit(raypick):
    corners = [(x, y, 100 - i * 1e-3) for i in range(1000) for x, y in ((0, 0), (1, 0), (0, 1))]
    faces = [(i, i + 1, i + 2) for i in range(0, 3000, 3)]
    mesh_object("Sheets", corners, faces)
    hits = raypick.api.ray_cast(bpy.context, (0.2, 0.2, 200), (0, 0, -1), all_hits=True)
    assert [hit.face for hit in hits] == list(range(1000))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_15_numpy_arrays_are_taken_and_bad_input_is_told(raypick, kind):
    square()
    assert raypick.api.ray_cast(bpy.context, np.array([0, 0, 1], kind), np.array([1, 2, -4], kind))
    with pytest.raises(raypick.api.RaypickError, match="origin"):
        raypick.api.ray_cast(bpy.context, np.zeros((2, 2), kind), np.array([0, 0, -1], kind))
