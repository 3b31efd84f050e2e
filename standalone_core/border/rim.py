# SPDX-License-Identifier: MIT
"""Borders of open meshes, closed: a ray exactly through an edge or a corner of one hits there."""

import numpy as np

from .. import bvh
from ..cast.rays import Geometry, RayBatch
from ..numerics.arrays import IntArray
from ..numerics.rational import are_in_plane
from .edges import border_edges
from .sides import sure_sides
from .touches import Touchable


class Rim(Touchable):
    """The border of a mesh, which rays hit that touch it.

    Parameters
    ----------
    geometry : Geometry
    """

    def __init__(self, geometry: Geometry) -> None:
        self._triangles, corner = border_edges(geometry)
        ends = [geometry.triangles[self._triangles, (corner + step) % 3] for step in (1, 2)]
        self._p, self._q = (geometry.vertices.take(end, axis=0) for end in ends)
        lower, upper = np.minimum(self._p, self._q), np.maximum(self._p, self._q)
        super().__init__(geometry, bvh.over_boxes(lower, upper))

    def _met(self, rays: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        p, q = self._p[item], self._q[item]
        sides = sure_sides(rays, row, p, q)
        # The ray may touch another edge of the triangle: whether it is this one is decided exactly.
        unsure = np.flatnonzero(np.isnan(sides))
        points = rays.origins[row[unsure]], rays.directions[row[unsure]], p[unsure], q[unsure]
        sides[unsure] = np.where(are_in_plane(*(each.T for each in points)), 0.0, 1.0)
        near = np.flatnonzero(sides == 0.0)
        return row[near], self._triangles[item[near]]
