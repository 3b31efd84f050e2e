# SPDX-License-Identifier: GPL-3.0-or-later
"""Nearest places and insides: against every triangle shown, and against Blender's own BVH tree."""

import importlib

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from tests.blender.oracle import parts
from tests.blender.scenes import (
    collection_instance,
    instance_on_points,
    link,
    mesh_object,
    square,
    suzanne,
)
from tests.core.closest.nearest_places import brute_force
from tests.core.rational import exact_hits

from .test_batches import ALL_COLUMNS, ATTRIBUTES, assert_is, crowd  # noqa: F401

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


@pytest.fixture
def api(raypick):
    return raypick.api


def cube(name="Cube", matrix=None):
    """A closed cube from (0, 0, 0) to (1, 1, 1)."""
    obj = mesh_object(name, CORNERS, SIDES, matrix)
    bpy.context.view_layer.update()
    return obj


def away_from(points, shown):
    """The distances of points (N, 3) from all triangles that are shown: (N, T)."""
    vertices = np.concatenate([each.corners for each in shown]).reshape(-1, 3)
    return brute_force(points, vertices, np.arange(len(vertices)).reshape(-1, 3))


def compare(api, points, context=None, **options):
    """Nearest places are those by hand; return them."""
    found = api.closest_points(bpy.context, points, **options)
    shown = parts(bpy.context)
    triangles = np.concatenate([each.corners for each in shown])
    owners = np.concatenate([np.full(len(each.faces), i) for i, each in enumerate(shown)])
    faces = np.concatenate([each.faces for each in shown])
    numbers = np.concatenate([each.numbers for each in shown])
    away = away_from(points, shown)
    scale = 1 + np.abs(points).max() + np.abs(triangles).max()
    slack = 1e-12 * scale
    np.testing.assert_allclose(found["distance"], away.min(axis=1), rtol=0, atol=slack)
    np.testing.assert_allclose(
        np.linalg.norm(found["point"] - points, axis=1), found["distance"], rtol=0, atol=slack
    )
    for row in range(len(points)):
        number = found["instance"][row]
        name = (
            found.objects[found["object"][row]],
            *((found.instances.instancer[number], found.instances.persistent_id[number])),
        )
        there = [
            at
            for at in np.flatnonzero(numbers == found["triangle"][row])
            if shown[owners[at]].name == name and faces[at] == found["face"][row]
        ]
        assert len(there) == 1
        assert away[row, there[0]] <= away[row].min() + slack
        weights = found["barycentric"][row]
        place = weights @ triangles[there[0]]
        assert np.abs(place - found["point"][row]).max() <= slack
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    return found


def test_the_nearest_places_of_a_crowd_are_those_by_hand(api, crowd, rng):  # noqa: F811
    found = compare(api, rng.normal(size=(150, 3)) * 3)
    assert len(set(found["object"].tolist())) >= 3
    assert found["instance"].min() >= 0


@pytest.mark.parametrize(
    "matrix",
    [
        Matrix.Diagonal((-1, 1, 1, 1)),
        Matrix.Diagonal((0.5, 2, 3, 1)),
        Matrix(((1, 0.7, 0, 1), (0, 1, 0.4, 0), (0, 0, -2, 0), (0, 0, 0, 1))),
        Matrix.Diagonal((1, 1, 0, 1)),
        Matrix.Diagonal((2, 0, 0, 1)),
        Matrix.Translation((1e4, -1e4, 3)),
    ],
    ids=["mirrored", "scaled", "sheared", "flat", "line", "far"],
)
def test_every_matrix_is_right(api, rng, matrix):
    head = suzanne(levels=1)
    head.matrix_world = matrix
    bpy.context.view_layer.update()
    center = np.array(matrix.translation)
    for count in (5, 200):  # few points are searched without a tree
        compare(api, center + rng.normal(size=(count, 3)) * 2)


