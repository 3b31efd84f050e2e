# SPDX-License-Identifier: GPL-3.0-or-later
"""The inverse of a pick: a face or triangle and weights lead back to the place."""

import bpy
import numpy as np
import pytest

from ..scenes import (
    collection_instance,
    down,
    instance_on_points,
    link,
    mesh_object,
    square,
    suzanne,
)


def random_hits(raypick, rng, count):
    """Hits of random rays through the middle of the scene."""
    hits = []
    for _ in range(count):
        way = rng.normal(size=3)
        start = rng.uniform(-0.6, 0.6, 3) - 20 * way
        hits += raypick.api.ray_cast(bpy.context, start, way, all_hits=True)
    assert len(hits) > count
    return hits


def assert_same_place(found, hit):
    assert (found.face, found.triangle, found.vertices) == (hit.face, hit.triangle, hit.vertices)
    assert (found.object, found.instancer, found.instance) == (
        *(hit.object, hit.instancer, hit.instance),
    )
    assert found.point == pytest.approx(hit.point, abs=1e-12)
    assert found.point_local == pytest.approx(hit.point_local, abs=1e-12)
    assert found.normal == pytest.approx(hit.normal, abs=1e-12)
    assert found.barycentric == pytest.approx(hit.barycentric, abs=1e-15)
    assert (found.uv is None) == (hit.uv is None)


def test_random_hits_lead_back_to_their_places(raypick, rng):
    obj = suzanne(levels=1)
    obj.matrix_world = [[1.5, 0.2, 0, 0.1], [0, -0.7, 0.3, 0], [0.1, 0, 0.9, 0.2], [0, 0, 0, 1]]
    for hit in random_hits(raypick, rng, 40):
        place = raypick.api.place
        assert_same_place(place(bpy.context, obj, hit.face, hit.triangle, hit.barycentric), hit)
        weights = {"barycentric": hit.barycentric}
        assert_same_place(place(bpy.context, "Suzanne", triangle=hit.triangle, **weights), hit)
        within = {"triangle_of_face": hit.triangle_of_face} | weights
        assert_same_place(place(bpy.context, "Suzanne", hit.face, **within), hit)
        bpy.ops.raypick.place(
            *("EXEC_DEFAULT",), **{"object": "Suzanne", "count": "FACE", "face": hit.face} | within
        )
        shown = raypick.session.current.kept().hit
        assert shown.triangle == hit.triangle
        assert shown.point == pytest.approx(hit.point, abs=1e-5)  # properties: single precision


def test_hits_of_instances_lead_back_to_the_instance(raypick, rng):
    tile = suzanne()
    collection_instance(tile, (0.3, 0, 0))
    carrier = mesh_object("Carrier", [(0, 0, 0), (0, 0, 2), (0, 3, 0)], [])
    instance_on_points(carrier)
    hits = random_hits(raypick, rng, 20)
    assert {hit.instancer for hit in hits} == {"Instancer", "Carrier"}
    for hit in hits:
        found = raypick.api.place(
            *(bpy.context, hit.object, hit.face, hit.triangle, hit.barycentric),
            instance=hit.instance,
            instancer=hit.instancer,
        )
        assert_same_place(found, hit)


def test_a_face_alone_is_the_middle_of_its_first_triangle(raypick):
    square()
    found = raypick.api.place(bpy.context, "Square", 0)
    assert (found.face, found.triangle, found.distance, found.front) == (0, 0, 0.0, True)
    assert found.barycentric == (1 / 3, 1 / 3, 1 / 3)
    assert found.point == pytest.approx(np.mean(found.corners, axis=0))


