# SPDX-License-Identifier: GPL-3.0-or-later
"""`install` and `uninstall`: who answers for which meshes, from when to when."""

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

import standalone_core as sc
from checkout import ROOT
from standalone_core.adapters import reading
from standalone_core.adapters import trimesh as adapter
from standalone_core.adapters.trimesh import ProximityQuery, RayMeshIntersector

from ..peers import peer

DOWN = [[0.1, 0.2, 5.0]], [[0.0, 0.0, -1.0]]
POINT = [[0.1, 0.2, 0.3]]


@pytest.fixture
def made(monkeypatch):
    """Every mesh of ours that was made to follow one of trimesh's."""
    meshes = []

    class Noted(sc.Mesh):
        def __init__(self, *shape, **options):
            super().__init__(*shape, **options)
            meshes.append(self)

    monkeypatch.setattr(reading, "Mesh", Noted)
    return meshes


@pytest.fixture
def installed(trimesh):
    """trimesh, with the drop-in for all its meshes."""
    adapter.install()
    yield trimesh
    adapter.uninstall()


def doors(trimesh, mesh):
    """Every way to ask trimesh about rays and proximity, by name."""
    rays, points = mesh.ray, trimesh.proximity
    yield "id", lambda: rays.intersects_id(*DOWN)
    yield "location", lambda: rays.intersects_location(*DOWN)
    yield "first", lambda: rays.intersects_first(*DOWN)
    yield "any", lambda: rays.intersects_any(*DOWN)
    yield "inside", lambda: rays.contains_points(POINT)
    yield "contains", lambda: mesh.contains(POINT)
    yield "surface", lambda: mesh.nearest.on_surface(POINT)
    yield "distance", lambda: mesh.nearest.signed_distance(POINT)
    yield "closest", lambda: points.closest_point(mesh, POINT)
    yield "signed", lambda: points.signed_distance(mesh, POINT)
    yield "longest", lambda: points.longest_ray(mesh, POINT, [[0, 0, 1]])
    yield "sphere", lambda: points.max_tangent_sphere(mesh, [[0.1, 0.2, 0.5]])
    yield "thickness", lambda: points.thickness(mesh, [[0.1, 0.2, 0.5]], method="ray")
    yield "volume", lambda: trimesh.sample.volume_mesh(mesh, 5)
    yield "voxels", lambda: trimesh.voxel.creation.voxelize(mesh, 0.5, method="ray")
    yield "registration", lambda: trimesh.registration.icp(np.eye(4, 3), mesh, max_iterations=1)
    yield "of rtree", lambda: trimesh.ray.ray_triangle.RayMeshIntersector(mesh).intersects_id(*DOWN)
    yield (
        "of Embree",
        lambda: trimesh.ray.ray_pyembree.RayMeshIntersector(mesh).intersects_id(*DOWN),
    )
    yield "vertex", lambda: mesh.nearest.vertex(POINT)


def test_all_that_trimesh_can_be_asked_is_answered_by_one_tree(installed, made):
    mesh = installed.creation.box()
    for name, ask in doors(installed, mesh):
        ask()
        assert len(made) == 1, name


def test_each_way_to_ask_is_ours_by_itself(installed, made):
    for name, _ in doors(installed, installed.creation.box()):
        made.clear()
        mesh = installed.creation.box()
        dict(doors(installed, mesh))[name]()
        assert made, name


