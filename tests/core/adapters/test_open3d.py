# SPDX-License-Identifier: GPL-3.0-or-later
"""Open3D's calls, compared one by one with Open3D itself; and where we are to differ.

Arrays that are asked as tensors of Open3D are; that they are alike is in test_open3d.py too.
"""

import copy
import pickle
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.adapters.open3d import RaycastingScene, Tensor

from ..meshes import cube, icosphere

TRIANGLE = ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])

# Numbers of order 10 as float32, after a few roundings.
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


class Both:
    """A scene of ours and one of Open3D with the same geometries, in numbers of float32."""

    def __init__(self, open3d, meshes):
        self.tensor = open3d.core.Tensor
        self.theirs = open3d.t.geometry.RaycastingScene()
        self.ours = RaycastingScene()
        for vertices, triangles in meshes:
            v, t = np.float32(vertices), np.uint32(triangles)
            assert self.theirs.add_triangles(v, t) == self.ours.add_triangles(v, t)

    def ask(self, call, values, **options):
        """The answers of both to one call, as arrays: ours, theirs."""
        ours = getattr(self.ours, call)(values, **options)
        theirs = getattr(self.theirs, call)(self.tensor(values), **options)
        answers = ours.values() if isinstance(ours, dict) else [ours]
        assert {type(answer) for answer in answers} == {Tensor}
        if isinstance(theirs, dict):
            return ours, {key: tensor.numpy() for key, tensor in theirs.items()}
        return ours, theirs.numpy()


@pytest.fixture(scope="module")
def both(open3d):
    """Three closed surfaces beside each other, with a fourth inside of one, and an open one."""
    ball, small = icosphere(2), icosphere(1)
    square = cube()
    return Both(
        open3d,
        [
            ball,
            (square[0] + [3.1, 0.2, 0.3], square[1]),
            (small[0] * 0.45, small[1]),
            (np.array(TRIANGLE[0]) * 2 + [-5, 0, 0.7], TRIANGLE[1]),
        ],
    )


@pytest.fixture(scope="module")
def closed(open3d):
    """The closed ones of these, at which inside and outside are defined."""
    ball, small, square = icosphere(2), icosphere(1), cube()
    inner = (small[0] * 0.45, small[1][:, ::-1])
    return Both(open3d, [ball, (square[0] + [3.1, 0.2, 0.3], square[1]), inner])


@pytest.fixture
def rays(both, rng):
    """Rays (20, 3, 50, 6) of float32 towards the scene and past it, of any length.

    Those are left out that pass so near to an edge that float32 may see them beyond it.
    """
    origins = rng.normal(0, 6, (4000, 3))
    targets = rng.uniform((-5, -2, -2), (5, 2, 2), origins.shape)
    directions = (targets - origins) * rng.uniform(0.1, 3, (len(origins), 1))
    candidates = np.float32(np.concatenate([origins, directions], axis=1))
    wanted = triangles_met(both.ours, candidates)
    sure = np.ones(len(candidates), dtype=bool)
    for _ in range(8):
        moved = candidates.astype(np.float64)
        moved[:, :3] += rng.uniform(-1e-3, 1e-3, (len(candidates), 3))
        found = triangles_met(both.ours, moved)
        sure &= [a == b for a, b in zip(found, wanted, strict=True)]
    assert sure.sum() > 3000
    return candidates[sure][:3000].reshape(20, 3, 50, 6)


def triangles_met(scene, rays):
    """The triangles that each of rays (N, 6) goes through, as bytes that can be compared."""
    answer = scene.list_intersections(rays)
    ids = np.stack([answer["geometry_ids"], answer["primitive_ids"]], axis=1)
    splits = answer["ray_splits"]
    return [ids[a:b].tobytes() for a, b in pairwise(splits)]


@pytest.fixture
def points(rng):
    """Points (10, 100, 3) of float32 in and around the scene."""
    return np.float32(rng.uniform((-5, -2, -2), (5, 2, 2), (10, 100, 3)))


def assert_alike(ours, theirs):
    """The same keys, shapes and kinds; integers are the same, and floats close."""
    assert set(ours) == set(theirs)
    for key, value in theirs.items():
        assert ours[key].shape == value.shape, key
        assert_values_alike(ours[key], value)


