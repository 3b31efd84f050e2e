# SPDX-License-Identifier: GPL-3.0-or-later
"""Winding numbers are the sums of all solid angles, and tell what is inside of open meshes."""

import math
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.closest import solid_angle, winding
from standalone_core.engines import engine_named

from .. import meshes, oracle
from ..meshes import placement, rotation
from ..peers import peer
from .nearest_places import built, scanning

each_way = pytest.mark.parametrize("make", [scanning, built], ids=["scan", "tree"])


def by_angles(point, vertices, triangles):
    """The sum of the solid angles over 4 pi by the law of spherical triangles, in long doubles.

    Each is the sum of the dihedral angles between the planes through the point and the edges, less
    pi.
    """
    a, b, c = (vertices[triangles] - point).astype(np.longdouble).swapaxes(0, 1)
    planes = [np.cross(b, c), np.cross(c, a), np.cross(a, b)]
    planes = [plane / np.linalg.norm(plane, axis=1)[:, None] for plane in planes]
    excess = -np.pi * np.ones(len(a), np.longdouble)
    for i in range(3):
        first, second = planes[i], planes[i - 1]
        tangent = np.linalg.norm(first - second, axis=1), np.linalg.norm(first + second, axis=1)
        excess += np.longdouble(np.pi) - 2 * np.arctan2(*tangent)
    return float((np.sign((a * planes[0]).sum(axis=1)) * excess).sum() / (4 * np.pi))


ROWS = [[1, 2, 3], [0, 1, 4], [5, 6, 0.5]]


def torn(rng, vertices, triangles, share=0.1):
    return vertices, triangles[rng.random(len(triangles)) >= share]


def nasty(rng):
    """Overlapping parts, one inside out, faces twice, slivers, what is no triangle, and NaN."""
    parts = [
        torn(rng, *meshes.torus(24, 12)),
        torn(rng, *meshes.icosphere(3)),
        meshes.cube(),
        (meshes.cube()[0] * 0.3 + 0.4, meshes.cube()[1][:, ::-1]),
        meshes.soup(rng, 150),
        meshes.nasty(rng),
    ]
    starts = np.cumsum([0, *(len(v) for v, _ in parts[:-1])])
    vertices = np.concatenate([v for v, _ in parts])
    triangles = np.concatenate([t + s for (_, t), s in zip(parts, starts, strict=True)])
    return vertices, np.concatenate([triangles, triangles[:40]])


def counting(vertices, triangles):
    """Those triangles that have an area and finite vertices."""
    corners = vertices[triangles]
    sound = np.isfinite(corners).all(axis=(1, 2))
    sound[sound] = [
        any(oracle.cross(oracle.sub(b, a), oracle.sub(c, a)))
        for a, b, c in map(oracle.exact, corners[sound])
    ]
    return triangles[sound]


@each_way
def test_the_number_is_the_sum_of_all_solid_angles(rng, make, engine):
    vertices, triangles = nasty(rng)
    mesh = make(vertices, triangles, engine=engine)
    points = rng.uniform(-2, 3, (60, 3))
    real = counting(vertices, triangles)
    wanted = np.array([by_angles(point, vertices, real) for point in points])
    np.testing.assert_allclose(mesh.winding_number(points, max_error=0), wanted, atol=2e-9)
    for tolerance in (1e-4, 0.01, 0.3):
        numbers = mesh.winding_number(points, tolerance)
        assert np.abs(numbers - wanted).max() <= tolerance
        np.testing.assert_array_equal(np.abs(numbers) > 0.5, np.abs(wanted) > 0.5)
    np.testing.assert_array_equal(mesh.contains(points, rule="winding"), np.abs(wanted) > 0.5)
    assert np.abs(wanted).max() > 1.5