WAYS = {
    "made before": lambda trimesh, mesh: mesh,
    "copy": lambda trimesh, mesh: mesh.copy(),
    "copy with its cache": lambda trimesh, mesh: mesh.copy(include_cache=True),
    "copy.copy": lambda trimesh, mesh: copy.copy(mesh),
    "copy.deepcopy": lambda trimesh, mesh: copy.deepcopy(mesh),
    "pickle": lambda trimesh, mesh: pickle.loads(pickle.dumps(mesh)),
    "submesh": lambda trimesh, mesh: mesh.submesh([range(12)], append=True),
    "split": lambda trimesh, mesh: mesh.split()[0],
    "subdivided": lambda trimesh, mesh: mesh.subdivide(),
    "loop": lambda trimesh, mesh: mesh.subdivide_loop(),
    "to size": lambda trimesh, mesh: mesh.subdivide_to_size(0.5),
    "slice": lambda trimesh, mesh: mesh.slice_plane([0, 0, 0], [0, 0, 1]),
    "hull": lambda trimesh, mesh: mesh.convex_hull,
    "box around": lambda trimesh, mesh: mesh.bounding_box,
    "primitive": lambda trimesh, mesh: trimesh.primitives.Box(),
    "sum": lambda trimesh, mesh: mesh + mesh.copy().apply_translation([3, 0, 0]),
    "permuted": lambda trimesh, mesh: mesh.permutate.tessellation(),
    "scene": lambda trimesh, mesh: trimesh.Scene([mesh]).to_geometry(),
    "part of a scene": lambda trimesh, mesh: trimesh.Scene([mesh]).dump()[0],
    "file": lambda trimesh, mesh: trimesh.load_mesh(
        trimesh.util.wrap_as_stream(mesh.export(file_type="stl")), file_type="stl"
    ),
    "without Embree": lambda trimesh, mesh: trimesh.Trimesh(
        mesh.vertices, mesh.faces, use_embree=False
    ),
    "subclass": lambda trimesh, mesh: type("Own", (trimesh.Trimesh,), {})(
        mesh.vertices, mesh.faces
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_mesh_answers_however_it_was_made(trimesh, made, way):
    before = trimesh.creation.box()
    with_answers = before.contains(POINT), before.ray.intersects_first(*DOWN)  # of Embree, cached
    assert (with_answers[0].tolist(), made) == ([True], [])
    adapter.install()
    try:
        mesh = WAYS[way](trimesh, before)
        assert mesh.ray.intersects_any(*DOWN).tolist() == [True]
        assert 0 < mesh.nearest.on_surface(POINT)[1][0] < 0.3
        assert mesh.contains(POINT).tolist() == [mesh.is_watertight]
        assert len(made) == 1
    finally:
        adapter.uninstall()
    assert mesh.ray.intersects_any(*DOWN).tolist() == [True]
    assert len(made) == 1  # trimesh answered


def test_the_positional_arguments_are_those_of_each_of_trimeshs_classes(installed):
    box = installed.creation.box()
    by_rtree = installed.ray.ray_triangle.RayMeshIntersector(box)
    by_embree = installed.ray.ray_pyembree.RayMeshIntersector(box)
    # return_locations, multiple_hits; multiple_hits, max_hits, return_locations
    assert [len(each) for each in by_rtree.intersects_id(*DOWN, True, False)] == [1, 1, 1]
    assert [len(each) for each in by_embree.intersects_id(*DOWN, True, 1)] == [1, 1]
    assert [len(each) for each in by_embree.intersects_id(*DOWN, True, 5, True)] == [2, 2, 2]
    assert len(by_embree.intersects_location(*DOWN, False)[0]) == 1
    for too_many in (
        lambda: by_rtree.intersects_id(*DOWN, True, False, 5),
        lambda: by_embree.intersects_id(*DOWN, False, 1, True, "x"),
        lambda: by_embree.intersects_location(*DOWN, False, 1),
    ):
        with pytest.raises(TypeError, match=r"takes from 3 to \d positional arguments but \d were"):
            too_many()
    with pytest.raises(TypeError, match="multiple values"):
        by_rtree.intersects_id(*DOWN, True, return_locations=False)


def test_installed_meshes_have_the_exact_mesh_too(installed, made):
    box = installed.creation.box()
    exact = box.ray.exact
    assert exact is box.nearest.exact
    assert exact is installed.ray.ray_pyembree.RayMeshIntersector(box).exact
    assert made == [exact]
    assert exact.contains((0.1, 0.2, 0.3))
    adapter.uninstall()
    assert not hasattr(box.ray, "exact")
    assert not hasattr(box.nearest, "exact")


def test_the_arguments_have_trimeshs_names(installed):
    box, proximity = installed.creation.box(), installed.proximity
    rays = {"ray_origins": DOWN[0], "ray_directions": DOWN[1]}
    for module in ("ray_triangle", "ray_pyembree"):
        ray = getattr(installed.ray, module).RayMeshIntersector(box)
        for call in (ray.intersects_id, ray.intersects_location):
            assert len(call(**rays, multiple_hits=False)[1]) == 1
        for call in (ray.intersects_first, ray.intersects_any):
            assert len(call(**rays)) == 1
        assert ray.contains_points(points=POINT).tolist() == [True]
    for call in (proximity.closest_point, proximity.signed_distance):
        assert len(call(mesh=box, points=POINT)) in (1, 3)
    for call in (box.nearest.on_surface, box.nearest.vertex, box.nearest.signed_distance):
        assert len(call(points=POINT)) in (1, 2, 3)
    assert box.contains(points=POINT).tolist() == [True]


def test_a_single_point_has_the_two_numbers_of_trimesh(trimesh):
    box = trimesh.creation.box()
    box.vertices[:] = np.random.default_rng(3).permutation(box.vertices)
    theirs = box.nearest.vertex([3, 2, 1.0]), box.nearest.vertex([[[3, 2, 1.0]]])
    adapter.install()
    try:
        ours = box.nearest.vertex([3, 2, 1.0]), box.nearest.vertex([[[3, 2, 1.0]]])
    finally:
        adapter.uninstall()
    for a, b in zip(ours, theirs, strict=True):
        assert np.shape(a[0]) == np.shape(b[0])
        np.testing.assert_allclose(a, b, rtol=1e-15)


def everything_of(trimesh):
    """All that trimesh's modules and classes of rays and proximity consist of."""
    ray = trimesh.ray
    owners = [ray, ray.ray_triangle, ray.ray_pyembree, trimesh.proximity]
    owners += [ray.ray_triangle.RayMeshIntersector, ray.ray_pyembree.RayMeshIntersector]
    owners += [trimesh.proximity.ProximityQuery, trimesh.Trimesh]
    pickled = "__slotnames__"  # which copyreg notes there
    return [{n: v for n, v in vars(owner).items() if n != pickled} for owner in owners]


def test_uninstalled_it_is_trimesh_to_the_last_attribute(trimesh):
    before, place = everything_of(trimesh), sys.modules["trimesh.ray.ray_pyembree"]
    for _ in range(2):
        adapter.install()
        adapter.install("closed")
        assert everything_of(trimesh) != before
        adapter.uninstall()
        adapter.uninstall()
        for a, b in zip(everything_of(trimesh), before, strict=True):
            assert a.keys() == b.keys()
            assert all(a[name] is b[name] for name in a)
    assert sys.modules["trimesh.ray.ray_pyembree"] is place


def test_names_and_docstrings_are_still_trimeshs(trimesh):
    triangle = trimesh.ray.ray_triangle.RayMeshIntersector
    names = triangle.intersects_id.__name__, trimesh.proximity.closest_point.__doc__
    adapter.install()
    try:
        assert (triangle.intersects_id.__name__, trimesh.proximity.closest_point.__doc__) == names
    finally:
        adapter.uninstall()


def test_what_was_assigned_to_a_mesh_stays(trimesh):
    class Own(trimesh.ray.ray_triangle.RayMeshIntersector):
        def intersects_any(self, *rays):
            return "own"

    mesh, ours = trimesh.creation.box(), trimesh.creation.box()
    mesh.ray, mesh.nearest = Own(mesh), "mine"
    ours.ray, ours.nearest = RayMeshIntersector(ours), ProximityQuery(ours)
    kept = ours.ray, ours.nearest
    for change in (adapter.install, adapter.uninstall):
        change()
        assert (mesh.ray.intersects_any(*DOWN), mesh.nearest) == ("own", "mine")
        assert (ours.ray, ours.nearest) == kept
        assert ours.ray.intersects_any(*DOWN).tolist() == [True]


def test_copies_and_their_originals_answer_for_themselves(installed):
    mesh = installed.creation.box()
    assert mesh.contains([[0, 0, 0]]).all()
    for other in (mesh.copy(include_cache=True), copy.copy(mesh), pickle.loads(pickle.dumps(mesh))):
        other.apply_translation([3, 0, 0])
        for each, expected in ((other, [False, True]), (mesh, [True, False])):
            assert each.contains([[0, 0, 0], [3, 0, 0]]).tolist() == expected
            assert (each.nearest.signed_distance([[0, 0, 0], [3, 0, 0]]) > 0).tolist() == expected


def test_pickles_need_nothing_of_ours(installed):
    mesh = installed.creation.box()
    mesh.contains(POINT)
    mesh.nearest.vertex(POINT)
    assert b"standalone_core" not in pickle.dumps(mesh)
    assert b"standalone_core" not in pickle.dumps(mesh.ray)


def test_the_tree_goes_with_the_mesh_or_the_drop_in(installed):
    def tree_of(mesh):
        mesh.contains(POINT)
        return weakref.ref(RayMeshIntersector(mesh).exact)

    mesh, kept = installed.creation.box(), installed.creation.box()
    tree, other = tree_of(mesh), tree_of(kept)
    assert tree() is RayMeshIntersector(mesh).exact
    del mesh
    gc.collect()
    assert (tree(), other() is None) == (None, False)
    adapter.uninstall()
    gc.collect()
    assert other() is None


def test_without_a_mesh_in_circles_it_goes_at_once():
    mesh = type("Plain", (), {"vertices": np.eye(3), "faces": [[0, 1, 2]]})()
    tree = weakref.ref(RayMeshIntersector(mesh).exact)
    gc.disable()
    try:
        del mesh
        assert tree() is None
    finally:
        gc.enable()


def test_the_drop_ins_of_a_mesh_share_a_tree():
    mesh = type("Plain", (), {"vertices": np.eye(3), "faces": [[0, 1, 2]]})()
    ray = RayMeshIntersector(mesh)
    assert ProximityQuery(mesh).exact is ray.exact
    assert RayMeshIntersector(mesh=mesh, border="closed").exact is not ray.exact


def test_a_mesh_that_nothing_can_refer_to_weakly_is_followed_too():
    kind = type("Slots", (), {"__slots__": ("faces", "vertices")})
    mesh = kind()
    mesh.vertices, mesh.faces = np.eye(3), [[0, 1, 2]]
    assert ProximityQuery(mesh).on_surface([[1, 0, 0]])[1].tolist() == [0]


def test_threads_may_ask_a_mesh_together(installed):
    mesh = installed.creation.icosphere(3)
    points = np.random.default_rng(5).uniform(-1, 1, (200, 3))
    answers, start = [], threading.Barrier(6)

    def ask():
        start.wait()
        for _ in range(3):
            answers.append((mesh.contains(points), mesh.nearest.signed_distance(points)))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for each in (*threads,):
        each.start()
    for each in threads:
        each.join()
    assert len(answers) == 18
    for inside, signed in answers:
        assert np.array_equal(inside, signed > 0)
        assert np.array_equal(inside, answers[0][0])


@pytest.mark.skipif(
    not hasattr(multiprocessing, "get_context") or sys.platform == "win32", reason="no fork"
)
def test_a_forked_process_has_it_installed(installed):
    mesh = installed.creation.box()
    assert mesh.contains(POINT).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply(_answers_by_ours, (mesh,)) == [True, True]


def _answers_by_ours(mesh):
    return [bool(mesh.contains(POINT)[0]), bool(reading._shared)]


# An upper triangle over a lower one; the ray goes through the hypotenuse of the upper one.
TWO = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [-2, -2, 0], [4, -2, 0], [-2, 4, 0.0]])
EDGES = [[0.5, 0.5, 5], [0.5, 0, 5], [0, 0.5, 5]], [[0.0, 0, -1]] * 3


