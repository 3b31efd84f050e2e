# SPDX-License-Identifier: GPL-3.0-or-later
"""What hides landmarks from a camera: by fractions, by Blender's rays, and where it is subtle."""

import math
from fractions import Fraction
from importlib import import_module

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.scenes import (
    collection_instance,
    instance_on_points,
    looking_camera,
    mesh_object,
    square,
    suzanne,
)
from tests.blender.sight import Between, eye_of


@pytest.fixture
def project(raypick):
    """Return the function that projects."""
    return lambda *given, **named: raypick.api.landmarks.project(bpy.context, *given, **named)


def camera(location=(0, 0, 10), target=(0, 0, 0), name="Camera", resolution=(160, 120), **settings):
    """A camera that looks at a target, the scene's."""
    obj = looking_camera(name, location, target, **settings)
    scene = bpy.context.scene
    scene.camera = obj
    scene.render.resolution_x, scene.render.resolution_y = resolution
    bpy.context.view_layer.update()
    return obj


def mark(raypick, obj, triangles, weights, **options):
    """Landmarks on triangles of an object's displayed mesh."""
    bpy.context.view_layer.update()
    raypick.api.landmarks.add_many(
        bpy.context, object=obj, triangles=triangles, barycentrics=weights, **options
    )


def marked_at(raypick, obj, *points):
    """Landmarks at the nearest places to points in world space."""
    bpy.context.view_layer.update()
    raypick.api.landmarks.add_many(bpy.context, object=obj, points=points)


def crowd(rng):
    """Heads, a wall, boxes on points and an instance of a head, in front of each other."""
    head = suzanne(levels=1)
    head.rotation_euler = rng.uniform(-1, 1, 3)
    other = suzanne()
    other.name = "Other"
    instancer = collection_instance(other, (1.5, -1.0, 0.7))
    instancer.scale = 1.2, -0.8, 1.0
    wall = mesh_object("Wall", [(-3, 1, -1), (3, 1, -1), (3, 1.2, 0.2), (-3, 1, 0.3)], [range(4)])
    points = mesh_object("Points", rng.uniform(-2.5, 2.5, (6, 3)).tolist(), [])
    instance_on_points(points)
    bpy.context.view_layer.update()
    return [head, wall, points, other]


def strewn(raypick, rng, count):
    """Landmarks wherever random rays pass through surfaces; the hits, by the landmarks' names."""
    hits = {}
    while len(hits) < count:
        origin = rng.normal(size=3)
        origin *= 12 / np.linalg.norm(origin)
        target = rng.uniform(-2, 2, 3)
        found = raypick.api.ray_cast(bpy.context, origin, target - origin, all_hits=True)
        if found:
            hit, name = found[rng.integers(len(found))], f"place {len(hits)}"
            raypick.api.landmarks.add(bpy.context, hit, name)
            hits[name] = hit
    return hits


def around(rng, distance=8.0):
    place = rng.normal(size=3)
    return place * distance / np.linalg.norm(place)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_what_hides_is_what_fractions_find_first(raypick, project, rng, kind):
    crowd(rng)
    hits = strewn(raypick, rng, 60)
    between = Between(bpy.context.evaluated_depsgraph_get())
    places = {name: between.place(hit) for name, hit in hits.items()}
    hidden = compared = 0
    for number in range(3):
        seer = camera(around(rng), name=f"{number}", lens=30, type=kind, ortho_scale=6)
        back = [20 * Fraction(row[2]) for row in seer.matrix_world[:3]]
        shot = project()
        assert len(shot) == len(hits)
        columns = (shot[name].tolist() for name in ("name", "hidden_by", "hidden_by_instancer"))
        for row, (name, *by) in enumerate(zip(*columns, strict=True)):
            if shot["inside"][row]:
                beside = [x + y for x, y in zip(places[name], back, strict=True)]
                eye = eye_of(seer) if kind == "PERSP" else beside
                expected = between.first(eye, places[name])
                assert tuple(by) == (expected or ("", "")), name
                assert shot["visible"][row] == (expected is None)
                compared, hidden = compared + 1, hidden + (expected is not None)
    assert compared > 120
    assert 0.2 * compared < hidden < 0.9 * compared