def assert_values_alike(ours, theirs):
    if theirs.dtype.kind == "f":
        assert ours.dtype == np.float64
        np.testing.assert_allclose(ours, theirs, **CLOSE)
    else:
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_the_nearest_hits_are_those_of_open3d(both, rays):
    ours, theirs = both.ask("cast_rays", rays)
    hit = ours["geometry_ids"] != RaycastingScene.INVALID_ID
    assert 0.2 < hit.mean() < 0.95
    assert set(ours["geometry_ids"][hit]) >= {0, 1, 3}
    assert_alike(ours, theirs)


def test_weights_are_those_of_the_second_and_third_vertex(both, rays):
    ours, _ = both.ask("cast_rays", rays)
    on_cube = ours["geometry_ids"] == 1
    assert on_cube.sum() > 50
    vertices, triangles = cube()
    a, b, c = (vertices + [3.1, 0.2, 0.3])[triangles[ours["primitive_ids"][on_cube]]].swapaxes(0, 1)
    u, v = ours["primitive_uvs"][on_cube].T[..., None]
    there = (1 - u - v) * a + u * b + v * c
    o, d = rays[on_cube][:, :3], rays[on_cube][:, 3:]
    np.testing.assert_allclose(o + ours["t_hit"][on_cube][:, None] * d, there, **CLOSE)


def test_occlusions_are_those_of_open3d(both, rays):
    ours, theirs = both.ask("test_occlusions", rays)
    assert 0.2 < ours.mean() < 0.95
    assert_values_alike(ours, theirs)


@pytest.mark.parametrize(("near", "far"), [(0.0, 0.8), (0.4, np.inf), (0.3, 0.7), (0.7, 0.3)])
def test_occlusions_between_two_limits_are_those_of_open3d(both, rays, near, far):
    ours, theirs = both.ask("test_occlusions", rays, tnear=near, tfar=far)
    assert ours.any() == (near < far)
    assert not ours.all()
    assert_values_alike(ours, theirs)


def test_counts_are_those_of_open3d(both, rays):
    ours, theirs = both.ask("count_intersections", rays)
    assert set(np.unique(ours)) >= {0, 1, 2, 4}
    assert_values_alike(ours, theirs)


def test_all_hits_are_those_of_open3d_and_sorted_by_distance(both, rays):
    ours, theirs = both.ask("list_intersections", rays)
    assert len(ours["t_hit"]) > 1500
    order = np.lexsort((ours["t_hit"], ours["ray_ids"]))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    order = np.lexsort((theirs["t_hit"], theirs["ray_ids"]))
    splits = theirs.pop("ray_splits")
    assert_values_alike(ours.pop("ray_splits"), splits)
    assert_alike(ours, {key: value[order] for key, value in theirs.items()})


def test_closest_points_are_those_of_open3d(both, points):
    ours, theirs = both.ask("compute_closest_points", points)
    assert set(np.unique(ours["geometry_ids"])) == {0, 1, 2, 3}
    assert set(ours) == set(theirs)
    distances = [np.linalg.norm(points - answer["points"], axis=-1) for answer in (ours, theirs)]
    np.testing.assert_allclose(*distances, **CLOSE)
    # Of two places as near as float32 can tell, either may be named.
    same = ours["primitive_ids"] == theirs["primitive_ids"]
    same &= ours["geometry_ids"] == theirs["geometry_ids"]
    inside = (ours["primitive_uvs"] > 1e-4).all(-1) & (ours["primitive_uvs"].sum(-1) < 1 - 1e-4)
    assert inside.mean() > 0.3
    assert same[inside].mean() > 0.99
    for key, value in theirs.items():
        assert ours[key].shape == value.shape
        assert (ours[key].dtype == value.dtype) == (value.dtype.kind != "f")
        if value.dtype.kind == "f":
            np.testing.assert_allclose(ours[key][same], value[same], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("call", "options", "kinds"),
    [
        ("compute_distance", {}, {True}),
        # An edge that its one ray counts twice deceives Open3D; it asks three then.
        ("compute_signed_distance", {"nsamples": 3}, {True, False}),
        ("compute_occupancy", {"nsamples": 3}, {True, False}),
    ],
)
def test_distances_and_occupancy_are_those_of_open3d(closed, points, call, options, kinds):
    sure = points[closed.ours.compute_distance(points) > 1e-4]
    assert len(sure) > 900
    ours, theirs = closed.ask(call, sure, **options)
    assert set(np.unique(ours > 0)) == kinds
    assert_values_alike(ours, theirs)


