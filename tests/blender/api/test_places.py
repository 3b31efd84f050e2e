# SPDX-License-Identifier: GPL-3.0-or-later
"""Hits found again, one or many: where they are now, by Blender's evaluated mesh, or why not."""

import importlib
from dataclasses import replace

import bpy
import numpy as np
import pytest
from mathutils import Euler

from tests.blender.scenes import (
    collection_instance,
    down,
    instance_on_points,
    link,
    mesh_object,
    square,
    suzanne,
)

COLUMNS = (
    *("object", "face", "triangle", "barycentric", "point", "normal", "distance", "front"),
    *("vertices", "original_face", "smooth_normal", "uv", "material"),
)


@pytest.fixture
def api(raypick):
    return raypick.api


def bent(obj):
    """A shape key that bends an object; its value is 0."""
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Bent")
    for point in key.data:
        point.co.z += 0.4 * point.co.x**2 + 0.3 * point.co.y
    key.value = 0.0
    return key


def rays_from_above(rng, count, spread=1.2):
    return rng.uniform((-spread, -spread, 9), (spread, spread, 10), (count, 3)).tolist()


def hits_below(api, rng, count, **options):
    """All hits of random rays downwards, one list."""
    found = []
    for origin in rays_from_above(rng, count):
        found += api.ray_cast(bpy.context, origin, (0.1, 0.05, -1), all_hits=True, **options)
    return found


def where_blender_has(hit):
    """The world place of the triangle's vertices, mixed by the weights, and the unit normal."""
    obj = bpy.data.objects[hit.object]
    if hit.evaluated:
        obj = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = obj.data
    matrix = np.array(hit.matrix_world if hit.instancer else obj.matrix_world)
    local = np.array([mesh.vertices[vertex].co for vertex in hit.vertices], np.float64)
    world = local @ matrix[:3, :3].T + matrix[:3, 3]
    a, b, c = world
    normal = np.cross(b - a, c - a) * np.sign(np.linalg.det(matrix[:3, :3]))
    return np.array(hit.barycentric) @ world, normal / np.linalg.norm(normal)


def assert_is_there(api, hits):
    """Each hit is found where Blender has its vertices, alone and together with all others."""
    now = api.places(bpy.context, hits, columns=COLUMNS)
    assert now.hit.all()
    assert now.shape == (len(hits),)
    assert now.reasons == (None,) * len(hits)
    for row, hit in enumerate(hits):
        one = api.place(bpy.context, hit)
        point, normal = where_blender_has(hit)
        np.testing.assert_allclose(one.point, point, atol=1e-6)
        np.testing.assert_allclose(one.normal, normal, atol=1e-5)
        assert one.distance == 0.0
        kept = "face", "triangle", "vertices", "barycentric", "front", "instancer", "instance"
        assert [getattr(one, name) for name in kept] == [getattr(hit, name) for name in kept]
        assert_is(now, row, one)
    return now


def assert_is(hits, row, one):
    """A row says what a hit says, to the last bit."""
    assert hits.names()[row] == one.object
    number = hits["instance"][row]
    assert hits.instances.instancer[number] == one.instancer
    assert hits.instances.persistent_id[number] == one.instance
    assert hits.instances.mesh_size[number] == one.mesh_size
    assert hits.instances.matrix_world[number].tolist() == [*map(list, one.matrix_world)]
    for name in ("face", "triangle", "distance", "front"):
        assert hits[name][row] == getattr(one, name), name
    for name in ("barycentric", "point", "normal", "vertices", "smooth_normal"):
        assert tuple(hits[name][row].tolist()) == getattr(one, name), name
    assert hits["original_face"][row] == (-1 if one.original_face is None else one.original_face)


@pytest.mark.parametrize("listed", [False, True], ids=["list out of date", "list up to date"])
def test_hits_follow_a_mesh_that_bends_and_an_object_that_turns(raypick, api, rng, listed):
    head, tile = suzanne(), square("Tile", z=-2.0, size=3.0)
    key = bent(head)
    tile.location = -1.5, -1.5, 0
    bpy.context.view_layer.update()
    hits = hits_below(api, rng, 40)
    assert {hit.object for hit in hits} == {head.name, "Tile"}
    for value in (0.3, 1.0):
        key.value = value
        head.rotation_euler = Euler((value, 0.2, 0.3))
        tile.scale = -value, 2.0, 1.0
        bpy.context.view_layer.update()
        if listed:
            down(raypick, 0, 0)
        assert_is_there(api, hits)


