# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that were found by trying, each under its name."""

import copy
import pickle
import subprocess
import sys
import threading
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import mesh as mesh_module
from standalone_core import scene as scene_module

from . import meshes
from .questions import assert_same_bits, assert_same_hits, toward

ROOT = Path(sc.__file__).parents[1]
SQUARE = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)


def test_a_short_direction_at_a_huge_mesh_made_a_limit_that_is_no_number(engine):
    mesh = sc.Mesh(SQUARE * 2e307, HALVES, engine=engine)
    mesh.build()
    hit = mesh.ray_cast((1e306, 2e306, 0), (0, 0, 1e-19))
    assert hit.distance == 0
    assert mesh.cast_rays([(1e306, 2e306, 0)], [(0, 0, 1e-19)]).distance.tolist() == [0]


@pytest.mark.parametrize(
    ("built", "ask"),
    [
        (True, lambda mesh: mesh.ray_cast((0.5, 0.25, 1), (0, 0, -1))),
        (False, lambda mesh: mesh.ray_cast((0.5, 0.25, 1), (0, 0, -1))),
        (False, sc.Mesh.build),
        (True, lambda mesh: mesh.refit(SQUARE)),
    ],
    ids=["cast", "scan", "build", "refit"],
)
def test_triangles_changed_behind_the_mesh_crashed_compiled_code(built, ask):
    triangles = HALVES.copy()
    try:
        mesh = sc.Mesh(SQUARE, triangles, engine="numba")
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    sc.engines.engine_named("numba")
    if built:
        mesh.build()
    triangles[1, 2] = 2**30
    with pytest.raises(sc.errors.IndexRangeError, match="changed"):
        ask(mesh)


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_a_negative_index_of_few_bits_was_taken_for_a_large_one(kind):
    vertices = np.zeros((70_000, 3))
    with pytest.raises(sc.errors.IndexRangeError, match="triangle 1"):
        sc.Mesh(vertices, np.array([[0, 1, 2], [0, 1, -1]], dtype=kind))


@pytest.mark.parametrize(
    ("size", "origin", "direction", "limit"),
    [
        (2e307, (1e306, 2e306, 0), (0, 0, 1e-19), 1e300),
        (1e-308, (1e-309, 2e-309, 0), (0, 0, 1e10), 0.0),
        (1e-308, (1e-309, 2e-309, 0), (0, 0, 1e19), 1e-310),
    ],
)
def test_a_limit_that_is_no_number_in_a_tree_s_units_lost_hits(
    engine, size, origin, direction, limit
):
    mesh = sc.Mesh(SQUARE * size, HALVES, engine=engine)
    for _ in range(2):
        assert mesh.ray_cast(origin, direction, limit).distance == 0
        assert mesh.cast_rays([origin], [direction], limit).distance.tolist() == [0]
        mesh.build()


def test_a_file_with_an_order_of_int64_could_not_be_cast_at(engine, tmp_path):
    mesh = sc.Mesh(SQUARE, HALVES)
    mesh.build()
    mesh.save(tmp_path / "mesh.npz")
    with np.load(tmp_path / "mesh.npz") as archive:
        arrays = dict(archive)
    arrays["tree_order"] = arrays["tree_order"].astype(np.int64)
    arrays["digest"] = sc.files.mesh_file._digest(arrays)
    np.savez(tmp_path / "other.npz", **arrays)
    other = sc.Mesh.load(tmp_path / "other.npz", engine=engine)
    assert other.ray_cast((0.5, 0.25, 1), (0, 0, -1)).distance == 1
    other.refit(SQUARE)


def test_a_saved_mesh_near_the_end_of_float64_was_refused():
    mesh = sc.Mesh(SQUARE * 1.2e308, HALVES)
    mesh.build()
    file = BytesIO()
    mesh.save(file)
    file.seek(0)
    assert sc.Mesh.load(file).tree is not None


