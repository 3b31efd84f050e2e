# SPDX-License-Identifier: GPL-3.0-or-later
"""Many landmarks in one call: those of calls one by one, all of them or none."""

from dataclasses import replace
from importlib import import_module

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ..conftest import PACKAGE
from ..heads import head
from ..scenes import collection_instance, evaluated_mesh, instance_on_points, square, suzanne

RAYS = 40


@pytest.fixture
def api(raypick):
    return raypick.api


def rays(rng, obj, count=RAYS):
    """Origins and directions of rays from around at an object."""
    center = np.array(obj.matrix_world.translation)
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return center - 20.0 * ways, ways + rng.uniform(-0.01, 0.01, (count, 3))


def batch(api, rng, obj, **options):
    """Hits of rays at an object, with none that misses."""
    origins, ways = rays(rng, obj)
    hit = api.cast_rays(bpy.context, origins, ways, **options).hit
    return api.cast_rays(bpy.context, origins[hit], ways[hit], **options), origins[hit], ways[hit]


def plain(records):
    """Records without what is another each time."""
    return [replace(each, id="") for each in records]


def taken_back(api, obj):
    """The landmarks of an object, which it has no more."""
    found = plain(api.landmarks.of(obj))
    del obj["raypick_landmarks"]
    return found


SCENES = {
    "plain": lambda: suzanne(),
    "subdivided": lambda: suzanne(levels=1),
    "posed": head,
    "quads and triangles": lambda: head(triangulated=False),
}


@pytest.mark.parametrize("evaluated", [True, False])
@pytest.mark.parametrize("scene", SCENES)
def test_hits_of_many_rays_make_the_landmarks_of_picks_one_by_one(api, rng, scene, evaluated):
    obj = SCENES[scene]()
    bpy.context.view_layer.update()
    hits, origins, ways = batch(api, rng, obj, evaluated=evaluated)
    picks = [
        api.ray_cast(bpy.context, *ray, evaluated=evaluated)[0]
        for ray in zip(origins, ways, strict=True)
    ]
    for pick in picks:
        api.landmarks.add(bpy.context, pick)
    single = taken_back(api, obj)
    assert len(single) > 5
    for given in (hits, picks, iter(picks)):
        records = api.landmarks.add_many(bpy.context, given)
        assert plain(records) == plain(api.landmarks.of(obj)) == single
        taken_back(api, obj)


@pytest.mark.parametrize("evaluated", [True, False])
def test_triangles_with_weights_make_the_landmarks_of_places_one_by_one(api, rng, evaluated):
    obj = suzanne(levels=1)
    bpy.context.view_layer.update()
    hits, _, _ = batch(api, rng, obj, evaluated=evaluated)
    triangles, weights = hits["triangle"], hits["barycentric"]
    for triangle, row in zip(triangles.tolist(), weights, strict=True):
        place = api.place(bpy.context, obj, triangle=triangle, barycentric=row, evaluated=evaluated)
        api.landmarks.add(bpy.context, place)
    single = taken_back(api, obj)
    records = api.landmarks.add_many(
        bpy.context, object=obj, triangles=triangles, barycentrics=weights, evaluated=evaluated
    )
    assert plain(records) == single
    if evaluated:  # else they are where the modifiers take them
        points = api.landmarks.points(bpy.context, obj)
        assert np.abs(points - hits["point"]).max() < 1e-5


def test_points_are_put_onto_the_surface_as_it_stands_in_the_world(api, rng):
    """However the scene shows lengths; along normals of a plane that is the way back."""
    obj = square(size=2.0)
    obj.matrix_world = Matrix(((0, 2, 0, 5), (-3, 0, 0, 1), (0, 0, 1, 4), (0, 0, 0, 1)))
    bpy.context.scene.unit_settings.scale_length = 0.001
    bpy.context.view_layer.update()
    matrix = np.array(obj.matrix_world)
    on = rng.uniform(0.1, 1.9, (30, 3)) * (1, 1, 0) @ matrix[:3, :3].T + matrix[:3, 3]
    off = rng.uniform(-1, 1, 30)
    records = api.landmarks.add_many(
        bpy.context, object="Square", points=on + off[:, None] * (0, 0, 1), set="Semi"
    )
    assert np.abs(api.landmarks.points(bpy.context, obj) - on).max() < 1e-5
    assert np.abs([each.moved for each in records] - np.abs(off)).max() < 1e-5
    assert {each.set for each in records} == {"Semi"}


