# SPDX-License-Identifier: GPL-3.0-or-later
"""The place that is snapped to, against a loop over all of them; their order and their limits."""

from dataclasses import replace
from math import hypot, inf, isfinite

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from ..scenes import link, mesh_object, square
from .test_snap import pick, pixel_of
from .view.test_cameras import HEIGHT, WIDTH, region, seen_by

RADII = [5.0, 40.0, 300.0, inf]
FLOOR = [(0, -1000, 0), (1500, 1000, 0), (-1500, 1000, 0)]


def look(kind, location, rotation):
    """The view of a new camera, and whether a world point is before its eye."""
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    camera.data.type, camera.data.ortho_scale = kind, 8.0
    camera.matrix_world = Matrix.LocRotScale(location, Euler(rotation), None)
    view = seen_by(camera, kind)
    return view, lambda point: kind == "ORTHO" or (view.view_matrix @ Vector(point)).z < 0.0


def random_face(rng):
    """A star of up to 30 corners around the origin, not quite flat."""
    count = int(rng.integers(3, 30))
    angles = (np.arange(count) + rng.uniform(0, 0.8, count)) * 2 * np.pi / count
    away = rng.uniform(2, 9, count)
    places = np.column_stack(
        [away * np.cos(angles), away * np.sin(angles), rng.normal(0, 0.2, count)]
    )
    matrix = Matrix.LocRotScale(None, Euler(rng.uniform(-0.3, 0.3, 3)), (1.0, 1.2, 0.9))
    return mesh_object("Face", places.tolist(), [tuple(range(count))], matrix)


def triangles_of(obj):
    obj.data.calc_loop_triangles()
    return [tuple(triangle.vertices) for triangle in obj.data.loop_triangles]


def away_from(camera, is_before, pixel, point):
    """How far from a pixel a world point is seen; inf behind the eye."""
    return float(away_from_many(camera, is_before, pixel, np.array([point]))[0])


def away_from_many(camera, is_before, pixel, points):
    """How far from a pixel world points (N, 3) are seen, (N,); inf behind the eye."""
    x, y, _ = camera.project(points)
    before = np.array([is_before(point) for point in points])
    return np.where(before, np.hypot(x - pixel[0], y - pixel[1]), inf)


def world_vertices(obj):
    """All vertices of a mesh in world space, (V, 3)."""
    return np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])


def nearest_vertex(obj, away, radius):
    """The first of the nearest vertices of the triangles: triangle, corner and how far it is."""
    best = (None, None, inf)
    all_away = away(world_vertices(obj))
    for number, triangle in enumerate(triangles_of(obj)):
        for corner, vertex in enumerate(triangle):
            far = all_away[vertex]
            if far <= radius and far < best[2]:
                best = (number, corner, far)
    return best


def ends_of_edges(obj):
    """Both ends of all edges in world space: (E, 3) twice."""
    edges = np.array([tuple(edge.vertices) for edge in obj.data.edges])
    return tuple(world_vertices(obj)[edges].transpose(1, 0, 2))


def nearest_on_an_edge(obj, away):
    """How far from the pixel the nearest of many places of all edges is seen."""
    start, end = (part[:, None] for part in ends_of_edges(obj))
    rows = np.arange(len(start))
    least = inf
    low, high = np.zeros(len(start)), np.ones(len(start))
    for _ in range(6):
        shares = np.linspace(low, high, 65, axis=1)
        places = start + shares[..., None] * (end - start)
        found = away(places.reshape(-1, 3)).reshape(shares.shape)
        least = min(least, found.min())
        best = found.argmin(axis=1)
        low, high = shares[rows, np.maximum(best - 1, 0)], shares[rows, np.minimum(best + 1, 64)]
    return least


def off_the_edges(obj, point):
    """How far from all edges of a mesh a world point is."""
    start, end = ends_of_edges(obj)
    way = end - start
    shares = np.clip(((point - start) * way).sum(axis=1) / (way**2).sum(axis=1), 0, 1)
    return np.linalg.norm(start + shares[:, None] * way - point, axis=1).min()