def test_engines_and_scans_give_the_same_bits(rng, engine):
    vertices, triangles = nasty(rng)
    points = np.concatenate([rng.uniform(-2, 3, (200, 3)), vertices[::40], vertices[::40] * 1e30])
    mesh, scan = built(vertices, triangles, engine=engine), scanning(vertices, triangles)
    asked = mesh._state.geometry, mesh.tree, points
    for tolerance in (1e-3, 0.05, np.inf):  # in one tree, as each engine builds another
        each = np.full(len(points), tolerance), None
        found = [engine_named(name).winding(*asked, *each) for name in ("numpy", engine)]
        np.testing.assert_array_equal(*found)
    threaded = [mesh.winding_number(points, threads=count) for count in (1, 2)]
    np.testing.assert_array_equal(*threaded)
    exact = [each.winding_number(points[:50], 0) for each in (mesh, scan)]
    np.testing.assert_array_equal(*exact)
    inside = [each.contains(points, rule="winding") for each in (mesh, scan)]
    np.testing.assert_array_equal(*inside)


def test_the_error_of_a_cluster_is_at_most_its_bound(rng):
    """Of 32 triangles, seen from all sides and distances."""
    vertices, triangles = meshes.soup(rng, 64)
    vertices += rng.uniform(0, 0.1)
    mesh = built(vertices, triangles, engine="numpy")
    clusters = winding.clusters_of(mesh._state.geometry, mesh.tree, None)
    for child in (0, 1):
        fields = clusters.fields[0, :, child]
        own = clusters.triangles[32 * child : 32 * child + 32]
        for _ in range(60):
            away = rng.normal(size=3)
            away *= fields[3] * 1.05 * 10 ** rng.uniform(0, 2) / np.linalg.norm(away)
            share, bound = solid_angle.share_from_afar(fields, fields[:3] + away)
            point = (fields[:3] + away) * mesh.tree.scale + mesh.tree.center
            assert abs(share - by_angles(point, vertices, own)) <= bound


def test_the_bound_is_nearly_reached(rng):
    """Triangles at both ends of a cluster, seen along its axis."""
    tiny = np.array([[0, 1, 0], [0, -1, 1], [0, -1, -1]]) * 0.01
    vertices, triangles = np.concatenate([tiny - (1, 0, 0), tiny + (1, 0, 0)]), np.arange(6)
    mesh = built(vertices, triangles.reshape(2, 3), engine="numpy")
    fields = winding.clusters_of(mesh._state.geometry, mesh.tree, None).fields[0, :, 0]
    for distance in (1.2, 2.0, 5.0):
        point = np.array([distance, 0, 0])
        place = (point - mesh.tree.center) / mesh.tree.scale
        share, bound = solid_angle.share_from_afar(fields, place)
        error = abs(share - by_angles(point, vertices, mesh.triangles))
        assert 0.15 * bound < error <= bound


def test_next_to_a_half_decisions_are_those_of_the_whole_sum(rng, engine):
    """Between places inside and outside, points are halved until few digits differ."""
    vertices, triangles = torn(rng, *meshes.torus(60, 30), share=0.3)
    mesh = built(vertices, triangles, engine=engine)
    inside, outside = np.array([[0.95, 0.1, 0.0]] * 30), rng.uniform(-0.5, 0.5, (30, 3))
    outside /= 2 * np.linalg.norm(outside, axis=1)[:, None]
    for _ in range(32):
        middle = (inside + outside) / 2
        is_in = np.abs(mesh.winding_number(middle, 0)) > winding.INSIDE
        inside[is_in], outside[~is_in] = middle[is_in], middle[~is_in]
        assert mesh.contains(middle, rule="winding").tolist() == is_in.tolist()
    over = mesh.winding_number(inside, 0) - 0.5  # more where a triangle lies between
    assert np.sum((over > 0) & (over < 1e-6)) > 2


def test_excluded_triangles_do_not_count(rng, engine):
    vertices, triangles = meshes.icosphere(2)
    mesh, excluded = built(vertices, triangles, engine=engine), rng.random(len(triangles)) < 0.4
    points = rng.uniform(-2, 2, (50, 3))
    asked = points, np.zeros(50), excluded
    found = engine_named(engine).winding(mesh._state.geometry, mesh.tree, *asked)
    wanted = built(vertices, triangles[~excluded]).winding_number(points, 0)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    scanned = winding.scanned_numbers(mesh._state.geometry, *asked)
    np.testing.assert_array_equal(scanned, found)


