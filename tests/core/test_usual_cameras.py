# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras made of what people know of theirs, against the definitions of these numbers."""

import math

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

WIDTH, HEIGHT = 640, 360
each_convention = pytest.mark.parametrize("convention", ["opengl", "direct3d"])


def cameras_at_random(rng, convention):
    for _ in range(20):
        eye, target = rng.normal(size=(2, 3)) * 10
        fov = rng.uniform(0.1, 2.5)
        camera = sc.Camera.look_at(
            eye, target, WIDTH, HEIGHT, fov, convention=convention, near=0.5, far=50.0
        )
        yield camera, eye, target, fov


@each_convention
def test_the_target_is_in_the_middle_and_the_sky_above_it(rng, convention):
    higher = 1 if convention == "opengl" else -1
    for camera, eye, target, _ in cameras_at_random(rng, convention):
        assert camera.eye == pytest.approx(eye)
        assert camera.project(target)[:2] == pytest.approx((WIDTH / 2, HEIGHT / 2))
        x, y, _ = camera.project(target + (0, 0, 0.01))
        assert x == pytest.approx(WIDTH / 2)
        assert (y - HEIGHT / 2) * higher > 0


@each_convention
def test_what_is_right_of_the_way_is_right_in_the_picture(rng, convention):
    for camera, eye, target, _ in cameras_at_random(rng, convention):
        right = np.cross(target - eye, (0, 0, 1))
        assert camera.project(target + 0.01 * right)[0] > WIDTH / 2


@each_convention
def test_the_angle_is_that_between_the_lower_and_the_upper_edge(rng, convention):
    for camera, _, _, fov in cameras_at_random(rng, convention):
        low, high = (camera.ray(WIDTH / 2, y).direction for y in (0, HEIGHT))
        assert math.acos(low @ high) == pytest.approx(fov)
        # Pixels are square: as far from the middle to the side, it is the same angle.
        beside = camera.ray(WIDTH / 2 + HEIGHT / 2, HEIGHT / 2).direction
        middle = camera.ray(WIDTH / 2, HEIGHT / 2).direction
        assert math.acos(beside @ middle) == pytest.approx(fov / 2)


@each_convention
def test_near_and_far_have_the_first_and_the_last_depth_and_turn_no_ray(rng, convention):
    first = -1.0 if convention == "opengl" else 0.0
    for camera, eye, target, fov in cameras_at_random(rng, convention):
        forward = (target - eye) / np.linalg.norm(target - eye)
        assert camera.project(eye + 0.5 * forward)[2] == pytest.approx(first)
        assert camera.project(eye + 50.0 * forward)[2] == pytest.approx(1.0)
        other = sc.Camera.look_at(eye, target, WIDTH, HEIGHT, fov, convention=convention)
        assert other.ray(3, 5) == camera.ray(3, 5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": (0, 0, 5)}, r"eye and target must differ, not both be \[0.0, 0.0, 5.0\]"),
        ({"target": (0, 0, 0)}, r"up, \[0.0, 0.0, 1.0\], is along the view.*\(0.0, 1.0, 0.0\)"),
        ({"target": (3, 0, 5), "up": (-2, 0, 0)}, r"is along the view.*\(0.0, 0.0, 1.0\)"),
        ({"eye": (0.1, 0.2, 0.3), "target": (0.4, 0.8, 1.2), "up": (0.1, 0.2, 0.3)}, "along"),
        ({"up": (0, 0, 0)}, "up must be a direction"),
        ({"target": (1e308, 1e308, 1e308), "eye": (-1e308, 0, 0)}, "1e308"),
        ({"fov": 60}, "in radians, above 0 and below pi, not 60: math.radians converts"),
        ({"fov": 60, "target": (0, 0, 0)}, "in radians"),
        ({"fov": 0}, "above 0"),
        ({"fov": np.nan}, "fov is not finite"),
        ({"fov": 5e-324}, "above 0"),
        ({"fov": math.pi}, "below pi"),
        ({"fov": math.nextafter(math.pi, 0)}, "below pi"),
        ({"width": 1e-300, "height": 1e300}, "projection of these numbers is not finite"),
        ({"near": 0}, "near must be above 0 and below far, not 0 with far 1000"),
        ({"near": 5, "far": 5}, "below far"),
        ({"width": 0}, "width must be above 0"),
        ({"convention": "vulkan"}, 'convention must be "opengl" or "direct3d"'),
        ({"eye": (0, np.nan, 5)}, "eye is not finite"),
    ],
)
def test_a_camera_that_cannot_look_is_refused_in_words(given, words):
    usual = {"eye": (0, 0, 5), "target": (1, 0, 0), "width": 8, "height": 6, "fov": 1.0}
    with pytest.raises(errors.ArgumentError, match=words):
        sc.Camera.look_at(**{**usual, **given})


