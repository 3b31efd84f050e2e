# SPDX-License-Identifier: GPL-3.0-or-later
"""Two copies of the core in one process: what crosses by value, and what the errors say."""

import gc
import importlib.util
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import standalone_core as sc

from .meshes import HALVES, SQUARE
from .peers import peer

FOLDER = Path(sc.__file__).parent
DOWN = (0, 0, -1)


@pytest.fixture(scope="module")
def other():
    """The same sources again, imported by another name, with an older version."""
    spec = importlib.util.spec_from_file_location(
        "elsewhere_core", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    package = sys.modules["elsewhere_core"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    package.__version__ = "0.0.7"
    yield package
    for name in [name for name in sys.modules if name.startswith("elsewhere_core")]:
        del sys.modules[name]


CAMERAS = {
    "perspective": lambda c: c.Camera.look_at((1, 2, 3), (0, 0.5, 0), 640, 480, 0.7),
    "direct3d": lambda c: c.Camera.look_at(
        (1, 2, 3), (0, 0.5, 0), 64, 48, 0.7, convention="direct3d"
    ),
    "pinhole": lambda c: c.Camera.pinhole([[500, 1, 320], [0, 510, 240], [0, 0, 1]], 640, 480),
    "orthographic": lambda c: c.Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100),
    "reversed depth": lambda c: c.Camera(
        np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 50, reversed_z=True
    ),
    "window": lambda c: c.Camera(
        np.eye(4),
        np.diag([1, 1, 0.1, 1]),
        100,
        50,
        "direct3d",
        offset=(7, 9),
        depth_range=(0.25, 0.5),
    ),
}


@pytest.mark.parametrize("make", CAMERAS.values(), ids=CAMERAS)
def test_a_camera_crosses_with_all_that_it_is(other, make):
    crossed = sc.copies.of_this_copy(make(other), sc.Camera)
    assert type(crossed) is sc.Camera
    assert crossed == make(sc)
    assert not isinstance(make(other), sc.Camera)


def test_rays_cross_alone_in_lists_and_as_a_camera_makes_them(other):
    mesh = sc.Mesh(SQUARE, HALVES)
    wanted = mesh.ray_cast((0.25, 0.5, 2), (0.1, 0.2, -1))
    ray = other.Ray((0.25, 0.5, 2), (0.1, 0.2, -1))
    assert mesh.ray_cast(ray).distance == mesh.ray_cast(sc.Ray(*ray_parts(ray))).distance
    assert mesh.ray_cast_all(ray)[0].triangle == wanted.triangle
    assert mesh.cast_rays([ray, ray]).distance.tolist() == [mesh.ray_cast(ray).distance] * 2
    assert mesh.cast_rays(ray).shape == ()
    rays = CAMERAS["perspective"](other).rays()
    assert np.array_equal(mesh.cast_rays(rays).triangle, mesh.cast_rays(*rays).triangle)


def ray_parts(ray):
    return ray.origin, ray.direction


def test_shapes_take_the_rays_and_the_planes_of_the_other_copy(other):
    ray = other.Ray((0.5, 0.25, 2), DOWN)
    assert sc.Plane((0, 0, 1), 0).intersect_line(ray) == 2.0
    assert sc.Box((0, 0, 0), (1, 1, 1)).intersect_ray(ray) == (1.0, 2.0)
    assert sc.Sphere((0.5, 0.25, 0), 1).intersect_ray(ray) == (1.0, 3.0)
    assert sc.triangle.moller_trumbore(ray, *SQUARE[:3])
    plane = other.Plane((0, 0, 1), 2)
    camera = CAMERAS["orthographic"](sc)
    assert camera.point_on_plane(75, 50, plane).tolist() == [0.5, 0.0, -2.0]
    half = other.Region.of([(1, 0, 0, -0.75)])
    mesh = sc.Mesh(SQUARE, HALVES)
    assert mesh.triangles_in(half).triangle.tolist() == [0, 1]
    assert len(sc.Region.of([(1, 0, 0, 0)]).cut(half).planes) == 2


def test_a_mesh_of_the_other_copy_is_placed_as_it_is_now(other):
    mesh = other.Mesh(SQUARE, HALVES, [7, 9], "numpy", "never", border="closed")
    scene = sc.Scene()
    first, again = scene.add(mesh, name="floor"), scene.add(mesh)
    many = scene.add_many([mesh, mesh], [np.eye(4)] * 2)
    own = scene[first].mesh
    assert type(own) is sc.Mesh
    assert all(scene[each].mesh is own for each in (again, *many))
    assert own.faces.tolist() == [7, 9]
    assert (own.border, own.wanted_engine) == ("closed", "numpy")
    hit, wanted = scene.ray_cast((0.3, 0.4, 5), DOWN), mesh.ray_cast((0.3, 0.4, 5), DOWN)
    assert (hit.face, hit.distance) == (wanted.face, wanted.distance)
    assert hit.barycentric.tolist() == wanted.barycentric.tolist()

    mesh.refit(SQUARE + (0, 0, 1))
    assert scene.ray_cast((0.3, 0.4, 5), DOWN).distance == 5.0
    scene.replace(first, mesh)
    assert scene.ray_cast((0.3, 0.4, 5), DOWN).distance == 4.0


def test_arrays_that_a_mesh_shares_may_change_after_it_has_crossed(other):
    vertices = np.array(SQUARE, dtype=np.float64)
    scene = sc.Scene()
    scene.add(other.Mesh(vertices, HALVES, engine="numpy", copy=False))
    vertices += 1
    assert scene.ray_cast((0.3, 0.4, 5), DOWN).distance == 5.0


def test_a_mesh_of_polygons_crosses_as_its_triangles(other):
    square = other.PolygonMesh(SQUARE, [0, 1, 2, 3], 4)
    scene = sc.Scene()
    scene.add(square)
    hit, wanted = scene.ray_cast((0.3, 0.4, 5), DOWN), square.ray_cast((0.3, 0.4, 5), DOWN)
    assert (hit.face, hit.triangle, hit.distance) == (0, wanted.triangle, wanted.distance)


def test_a_mesh_that_has_crossed_does_not_stay_when_both_are_let_go_of(other):
    mesh = other.Mesh(SQUARE, HALVES)
    own = weakref.ref(sc.copies.of_this_copy(mesh, sc.Mesh))
    assert own() is sc.copies.of_this_copy(mesh, sc.Mesh)
    del mesh
    gc.collect()
    assert own() is None


def test_a_scene_crosses_with_its_ids_names_and_matrices(other, tmp_path):
    scene = other.Scene()
    mesh = other.Mesh(SQUARE, HALVES, engine="numpy")
    gone, left, named = scene.add(mesh), scene.add(mesh, np.diag([2, 1, 1, 1])), scene.add(mesh)
    scene.replace(named, name="lid")
    scene.set_matrix(named, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]])
    scene.remove(gone)
    own = sc.copies.of_this_copy(scene, sc.Scene)
    assert own.ids.tolist() == [left, named]
    assert own[left].mesh is own[named].mesh
    assert own.named("lid") == [named]
    assert own.ray_cast((0.3, 0.4, 5), DOWN).instance == named
    assert own.ray_cast((1.5, 0.4, 5), DOWN).instance == left
    assert own.add(own[left].mesh) == named + 1

    sc.save_scene(scene, tmp_path / "scene.npz")
    loaded = sc.load_scene(tmp_path / "scene.npz")
    assert loaded.ray_cast((0.3, 0.4, 5), DOWN).distance == 2.0