@pytest.mark.parametrize("scale", [(1, 1, 1), (1, 2, 3), (1, 1, 0)], ids=["same", "any", "flat"])
def test_hidden_faces_are_not_there_in_edit_mode(api, rng, scale):
    head = suzanne()
    head.scale = scale
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(head.data)
    for face in edited.faces:
        if face.calc_center_median().x > 0.1:
            face.hide_set(True)
    bmesh.update_edit_mesh(head.data)
    bpy.context.view_layer.update()
    for count in (3, 300):
        found = compare(api, rng.normal(size=(count, 3)) * 2 + (1, 0, 0))
    assert (found["distance"] > 0.2).any()
    far = api.closest_points(bpy.context, [(1.2e308, 0, 0), (1.2e308, 0, 1e308)])
    shown = np.concatenate([part.faces for part in parts(bpy.context)])
    assert np.isin(far["face"], shown).all()
    with pytest.raises(api.RaypickError, match=r"'Suzanne'.*hidden faces"):
        api.contains(bpy.context, (0, 0, 0))
    bpy.ops.object.mode_set(mode="OBJECT")


def test_blenders_own_tree_finds_the_same_places(api, rng):
    head = suzanne(levels=2)
    tree = BVHTree.FromObject(head, bpy.context.evaluated_depsgraph_get())
    points = rng.normal(size=(500, 3)) * 1.5
    found = api.closest_points(bpy.context, points, only=head)
    for point, place, distance in zip(points, found["point"], found["distance"], strict=True):
        where, _, _, away = tree.find_nearest(Vector(point))
        assert distance <= away + 1e-6
        assert distance == pytest.approx(away, abs=2e-5)
        assert np.linalg.norm(place - np.array(where)) < 1e-2


def test_one_point_has_the_place_that_it_has_among_many(api, crowd, rng):  # noqa: F811
    points = rng.normal(size=(60, 3)) * 3
    many = api.closest_points(
        bpy.context, points, columns=ALL_COLUMNS, attributes=ATTRIBUTES, threads=1
    )
    threaded = api.closest_points(
        bpy.context, points, columns=ALL_COLUMNS, attributes=ATTRIBUTES, threads=2
    )
    for name in many:
        assert many[name].tobytes() == threaded[name].tobytes(), name
    for row, point in enumerate(points.tolist()):
        assert_is(many, row, api.closest_point(bpy.context, point))
    shaped = api.closest_points(bpy.context, points.reshape(3, 20, 3))
    assert shaped.shape == (3, 20)
    assert shaped["point"].tobytes() == many["point"].tobytes()


def test_the_copy_for_the_core_has_the_same_bits(api, crowd, rng):  # noqa: F811
    points = rng.normal(size=(300, 3)) * 3
    found = api.closest_points(bpy.context, points)
    again = api.core_scene(bpy.context).closest_point(points)
    for name in ("distance", "point", "triangle", "face", "barycentric", "instance"):
        assert np.array_equal(getattr(again, name), found[name]), name


def test_the_limits_are_inclusive_and_may_differ(api):
    square("Floor", 0.0, 4.0)
    points = [(1, 1, 2), (1, 1, -2), (1, 1, 2.5)]
    hits = api.closest_points(bpy.context, points, 2.0)
    assert hits.hit.tolist() == [True, True, False]
    assert hits["distance"].tolist() == [2.0, 2.0, np.inf]
    assert hits["front"].tolist() == [True, False, False]
    before = np.nextafter(2.0, 0.0)
    assert not api.closest_points(bpy.context, points, before).hit.any()
    each = api.closest_points(bpy.context, points, [before, 2.0, 9.0])
    assert each.hit.tolist() == [False, True, True]
    assert api.closest_point(bpy.context, points[0], 2.0).distance == 2.0
    assert api.closest_point(bpy.context, points[0], before) is None
    assert api.closest_point(bpy.context, points[0], 0) is None
    assert api.closest_point(bpy.context, (1, 1, 0), 0).distance == 0.0


