# SPDX-License-Identifier: MIT
"""The surroundings of a position in a view: offsets in pixels, and the part of space they show."""

from typing import Any

import numpy as np

from .. import arguments
from ..camera import Camera
from ..numerics.arrays import EPS, FloatArray
from ..numerics.vectors import matmul
from ..region import Region

# What offsets round, in pixels: relative, and of views of some thousand pixels.
_WIDENING = 1.0 + 64 * EPS
_LEAST_REACH = 1e-9


class AroundPixel:
    """The surroundings of a position in a view.

    A world point appears q / w pixels beside the position. Both the offset q (x and y) and the
    depth w, above 0 in front of the eye, are linear in the point: what is between two points has an
    offset and a depth between theirs. So nothing is projected through the eye.

    `ray` is the pick ray through the pixel (x, y). If the camera `is_perspective`, all rays come
    from its origin; else they are parallel.

    Examples
    --------
    >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)  # orthographic
    >>> AroundPixel(camera, 50, 60).offsets((0.5, 0, -5)).tolist()
    [25.0, -10.0, 1.0]
    """

    __slots__ = ("_rows", "_view", "is_perspective", "ray")

    def __init__(self, camera: Camera, x: float, y: float) -> None:
        p0, p1, _, p3 = camera.projection
        across, up = camera.width / 2.0, camera.height / 2.0
        down = camera.convention == "direct3d"
        rows = [p0 * across + p3 * (across - x), p1 * (-up if down else up) + p3 * (up - y), p3]
        # Where rays are parallel, the depth is the same everywhere, and everything is in front.
        self._rows = np.array(rows) * (1.0 if camera.is_perspective else np.sign(p3[3]))
        self._view = camera.view
        self.ray = camera.ray(x, y)
        self.is_perspective = camera.is_perspective

    def offsets(self, points: Any) -> FloatArray:
        """Offset and depth (qx, qy, w) of world points, (..., 3) -> (..., 3)."""
        in_view = (
            matmul(arguments.points(points, "points"), self._view[:3, :3].T) + self._view[:3, 3]
        )
        result: FloatArray = matmul(in_view, self._rows[:, :3].T) + self._rows[:, 3]
        return result

    def depths(self, points: FloatArray) -> FloatArray:
        """How far along the ray world points (..., 3) are: (...), from its origin."""
        result: FloatArray = matmul(points - self.ray.origin, self.ray.direction)
        return result

    def toward(self, points: FloatArray) -> FloatArray:
        """The way one looks at world points (..., 3), of any length."""
        if self.is_perspective:
            return points - self.ray.origin
        return np.broadcast_to(self.ray.direction, points.shape)

    def region(self, radius: float) -> Region:
        """The world points at most `radius` pixels from the position, in x and in y."""
        reach = radius * _WIDENING + _LEAST_REACH
        x, y, depth = self._rows
        sides = [side + reach * depth for side in (x, -x, y, -y)]
        return Region.of(sides).moved(self._view)


def pixels_away(offsets: FloatArray) -> FloatArray:
    """The distance in pixels (...) of offsets (..., 3) from the position; inf behind the eye."""
    with np.errstate(all="ignore"):
        away = np.hypot(offsets[..., 0], offsets[..., 1]) / offsets[..., 2]
    return np.where(offsets[..., 2] > 0.0, away, np.inf)


@np.errstate(all="ignore")
def nearest_shares(start: FloatArray, end: FloatArray) -> FloatArray:
    """Which share of each line leads to its place nearest to the position on the screen: (...).

    From 0 at the start to 1 at the end, measured in space; the ends (..., 3) are offsets. Where
    both are behind the eye, the result means nothing.

    The place at t appears q(t) / w(t) beside the position, q(t) = (1 - t) q0 + t q1. The foot of
    the position on the line on the screen is where q(t) . along = 0. Where it is beyond an end that
    is in front of the eye, that end is nearest.
    """
    along = end[..., :2] * start[..., 2:] - start[..., :2] * end[..., 2:]
    from_start, from_end = ((q[..., :2] * along).sum(axis=-1) for q in (start, end))
    at_start = (from_start >= 0.0) & (start[..., 2] > 0.0)
    at_end = (from_end <= 0.0) & (end[..., 2] > 0.0)
    foot = np.clip(from_start / (from_start - from_end), 0.0, 1.0)
    shares = np.select([at_start, at_end], [0.0, 1.0], foot)
    return np.where(np.isnan(shares), np.where(start[..., 2] > 0.0, 0.0, 1.0), shares)
