# SPDX-License-Identifier: MIT
"""Rays through the pixels of a camera, given in Open3D's ways."""

import inspect
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments, matrices
from ..errors import ArgumentError, DegenerateError, NonFiniteError
from ..numerics import arrays
from ..numerics.arrays import FloatArray
from ..numerics.vectors import matmul
from .reading import array_of, count


def pinhole_rays(
    values: tuple[Any, ...], named: dict[str, Any], dtype: np.dtype[Any]
) -> npt.NDArray[Any]:
    """Rays (H, W, 6) by the arguments of ``create_rays_pinhole``, which has two kinds of them."""
    for make in (_by_matrices, _by_view):
        try:
            given = inspect.signature(make).bind(*values, **named).arguments
        except TypeError:
            continue
        with np.errstate(over="ignore"):
            rays = make(**{name: array_of(value, name) for name, value in given.items()})
            rays = rays.astype(dtype, copy=False)
        if not (np.isfinite(rays).all() and rays[..., 3:].any(axis=-1).all()):
            raise NonFiniteError(f"the camera leads to rays beyond {dtype}")
        return rays
    raise ArgumentError(
        "a camera is given by intrinsic_matrix, extrinsic_matrix, width_px, height_px; "
        "or by fov_deg, center, eye, up, width_px, height_px"
    )


def _by_matrices(
    intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) in world space through the pixel centers, with directions of depth 1.

    The intrinsic matrix leads from camera space to pixels, the extrinsic one from world to camera.
    """
    intrinsic = arguments.finite_floats(intrinsic_matrix, "intrinsic_matrix", (3, 3))
    extrinsic = matrices.matrix4(extrinsic_matrix, "extrinsic_matrix", takes_convention=False)
    to_camera = matrices.inverse(intrinsic, "intrinsic_matrix")
    to_world = matrices.affine_inverse(extrinsic, "extrinsic_matrix")
    return _rays(to_world[:3, 3], to_world[:3, :3], to_camera, width_px, height_px)


def _by_view(
    fov_deg: Any, center: Any, eye: Any, up: Any, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) in world space from an eye through an image centered on a point."""
    fov = float(arguments.finite_floats(fov_deg, "fov_deg", ()))
    if not 0.0 <= fov < 180.0:
        raise ArgumentError(f"fov_deg must be 0 or more and below 180, not {fov}")
    place, target = arguments.point(eye, "eye"), arguments.point(center, "center")
    forward = arrays.normalized(arrays.scaled_edges(place, target, target)[0])
    upward = arguments.point(up, "up")
    right = arrays.normalized(
        arrays.cross(upward / arrays.power_of_two(np.abs(upward).max()), forward)
    )
    to_world = np.stack([right, arrays.cross(forward, right), forward], axis=1)
    if not np.isfinite(to_world).all():
        raise DegenerateError("center, eye and up must not lie on a line")
    width, height = count(width_px, "width_px"), count(height_px, "height_px")
    half = math.tan(math.radians(fov) / 2)
    pixel = 2 * half / width  # the size of a pixel at depth 1
    to_camera = np.array([[pixel, 0, -half], [0, pixel, -0.5 * height * pixel], [0, 0, 1]])
    return _rays(place, to_world, to_camera, width, height)


def _rays(
    place: FloatArray, to_world: FloatArray, to_camera: FloatArray, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) from a place, by matrices (3, 3) from camera to world and pixel to camera."""
    width, height = count(width_px, "width_px"), count(height_px, "height_px")
    try:
        rays = np.empty((height, width, 6))
    except ValueError:
        raise ArgumentError(f"width_px {width} and height_px {height} are too large") from None
    x, y = np.arange(width) + 0.5, np.arange(height)[:, None] + 0.5
    rays[..., :3] = place
    with np.errstate(over="ignore", invalid="ignore"):
        a, b, c = matmul(to_world, to_camera).T
        rays[..., 3:] = x[..., None] * a + y[..., None] * b + c
    return rays