def test_points_that_are_not_finite_or_beyond_all_limits_have_no_place(api):
    square()
    odd = [(np.nan, 0, 0), (0, np.inf, 0), (0, 0, -np.inf)]
    hits = api.closest_points(bpy.context, [(0, 0, 1), *odd])
    assert hits.hit.tolist() == [True, False, False, False]
    assert np.isnan(hits["point"][1:]).all()
    assert np.isnan(hits["normal"][1:]).all()
    assert hits["face"].tolist() == [0, -1, -1, -1]
    for point in odd:
        with pytest.raises(api.RaypickError, match="point is not finite"):
            api.closest_point(bpy.context, point)
    hits = api.closest_points(bpy.context, [(0, 0, 1)] * 2, [np.nan, -1.0])
    assert not hits.hit.any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [(1, 1, 1), (1, 2, 3), (1, 1, 0)], ids=["same", "any", "flat"])
def test_points_at_the_end_of_all_numbers_have_places_without_a_warning(api, scale):
    square().scale = scale
    bpy.context.view_layer.update()
    far = 1.5e308
    hits = api.closest_points(bpy.context, [(far, 0, 0), (-far, -far, far), (0, 0, far)])
    assert hits.hit[[0, 2]].all()
    assert hits["point"][0].tolist() == [scale[0], 0.0, 0.0]


@pytest.mark.filterwarnings("error")
def test_an_empty_scene_has_no_places_and_no_inside(api):
    assert api.closest_point(bpy.context, (0, 0, 0)) is None
    hits = api.closest_points(bpy.context, [(0, 0, 0)] * 2)
    assert hits.shape == (2,)
    assert not hits.hit.any()
    assert api.closest_points(bpy.context, np.empty((0, 3))).shape == (0,)
    assert api.contains(bpy.context, (0, 0, 0)) is False
    assert api.signed_distance(bpy.context, (0, 0, 0)) == np.inf
    mesh_object("Loose", [(0, 0, 0), (1, 0, 0)], [])
    assert api.closest_point(bpy.context, (0, 0, 0)) is None
    assert api.contains(bpy.context, [(0, 0, 0)]).tolist() == [False]
    assert api.signed_distance(bpy.context, [(0, 0, 0)]).tolist() == [np.inf]


@pytest.mark.filterwarnings("error")
def test_a_triangle_without_area_may_be_nearest_and_has_no_normal(api):
    mesh_object("Line", [(0, 0, 0), (2, 0, 0), (4, 0, 0)], [(0, 1, 2)])
    hit = api.closest_point(bpy.context, (3, 0, 2))
    assert (hit.distance, hit.point) == (2.0, (3.0, 0.0, 0.0))
    assert np.isnan(hit.normal).all()
    assert hit.front is False
    hits = api.closest_points(bpy.context, [(3, 0, 2), (0, 5, 0)])
    assert hits["distance"].tolist() == [2.0, 5.0]
    assert np.isnan(hits["normal"]).all()
    assert hits["front"].tolist() == [False, False]


def test_the_place_on_an_n_gon_is_on_blenders_own_triangle(api, rng):
    angles = np.linspace(0, 2 * np.pi, 9, endpoint=False)
    radii = rng.uniform(0.5, 2, 9)
    corners = np.stack([radii * np.cos(angles), radii * np.sin(angles), 0 * angles], axis=1)
    mesh_object("Star", corners.tolist(), [tuple(range(9))])
    compare(api, rng.normal(size=(200, 3)))


def test_the_side_is_that_of_the_normal_also_of_a_mirrored_object(api):
    for matrix in (
        Matrix.Identity(4),
        Matrix.Diagonal((1, 1, -1, 1)),
        Matrix.Diagonal((2, 2, 0, 1)),
    ):
        obj = square()
        obj.matrix_world = matrix
        bpy.context.view_layer.update()
        (ray,) = api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
        for z in (1.0, -1.0):
            hit = api.closest_point(bpy.context, (0.25, 0.5, z))
            assert hit.normal == pytest.approx(ray.normal)
            assert hit.front == (z * hit.normal[2] > 0)
            assert hit.smooth_normal == ray.smooth_normal
        bpy.data.objects.remove(obj)


