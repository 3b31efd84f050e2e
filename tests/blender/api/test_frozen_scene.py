# SPDX-License-Identifier: GPL-3.0-or-later
"""A frozen scene answers as the live one did, whatever happens to that, and in any thread."""

import inspect
import math
import pickle
import sys
import threading
from dataclasses import fields

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from ..bridge.view.test_cameras import region, seen_by
from ..scenes import collection_instance, instance_on_points, link, mesh_object, square, suzanne

OF_BLENDER = {
    *("smooth_normal", "flat_normal", "uv", "uv_maps", "active_uv", "colors", "weights"),
    *("attributes", "material", "original_face", "original_reason"),
}
"""What a mesh keeps only in Blender."""


def ngon(name, corners, matrix=None):
    """A star of so many corners, which is not convex."""
    ring = np.arange(corners) * 2 * np.pi / corners
    far = np.where(np.arange(corners) % 2, 0.4, 1.0)
    star = np.stack([far * np.cos(ring), far * np.sin(ring), 0.2 * np.sin(3 * ring)], axis=1)
    return mesh_object(name, star.tolist(), [tuple(range(corners))], matrix)


@pytest.fixture
def scene(raypick):
    """Objects of all kinds that rays meet in a way of their own."""
    suzanne(levels=1).location = 0, 0, 1
    ngon("Star", 9, Matrix.Translation((3, 0, 0)))
    ngon("Mirrored", 7, Matrix.Translation((-3, 0, 0)) @ Matrix.Diagonal((-1, 2, 0.5, 1)))
    ngon("Flat", 11, Matrix.Translation((0, 3, 0)) @ Matrix.Diagonal((1, 1, 0, 1)))
    square("Front", z=-1, size=6).show_in_front = True
    collection_instance(square("Tile"), (0, -3, 0))
    instance_on_points(square("Carrier", z=-2, size=5), ngon("Grain", 5))
    bpy.context.view_layer.update()


@pytest.fixture(params=["PERSP", "ORTHO"])
def view(request):
    """A camera's view of all of it."""
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = request.param, 9.0
    camera = link(bpy.data.objects.new("Camera", data))
    camera.location = 0.3, -0.2, 12
    return seen_by(camera, request.param)


def told(hit):
    """What hits of a frozen scene say too."""
    return {
        each.name: getattr(hit, each.name) for each in fields(hit) if each.name not in OF_BLENDER
    }


def rays(rng, count):
    """Origins and directions of rays that meet the scene, all downward."""
    origins = rng.uniform((-5, -5, 4), (5, 5, 6), (count, 3))
    return origins, rng.uniform((-5, -5, -3), (5, 5, 0), (count, 3)) - origins


def same_columns(found, wanted):
    assert found.shape == wanted.shape
    for name, column in wanted.columns.items():
        np.testing.assert_array_equal(found[name], column, err_msg=name)


@pytest.mark.parametrize("all_hits", [False, True])
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_rays_hit_what_they_hit_in_the_live_scene(raypick, scene, rng, all_hits, cull):
    api, context = raypick.api, bpy.context
    met = set()
    with api.frozen(context) as frozen:
        for origin, direction in zip(*rays(rng, 120), strict=True):
            options = {"all_hits": all_hits, "cull": cull, "max_distance": 9, "min_distance": 2}
            found = frozen.ray_cast(origin, direction, **options)
            wanted = api.ray_cast(context, origin, direction, **options)
            assert [told(hit) for hit in found] == [told(hit) for hit in wanted]
            met |= {hit.object for hit in found}
    assert len(met) > (0 if cull == "front" else 5)


