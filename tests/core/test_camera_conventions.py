# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way is up, what depth means, the tutorial's formulas, and what is refused."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes, oracle
from .cameras import (
    HEIGHT,
    PROJECTIONS,
    WIDTH,
    camera,
    direct3d_perspective,
    orthographic,
    perspective,
    random_view,
)

each_kind = pytest.mark.parametrize("kind", PROJECTIONS, ids=" ".join)


def screen_to_view(projection, x, y):
    """The Direct3D tutorial's px, py: where the ray meets the plane z = 1 of the view space."""
    p00, p11 = projection[0, 0], projection[1, 1]
    return (2 * x / WIDTH - 1) / p00, (-2 * y / HEIGHT + 1) / p11


def test_screen_to_view_px_is_2x_over_w_minus_1_over_p00_and_py_is_minus_2y_over_h_plus_1_over_p11(
    rng,
):
    projection = direct3d_perspective()
    view_space = sc.Camera(np.eye(4), projection, WIDTH, HEIGHT, "direct3d")
    for x, y in rng.uniform(0, 1, (50, 2)) * (WIDTH, HEIGHT):
        ray = view_space.ray(x, y)
        assert ray.origin.tolist() == [0, 0, 0]
        px, py = screen_to_view(projection, x, y)
        np.testing.assert_allclose(ray.direction / ray.direction[2], (px, py, 1), atol=1e-14)


def test_world_ray_is_the_view_ray_moved_by_the_inverse_view_matrix(rng):
    projection = direct3d_perspective()
    for _ in range(20):
        view = random_view(rng)
        x, y = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT)
        world = oracle.inverse(oracle.exact(view))
        px, py = screen_to_view(projection, x, y)
        direction = oracle.apply(world, oracle.exact((px, py, 1.0, 0.0)))[:3]
        eye = tuple(row[3] for row in world[:3])
        ray = sc.Camera(view.T, projection, WIDTH, HEIGHT, "direct3d").ray(x, y)
        expected = oracle.scaled(direction, 1 / oracle.length(direction))
        np.testing.assert_allclose(ray.direction, oracle.approximate(expected), atol=1e-14)
        np.testing.assert_allclose(ray.origin, oracle.approximate(eye), atol=1e-13)


@pytest.mark.parametrize(("convention", "top"), [("opengl", HEIGHT), ("direct3d", 0.0)])
def test_opengl_counts_pixels_from_the_bottom_and_direct3d_from_the_top(convention, top):
    view = camera((convention, "perspective"), np.eye(4))
    assert view.ray(0, top).direction[1] > 0
    assert view.ray(0, top).direction[0] < 0
    assert view.ray(WIDTH, HEIGHT - top).direction[1] < 0
    assert view.ray(WIDTH, HEIGHT - top).direction[0] > 0


@pytest.mark.parametrize(("convention", "forward"), [("opengl", -1), ("direct3d", 1)])
@pytest.mark.parametrize("kind", ["perspective", "orthographic"])
def test_the_middle_pixel_looks_straight_ahead(convention, forward, kind):
    ray = camera((convention, kind), np.eye(4)).ray(WIDTH / 2, HEIGHT / 2)
    assert ray.direction.tolist() == [0, 0, forward]


@each_kind
def test_depth_runs_from_near_to_far_by_the_convention(kind):
    view = camera(kind, np.eye(4), near=2.0, far=50.0)
    forward = np.array((0, 0, -1 if kind[0] == "opengl" else 1))
    near, middle, far = (view.project(z * forward)[2] for z in (2, 20, 50))
    assert near == pytest.approx(-1 if kind[0] == "opengl" else 0, abs=1e-14)
    assert far == pytest.approx(1, abs=1e-14)
    assert near < middle < far


@each_kind
def test_the_corners_of_the_viewport_are_the_corners_of_the_clip_space(kind):
    view = camera(kind, np.eye(4), lens=0.5, aspect=1.0, near=1.0, far=9.0)
    forward = -1 if kind[0] == "opengl" else 1
    x, y, _ = view.project((2, 2, forward))
    assert (x, y) == pytest.approx((WIDTH, HEIGHT if kind[0] == "opengl" else 0))


def test_both_conventions_see_the_same_world(rng):
    view = random_view(rng)
    mirror = np.diag([1.0, 1, -1, 1])
    opengl = sc.Camera(view, perspective(), WIDTH, HEIGHT)
    direct3d = sc.Camera((mirror @ view).T, direct3d_perspective(), WIDTH, HEIGHT, "direct3d")
    for x, y in rng.uniform(0, 1, (20, 2)) * (WIDTH, HEIGHT):
        one, other = opengl.ray(x, y), direct3d.ray(x, HEIGHT - y)
        np.testing.assert_allclose(one.direction, other.direction, atol=1e-14)
        np.testing.assert_allclose(one.origin, other.origin, atol=1e-13)