def test_progress_is_told_and_can_stop_it(api):
    square()
    told = []
    points = np.zeros((1 << 17, 3))
    points = np.concatenate([points, points[:7]])
    hits = api.closest_points(
        bpy.context, points, progress=lambda done, every: told.append((done, every))
    )
    assert told == [(1 << 17, len(points)), (len(points), len(points))]
    assert hits.is_complete
    hits = api.closest_points(bpy.context, points, progress=lambda done, every: False)
    assert (hits.done, hits.rays) == (1 << 17, len(points))
    assert hits.hit.sum() == 1 << 17


def test_threads_are_those_that_were_asked_for(raypick, api, monkeypatch):
    cube()
    core = importlib.import_module(f"{raypick.__name__}.standalone_core")
    asked, whole = [], core.Scene.closest_point

    def noted(scene, *args, threads=None, **options):
        asked.append(threads)
        return whole(scene, *args, threads=threads, **options)

    monkeypatch.setattr(core.Scene, "closest_point", noted)
    for threads in (1, 3, None):
        api.closest_points(bpy.context, [(0, 0, 0)], threads=threads)
    assert asked == [1, 3, None]
    for ask in (api.closest_points, api.contains, api.signed_distance):
        with pytest.raises(api.RaypickError, match="threads must be"):
            ask(bpy.context, [(0, 0, 0)], threads=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"points": [1, 2]}, "points must have shape"),
        ({"points": "here"}, "points must"),
        ({"max_distance": [1, 2]}, "max_distance must be a number or fit the shape"),
        ({"max_distance": -1}, "max_distance must be 0 or more"),
        ({"columns": ["depth"]}, "depth"),
        ({"only": [3]}, "each of only must be"),
    ],
)
def test_what_is_wrong_is_named_as_the_caller_named_it(api, wrong, message):
    square()
    with pytest.raises(api.RaypickError, match=message):
        api.closest_points(**{"context": bpy.context, "points": [(0, 0, 0)], **wrong})


def test_own_meshes_are_asked_instead_of_evaluated_ones(api):
    floor = square()
    floor.modifiers.new("Array", "ARRAY").relative_offset_displace = (0, 0, 0)
    floor.modifiers["Array"].use_constant_offset = True
    floor.modifiers["Array"].constant_offset_displace = (0, 0, 5)
    bpy.context.view_layer.update()
    point = 0.5, 0.5, 4.0
    assert api.closest_point(bpy.context, point).point[2] == 5.0
    hit = api.closest_point(bpy.context, point, evaluated=False)
    assert (hit.point[2], hit.evaluated) == (0.0, False)
    hits = api.closest_points(bpy.context, [point], evaluated=False)
    assert (hits["distance"][0], hits.evaluated) == (4.0, False)


# Inside


def is_inside_by_hand(point, shown):
    """Whether a point is inside any part, by the parity of exact crossings, in two directions."""
    inside = False
    for part in shown:
        vertices = part.corners.reshape(-1, 3)
        triangles = np.arange(len(vertices)).reshape(-1, 3)
        parities = {
            len(exact_hits(point, way, vertices, triangles)) % 2
            for way in ((0.3, -0.9, 0.2), (-0.5, 0.1, -0.7))
        }
        assert len(parities) == 1, "the part is not closed"
        inside |= parities == {1}
    return inside


def icosphere(radius):
    mesh, shape = bpy.data.meshes.new("Ball"), bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=2, radius=radius)
    shape.to_mesh(mesh)
    shape.free()
    return link(bpy.data.objects.new("Ball", mesh))


