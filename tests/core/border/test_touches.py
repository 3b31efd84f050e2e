# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays exactly through edges and corners, where meshes end and on outlines, as fractions say."""

import pickle
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.border import Outline
from standalone_core.cast.rays import Geometry, Query
from standalone_core.cast.read_rays import many_rays
from standalone_core.numerics import rational

from .. import meshes, oracle
from ..meshes import cube
from ..questions import assert_same_bits, assert_same_hits
from .exact_rim import Filters, edges_of, wanted

SQUARE = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
HALVES = [[0, 1, 2], [0, 2, 3]]

each_build = pytest.mark.parametrize("build", [False, True], ids=["scan", "tree"])


def closed(vertices, triangles, engine, build, border="closed"):
    mesh = sc.Mesh(vertices, triangles, engine=engine, border=border)
    if build:
        mesh.build()
    return mesh


def grid():
    """Rays down through a lattice of places, many of them exactly on the square's rim."""
    x, y = np.meshgrid(np.arange(-1, 5.5, 0.5), np.arange(-1, 5.5, 0.5))
    return np.stack([x, y, np.full_like(x, 3.0)], axis=-1)


@each_build
def test_a_square_is_hit_on_all_of_its_rim_and_once_everywhere(engine, build):
    mesh, origins = closed(SQUARE, HALVES, engine, build), grid()
    inside = ((origins[..., :2] >= 0) & (origins[..., :2] <= 4)).all(axis=-1)
    for way in ((0, 0, -1), (0, 0, -0.25)):
        hits = mesh.cast_rays(origins, way)
        np.testing.assert_array_equal(hits.hit, inside)
        assert (hits.distance[inside] == 3).all()
        np.testing.assert_array_equal(hits.point[inside][:, :2], origins[inside][:, :2])
        np.testing.assert_array_equal(mesh.count_hits(origins, way), inside)
        np.testing.assert_array_equal(mesh.any_hit(origins, way), inside)
        assert hits.front[inside].all()
    below = origins * (1, 1, -1)
    assert not mesh.cast_rays(below, (0, 0, 1)).front.any()
    np.testing.assert_array_equal(mesh.any_hit(below, (0, 0, 1)), inside)


@each_build
def test_an_open_border_is_hit_on_some_of_its_rim(engine, build):
    counts = closed(SQUARE, HALVES, engine, build, "open").count_hits(grid(), (0, 0, -1))
    inner = grid()[..., :2]
    assert (counts[((inner > 0) & (inner < 4)).all(axis=-1)] == 1).all()
    assert 0 < counts[2, 2:11].sum() + counts[10, 2:11].sum() < 18


@each_build
def test_one_ray_is_answered_as_in_a_batch(engine, build):
    mesh, origins = closed(SQUARE, HALVES, engine, build), grid().reshape(-1, 3)
    hits = mesh.cast_rays(origins, (0, 0, -1))
    for row, origin in enumerate(origins):
        alone = mesh.ray_cast(origin, (0, 0, -1))
        assert_same_hits([alone], [hits[row]])
        assert_same_hits(mesh.ray_cast_all(origin, (0, 0, -1)), [alone] if alone else [])


def touches(origin, direction, vertices, triangles):
    """Where a ray goes through triangles or their edges ahead, each place once, by fractions."""
    found = (oracle.meeting(origin, direction, vertices[each]) for each in triangles)
    return sorted({each.t for each in found if each})


def _apart(rng):
    """Triangles on a lattice of which no two share an edge: all edges are at the border."""
    while True:
        vertices = rng.integers(-2, 3, (9, 3)).astype(float)
        triangles = np.array([rng.choice(9, 3, replace=False) for _ in range(5)])
        if len(edges_of(vertices, triangles)) == 15:
            return vertices, triangles


@each_build
def test_every_ray_hits_exactly_where_fractions_say_so(rng, engine, build):
    """Rays on a lattice at a mesh on a lattice: most go through edges and corners."""
    touched = 0
    for _ in range(20):
        vertices, triangles = _apart(rng)
        mesh = closed(vertices, triangles, engine, build)
        origins = rng.integers(-4, 5, (60, 3)).astype(float)
        directions = rng.integers(-2, 3, (60, 3)).astype(float)
        directions[~directions.any(axis=1)] = (0, 0, 1)
        length = np.linalg.norm(directions, axis=1)
        hits, splits = mesh.cast_rays_all(origins, directions)
        nearest = mesh.cast_rays(origins, directions)
        openly = closed(vertices, triangles, engine, build, "open")
        counts = openly.count_hits(origins, directions)
        for row in range(60):
            places = touches(origins[row], directions[row], vertices, triangles)
            own = hits[splits[row] : splits[row + 1]]
            assert np.unique(np.round(own.distance, 9)).tolist() == pytest.approx(
                [float(t) * length[row] for t in places], abs=1e-8
            )
            assert nearest.hit[row] == bool(places)
            touched += len(own) - counts[row]
            for hit in own:
                point = hit.barycentric @ vertices[triangles[hit.triangle]]
                np.testing.assert_allclose(point, hit.point, atol=1e-12)
    assert touched > 30


