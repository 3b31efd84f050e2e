# SPDX-License-Identifier: MIT
"""Rays that touch a mesh, and so hit it for trimesh, though they go through none of its triangles.

A ray exactly along the outline of a closed mesh, such as one along the side of a box, is decided as
if it were moved a little, and so hits the mesh or misses it.
"""

import numpy as np

from ..border.edges import all_edges
from ..border.rim import Rim
from ..cast.geometry import Geometry
from ..cast.hits import misses, nearest_of_each
from ..cast.rays import Query, RayBatch
from ..cast.read_rays import many_rays
from ..hit import RayHits
from ..mesh import Mesh
from ..numerics.arrays import FloatArray, IntArray


class Touching:
    """The edges of a mesh as it is now, which rays may touch."""

    def __init__(self, mesh: Mesh) -> None:
        geometry = Geometry(mesh.vertices, mesh.triangles, None)
        self._rim = Rim(geometry, all_edges(geometry))

    def hits(
        self, origins: FloatArray, directions: FloatArray, most: int | None
    ) -> tuple[IntArray, RayHits]:
        """The places that rays (N, 3) touch which hit nothing, each with the row of its ray.

        They are sorted by row and distance; of each ray there are no more than `most`, if given.
        """
        query = Query(every=True)
        given = many_rays(origins, directions, np.inf, None, query, "miss", lambda o, d: None)
        if most is None:
            return self._all(given.rays)
        return nearest_of_each(self._all, given.rays, most)

    def _all(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        return self._rim.closed(rays, np.empty(0, dtype=np.int64), misses(0))