def test_insides_are_those_of_exact_crossings(api, rng):
    """Of mirrored, scaled and sheared objects, and of an instance."""
    shear = Matrix(((1, 0.4, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)))
    for number in range(3):
        scales = rng.uniform(0.5, 2, 3) * rng.choice([-1, 1], 3)
        place = Matrix.Translation(rng.normal(size=3) * 0.5)
        cube(f"Cube {number}", place @ Matrix.Diagonal((*scales, 1)) @ shear)
    collection_instance(icosphere(0.7), (0.3, 0.2, 0.1)).scale = (1, 1, -2)
    bpy.context.view_layer.update()
    points = rng.normal(size=(90, 3))
    shown = parts(bpy.context)
    assert len(shown) == 4
    inside = api.contains(bpy.context, points)
    assert inside.tolist() == [is_inside_by_hand(point, shown) for point in points]
    assert 5 < inside.sum() < 85
    signed = api.signed_distance(bpy.context, points)
    away = away_from(points, shown).min(axis=1)
    np.testing.assert_allclose(signed, np.where(inside, -away, away), atol=1e-11)
    for threads in (1, 2):
        assert api.contains(bpy.context, points, threads=threads).tolist() == inside.tolist()
        assert api.signed_distance(bpy.context, points, threads=threads).tolist() == signed.tolist()
    for row in range(5):
        assert api.contains(bpy.context, points[row]) is bool(inside[row])
        assert api.signed_distance(bpy.context, points[row]) == signed[row]
    assert api.contains(bpy.context, points.reshape(3, 30, 3)).shape == (3, 30)


def test_meshes_that_fill_space_share_no_point_of_their_borders(api, rng):
    """Each point, also one on sides, edges and corners, is inside of exactly one cube of eight."""
    for x, y, z in CORNERS:
        cube(f"{x}{y}{z}", Matrix.Translation((x, y, z)))
    points = rng.integers(1, 8, (300, 3)) / 4
    count = sum(
        api.contains(bpy.context, points, only=f"{x}{y}{z}").astype(int) for x, y, z in CORNERS
    )
    assert (count == 1).all()
    assert api.contains(bpy.context, points).all()


def test_an_open_mesh_is_named(api):
    cube()
    square("Sheet", 5.0)
    for ask in (api.contains, api.signed_distance):
        with pytest.raises(api.RaypickError, match="the object 'Sheet': the mesh is open"):
            ask(bpy.context, (0.5, 0.5, 0.5))
        assert ask(bpy.context, (0.5, 0.5, 0.5), only="Cube") in (True, -0.5)
        assert ask(bpy.context, (0.5, 0.5, 0.5), exclude="Sheet") in (True, -0.5)
    collection_instance(square("Instanced sheet"), (9, 0, 0))
    bpy.context.view_layer.update()
    with pytest.raises(api.RaypickError, match="'Instanced sheet'"):
        api.contains(bpy.context, (0, 0, 0), exclude="Sheet")


def test_a_closed_mesh_that_is_flat_contains_nothing(api, rng):
    cube(matrix=Matrix.Diagonal((1, 1, 0, 1)))
    points = rng.uniform(size=(100, 3)) * (1, 1, 1e-3)
    assert not api.contains(bpy.context, points).any()
    assert (api.signed_distance(bpy.context, points) >= 0).all()


def test_points_that_are_not_finite_are_not_inside(api):
    cube()
    points = [(0.5, 0.5, 0.5), (np.nan, 0.5, 0.5), (0.5, np.inf, 0.5)]
    assert api.contains(bpy.context, points).tolist() == [True, False, False]
    signed = api.signed_distance(bpy.context, points)
    assert signed[0] == -0.5
    assert np.isnan(signed[1:]).all()


def test_instances_made_by_nodes_have_an_inside(api):
    carrier = mesh_object("Carrier", [(0, 0, 0), (5, 0, 0)], [])
    instance_on_points(carrier)
    bpy.context.view_layer.update()
    points = [(0.1, 0.2, 0.3), (5.4, 0.4, -0.4), (2, 0, 0)]
    assert api.contains(bpy.context, points).tolist() == [True, True, False]
    assert api.signed_distance(bpy.context, points[2]) == pytest.approx(1.5)