def test_many_sheets_go_around_points_far_above_them():
    vertices, triangles = meshes.stack(200)
    scene, points = sc.Scene(), [(0, 0, height) for height in (0.3, 1.0, 4.0, 6.0, 9.0, 40.0)]
    scene.add(sc.Mesh(vertices, triangles), placement(np.eye(3), (5, 0, 0)))
    numbers = scene.winding_number(np.array(points) + (5, 0, 0), 0)
    inside = scene.contains(np.array(points) + (5, 0, 0), rule="winding")
    np.testing.assert_array_equal(inside, np.abs(numbers) > 0.5)
    assert inside.tolist()[3:] == [True, True, False]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e-105, 1e120, 1e300])
def test_in_a_scene_the_rule_holds_for_matrices_of_any_size(rng, size):
    """Also for those that shear or mirror, whose determinants under- or overflow."""
    vertices, triangles = torn(rng, *meshes.icosphere(2))
    points = rng.uniform(-1.2, 1.2, (60, 3))
    for linear in (np.diag([1, 1, 2]), np.diag([1, -1, 2]), np.diag([-1, 1, 1]), [ROWS]):
        matrix = placement(np.reshape(linear, (3, 3)))
        plain, scene = sc.Scene(), sc.Scene()
        plain.add(sc.Mesh(vertices, triangles), matrix)
        scene.add(sc.Mesh(vertices, triangles), placement(matrix[:3, :3] * size))
        wanted = plain.winding_number(points, 0)
        np.testing.assert_allclose(scene.winding_number(points * size, 0), wanted, atol=1e-8)
        inside = scene.contains(points * size, rule="winding")
        np.testing.assert_array_equal(inside, np.abs(wanted) > 0.5)
        assert 0 < inside.sum() < 60
        assert wanted.max() > 0.9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [2.0**-900, 2.0**-538, 2.0**520, 2.0**900])
@pytest.mark.parametrize("by", ["mesh", "matrix", "both"])
def test_many_sheets_of_any_size_go_around_points_far_above_them(size, by):
    """The squares of their sizes, and so their areas, under- or overflow."""
    vertices, triangles = meshes.stack(200)
    sizes = {"mesh": (size, 1.0), "matrix": (1.0, size), "both": (size, 1 / size)}[by]
    scene = sc.Scene()
    scene.add(sc.Mesh(vertices * sizes[0], triangles), placement(np.eye(3) * sizes[1]))
    points = np.array([(0, 0, height) for height in (4.0, 6.0, 9.0, 40.0)])
    inside = scene.contains(points * sizes[0] * sizes[1], rule="winding")
    assert inside.tolist() == [True, True, True, False]


@each_way
def test_closed_meshes_contain_the_same_by_both_rules(rng, make, engine):
    for vertices, triangles in (meshes.torus(20, 12), meshes.icosphere(2), meshes.cube()):
        points = rng.uniform(-1.5, 1.5, (300 if make is built else 30, 3))
        for turned in (triangles, triangles[:, ::-1]):
            mesh = make(vertices, turned, engine=engine)
            inside = mesh.contains(points)
            np.testing.assert_array_equal(mesh.contains(points, rule="winding"), inside)
            signed = mesh.signed_distance(points)
            np.testing.assert_array_equal(mesh.signed_distance(points, rule="winding"), signed)
            number = 1 if turned is triangles else -1
            np.testing.assert_allclose(mesh.winding_number(points, 0), inside * number, atol=1e-9)