@pytest.mark.parametrize("shape", [(1,), (7,), (2, 3), (1, 2, 1, 3), (0,)])
def test_answers_have_the_leading_shape_of_the_question(both, rays, points, shape):
    count = int(np.prod(shape))
    some = rays.reshape(-1, 6)[:count].reshape(*shape, 6)
    near = points.reshape(-1, 3)[:count].reshape(*shape, 3)
    for call in ("cast_rays", "test_occlusions", "count_intersections"):
        ours, theirs = both.ask(call, some)
        if isinstance(ours, dict):
            assert_alike(ours, theirs)
        else:
            assert ours.shape == theirs.shape == shape
    for call in ("compute_distance", "compute_signed_distance", "compute_occupancy"):
        ours, theirs = both.ask(call, near)
        assert ours.shape == theirs.shape == shape
    ours, theirs = both.ask("compute_closest_points", near)
    assert {key: value.shape for key, value in ours.items()} == {
        key: value.shape for key, value in theirs.items()
    }


def test_misses_of_an_empty_scene_are_those_of_open3d(open3d, rays):
    nothing = Both(open3d, [])
    few = rays[0, 0]
    assert_alike(*nothing.ask("cast_rays", few))
    assert_alike(*nothing.ask("list_intersections", few))
    for call in ("test_occlusions", "count_intersections"):
        assert_values_alike(*nothing.ask(call, few))


def test_an_empty_scene_has_no_closest_point():
    answer = RaycastingScene().compute_closest_points([[1.0, 2.0, 3.0]])
    assert answer["geometry_ids"].tolist() == [RaycastingScene.INVALID_ID]
    assert np.isnan(answer["points"]).all()
    assert RaycastingScene().compute_distance([[1.0, 2.0, 3.0]]).tolist() == [np.inf]


def test_the_id_of_nothing_is_that_of_open3d(open3d):
    assert RaycastingScene.INVALID_ID == open3d.t.geometry.RaycastingScene.INVALID_ID


def test_pinhole_rays_by_matrices_are_those_of_open3d(open3d, rng):
    intrinsic = np.array([[500.0, 0.7, 31.5], [0, 470.0, 20.25], [0, 0, 1]])
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    extrinsic[:3, :3] *= np.sign(np.linalg.det(extrinsic[:3, :3]))
    extrinsic[:3, 3] = 1, 2, 3
    make = open3d.t.geometry.RaycastingScene.create_rays_pinhole
    theirs = make(open3d.core.Tensor(intrinsic), open3d.core.Tensor(extrinsic), 64, 40).numpy()
    names = {"intrinsic_matrix": intrinsic, "extrinsic_matrix": extrinsic}
    ours = RaycastingScene.create_rays_pinhole(**names, width_px=64, height_px=40)
    assert ours.shape == (40, 64, 6)
    np.testing.assert_allclose(ours, theirs, **CLOSE)
    np.testing.assert_array_equal(
        ours, RaycastingScene.create_rays_pinhole(intrinsic, extrinsic, 64, 40)
    )


def test_pinhole_rays_by_a_view_are_those_of_open3d(open3d):
    view = {"fov_deg": 50.0, "center": [0.1, 0.2, 0.3], "eye": [3.0, -4.0, 2.0], "up": [0, 0.1, 1]}
    size = {"width_px": 30, "height_px": 20}
    make = open3d.t.geometry.RaycastingScene.create_rays_pinhole
    theirs = make(**view, **size).numpy()
    ours = RaycastingScene.create_rays_pinhole(**view, **size)
    assert ours.shape == (20, 30, 6)
    np.testing.assert_allclose(ours, theirs, **CLOSE)
    np.testing.assert_array_equal(
        ours, RaycastingScene.create_rays_pinhole(*view.values(), *size.values())
    )


VIEW = {"fov_deg": 60, "center": [1, 0, 0], "eye": [1, 3, 6], "up": [0, 1, 0]}
DOWN = np.float32([[0.1, 0.2, 9, 0, 0, -1], [3.3, 0.4, 9, 0, 0, -2], [50, 0, 9, 0, 0, -1]])