@pytest.mark.parametrize("evaluated", [True, False])
def test_the_nearest_vertex_is_that_by_hand(api, rng, evaluated):
    """Of a subdivided head that is sheared, a mirrored one, and instances of a cube."""
    head = suzanne(1)
    head.matrix_world = Matrix.Rotation(0.5, 4, "Z") @ Matrix.Diagonal((1, 2, 0.5, 1))
    mesh_object("Mirrored", CORNERS, SIDES, Matrix.Translation((3, 0, 0)) @ Matrix.Scale(-1, 4))
    instance_on_points(square("Carrier", z=2.0))
    bpy.context.view_layer.update()
    shown = np.concatenate([each.corners for each in parts(bpy.context)]).reshape(-1, 3)
    for point in rng.random((30, 3)) * 6 - 2:
        near = api.nearest_vertex(bpy.context, point, evaluated=evaluated)
        kind, vertex = near.snapped
        assert kind == "vertex"
        assert vertex == near.vertices[near.barycentric.index(1.0)]
        assert near.corners[near.barycentric.index(1.0)] == near.point
        assert abs(near.distance - np.linalg.norm(near.point - point)) < 1e-12
        if evaluated:
            assert abs(near.distance - np.linalg.norm(shown - point, axis=1).min()) < 1e-12
            assert near.distance >= api.closest_point(bpy.context, point).distance - 1e-12
        again = api.place(bpy.context, near)
        assert np.allclose(again.point, near.point, rtol=0, atol=1e-12)
        assert again.snapped == near.snapped


def test_vertices_without_a_face_that_is_shown_do_not_count(api):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (9, 9, 0), (5, 0, 0), (5, 1, 0), (6, 0, 0)]
    obj = mesh_object("Loose", corners, [(0, 1, 2), (4, 5, 6)])
    bpy.context.view_layer.update()
    assert api.nearest_vertex(bpy.context, (9, 9, 1)).snapped == ("vertex", 5)
    assert api.nearest_vertex(bpy.context, (9, 9, 1), 2.0) is None
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        edited = bmesh.from_edit_mesh(obj.data)
        edited.faces.ensure_lookup_table()
        edited.faces[1].hide_set(True)
        bmesh.update_edit_mesh(obj.data)
        bpy.context.view_layer.update()
        near = api.nearest_vertex(bpy.context, (9, 9, 1))
        assert (near.snapped, near.face) in [(("vertex", 1), 0), (("vertex", 2), 0)]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert api.nearest_vertex(bpy.context, (9, 9, 1)).snapped == ("vertex", 5)


def test_the_face_at_the_nearest_vertex_has_an_area_if_one_has(api):
    corners = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (7, 0, 0), (8, 0, 0), (9, 0, 0)]
    mesh_object("Needles", corners, [(0, 1, 2), (0, 1, 3), (4, 5, 6)])
    bpy.context.view_layer.update()
    near = api.nearest_vertex(bpy.context, (0, 0, 3))
    assert (near.snapped, near.face, near.normal, near.front) == (("vertex", 0), 1, (0, 0, 1), True)
    alone = api.nearest_vertex(bpy.context, (9, 0, 3))
    assert (alone.snapped, alone.face, alone.distance) == (("vertex", 6), 2, 3.0)
    assert np.isnan(alone.normal).all()


def test_a_flattened_object_has_its_vertices_where_they_are(api):
    obj = cube()
    obj.scale = (2, 1, 0)
    bpy.context.view_layer.update()
    near = api.nearest_vertex(bpy.context, (2, 1, 4))
    assert (near.point, near.distance) == ((2.0, 1.0, 0.0), 4.0)
    assert near.snapped in [("vertex", 6), ("vertex", 7)]


