# SPDX-License-Identifier: GPL-3.0-or-later
"""Places at UV coordinates: where a hit's own `uv` leads back to, on each layer of the map."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.scenes import (
    collection_instance,
    evaluated_mesh,
    instance_on_points,
    mesh_object,
    square,
    suzanne,
)

LIFTED = (
    Matrix.Translation((1, 2, 3)) @ Matrix.Diagonal((2, 1, 0.5, 1)) @ Matrix.Rotation(1, 4, "X")
)


@pytest.fixture
def api(raypick):
    return raypick.api


def mapped(obj, coordinates, name="UVMap"):
    """Give an object a UV map with coordinates (L, 2) of its face corners."""
    layer = obj.data.uv_layers.new(name=name)
    layer.uv.foreach_set("vector", np.asarray(coordinates, dtype=np.float32).ravel())
    bpy.context.view_layer.update()
    return obj


def layers_by_hand(obj, uv):
    """The numbers of the triangles whose UV triangle contains a point that is on no edge."""
    with_triangles = evaluated_mesh(obj)
    with_triangles.calc_loop_triangles()
    found = []
    for triangle in with_triangles.loop_triangles:
        layer = with_triangles.uv_layers.active.uv
        a, b, c = (np.array(layer[i].vector, dtype=float) - uv for i in triangle.loops)
        sides = [p[0] * q[1] - p[1] * q[0] for p, q in ((a, b), (b, c), (c, a))]
        if min(sides) > 0 or max(sides) < 0:
            found.append(triangle.index)
    return found


@pytest.mark.parametrize("levels", [0, 1])
def test_it_finds_every_hit_again_by_its_uv(api, rng, levels):
    """Among the layers of Suzanne's own map, counted by hand."""
    obj = suzanne(levels)
    obj.matrix_world = LIFTED
    bpy.context.view_layer.update()
    hits = [
        hit
        for x, y in rng.random((30, 2)) * (4, 2) + (-1, 1)
        for hit in api.ray_cast(bpy.context, (x, y, 9), (0, 0, -1), all_hits=True)
    ]
    assert len(hits) > 10
    for hit in hits:
        found = api.at_uv(bpy.context, obj, hit.uv)
        assert [place.triangle for place in found] == layers_by_hand(obj, hit.uv)
        (again,) = [place for place in found if place.triangle == hit.triangle]
        assert np.allclose(again.point, hit.point, rtol=0, atol=1e-9)
        assert np.allclose(again.uv, hit.uv, rtol=0, atol=1e-15)
        assert (again.face, again.original_face) == (hit.face, hit.original_face)
        assert np.allclose(again.barycentric, hit.barycentric, rtol=0, atol=1e-9)
        assert np.allclose(again.normal, hit.normal, rtol=0, atol=1e-12)
        assert (again.distance, again.front) == (0.0, True)