def test_what_hides_is_what_blenders_rays_meet(raypick, project, rng):
    crowd(rng)
    strewn(raypick, rng, 200)
    eye = camera(around(rng), lens=30).location
    bpy.context.scene.frame_set(1)
    shot = project()
    points = {}
    for obj in bpy.data.objects:
        if "raypick_landmarks" in obj:
            for each in raypick.api.landmarks.where(bpy.context, obj):
                points[each.name] = each.point
    depsgraph = bpy.context.evaluated_depsgraph_get()
    differ = []
    for name, inside, visible, by in zip(
        *(shot[column] for column in ("name", "inside", "visible", "hidden_by")), strict=True
    ):
        if inside:
            way = Vector(points[name]) - eye
            met, *_, obj, _ = bpy.context.scene.ray_cast(
                depsgraph, eye, way, distance=way.length * (1 - 1e-5)
            )
            if met == visible or (met and obj.name != by):
                differ.append(name)
    assert shot["inside"].sum() > 150
    assert len(differ) <= 3, differ  # within Blender's single precision


# Subtle places: the camera looks down from z = 10.


def hidden(shot):
    """By what each landmark is hidden: "" if it is visible."""
    assert shot["inside"].all()
    assert (shot["visible"] == (shot["hidden_by"] == "")).all()
    return shot["hidden_by"].tolist()


def test_landmarks_at_vertices_and_edges_are_hidden_by_no_triangle_around_them(raypick, project):
    head = suzanne()
    camera((1.3, -7, 2.1), lens=40)
    mesh = head.data
    mesh.calc_loop_triangles()
    triangles = np.repeat(np.arange(len(mesh.loop_triangles)), 2)
    weights = np.tile([(1.0, 0.0, 0.0), (0.0, 0.5, 0.5)], (len(triangles) // 2, 1))
    mark(raypick, head, triangles, weights)
    shot = project()
    between = Between(bpy.context.evaluated_depsgraph_get())
    eye = eye_of(bpy.context.scene.camera)
    for row, (triangle, weight) in enumerate(zip(triangles.tolist(), weights, strict=True)):
        corners = [between.exact[triangle][i] for i in range(3)]
        point = [
            sum(Fraction(w) * x for w, x in zip(weight, part, strict=True))
            for part in zip(*corners, strict=True)
        ]
        assert shot["visible"][row] == (between.first(eye, point) is None), triangle
    assert 0.2 < shot["visible"].mean() < 0.8


def lattice(count=8):
    """Triangles in one plane, exactly: their corners are whole numbers. (0, 1, 1) is in it too."""
    along, across = np.array([1, 2, 3]), np.array([2, -1, 1])
    corners = [x * along + y * across for y in range(count + 1) for x in range(count + 1)]
    faces = []
    for row in range(count):
        for first in range(row * (count + 1), row * (count + 1) + count):
            faces.append((first, first + 1, first + count + 2))
            faces.append((first, first + count + 2, first + count + 1))
    return mesh_object("Lattice", corners, faces)


def wall(name, y):
    corners = [(-90, y, -90), (90, y, -90), (90, y, 90), (-90, y, 90)]
    return mesh_object(name, corners, [range(4)])


@pytest.mark.parametrize("off", [1e-7, 1e-10, 1e-13, 1e-14, 0.0, -1e-10, -1e-13])
def test_a_surface_seen_edge_on_hides_none_of_its_own_landmarks(raypick, project, rng, off):
    """Half of the landmarks are rounded to the other side of the plane, so rays do cross it."""
    sheet = lattice()
    camera((off, 40, 40), (12, 4, 16), lens=25, clip_start=10)
    wall("Clipped", 38)
    mark(raypick, sheet, range(128), rng.dirichlet((1, 1, 1), 128))
    assert hidden(project()) == [""] * 128
    wall("Wall", 4)
    bpy.context.view_layer.update()
    points = raypick.api.landmarks.points(bpy.context, sheet)
    assert hidden(project()) == np.where(points[:, 1] < 4, "Wall", "").tolist()


def test_the_horizon_of_a_ball_parts_what_is_seen_from_what_is_hidden(raypick, project):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=256, ring_count=128, radius=1)
    ball = bpy.context.object
    camera((0, 0, 4))
    mesh = ball.data
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    mark(raypick, ball, range(count), np.full((count, 3), 1 / 3))
    shot = project()
    points = raypick.api.landmarks.points(bpy.context, ball)
    corners = np.array(
        [[mesh.vertices[i].co for i in each.vertices] for each in mesh.loop_triangles]
    )
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = np.sum(normals * ((0, 0, 4) - points), axis=1) > 0
    assert np.array_equal(shot["visible"], facing)  # a ball is convex
    assert {*shot["hidden_by"][~facing].tolist()} == {ball.name}


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(1e-2, "Above"), (1e-5, "Above"), (1e-7, "Above"), (1e-12, ""), (0.0, ""), (-1e-7, "")],
)
def test_a_wall_hides_what_is_behind_it_by_more_than_the_margin(raypick, project, gap, expected):
    below = square("Floor", 0.0)
    mesh_object("Above", [(0, 0, gap), (1, 0, gap), (1, 1, gap), (0, 1, gap)], [range(4)])
    camera((0.3, 0.4, 5), (0.3, 0.4, 0))
    marked_at(raypick, below, (0.25, 0.5, 0), (0.7, 0.2, 0))
    assert hidden(project()) == [expected] * 2


