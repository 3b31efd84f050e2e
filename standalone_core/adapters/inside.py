# SPDX-License-Identifier: MIT
"""How far points are from a mesh, and on which side: of one that may be open, as nobody asks."""

from typing import Any

import numpy as np

from .. import arguments
from ..closest.surface import INSIDE_DIRECTION
from ..mesh import Mesh
from ..numerics.arrays import BoolArray, FloatArray


def inside(mesh: Mesh, points: Any, threads: int | None = None) -> BoolArray:
    """Whether a ray from each point (..., 3) goes through the mesh an odd number of times, (...).

    Of a closed mesh these are the points that :meth:`.Mesh.contains`; what is inside of an open
    one depends on the ray. Points that are not finite are outside.
    """
    origins = arguments.points(points, "points")
    return np.asarray(mesh.count_hits(origins, INSIDE_DIRECTION, threads=threads) % 2 == 1)


def distances(mesh: Mesh, points: Any, threads: int | None = None) -> FloatArray:
    """The distance of each point (..., 3) from the mesh, (...); NaN for those not finite."""
    near = mesh.closest_point(points, threads=threads)
    return np.where(near.invalid, np.nan, near.distance)