def test_an_open_border_is_hit_on_some_sides_and_a_closed_one_on_all(trimesh):
    mesh = trimesh.Trimesh(TWO, [[0, 1, 2], [3, 4, 5]], process=False)
    counts = {}
    for border in ("open", "closed"):
        adapter.install(border)
        try:
            locations, row, _ = mesh.ray.intersects_location(*EDGES)
            assert mesh.ray.intersects_any(*EDGES).all()
        finally:
            adapter.uninstall()
        exact = RayMeshIntersector(mesh, border=border)
        assert np.array_equal(exact.intersects_location(*EDGES)[0], locations)
        counts[border] = np.bincount(row).tolist()
    assert counts["closed"] == [2, 2, 2]
    assert sorted(counts["open"]) in ([1, 1, 2], [1, 2, 2])


def test_a_ray_through_an_open_border_that_hits_nothing_else_hits_it():
    mesh = type("One", (), {"vertices": TWO[:3], "faces": [[0, 1, 2]]})()
    assert RayMeshIntersector(mesh, border="open").intersects_first(*EDGES).tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", [RayMeshIntersector, ProximityQuery])
def test_a_border_of_another_name_is_an_error(kind):
    mesh = type("One", (), {"vertices": TWO[:3], "faces": [[0, 1, 2]]})()
    for call in (lambda: kind(mesh, border="ajar"), lambda: adapter.install("ajar")):
        with pytest.raises(sc.errors.ArgumentError, match='border must be "open" or "closed"'):
            call()