def test_just_beside_a_surface_the_side_is_right_and_on_it_is_outside(rng, engine):
    """On faces, edges and corners, by exact planes of a convex mesh."""
    vertices, triangles = meshes.icosphere(1)
    mesh = built(vertices, triangles, engine=engine)
    weights = rng.dirichlet((1, 1, 1), (3, len(triangles)))
    weights[1, :, 0] = 0
    weights[1] /= weights[1].sum(axis=1)[:, None]
    on = (vertices[triangles] * weights[..., None]).sum(axis=2).reshape(-1, 3)
    on = np.concatenate([on, vertices])
    points = np.concatenate([on, on * (1 - 2.0**-52), on * (1 + 2.0**-52), on * (1 - 1e-12)])
    planes = []
    for a, b, c in map(oracle.exact, vertices[triangles]):
        normal = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
        planes.append((normal, oracle.dot(normal, a)))
    wanted = [
        all(oracle.dot(normal, p) < height for normal, height in planes)
        for p in map(oracle.exact, points)
    ]
    np.testing.assert_array_equal(mesh.contains(points, rule="winding"), wanted)
    assert min(np.sum(wanted), len(points) - np.sum(wanted)) > 100


@each_way
def test_on_a_triangle_the_number_is_the_mean_of_both_sides(make, engine):
    mesh = make(*meshes.cube(), engine=engine)
    points = [(1, 0.25, 0), (1, 0, 0), (1, 1, 0.5), (1, 1, 1), (0.5, 0.5, 1), (-1, -1, -1)]
    numbers = mesh.winding_number(points, max_error=0)
    np.testing.assert_allclose(numbers, [0.5, 0.5, 0.25, 0.125, 0.5, 0.125], atol=1e-9)
    assert not mesh.contains(points, rule="winding").any()
    open_cube = make(meshes.cube()[0], meshes.cube()[1][2:], engine=engine)
    assert (open_cube.signed_distance(points, rule="winding")[1:4] == 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_torus_with_holes_contains_what_the_whole_one_does(rng, engine, seed):
    vertices, triangles = meshes.torus(80, 40)
    torus = built(*torn(rng, vertices, triangles), engine=engine)
    points = rng.uniform((-1.5, -1.5, -0.5), (1.5, 1.5, 0.5), (2000, 3))
    depth = 0.4 - np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1, points[:, 2])
    clear = np.abs(depth) > 0.08
    inside = torus.contains(points, rule="winding")
    np.testing.assert_array_equal(inside[clear], depth[clear] > 0)
    assert 500 < inside.sum() < 1500
    away = torus.closest_point(points).distance
    signed = torus.signed_distance(points, rule="winding")
    np.testing.assert_array_equal(signed, np.where(inside, -away, away))
    with pytest.raises(errors.OpenMeshError, match="pass rule='winding'"):
        torus.contains(points)


def test_the_rule_holds_at_any_place_and_of_any_size(rng, engine):
    vertices, triangles = torn(rng, *meshes.icosphere(2))
    points = rng.uniform(-1.2, 1.2, (100, 3))
    wanted = built(vertices, triangles).winding_number(points, 0)
    for size in (2.0**-1040, 2.0**-500, 2.0**900, 2.0**1022):
        if size < 2.0**-1030:  # few digits are left
            some = built(vertices * size, triangles, engine=engine)
            found = some.winding_number(points * size, 0)
            np.testing.assert_allclose(found, wanted, atol=1e-3)
            continue
        mesh = built(vertices * size, triangles, engine=engine)
        np.testing.assert_array_equal(mesh.winding_number(points * size, 0), wanted)
        if size < 2.0**1000:
            far = [[0, 0, min(2.0**1000 * size, 2.0**1022)]]
            assert abs(mesh.winding_number(far, 0)[0]) < 1e-9
    offset = np.array([1e6, -1e6, 1e6])
    moved = built(vertices + offset, triangles, engine=engine)
    np.testing.assert_allclose(moved.winding_number(points + offset, 0), wanted, atol=1e-6)


