# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of files whose axes point elsewhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .mark import MarkFileError

AXES = {
    "Z_UP": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "Y_UP": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "LPS": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "RAS": ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
}
"""The rotation from each kind of axes to Blender's, in which z points up, as rows of a matrix.

A figure that faces Blender's front view looks along -y: +x is its left, +y is behind it. So
Blender's axes are LPS (left, posterior, superior), and RAS (right, anterior, superior) has x and y
negated. In Y_UP, y points up and z towards the viewer.
"""


def convert(points: npt.ArrayLike, source: str, target: str = "Z_UP") -> npt.NDArray[np.float64]:
    """Points or directions (..., 3) in other axes, as float64; no digit changes."""
    for axes in (source, target):
        if axes not in AXES:
            raise MarkFileError(f"axes are one of {', '.join(AXES)}, not {axes!r}")
    rotation = np.array(AXES[target]).T @ np.array(AXES[source])
    columns, signs = np.abs(rotation).argmax(axis=1), rotation.sum(axis=1)
    converted: npt.NDArray[np.float64] = np.asarray(points, np.float64)[..., columns] * signs
    return converted