def point_cloud(scene):
    """The points that a camera sees, as in Open3D's tutorial of ray casting."""
    rays = scene.create_rays_pinhole(**VIEW, width_px=32, height_px=24)
    ans = scene.cast_rays(rays)
    hit = ans["t_hit"].isfinite()
    points = rays[hit][:, :3] + rays[hit][:, 3:] * ans["t_hit"][hit].reshape((-1, 1))
    return points.numpy()


def signed_distances(scene):
    """As Open3D's tutorial of distances makes them from the closest points."""
    axis = np.linspace([-2, -2, -2], [2, 2, 2], num=6)
    query_points = np.stack(np.meshgrid(*axis.T), axis=-1).astype(np.float32)
    closest_points = scene.compute_closest_points(query_points)
    distance = np.linalg.norm(query_points - closest_points["points"].numpy(), axis=-1)
    rays = np.concatenate([query_points, np.float32([0.1, 0.2, 1]) + 0 * query_points], axis=-1)
    distance[scene.count_intersections(rays).numpy() % 2 == 1] *= -1
    return distance


@pytest.mark.parametrize(
    "program",
    [
        point_cloud,
        signed_distances,
        lambda s: s.create_rays_pinhole(**VIEW, width_px=4, height_px=3).cpu().numpy(),
        lambda s: np.abs(s.cast_rays(DOWN)["primitive_normals"].numpy()),
        lambda s: s.cast_rays(DOWN)["geometry_ids"].numpy().astype(np.int64),
        lambda s: s.cast_rays(DOWN)["t_hit"].isinf().numpy(),
        lambda s: s.cast_rays(DOWN)["t_hit"][2].isnan().numpy(),
        lambda s: s.cast_rays(DOWN)["t_hit"][0].item(),
        lambda s: float(s.cast_rays(DOWN)["t_hit"][1].numpy()),
        lambda s: s.cast_rays(DOWN)["geometry_ids"][1].cpu().item() == 1,
        lambda s: s.test_occlusions(DOWN, tfar=0.5).cpu().any().numpy(),
        lambda s: s.count_intersections(DOWN).cpu().numpy(),
        lambda s: s.list_intersections(DOWN)["ray_splits"].numpy(),
        lambda s: s.list_intersections(DOWN)["ray_ids"].cpu().numpy(),
        lambda s: s.compute_distance(DOWN[:, :3]).numpy(),
        lambda s: s.compute_signed_distance(DOWN[:, :3]).isfinite().all().item(),
        lambda s: s.compute_occupancy(DOWN[:, :3] - np.float32([0, 0, 8.7])).numpy(),
        lambda s: list(s.compute_closest_points(DOWN[:, 3:])["primitive_uvs"].shape),
    ],
)
def test_programs_written_for_open3d_run(closed, program):
    ours, theirs = (np.asarray(program(scene)) for scene in (closed.ours, closed.theirs))
    assert ours.shape == theirs.shape
    assert ours.dtype.kind == theirs.dtype.kind
    np.testing.assert_allclose(ours, theirs, **CLOSE)


def test_a_point_cloud_of_open3d_takes_our_points(open3d, closed):
    rays = closed.ours.create_rays_pinhole(**VIEW, width_px=32, height_px=24)
    cloud = open3d.t.geometry.PointCloud(rays.reshape(-1, 6)[:, 3:])
    np.testing.assert_array_equal(cloud.point.positions.numpy(), rays.reshape(-1, 6)[:, 3:])


def test_the_picture_of_a_view_stands_on_its_head_as_in_open3d(open3d):
    ahead, up = np.array([0.0, 1, 0]), np.array([0.0, 0, 1])
    right = np.cross(ahead, up)
    for make in (RaycastingScene, open3d.t.geometry.RaycastingScene):
        rays = make.create_rays_pinhole(60, ahead, 0 * ahead, up, 4, 3).numpy()[..., 3:]
        assert (np.diff(rays @ up, axis=0) > 0).all()
        assert (np.diff(rays @ right, axis=1) < 0).all()
        assert (rays[1, 1] @ ahead) > 0


def test_a_view_at_the_ends_of_float64_has_its_rays():
    def directions(half, up, fov_deg=90):
        eye, center = [0, 0, -half], [0, 0, half]
        return RaycastingScene.create_rays_pinhole(fov_deg, center, eye, up, 4, 4)[..., 3:]

    wanted = directions(1, [1, 1, 0])
    for half in (1e308, 1.0, 5e-324):
        for size in (1.7e308, 1.0, 1e-320):
            np.testing.assert_allclose(directions(half, [size, size, 0]), wanted, rtol=1e-15)
    assert np.isfinite(directions(1e308, [0, 1, 0], 179.9999999999)).all()