def test_batches_are_those_of_the_live_scene(raypick, scene, rng):
    api, context = raypick.api, bpy.context
    origins, directions = rays(rng, 2000)
    least = rng.uniform(0, 3, 2000)
    columns = (*api.DEFAULT_COLUMNS, "vertices")
    with api.frozen(context) as frozen:
        for name in ("cast_rays", "cast_rays_all"):
            how = {"min_distance": least, "columns": columns, "max_distance": 20.0}
            wanted = getattr(api, name)(context, origins, directions, **how)
            found = getattr(frozen, name)(origins, directions, **how)
            same_columns(found, wanted)
            assert found.objects == wanted.objects
            assert found.instances.persistent_id == wanted.instances.persistent_id
        for name in ("any_hit", "count_hits"):
            wanted = getattr(api, name)(context, origins, directions, min_distance=least)
            found = getattr(frozen, name)(origins, directions, min_distance=least)
            np.testing.assert_array_equal(found, wanted)
        points = rng.uniform(-4, 4, (500, 3))
        wanted = api.closest_points(context, points, 3.0, columns=columns)
        same_columns(frozen.closest_points(points, 3.0, columns=columns), wanted)


def test_points_are_answered_as_in_the_live_scene(raypick, rng):
    api, context = raypick.api, bpy.context
    corners = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)]
    mesh_object("Solid", corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    points = rng.uniform(-1, 2, (300, 3))
    with api.frozen(context) as frozen:
        for name in ("contains", "signed_distance", "winding_number"):
            wanted = getattr(api, name)(context, points)
            np.testing.assert_array_equal(getattr(frozen, name)(points), wanted)
        near, wanted = frozen.closest_point(points[0]), api.closest_point(context, points[0])
        assert told(near) == told(wanted)
        assert frozen.closest_point((99, 0, 0), 1.0) is None
        near, wanted = frozen.nearest_vertex(points[0]), api.nearest_vertex(context, points[0])
        assert told(near) == told(wanted)
        assert frozen.nearest_vertex((99, 0, 0), 1.0) is None
        square()
        with pytest.raises(api.RaypickError, match="Square"):
            api.contains(context, points)
        assert frozen.contains((0.1, 0.1, 0.1)) is True
    with api.frozen(context, only="Square") as frozen:
        for name in ("contains", "signed_distance"):
            wanted = getattr(api, name)(context, points, rule="winding", only="Square")
            np.testing.assert_array_equal(getattr(frozen, name)(points, rule="winding"), wanted)


def test_the_vertices_are_those_of_blenders_triangles(raypick, scene, rng):
    frozen = raypick.api.frozen(bpy.context, only="Star")
    hits = frozen.cast_rays((3, 0, 5), rng.normal(0, 0.05, (200, 3)) - (0, 0, 1), columns=["face"])
    assert hits.hit.any()
    columns = ("triangle", "vertices")
    hits = frozen.cast_rays((3, 0, 5), rng.normal(0, 0.1, (200, 3)) - (0, 0, 1), columns=columns)
    mesh = bpy.data.objects["Star"].data
    mesh.calc_loop_triangles()
    for triangle, vertices in zip(hits["triangle"], hits["vertices"], strict=True):
        there = mesh.loop_triangles[triangle].vertices[:] if triangle >= 0 else (-1, -1, -1)
        assert tuple(vertices) == there


def test_what_is_hit_is_chosen_when_it_is_frozen(raypick, scene):
    down = (0, 0, 9), (0, 0, -1)
    api, context = raypick.api, bpy.context
    for chosen in ({"only": "Front"}, {"exclude": ["Suzanne", "Carrier", "Grain"]}):
        (hit,) = api.frozen(context, **chosen).ray_cast(*down)
        assert hit.object == "Front"
    original = api.frozen(context, evaluated=False).ray_cast(*down)
    (wanted,) = api.ray_cast(context, *down, evaluated=False)
    assert told(original[0]) == told(wanted)
    assert original[0].original_face == original[0].face


def test_what_has_no_mesh_of_its_own_has_no_original_face(raypick):
    text = bpy.data.curves.new("Text", "FONT")
    text.body, text.size = "I", 9
    link(bpy.data.objects.new("Text", text))
    api = raypick.api
    rays = [((x, y, 9), (0, 0, -1)) for x in np.linspace(0, 3, 40) for y in (2.0, 4.0)]
    frozen = api.frozen(bpy.context, evaluated=False)
    found = [hit for ray in rays for hit in frozen.ray_cast(*ray)]
    wanted = [hit for ray in rays for hit in api.ray_cast(bpy.context, *ray, evaluated=False)]
    assert [told(hit) for hit in found] == [told(hit) for hit in wanted] != []
    assert {(hit.evaluated, hit.original_face) for hit in found} == {(True, None)}


@pytest.mark.parametrize("snap", ["vertex", "edge", "face"])
def test_a_viewport_is_picked_in(raypick, scene, view, snap):
    api, where = raypick.api, (region(), view)
    how = {"all_hits": True, "snap": snap, "snap_radius": 50, "tolerance": 8}
    snapped = 0
    with api.frozen(bpy.context) as frozen:
        for x in np.linspace(0.1, 0.9, 6) * where[0].width:
            for y in np.linspace(0.1, 0.9, 6) * where[0].height:
                found = frozen.pick(*where, (x, y), **how)
                wanted = api.pick(bpy.context, *where, (x, y), **how)
                assert [told(hit) for hit in found] == [told(hit) for hit in wanted]
                snapped += sum(hit.snapped is not None for hit in found)
    assert snapped > 5


def move(_context):
    bpy.data.objects["Suzanne"].location.x += 50


def rename(_context):
    bpy.data.objects["Suzanne"].name = "Monkey"


def remove(_context):
    bpy.data.meshes.remove(bpy.data.objects["Suzanne"].data)


def edit(context):
    mesh = bpy.data.objects["Suzanne"].data
    mesh.clear_geometry()
    mesh.update()
    context.view_layer.update()


def load(_context):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


@pytest.mark.parametrize("change", [move, rename, remove, edit, load], ids=lambda f: f.__name__)
def test_changes_are_not_seen(raypick, scene, rng, change):
    api = raypick.api
    origins, directions = rays(rng, 300)
    frozen = api.frozen(bpy.context)
    before = frozen.cast_rays(origins, directions)
    alone = [frozen.ray_cast(*ray, all_hits=True) for ray in zip(origins, directions, strict=True)]
    change(bpy.context)
    bpy.context.view_layer.update()
    api.ray_cast(bpy.context, (0, 0, 9), (0, 0, -1))  # the live scene is read anew
    same_columns(frozen.cast_rays(origins, directions), before)
    assert alone == [
        frozen.ray_cast(*ray, all_hits=True) for ray in zip(origins, directions, strict=True)
    ]
    assert any(hit.object == "Suzanne" for hits in alone for hit in hits)


def test_threads_ask_while_blender_edits(raypick, scene, rng):
    api = raypick.api
    origins, directions = rays(rng, 200)
    frozen = api.frozen(bpy.context)
    wanted = [frozen.ray_cast(*ray) for ray in zip(origins, directions, strict=True)]
    frozen = api.frozen(bpy.context)  # whose trees are not built yet
    faults, started = [], threading.Barrier(5)

    def ask():
        started.wait()
        try:
            found = [frozen.ray_cast(*ray) for ray in zip(origins, directions, strict=True)]
            if found != wanted:
                faults.append("other hits")
            if frozen.any_hit(origins, directions).tolist() != [bool(hits) for hits in wanted]:
                faults.append("other rays hit")
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    while any(thread.is_alive() for thread in threads):
        edit(bpy.context)
        link(bpy.data.objects.new("Other", None))
        api.ray_cast(bpy.context, (0, 0, 9), (0, 0, -1))
    assert faults == []


def test_a_scene_is_closed_while_threads_ask(raypick, scene):
    """They get an answer or the error: an answer of a scene half closed was wrong."""
    api, faults = raypick.api, []
    down = (0, 0, 9), (0, 0, -1)

    def ask(frozen, started):
        started.wait()
        try:
            while True:
                if not (frozen.any_hit(*down).all() and frozen.ray_cast(*down)):
                    faults.append("nothing hit")
        except api.RaypickError as error:
            faults.extend([str(error)] if "closed" not in str(error) else [])
        except Exception as error:
            faults.append(repr(error))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            frozen, started = api.frozen(bpy.context), threading.Barrier(3)
            threads = [threading.Thread(target=ask, args=(frozen, started)) for _ in range(2)]
            for thread in threads:
                thread.start()
            started.wait()
            frozen.ray_cast(*down)
            frozen.close()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert faults == []


def test_only_picks_need_the_main_thread(raypick, scene):
    frozen, errors = raypick.api.frozen(bpy.context), []

    def ask():
        try:
            frozen.pick(None, None, (0, 0))
        except raypick.api.ThreadError as error:
            errors.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert [error.startswith("pick was called outside") for error in errors] == [True]


def test_what_is_closed_says_so(raypick, scene, view):
    api = raypick.api
    with api.frozen(bpy.context) as frozen:
        assert "objects and instances" in repr(frozen)
        assert len(frozen) > 10
    assert repr(frozen) == "<FrozenScene closed>"
    points = [(0, 0, 0)]
    calls = {
        "ray_cast": ((0, 0, 1), (0, 0, 1)),
        "pick": (region(), view, (5, 5)),
        **dict.fromkeys(("closest_point", "nearest_vertex"), points),
        **dict.fromkeys(("cast_rays", "cast_rays_all", "any_hit", "count_hits"), (points, points)),
        **dict.fromkeys(("closest_points", "contains", "signed_distance"), (points,)),
        "winding_number": (points,),
    }
    public = {name for name in vars(api.FrozenScene) if not name.startswith("_")}
    assert calls.keys() == public - {"close"}
    for name, given in calls.items():
        with pytest.raises(api.RaypickError, match="the frozen scene was closed"):
            getattr(frozen, name)(*given)
    frozen.close()


def test_a_viewport_with_a_local_view_of_its_own_is_refused(raypick, scene):
    """Its objects would be picked through others that it hides, or the other way round."""
    screen = bpy.context.window_manager.windows[0].screen
    space = next(area.spaces.active for area in screen.areas if area.type == "VIEW_3D")
    frozen = raypick.api.frozen(bpy.context)
    frozen._frozen.check_viewport(space)
    space.show_object_viewport_mesh = False
    try:
        with pytest.raises(raypick.api.RaypickError, match="hides other objects"):
            frozen._frozen.check_viewport(space)
        raypick.api.frozen(bpy.context, space=space)._frozen.check_viewport(space)
    finally:
        space.show_object_viewport_mesh = True


def test_it_is_not_pickled(raypick, scene):
    with pytest.raises(raypick.api.RaypickError, match="cannot be pickled"):
        pickle.dumps(raypick.api.frozen(bpy.context))


def test_columns_of_blender_are_refused_by_name(raypick, scene):
    frozen = raypick.api.frozen(bpy.context)
    with pytest.raises(
        raypick.api.RaypickError, match="no column 'uv': it has instance, object, face"
    ):
        frozen.cast_rays((0, 0, 9), (0, 0, -1), columns=["uv"])


def test_parameters_are_those_of_the_functions(raypick):
    """A tool goes over from the live scene by leaving out what is chosen when it is frozen."""
    api = raypick.api
    chosen = {"context", *inspect.signature(api.frozen).parameters, "attributes", "missing"}
    for name, method in vars(api.FrozenScene).items():
        if not name.startswith("_") and name != "close":
            given = inspect.signature(method).parameters
            wanted = inspect.signature(getattr(api, name)).parameters
            assert [each for each in given if each != "self"] == [
                each for each in wanted if each not in chosen
            ]


def test_nothing_is_left_in_the_file(raypick, scene):
    before = {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "collections")}
    with raypick.api.frozen(bpy.context) as frozen:
        assert math.isclose(frozen.ray_cast((0, 0, 9), (0, 0, -1))[0].point[0], 0.0, abs_tol=1e-9)
        assert Vector(frozen.closest_point((0, 0, 0)).point).length < 2
    assert before == {name: len(getattr(bpy.data, name)) for name in before}