def test_numbers_follow_a_refit_and_meshes_without_triangles_have_none(rng, engine):
    vertices, triangles = torn(rng, *meshes.icosphere(3))
    points = rng.uniform(-2, 2, (100, 3))
    mesh = built(vertices, triangles, engine=engine)
    mesh.winding_number(points)
    mesh.refit(vertices * 1.5)
    wanted = built(vertices * 1.5, triangles, engine=engine).winding_number(points, 0)
    np.testing.assert_array_equal(mesh.winding_number(points, 0), wanted)
    for empty in (sc.Mesh(np.zeros((0, 3)), []), built(vertices * np.nan, triangles)):
        assert not empty.winding_number(points).any()
        assert not empty.contains(points, rule="winding").any()


@each_way
def test_the_shape_of_the_points_is_kept_and_bad_input_is_told(make):
    mesh = make(*meshes.cube())
    assert mesh.contains((0, 0, 0), rule="winding") is True
    assert mesh.winding_number((3, 0, 0)) == pytest.approx(0, abs=0.01)
    assert mesh.winding_number([]).tolist() == []
    assert mesh.winding_number(np.zeros((2, 3, 3)), 0).round(9).tolist() == [[1] * 3] * 2
    assert mesh.contains([(0, 0, 0), (np.nan, 0, 0)], rule="winding").tolist() == [True, False]
    assert np.isnan(mesh.winding_number([(0, 0, 0), (np.inf, 0, 0)])).tolist() == [False, True]
    assert np.isnan(mesh.signed_distance((0, np.nan, 0), rule="winding"))
    for rule in ("odd", None, 3, np.array(["winding"] * 2)):
        with pytest.raises(errors.ArgumentError, match='rule must be "crossings" or "winding"'):
            mesh.contains((0, 0, 0), rule=rule)
    for tolerance in (-1, np.nan, "much"):
        with pytest.raises(errors.ArgumentError, match="max_error"):
            mesh.winding_number((0, 0, 0), tolerance)


def test_polygons_have_the_numbers_of_their_triangles(rng):
    vertices = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4]
    box = sc.PolygonMesh(vertices, faces, 4)
    points = rng.uniform(-0.5, 1.5, (200, 3))
    wanted = box.as_mesh().winding_number(points, 0)
    np.testing.assert_array_equal(box.winding_number(points, 0), wanted)
    np.testing.assert_array_equal(box.contains(points, rule="winding"), np.abs(wanted) > 0.5)


def moved(vertices, matrix):
    return vertices @ matrix[:3, :3].T + matrix[:3, 3]


def test_in_a_scene_numbers_add_up_and_one_instance_must_be_around_a_point(rng, engine):
    """Of instances that are turned, mirrored, scaled unevenly and sheared."""
    vertices, triangles = torn(rng, *meshes.torus(24, 16), share=0.2)
    mesh, points = built(vertices, triangles, engine=engine), rng.uniform(-2, 2, (150, 3))
    linear = [
        rotation(rng) * 0.7,
        rotation(rng) @ np.diag([1, 1, -1]),
        rotation(rng) @ np.diag([1, 0.5, 2]),
        rng.normal(size=(3, 3)),
        np.diag([-1, 2, 1]) + [[0, 0.5, 0], [0, 0, 0], [0, 0, 0]],
    ]
    matrices = [placement(each, rng.normal(size=3) * 0.5) for each in linear]
    alone = []
    for matrix in matrices:
        turned = triangles if np.linalg.det(matrix[:3, :3]) > 0 else triangles[:, ::-1]
        there = sc.Mesh(moved(vertices, matrix), turned)
        alone.append(there.winding_number(points, 0))
    scene = sc.Scene()
    scene.add_many(mesh, matrices)
    np.testing.assert_allclose(scene.winding_number(points, 0), np.sum(alone, axis=0), atol=1e-8)
    assert np.abs(scene.winding_number(points) - np.sum(alone, axis=0)).max() <= 0.01
    inside = (np.abs(alone) > 0.5).any(axis=0)
    np.testing.assert_array_equal(scene.contains(points, rule="winding"), inside)
    signed = scene.signed_distance(points, rule="winding")
    np.testing.assert_array_equal(signed < 0, inside)
    scene.remove_many(scene.ids[1:])
    np.testing.assert_allclose(scene.winding_number(points, 0), alone[0], atol=1e-8)
    assert 5 < inside.sum() < 145


