# SPDX-License-Identifier: GPL-3.0-or-later
"""Open3D's calls, compared one by one with Open3D itself; and where we are to differ."""

from itertools import pairwise

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.adapters.open3d import RaycastingScene

from ..meshes import UNIT_TRIANGLE as TRIANGLE
from ..meshes import cube, icosphere

# Numbers of order 10 as float32, after a few roundings.
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


class Both:
    """A scene of ours and one of Open3D with the same geometries, in numbers of float32."""

    def __init__(self, open3d, meshes):
        self.tensor = open3d.core.Tensor
        self.theirs = open3d.t.geometry.RaycastingScene()
        self.ours = RaycastingScene()
        self.exact = RaycastingScene(dtype=np.float64)
        for vertices, triangles in meshes:
            v, t = np.float32(vertices), np.uint32(triangles)
            ids = {each.add_triangles(v, t) for each in (self.theirs, self.ours, self.exact)}
            assert len(ids) == 1

    def ask(self, call, values, **options):
        """The answers of both to one call, as arrays: ours, theirs.

        Ours to an array, those to a tensor of Open3D and exact ones must be the same.
        """
        ours = getattr(self.ours, call)(values, **options)
        tensors = getattr(self.ours, call)(self.tensor(values), **options)
        exact = getattr(self.exact, call)(values, **options)
        theirs = getattr(self.theirs, call)(self.tensor(values), **options)
        if not isinstance(theirs, dict):
            self.assert_the_same(ours, tensors, exact)
            return ours.numpy(), theirs.numpy()
        for key, value in ours.items():
            self.assert_the_same(value, tensors[key], exact[key])
        return tuple({key: each.numpy() for key, each in a.items()} for a in (ours, theirs))

    def assert_the_same(self, *answers):
        """All are Open3D's tensors with the same numbers; the exact ones have more digits."""
        assert {type(answer) for answer in answers} == {self.tensor}
        assert all(answer.is_contiguous() for answer in answers)
        ours, tensor, exact = (answer.numpy() for answer in answers)
        np.testing.assert_array_equal(ours, tensor, strict=True)
        assert exact.dtype == (np.float64 if ours.dtype.kind == "f" else ours.dtype)
        np.testing.assert_array_equal(ours, exact.astype(ours.dtype), strict=True)


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
            (TRIANGLE[0] * 2 + [-5, 0, 0.7], TRIANGLE[1]),
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
    ids = np.stack([answer[f"{kind}_ids"].numpy() for kind in ("geometry", "primitive")], axis=1)
    return [ids[a:b].tobytes() for a, b in pairwise(answer["ray_splits"].numpy())]


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
    assert ours.dtype == theirs.dtype
    if theirs.dtype.kind == "f":
        np.testing.assert_allclose(ours, theirs, **CLOSE)
    else:
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
        assert ours[key].dtype == value.dtype
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
    sure = points[closed.ours.compute_distance(points).numpy() > 1e-4]
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


def test_rays_that_are_no_rays_miss_as_in_open3d(both):
    bad = np.float32([[0, 0, 9, 0, 0, 0], [np.nan, 0, 9, 0, 0, -1], [0, 0, 9, 0, 0, -1]])
    ours, theirs = both.ask("cast_rays", bad)
    assert ours["t_hit"].tolist()[:2] == [np.inf, np.inf]
    assert ours["t_hit"][2] < np.inf
    assert_alike(ours, theirs)


def test_an_edge_that_open3d_counts_twice_is_hit_once(open3d):
    two_cubes = Both(open3d, [cube(), cube()])
    through_the_diagonals = np.float32([[0, 0, -9, 0, 0, 1]])
    ours, theirs = two_cubes.ask("count_intersections", through_the_diagonals)
    assert (ours.tolist(), theirs.tolist()) == ([4], [8])