def test_hits_on_several_objects_and_instances_each_go_to_their_own(api, rng):
    first, second = square("First"), square("Second", z=1.0)
    second.location.x = 2.0
    collection_instance(first, (0.0, 3.0, 0.0))
    instance_on_points(square("Carrier", z=-5.0, size=4.0), second)
    bpy.context.view_layer.update()
    xy = rng.uniform((-1, -1), (7, 7), (400, 2))
    origins = np.column_stack([xy, np.full(len(xy), 9.0)])
    hit = api.cast_rays(bpy.context, origins, (0, 0, -1)).hit
    hits = api.cast_rays(bpy.context, origins[hit], (0, 0, -1))
    picks = [api.ray_cast(bpy.context, origin, (0, 0, -1))[0] for origin in origins[hit]]
    objects = {name: bpy.data.objects[name] for name in hits.names().tolist()}
    assert len(objects) == 2
    for pick in picks:
        api.landmarks.add(bpy.context, pick)
    single = {name: taken_back(api, obj) for name, obj in objects.items()}
    records = api.landmarks.add_many(bpy.context, hits)
    assert [each.object for each in records] == hits.names().tolist()
    assert {name: plain(api.landmarks.of(obj)) for name, obj in objects.items()} == single
    assert len({each.instance for each in records}) > 2


def test_a_text_is_what_names_begin_with_and_a_list_names_each(api, rng):
    obj = suzanne()
    hits, _, _ = batch(api, rng, obj)
    count = hits.shape[0]
    add = api.landmarks.add_many
    assert [each.name for each in add(bpy.context, hits)][:: count - 1] == [
        "Landmark.001",
        f"Landmark.{count:03d}",
    ]
    assert [each.name for each in add(bpy.context, hits, "curve")][:2] == ["curve.001", "curve.002"]
    assert add(bpy.context, hits, "curve")[0].name == f"curve.{count + 1:03d}"
    names = [f"n{i // 2}" for i in range(count)]
    names[-1] = None
    found = [each.name for each in add(bpy.context, hits, names, set="Other")]
    assert found[:4] == ["n0", "n0.001", "n1", "n1.001"]
    assert found[-1] == "Landmark.001"


def test_an_object_is_written_once_however_many_there_are(api, rng, monkeypatch):
    obj = suzanne()
    hits, _, _ = batch(api, rng, obj)
    storage = import_module(f"{PACKAGE}.bridge.landmarks.storage")
    document = import_module(f"{PACKAGE}.model.landmarks.document").Document
    landmark = import_module(f"{PACKAGE}.model.landmarks.landmark")
    write, written, texts = landmark.written, [], []
    monkeypatch.setattr(landmark, "written", lambda row: written.append(row) or write(row))
    to_text = document.to_text
    monkeypatch.setattr(document, "to_text", lambda self: texts.append(self) or to_text(self))
    parsed = []
    monkeypatch.setattr(document, "from_text", lambda text: parsed.append(text))
    before = storage.revision
    api.landmarks.add_many(bpy.context, hits)
    assert (len(texts), len(written), storage.revision - before) == (1, hits.shape[0], 1)
    (hit,) = api.ray_cast(bpy.context, (0, -9, 0.2), (0, 1, 0))
    for _ in range(3):
        api.landmarks.add(bpy.context, hit)
    assert (len(texts), len(written), parsed) == (4, hits.shape[0] + 3, [])


def test_one_bad_place_among_many_is_named_and_nothing_is_added(api, rng):
    obj = suzanne()
    hits, origins, ways = batch(api, rng, obj)
    picks = [api.ray_cast(bpy.context, *ray)[0] for ray in zip(origins, ways, strict=True)]
    triangles, weights = hits["triangle"], hits["barycentric"]
    points = hits["point"].copy()
    points[7, 1] = np.nan
    rows = {"instance": -1, "triangle": 1 << 30}
    for name, value in rows.items():
        rows[name] = hits[name].copy()
        rows[name][7] = value
    changed = {name: replace(hits, columns={**hits.columns, name: rows[name]}) for name in rows}
    off, below = weights.copy(), weights.copy()
    off[7, 0] += 0.1
    below[7] = (-0.5, 0.5, 1.0)
    gone = [*picks]
    gone[7] = replace(picks[7], object="Nobody", session_uid=None)
    other = [*picks]
    other[7] = replace(picks[7], vertices=(0, 1, 2))
    mine = {"object": obj, "triangles": triangles}
    for given in (
        {"hits": changed["instance"]},
        {"hits": changed["triangle"]},
        {"hits": gone},
        {"hits": other},
        {"object": obj, "triangles": rows["triangle"], "barycentrics": weights},
        {**mine, "barycentrics": off},
        {**mine, "barycentrics": below},
        {"object": obj, "points": points},
    ):
        with pytest.raises(api.RaypickError, match=r"^place 7: "):
            api.landmarks.add_many(bpy.context, **given)
        assert "raypick_landmarks" not in obj


