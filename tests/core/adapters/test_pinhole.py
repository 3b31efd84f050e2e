# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras given as for Open3D, and their rays beside Open3D's."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.adapters.open3d import RaycastingScene

VIEW = {"fov_deg": 60, "center": [1, 0, 0], "eye": [1, 3, 6], "up": [0, 1, 0]}


CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def test_pinhole_rays_by_matrices_are_those_of_open3d(open3d, rng):
    intrinsic = np.array([[500.0, 0.7, 31.5], [0, 470.0, 20.25], [0, 0, 1]])
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    extrinsic[:3, :3] *= np.sign(np.linalg.det(extrinsic[:3, :3]))
    extrinsic[:3, 3] = 1, 2, 3
    names = {"intrinsic_matrix": intrinsic, "extrinsic_matrix": extrinsic}
    ours = assert_rays_alike(open3d, names, {"width_px": 64, "height_px": 40})
    tensors = [open3d.core.Tensor(matrix) for matrix in names.values()]
    by_tensors = RaycastingScene.create_rays_pinhole(*tensors, 64, 40)
    np.testing.assert_array_equal(by_tensors.numpy(), ours, strict=True)


@pytest.mark.parametrize("fov_deg", [50.0, 1, 0, 170])
def test_pinhole_rays_by_a_view_are_those_of_open3d(open3d, fov_deg):
    view = {"fov_deg": fov_deg, "center": [0.1, 0.2, 0.3], "eye": [3, -4, 2.0], "up": [0, 0.1, 1]}
    assert_rays_alike(open3d, view, {"width_px": 30, "height_px": 20})


def assert_rays_alike(open3d, camera, size):
    """By name and by position, of float32 and of float64 with more digits; returns the first."""
    make = RaycastingScene.create_rays_pinhole
    ours = make(**camera, **size)
    theirs = open3d.t.geometry.RaycastingScene.create_rays_pinhole(**camera, **size)
    assert type(ours) is type(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    ours = ours.numpy()
    np.testing.assert_allclose(ours, theirs.numpy(), **CLOSE)
    by_position = make(*camera.values(), *size.values()).numpy()
    np.testing.assert_array_equal(ours, by_position, strict=True)
    exact = make(**camera, **size, dtype=np.float64).numpy()
    assert exact.dtype == np.float64
    np.testing.assert_array_equal(ours, exact.astype(np.float32), strict=True)
    return ours


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
        view = (fov_deg, center, eye, up, 4, 4)
        return RaycastingScene.create_rays_pinhole(*view, dtype=np.float64)[..., 3:]

    wanted = directions(1, [1, 1, 0])
    for half in (1e308, 1.0, 5e-324):
        for size in (1.7e308, 1.0, 1e-320):
            np.testing.assert_allclose(directions(half, [size, size, 0]), wanted, rtol=1e-15)
    assert np.isfinite(directions(1e308, [0, 1, 0], 179.9999999999)).all()


class NoArray:
    """As a tensor of torch with a gradient."""

    shape = (1, 6)

    def numpy(self):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def away(offset, scale):
    """An extrinsic matrix that scales and moves."""
    matrix = np.diag([scale, scale, scale, 1.0])
    matrix[:3, 3] = offset
    return matrix


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda make: make(-1, (0, 0, 0), (0, 0, 1), (0, 1, 0), 2, 2), "fov_deg"),
        (lambda make: make(180, (0, 0, 0), (0, 0, 1), (0, 1, 0), 2, 2), "fov_deg"),
        (lambda make: make(9, (0, 0, 0), (0, 1, 0), (0, 1, 0), 2, 2), "on a line"),
        (lambda make: make(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 0, 2), "width_px must be 1 or more"),
        (lambda make: make(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 2**30, 2**30), "too large"),
        (
            lambda make: make(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 10**400, 2),
            "width_px must be 2147483647 or less",
        ),
        (lambda make: make(np.eye(4), np.eye(4), 2, 2), "intrinsic_matrix"),
        (lambda make: make(np.eye(3), np.eye(4), 2, 2.5), "height_px"),
        (lambda make: make(np.eye(3), away(1e300, 1e-10), 2, 2, dtype="f8"), "beyond float64"),
        (lambda make: make(1e-300 * np.eye(3), away(0, 1e-9), 2, 2, dtype="f8"), "beyond float64"),
        (lambda make: make(np.eye(3), NoArray(), 2, 2), "extrinsic_matrix is a NoArray"),
        (lambda make: make(np.eye(3)), "intrinsic_matrix, extrinsic_matrix"),
        (lambda make: make(np.eye(3), away(1e50, 1), 2, 2), "beyond float32"),
        (lambda make: make(np.eye(3), away(0, 1e50), 2, 2), "beyond float32"),
        (lambda make: make(9, (0, 0, 0), (0, 0, 1), (0, 1, 0), 2, 2, dtype=int), "dtype must be"),
    ],
)
def test_a_camera_that_is_none_is_a_named_error(call, words):
    with pytest.raises(sc.RaypickError, match=words):
        call(RaycastingScene.create_rays_pinhole)
