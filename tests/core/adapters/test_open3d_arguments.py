# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene takes and refuses, and what it keeps of it."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.adapters.open3d import RaycastingScene, Tensor

from ..meshes import UNIT_TRIANGLE as TRIANGLE
from ..meshes import cube
from .test_pinhole import VIEW, NoArray


def test_tensors_and_meshes_of_open3d_are_taken(open3d):
    tensor = open3d.core.Tensor
    vertices, triangles = tensor(np.float32(TRIANGLE[0])), tensor(np.uint32(TRIANGLE[1]))
    mesh = open3d.t.geometry.TriangleMesh(vertices, triangles)
    scene = RaycastingScene()
    assert scene.add_triangles(vertices, triangles) == 0
    assert scene.add_triangles(mesh) == 1
    assert scene.add_triangles(mesh=mesh) == 2
    assert scene.add_triangles(vertex_positions=vertices, triangle_indices=triangles) == 3
    answer = scene.cast_rays(tensor(np.float32([[0.25, 0.25, 1, 0, 0, -1]])))
    assert answer["t_hit"].numpy().tolist() == [1.0]
    assert scene.count_intersections([[0.25, 0.25, 1, 0, 0, -1]]).numpy().tolist() == [4]


def all_answers(scene, rays, points):
    """The answers of all queries, in one list."""
    dicts = [scene.cast_rays(rays), scene.list_intersections(rays)]
    dicts.append(scene.compute_closest_points(points))
    calls = (scene.compute_distance, scene.compute_signed_distance, scene.compute_occupancy)
    return [
        *(answer for each in dicts for answer in each.values()),
        *(scene.test_occlusions(rays), scene.count_intersections(rays)),
        *(call(points) for call in calls),
    ]


RAYS = np.array([[0.1, 0.2, 9, 0, 0, -1], [50, 0, 9, 0, 0, -1]])


def scenes(open3d):
    """Scenes of arrays alone, and scenes to each of which one thing of Open3D's was given."""
    v, t = np.float32(TRIANGLE[0]), np.uint32(TRIANGLE[1])
    tensor, device = open3d.core.Tensor, open3d.core.Device
    by_options = (
        RaycastingScene(),
        RaycastingScene(device=device("CPU:0")),
        RaycastingScene(0, device()),
        RaycastingScene(dtype=open3d.core.float32),
    )
    for scene in by_options:
        scene.add_triangles(v, t)
        yield scene
    for mesh in (
        (open3d.t.geometry.TriangleMesh(tensor(v), tensor(t)),),
        (tensor(v), t),
        (v, tensor(t)),
    ):
        scene = RaycastingScene()
        scene.add_triangles(*mesh)
        yield scene


def test_all_answers_are_tensors_of_open3d_where_it_is_imported(open3d):
    tensor = open3d.core.Tensor
    for scene in scenes(open3d):
        by_tensors = all_answers(scene, tensor(RAYS), tensor(RAYS[:, :3].copy()))
        by_arrays = all_answers(scene, RAYS, RAYS[:, :3])
        assert len(by_arrays) == 21
        assert {type(answer) for answer in (*by_arrays, *by_tensors)} == {tensor}
        for one, other in zip(by_arrays, by_tensors, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one.numpy(), other.numpy(), strict=True)


def test_where_open3d_is_not_imported_the_same_answers_are_tensors_of_ours(open3d, monkeypatch):
    scene = RaycastingScene()
    scene.add_triangles(*TRIANGLE)
    theirs = all_answers(scene, RAYS, RAYS[:, :3])
    monkeypatch.delitem(sys.modules, "open3d")
    ours = all_answers(scene, RAYS, RAYS[:, :3])
    assert {type(answer) for answer in ours} == {Tensor}
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy(), strict=True)