def test_a_mesh_crosses_to_the_tasks_of_a_cluster(other):
    peer("dask")
    mesh = other.Mesh(SQUARE, HALVES, engine="numpy")
    hits = sc.distributed.cast_rays(mesh, [[0.3, 0.4, 5]], [DOWN])
    assert hits["distance"].compute().tolist() == [5.0]


def test_one_except_catches_the_errors_of_all_copies(other):
    assert other.RaypickError is sc.RaypickError
    assert other.errors.ArgumentError is not sc.errors.ArgumentError
    with pytest.raises(sc.RaypickError, match=r"there is 1 vertex"):
        other.Mesh([(0, 0, 0)], [(0, 1, 2)])


def test_what_cannot_cross_names_both_copies_with_version_and_folder(other):
    places = other.Mesh(SQUARE, HALVES).places([0], [[0.5, 0.25, 0.25]])
    with pytest.raises(sc.errors.DtypeError) as caught:
        sc.Mesh(SQUARE, HALVES).thickness(places)
    assert str(caught.value) == (
        f"places must be a Places of standalone_core {sc.__version__} ({FOLDER}), "
        f"not a Places of elsewhere_core 0.0.7 ({FOLDER})"
    )


def test_a_value_of_a_version_with_other_arguments_names_both_copies(other, monkeypatch):
    plane = other.Plane((0, 0, 1), 0)
    newer = {"normal": (0, 0, 1), "offset": 0, "thickness": 1}
    monkeypatch.setattr(other.Plane, "__raypick__", lambda self: ("Plane", newer))
    with pytest.raises(
        sc.errors.DtypeError, match=r"^a Plane of elsewhere.*0\.0\.7.* cannot cross.*thickness"
    ):
        CAMERAS["orthographic"](sc).point_on_plane(1, 2, plane)


def test_what_is_of_no_copy_is_refused_as_ever():
    with pytest.raises(sc.errors.DtypeError, match=r"^plane must be a Plane, not a Ray$"):
        CAMERAS["orthographic"](sc).point_on_plane(1, 2, sc.Ray((0, 0, 0), DOWN))
    with pytest.raises(sc.errors.DtypeError, match=r"^scene must be a Scene, not a Mesh$"):
        sc.save_scene(sc.Mesh(SQUARE, HALVES), "scene.npz")
    with pytest.raises(sc.errors.DtypeError, match=r"another Placeable, not a Plane$"):
        sc.Scene().add(sc.Plane((0, 0, 1), 0))
