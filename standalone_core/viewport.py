# SPDX-License-Identifier: MIT
"""The part of a window that a camera draws to, and the matrices of usual cameras."""

from math import ceil, pi, tan
from typing import NamedTuple, Self

import numpy as np

from . import arguments, matrices
from .errors import ArgumentError, DegenerateError
from .matrices import Convention
from .numerics.arrays import EPS, FloatArray, cross, largest, normalized
from .numerics.reading import MOST_ROWS
from .numerics.vectors import matmul
from .types import Reals

# With an angle nearer to 0 or pi, rounding cannot tell the matrix from an orthographic one.
_LEAST_ANGLE = 1e-9


class Viewport(NamedTuple):
    """A rectangle of pixels, and the depths at the two ends of clip space."""

    x: float  # x and y are the corner that pixels count from
    y: float
    width: float
    height: float
    up: float  # 1 where pixels count upward, -1 where they count downward
    low: float  # the least depth in clip space, whose largest is 1
    start: float  # the depth that `low` becomes
    end: float  # the depth that 1 becomes

    @classmethod
    def read(
        cls,
        width: float,
        height: float,
        convention: Convention,
        offset: Reals,
        depth_range: Reals | None,
    ) -> Self:
        """Read a viewport, or ArgumentError."""
        x, y = arguments.finite_floats(offset, "offset", (2,)).tolist()
        w, h = _size(width, "width"), _size(height, "height")
        up, low = (1.0, -1.0) if convention == "opengl" else (-1.0, 0.0)
        if depth_range is None:
            return cls(x, y, w, h, up, low, low, 1.0)
        start, end = arguments.finite_floats(depth_range, "depth_range", (2,)).tolist()
        if start == end:
            raise ArgumentError(f"depth_range must have two depths that differ, not {start} twice")
        return cls(x, y, w, h, up, low, start, end)

    def pixels(self) -> tuple[FloatArray, FloatArray]:
        """x (W,) and y (H, 1) of the centers of all pixels that begin in the viewport."""
        if ceil(self.width) * ceil(self.height) > MOST_ROWS:
            raise ArgumentError(
                f"a viewport of {self.width:g} x {self.height:g} has too many pixels for one call: "
                "pass x and y of some of them"
            )
        columns = np.arange(ceil(self.width), dtype=np.float64) + 0.5
        rows = np.arange(ceil(self.height), dtype=np.float64) + 0.5
        return columns + self.x, (rows + self.y)[:, None]

    def to_clip(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pixels to clip space, from -1 to 1, y up."""
        right = (x - self.x) / self.width * 2.0 - 1.0
        return right, ((y - self.y) / self.height * 2.0 - 1.0) * self.up

    def from_clip(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clip space to pixels."""
        column = (x + 1.0) * self.width / 2.0 + self.x
        return column, (y * self.up + 1.0) * self.height / 2.0 + self.y

    def depth_to_clip(self, depth: FloatArray) -> FloatArray:
        """Depths to clip space."""
        if (self.start, self.end) == (self.low, 1.0):
            return depth
        share = (depth - self.start) / (self.end - self.start)
        return share * (1.0 - self.low) + self.low

    def depth_from_clip(self, z: FloatArray) -> FloatArray:
        """Clip space to depths."""
        if (self.start, self.end) == (self.low, 1.0):
            return z
        share = (z - self.low) / (1.0 - self.low)
        return np.asarray(share * (self.end - self.start) + self.start)


def _size(value: float, name: str) -> float:
    pixels = arguments.number(value, name)
    if not 0.0 < pixels < np.inf:
        raise ArgumentError(f"{name} must be above 0 and finite, not {pixels:g}")
    return pixels


def looking(eye: Reals, target: Reals, up: Reals) -> FloatArray:
    """Matrix (4, 4) from world to view space: the eye looks at the target along -z, with y up."""
    place, seen = arguments.point(eye, "eye"), arguments.point(target, "target")
    upward = arguments.point(up, "up")
    if not upward.any():
        raise DegenerateError("up must be a direction, not (0, 0, 0)")
    if (place == seen).all():
        raise DegenerateError(f"eye and target must differ, not both be {place.tolist()}")
    with np.errstate(over="ignore", invalid="ignore"):
        back = normalized(place - seen)
        aside = cross(normalized(upward), back)
        right = normalized(aside)
        axes = np.stack([right, cross(back, right), back])
        view = np.eye(4)
        view[:3, :3], view[:3, 3] = axes, -matmul(axes, place)
    if largest(aside) <= 4 * EPS:  # nothing but rounding
        raise DegenerateError(
            f"up, {upward.tolist()}, is along the view, {(0.0 - back).tolist()}: pass another up, "
            f"such as {_across(back)}"
        )
    if not np.isfinite(view).all():
        raise DegenerateError("eye and target must not be near 1e308")
    return view


def _across(way: FloatArray) -> tuple[float, float, float]:
    """An axis that is up for a view in a direction (3,): z, or y where it looks up or down."""
    return (0.0, 1.0, 0.0) if abs(way[2]) > abs(way[1]) else (0.0, 0.0, 1.0)


def perspective(fov: float, aspect: float, near: float, far: float, low: float) -> FloatArray:
    """Matrix (4, 4) from view to clip space for a view along -z; depth is `low` at near, 1 at far.

    `fov` is the angle from the lower to the upper edge in radians, `aspect` width by height.
    """
    angle = arguments.finite_number(fov, "fov")
    if not _LEAST_ANGLE < angle < pi - _LEAST_ANGLE:
        raise ArgumentError(
            f"fov must be in radians, above 0 and below pi, not {angle:g}: math.radians converts "
            "degrees"
        )
    projection = np.zeros((4, 4))
    with np.errstate(all="ignore"):
        projection[:2, :2] = np.diag((1.0 / np.float64(aspect), 1.0)) / tan(angle / 2)
    projection[2, 2:] = _depth(near, far, low, -1.0)
    projection[3, 2] = -1.0
    return arguments.finite(projection, "the projection of these numbers")


def pinhole(intrinsic: Reals, width: float, height: float, near: float, far: float) -> FloatArray:
    """Matrix (4, 4) from camera space (x right, y down, z forward) to clip space, depth 0 to 1.

    The intrinsic matrix (3, 3) leads from camera space to pixels from the top left corner.
    """
    k = arguments.finite_floats(intrinsic, "intrinsic", (3, 3))
    if k[2].tolist() != [0.0, 0.0, 1.0]:
        raise ArgumentError(f"intrinsic must have (0, 0, 1) for its last row, not {k[2].tolist()}")
    matrices.inverse(k, "intrinsic")
    projection = np.zeros((4, 4))
    with np.errstate(all="ignore"):
        projection[0, :3] = k[0] * 2.0 / width - k[2]
        projection[1, :3] = k[2] - k[1] * 2.0 / height
    projection[2, 2:] = _depth(near, far, 0.0, 1.0)
    projection[3, 2] = 1.0
    return arguments.finite(projection, "the projection of these numbers")


def _depth(near: float, far: float, low: float, forward: float) -> tuple[float, float]:
    """The factor and the offset of z that give near the depth `low`, and far the depth 1."""
    n, f = arguments.finite_number(near, "near"), arguments.finite_number(far, "far")
    if not 0.0 < n < f:
        raise ArgumentError(f"near must be above 0 and below far, not {n:g} with far {f:g}")
    return forward * (f - n * low) / (f - n), -n * (f / (f - n)) * (1.0 - low)