def test_answers_of_a_scene_of_arrays_have_the_types_and_methods_of_open3d(open3d):
    core = open3d.core
    scene = RaycastingScene()
    scene.add_triangles(*TRIANGLE)
    rays = scene.create_rays_pinhole(**VIEW, width_px=3, height_px=2)
    answer = scene.cast_rays(np.float32(RAYS))
    assert rays.dtype == answer["t_hit"].dtype == core.float32
    assert answer["geometry_ids"].dtype == core.uint32
    assert answer["t_hit"].num_elements() == 2
    assert answer["primitive_ids"].to(rays.dtype).dtype == core.float32
    moved = core.Tensor.ones(answer["t_hit"].shape, rays.dtype) + answer["t_hit"]
    assert moved.numpy().tolist() == [10.0, np.inf]
    assert scene.test_occlusions(RAYS).dtype == core.bool
    assert scene.count_intersections(RAYS).dtype == core.int32


@pytest.mark.parametrize(("name", "dtype"), [("float32", np.float32), ("float64", np.float64)])
def test_types_of_open3d_are_taken(open3d, name, dtype):
    theirs = getattr(open3d.core, name)
    scene = RaycastingScene(dtype=theirs)
    scene.add_triangles(*TRIANGLE)
    answer = scene.cast_rays(RAYS)["t_hit"]
    assert answer.dtype == theirs
    assert answer.numpy().dtype == dtype
    view = scene.create_rays_pinhole(**VIEW, width_px=2, height_px=2, dtype=theirs)
    assert view.dtype == theirs
    with pytest.raises(sc.errors.DtypeError, match="float64 or float32, not int32"):
        RaycastingScene(dtype=open3d.core.int32)


def test_a_mesh_is_any_object_with_positions_and_indices():
    v, t = TRIANGLE
    for mesh in (
        SimpleNamespace(vertex=SimpleNamespace(positions=v), triangle=SimpleNamespace(indices=t)),
        SimpleNamespace(vertices=v, triangles=t),
        SimpleNamespace(vertices=v, faces=t),
        v[t],
    ):
        scene = RaycastingScene()
        assert scene.add_triangles(mesh) == 0
        assert scene.add_triangles(mesh=mesh) == 1
        assert scene.count_intersections(RAYS).tolist() == [2, 0]
    with pytest.raises(sc.errors.ShapeError, match="pass triangles"):
        RaycastingScene().add_triangles(v)


def test_old_meshes_of_open3d_are_taken_too(open3d):
    mesh = open3d.geometry.TriangleMesh.create_box()
    scene = RaycastingScene()
    scene.add_triangles(mesh)
    counts = scene.count_intersections(RAYS)
    assert type(counts) is open3d.core.Tensor
    assert counts.numpy().tolist() == [2, 0]


def test_a_scene_prints_in_a_line():
    scene = RaycastingScene()
    scene.add_triangles(*TRIANGLE)
    scene.add_triangles(*cube())
    for _ in range(2):
        assert repr(scene) == "<RaycastingScene 2 geometries, 13 triangles>"
        scene.cast_rays([])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_answers_can_be_changed_as_those_of_open3d_can(dtype):
    scene = RaycastingScene(dtype=dtype)
    scene.add_triangles(*cube())
    answers = all_answers(scene, RAYS, RAYS[:, :3])
    answers += [scene.create_rays_pinhole(**VIEW, width_px=2, height_px=2)]
    for answer in answers:
        answer[:] = 0
        answer.numpy()[:] = 1


def test_tensors_of_open3d_that_are_changed_change_nothing_else(open3d):
    scene = RaycastingScene(dtype=open3d.core.float64)
    scene.add_triangles(*cube())
    first = all_answers(scene, RAYS, RAYS[:, :3])
    wanted = [answer.numpy().copy() for answer in first]
    for answer in first:
        answer[:] = 0
        assert not answer.numpy().any()
    for answer, value in zip(all_answers(scene, RAYS, RAYS[:, :3]), wanted, strict=True):
        np.testing.assert_array_equal(answer.numpy(), value)


def test_geometries_are_added_between_questions():
    scene = RaycastingScene()
    ray = [[0.25, 0.25, 9, 0, 0, -1]]
    for k in range(4):
        assert scene.add_triangles(TRIANGLE[0] + [0, 0, k], TRIANGLE[1]) == k
        assert scene.cast_rays(ray)["geometry_ids"].tolist() == [k]
        assert scene.cast_rays(ray)["primitive_ids"].tolist() == [0]
    assert scene.list_intersections(ray)["geometry_ids"].tolist() == [3, 2, 1, 0]