def test_hits_that_have_not_moved_are_where_they_were(api, rng):
    suzanne(levels=1)
    bpy.context.view_layer.update()
    hits = hits_below(api, rng, 30)
    now = assert_is_there(api, hits)
    np.testing.assert_allclose(now["point"], [hit.point for hit in hits], atol=1e-9)
    assert now["normal"].tolist() == [list(hit.normal) for hit in hits]
    for hit in hits:
        place = api.place(bpy.context, hit.object, hit.face, hit.triangle, hit.barycentric)
        assert api.place(bpy.context, hit) == replace(place, front=hit.front)


def test_instances_are_told_apart(api, rng):
    collection_instance(square("Tile"), (5, 0, 0))
    instance_on_points(mesh_object("Carrier", [(0, 0, 0), (3, 0, 0)], []))
    bpy.context.view_layer.update()
    places = [(5.3, 0.4, 9), (0.1, 0.2, 9), (3.1, 0.2, 9)]
    hits = [api.ray_cast(bpy.context, place, (0, 0, -1))[0] for place in places]
    bpy.data.objects["Instancer"].location.z = 2.0
    bpy.data.objects["Carrier"].location.y = 1.0
    bpy.context.view_layer.update()
    now = api.places(bpy.context, hits)
    moved = np.array([hit.point for hit in hits]) + [(0, 0, 2), (0, 1, 0), (0, 1, 0)]
    np.testing.assert_allclose(now["point"], moved, atol=1e-6)
    assert len({*now["instance"].tolist()}) == 3
    for row, hit in enumerate(hits):
        assert api.place(bpy.context, hit).point == tuple(now["point"][row].tolist())


def test_a_renamed_object_is_found_and_not_another_of_its_old_name(api):
    tile = square("Tile")
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    tile.name = "Renamed"
    square("Tile", z=3.0)
    bpy.context.view_layer.update()
    assert api.place(bpy.context, hit).object == "Renamed"
    now = api.places(bpy.context, [hit])
    assert now.names().tolist() == ["Renamed"]
    np.testing.assert_allclose(now["point"], [(0.25, 0.5, 0)], atol=1e-9)


def test_a_hit_of_another_session_is_found_by_name(api):
    square("Tile")
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    saved = api.PickHit.from_dict(hit.as_dict())
    assert saved.session_uid is None
    assert api.places(bpy.context, [saved, hit]).hit.all()


def deleted(tile):
    bpy.data.objects.remove(tile)


def hidden(tile):
    tile.hide_set(True)


def disabled(tile):
    tile.hide_viewport = True


def unlinked(tile):
    bpy.context.scene.collection.objects.unlink(tile)


def made_an_instancer(tile):
    tile.instance_type = "FACES"
    tile.show_instancer_for_viewport = False
    child = square("Child", size=0.1)
    child.parent = tile


def made_a_copy(tile):
    """Children of an instancer are shown as its instances alone."""
    tile.parent = square("Parent", z=-5.0)
    tile.parent.instance_type = "VERTS"


def divided(tile):
    tile.modifiers.new("Subdivision", "SUBSURF").levels = 1


def joined_otherwise(tile):
    """As many vertices, edges, corners and faces, but the faces in another order."""
    vertices = [tuple(vertex.co) for vertex in tile.data.vertices]
    faces = [tuple(polygon.vertices) for polygon in tile.data.polygons]
    tile.data.clear_geometry()
    tile.data.from_pydata(vertices, [], faces[::-1])


def folded(tile):
    tile.data.vertices[3].co = 0.9, 0.4, 0


def without_area(tile):
    for vertex in tile.data.vertices:
        vertex.co.y = 0.0


def without_size(tile):
    tile.scale = 0, 0, 0


def hidden_face(tile):
    bpy.context.view_layer.objects.active = tile
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.hide()


GONE = {
    deleted: "The object was deleted",
    hidden: "The object is not visible",
    disabled: "The object is not visible",
    unlinked: "The object is not visible",
    made_an_instancer: "The object is not visible",
    divided: "The topology has changed",
    joined_otherwise: "The topology has changed",
    folded: "The face is split differently",
    without_area: "The triangle has no area",
    without_size: "The triangle has no area",
    hidden_face: "The face is hidden",
}