def test_a_deformed_mesh_has_its_vertices_where_they_are_now(api):
    obj = square()
    bpy.context.view_layer.update()
    assert api.nearest_vertex(bpy.context, (3, 3, 0)).point == (1, 1, 0)
    obj.data.vertices[3].co = (4, 4, 0)
    obj.data.update()
    bpy.context.view_layer.update()
    near = api.nearest_vertex(bpy.context, (3, 3, 0))
    assert (near.snapped, near.point) == (("vertex", 3), (4, 4, 0))


def test_a_point_that_is_none_has_no_nearest_vertex(api):
    square()
    for point in ((0, 0), (0, 0, float("nan")), "abc"):
        with pytest.raises(api.RaypickError, match="point"):
            api.nearest_vertex(bpy.context, point)


def opened(obj, *faces):
    """The object's mesh without some of its faces."""
    shape = bmesh.new()
    shape.from_mesh(obj.data)
    shape.faces.ensure_lookup_table()
    bmesh.ops.delete(shape, geom=[shape.faces[face] for face in faces], context="FACES_ONLY")
    shape.to_mesh(obj.data)
    shape.free()


def by_solid_angles(points, part):
    """The winding numbers of points, by the formula of van Oosterom and Strackee, added up."""
    numbers = []
    for point in points:
        a, b, c = (part.corners - point).swapaxes(0, 1)
        x, y, z = (np.linalg.norm(each, axis=1) for each in (a, b, c))
        over = (a * np.cross(b, c)).sum(axis=1)
        under = x * y * z + (a * b).sum(1) * z + (b * c).sum(1) * x + (c * a).sum(1) * y
        numbers.append(np.arctan2(over, under).sum() / (2 * np.pi))
    # A smaller determinant is the rounding of float32, of what is flat.
    mirrors = np.linalg.det(part.matrix[:3, :3]) < -1e-6
    return -np.array(numbers) if mirrors else np.array(numbers)


def test_insides_of_open_meshes_are_told_by_winding(api, rng):
    """Of mirrored, scaled and sheared objects, and of an instance."""
    shear = Matrix(((1, 0.4, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)))
    for number in range(3):
        scales = rng.uniform(0.7, 2, 3) * rng.choice([-1, 1], 3)
        place = Matrix.Translation(rng.normal(size=3) * 0.5)
        opened(cube(f"Cube {number}", place @ Matrix.Diagonal((*scales, 1)) @ shear), number)
    ball = icosphere(0.7)
    opened(ball, *range(0, 80, 9))
    collection_instance(ball, (0.3, 0.2, 0.1)).scale = (1, 1, -2)
    bpy.context.view_layer.update()
    points, shown = rng.normal(size=(90, 3)), parts(bpy.context)
    numbers = np.array([by_solid_angles(points, part) for part in shown])
    assert len(numbers) == 4
    inside = (np.abs(numbers) > 0.5).any(axis=0)
    assert api.contains(bpy.context, points, rule="winding").tolist() == inside.tolist()
    assert 5 < inside.sum() < 85
    signed = api.signed_distance(bpy.context, points, rule="winding")
    away = away_from(points, shown).min(axis=1)
    np.testing.assert_allclose(signed, np.where(inside, -away, away), atol=1e-11)
    exact = api.winding_number(bpy.context, points, max_error=0)
    np.testing.assert_allclose(exact, numbers.sum(axis=0), atol=1e-7)
    assert np.abs(api.winding_number(bpy.context, points) - exact).max() <= 0.01
    assert api.contains(bpy.context, points[0], rule="winding") is bool(inside[0])
    with pytest.raises(api.OpenMeshError, match="pass rule='winding'"):
        api.contains(bpy.context, points)
    with pytest.raises(api.RaypickError, match='rule must be "crossings" or "winding"'):
        api.contains(bpy.context, points, rule="odd")


FLAT = {
    "flat": Matrix.Diagonal((1, 1, 0, 1)),
    "tilted": Matrix.Translation((0.1, 0.2, 0.3))
    @ Matrix.Rotation(0.5, 4, (1, 2, 3))
    @ Matrix.Diagonal((2, 0, 1, 1)),
    "line": Matrix.Diagonal((2, 0, 0, 1)),
    "point": Matrix.Diagonal((0, 0, 0, 1)),
    "nearly": Matrix.Diagonal((1, 2, 1e-9, 1)),
}