def test_a_geometry_without_triangles_has_an_id_of_its_own():
    scene = RaycastingScene()
    assert scene.add_triangles(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)) == 0
    assert scene.add_triangles(*TRIANGLE) == 1
    assert scene.add_triangles([], []) == 2
    assert scene.cast_rays([[0.25, 0.25, 9, 0, 0, -1]])["geometry_ids"].tolist() == [1]


def test_changes_of_the_callers_arrays_do_not_reach_the_scene():
    vertices = np.array(TRIANGLE[0], dtype=np.float64)
    scene = RaycastingScene()
    scene.add_triangles(vertices, TRIANGLE[1])
    vertices += 100
    assert scene.cast_rays([[0.25, 0.25, 1, 0, 0, -1]])["t_hit"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.cast_rays([[0, 0, 1]]), r"rays must have shape \(\.\.\., 6\)"),
        (lambda s: s.cast_rays("rays"), "rays must be"),
        (lambda s: s.test_occlusions([[0, 0, 1, 0, 0, 1]], tnear=-1), "tnear must be 0 or more"),
        (lambda s: s.test_occlusions([[0, 0, 1, 0, 0, 1]], tfar=np.nan), "tfar must be 0 or more"),
        (lambda s: s.compute_distance([[0, 0]]), r"query_points must have shape \(\.\.\., 3\)"),
        (lambda s: s.compute_occupancy([[0, 0, 0]], nsamples=2), "nsamples must be odd"),
        (lambda s: s.compute_occupancy([[0, 0, 0]], nsamples="a"), "nsamples must be an integer"),
        (
            lambda s: s.cast_rays([[0, 0, 1, 0, 0, 1]], nthreads=-1),
            "nthreads must be 0 or more, not -1",
        ),
        (lambda s: s.cast_rays([[0, 0, 1, 0, 0, 1]], nthreads=1.5), "nthreads must be an integer"),
        (lambda s: type(s)(nthreads=-1), "nthreads must be 0 or more, not -1"),
        (lambda s: type(s)(nthreads=True), "nthreads must be 0 or more, not True"),
        (lambda s: type(s)(dtype="x"), "dtype must be float64 or float32, not 'x'"),
        (lambda s: type(s)(dtype=int), "dtype must be float64 or float32, not int64"),
        (lambda s: type(s)(dtype=object()), "dtype must be float64 or float32"),
        (lambda s: type(s)(border="shut"), 'border must be "open" or "closed"'),
        (lambda s: s.cast_rays(NoArray()), r"rays is a NoArray whose numpy\(\) fails: Runt.*grad"),
        (lambda s: s.compute_distance(NoArray()), "query_points is a NoArray"),
        (lambda s: s.add_triangles(NoArray(), [[0, 1, 2]]), "vertex_positions is a NoArray"),
        (lambda s: s.add_triangles([[0, 0, 0]], NoArray()), "triangle_indices is a NoArray"),
        (
            lambda s: s.add_triangles(TRIANGLE[1], [[0.5, 1, 2]]),
            "triangle_indices must be integers",
        ),
        (lambda s: s.add_triangles([[0, 0, 0]], [[0, 0]]), "triangle_indices must have shape"),
        (lambda s: s.add_triangles([[0, 0]], [[0, 0, 0]]), "vertex_positions must have shape"),
        (lambda s: s.add_triangles([[0, 0, 0]], [[0, 0, 7]]), "there is 1 vertex"),
        (lambda s: s.add_triangles(), "or a mesh with vertices and faces"),
    ],
)
def test_a_wrong_argument_is_a_named_error(call, words):
    with pytest.raises(sc.RaypickError, match=words):
        call(RaycastingScene())


def test_an_empty_list_of_rays_is_none():
    scene = RaycastingScene()
    scene.add_triangles(*cube())
    assert scene.cast_rays([])["t_hit"].shape == scene.test_occlusions([]).shape == (0,)