@pytest.mark.parametrize("listed", [False, True], ids=["list out of date", "list up to date"])
@pytest.mark.parametrize("change", GONE, ids=lambda change: change.__name__)
def test_what_is_gone_says_why(raypick, api, change, listed):
    """The others are found all the same."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    tile = mesh_object("Tile", corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
    square("Floor", z=-9.0, size=4.0)
    bpy.context.view_layer.update()
    (hit,) = down(raypick, 0.7, 0.2)
    (other,) = down(raypick, 3.5, 3.5)
    change(tile)
    bpy.context.view_layer.update()
    if listed:
        down(raypick, 3.5, 3.5)
    now = api.places(bpy.context, [hit, other, hit], columns=COLUMNS)
    assert now.hit.tolist() == [False, True, False]
    assert now.reasons == (GONE[change], None, GONE[change])
    assert now["face"].tolist() == [-1, 0, -1]
    assert np.isnan(now["point"][0]).all()
    assert now["distance"].tolist() == [np.inf, 0.0, np.inf]
    assert now.names().tolist() == ["", "Floor", ""]
    with pytest.raises(api.RaypickError, match=GONE[change]):
        api.place(bpy.context, hit)


def test_of_a_removed_instance_the_reason_is_its_own(api):
    empty = collection_instance(square("Tile"), (5, 0, 0))
    bpy.context.view_layer.update()
    (hit,) = api.ray_cast(bpy.context, (5.3, 0.4, 9), (0, 0, -1))
    bpy.data.objects.remove(empty)
    bpy.context.view_layer.update()
    assert api.places(bpy.context, [hit]).reasons == ("The instance is not visible",)


def test_of_an_instancers_child_only_the_list_tells_what_is_shown(raypick, api):
    """While the list is out of date, the answer is that of the list all the same."""
    tile = square("Tile")
    bpy.context.view_layer.update()
    (hit,) = down(raypick, 0.7, 0.2)
    made_a_copy(tile)
    bpy.context.view_layer.update()
    before = api.places(bpy.context, [hit]).reasons
    down(raypick, 0.7, 0.2)
    assert api.places(bpy.context, [hit]).reasons == before


def test_with_flipped_normals_it_is_the_same_place_from_the_other_side(raypick, api, rng):
    head = suzanne()
    bpy.context.view_layer.update()
    hits = hits_below(api, rng, 20)
    head.data.flip_normals()
    bpy.context.view_layer.update()
    now = api.places(bpy.context, hits)
    assert now.hit.all()
    np.testing.assert_allclose(now["point"], [hit.point for hit in hits], atol=1e-9)
    np.testing.assert_allclose(now["normal"], [-np.array(hit.normal) for hit in hits], atol=1e-6)
    assert now["front"].tolist() == [not hit.front for hit in hits]
    for row, hit in enumerate(hits):
        one = api.place(bpy.context, hit)
        assert one.barycentric == tuple(now["barycentric"][row].tolist())
        assert one.triangle == now["triangle"][row]


def test_polygons_are_split_as_blender_splits_them(api, rng):
    """Faces of many corners, and quads that are no planes, of several meshes."""
    angles = np.linspace(0, 2 * np.pi, 9, endpoint=False)
    for number in range(3):
        ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], 1) * rng.uniform(0.5, 1)
        ring[:, 2] += rng.normal(scale=0.1, size=9)
        quad = rng.normal(scale=0.2, size=(4, 3)) + [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        vertices = [*ring.tolist(), *quad.tolist()]
        obj = mesh_object(f"Ring{number}", vertices, [(*range(9),), (9, 10, 11, 12)])
        obj.location.z = 3.0 * number
        bent(obj)
    bpy.context.view_layer.update()
    hits = hits_below(api, rng, 40)
    assert len({hit.object for hit in hits}) == 3
    assert {len(hit.face_vertices) for hit in hits} == {9, 4}
    for obj in bpy.context.scene.objects:
        obj.location.x, obj.data.shape_keys.key_blocks[1].value = 1.0, 1e-3
    bpy.context.view_layer.update()
    assert_is_there(api, hits)


def test_own_meshes_are_followed_without_modifiers(api, rng):
    head = suzanne(levels=1)
    bpy.context.view_layer.update()
    hits = hits_below(api, rng, 20, evaluated=False)
    for vertex in head.data.vertices:
        vertex.co *= 1.5
    head.location.x = 1.0
    head.data.update()
    bpy.context.view_layer.update()
    now = assert_is_there(api, hits)
    assert not now.evaluated
    assert not api.place(bpy.context, hits[0]).evaluated


def test_objects_of_a_library_are_followed(api, tmp_path):
    source = square("Linked")
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {source})
    bpy.data.objects.remove(source)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Linked"]
    link(wanted.objects[0])
    square("Linked", z=-3.0)
    bpy.context.view_layer.update()
    both = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1), all_hits=True)
    assert [hit.library is None for hit in both] == [False, True]
    now = api.places(bpy.context, both)
    assert now.hit.all()
    assert [now.libraries[number] for number in now["object"]] == [hit.library for hit in both]
    assert [api.place(bpy.context, hit).library for hit in both] == [hit.library for hit in both]


def test_attributes_are_those_of_the_place(api, rng):
    tile = square("Tile")
    group = tile.vertex_groups.new(name="Group")
    group.add([0, 1], 1.0, "REPLACE")
    bpy.context.view_layer.update()
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    asked = {"columns": (), "attributes": ["Group", "None"], "missing": "nan"}
    now = api.places(bpy.context, [hit, hit], **asked)
    assert [*now] == ["instance", "attribute:Group", "attribute:None"]
    np.testing.assert_allclose(now["attribute:Group"], hit.weights["Group"])
    assert np.isnan(now["attribute:None"]).all()


def test_the_viewport_decides_what_is_visible(api):
    area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
    space = area.spaces.active
    square("Tile")
    bpy.context.view_layer.update()
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    for _ in ("list up to date", "list out of date"):
        space.show_object_viewport_mesh = False
        assert api.places(bpy.context, [hit], space=space).reasons == ("The object is not visible",)
        assert api.places(bpy.context, [hit]).hit.all()
        space.show_object_viewport_mesh = True
        assert api.places(bpy.context, [hit], space=space).hit.all()
        square("Other", z=-3.0)
        bpy.context.view_layer.update()


def test_no_hits_are_no_rows(api):
    now = api.places(bpy.context, [], columns=COLUMNS)
    assert (now.shape, len(now), now.reasons, now.objects) == ((0,), 0, (), ())
    assert now["vertices"].shape == (0, 3)


def test_a_hit_keeps_what_it_snapped_to(api):
    square("Tile")
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    assert api.place(bpy.context, replace(hit, snapped=("face", 0))).snapped == ("face", 0)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("face", "only space beside it"),
        ("barycentric", "only space beside it"),
        ("evaluated", "only space beside it"),
        ("instance", "only space beside it"),
    ],
)
def test_beside_a_hit_nothing_else_is_taken(api, given, told):
    square("Tile")
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    value = {"face": 0, "barycentric": (1, 0, 0), "evaluated": True, "instance": (0,)}[given]
    with pytest.raises(api.RaypickError, match=told):
        api.place(bpy.context, hit, **{given: value})


def test_what_is_no_list_of_hits_is_told(api):
    square("Tile")
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    own = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1), evaluated=False)
    for hits, told in (
        (hit, "hits must be a list"),
        ([hit, "Tile"], "each of hits must be a PickHit"),
        ([hit, *own], "all of evaluated meshes, or all of original"),
        ([replace(hit, barycentric=(0.5, 0.5, 0.5))], "add up to 1"),
        ([replace(hit, vertices=(0, 1))], "not those of any hit"),
        ([replace(hit, face="first")], "not those of any hit"),
    ):
        with pytest.raises(api.RaypickError, match=told):
            api.places(bpy.context, hits)
    with pytest.raises(api.RaypickError, match="there is no column 'depth'"):
        api.places(bpy.context, [hit], columns=["depth"])
    with pytest.raises(api.RaypickError, match="context"):
        api.places(None, [])


def test_places_that_no_mesh_has_are_gone(api):
    """Hits may come from anywhere."""
    square("Tile")
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    wrong = [
        replace(hit, face=7),
        replace(hit, face=-1),
        replace(hit, vertices=(0, 1, 7)),
        replace(hit, face_vertices=(0, 1, 2, 7)),
        replace(hit, face_vertices=()),
    ]
    now = api.places(bpy.context, wrong)
    assert not now.hit.any()
    assert all(now.reasons)
    odd = replace(hit, triangle_of_face=9)  # the vertices tell the triangle
    assert api.places(bpy.context, [odd]).hit.all()


def test_nothing_is_listed_for_mesh_objects_alone(raypick, api, monkeypatch):
    tile = square("Tile")
    key = bent(tile)
    bpy.context.view_layer.update()
    (hit,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    key.value = 1.0
    bpy.context.view_layer.update()
    instances = importlib.import_module(f"{raypick.__name__}.bridge.scene.instances")
    monkeypatch.setattr(instances, "listing", None)
    assert api.places(bpy.context, [hit]).hit.all()
    assert api.place(bpy.context, hit).point[2] > 0.1


def test_flat_objects_are_followed(api):
    """A scale of zero: its vertices are mixed in world space."""
    tile = square("Tile")
    tile.rotation_euler = Euler((0.3, 0.2, 0.1))
    tile.scale = 1.0, 1.0, 0.0
    bpy.context.view_layer.update()
    (hit,) = api.ray_cast(bpy.context, (0.4, 0.5, 9), (0, 0, -1))
    now = api.places(bpy.context, [hit])
    np.testing.assert_allclose(now["point"][0], hit.point, atol=1e-6)
    assert now["normal"][0].tolist() == list(hit.normal)
    tile.location.z = 2.0
    bpy.context.view_layer.update()
    np.testing.assert_allclose(
        api.places(bpy.context, [hit])["point"][0], np.add(hit.point, (0, 0, 2)), atol=1e-6
    )