@each_build
def test_closed_meshes_have_no_rim(rng, engine, build):
    origins = np.round(rng.normal(size=(80, 3)) * 2) * 2
    directions = np.round(rng.normal(size=(80, 3)) * 2) + (0, 0, 0.5)
    shape = meshes.cube()
    answers = [closed(*shape, engine, build, border) for border in ("open", "closed")]
    hits = [mesh.cast_rays_all(origins, directions) for mesh in answers]
    assert_same_bits(hits[0][0], hits[1][0])


@each_build
def test_filters_count_at_the_rim_too(engine, build):
    mesh = closed(SQUARE, HALVES, engine, build)
    for x in (0.0, 2.0, 4.0):
        ray = (x, 0, 3), (0, 0, -1)
        assert mesh.ray_cast(*ray) is not None
        assert mesh.ray_cast(*ray, cull="back") is not None
        assert mesh.ray_cast(*ray, cull="front") is None
        assert mesh.ray_cast(*ray, exclude=[0, 1]) is None
        assert mesh.ray_cast(*ray, max_distance=2.9) is None
        assert mesh.ray_cast(*ray, min_distance=3.0) is not None
        assert mesh.ray_cast(*ray, min_distance=3.1) is None
        assert mesh.ray_cast(*ray, cull=[True, True]) is not None
        assert mesh.ray_cast(*ray, cull=["front", "front"]) is None
    assert mesh.ray_cast((4, 0, 3), (0, 0, -1), only=[1]) is None


def test_a_scene_hits_the_rim_of_its_instances(engine):
    scene = sc.Scene()
    for offset in (0, 10):
        matrix = np.eye(4)
        matrix[0, 3] = offset
        scene.add(closed(SQUARE, HALVES, engine, True), matrix)
    for _ in range(3):
        hits = scene.cast_rays(grid() + (10, 0, 0), (0, 0, -1))
        assert hits.hit.sum() == 81
        assert (hits.instance[hits.hit] == 1).all()
    assert scene.ray_cast((14, 4, 3), (0, 0, -1)).instance == 1


def test_a_refit_moves_the_rim(engine):
    mesh = closed(SQUARE, HALVES, engine, True)
    mesh.refit(np.array(SQUARE) + (1.0, 0, 0))
    assert mesh.ray_cast((0, 0, 3), (0, 0, -1)) is None
    assert mesh.ray_cast((1, 0, 3), (0, 0, -1)) is not None
    assert mesh.ray_cast((5, 4, 3), (0, 0, -1)) is not None


def test_edges_along_the_ray_and_triangles_without_area_are_no_rim(engine):
    upright = closed([[0, 0, 0], [0, 4, 0], [0, 0, 4]], [[0, 1, 2]], engine, True)
    assert upright.ray_cast((0, 0, 9), (0, 0, -1)) is None
    flat = closed([[0, 0, 0], [1, 1, 0], [2, 2, 0]], [[0, 1, 2]], engine, True)
    assert flat.ray_cast((1, 1, 3), (0, 0, -1)) is None


def test_a_border_is_open_or_closed():
    with pytest.raises(errors.ArgumentError, match='border must be "open" or "closed"'):
        sc.Mesh(SQUARE, HALVES, border="half")
    assert sc.Mesh(SQUARE, HALVES).border == "open"


def _polygons_apart(rng):
    """Polygons in planes of a lattice that share no edge: vertices, corners, sizes."""
    outlines = {
        3: [(0, 0), (3, 0), (0, 3)],
        4: [(0, 0), (2, 0), (3, 2), (0, 2)],
        5: [(0, 0), (2, 0), (3, 1), (2, 3), (0, 2)],
    }
    sizes = rng.choice([3, 4, 5], 4)
    vertices = []
    for number, size in enumerate(sizes):
        flat = np.array(outlines[size])
        level = np.full((size, 1), 10 * number)
        vertices.append(np.hstack([flat, level + flat[:, :1] * rng.integers(0, 2)]))
    return np.concatenate(vertices).astype(float), np.arange(sizes.sum()), sizes