def test_a_thin_double_wall_hides_its_other_side(raypick, project):
    wall = square("Wall", 0.0)
    modifier = wall.modifiers.new("Solidify", "SOLIDIFY")
    modifier.thickness = 1e-4
    camera((0.5, 0.5, 5), (0.5, 0.5, 0))
    marked_at(raypick, wall, (0.25, 0.5, 1), (0.25, 0.5, -1))
    assert hidden(project()) == ["", "Wall"]


def test_equal_surfaces_at_the_same_place_do_not_hide_each_other(raypick, project):
    heads = [suzanne(), suzanne()]
    camera((0, -6, 0.5))
    mesh = heads[0].data
    mesh.calc_loop_triangles()
    for obj in heads:
        mark(raypick, obj, range(len(mesh.loop_triangles)), np.full((968, 3), 1 / 3))
    both = project()
    heads[1].hide_viewport = True
    bpy.context.view_layer.update()
    alone = project(object=heads[0])
    assert np.array_equal(both["visible"].reshape(2, -1), [alone["visible"]] * 2)
    assert 100 < alone["visible"].sum() < 800


def test_both_sides_of_surfaces_are_seen_and_hide(raypick, project):
    below, above = square("Below", 0.0), square("Above", 1.0)
    camera((0.5, 0.5, -5), (0.5, 0.5, 0))
    marked_at(raypick, below, (0.5, 0.5, 0))
    marked_at(raypick, above, (0.5, 0.5, 1))
    assert dict(zip(project()["object"], hidden(project()), strict=True)) == {
        "Below": "",
        "Above": "Below",
    }


def test_what_the_camera_clips_neither_hides_nor_is_inside(raypick, project):
    for z in range(4):
        marked_at(raypick, square(f"Floor {z}", float(z)), (0.5, 0.5, z))
    camera((0.5, 0.5, 10), (0.5, 0.5, 0), clip_start=7.5, clip_end=9.5)
    shot = project()
    assert shot["object"].tolist() == [f"Floor {z}" for z in range(4)]
    assert shot["inside"].tolist() == [False, True, True, False]
    assert shot["visible"].tolist() == [False, False, True, False]
    assert shot["hidden_by"].tolist() == ["", "Floor 2", "", ""]
    assert shot["depth"] == pytest.approx([10, 9, 8, 7])