def test_without_trimesh_there_is_an_error_to_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(sc.errors.MissingPackageError, match="pip install trimesh"):
        adapter.install()
    adapter.uninstall()


ALONE = """
import sys
for package in ("embreex", "pyembree", "rtree", "scipy", "scipy.spatial"):
    sys.modules[package] = None
import numpy as np
import trimesh
from standalone_core.adapters.trimesh import install, uninstall

before, ray = trimesh.creation.box(), trimesh.ray
missing = ray.ray_pyembree
assert not ray.has_embree
install()
from trimesh.ray.ray_pyembree import RayMeshIntersector
down = [[0.1, 0.2, 5.0]], [[0.0, 0.0, -1.0]]
after = trimesh.creation.box()
named = RayMeshIntersector(geometry=after, scale_to_box=False)
assert isinstance(after.ray, RayMeshIntersector)
for each in (before.ray, after.ray, RayMeshIntersector(before), named):
    places = each.intersects_location(*down, multiple_hits=False)[0]
    np.testing.assert_allclose(places, [[0.1, 0.2, 0.5]])
assert abs(after.nearest.vertex([0.5, 0.5, 2])[0] - 1.5) < 1e-15
assert after.nearest.signed_distance([[0, 0, 0.25]]).tolist() == [0.25]
uninstall()
assert not ray.has_embree
assert ray.ray_pyembree is missing
assert "trimesh.ray.ray_pyembree" not in sys.modules
assert type(after.ray) is ray.ray_triangle.RayMeshIntersector
try:
    after.ray.intersects_any(*down)
except ImportError as error:
    assert "rtree" in str(error)
else:
    raise AssertionError("trimesh answers without rtree")
"""