def test_a_cast_beside_a_refit_missed_what_is_hit_before_and_after(rng):
    vertices, triangles = meshes.icosphere(3)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    stop = threading.Event()

    def refit():
        while not stop.is_set():
            mesh.refit(vertices * (1, 1, -1))
            mesh.refit(vertices)

    thread = threading.Thread(target=refit)
    thread.start()
    origins = rng.uniform(-0.3, 0.3, (300, 3))
    try:
        missed = sum(mesh.ray_cast(origin, (0.1, 0.2, 1)) is None for origin in origins)
    finally:
        stop.set()
        thread.join()
    assert missed == 0


def test_a_thread_that_finds_a_tree_built_another():
    mesh = sc.Mesh(SQUARE, HALVES)
    mesh.build()
    tree = mesh.tree
    assert mesh.build_in_thread().wait(60)
    assert mesh.tree is tree


def test_a_build_while_python_shuts_down_failed():
    code = """
import atexit
import numpy as np
import standalone_core as sc
rng = np.random.default_rng(0)
corners = rng.integers(0, 300_000, (100_000, 3))
mesh = sc.Mesh(rng.normal(size=(300_000, 3)), corners, engine="numpy")
def late():
    mesh.build()
    mesh.cast_rays(rng.normal(size=(20_000, 3)) * 9, (0, 0, 1))
    print("done")
atexit.register(late)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.stdout == "done\n", run.stderr


@pytest.mark.parametrize("far", [1e30, 1e39, 1e100, 1e300])
def test_a_ray_from_far_beyond_float32_read_leaves_that_there_are_not(rng, engine, far):
    vertices, triangles = rng.normal(size=(15, 3)), np.arange(15).reshape(5, 3)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    origins = rng.normal(size=(500, 3)) * far
    found = mesh.cast_rays(origins, rng.normal(size=(500, 3)))
    assert set(found.triangle.tolist()) <= set(range(-1, 5))
    aimed = mesh.cast_rays(origins, -origins)
    assert set(aimed.triangle.tolist()) <= set(range(-1, 5))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_each_engine_s_tree_leaves_out_what_is_not_finite(rng, engine, bad):
    vertices, triangles = meshes.soup(rng, 200)
    vertices[rng.integers(0, len(vertices), 20), rng.integers(0, 3, 20)] = bad
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    mesh.validate()
    sound = np.isfinite(vertices[triangles]).all(axis=(1, 2))
    assert set(np.flatnonzero(sound)) >= set(mesh.tree.order.tolist())
    if bad != 1e300:
        assert sorted(mesh.tree.order.tolist()) == np.flatnonzero(sound).tolist()
    whole = sc.Mesh(*meshes.soup(rng, 200), engine=engine)
    whole.build()
    moved = whole.vertices.copy()
    moved[7] = bad
    whole.refit(moved)
    whole.validate()


def test_a_scan_lost_a_hit_among_the_smallest_numbers(engine):
    asked = np.array((-3, -3, 2)) * 5e-324, np.array((6, 1, -3)) * 5e-324
    rows = [
        (0, 3, 0),
        (1, -2, -3),
        (0, 2, -1),
        (-2, 1, 0),
        (-1, 1, -2),
        (-2, 3, -2),
        (0, -1, 1),
        (3, -2, -1),
    ]
    triangles = [(7, 7, 5), (7, 3, 6), (1, 0, 2), (5, 1, 3), (0, 0, 2), (7, 3, 3), (4, 3, 6)]
    vertices = np.array(rows) * 5e-324
    scan = sc.Mesh(vertices, triangles, engine=engine, building="never")
    tree = sc.Mesh(vertices, triangles, engine=engine)
    tree.build()
    assert len(tree.ray_cast_all(*asked)) == len(scan.ray_cast_all(*asked)) > 0


def test_no_triangles_left_out_as_complex_numbers_warned():
    assert sc.Mesh(SQUARE, HALVES).ray_cast(
        (0.5, 0.25, 1), (0, 0, -1), exclude=np.empty(0, complex)
    )


@pytest.mark.parametrize("name", [np.empty(0, "S3"), np.array(["auto"] * 2), np.array("auto")])
@pytest.mark.parametrize("argument", ["engine", "building"])
def test_an_array_for_a_name_ended_in_an_error_of_numpy(argument, name):
    with pytest.raises(sc.RaypickError, match=argument):
        sc.Mesh(SQUARE, HALVES, **{argument: name})


@pytest.mark.parametrize("ragged", [[1, [2]], [[1], [2, 3]]])
def test_ragged_distances_ended_in_an_error_of_numpy(ragged):
    for call in (sc.Mesh(SQUARE, HALVES).cast_rays, sc.Mesh(SQUARE, HALVES).closest_point):
        with pytest.raises(sc.RaypickError, match="max_distance"):
            call(np.zeros((2, 3)), *[(0, 0, 1)] * (call.__name__ == "cast_rays"), ragged)


@pytest.mark.parametrize("start", ["build", "build_in_thread"])
def test_progress_that_cannot_be_called_ended_in_an_error_of_python(start):
    with pytest.raises(sc.RaypickError, match="progress"):
        getattr(sc.Mesh(SQUARE, HALVES), start)(np.ones(3))


def test_pixels_and_distances_beyond_all_bounds_warned():
    camera = sc.Camera(np.eye(4), np.diag((1.0, 1.0, -1.0, 1.0)), 10, 10)
    assert np.isfinite(camera.ray(1e308, 0).origin).all()
    assert sc.Ray((0, 0, 0), (0, 0, 1)).at(np.inf)[2] == np.inf


DOWN = (0, 0, -1)


class SlowToMeasure(sc.Mesh):
    """A square whose bounds are not told to a thread of the name "caster" before `go`."""

    def __init__(self):
        super().__init__(SQUARE, HALVES)
        self.asked, self.go = threading.Event(), threading.Event()

    @property
    def bounds(self):
        found = super().bounds
        if threading.current_thread().name == "caster":
            self.asked.set()
            assert self.go.wait(60)
        return found


def test_a_move_beside_a_cast_that_made_the_index_was_lost():
    mesh, scene = SlowToMeasure(), sc.Scene()
    instance = scene.add(mesh)
    caster = threading.Thread(target=scene.ray_cast, args=((0.1, 0.2, 5), DOWN), name="caster")
    mover = threading.Thread(
        target=scene.set_matrix, args=(instance, meshes.placement(offset=(50, 0, 0)))
    )
    caster.start()
    assert mesh.asked.wait(60)
    mover.start()
    mover.join(0.1)
    mesh.go.set()
    caster.join()
    mover.join()
    assert scene.ray_cast((50.1, 0.2, 5), DOWN).instance == instance


def test_casts_beside_changes_of_a_scene_raised_python_errors():
    scene, failures, over = sc.Scene(), [], threading.Event()
    mesh = sc.Mesh(SQUARE, HALVES)
    scene.add(mesh)

    def cast():
        try:
            while not over.is_set():
                assert scene.ray_cast((0.1, 0.2, 5), DOWN, exclude=[0]) is None or len(scene) > 0
                assert list(scene)
                assert scene.cast_rays([(0.1, 0.2, 5)], DOWN).hit.all()
        except Exception as failure:
            failures.append(failure)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=cast) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(300):
            added = scene.add(mesh)
            scene.set_matrix(added, np.eye(4))
            scene.remove(added)
    finally:
        over.set()
        sys.setswitchinterval(before)
        for thread in threads:
            thread.join()
    assert failures == []


def build_while(mesh, monkeypatch, name):
    """Let the third scan of a mesh build its tree, as a thread might; what it is scanned by."""
    scan, scans = getattr(mesh_module, name), []

    def scanned(*arguments):
        if arguments[1] is None or name == "intersect_many":
            scans.append(arguments)
            if len(scans) == 3:
                mesh.build()
        return scan(*arguments)

    monkeypatch.setattr(mesh_module, name, scanned)
    return scans


@pytest.mark.parametrize("method", ["cast_rays", "cast_rays_all"])
def test_a_batch_was_scanned_to_its_end_with_the_tree_already_there(rng, monkeypatch, method):
    rays = toward(rng, *meshes.icosphere(2), 40)
    expected = getattr(sc.Mesh(*meshes.icosphere(2)), method)(*rays)
    mesh = sc.Mesh(*meshes.icosphere(2), building="never", engine="numpy")
    scans = build_while(mesh, monkeypatch, "intersect_many")
    found = getattr(mesh, method)(*rays)
    assert len(scans) == mesh.stats.scans == 3
    if method == "cast_rays_all":
        np.testing.assert_array_equal(found[1], expected[1])
        found, expected = found[0], expected[0]
    assert_same_bits(found, expected)


def test_points_were_scanned_to_their_end_with_the_tree_already_there(rng, monkeypatch):
    points = rng.normal(size=(40, 3))
    expected = sc.Mesh(*meshes.icosphere(2)).closest_point(points)
    mesh = sc.Mesh(*meshes.icosphere(2), building="never", engine="numpy")
    build_while(mesh, monkeypatch, "closest_points")
    found = mesh.closest_point(points)
    assert mesh.stats.scans == 3
    for name in ("distance", "point", "triangle", "face", "barycentric"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_true_and_false_were_taken_for_the_ids_1_and_0():
    scene = sc.Scene()
    scene.add_many(sc.Mesh(SQUARE, HALVES), [np.eye(4)] * 2)
    for exclude in ([True, False], np.array([True, False])):
        with pytest.raises(sc.RaypickError, match="id"):
            scene.ray_cast((0.1, 0.2, 5), DOWN, exclude=exclude)


@pytest.mark.parametrize("many", [False, True])
def test_an_instances_matrix_could_be_changed_behind_the_scene(many):
    scene, mesh = sc.Scene(), sc.Mesh(SQUARE, HALVES)
    added = scene.add_many(mesh, [np.eye(4)])[0] if many else scene.add(mesh)
    for matrix in (scene[added].matrix, scene[added].inverse):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 50


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("building", ["thread", "never", "auto"])
def test_meshes_and_scenes_could_not_be_pickled(copied, building):
    mesh, scene = sc.Mesh(SQUARE, HALVES, building=building), sc.Scene()
    scene.add(mesh)
    mesh.build_in_thread().wait()
    for caster in (mesh, scene):
        hit = caster.ray_cast((0.1, 0.2, 5), DOWN)
        again = copied(caster)
        assert_same_hits([again.ray_cast((0.1, 0.2, 5), DOWN)], [hit])
    assert copied(mesh).stats.nodes == 1
    copied(mesh).refit(SQUARE + 1)
    copied(scene).add(mesh)
    assert mesh.revision == 0
    assert len(scene) == 1


def test_names_from_a_generator_ended_in_an_error_and_a_text_in_letters():
    scene, mesh = sc.Scene(), sc.Mesh(SQUARE, HALVES)
    added = scene.add_many(mesh, [np.eye(4)] * 3, (f"number {i}" for i in range(3)))
    assert [scene[i].name for i in added] == ["number 0", "number 1", "number 2"]
    with pytest.raises(sc.RaypickError, match="names"):
        scene.add_many(mesh, [np.eye(4)] * 3, "abc")
    assert len(scene) == 3


def parallel(rng, count, size, depth=1.0):
    """Triangles of a size across the z axis, in random order from 0 to `depth` along it."""
    z = rng.permutation(np.linspace(0, depth, count))
    shape = np.array([(-3.0, -3, 0), (3, -3, 0), (0, 4, 0)])
    corners = shape + np.stack([0 * z, 0 * z, z], axis=1)[:, None]
    return corners.reshape(-1, 3) * size, np.arange(3 * count).reshape(-1, 3)


@pytest.mark.parametrize(("size", "scale"), [(1e-121, 1e-200), (1e-82, 1e-239)])
def test_batches_lost_the_first_of_triangles_at_the_same_smallest_distances(
    rng, engine, size, scale
):
    for _ in range(25):
        exact = size * 10 ** rng.uniform(-3, 3)
        vertices, triangles = parallel(rng, 200, exact)
        ray = np.array([(0, 0, 3.0)]) * exact * scale, (0, 0, -1.0)
        answers = []
        for building in ("never", "auto"):
            mesh, scene = sc.Mesh(vertices, triangles, None, engine, building), sc.Scene()
            if building == "auto":
                mesh.build()
            scene.add(mesh, np.diag([scale, scale, scale, 1.0]))
            answers += [scene.cast_rays(*ray)[0], scene.ray_cast(ray[0][0], ray[1])]
        assert len({hit and (hit.distance, hit.triangle) for hit in answers}) == 1


def test_one_ray_stopped_before_triangles_at_the_same_smallest_distance(rng, engine):
    for _ in range(25):
        size = 10.0 ** rng.uniform(-323, -305)
        vertices, triangles = parallel(rng, 40, size)
        mesh = sc.Mesh(vertices, triangles, engine=engine)
        origins = np.array([(0, 0, 3.0), (0.01, 0, -3), (0, 0, 0), (0, 0, 5e3)]) * size
        directions = np.array([(0, 0, -1.0), (0, 0, 1), (0.001, 0, 1), (0, 0, -1)])
        directions *= 10.0 ** rng.uniform(-20, 20)
        for _ in ("scan", "tree"):
            hits = mesh.cast_rays(origins, directions)
            alone = [mesh.ray_cast(*ray) for ray in zip(origins, directions, strict=True)]
            assert_same_hits(alone, list(hits))
            mesh.build()


def test_a_batch_at_a_scene_raised_where_a_ray_left_float64():
    scene = sc.Scene()
    added = scene.add(sc.Mesh(SQUARE, HALVES), np.diag([1e-300, 1e-300, 1e-300, 1]))
    rays = [(0.1e-300, 0.2e-300, 1.0), (0.1e-300, 0.2e-300, 1e9), (0, 0, -1e300)], DOWN
    hits = scene.cast_rays(*rays)
    assert hits.instance.tolist() == [added, -1, -1]
    for ray, hit in zip(rays[0], hits, strict=True):
        assert_same_hits([scene.ray_cast(ray, DOWN)], [hit])


def test_pickling_a_scene_beside_changes_raised_and_a_copy_shared_its_instances():
    scene, mesh, over = sc.Scene(), sc.Mesh(SQUARE, HALVES), threading.Event()
    scene.add_many(mesh, [np.eye(4)] * 500)

    def change():
        while not over.is_set():
            scene.remove(scene.add(mesh))

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(20):
            again = pickle.loads(pickle.dumps(scene))
            assert max(again) < again.add(mesh)
    finally:
        over.set()
        changer.join()
    copied = copy.copy(scene)
    copied.add(mesh)
    assert (len(scene), len(copied)) == (500, 501)


def test_threads_made_the_same_index_one_after_the_other(monkeypatch):
    made, start = [], threading.Barrier(4)

    class Counted(scene_module.InstanceIndex):
        def __init__(self, instances):
            made.append(threading.current_thread())
            super().__init__(instances)

    def cast():
        start.wait(60)
        assert scene.ray_cast((0.1, 0.2, 5), DOWN).instance == 0

    monkeypatch.setattr(scene_module, "InstanceIndex", Counted)
    scene = sc.Scene()
    scene.add_many(sc.Mesh(SQUARE, HALVES), np.tile(np.eye(4), (20_000, 1, 1)))
    threads = [threading.Thread(target=cast) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_what_was_pickled_could_be_written_to_and_held_its_tree_twice():
    scene, mesh = sc.Scene(), sc.Mesh(SQUARE, HALVES)
    mesh.build()
    added = scene.add(mesh)
    again = pickle.loads(pickle.dumps(scene))[added]
    assert not again.matrix.flags.writeable
    assert not again.inverse.flags.writeable
    tree = again.mesh.tree
    assert all(np.shares_memory(level, tree.nodes) for level in tree.levels)


def test_checking_a_tree_of_nothing_finite_warned():
    far = np.finfo(float).max
    mesh = sc.Mesh([(0, np.inf, -1), (1, np.nan, far), (2, 3, -far)], [(0, 1, 2)])
    mesh.build()
    mesh.validate()


def test_true_as_the_number_of_a_triangle_was_taken_for_a_mask(engine):
    mesh = sc.PolygonMesh(SQUARE, [0, 1, 2, 0, 2, 3], [3, 3], engine=engine)
    mesh.build()
    for number in (True, np.int8(1)):
        assert mesh.corners_of(number).tolist() == [3, 4, 5]
        assert mesh.vertices_of(number).tolist() == [0, 2, 3]