def test_weights_with_few_digits_are_made_to_add_up_to_one(raypick):
    square()
    found = raypick.api.place(bpy.context, "Square", triangle=0, barycentric=[0.3333] * 3)
    assert sum(found.barycentric) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ({"object": "Nothing", "face": 0}, "there is no object 'Nothing'"),
        ({"object": "Square", "face": 1}, "no face 1 is shown"),
        ({"object": "Square", "face": -1}, "no face -1 is shown"),
        ({"object": "Square", "triangle": 2}, "there is no triangle 2"),
        ({"object": "Square", "face": 1, "triangle": 0}, "part of face 0, not 1"),
        ({"object": "Square"}, "a face or a triangle is needed"),
        ({"object": "Square", "face": 0, "barycentric": (1, 1, 0)}, "must add up to 1"),
        ({"object": "Square", "face": 0, "barycentric": (2, -1, 0)}, "must not be below 0"),
        ({"object": "Square", "face": 0, "barycentric": (1, 0)}, "barycentric"),
        ({"object": "Square", "face": 0, "instance": (3,)}, "persistent id"),
        ({"object": "Flat", "face": 0}, "has no area"),
        ({"object": "Hidden", "face": 0}, "is visible"),
        ({"object": 3, "face": 0}, "object"),
        ({"object": "Square", "face": 0, "barycentric": (1, 0, 0)}, "has 2 triangles"),
        ({"object": "Square", "face": 0, "triangle_of_face": 2}, "has no triangle 2"),
        ({"object": "Square", "face": 0, "triangle_of_face": -1}, "has no triangle -1"),
        ({"object": "Square", "triangle": 1, "triangle_of_face": 0}, "is number 1 of its face"),
        ({"object": "Square", "triangle": 1, "triangle_of_face": 0.5}, "must be an integer"),
        ({"object": "Square", "face": 0, "library": "//a.blend"}, "of the library '//a.blend'"),
        ({"object": "Square", "face": "x"}, "face must be an integer"),
        ({"object": "Square", "triangle": 0.5}, "triangle must be an integer"),
        ({"object": "Square", "face": 0, "instance": 5}, "instance"),
    ],
)
def test_places_that_are_not_there_are_told(raypick, place, told):
    square()
    mesh_object("Flat", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    square("Hidden").hide_set(True)
    with pytest.raises(raypick.api.RaypickError, match=told):
        raypick.api.place(bpy.context, **place)


def test_faces_that_edit_mode_hides_are_not_there(raypick):
    vertices = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    obj = mesh_object("Two", vertices, [(0, 1, 2, 3), (1, 4, 5, 2)])
    obj.data.polygons[0].hide = True
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    hit = down(raypick, 1.25, 0.5)[0]
    assert (hit.face, hit.triangle) == (1, 3)
    assert_same_place(
        raypick.api.place(bpy.context, "Two", triangle=3, barycentric=hit.barycentric), hit
    )
    for place in ({"face": 0}, {"triangle": 1}):
        with pytest.raises(raypick.api.RaypickError, match=r"hidden|is shown"):
            raypick.api.place(bpy.context, "Two", **place)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_the_operator_shows_the_place(raypick):
    suzanne()
    assert bpy.ops.raypick.place(object="Suzanne", count="FACE", face=7) == {"FINISHED"}
    hit = raypick.session.current.kept().hit
    assert (hit.object, hit.face) == ("Suzanne", 7)
    with pytest.raises(RuntimeError, match="there is no object"):
        bpy.ops.raypick.place(object="Nobody", triangle=7)


def test_of_namesakes_the_object_itself_or_its_library_tells_which(raypick, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {square(z=3.0)}, fake_user=True)
    bpy.data.objects.remove(bpy.data.objects["Square"])
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = ["Square"]
    linked = into.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    local = square()
    assert linked.name == local.name == "Square"
    place = raypick.api.place
    hit = down(raypick, 0.25, 0.5)[0]
    assert (hit.library, hit.point[2]) == (linked.library.filepath, 3.0)
    for sought in ({"object": linked}, {"object": "Square", "library": hit.library}):
        assert place(bpy.context, **sought, face=0).point[2] == 3.0
    for sought in ({"object": local}, {"object": "Square"}):
        assert place(bpy.context, **sought, face=0).point[2] == 0.0
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    bpy.ops.raypick.select_object()
    assert bpy.context.selected_objects == [linked]


def test_the_operator_finds_the_instance_and_the_mesh_that_were_hit(raypick):
    tile = square("Tile")
    collection = collection_instance(tile, (5, 0, 0)).instance_collection
    other = link(bpy.data.objects.new("Other", None))
    other.instance_type, other.instance_collection = "COLLECTION", collection
    other.location = (9, 0, 0)
    hit = down(raypick, 9.25, 0.5)[0]
    named = {
        "object": "Tile",
        "instancer": hit.instancer,
        "instance": ", ".join(map(str, hit.instance)),
    }
    bpy.ops.raypick.place(**named, triangle=hit.triangle, barycentric=hit.barycentric)
    assert raypick.session.current.kept().hit.point == pytest.approx(hit.point, abs=1e-5)
    with pytest.raises(RuntimeError, match="no persistent id"):
        bpy.ops.raypick.place(**{**named, "instance": "first"})
    square().modifiers.new("Subdivision", "SUBSURF").levels = 2
    for mesh, evaluated in (("ORIGINAL", False), ("EVALUATED", True)):
        bpy.ops.raypick.place(object="Square", triangle=1, mesh=mesh)
        found = raypick.session.current.kept().hit
        assert found.evaluated is evaluated
        placed = raypick.api.place(bpy.context, "Square", triangle=1, evaluated=evaluated)
        assert found.point == pytest.approx(placed.point, abs=1e-6)


@pytest.mark.parametrize("library", [5, b"x", ["a"]])
def test_a_library_is_named_by_its_path(raypick, library):
    square()
    with pytest.raises(raypick.api.RaypickError, match="library must be"):
        raypick.api.place(bpy.context, "Square", face=0, library=library)