def fan(starts):
    """A split of faces around their first corners."""

    def split(faces):
        return [
            (starts[f], starts[f] + i, starts[f] + i + 1)
            for f in faces
            for i in range(1, starts[f + 1] - starts[f] - 1)
        ]

    return split


def _polygon_mesh(vertices, corners, sizes, engine, state, border="closed"):
    """A mesh of polygons in one state of its life."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    split = None if sizes.max() < 5 else fan(starts)
    mesh = sc.PolygonMesh(vertices, corners, sizes, split, engine, border=border)
    if state == "built":
        mesh.build()
    return mesh


@pytest.mark.parametrize("state", ["new", "built"])
def test_polygons_with_a_closed_border_hit_where_fractions_say_so(rng, engine, state):
    more = 0
    for _ in range(6):
        shape = _polygons_apart(rng)
        vertices = shape[0]
        mesh = _polygon_mesh(*shape, engine, state)
        openly = _polygon_mesh(*shape, engine, state, "open")
        x, y = np.meshgrid(np.arange(-1, 4.5, 0.5), np.arange(-1, 4.5, 0.5))
        origins = np.stack([x, y, np.full_like(x, 50.0)], axis=-1).reshape(-1, 3)
        hits, splits = mesh.cast_rays_all(origins, (0, 0, -1))
        triangles = [mesh.triangle_vertices(i) for i in range(mesh.triangle_count)]
        for row, origin in enumerate(origins):
            places = list(map(float, touches(origin, (0, 0, -1), vertices, triangles)))
            own = hits[splits[row] : splits[row + 1]]
            assert own.distance.tolist() == places
            np.testing.assert_array_equal(own.face, mesh.faces_of(own.triangle))
        alone = [len(mesh.ray_cast_all(origin, (0, 0, -1))) for origin in origins]
        assert alone == np.diff(splits).tolist()
        more += len(hits) - openly.count_hits(origins, (0, 0, -1)).sum()
    assert more > 30


def test_a_closed_border_of_polygons_survives_pickling_threads_and_as_mesh(engine):
    square = sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, engine=engine, border="closed")
    waiting = sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, engine=engine, border="closed")
    waiting.build_in_thread().wait()
    expected = ((grid()[..., :2] >= 0) & (grid()[..., :2] <= 4)).all(axis=-1)
    again = pickle.loads(pickle.dumps(square))
    scene = sc.Scene()
    scene.add(again)
    for caster in (square, again, square.as_mesh(), waiting, scene):
        np.testing.assert_array_equal(caster.any_hit(grid(), (0, 0, -1)), expected)
        np.testing.assert_array_equal(caster.count_hits(grid(), (0, 0, -1)), expected)
        assert caster.ray_cast((4, 4, 3), (0, 0, -1)).distance == 3
    assert pickle.loads(pickle.dumps(square)).border == square.as_mesh().border == "closed"
    with pytest.raises(errors.ArgumentError, match='border must be "open" or "closed"'):
        sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, border=True)


def test_a_closed_border_of_polygons_is_hit_while_a_thread_builds(engine):
    begun, go_on = threading.Event(), threading.Event()

    def hold(_):
        begun.set()
        go_on.wait(60)

    mesh = sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4, engine=engine, border="closed")
    build = mesh.build_in_thread(hold)
    try:
        assert begun.wait(60)
        assert mesh.ray_cast((4, 4, 3), (0, 0, -1)).distance == 3
        expected = ((grid()[..., :2] >= 0) & (grid()[..., :2] <= 4)).all(axis=-1)
        np.testing.assert_array_equal(mesh.any_hit(grid(), (0, 0, -1)), expected)
    finally:
        go_on.set()
        build.wait()


RAYS = 16


def random_mesh(rng):
    """A few triangles on a lattice: edges are shared by two or more, or are no edges."""
    vertices = rng.integers(-2, 3, (rng.integers(3, 9), 3)).astype(float)
    return vertices, rng.integers(0, len(vertices), (rng.integers(1, 8), 3))


def random_rays(rng, vertices, triangles):
    """Rays (RAYS, 3) from a lattice at corners and at middles of edges."""
    chosen = triangles[rng.integers(0, len(triangles), RAYS)]
    corners = vertices[rng.permuted(chosen, axis=1)]
    targets = (corners[:, 0] + corners[np.arange(RAYS), rng.integers(0, 2, RAYS)]) / 2
    origins = rng.integers(-3, 4, (RAYS, 3)).astype(float)
    directions = targets - origins
    directions[~directions.any(axis=1)] = (0, 0, 1)
    return origins, directions


def random_filters(rng, count):
    numbers, sides = np.arange(count), [None, "back", "front"]
    return Filters(
        exclude=numbers[rng.random(count) < rng.choice([0, 0.2])].tolist(),
        only=numbers[rng.random(count) < rng.choice([1, 0.8])].tolist(),
        cull=[sides[i] for i in rng.integers(0, rng.choice([1, 3]), count)],
        min_distance=float(rng.integers(0, 3)),
        max_distance=float(rng.integers(3, 9)),
    )


def assert_hits_are(hits, openly, expected, length):
    """The hits of a ray are those by fractions; beside those of an open border, one a place."""
    found = hits.triangle.tolist()
    assert len(set(found)) == len(found)
    assert expected.inside <= set(found) <= set(expected.met)
    ts = [expected.met[triangle] for triangle in found]
    assert expected.rim <= set(ts)
    np.testing.assert_allclose(hits.distance, [float(t) * length for t in ts], rtol=1e-14)
    own = openly.triangle.tolist()
    more = [expected.met[triangle] for triangle in found if triangle not in own]
    assert set(own) <= set(found)
    assert len(set(more)) == len(more)
    assert set(more) <= expected.rim - {expected.met[triangle] for triangle in own}
    return len(more)


def assert_other_queries_agree(mesh, row, given, options, hits):
    """Each query answers for a ray by what all of its hits are."""
    origins, directions = given
    ray = origins[row], directions[row]
    assert_same_hits(mesh.ray_cast_all(*ray, **options), list(hits))
    assert_same_hits([mesh.ray_cast(*ray, **options)], [hits[0] if len(hits) else None])
    assert mesh.count_hits(*ray, **options) == len(hits)
    assert mesh.any_hit(*ray, **options) == bool(len(hits))


@pytest.mark.parametrize("power", [0, -330, 330])
@pytest.mark.parametrize("build", [False, True], ids=["scan", "tree"])
def test_a_closed_border_is_hit_where_fractions_say_so_whatever_is_left_out(
    rng, engine, build, power
):
    size, more = 2.0**power, 0
    for _ in range(30):
        vertices, triangles = random_mesh(rng)
        origins, directions = random_rays(rng, vertices, triangles)
        shape, given = (vertices * size, triangles), (origins * size, directions)
        filters = random_filters(rng, len(triangles))
        filters = filters._replace(
            min_distance=filters.min_distance * size, max_distance=filters.max_distance * size
        )
        border = edges_of(*shape)
        mesh, openly = (sc.Mesh(*shape, engine=engine, border=kind) for kind in ("closed", "open"))
        if build:
            mesh.build()
        options = filters._asdict()
        hits, splits = mesh.cast_rays_all(*given, **options)
        few, few_splits = mesh.cast_rays_all(*given, max_hits=2, **options)
        nearest = mesh.cast_rays(*given, **options)
        open_hits, open_splits = openly.cast_rays_all(*given, **options)
        for row, (origin, direction) in enumerate(zip(*given, strict=True)):
            own = hits[splits[row] : splits[row + 1]]
            without = open_hits[open_splits[row] : open_splits[row + 1]]
            expected = wanted(origin, direction, *shape, border, filters)
            more += assert_hits_are(own, without, expected, np.linalg.norm(direction))
            if row % 3 == 0:  # Alone a ray is asked four times, which takes most of the time.
                assert_other_queries_agree(mesh, row, given, options, own)
            assert_same_hits([nearest[row]], [own[0] if len(own) else None])
            assert_same_hits(list(few[few_splits[row] : few_splits[row + 1]]), list(own)[:2])
    assert more > 40


@pytest.mark.parametrize("size", [1.0, 2.0**-660, 2.0**660])
def test_a_hinge_that_was_touched_at_its_shared_edge_counted_as_touched_at_the_border(size):
    """Where float64 was not sure that the ray passes the border edge."""
    vertices = np.array([[0, 0, 0], [2, 0, 0], [1, -1, -1], [1, -1, 1.0]]) * size
    mesh = sc.Mesh(vertices, [[0, 1, 2], [1, 0, 3]], border="closed")
    assert mesh.count_hits(np.array([1, 0, -5.0]) * size, (0, 0, 1)) == 0


def test_a_needle_that_was_touched_at_its_shared_edge_counted_as_touched_at_the_border():
    e = 2.0**-52
    vertices = [[0, 0, 0], [1, 0, 0], [1, -e, -e], [1, -1, 1]]
    origin = np.array([4 * e, 0.12223990050718689, 0.9675362118938842])
    mesh = sc.Mesh(vertices, [[0, 1, 2], [1, 0, 3]], border="closed")
    assert mesh.count_hits(origin, origin * (0, -1, -1)) == 0


def touched(mesh, origins, directions, most=None):
    """The rows and hits of all rays that touch a mesh, if nothing else is hit."""
    mesh.build()
    outline = Outline(Geometry(mesh.vertices, mesh.triangles, None), mesh.tree)
    query = Query(every=True)
    rays, *_ = many_rays(origins, directions, np.inf, None, query, "miss", lambda o, d: None)
    return outline.touched(rays, most)


def meets(origin, direction, corners):
    """Whether a ray meets a triangle that it is not in the plane of, its edges included."""
    o, d, (a, b, c) = origin.tolist(), direction.tolist(), corners.tolist()
    sides = [_volume(d, o, p, q) for p, q in ((b, c), (c, a), (a, b))]
    if not any(sides) or (min(sides) < 0 < max(sides)):
        return False
    normal = np.cross(np.subtract(b, a), np.subtract(c, a))
    return int(np.dot(normal, np.subtract(a, o))) * int(np.dot(normal, d)) >= 0


def _volume(d, o, p, q):
    x, y = np.subtract(p, o), np.subtract(q, o)
    return int(np.dot(d, np.cross(x, y)))


def test_rays_hit_or_touch_what_they_meet_by_integers(rng):
    vertices = rng.integers(-3, 4, (24, 3))
    triangles = rng.integers(0, len(vertices), (20, 3))
    mesh = sc.Mesh(vertices, triangles)
    origins = rng.integers(-4, 5, (3000, 3))
    directions = rng.integers(-2, 3, origins.shape)
    directions[~directions.any(axis=1)] = 1
    hit = mesh.any_hit(origins, directions)
    missed = np.flatnonzero(~hit)
    rows, _ = touched(mesh, origins[missed], directions[missed])
    by_touch = np.zeros_like(hit)
    by_touch[missed[rows]] = True
    wanted = [
        any(meets(o, d, vertices[t]) for t in triangles)
        for o, d in zip(origins, directions, strict=True)
    ]
    assert by_touch.sum() > 20
    assert hit.sum() > 200
    np.testing.assert_array_equal(hit | by_touch, wanted)


@pytest.mark.parametrize("most", [None, 1, 2])
def test_each_place_is_one_hit_and_the_nearest_are_kept(most):
    mesh = sc.Mesh(*cube())
    corners = np.array([[x, y, -5.0] for x in (-1, 1) for y in (-1, 1)])
    rows, hits = touched(mesh, corners, [0, 0, 1], most)
    count = most or 2
    assert rows.tolist() == np.repeat(np.arange(4), count).tolist()
    assert hits.point[:, 2].tolist() == [-1, 1][:count] * 4
    assert hits.distance.tolist() == [4, 6][:count] * 4
    assert hits.point[::count, :2].tolist() == corners[:, :2].tolist()


def test_what_passes_by_is_not_touched():
    mesh = sc.Mesh(*cube())
    just = np.nextafter(1, 2)
    rows, _ = touched(mesh, [[just, 0, -5], [1, 1, 5], [0, just, -5]], [0, 0, 1])
    assert rows.tolist() == []


def no_integers(*_):
    raise AssertionError("float64 should have been sure")


@pytest.mark.parametrize("plane", [[0, 0, 0.5], [2, -1, 0.25]])
def test_rays_in_the_plane_of_triangles_ask_no_integers(monkeypatch, plane):
    """As of the many triangles of a flat face, each of which once took a fraction's time."""
    monkeypatch.setattr(rational, "meeting", no_integers)
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(9.0), np.arange(9.0)))
    corner = np.flatnonzero((x < 8) & (y < 8))
    triangles = np.stack([corner, corner + 1, corner + 10], axis=1)
    level = plane[2] + plane[0] * x + plane[1] * y
    mesh = sc.Mesh(np.stack([x, y, level], axis=1), triangles)
    ways = np.array([[1, 0, plane[0]], [0, 1, plane[1]], [1, 1, plane[0] + plane[1]]])
    origins = np.array([[0, 0, plane[2]]]) - 3 * ways
    assert len(touched(mesh, origins, ways)[0]) == 0


def test_a_mesh_without_triangles_is_not_touched():
    mesh = sc.Mesh(np.empty((0, 3)), np.empty((0, 3), dtype=int))
    rows, hits = touched(mesh, [[0, 0, 1]], [0, 0, 1])
    assert (len(rows), len(hits)) == (0, 0)