def random_rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def test_a_pinhole_camera_shows_points_where_its_matrices_put_them(rng):
    for _ in range(20):
        intrinsic = np.array([[rng.uniform(100, 900), rng.uniform(-5, 5), rng.uniform(200, 400)],
                              [0, rng.uniform(100, 900), rng.uniform(100, 200)],
                              [0, 0, 1]])  # fmt: skip
        extrinsic = np.eye(4)
        extrinsic[:3, :3], extrinsic[:3, 3] = random_rotation(rng), rng.normal(size=3)
        camera = sc.Camera.pinhole(intrinsic, WIDTH, HEIGHT, extrinsic, near=0.5, far=50.0)
        in_camera = rng.uniform((-5, -5, 0.5), (5, 5, 50), (30, 3))
        points = (in_camera - extrinsic[:3, 3]) @ extrinsic[:3, :3]
        pixels = in_camera @ intrinsic.T
        pixels = pixels[:, :2] / pixels[:, 2:]
        x, y, depth = camera.project(points)
        assert np.stack([x, y], axis=1) == pytest.approx(pixels)
        assert ((depth >= 0) & (depth <= 1)).all()
        rays = camera.rays(x, y)
        along = points - rays.origins
        assert np.cross(along, rays.directions) == pytest.approx(np.zeros((30, 3)), abs=1e-9)
        assert ((along * rays.directions).sum(axis=1) > 0).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"intrinsic": np.eye(4)}, r"intrinsic must have shape \(3, 3\)"),
        ({"intrinsic": [[5, 0, 4], [0, 5, 3], [0, 0, 2]]}, "intrinsic must have .0, 0, 1. for"),
        ({"intrinsic": [[5, 0, 4], [0, 0, 3], [0, 0, 1]]}, "intrinsic has a column of zeros"),
        ({"extrinsic": np.eye(4)[:3]}, r"extrinsic must have shape \(4, 4\)"),
        ({"extrinsic": np.zeros((4, 4))}, "extrinsic must be affine"),
        ({"width": 1e-310}, "projection of these numbers is not finite"),
        ({"height": -1}, "height must be above 0"),
        ({"near": -1}, "near must be above 0"),
    ],
)
def test_a_pinhole_camera_of_other_matrices_is_refused_in_words(given, words):
    usual = {"intrinsic": [[5, 0, 4], [0, 5, 3], [0, 0, 1]], "width": 8, "height": 6}
    with pytest.raises(errors.ArgumentError, match=words):
        sc.Camera.pinhole(**{**usual, **given})


def test_a_pinhole_camera_of_a_transposed_matrix_is_refused_with_what_to_do():
    moved = np.eye(4)
    moved[:3, 3] = 1, 2, 3
    with pytest.raises(errors.ArgumentError, match=r"transpose it$"):
        sc.Camera.pinhole([[5, 0, 4], [0, 5, 3], [0, 0, 1]], 8, 6, moved.T)