def run_alone(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_neither_embree_nor_rtree_nor_scipy_is_needed(trimesh):
    run_alone(ALONE)


def traced(sphere):
    """What PyVista finds along rays from the middle of a sphere, and beside it."""
    around = np.random.default_rng(7).normal(size=(50, 3))
    origins = np.concatenate([np.zeros((50, 3)), [[9.0, 9, 9]]])
    directions = np.concatenate([around, [[1.0, 0, 0]]])
    found = [sphere.multi_ray_trace(origins, directions, first_point=True)]
    found.append(sphere.multi_ray_trace(origins, directions, first_point=False, retry=True))
    for points, rays, cells in found:
        assert rays.tolist() == list(range(50))
        for point, ray, cell in zip(points, rays, cells, strict=True):
            expected, (hit, *_) = sphere.ray_trace([0, 0, 0], 99 * directions[ray])
            np.testing.assert_allclose(point, expected[0], atol=1e-6)
            assert cell == hit


def test_multi_ray_trace_of_pyvista_works(trimesh, made):
    sphere = peer("pyvista").Icosphere(radius=0.5, nsub=2)
    adapter.install()
    try:
        traced(sphere)
    finally:
        adapter.uninstall()
    assert len(made) == 2  # PyVista makes a mesh of trimesh for each call


def test_multi_ray_trace_of_pyvista_works_without_embree(trimesh):
    peer("pyvista")
    run_alone(
        'import sys\nfor package in ("embreex", "pyembree", "rtree"): sys.modules[package] = None\n'
        "import pyvista\n"
        "from standalone_core.adapters.trimesh import install\n"
        "install()\n"
        "found = pyvista.Cube().triangulate().multi_ray_trace([[0.1, 0.2, 5]], [[0, 0, -1.0]])\n"
        "assert found[0].round(9).tolist() == [[0.1, 0.2, 0.5], [0.1, 0.2, -0.5]], found\n"
    )
