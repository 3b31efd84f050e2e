# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc

from . import meshes, oracle
from .cameras import HEIGHT, PROJECTIONS, WIDTH, ExactCamera, camera, perspective, random_view

each_kind = pytest.mark.parametrize("kind", PROJECTIONS, ids=" ".join)
SHIFTS = [(0.0, 0.0), (0.3, -0.7)]
each_shift = pytest.mark.parametrize("shift", SHIFTS, ids=["centred", "off-centre"])
DISTANCES = [10.0, 1e4, 1e7]


def pixels(rng, count=20):
    return rng.uniform(-0.2, 1.2, (count, 2)) * (WIDTH, HEIGHT)


def cameras(rng, kind, **options):
    """Random cameras of a kind with their exact counterparts, near and far away."""
    for distance in DISTANCES:
        view = random_view(rng, distance)
        yield camera(kind, view, **options), ExactCamera(kind, view, **options), distance


def ends(kind):
    """The depths of the near and the far clip plane."""
    return (-1, 1) if kind[0] == "opengl" else (0, 1)


def off_the_line(point, start, end):
    """How far a point is from the line through two exact points."""
    along = oracle.sub(end, start)
    way = oracle.sub(oracle.exact(point), start)
    return float(oracle.length(oracle.cross(way, along)) / oracle.length(along))


@each_kind
@each_shift
def test_screen_point_to_world_ray_is_the_line_from_near_to_far(rng, kind, shift):
    for view, exact, distance in cameras(rng, kind, shift=shift):
        for x, y in pixels(rng):
            ray = view.ray(x, y)
            near, far = (exact.unproject(x, y, depth) for depth in ends(kind))
            for t in (0.0, 100.0):
                assert off_the_line(ray.at(t), near, far) <= 1e-13 * (100 + distance)
            assert oracle.dot(oracle.exact(ray.direction), oracle.sub(far, near)) > 0


@each_kind
def test_a_ray_among_many_has_the_bits_that_it_has_alone(rng, kind):
    view = camera(kind, random_view(rng, 10.0), shift=(0.3, -0.7))
    x, y = rng.uniform(0, 500, 300), rng.uniform(0, 500, 300)  # several blocks as a grid
    grid, pairs = view.rays(x, y[:, None]), view.rays(np.repeat(x, 300), np.tile(y, 300))
    for column, row in rng.integers(0, 300, (20, 2)):
        ray = view.ray(x[column], y[row])
        for many, place in ((grid, (row, column)), (pairs, 300 * column + row)):
            assert many.directions[place].tobytes() == ray.direction.tobytes()
            assert many.origins[place].tolist() == pytest.approx(ray.origin.tolist(), abs=1e-12)


@each_kind
@each_shift
def test_project_a_world_point_to_the_screen(rng, kind, shift):
    for view, exact, distance in cameras(rng, kind, shift=shift):
        for x, y in pixels(rng):
            point = view.ray(x, y).at(float(rng.uniform(1, 60)))
            expected = oracle.approximate(exact.project(point))
            tolerance = 1e-11 * (10 + distance)
            assert view.project(point)[:2] == pytest.approx(expected[:2], abs=tolerance)
            assert view.project(point)[2] == pytest.approx(expected[2], abs=tolerance)


@each_kind
@each_shift
def test_unproject_a_screen_point_at_a_depth(rng, kind, shift):
    for view, exact, distance in cameras(rng, kind, shift=shift):
        for x, y in pixels(rng):
            for depth in (*ends(kind), 0.5, 0.9):
                point = view.unproject(x, y, depth)
                expected = oracle.approximate(exact.unproject(x, y, depth))
                np.testing.assert_allclose(point, expected, rtol=0, atol=1e-11 * (1 + distance))


@each_kind
@each_shift
def test_project_and_ray_are_inverse_to_a_billionth_of_the_depth(rng, kind, shift):
    for view, _, distance in cameras(rng, kind, shift=shift):
        for x, y in pixels(rng):
            ray = view.ray(x, y)
            for depth in (1.0, 50.0):
                point = ray.at(depth)
                again = view.ray(*view.project(point)[:2])
                beside = np.linalg.norm(np.cross(point - again.origin, again.direction))
                assert beside <= 1e-9 * max(depth, distance * 1e-6)


@each_kind
@each_shift
def test_unproject_of_project_is_the_point(rng, kind, shift):
    for view, _, distance in cameras(rng, kind, shift=shift):
        for x, y in pixels(rng):
            point = view.ray(x, y).at(float(rng.uniform(1, 60)))
            again = view.unproject(*view.project(point))
            np.testing.assert_allclose(again, point, rtol=0, atol=1e-9 * (1 + distance / 100))