def random_picks(raypick, rng, kind, count):
    """Faces, their plain hits and how far world points are seen, also from within a face."""
    for _ in range(count):
        obj = random_face(rng)
        turned = (rng.uniform(0.2, 1.5), rng.uniform(-0.3, 0.3), rng.uniform(0, 6))
        view, is_before = look(kind, rng.uniform((-3, -3, 0.7), (3, 3, 6)), turned)
        camera = raypick.api.camera(region(), view)
        for pixel in rng.uniform((0, 0), (WIDTH, HEIGHT), (6, 2)):
            for plain in pick(raypick, view, *pixel, clip=False):

                def away(points, camera=camera, is_before=is_before, pixel=pixel):
                    return away_from_many(camera, is_before, pixel, points)

                yield obj, view, pixel, plain, away
        bpy.data.objects.remove(obj)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_the_first_of_the_nearest_vertices_is_snapped_to(raypick, rng, kind):
    snapped = kept = 0
    for obj, view, pixel, plain, away in random_picks(raypick, rng, kind, 40):
        for radius in RADII:
            moved = pick(raypick, view, *pixel, clip=False, snap="vertex", snap_radius=radius)[0]
            triangle, corner, _ = nearest_vertex(obj, away, radius)
            if triangle is None:
                kept += 1
                assert moved == plain
            else:
                snapped += 1
                assert moved.triangle == triangle
                assert list(moved.barycentric) == np.eye(3)[corner].tolist()
    assert snapped > 50
    assert kept > 50


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_the_place_of_an_edge_that_is_seen_nearest_is_snapped_to(raypick, rng, kind):
    snapped = kept = 0
    for obj, view, pixel, plain, away in random_picks(raypick, rng, kind, 12):
        least = nearest_on_an_edge(obj, away)
        for radius in RADII:
            moved = pick(raypick, view, *pixel, clip=False, snap="edge", snap_radius=radius)[0]
            if least > radius + 0.01:
                kept += 1
                assert moved == plain
            elif least < radius - 0.01:
                snapped += 1
                assert away(np.array([moved.point]))[0] == pytest.approx(least, abs=0.01)
                assert off_the_edges(obj, np.array(moved.point)) < 1e-5
                assert min(moved.barycentric) == 0.0
    assert snapped > 20
    assert kept > 5


def test_a_vertex_behind_the_eye_is_not_snapped_to(raypick):
    """It would be projected through the eye, to the middle of the view."""
    mesh_object("Floor", FLOOR, [(0, 1, 2)])
    view, _ = look("PERSP", (0, 0, 1.7), (np.pi / 2, 0, 0))
    behind = pixel_of(raypick, view, FLOOR[0])
    x, y = WIDTH / 2, HEIGHT / 2 - 3
    assert hypot(*(behind - (x, y))) < 6
    (plain,) = pick(raypick, view, x, y, clip=False)
    assert pick(raypick, view, x, y, snap="vertex", clip=False, snap_radius=20) == [plain]
    (moved,) = pick(raypick, view, x, y, snap="vertex", clip=False, snap_radius=2000)
    assert moved.point[1] == 1000.0


def test_an_edge_that_passes_the_eye_is_snapped_to_before_it(raypick):
    mesh_object("Floor", FLOOR, [(0, 1, 2)])
    view, is_before = look("PERSP", (0, 0, 1.7), (np.pi / 2, 0, 0))
    camera = raypick.api.camera(region(), view)
    for x in (5, WIDTH - 5):
        pixel = x, HEIGHT / 2 - 2
        (moved,) = pick(raypick, view, *pixel, snap="edge", clip=False, snap_radius=inf)
        shares = np.linspace(0, 1, 200001)[:, None]
        corners = np.array(FLOOR)
        points = np.concatenate(
            [(1 - shares) * corners[i - 1] + shares * corners[i] for i in range(3)]
        )
        seen = np.column_stack(camera.project(points[points[:, 1] > 1e-3])[:2])
        least = np.linalg.norm(seen - pixel, axis=1).min()
        assert is_before(moved.point)
        assert away_from(camera, is_before, pixel, moved.point) == pytest.approx(least, abs=0.01)


