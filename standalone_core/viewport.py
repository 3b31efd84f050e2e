# SPDX-License-Identifier: MIT
"""The part of a window that a camera draws to: pixels and depths."""

from math import ceil
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from . import arguments
from .errors import ArgumentError
from .matrices import Convention
from .numerics.arrays import FloatArray
from .numerics.reading import MOST_ROWS


class Viewport(NamedTuple):
    """A rectangle of pixels, and the depths of the ends of the clip space."""

    x: float  # with y the pixel of the corner where the counting starts
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
        offset: ArrayLike,
        depth_range: ArrayLike | None,
    ) -> Self:
        """Check what describes a viewport."""
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
        """Pixels in clip space, from -1 to 1, y up."""
        right = (x - self.x) / self.width * 2.0 - 1.0
        return right, ((y - self.y) / self.height * 2.0 - 1.0) * self.up

    def from_clip(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The pixels of places in clip space."""
        column = (x + 1.0) * self.width / 2.0 + self.x
        return column, (y * self.up + 1.0) * self.height / 2.0 + self.y

    def depth_to_clip(self, depth: FloatArray) -> FloatArray:
        """Depths in clip space."""
        if (self.start, self.end) == (self.low, 1.0):
            return depth
        share = (depth - self.start) / (self.end - self.start)
        return share * (1.0 - self.low) + self.low

    def depth_from_clip(self, z: FloatArray) -> FloatArray:
        """Depths of places in clip space."""
        if (self.start, self.end) == (self.low, 1.0):
            return z
        share = (z - self.low) / (1.0 - self.low)
        return np.asarray(share * (self.end - self.start) + self.start)


def _size(value: float, name: str) -> float:
    pixels = arguments.number(value, name)
    if not 0.0 < pixels < np.inf:
        raise ArgumentError(f"{name} must be above 0 and finite, not {pixels:g}")
    return pixels
