# SPDX-License-Identifier: MIT
"""Which points are inside, where a mesh may be open: the libraries that are followed do not ask."""

from typing import Any

import numpy as np

from .. import arguments
from ..closest.surface import INSIDE_DIRECTION
from ..mesh import Mesh
from ..numerics.arrays import BoolArray


def inside(mesh: Mesh, points: Any, threads: int | None = None) -> BoolArray:
    """Whether a ray from each point (..., 3) goes through the mesh an odd number of times, (...).

    Of a closed mesh these are the points that :meth:`.Mesh.contains`; what is inside of an open
    one depends on the ray. Points that are not finite are outside.
    """
    origins = arguments.points(points, "points")
    return np.asarray(mesh.count_hits(origins, INSIDE_DIRECTION, threads=threads) % 2 == 1)