def test_rays_that_are_no_rays_miss_as_in_open3d(both):
    bad = np.float32([[0, 0, 9, 0, 0, 0], [np.nan, 0, 9, 0, 0, -1], [0, 0, 9, 0, 0, -1]])
    ours, theirs = both.ask("cast_rays", bad)
    assert ours["t_hit"].tolist()[:2] == [np.inf, np.inf]
    assert ours["t_hit"][2] < np.inf
    assert_alike(ours, theirs)


def test_tensors_and_meshes_of_open3d_are_taken(open3d):
    tensor = open3d.core.Tensor
    vertices, triangles = tensor(np.float32(TRIANGLE[0])), tensor(np.uint32(TRIANGLE[1]))
    mesh = open3d.t.geometry.TriangleMesh(vertices, triangles)
    scene = RaycastingScene(device=open3d.core.Device("CPU:0"))
    assert scene.add_triangles(vertices, triangles) == 0
    assert scene.add_triangles(mesh) == 1
    assert scene.add_triangles(mesh=mesh) == 2
    assert scene.add_triangles(vertex_positions=vertices, triangle_indices=triangles) == 3
    answer = scene.cast_rays(tensor(np.float32([[0.25, 0.25, 1, 0, 0, -1]])))
    assert answer["t_hit"].tolist() == [1.0]
    assert scene.count_intersections([[0.25, 0.25, 1, 0, 0, -1]]).tolist() == [4]


def test_a_mesh_is_any_object_with_positions_and_indices():
    mesh = SimpleNamespace(
        vertex=SimpleNamespace(positions=TRIANGLE[0]), triangle=SimpleNamespace(indices=TRIANGLE[1])
    )
    assert RaycastingScene().add_triangles(mesh) == 0
    with pytest.raises(sc.errors.DtypeError, match=r"vertex\.positions"):
        RaycastingScene().add_triangles(TRIANGLE[0])


def test_a_scene_prints_in_a_line():
    scene = RaycastingScene()
    scene.add_triangles(*TRIANGLE)
    scene.add_triangles(*cube())
    for _ in range(2):
        assert repr(scene) == "<RaycastingScene 2 geometries, 13 triangles>"
        scene.cast_rays([])


class NoArray:
    """As a tensor of torch with a gradient."""

    shape = (1, 6)

    def numpy(self):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def test_an_edge_that_open3d_counts_twice_is_hit_once(open3d):
    two_cubes = Both(open3d, [cube(), cube()])
    through_the_diagonals = np.float32([[0, 0, -9, 0, 0, 1]])
    ours, theirs = two_cubes.ask("count_intersections", through_the_diagonals)
    assert (ours.tolist(), theirs.tolist()) == ([4], [8])


def test_digits_that_float32_loses_are_kept():
    scene = RaycastingScene()
    scene.add_triangles(np.array(TRIANGLE[0]) + [0, 0, 1e7 + 0.25], TRIANGLE[1])
    assert scene.cast_rays([[0.25, 0.25, 0, 0, 0, 2]])["t_hit"].tolist() == [(1e7 + 0.25) / 2]


def test_a_hit_of_a_tiny_direction_is_inf_lengths_away_without_a_warning():
    scene = RaycastingScene()
    scene.add_triangles(*TRIANGLE)
    rays = [[0.25, 0.25, 1, 0, 0, way] for way in (-1e-320, -5e-324, -(2.0**-1000), 1e-320)]
    answer = scene.cast_rays(rays)
    assert answer["t_hit"].tolist() == [np.inf, np.inf, 2.0**1000, np.inf]
    assert answer["geometry_ids"].tolist() == [0, 0, 0, scene.INVALID_ID]
    listed = scene.list_intersections(rays)
    assert listed["t_hit"].tolist() == [np.inf, np.inf, 2.0**1000]
    assert listed["ray_ids"].tolist() == [0, 1, 2]


def test_lengths_beyond_float64_are_units_too():
    scene = RaycastingScene()
    scene.add_triangles(3 * 2.0**1000 * np.eye(3), [[0, 1, 2]])
    rays = [[0, 0, 0, *[1.5 * 2.0**1023] * 3]]
    for answer in (scene.cast_rays(rays), scene.list_intersections(rays)):
        np.testing.assert_allclose(answer["t_hit"], [2.0**-23 / 1.5], rtol=1e-15)


