# SPDX-License-Identifier: MIT
"""Rays of a pinhole camera, in the conventions of Open3D and OpenCV: x right, y down, z forward."""

import inspect
import math
from typing import Any

import numpy as np

from .. import arguments, matrices
from ..errors import ArgumentError, DegenerateError, NonFiniteError
from ..numerics.arrays import FloatArray, cross, normalized, power_of_two, scaled_edges
from ..numerics.linear import matmul
from .reading import array_of, count


def rays(*values: Any, **named: Any) -> FloatArray:
    """Rays (H, W, 6) by the arguments of :func:`rays_by_matrices` or of :func:`rays_by_view`."""
    for make in (rays_by_matrices, rays_by_view):
        try:
            given = inspect.signature(make).bind(*values, **named)
        except TypeError:
            continue
        return make(**{name: array_of(value, name) for name, value in given.arguments.items()})
    raise ArgumentError(
        "a camera is given by intrinsic_matrix, extrinsic_matrix, width_px, height_px; "
        "or by fov_deg, center, eye, up, width_px, height_px"
    )


def rays_by_matrices(
    intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) in world space through the pixel centers.

    The intrinsic matrix (3, 3) leads from camera space to pixels, the extrinsic one (4, 4) from
    world to camera space. Directions have depth 1.
    """
    intrinsic = arguments.finite_floats(intrinsic_matrix, "intrinsic_matrix", (3, 3))
    extrinsic = matrices.matrix4(extrinsic_matrix, "extrinsic_matrix", takes_convention=False)
    to_camera = matrices.inverse(intrinsic, "intrinsic_matrix")
    to_world = matrices.affine_inverse(extrinsic, "extrinsic_matrix")
    rays = _rays(to_world[:3, 3], to_world[:3, :3], to_camera, width_px, height_px)
    if not np.isfinite(rays).all():
        raise NonFiniteError("intrinsic_matrix and extrinsic_matrix lead to rays beyond float64")
    return rays


def rays_by_view(
    fov_deg: Any, center: Any, eye: Any, up: Any, width_px: Any, height_px: Any
) -> FloatArray:
    """Rays (H, W, 6) in world space from an eye (3,) to the picture around a center (3,).

    The horizontal field of view is in degrees. Row 0 is the lowest, furthest against the vector up
    (3,), and column 0 the rightmost, as in Open3D.
    """
    fov = float(arguments.finite_floats(fov_deg, "fov_deg", ()))
    if not 0.0 < fov < 180.0:
        raise ArgumentError(f"fov_deg must be above 0 and below 180, not {fov}")
    place, target = arguments.point(eye, "eye"), arguments.point(center, "center")
    forward = normalized(scaled_edges(place, target, target)[0])
    upward = arguments.point(up, "up")
    right = normalized(cross(upward / power_of_two(np.abs(upward).max()), forward))
    to_world = np.stack([right, cross(forward, right), forward], axis=1)
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
    """Rays (H, W, 6) from a place by the matrices (3, 3) from pixels to camera to world space."""
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
