# SPDX-License-Identifier: MIT
"""Rays that touch a triangle exactly, at an edge or a corner, and hit nothing there otherwise.

Which triangle a ray exactly through an edge belongs to is decided as if the ray were moved a little
(:mod:`..numerics.ray_triangle`). At the end of a surface, or on the outline of a mesh as the ray
sees it, that may be none. Such rays are found by the boxes of a tree, by float64 where that is
sure, then by integers, and get one hit at a place where they had none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from math import inf

import numpy as np

from .. import bvh
from ..arguments import EXCLUDED
from ..cast.hits import as_columns, joined, misses, nearest_of_each, sorted_by_ray
from ..cast.one_ray import is_culled
from ..cast.rays import Geometry, LoneRay, RayBatch
from ..engines import traversal
from ..hit import Hit, RayHits
from ..numerics import rational
from ..numerics.arrays import EPS, IntArray
from ..numerics.rational import Meeting, are_in_plane
from ..numerics.values import vector
from ..numerics.vectors import normalized
from .edges import border_edges, may_touch, sure_sides

_NEAR = 64 * EPS

# Integers decide so few pairs of a ray and a triangle sooner than NumPy looks at them.
_FEW = 32


class Touchable(ABC):
    """Triangles that rays hit by touching them, where they hit nothing otherwise.

    Parameters
    ----------
    geometry : Geometry
    tree : bvh.Tree
        Over what is touched: triangles, or edges of them.
    """

    def __init__(self, geometry: Geometry, tree: bvh.Tree) -> None:
        self._geometry = geometry
        self._tree = tree

    def with_touches(
        self, rays: RayBatch, rows: IntArray, hits: RayHits
    ) -> tuple[IntArray, RayHits]:
        """The hits of rays and their touches, sorted, each with the row of its ray."""
        more: list[tuple[int, Hit]] = []
        pairs = self._touching(rays)
        for row in sorted(pairs):
            first, last = np.searchsorted(rows, (row, row + 1)).tolist()
            own = [hit for hit in hits.take(slice(first, last)) if hit is not None]
            more += [(row, hit) for hit in self._touches(rays.ray(row), pairs[row], own)]
        if not more:
            return rows, hits
        found = np.array([row for row, _ in more]), as_columns([hit for _, hit in more])
        return sorted_by_ray(*joined([(rows, hits), found]), rays.query.every)

    @abstractmethod
    def _met(self, rays: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs (M,) of a ray and a triangle, from those (N,) of a ray and an item of the tree.

        What rays surely do not touch may be left out.
        """

    def _touching(self, rays: RayBatch) -> dict[int, set[int]]:
        """Triangles that rays may touch, by the rows of these."""
        touched: dict[int, set[int]] = {}
        if not self._tree.levels:
            return touched
        local = traversal.approach_of(self._tree, rays)
        for pairs in traversal.candidates(self._tree, local):
            row, triangle = self._met(rays, *pairs)
            if len(row) > _FEW:
                row, triangle = self._unsure(rays, row, triangle)
            for ray, one in zip(row.tolist(), triangle.tolist(), strict=True):
                touched.setdefault(ray, set()).add(one)
        return touched

    def _unsure(
        self, rays: RayBatch, row: IntArray, triangle: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Those of some pairs (N,) that may touch, as far as float64 can tell."""
        a, b, c = self._geometry.corners(triangle).swapaxes(0, 1)
        near = np.flatnonzero(may_touch(rays, row, a, b, c))
        return row[near], triangle[near]

    def _touches(self, ray: LoneRay, triangles: set[int], own: list[Hit]) -> Iterator[Hit]:
        """The touches of a ray where it has no hit of its own."""
        done: set[Fraction] = set()
        for triangle in sorted(triangles):
            touch = self._meeting(ray, triangle)
            if touch is None or touch.t in done or _is_hidden(ray, triangle, touch):
                continue
            hit = self._hit(ray, triangle, touch)
            if not ray.start <= hit.distance <= ray.limit or hit.distance == inf:
                continue
            done.add(touch.t)
            reach = _NEAR * hit.distance
            near = [each for each in own if abs(each.distance - hit.distance) <= reach]
            others = (self._meeting(ray, each.triangle) for each in near)
            if all(other is None or other.t != touch.t for other in others):
                yield hit

    def _meeting(self, ray: LoneRay, triangle: int) -> Meeting | None:
        return rational.meeting(ray.origin, ray.direction, *self._corners(triangle))

    def _hit(self, ray: LoneRay, triangle: int, touch: Meeting) -> Hit:
        corners = self._corners(triangle)
        t, v, w, normal, point = rational.crossing(ray.origin, ray.direction, *corners)
        return Hit(
            distance=t * ray.length,
            point=vector(point),
            normal=vector(normalized(normal)),
            triangle=triangle,
            face=self._geometry.face(triangle),
            barycentric=vector((max((1.0 - v) - w, 0.0), v, w)),
            front=touch.is_front,
            instance=0,
        )

    def _corners(self, triangle: int) -> list[tuple[float, float, float]]:
        vertices, triangles, _ = self._geometry
        return [tuple(corner) for corner in vertices[triangles[triangle]].tolist()]


def _is_hidden(ray: LoneRay, triangle: int, touch: Meeting) -> bool:
    """Whether a triangle is not hit from this side, or not at all."""
    excluded = ray.query.excluded
    is_excluded = excluded is not None and excluded[triangle] == EXCLUDED
    return is_excluded or is_culled(ray.query, triangle, 1.0 if touch.is_front else -1.0)


class Outline(Touchable):
    """All triangles of a mesh, with the tree over them, for those who count a touch as a hit."""

    def touched(self, rays: RayBatch, most: int | None = None) -> tuple[IntArray, RayHits]:
        """The places (N,) touched by rays that hit nothing, each with the row of its ray.

        They are sorted by row and distance; each ray has no more than `most`, if given.
        """
        return self._all(rays) if most is None else nearest_of_each(self._all, rays, most)

    def _all(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        return self.with_touches(rays, np.empty(0, dtype=np.int64), misses(0))

    def _met(self, _: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        return row, item


class Rim(Touchable):
    """The border of a mesh, closed: a ray exactly through an edge or a corner of it hits there."""

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