def test_arguments_that_do_not_go_together_are_refused(api, rng):
    obj = suzanne()
    hits, _, _ = batch(api, rng, obj)
    one, row = [0], [(1, 0, 0)]
    for given, said in (
        ({}, "one of hits, triangles, points"),
        ({"hits": hits, "points": row}, "one of hits, triangles, points"),
        ({"hits": hits, "object": obj}, "hits have objects"),
        ({"points": row}, "points need an object"),
        ({"object": obj, "triangles": one}, "go together"),
        ({"object": obj, "points": row, "barycentrics": row}, "go together"),
        ({"object": obj, "triangles": [0, 1], "barycentrics": row}, "2 triangles, but 1"),
        ({"object": obj, "triangles": [0.5], "barycentrics": row}, "must be integers"),
        ({"object": obj, "triangles": [one], "barycentrics": row}, "shape"),
        ({"object": obj, "points": [(1, 2)]}, "shape"),
        ({"object": obj, "points": row, "names": ["a", "b"]}, "1 places, but 2 names"),
        ({"object": obj, "points": row, "names": [3]}, "each of names must be a text"),
        ({"object": obj, "points": row, "evaluated": "no"}, "evaluated"),
        ({"hits": 7}, "hits"),
        ({"hits": [7]}, "each of hits"),
        ({"hits": replace(hits, columns={"instance": hits["instance"]})}, "no column triangle"),
    ):
        with pytest.raises(api.RaypickError, match=said):
            api.landmarks.add_many(bpy.context, **given)
        assert "raypick_landmarks" not in obj


def test_no_places_are_no_error(api):
    obj = suzanne()
    for given in (
        {"hits": []},
        {"object": obj, "points": []},
        {"object": obj, "triangles": [], "barycentrics": []},
    ):
        assert api.landmarks.add_many(bpy.context, **given) == []
    assert "raypick_landmarks" not in obj


def test_hits_of_a_mesh_that_is_another_by_now_are_refused(api, rng):
    obj = suzanne()
    hits, _, _ = batch(api, rng, obj)
    obj.modifiers.new("Subdivision", "SUBSURF")
    bpy.context.view_layer.update()
    with pytest.raises(api.RaypickError, match=r"^place 0: "):
        api.landmarks.add_many(bpy.context, hits)


def test_where_one_of_several_objects_must_not_be_changed_none_is(api):
    for x, name in enumerate(("First", "Second")):
        square(name).location.x = 2.0 * x
    bpy.context.view_layer.update()
    hits = [api.ray_cast(bpy.context, (x, 0.5, 9), (0, 0, -1))[0] for x in (0.5, 2.5, 0.6)]
    api.landmarks.add(bpy.context, hits[0])
    first, second = bpy.data.objects["First"], bpy.data.objects["Second"]
    before, second["raypick_landmarks"] = first["raypick_landmarks"], "{"
    with pytest.raises(api.RaypickError, match="cannot be read"):
        api.landmarks.add_many(bpy.context, hits)
    del second["raypick_landmarks"]
    api.landmarks.add(bpy.context, hits[1], set="Set")
    second["raypick_landmarks"] = second["raypick_landmarks"].replace(
        '"name": "Set"', '"name": "Set", "locked": true'
    )
    with pytest.raises(api.RaypickError, match="locked"):
        api.landmarks.add_many(bpy.context, hits)
    assert first["raypick_landmarks"] == before


def test_the_landmarks_follow_the_mesh_as_displayed(api, rng):
    obj = head()
    hits, _, _ = batch(api, rng, obj)
    api.landmarks.add_many(bpy.context, hits)
    obj.data.shape_keys.key_blocks["Smile"].value = 0.1
    obj.location.z += 2.0
    bpy.context.view_layer.update()
    mesh = evaluated_mesh(obj)
    corners = np.array(
        [mesh.vertices[i].co for t in hits["triangle"] for i in mesh.loop_triangles[t].vertices]
    )
    local = np.einsum("nij,ni->nj", corners.reshape(-1, 3, 3), hits["barycentric"])
    matrix = np.array(obj.matrix_world)
    expected = local @ matrix[:3, :3].T + matrix[:3, 3]
    assert np.abs(api.landmarks.points(bpy.context, obj) - expected).max() < 1e-5