def test_the_same_holds_for_parallel_rays(raypick, project):
    for z in range(4):
        marked_at(raypick, square(f"Floor {z}", float(z)), (0.5, 0.5, z))
    camera((0.5, 0.5, 10), (0.5, 0.5, 0), type="ORTHO", clip_start=7.5, clip_end=9.5)
    shot = project()
    assert shot["inside"].tolist() == [False, True, True, False]
    assert shot["hidden_by"].tolist() == ["", "Floor 2", "", ""]
    assert shot["depth"] == pytest.approx([10, 9, 8, 7])
    assert np.isfinite(shot["x"]).all()


def test_what_the_viewport_hides_hides_nothing_and_its_landmarks_are_nowhere(raypick, project):
    below, above = square("Below", 0.0), square("Above", 1.0)
    camera((0.5, 0.5, 5), (0.5, 0.5, 0))
    marked_at(raypick, below, (0.5, 0.5, 0))
    marked_at(raypick, above, (0.5, 0.5, 1))
    assert project()["visible"].tolist() == [True, False]  # Above comes first
    above.hide_set(True)
    shot = project()
    assert shot["inside"].tolist() == shot["visible"].tolist() == [False, True]
    assert np.isnan([shot[name][0] for name in ("x", "y", "depth")]).all()
    assert shot["hidden_by"].tolist() == ["", ""]


def test_an_instance_that_hides_is_named_with_what_makes_it(raypick, project):
    floor = square("Floor")
    collection_instance(square("Tile"), (0, 0, 1))
    camera((0.5, 0.5, 5), (0.5, 0.5, 0))
    marked_at(raypick, floor, (0.5, 0.5, 0))
    shot = project()
    names = shot["hidden_by"].tolist(), shot["hidden_by_instancer"].tolist()
    assert names == (["Tile"], ["Instancer"])


# In a depsgraph that is given, as that of a render.


class Probe(bpy.types.RenderEngine):
    """An engine that renders nothing, and asks for keypoints."""

    bl_idname, bl_label = "RAYPICK_TEST_PROBE", "Probe"
    ask, told = None, None

    def render(self, depsgraph):
        Probe.told = Probe.ask(depsgraph)
        size = depsgraph.scene.render.resolution_x, depsgraph.scene.render.resolution_y
        self.end_result(self.begin_result(0, 0, *size))


@pytest.fixture
def rendered(raypick):
    """Return a function: what `keypoints_in` says within a render."""
    name = f"{raypick.__name__}.bridge"
    projecting, snapshot = (
        import_module(f"{name}.{each}") for each in ("landmarks.projecting", "scene.snapshot")
    )
    cache = import_module(f"{name}.mesh.cache").MeshCache
    bpy.utils.register_class(Probe)

    def rendered():
        def ask(depsgraph):
            view = projecting.view_of(depsgraph, None)
            shown = snapshot.of_depsgraph(depsgraph, cache(), frozenset(), snapshot.EVERYTHING)
            return depsgraph.mode, projecting.keypoints_in(depsgraph, shown, *view)

        Probe.ask = staticmethod(ask)
        bpy.context.scene.render.engine = Probe.bl_idname
        bpy.ops.render.render()
        return Probe.told

    yield rendered
    bpy.utils.unregister_class(Probe)