def test_floats_come_as_float32_if_asked():
    scene = RaycastingScene(dtype=np.float32)
    scene.add_triangles(*TRIANGLE)
    ray, point = [[0.25, 0.25, 1, 0, 0, -1]], [[0.0, 0.0, 1.0]]
    answers = {**scene.cast_rays(ray), **scene.list_intersections(ray)}
    answers |= scene.compute_closest_points(point)
    floats = {key: value.dtype for key, value in answers.items() if value.dtype.kind == "f"}
    assert set(floats.values()) == {np.dtype(np.float32)}
    assert len(floats) == 4
    for call in (scene.compute_distance, scene.compute_signed_distance, scene.compute_occupancy):
        assert call(point).dtype == np.float32
    with pytest.raises(sc.errors.DtypeError, match="float64 or float32"):
        RaycastingScene(dtype=np.int32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_answers_can_be_changed_as_those_of_open3d_can(dtype):
    scene = RaycastingScene(dtype=dtype)
    scene.add_triangles(*cube())
    points = DOWN[:, :3]
    dicts = [scene.cast_rays(DOWN), scene.list_intersections(DOWN)]
    dicts.append(scene.compute_closest_points(points))
    answers = [answer for each in dicts for answer in each.values()]
    answers += [scene.test_occlusions(DOWN), scene.count_intersections(DOWN)]
    answers += [scene.compute_distance(points), scene.compute_signed_distance(points)]
    answers += [scene.compute_occupancy(points)]
    answers += [scene.create_rays_pinhole(**VIEW, width_px=2, height_px=2)]
    for answer in answers:
        answer[:] = 0
        answer.numpy()[:] = 1


def test_geometries_are_added_between_questions():
    scene = RaycastingScene()
    ray = [[0.25, 0.25, 9, 0, 0, -1]]
    for k in range(4):
        assert scene.add_triangles(np.array(TRIANGLE[0]) + [0, 0, k], TRIANGLE[1]) == k
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


def away(offset, scale):
    """An extrinsic matrix that scales and moves."""
    matrix = np.diag([scale, scale, scale, 1.0])
    matrix[:3, 3] = offset
    return matrix


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
        (lambda s: s.cast_rays(NoArray()), r"rays is a NoArray whose numpy\(\) fails: Runt.*grad"),
        (lambda s: s.compute_distance(NoArray()), "query_points is a NoArray"),
        (lambda s: s.add_triangles(NoArray(), [[0, 1, 2]]), "vertex_positions is a NoArray"),
        (lambda s: s.add_triangles([[0, 0, 0]], NoArray()), "triangle_indices is a NoArray"),
        (lambda s: s.create_rays_pinhole(np.eye(3), NoArray(), 2, 2), "extrinsic_matrix is a No"),
        (
            lambda s: s.add_triangles(TRIANGLE[1], [[0.5, 1, 2]]),
            "triangle_indices must be integers",
        ),
        (lambda s: s.add_triangles([[0, 0, 0]], [[0, 0]]), "triangle_indices must have shape"),
        (lambda s: s.add_triangles([[0, 0]], [[0, 0, 0]]), "vertex_positions must have shape"),
        (lambda s: s.add_triangles([[0, 0, 0]], [[0, 0, 7]]), "there is 1 vertex"),
        (lambda s: s.add_triangles(), r"vertex\.positions"),
        (lambda s: s.create_rays_pinhole(0, (0, 0, 0), (0, 0, 1), (0, 1, 0), 2, 2), "fov_deg"),
        (lambda s: s.create_rays_pinhole(9, (0, 0, 0), (0, 1, 0), (0, 1, 0), 2, 2), "on a line"),
        (
            lambda s: s.create_rays_pinhole(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 0, 2),
            "width_px must be 1 or more",
        ),
        (
            lambda s: s.create_rays_pinhole(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 2**30, 2**30),
            "too large",
        ),
        (
            lambda s: s.create_rays_pinhole(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 10**400, 2),
            "width_px must be 2147483647 or less",
        ),
        (lambda s: s.create_rays_pinhole(np.eye(4), np.eye(4), 2, 2), "intrinsic_matrix"),
        (lambda s: s.create_rays_pinhole(np.eye(3), np.eye(4), 2, 2.5), "height_px"),
        (lambda s: s.create_rays_pinhole(np.eye(3), away(1e300, 1e-10), 2, 2), "beyond float64"),
        (
            lambda s: s.create_rays_pinhole(1e-300 * np.eye(3), away(0, 1e-9), 2, 2),
            "beyond float64",
        ),
        (lambda s: s.create_rays_pinhole(np.eye(3)), "intrinsic_matrix, extrinsic_matrix"),
    ],
)
def test_a_wrong_argument_is_a_named_error(call, words):
    with pytest.raises(sc.RaypickError, match=words):
        call(RaycastingScene())


