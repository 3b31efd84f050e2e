# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh of polygons answers as a mesh of its triangles does, at every stage of its life.

When the triangles and the tree of polygons are made, by whom, and what ends it.
"""

import itertools
import pickle
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, polygon_mesh
from standalone_core.concurrency.threads import CancelledError

from . import meshes
from .polygon_meshes import (
    assert_same_answers,
    both,
    quad_grid,
    questions,
    random_polygons,
    split_one_by_one,
)
from .questions import assert_same_bits, assert_same_hits

SIZES = [3, 4, 6, (3, 4, 5, 7)]
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_hits_are_those_of_the_triangles_by_scan_and_by_tree(rng, engine, sizes):
    polygons, plain, _, _ = both(rng, engine, sizes)
    assert_same_answers(rng, polygons, plain)
    assert not polygons.built
    polygons.build()
    assert polygons.built
    assert_same_answers(rng, polygons, plain)


def test_single_rays_scan_until_there_is_a_tree(rng, engine):
    polygons, plain, _, _ = both(rng, engine, (3, 4, 5))
    for count, one in enumerate(zip(*questions(rng, plain, 9), strict=True)):
        assert polygons.stats.scans == count
        assert_same_hits([polygons.ray_cast(*one)], [plain.ray_cast(*one)])
    polygons.build()
    polygons.ray_cast(*one)
    assert polygons.stats.scans == 9
    assert polygons.stats.nodes > 0


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_concave_quads_without_an_owner_are_split_by_the_first_rule(rng, kind):
    vertices, corners, sizes = random_polygons(rng, 80, (3, 4))
    vertices = vertices.astype(kind)
    triangles, faces = split_one_by_one(vertices, corners, sizes)
    polygons = sc.PolygonMesh(vertices, corners, sizes, building="never")
    assert (triangles[:, 2] - triangles[:, 1] == 2).any()  # corners 0, 1, 3
    plain = sc.Mesh(vertices, corners[triangles], faces)
    assert_same_answers(rng, polygons, plain)
    polygons.build()
    assert_same_answers(rng, polygons, plain)


def test_triangles_are_told_with_their_corners_vertices_and_faces(rng, engine):
    polygons, plain, triangles, _ = both(rng, engine, (3, 4, 5, 7))
    assert polygons.triangle_count == len(triangles)
    assert polygons.face_count == plain.faces.max() + 1
    for _ in range(2):
        every = rng.permutation(len(triangles))
        np.testing.assert_array_equal(polygons.triangle_corners(every), triangles[every])
        np.testing.assert_array_equal(polygons.triangle_vertices(every), plain.triangles[every])
        for triangle in range(len(triangles)):
            assert polygons.triangle_corners(triangle).tolist() == triangles[triangle].tolist()
            vertices = polygons.triangle_vertices(triangle)
            assert vertices.tolist() == plain.triangles[triangle].tolist()
            assert polygons.face_of(triangle) == plain.faces[triangle]
            positions = polygons.positions(vertices)
            np.testing.assert_array_equal(positions, plain.vertices[vertices])
            assert positions.dtype == np.float64
        for face in range(polygons.face_count):
            assert polygons.split_face(face).tolist() == triangles[plain.faces == face].tolist()
        polygons.build()


def test_many_faces_are_split_in_the_order_asked_for_and_as_often(rng, engine):
    polygons, plain, triangles, _ = both(rng, engine, (3, 4, 5, 7))
    for faces in ([], [3], [5, 0, 5, 2, 2], np.arange(polygons.face_count)):
        expected = [row for face in faces for row in triangles[plain.faces == face].tolist()]
        assert polygons.split_face_many(faces).tolist() == expected
        assert polygons.split_face_many(faces).shape == (len(expected), 3)


@pytest.mark.parametrize("triangle", [-1, 2, 10**12])
def test_a_triangle_that_is_not_there_is_refused(triangle):
    square = sc.PolygonMesh(SQUARE, range(4), 4)
    for ask in (square.face_of, square.triangle_corners, square.triangle_vertices):
        with pytest.raises(errors.IndexRangeError, match=f"no triangle {triangle}"):
            ask(triangle)


@pytest.mark.parametrize("face", [-1, 1, 10**12])
def test_a_face_that_is_not_there_is_refused(face):
    square = sc.PolygonMesh(SQUARE, range(4), 4)
    with pytest.raises(errors.IndexRangeError, match=f"no face {face}"):
        square.split_face(face)


def test_without_copies_given_arrays_are_shared_and_not_written_to():
    vertices, corners = quad_grid(9)
    sizes = np.full(81, 4, dtype=np.int32)
    for array in (vertices, corners, sizes):
        array.flags.writeable = False
    for form in (4, sizes):
        polygons = sc.PolygonMesh(vertices, corners, form, copy=False)
        assert np.shares_memory(polygons._polygons.vertices, vertices)
        assert np.shares_memory(polygons._polygons.corners, corners)
        polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1))
        polygons.build()
        assert polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1)) is not None


def test_a_scene_places_polygons_as_it_places_triangles(rng, engine):
    polygons, plain, _, _ = both(rng, engine, (3, 4, 6))
    scenes = sc.Scene(), sc.Scene()
    for scene, mesh in zip(scenes, (polygons, plain), strict=True):
        scene.add(mesh, meshes.placement(np.diag([1, 2, -0.5]), (0.3, 0, 0)))
        scene.add_many(mesh, [meshes.placement(offset=(0, 0, 4)), np.eye(4)])
    np.testing.assert_array_equal(polygons.bounds, plain.bounds)
    origins, directions, limits = questions(rng, plain)
    assert_same_bits(
        scenes[0].cast_rays_all(origins, directions, limits)[0],
        scenes[1].cast_rays_all(origins, directions, limits)[0],
    )
    for one in zip(origins, directions, limits, strict=True):
        assert_same_hits(scenes[0].ray_cast_all(*one), scenes[1].ray_cast_all(*one))


class Lazy(sc.Placeable):
    """What is loaded when a ray first meets its box."""

    bounds = np.zeros(3), np.ones(3)
    revision = 0
    engine = "auto"
    mesh = None

    def loaded(self):
        self.mesh = self.mesh or sc.PolygonMesh(SQUARE, [0, 1, 2, 3], 4)
        return self.mesh

    def _cast_many(self, rays):
        return self.loaded()._cast_many(rays)

    def _cast(self, ray):
        return self.loaded()._cast(ray)


def test_a_scene_asks_nothing_of_what_no_ray_meets():
    scene, here, there = sc.Scene(), Lazy(), Lazy()
    scene.add(here)
    scene.add_many(there, [meshes.placement(offset=(9, 0, 0))])
    assert scene.ray_cast((0.5, 0.25, 3), (0, 0, -1)).distance == 3.0
    scene.cast_rays([(0.5, 0.25, 3)] * 20, (0, 0, -1))
    assert here.mesh is not None
    assert there.mesh is None


def test_a_pickled_mesh_answers_the_same():
    polygons = sc.PolygonMesh(*quad_grid(9), 4)
    ray = (0.3, 0.4, 1), (0.1, 0, -1)
    for _ in range(2):
        again = pickle.loads(pickle.dumps(polygons))
        assert_same_hits(again.ray_cast_all(*ray), polygons.ray_cast_all(*ray))
        assert again.built == polygons.built
        polygons.build()


@pytest.mark.parametrize("sizes", [3, 4, []])
def test_no_faces_are_never_hit(sizes):
    for vertices in (np.empty((0, 3)), SQUARE.astype(np.float32)):
        polygons = sc.PolygonMesh(vertices, [], sizes, building="never")
        for _ in range(2):
            assert polygons.ray_cast((0, 0, 1), (0, 0, -1)) is None
            assert not polygons.cast_rays(np.zeros((20, 3)), (0, 0, 1)).hit.any()
            assert len(polygons.cast_rays(np.empty((0, 3)), (0, 0, 1))) == 0
            polygons.build()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((SQUARE, [0, 1, 2], 4), errors.ShapeError, "3 corners cannot be divided into faces of 4"),
        ((SQUARE, [0, 1, 2, 4], 4), errors.IndexRangeError, "corner 3 has vertex index 4"),
        ((SQUARE, [0, -1, 2, 3], 4), errors.IndexRangeError, "corner 1 has vertex index -1"),
        ((SQUARE, [[0, 1, 2]], 3), errors.ShapeError, "corners must have shape"),
        ((SQUARE, [0.0, 1, 2], 3), errors.DtypeError, "corners must be integers"),
        ((SQUARE[:, :2], [0, 1, 2], 3), errors.ShapeError, "vertices must have shape"),
        ((SQUARE[0].astype("f"), [], 3), errors.ShapeError, "vertices must have shape"),
        ((SQUARE, [0, 1], 2), errors.ArgumentError, "3 corners or more, not 2"),
        ((SQUARE, [0, 1, 2, 3, 0], [3, 2]), errors.ArgumentError, "3 corners or more, not 2"),
        ((SQUARE, [0, 1, 2, 3], [3, 3]), errors.ShapeError, "add up to 6, but there are 4"),
        # Beyond int64, these sizes add up to 4.
        ((SQUARE, [0, 1, 2, 3], [2**62] * 3 + [2**62 + 4]), errors.ShapeError, "corners needs"),
        ((SQUARE, [0, 1, 2], [[3]]), errors.ShapeError, "sizes must be a number or"),
        ((SQUARE, [0, 1, 2], 3.0), errors.DtypeError, "sizes must be integers"),
        ((SQUARE, [0, 1, 2, 3, 0], 5), errors.ArgumentError, "need `split`"),
        ((SQUARE, [0, 1, 2, 0, 1, 2, 3, 0], [3, 5]), errors.ArgumentError, "need `split`"),
        ((SQUARE, [0, 1, 2], 3, "fan"), errors.ArgumentError, "split must be callable"),
        ((SQUARE, [0, 1, 2], 3, None, "gpu"), errors.EngineError, "engine must be"),
        ((SQUARE, [0, 1, 2], 3, None, "auto", "soon"), errors.ArgumentError, "building must be"),
    ],
)
def test_what_is_no_mesh_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        sc.PolygonMesh(*given)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ([[0, 1, 2]], errors.ShapeError, r"must have shape \(3, 3\), not \(1, 3\)"),
        ([[0, 1, 2], [0, 2, 3], [0, 3, 5]], errors.IndexRangeError, "corners of other faces"),
        ([[0, 1, 2], [0, 2, 3], [0, 3, -1]], errors.IndexRangeError, "corners of other faces"),
        ([[0.0, 1, 2]] * 3, errors.DtypeError, "the split must be integers"),
    ],
)
def test_an_owner_who_splits_wrongly_is_told(answer, error, message):
    vertices = np.concatenate([SQUARE, SQUARE + (0, 0, 3)])
    pentagon = sc.PolygonMesh(vertices, [0, 1, 2, 3, 0, 4, 5, 6], [5, 3], lambda faces: answer)
    with pytest.raises(error, match=message):
        pentagon.ray_cast((0.4, 0.3, 1), (0, 0, -1))


def test_true_as_the_number_of_a_triangle_was_taken_for_a_mask(engine):
    mesh = sc.PolygonMesh(SQUARE, [0, 1, 2, 0, 2, 3], [3, 3], engine=engine)
    mesh.build()
    for number in (True, np.int8(1)):
        assert mesh.triangle_corners(number).tolist() == [3, 4, 5]
        assert mesh.triangle_vertices(number).tolist() == [0, 2, 3]


def test_the_owner_is_asked_only_for_open_faces_and_once(rng):
    polygons, plain, _, owner = both(rng, "numpy", (3, 4, 5))
    sizes = owner.sizes
    for one in zip(*questions(rng, plain), strict=True):
        polygons.ray_cast(*one)
    some = [face for call in owner.asked for face in call]
    assert 0 < len(some) == len(set(some)) < len(sizes)
    polygons.build()
    every = [face for call in owner.asked for face in call]
    assert len(owner.asked[-1]) == len(every) - len(some)
    ngons = set(np.flatnonzero(sizes > 4).tolist())
    assert ngons <= set(every)
    assert all(sizes[face] >= 4 for face in every)
    assert len(every) == len(set(every))


def test_a_thread_builds_and_leaves_the_owner_to_the_next_cast(rng):
    polygons, plain, _, owner = both(rng, "numpy", (4, 5))
    caller = threading.get_ident()
    threads = []
    polygons._splitter._split = lambda faces: threads.append(threading.get_ident()) or owner(faces)
    assert polygons.build_in_thread().wait(60)
    assert threads == []
    assert not polygons.built
    ray = tuple(part[0] for part in questions(rng, plain))
    assert_same_hits(polygons.ray_cast_all(*ray), plain.ray_cast_all(*ray))
    assert threads == [caller]
    assert polygons.build_in_thread().wait(60)
    assert polygons.built
    assert threads == [caller]
    assert_same_answers(rng, polygons, plain)


def test_the_caller_can_go_on_without_a_cast(rng):
    polygons, plain, _, owner = both(rng, "numpy", (4, 5))
    polygons.continue_build()
    assert owner.asked == []
    assert polygons.build_in_thread().wait(60)
    assert polygons.progress is not None
    polygons.continue_build()
    assert polygons.build_in_thread().wait(60)
    assert polygons.built
    assert polygons.progress is None
    assert len(owner.asked) == 1
    polygons.continue_build()
    assert_same_answers(rng, polygons, plain)


def test_a_thread_builds_all_of_what_needs_no_owner():
    vertices, corners = quad_grid(20)
    polygons = sc.PolygonMesh(vertices, corners, 4, building="never")
    shares = []
    build = polygons.build_in_thread(shares.append)
    assert build.wait(60)
    assert build.error is None
    assert polygons.built
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_the_second_cast_starts_the_thread_of_a_mesh_that_is_not_small(monkeypatch):
    vertices, corners = quad_grid(20)
    ray = (0.3, 0.4, 1), (0, 0, -1)
    monkeypatch.setattr(polygon_mesh, "_AT_ONCE", 0)
    for bound, started in ((399, True), (400, False)):
        monkeypatch.setattr(polygon_mesh, "_NO_TREE", bound)
        polygons = sc.PolygonMesh(vertices, corners, 4, building="thread")
        polygons._account._price = np.inf
        polygons.ray_cast(*ray)
        assert polygons._thread is None
        polygons.ray_cast(*ray)
        assert (polygons._thread is not None) == started
        if started:
            polygons._thread.wait(60)
        polygons.ray_cast(*ray)
        assert polygons.built == started


def test_a_mesh_of_its_own_accord_builds_when_scans_have_cost_as_much():
    vertices, corners = quad_grid(60)
    polygons = sc.PolygonMesh(vertices, corners, 4)
    casts = 0
    while not polygons.built:
        assert polygons.stats.scans == casts < 20_000
        polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1))
        casts += 1
    assert polygons.stats.scans == casts - 1 > 0


def test_many_rays_build_at_once_and_few_do_not(monkeypatch):
    # How long a scan really takes depends on what else the machine does.
    ticks = itertools.count(0.0, 1e-5)
    clock = "standalone_core.building.buildable.time.perf_counter"
    monkeypatch.setattr(clock, lambda: next(ticks))
    vertices, corners = quad_grid(60)
    polygons = sc.PolygonMesh(vertices, corners, 4)
    polygons.cast_rays((0.3, 0.4, 1), np.tile((0, 0, -1.0), (3, 1)))
    assert (polygons.built, polygons.stats.scans) == (False, 3)
    monkeypatch.undo()
    polygons.cast_rays((0.3, 0.4, 1), np.tile((0, 0, -1.0), (5000, 1)))
    assert (polygons.built, polygons.stats.scans) == (True, 3)


def test_a_cancelled_build_leaves_a_mesh_that_scans():
    vertices, corners = quad_grid(20)
    polygons = sc.PolygonMesh(vertices, corners, 4, building="never")
    polygons.cancel()
    begun, go_on = threading.Event(), threading.Event()

    def progress(done):
        begun.set()
        go_on.wait(60)

    build = polygons.build_in_thread(progress)
    assert begun.wait(60)
    assert polygons.build_in_thread() is build
    polygons.cancel()
    assert polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1)) is not None
    go_on.set()
    assert build.wait(60)
    assert build.error is None
    assert not polygons.built
    polygons.build()
    assert polygons.built


def test_what_a_progress_raises_ends_the_build():
    polygons = sc.PolygonMesh(*quad_grid(20), 4)

    def progress(done):
        raise CancelledError

    with pytest.raises(CancelledError):
        polygons.build(progress)
    assert not polygons.built


def test_a_small_mesh_has_a_tree_once_scans_have_cost_as_much():
    polygons = sc.PolygonMesh(*quad_grid(20), 4, building="thread")
    ray = (0.3, 0.4, 1), (0, 0, -1)
    polygons._account._price = np.inf
    scanned = polygons.ray_cast(*ray)
    assert not polygons.built
    polygons._account._price = 0.0
    assert polygons.ray_cast(*ray) == scanned
    assert polygons.built
    assert polygons._thread is None


def test_a_build_that_failed_is_not_started_again_by_casts(monkeypatch):
    monkeypatch.setattr(polygon_mesh, "_AT_ONCE", 0)
    monkeypatch.setattr(polygon_mesh, "_NO_TREE", 0)
    polygons = sc.PolygonMesh(*quad_grid(20), 4, building="thread")

    def fail(*given):
        raise MemoryError

    monkeypatch.setattr(polygons._splitter, "triangulate", fail)
    for _ in range(4):
        assert polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1)) is not None
    first = polygons._thread
    first.wait(60)
    polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1))
    assert polygons._thread is first
    assert isinstance(first.error, MemoryError)


def test_rays_together_scan_while_a_thread_builds(rng):
    polygons, plain, _, _ = both(rng, "numpy", 4, building="thread")
    begun, go_on = threading.Event(), threading.Event()

    def progress(done):
        begun.set()
        go_on.wait(60)

    build = polygons.build_in_thread(progress)
    assert begun.wait(60)
    origins, directions, limits = questions(rng, plain)
    assert_same_bits(
        polygons.cast_rays(origins, directions, limits),
        plain.cast_rays(origins, directions, limits),
    )
    assert polygons.stats.scans == len(origins)
    go_on.set()
    build.wait(60)


def test_single_precision_is_let_go_when_there_is_a_tree():
    vertices, corners = quad_grid(30)
    polygons = sc.PolygonMesh(vertices, corners, 4)
    assert polygons.nbytes == vertices.nbytes + corners.nbytes
    polygons.build()
    assert polygons._polygons.vertices.dtype == np.float64
    stats = polygons.stats
    assert (stats.triangles, stats.vertices, stats.build_seconds > 0) == (1800, 961, True)
    assert polygons.nbytes == 2 * vertices.nbytes + corners.nbytes + 1800 * 12 + stats.nbytes


def test_the_progress_of_a_thread_is_told_while_it_runs():
    vertices, corners = quad_grid(20)
    polygons = sc.PolygonMesh(vertices, corners, 4, building="never")
    assert polygons.progress is None
    begun, go_on = threading.Event(), threading.Event()

    def progress(done):
        begun.set()
        go_on.wait(60)

    build = polygons.build_in_thread(progress)
    assert begun.wait(60)
    assert 0.0 <= polygons.progress <= 1.0
    go_on.set()
    assert build.wait(60)
    assert polygons.progress is None
    assert build.share == 1.0


def test_whoever_takes_over_a_build_that_waits_splits_triangles_of_their_own():
    """The second of two wrote into the triangles of the first, which were read-only by then."""
    n = 5000
    ring = np.linspace(0, 2 * np.pi, 7)[:6]
    hexagon = np.stack([np.cos(ring), np.sin(ring), 0 * ring], axis=1)
    vertices = (hexagon + np.arange(n)[:, None, None] * (0, 0, -1)).reshape(-1, 3)

    def split(faces):
        return (6 * faces[:, None, None] + [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]).reshape(
            -1, 3
        )

    polygons = sc.PolygonMesh(vertices, np.arange(6 * n), 6, split, building="thread")
    polygons.build_in_thread().wait()
    assert polygons._waiting is not None
    taken = [polygons._triangles(lambda _: None) for _ in range(2)]
    for triangles, faces in taken:
        polygons._split_all(triangles, faces)
    assert polygons.closest_point((0.1, 0.2, 1.0)).face == 0


def test_a_split_may_ask_its_own_mesh():
    """A lock around the call would wait for itself."""
    pentagons = np.array([(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (0, 2, 0)], dtype=float)
    vertices = np.concatenate([pentagons, pentagons + (0, 0, -1)])

    def split(faces):
        if 0 in faces and len(faces) == 1:
            polygons.split_face(1)
        return (5 * faces[:, None, None] + [(0, 1, 2), (0, 2, 3), (0, 3, 4)]).reshape(-1, 3)

    polygons = sc.PolygonMesh(vertices, np.arange(10), 5, split)
    assert polygons.ray_cast((1, 1, 1), (0, 0, -1)).face == 0