def test_where_the_nearest_place_has_no_area_the_next_is_taken(raypick, monkeypatch):
    square(size=2.0)
    view, _ = look("PERSP", (1.0, 1.0, 8.0), (0, 0, 0))
    module = raypick.bridge.placing
    placed = module.placed

    def refusing(*arguments):
        hit = placed(*arguments)
        if not hit.point.any():
            raise raypick.standalone_core.errors.DegenerateError("no area")
        return hit

    x, y = pixel_of(raypick, view, (0.1, 0.3, 0))
    options = {"snap": "vertex", "snap_radius": inf}
    assert pick(raypick, view, x, y, **options)[0].point == (0.0, 0.0, 0.0)
    monkeypatch.setattr(module, "placed", refusing)
    assert pick(raypick, view, x, y, **options)[0].point == (0.0, 2.0, 0.0)


@pytest.mark.parametrize("kind", ["vertex", "edge", "face"])
def test_places_that_are_not_finite_are_not_snapped_to(raypick, kind):
    obj = square(size=2.0)
    obj.data.vertices[3].co = (float("nan"),) * 3
    view, _ = look("PERSP", (1.0, 1.0, 8.0), (0, 0, 0))
    x, y = pixel_of(raypick, view, (1.4, 0.5, 0))
    (moved,) = pick(raypick, view, x, y, snap=kind, snap_radius=inf)
    assert all(isfinite(part) for part in moved.point)
    assert (moved.point == (2.0, 0.0, 0.0)) == (kind == "vertex")


@pytest.fixture
def steep_and_flat():
    """A steep face that is hit at the height 1 and has a corner at -3, and a flat one at 0."""
    steep = mesh_object("Steep", [(0, 0, -3), (0.2, 0.5, 3), (0.2, -0.5, 3)], [(0, 1, 2)])
    square("Flat", size=0.5)
    view, _ = look("ORTHO", (0.0, 0.0, 8.0), (0, 0, 0))
    return steep, view


def test_hits_are_in_order_where_they_snap_to(raypick, steep_and_flat):
    _, view = steep_and_flat
    x, y = pixel_of(raypick, view, (0.13, 0.01, 0))
    options = {"all_hits": True, "snap": "vertex", "snap_radius": 14}
    plain = pick(raypick, view, x, y, all_hits=True)
    assert [hit.object for hit in plain] == ["Steep", "Flat"]
    moved = pick(raypick, view, x, y, **options)
    assert [hit.point for hit in moved] == [(0, 0, 0), (0, 0, -3)]
    assert moved[0].distance < moved[1].distance


def test_hits_that_snap_beyond_the_maximal_distance_are_none(raypick, steep_and_flat):
    _, view = steep_and_flat
    x, y = pixel_of(raypick, view, (0.13, 0.01, 0))
    options = {"all_hits": True, "snap": "vertex", "snap_radius": 14}
    near, far = pick(raypick, view, x, y, **options)
    assert pick(raypick, view, x, y, max_distance=far.distance, **options) == [near, far]
    between = (near.distance + far.distance) / 2
    assert pick(raypick, view, x, y, max_distance=between, **options) == [near]
    assert pick(raypick, view, x, y, max_distance=near.distance * 0.99, **options) == []


def test_what_is_drawn_in_front_stays_first_where_it_snaps_farther_away(raypick, steep_and_flat):
    steep, view = steep_and_flat
    steep.show_in_front = True
    bridge = raypick.bridge
    pixel = tuple(pixel_of(raypick, view, (0.13, 0.01, 0)))
    camera = raypick.api.camera(region(), view)
    ray = camera.ray(*pixel)
    around = bridge.query.AroundPixel(camera, *pixel)
    snapping = bridge.placing.snapping("vertex", around, 14.0)
    query = bridge.query.PickQuery(ray.origin, ray.direction, all_hits=True, snapping=snapping)
    for first in (False, True):
        asked = replace(query, in_front_first=first)
        hits = bridge.query.hits(bpy.context, asked)
        assert [hit.object for hit in hits] == (["Steep", "Flat"] if first else ["Flat", "Steep"])