@pytest.mark.parametrize("kind", [k for k in PROJECTIONS if k[1] == "perspective"], ids=" ".join)
@each_shift
def test_perspective_rays_start_at_the_eye_the_translation_of_the_inverse_view(rng, kind, shift):
    for view, exact, distance in cameras(rng, kind, shift=shift):
        eye = oracle.approximate(exact.eye())
        assert view.is_perspective
        np.testing.assert_allclose(view.eye, eye, rtol=0, atol=1e-14 * (10 + 10 * distance))
        for x, y in pixels(rng, 3):
            np.testing.assert_array_equal(view.ray(x, y).origin, view.eye)


@pytest.mark.parametrize("kind", [k for k in PROJECTIONS if k[1] == "orthographic"], ids=" ".join)
@each_shift
def test_orthographic_rays_are_parallel_and_start_on_the_near_clip_plane(rng, kind, shift):
    for view, exact, distance in cameras(rng, kind, shift=shift):
        assert not view.is_perspective
        assert view.eye is None
        for x, y in pixels(rng):
            ray = view.ray(x, y)
            start = oracle.approximate(exact.unproject(x, y, ends(kind)[0]))
            np.testing.assert_allclose(ray.origin, start, rtol=0, atol=1e-13 * (100 + distance))
            np.testing.assert_allclose(ray.direction, view.ray(0, 0).direction, atol=1e-15)


@pytest.mark.parametrize("near", [1e-3, 1e-6])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("kind", [k for k in PROJECTIONS if k[1] == "perspective"], ids=" ".join)
def test_a_huge_clip_range_costs_the_pick_ray_no_precision(rng, kind, near, far):
    view = random_view(rng)
    camera_, usual = camera(kind, view, near=near, far=far), camera(kind, view)
    for x, y in pixels(rng):
        ray, reference = camera_.ray(x, y), usual.ray(x, y)
        np.testing.assert_allclose(ray.origin, reference.origin, rtol=0, atol=1e-13)
        np.testing.assert_allclose(ray.direction, reference.direction, rtol=0, atol=1e-15)
        point = ray.at(1e5)
        assert camera_.project(point)[:2] == pytest.approx((x, y), abs=1e-7)


@pytest.mark.parametrize("far", [1e5, 1e6, 1e9])
def test_an_orthographic_ray_has_no_lateral_error_however_far_the_clip_plane(rng, far):
    kind = ("opengl", "orthographic")
    view = meshes.placement(meshes.rotation(rng))
    wide, usual = (camera(kind, view, near=-f, far=f) for f in (far, 1.0))
    for x, y in pixels(rng):
        ray, reference = wide.ray(x, y), usual.ray(x, y)
        np.testing.assert_allclose(ray.direction, reference.direction, rtol=0, atol=1e-15)
        back = ray.at(np.dot(reference.origin - ray.origin, ray.direction))
        np.testing.assert_allclose(back, reference.origin, rtol=0, atol=1e-15 * far)


def test_many_pixels_give_the_same_rays_as_one_by_one(rng):
    for kind in PROJECTIONS:
        view = camera(kind, random_view(rng))
        x, y = pixels(rng).T
        origins, directions = view.rays(x, y)
        assert origins.shape == directions.shape == (20, 3)
        for i in range(20):
            np.testing.assert_allclose(origins[i], view.ray(x[i], y[i]).origin, atol=1e-12)
            np.testing.assert_allclose(directions[i], view.ray(x[i], y[i]).direction, atol=1e-15)


def test_pixels_points_and_depths_broadcast(rng):
    view = camera(("opengl", "perspective"), random_view(rng))
    x, y, depth = np.array([1.0, 2, 3]), 5.0, np.array([[0.1], [0.9]])
    points = view.unproject(x, y, depth)
    assert points.shape == (2, 3, 3)
    seen_x, seen_y, seen_depth = view.project(points)
    np.testing.assert_allclose(seen_x, np.broadcast_to(x, (2, 3)), atol=1e-8)
    np.testing.assert_allclose(seen_y, 5.0, atol=1e-8)
    np.testing.assert_allclose(seen_depth, np.broadcast_to(depth, (2, 3)), atol=1e-9)


def test_a_scaled_view_gives_rays_of_unit_direction(rng):
    view = random_view(rng) @ np.diag([3, 3, 3, 1])
    ray = sc.Camera(view, perspective(), WIDTH, HEIGHT).ray(100, 200)
    assert np.linalg.norm(ray.direction) == pytest.approx(1, rel=1e-15)