def test_walls_that_are_instances_have_an_inside_together_by_their_number():
    """Each wall by itself goes around nothing."""
    vertices, triangles = meshes.cube()
    scene = sc.Scene()
    for first in range(0, 12, 2):
        scene.add(sc.Mesh(vertices, triangles[first : first + 2]))
    assert scene.winding_number([(0, 0, 0), (0.9, 0.9, 0.9), (2, 0, 0)], 0).round(9).tolist() == [
        *(1, 1, 0)
    ]
    assert not scene.contains((0, 0, 0), rule="winding")


def share_by_angles(corners):
    """The share of a triangle (3, 3) that is seen from the origin, in long doubles."""
    return by_angles(np.zeros(3), corners, np.arange(3)[None])


def test_shares_are_off_by_no_more_than_is_said(rng):
    """By 2**-48 where the edges are seen under less than a right angle, else by 2**-30.

    Some of the triangles have an edge that almost goes through the point.
    """
    corners = rng.normal(size=(4000, 3, 3)) * 10.0 ** rng.uniform(-5, 5, (4000, 3, 1))
    near = 10.0 ** rng.uniform(-7, 0, (2000, 1)) * rng.normal(size=(2000, 3))
    corners[::2, 1] = -corners[::2, 0] * rng.uniform(0.1, 9, (2000, 1)) + near
    corners[1::4] = np.abs(corners[1::4])  # in one octant
    a, b, c = corners.swapaxes(0, 1)
    tangents = solid_angle.tangent(a.T, b.T, c.T)
    told = ~solid_angle.is_near(*tangents)
    off = np.abs(solid_angle.share_of(*tangents[:2]) - [*map(share_by_angles, corners)])
    assert off[told].max() < 2.0**-30
    assert off[told].max() > 2.0**-40
    is_small = np.min([(a * b).sum(1), (b * c).sum(1), (c * a).sum(1)], axis=0) >= 0
    assert off[told & is_small].max() < 2.0**-48
    assert (told & is_small).sum() > 900
    assert 50 < (~told).sum() < 3000


def test_the_arctangent_is_right_to_the_last_digits(rng):
    angles = np.concatenate([rng.uniform(-0.5, 0.5, 5000), np.arange(-3, 4) / 8])
    sizes = 10.0 ** rng.uniform(-50, 50, len(angles))
    over, under = sizes * np.sin(2 * np.pi * angles), sizes * np.cos(2 * np.pi * angles)
    found = solid_angle.share_of(over, under)
    np.testing.assert_allclose(found, np.arctan2(over, under) / (2 * np.pi), rtol=0, atol=2.0**-48)
    assert solid_angle.share_of(np.zeros(1), np.zeros(1)).tolist() == [0]
    assert all(Fraction(each).denominator <= 2**48 for each in found)
    assert math.isfinite(found.sum())


@pytest.mark.parametrize("seed", range(3))
def test_no_more_answers_are_wrong_than_libigls(rng, seed):
    """On a torus without a tenth of its triangles; its exact sum and ours agree."""
    igl = peer("igl")
    vertices, triangles = torn(rng, *meshes.torus(120, 60))
    points = rng.uniform((-1.5, -1.5, -0.5), (1.5, 1.5, 0.5), (4000, 3))
    truth = sc.Mesh(*meshes.torus(120, 60)).contains(points)
    mesh = built(vertices, triangles)
    given = vertices, triangles.astype(np.int64)
    exact, fast = igl.winding_number(*given, points), igl.fast_winding_number(*given, points)
    np.testing.assert_allclose(mesh.winding_number(points, 0), exact, atol=1e-8)
    wrong = np.count_nonzero(mesh.contains(points, rule="winding") != truth)
    assert wrong <= np.count_nonzero((fast > 0.5) != truth)
    assert wrong == np.count_nonzero((exact > 0.5) != truth)
