# SPDX-License-Identifier: GPL-3.0-or-later
"""What `exclude` and `only` choose: objects, names, collections; instances and who makes them."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.bridge.view.test_cameras import region, seen_by
from tests.blender.scenes import collection_instance, instance_on_points, link, mesh_object, square

RAY = (0.25, 0.5, 9.0), (0.0, 0.0, -1.0)
HEIGHTS = {"A": 3.0, "B": 2.0, "C": 1.0}


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def stack():
    """Squares above each other, the highest first; B and C are in a collection inside another."""
    found = {name: square(name, z) for name, z in HEIGHTS.items()}
    outer, inner = (bpy.data.collections.new(name) for name in ("Outer", "Inner"))
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    for name, collection in (("B", outer), ("C", inner)):
        bpy.context.scene.collection.objects.unlink(found[name])
        collection.objects.link(found[name])
    bpy.context.view_layer.update()
    return found


def hit_by_all(api, **choices):
    """The names of what each function finds along the same ray, which must agree."""
    one = [hit.object for hit in api.ray_cast(bpy.context, *RAY, all_hits=True, **choices)]
    every = api.cast_rays_all(bpy.context, [RAY[0]], RAY[1], **choices)
    assert every.names().tolist() == one
    (first,) = api.cast_rays(bpy.context, [RAY[0]], RAY[1], **choices).names().tolist()
    assert first == "".join(one[:1])
    assert api.count_hits(bpy.context, [RAY[0]], RAY[1], **choices).tolist() == [len(one)]
    assert api.any_hit(bpy.context, [RAY[0]], RAY[1], **choices).tolist() == [bool(one)]
    plain = api.core_scene(bpy.context, **choices)
    assert [plain[hit.instance].name.split(" (")[0] for hit in plain.ray_cast_all(*RAY)] == one
    near = api.closest_point(bpy.context, RAY[0], **choices)
    assert (near.object if near else "") == first
    (near,) = api.closest_points(bpy.context, [RAY[0]], **choices).names().tolist()
    assert near == first
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    render = bpy.context.scene.render
    camera.location = (0.25, 0.5, 9.0)
    render.resolution_x, render.resolution_y = 8, 4
    view = seen_by(camera)
    picked = api.pick(bpy.context, region(), view, (320, 200), all_hits=True, **choices)
    assert [hit.object for hit in picked] == one
    seen = api.survey(bpy.context, camera, **choices).names()
    assert seen[seen.shape[0] // 2, seen.shape[1] // 2] == first
    bpy.data.objects.remove(camera)
    bpy.context.view_layer.update()
    return "".join(one)


def test_each_function_chooses_by_object_by_name_and_by_collection(api, stack):
    evaluated = stack["B"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    outer, inner = bpy.data.collections["Outer"], bpy.data.collections["Inner"]
    for choice, chosen in (
        ("A", "A"),
        (stack["A"], "A"),
        (evaluated, "B"),
        (outer, "BC"),
        ("Outer", "BC"),
        (inner, "C"),
        (["A", inner], "AC"),
        ((stack["C"], "B", "Outer"), "BC"),
        ({"A", "B"}, "AB"),
        (iter([stack["A"], "Inner"]), "AC"),
        (outer.objects, "B"),
        (bpy.context.scene.collection, "ABC"),
        (bpy.context.scene.objects, "ABC"),
        ([], ""),
        ((), ""),
    ):
        choice = [*choice] if hasattr(choice, "__next__") else choice
        assert hit_by_all(api, only=choice) == chosen, choice
        rest = "".join(name for name in "ABC" if name not in chosen)
        assert hit_by_all(api, exclude=choice) == rest, choice
    assert hit_by_all(api, only=None) == "ABC"
    assert hit_by_all(api, exclude=None) == "ABC"
    assert hit_by_all(api, only=["A", "B"], exclude="A") == "B"
    assert hit_by_all(api, only="Outer", exclude=inner) == "B"


def test_an_iterator_is_read_once(api, stack):
    hits = api.ray_cast(bpy.context, *RAY, only=(each for each in [stack["C"], "Inner"]))
    assert hits[0].object == "C"


def test_what_joins_a_collection_later_is_chosen_too(api, stack):
    inner = bpy.data.collections["Inner"]
    assert hit_by_all(api, only="Inner") == "C"
    inner.objects.link(stack["A"])
    assert hit_by_all(api, only="Inner") == "AC"
    inner.objects.unlink(stack["C"])
    bpy.context.scene.collection.objects.link(stack["C"])
    assert hit_by_all(api, only="Inner") == "A"


def test_a_name_is_that_of_an_object_before_that_of_a_collection(api, stack):
    bpy.data.collections["Inner"].name = "A"
    assert hit_by_all(api, only="A") == "A"
    assert hit_by_all(api, only=bpy.data.collections["A"]) == "C"
    stack["A"].name = "Other"
    assert api.ray_cast(bpy.context, *RAY, only="A")[0].object == "C"


def test_a_collection_without_objects_chooses_nothing(api, stack):
    empty = bpy.data.collections.new("Empty")
    assert hit_by_all(api, only=empty) == ""
    assert hit_by_all(api, exclude="Empty") == "ABC"


def test_an_instance_is_chosen_by_its_object_and_by_its_maker(api):
    tile = square("Tile", 1.0)
    maker = collection_instance(tile, (0, 0, 0))
    square("Floor")
    bpy.context.view_layer.update()
    for choice in (tile, "Tile", maker, "Instancer", bpy.data.collections["Instanced"]):
        assert hit_by_all(api, only=choice) == "Tile"
        assert hit_by_all(api, exclude=choice) == "Floor"
    holder = bpy.data.collections.new("Makers")
    bpy.context.scene.collection.children.link(holder)
    holder.objects.link(maker)
    assert hit_by_all(api, only=holder) == "Tile"
    assert hit_by_all(api, exclude="Makers") == "Floor"


def test_an_object_that_also_stands_alone_is_chosen_with_its_instances(api):
    tile = square("Tile", 1.0)
    collection_instance(tile, (0, 0, 1))
    bpy.context.scene.collection.objects.link(tile)
    square("Floor")
    bpy.context.view_layer.update()
    hits = api.ray_cast(bpy.context, *RAY, all_hits=True, only=tile)
    assert [hit.point[2] for hit in hits] == [2.0, 1.0]
    hits = api.ray_cast(bpy.context, *RAY, all_hits=True, only="Instancer")
    assert [(hit.point[2], hit.instancer) for hit in hits] == [(2.0, "Instancer")]
    hits = api.ray_cast(bpy.context, *RAY, all_hits=True, exclude="Instancer")
    assert [hit.point[2] for hit in hits] == [1.0, 0.0]


def test_instances_inside_of_instances_are_chosen_by_the_outermost_maker(api):
    tile = square("Tile", 1.0)
    inner = collection_instance(tile, (0, 0, 0))
    inner.name = "Inner maker"
    collection_instance(inner, (0, 0, 1)).name = "Outer maker"
    square("Floor")
    bpy.context.view_layer.update()
    assert hit_by_all(api, only="Outer maker") == "Tile"
    assert hit_by_all(api, exclude="Outer maker") == "Floor"
    assert hit_by_all(api, only="Tile") == "Tile"


def test_what_nodes_make_is_chosen_by_the_object_with_the_nodes(api):
    carrier = mesh_object("Carrier", [(0.25, 0.5, 3)], [])
    instance_on_points(carrier)
    tile = square("Tile", 1.0)
    other = mesh_object("Other", [(0, 0, 0)], [])
    instance_on_points(other, tile)
    bpy.context.view_layer.update()
    for choice, heights in (("Carrier", [3.5, 2.5]), ("Other", [1.0]), ("Tile", [1.0, 1.0])):
        hits = api.ray_cast(bpy.context, *RAY, all_hits=True, only=choice)
        assert [hit.point[2] for hit in hits] == pytest.approx(heights)


def test_linked_objects_and_collections_are_chosen(api, tmp_path):
    """Local names come before those of libraries."""
    path = str(tmp_path / "library.blend")
    thing, shelf = square("Thing", 2.0), bpy.data.collections.new("Shelf")
    shelf.objects.link(thing)
    bpy.data.libraries.write(path, {shelf, thing})
    bpy.data.objects.remove(thing)
    bpy.data.collections.remove(shelf)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.collections = ["Shelf"]
    (linked,) = into.collections
    bpy.context.scene.collection.children.link(linked)
    square("Floor")
    bpy.context.view_layer.update()
    assert hit_by_all(api, only="Shelf") == "Thing"
    assert hit_by_all(api, only=linked) == "Thing"
    assert hit_by_all(api, exclude=linked.objects[0]) == "Floor"
    own = bpy.data.collections.new("Shelf")
    bpy.context.scene.collection.children.link(own)
    own.objects.link(bpy.data.objects["Floor"])
    assert hit_by_all(api, only="Shelf") == "Floor"
    assert hit_by_all(api, only=linked) == "Thing"


CALLS = {
    "ray_cast": lambda api, **chosen: api.ray_cast(bpy.context, *RAY, **chosen),
    "cast_rays": lambda api, **chosen: api.cast_rays(bpy.context, *RAY, **chosen),
    "cast_rays_all": lambda api, **chosen: api.cast_rays_all(bpy.context, *RAY, **chosen),
    "any_hit": lambda api, **chosen: api.any_hit(bpy.context, *RAY, **chosen),
    "count_hits": lambda api, **chosen: api.count_hits(bpy.context, *RAY, **chosen),
    "core_scene": lambda api, **chosen: api.core_scene(bpy.context, **chosen),
    "survey": lambda api, **chosen: api.survey(bpy.context, **chosen),
    "closest_point": lambda api, **chosen: api.closest_point(bpy.context, RAY[0], **chosen),
    "nearest_vertex": lambda api, **chosen: api.nearest_vertex(bpy.context, RAY[0], **chosen),
    "closest_points": lambda api, **chosen: api.closest_points(bpy.context, RAY[0], **chosen),
    "contains": lambda api, **chosen: api.contains(bpy.context, RAY[0], **chosen),
    "signed_distance": lambda api, **chosen: api.signed_distance(bpy.context, RAY[0], **chosen),
    "winding_number": lambda api, **chosen: api.winding_number(bpy.context, RAY[0], **chosen),
}


@pytest.mark.parametrize("argument", ["only", "exclude"])
@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_chosen_is_told_of(api, stack, name, argument):
    removed, collection = square("Gone"), bpy.data.collections.new("Gone too")
    bpy.data.objects.remove(removed)
    bpy.data.collections.remove(collection)
    mesh = stack["A"].data
    for choice, message in (
        ("Nobody", "there is no object or collection 'Nobody'"),
        (["A", "Nobody"], "there is no object or collection 'Nobody'"),
        ("", "there is no object or collection ''"),
        (removed, f"one of {argument} has been removed"),
        ([collection], f"one of {argument} has been removed"),
        (mesh, f"{argument} must be"),
        ([mesh], f"each of {argument} must be an object, a collection or a name"),
        ([None], f"each of {argument} must be an object, a collection or a name, not None"),
        (7, f"{argument} must be"),
        ([["A"]], f"each of {argument} must be"),
        (b"A", f"{argument} must be"),
        (["\udc80"], "characters that no text of Blender has"),
    ):
        with pytest.raises(api.RaypickError, match=message):
            CALLS[name](api, **{argument: choice})


def test_objects_without_faces_are_chosen_too(api):
    """Of a pick that may be at a place where they are."""
    points = link(bpy.data.objects.new("Hair", bpy.data.hair_curves.new("Hair")))
    points.data.add_curves([2])
    places = np.array([(0, 0, 0), (1, 1, 1)], dtype=np.float32)
    points.data.points.foreach_set("position", places.ravel())
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    camera.matrix_world = Matrix.Translation((0.5, 0.5, 9.0))
    view = seen_by(camera)
    group = bpy.data.collections.new("Group")
    group.objects.link(points)

    def named(**choices):
        return api.unpickable_at(bpy.context, region(), view, (320, 200), **choices)

    assert named() == ["Hair"]
    for choice in ("Hair", points, group, ["Group"]):
        assert named(only=choice) == ["Hair"]
        assert named(exclude=choice) == []
    assert named(only="Camera") == []
    assert named(exclude="Camera") == ["Hair"]
    with pytest.raises(api.RaypickError, match="there is no object or collection 'Nobody'"):
        named(only="Nobody")