@each_kind
def test_mouse_point_on_any_plane_is_on_the_plane_and_under_the_mouse(rng, kind):
    view = camera(kind, random_view(rng))
    found = 0
    for _ in range(50):
        x, y = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT)
        ray = view.ray(x, y)
        plane = sc.Plane.from_point_normal(ray.at(rng.normal(2, 5)), rng.normal(size=3))
        n, d = oracle.exact(plane.normal), oracle.exact(ray.direction)
        start = oracle.dot(n, oracle.exact(ray.origin)) + oracle.exact(plane.offset)
        t = -start / oracle.dot(n, d)
        point = view.point_on_plane(x, y, plane)
        assert (point is None) == (t < 0)
        if point is not None:
            found += 1
            far = 1 + abs(float(t))
            assert abs(plane.signed_distance(point)) <= 1e-13 * far
            np.testing.assert_allclose(view.project(point)[:2], (x, y), atol=1e-7)
    assert 10 < found < 50


def test_mouse_point_on_a_plane_that_the_ray_does_not_meet_is_none():
    view = sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT)
    x, y = WIDTH / 2, HEIGHT / 2
    assert view.point_on_plane(x, y, sc.Plane((0, 0, 1), -5)) is None
    assert view.point_on_plane(x, y, sc.Plane((0, 1, 0), 3)) is None
    np.testing.assert_allclose(view.point_on_plane(x, y, sc.Plane((0, 0, 1), 5)), (0, 0, -5))


def test_dragging_on_a_plane_keeps_the_point_under_the_mouse(rng):
    view = sc.Camera(random_view(rng), perspective(), WIDTH, HEIGHT)
    middle = view.ray(WIDTH / 2, HEIGHT / 2)
    facing = sc.Plane.from_point_normal(middle.at(5.0), middle.direction)
    for step in range(20):
        x, y = 100 + 80 * step, 50 + 40 * step
        point = view.point_on_plane(x, y, facing)
        np.testing.assert_allclose(view.project(point)[:2], (x, y), atol=1e-8)


def test_a_point_in_the_plane_of_the_eye_is_seen_nowhere():
    seen = sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT).project([(1, 1, 0), (0, 0, -1)])
    assert np.isnan([column[0] for column in seen]).all()
    assert np.isfinite([column[1] for column in seen]).all()


def test_a_point_behind_the_eye_has_a_depth_beyond_the_clip_planes():
    view = sc.Camera(np.eye(4), perspective(near=0.1, far=100), WIDTH, HEIGHT)
    assert view.project((0, 0, 5))[2] > 1


SINGULAR = np.diag([1.0, 1, 0, 1])
SHEARED = meshes.placement([[1, 2, 3], [2, 4, 6], [0, 0, 1]])


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"view": SINGULAR}, errors.SingularMatrixError, "view"),
        ({"view": SHEARED}, errors.SingularMatrixError, "view.*dependent"),
        ({"projection": SINGULAR}, errors.SingularMatrixError, "projection"),
        ({"projection": np.zeros((4, 4))}, errors.SingularMatrixError, "projection"),
        ({"view": np.eye(3)}, errors.ShapeError, "view must have shape"),
        ({"projection": np.eye(4)[:3]}, errors.ShapeError, "projection must have shape"),
        ({"view": np.full((4, 4), np.nan)}, errors.NonFiniteError, "view is not finite"),
        ({"view": perspective()}, errors.ArgumentError, "view"),
        ({"width": 0}, errors.ArgumentError, "width must be above 0"),
        ({"width": -5}, errors.ArgumentError, "width"),
        ({"height": np.nan}, errors.ArgumentError, "height"),
        ({"height": np.inf}, errors.ArgumentError, "height"),
        ({"convention": "vulkan"}, errors.ArgumentError, "convention.*vulkan"),
    ],
)
def test_a_bad_camera_is_refused_with_its_reason(change, error, words):
    good = {"view": np.eye(4), "projection": perspective(), "width": WIDTH, "height": HEIGHT}
    with pytest.raises(error, match=words):
        sc.Camera(**{**good, **change})


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_a_tiny_or_huge_scale_is_no_singular_matrix(scale):
    view = np.diag([scale, scale, scale, 1])
    sc.Camera(view, orthographic(lens=scale), WIDTH, HEIGHT).ray(1, 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_pixels_and_depths_must_be_finite(bad):
    view = sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT)
    with pytest.raises(errors.NonFiniteError, match="x is not finite"):
        view.ray(bad, 0)
    with pytest.raises(errors.NonFiniteError, match="y is not finite"):
        view.ray(0, bad)
    with pytest.raises(errors.NonFiniteError, match="depth is not finite"):
        view.unproject(0, 0, bad)


@pytest.mark.parametrize("convention", ["opengl", "direct3d"])
def test_parallel_rays_of_a_projection_with_a_divide(convention):
    """All rays meet at infinity though w is not constant: x and w are divided alike."""
    projection = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.5, 0, 0, 1]], dtype=float)
    if convention == "direct3d":
        projection = projection.T
    camera = sc.Camera(np.eye(4), projection, 100, 100, convention)
    assert not camera.is_perspective
    for point in ((0.3, 0.2, 0.4), (-0.5, 0.1, 0.9)):
        x, y, depth = camera.project(point)
        ray = camera.ray(x, y)
        assert ray.direction.tolist() == [0, 0, 1]
        assert np.cross(np.array(point) - ray.origin, ray.direction) == pytest.approx(np.zeros(3))
        assert camera.unproject(x, y, depth) == pytest.approx(point, abs=1e-14)