def test_in_a_render_what_is_rendered_hides(raypick, project, rendered):
    floor, tile = square("Floor"), square("Tile")
    proxy, fine = square("Proxy", 1.0), square("Fine", 2.0)
    proxy.hide_render, fine.hide_viewport = True, True
    instancer = collection_instance(tile, (3, 0, 0))
    square("Lid", 1.0).location.x = 3
    camera((0.5, 0.5, 9), (0.5, 0.5, 0), lens=20)
    marked_at(raypick, floor, (0.5, 0.5, 0))
    marked_at(raypick, proxy, (0.5, 0.5, 1))
    marked_at(raypick, tile, (3.5, 0.5, 0))
    assert project()["hidden_by"].tolist() == ["Proxy", "", "Lid"]
    instancer.location.z = 1.5
    mode, found = rendered()
    assert mode == "RENDER"
    assert found["object"] == ["Floor", "Proxy", "Tile"]
    assert found["visible"] == [False, False, True]
    assert found["hidden_by"] == ["Fine", "", ""]
    assert found["x"][1] is None  # it is not rendered
    assert found["depth"] == [9.0, None, 7.5]


def in_depsgraph(raypick, obj=None):
    """What `keypoints_in` says of the present depsgraph."""
    module = lambda name: import_module(f"{raypick.__name__}.bridge.{name}")  # noqa: E731
    projecting, snapshot = module("landmarks.projecting"), module("scene.snapshot")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    view = projecting.view_of(depsgraph, obj)
    return projecting.keypoints_in(depsgraph, snapshot.of_context(bpy.context), *view)


def test_in_a_depsgraph_keypoints_are_those_of_the_context(raypick, project, rng):
    crowd(rng)
    strewn(raypick, rng, 60)
    camera(around(rng), lens=50)
    shot = project()
    found = in_depsgraph(raypick)
    assert found.keys() == {*shot} - {"frame", "camera"}
    for name, column in found.items():
        told = [np.nan if value is None else value for value in column]
        assert np.array_equal(told, shot[name], equal_nan=shot[name].dtype.kind == "f"), name
    assert not all(found["inside"])
    assert {*map(type, found["x"])} <= {float, type(None)}
    assert {*map(type, found["visible"])} == {bool}


def test_in_a_depsgraph_an_object_that_only_instances_show_is_at_the_first_of_them(
    raypick, project
):
    source = square("Source")
    points = mesh_object("Points", [(2, 0, 0), (5, 0, 0)], [])
    source.parent = points
    points.instance_type = "VERTS"
    marked_at(raypick, source, (2.5, 0.5, 0))
    camera((2, 0, 10), (2, 0, 0))
    shot, found = project(), in_depsgraph(raypick)
    assert shot["inside"].tolist() == found["inside"] == [True]
    assert found["x"] == shot["x"].tolist()


def test_in_a_depsgraph_landmarks_of_what_is_not_shown_have_no_place(raypick, project):
    floor = square("Floor")
    marked_at(raypick, floor, (0.5, 0.5, 0))
    camera((0.5, 0.5, 5), (0.5, 0.5, 0))
    floor.hide_set(True)
    found = in_depsgraph(raypick)
    assert (found["x"], found["inside"], found["visible"]) == ([None], [False], [False])


@pytest.mark.parametrize("angle", [0.0, 0.7, math.pi])
def test_a_landmark_at_a_corner_is_seen_or_hidden_by_its_own_object(raypick, project, angle):
    bpy.ops.mesh.primitive_cube_add(rotation=(0, angle, 0))
    cube = bpy.context.object
    mesh = cube.data
    mesh.calc_loop_triangles()
    mark(raypick, cube, range(12), np.tile((1.0, 0.0, 0.0), (12, 1)))
    camera((0.2, 0.3, 10))
    bpy.context.scene.camera.matrix_world = Matrix.Translation((0.2, 0.3, 10))
    shot = project()
    matrix = cube.matrix_world
    eye = matrix.inverted() @ Vector((0.2, 0.3, 10))
    for row, triangle in enumerate(mesh.loop_triangles):
        corner = mesh.vertices[triangle.vertices[0]].co
        faced = any(eye[k] * corner[k] > 1 for k in range(3))
        assert shot["visible"][row] == faced
        assert shot["hidden_by"][row] == ("" if faced else cube.name)