@pytest.mark.parametrize("matrix", FLAT.values(), ids=FLAT)
def test_what_is_scaled_to_nothing_has_a_winding_number(api, rng, matrix):
    """Of a cube and an open sheet, which are turned below what flattens them, beside a cube."""
    cube(matrix=Matrix.Translation((0, 0, 1)))
    flattener = link(bpy.data.objects.new("Flattener", None))
    flattener.matrix_world = matrix
    for obj in (cube("Flat cube"), square("Flat sheet")):
        obj.parent, obj.rotation_euler = flattener, (0.7, 0.2, 0.1)
    bpy.context.view_layer.update()
    points = rng.normal(size=(90, 3)) + (0.5, 0.5, 0.5)
    numbers = sum(by_solid_angles(points, part) for part in parts(bpy.context))
    for asked in (api, api.frozen(bpy.context)):
        of = (bpy.context,) if asked is api else ()
        found = asked.winding_number(*of, points, max_error=0)
        np.testing.assert_allclose(found, numbers, atol=1e-7)
        inside = asked.contains(*of, points, rule="winding")
        assert inside.tolist() == (((points > (0, 0, 1)) & (points < (1, 1, 2))).all(1)).tolist()
        signed = asked.signed_distance(*of, [(5, 5, 5), (0.5, 0.5, 1.25)], rule="winding")
        np.testing.assert_allclose(signed, [np.sqrt(41), -0.25], atol=1e-6)
        with pytest.raises(api.OpenMeshError, match="'Flat sheet'"):
            asked.contains(*of, points)
    assert 0 < inside.sum() < 90


def test_points_in_the_plane_of_a_flat_object_are_outside_by_winding(api, rng):
    cube(matrix=Matrix.Diagonal((1, 1, 0, 1)))
    square("Flat sheet").scale = (1, 1, 0)
    bpy.context.view_layer.update()
    points = np.concatenate([rng.uniform(-0.5, 1.5, (90, 3)), np.array(CORNERS)]) * (1, 1, 0)
    assert not api.contains(bpy.context, points, rule="winding").any()
    assert (api.signed_distance(bpy.context, points, rule="winding") >= 0).all()
    assert not api.winding_number(bpy.context, points).any()


def test_hidden_faces_of_a_flat_object_do_not_count_by_winding(api):
    """A sheet above the hidden one, which would make the number 0."""
    corners = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    obj = mesh_object("Sheets", corners, [(0, 1, 2, 3), (7, 6, 5, 4)])
    obj.scale = (1, 1, 0)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    shape = bmesh.from_edit_mesh(obj.data)
    shape.faces.ensure_lookup_table()
    assert api.winding_number(bpy.context, (0.5, 0.5, -0.5), max_error=0) == 0
    shape.faces[1].hide_set(True)
    bmesh.update_edit_mesh(obj.data)
    bpy.context.view_layer.update()
    numbers = [api.winding_number(bpy.context, [(0.5, 0.5, -0.5)] * n, max_error=0) for n in (1, 9)]
    np.testing.assert_allclose(np.concatenate(numbers), 1 / 6, atol=1e-9)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_hidden_faces_do_not_count_by_winding(api):
    obj = cube()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    shape = bmesh.from_edit_mesh(obj.data)
    shape.faces.ensure_lookup_table()
    for face in range(4):
        shape.faces[face].hide_set(True)
    bmesh.update_edit_mesh(obj.data)
    number = api.winding_number(bpy.context, [(0.5, 0.5, 0.5)] * 100, max_error=0)
    np.testing.assert_allclose(number, 1 / 3, atol=1e-9)
    assert api.contains(bpy.context, (0.5, 0.5, 0.5), rule="winding") is False
    bpy.ops.object.mode_set(mode="OBJECT")