def test_a_point_that_is_none_had_a_distance_of_inf():
    scene = RaycastingScene()
    scene.add_triangles(*cube())
    points = [[0.0, 0, 0], [np.nan, 0, 0]]
    for ask in (scene.compute_distance, scene.compute_signed_distance):
        assert np.isnan(ask(points)).tolist() == [False, True]


def test_an_empty_list_of_rays_is_none():
    scene = RaycastingScene()
    scene.add_triangles(*cube())
    assert scene.cast_rays([])["t_hit"].shape == scene.test_occlusions([]).shape == (0,)


@pytest.fixture
def values():
    """Numbers of all kinds, in a tensor (2, 3)."""
    return Tensor([[0.0, 1.5, np.inf], [-np.inf, np.nan, -2.0]])


@pytest.mark.parametrize("call", ["isfinite", "isinf", "isnan"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint32, np.int32, np.bool_])
def test_kinds_of_numbers_are_told_as_open3d_tells_them(open3d, values, call, dtype):
    given = values if np.dtype(dtype).kind == "f" else np.array([[0, 1, 1]])
    ours = getattr(Tensor(given.astype(dtype)), call)()
    theirs = getattr(open3d.core.Tensor(np.asarray(given, dtype=dtype)), call)()
    assert type(ours) is Tensor
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy(), strict=True)


def test_the_plain_array_shares_the_memory(values):
    plain = values.cpu().numpy()
    assert type(plain) is np.ndarray
    plain[0] = 7
    assert values[0].tolist() == [7, 7, 7]


def test_an_array_is_shared_and_one_that_is_read_only_is_copied():
    array = np.zeros(3)
    Tensor(array)[0] = 1
    assert array.tolist() == [1, 0, 0]
    array.flags.writeable = False
    Tensor(array)[1] = 1
    assert array.tolist() == [1, 0, 0]


@pytest.mark.parametrize("place", [(0, 1), (0, -2), (np.int64(0), 1), (0, 1, ...)])
def test_one_number_is_a_tensor_that_shares_the_memory_as_in_open3d(open3d, values, place):
    for one in (values[place], values[0][1]):
        assert type(one) is Tensor
        assert one.shape == tuple(open3d.core.Tensor(np.asarray(values))[0, 1].shape) == ()
        assert (one.item(), one.isfinite().item(), one == 1.5) == (1.5, True, True)
    values[place].numpy()[...] = 4
    assert values[0, 1] == 4


def test_all_else_is_as_of_an_array(values):
    plain = np.asarray(values)
    assert type(plain) is np.ndarray
    for ask in (
        lambda x: x[1:],
        lambda x: x[:, None],
        lambda x: x[x > 0],
        lambda x: x.T,
        lambda x: x.reshape(-1, 1) * 2,
        lambda x: np.where(x > 0, x, 0),
        lambda x: x[:, 0].max(),
        lambda x: x.tolist(),
        lambda x: copy.deepcopy(x),
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: list(x[0]),
        lambda x: [10, 11, 12][x[:, 1:].astype(int)[0, 0]],
        lambda x: f"{x[0, 1]:.2f}",
    ):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(ask(values), ask(plain))


def test_a_place_that_is_not_there_is_an_index_error(values):
    for place in (2, (0, 3), (0, 0, 0)):
        with pytest.raises(IndexError):
            values[place]


def test_one_number_is_looked_up_as_a_number(values):
    ids = Tensor(np.uint32([3, 0, 3]))
    assert set(ids) == {0, 3}
    assert {0: "cube", 3: "ball"}[ids[0]] == "ball"
    with pytest.raises(TypeError, match="of shape"):
        hash(ids)