def test_mirrored_halves_are_two_places(api):
    corners = [(-2, 0, 0), (0, 0, 0), (0, 0, 2), (-2, 0, 2), (2, 0, 0), (2, 0, 2)]
    obj = mesh_object("Face", corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
    mapped(obj, [(1, 0), (0, 0), (0, 1), (1, 1), (0, 0), (1, 0), (1, 1), (0, 1)])
    points = [place.point for place in api.at_uv(bpy.context, "Face", (0.25, 0.5))]
    assert points == [(-0.5, 0.0, 1.0), (0.5, 0.0, 1.0)]
    (fold,) = api.at_uv(bpy.context, "Face", (0, 0.5))
    assert (fold.face, fold.point) == (0, (0.0, 0.0, 1.0))
    assert api.at_uv(bpy.context, "Face", (1.25, 0.5)) == []


def test_many_points_are_columns_of_the_same_places(api, rng):
    obj = suzanne(1)
    obj.matrix_world = LIFTED
    bpy.context.view_layer.update()
    uvs = rng.random((5, 8, 2))
    uvs[0, 0] = np.nan
    columns = ("face", "triangle", "barycentric", "point", "normal", "uv", "original_face")
    found = api.at_uvs(bpy.context, obj, uvs, columns=columns, attributes=["UVMap"])
    assert found.is_complete
    assert found["ray"].tolist() == np.repeat(np.arange(40), np.diff(found.splits)).tolist()
    for i, uv in enumerate(uvs.reshape(-1, 2)[1:], 1):
        rows = range(found.splits[i], found.splits[i + 1])
        places = api.at_uv(bpy.context, obj, uv)
        assert [found["triangle"][row] for row in rows] == [place.triangle for place in places]
        for row, place in zip(rows, places, strict=True):
            for name in ("face", "barycentric", "point", "normal", "original_face"):
                assert np.array_equal(found[name][row], getattr(place, name)), name
            assert np.allclose(found["uv"][row], uv, rtol=0, atol=1e-15)
    assert found.splits[1] == 0
    assert len(found) > 10
    assert len(api.at_uvs(bpy.context, obj, [])) == 0


def test_the_map_is_the_active_one_or_that_named(api):
    obj = mapped(square("Tile"), [(0, 0), (1, 0), (1, 1), (0, 1)], "First")
    mapped(obj, [(1, 1), (0, 1), (0, 0), (1, 0)], "Second")
    obj.data.uv_layers.active = obj.data.uv_layers["Second"]
    bpy.context.view_layer.update()
    assert api.at_uv(bpy.context, obj, (0.25, 0.5))[0].point == (0.75, 0.5, 0.0)
    assert api.at_uv(bpy.context, obj, (0.25, 0.5), "First")[0].point == (0.25, 0.5, 0.0)
    with pytest.raises(api.RaypickError, match="no UV map 'Third': there are 'First', 'Second'"):
        api.at_uv(bpy.context, obj, (0, 0), "Third")
    square("Bare")
    bpy.context.view_layer.update()
    with pytest.raises(api.RaypickError, match="'Bare' has no UV map: there are none"):
        api.at_uvs(bpy.context, "Bare", [(0, 0)])


def test_instances_have_places_of_their_own(api):
    tile = mapped(square("Tile"), [(0, 0), (1, 0), (1, 1), (0, 1)])
    collection_instance(tile, (5, 0, 0))
    bpy.context.view_layer.update()
    (place,) = api.at_uv(bpy.context, tile, (0.25, 0.5))
    assert (place.instancer, place.point) == ("Instancer", (5.25, 0.5, 0.0))
    instance_on_points(square("Carrier", size=8), tile)
    bpy.context.view_layer.update()
    hits = api.ray_cast(bpy.context, (8.25, 8.5, 9), (0, 0, -1))
    (hit,) = [hit for hit in hits if hit.instancer == "Carrier"]
    named = {"instance": hit.instance, "instancer": "Carrier"}
    (place,) = api.at_uv(bpy.context, tile, (0.75, 0.5), **named)
    assert (place.instance, place.point) == (hit.instance, (8.75, 8.5, 0.0))
    found = api.at_uvs(bpy.context, tile, [(0.75, 0.5), (0.25, 0.5)], **named)
    assert found["point"].tolist() == [[8.75, 8.5, 0], [8.25, 8.5, 0]]
    assert {found.instances.persistent_id[row] for row in found["instance"]} == {hit.instance}


def test_a_flattened_object_has_places_on_the_faces_that_keep_an_area(api):
    obj = mapped(square("Tile"), [(0, 0), (1, 0), (1, 1), (0, 1)])
    obj.scale = (2, 1, 0)
    bpy.context.view_layer.update()
    (place,) = api.at_uv(bpy.context, obj, (0.25, 0.5))
    assert (place.point, place.normal) == ((0.5, 0.5, 0.0), (0.0, 0.0, 1.0))
    obj.scale = (0, 1, 1)
    bpy.context.view_layer.update()
    assert api.at_uv(bpy.context, obj, (0.25, 0.5)) == []


def test_original_meshes_have_places_without_modifiers(api):
    obj = mapped(square("Tile"), [(0, 0), (0.5, 0), (0.5, 0.5), (0, 0.5)])
    obj.modifiers.new("Copies", "ARRAY").count = 3
    bpy.context.view_layer.update()
    found = api.at_uv(bpy.context, obj, (0.25, 0.25))
    assert [(place.face, place.original_face) for place in found] == [(0, 0), (1, 0), (2, 0)]
    (own,) = api.at_uv(bpy.context, obj, (0.25, 0.25), evaluated=False)
    assert (own.evaluated, own.face, own.point) == (False, 0, (0.5, 0.5, 0.0))


def test_in_edit_mode_edits_count_and_hidden_faces_have_no_places(api):
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    obj = mesh_object("Strip", corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
    mapped(obj, [(0, 0), (1, 0), (1, 1), (0, 1)] * 2)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert [place.face for place in api.at_uv(bpy.context, obj, (0.25, 0.75))] == [0, 1]
        bpy.ops.mesh.select_mode(type="FACE")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.transform.translate(value=(0, 0, 1))
        points = [place.point for place in api.at_uv(bpy.context, obj, (0.25, 0.75))]
        assert points == [(0.25, 0.75, 1.0), (1.25, 0.75, 1.0)]
        bpy.ops.mesh.select_all(action="DESELECT")
        edited = bmesh.from_edit_mesh(obj.data)
        edited.faces.ensure_lookup_table()
        edited.faces[0].hide_set(True)
        bmesh.update_edit_mesh(obj.data)
        bpy.context.view_layer.update()
        assert [place.face for place in api.at_uv(bpy.context, obj, (0.25, 0.75))] == [1]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def hide(obj, face):
    edited = bmesh.from_edit_mesh(obj.data)
    edited.faces.ensure_lookup_table()
    edited.faces[face].hide_set(True)
    bmesh.update_edit_mesh(obj.data)
    bpy.context.view_layer.update()


@pytest.mark.parametrize("hidden", [0, 1])
def test_edges_and_corners_that_a_hidden_face_shares_are_on_the_other(api, hidden):
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    obj = mesh_object("Strip", corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
    mapped(obj, [(corners[i][0] / 2, corners[i][1]) for i in (0, 1, 2, 3, 1, 4, 5, 2)])
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        hide(obj, hidden)
        shared = [(0.5, 0.5), (0.5, 0), (0.5, 1)]
        assert [[place.face for place in api.at_uv(bpy.context, obj, uv)] for uv in shared] == [
            [1 - hidden]
        ] * 3
        found = api.at_uvs(bpy.context, obj, [*shared, (0.25, 0.5), (0.75, 0.5)])
        assert found["face"].tolist() == [1 - hidden] * 4
        assert np.diff(found.splits).tolist() == [1, 1, 1, hidden, 1 - hidden]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("scale", [(1, 1, 1), (1, 1, 0)], ids=["same", "flat"])
def test_edges_and_corners_that_a_triangle_without_area_shares_are_on_the_other(api, scale):
    """A fan around a corner: its first three triangles have an area in the map, and none in space.

    The last one is a wall, which has no area either when the fan is flattened.
    """
    corners = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (0, 4, 0), (0, 4, 4)]
    faces = [(0, i, i + 1) for i in range(1, 4)] + [(0, 4, 5), (0, 5, 6)]
    obj = mesh_object("Fan", corners, faces)
    flat = [(0, 0), (4, -3), (4, -2), (4, -1), (4, 0), (0, 4), (-4, 4)]
    mapped(obj, [flat[i] for face in faces for i in face])
    obj.scale = scale
    bpy.context.view_layer.update()
    is_flat = scale[2] == 0
    asked = {(0, 0): [3], (4, 0): [3], (2, 0): [3], (0, 2): [3], (-1, 3): [] if is_flat else [4]}
    for uv, wanted in {**asked, (3, -2): []}.items():
        assert [place.face for place in api.at_uv(bpy.context, obj, uv)] == wanted, uv
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        hide(obj, 3)
        last = [] if is_flat else [4]
        for uv, wanted in {(0, 0): last, (0, 2): last, (4, 0): [], (2, 0): [], (1, 1): []}.items():
            assert [place.face for place in api.at_uv(bpy.context, obj, uv)] == wanted, uv
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize(
    ("given", "named", "wrong"),
    [
        ((0, 0, 0), {}, r"uv must have shape \(2,\)"),
        ((0, float("nan")), {}, "uv"),
        ("ab", {}, "uv"),
        ((0, 0), {"uv_map": 3}, "uv_map"),
        ((0, 0), {"instance": (7,)}, "no mesh of the object 'Tile'"),
    ],
)
def test_what_cannot_be_asked_is_refused(api, given, named, wrong):
    obj = mapped(square("Tile"), [(0, 0), (1, 0), (1, 1), (0, 1)])
    with pytest.raises(api.RaypickError, match=wrong):
        api.at_uv(bpy.context, obj, given, **named)


def test_points_of_three_numbers_and_hidden_objects_are_refused(api):
    obj = mapped(square("Tile"), [(0, 0), (1, 0), (1, 1), (0, 1)])
    with pytest.raises(api.RaypickError, match=r"points must have shape \(\.\.\., 2\)"):
        api.at_uvs(bpy.context, obj, [(0, 0, 0)])
    obj.hide_set(True)
    with pytest.raises(api.RaypickError, match="no mesh of the object 'Tile' is visible"):
        api.at_uvs(bpy.context, obj, [(0, 0)])