def test_digits_that_float32_loses_are_kept():
    scene = RaycastingScene(dtype=np.float64)
    scene.add_triangles(TRIANGLE[0] + [0, 0, 1e7 + 0.25], TRIANGLE[1])
    assert scene.cast_rays([[0.25, 0.25, 0, 0, 0, 2]])["t_hit"].tolist() == [(1e7 + 0.25) / 2]


def test_a_hit_of_a_tiny_direction_is_inf_lengths_away_without_a_warning():
    scene = RaycastingScene(dtype=np.float64)
    scene.add_triangles(*TRIANGLE)
    rays = [[0.25, 0.25, 1, 0, 0, way] for way in (-1e-320, -5e-324, -(2.0**-1000), 1e-320)]
    answer = scene.cast_rays(rays)
    assert answer["t_hit"].tolist() == [np.inf, np.inf, 2.0**1000, np.inf]
    assert answer["geometry_ids"].tolist() == [0, 0, 0, scene.INVALID_ID]
    listed = scene.list_intersections(rays)
    assert listed["t_hit"].tolist() == [np.inf, np.inf, 2.0**1000]
    assert listed["ray_ids"].tolist() == [0, 1, 2]


def test_lengths_beyond_float64_are_units_too():
    scene = RaycastingScene(dtype=np.float64)
    scene.add_triangles(3 * 2.0**1000 * np.eye(3), [[0, 1, 2]])
    rays = [[0, 0, 0, *[1.5 * 2.0**1023] * 3]]
    for answer in (scene.cast_rays(rays), scene.list_intersections(rays)):
        np.testing.assert_allclose(answer["t_hit"], [2.0**-23 / 1.5], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, "float64", np.float32, "f4", None])
def test_all_floats_have_the_type_that_is_asked_for(dtype):
    wanted = np.dtype("float32" if dtype is None else dtype)
    scene = RaycastingScene() if dtype is None else RaycastingScene(dtype=dtype)
    scene.add_triangles(*TRIANGLE)
    ray, point = [[0.25, 0.25, 1, 0, 0, -1]], [[0.0, 0.0, 1.0]]
    answers = {**scene.cast_rays(ray), **scene.list_intersections(ray)}
    answers |= scene.compute_closest_points(point)
    floats = {key: value.dtype for key, value in answers.items() if value.dtype.kind == "f"}
    assert set(floats.values()) == {wanted}
    assert len(floats) == 4
    for call in (scene.compute_distance, scene.compute_signed_distance, scene.compute_occupancy):
        assert call(point).dtype == wanted


def test_a_hit_further_away_than_float32_reaches_is_inf_lengths_away_but_no_miss():
    ray = [[0.25, 0.25, 1e200, 0, 0, -1]]
    for dtype, far in ((np.float64, 1e200), (np.float32, np.inf)):
        scene = RaycastingScene(dtype=dtype)
        scene.add_triangles(*TRIANGLE)
        answer = scene.cast_rays(ray)
        assert answer["t_hit"].tolist() == [far]
        assert answer["geometry_ids"].tolist() == [0]


@pytest.mark.parametrize("border", ["open", "closed"])
def test_rays_through_the_border_are_those_of_a_mesh(border):
    scene = RaycastingScene(border=border)
    scene.add_triangles(*TRIANGLE)
    origins = [(0.5, 0, 1), (0, 0.5, 1), (0.5, 0.5, 1), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
    wanted = sc.Mesh(*TRIANGLE, border=border).any_hit(origins, (0, 0, -1))
    assert wanted.all() == (border == "closed")
    rays = [(*origin, 0, 0, -1) for origin in origins]
    assert scene.test_occlusions(rays).tolist() == wanted.tolist()
    assert (scene.cast_rays(rays)["geometry_ids"] == 0).tolist() == wanted.tolist()


def test_a_point_that_is_none_had_a_distance_of_inf():
    scene = RaycastingScene()
    scene.add_triangles(*cube())
    points = [[0.0, 0, 0], [np.nan, 0, 0]]
    for ask in (scene.compute_distance, scene.compute_signed_distance):
        assert np.isnan(ask(points)).tolist() == [False, True]
