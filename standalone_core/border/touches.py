# SPDX-License-Identifier: MIT
"""Rays that touch a triangle exactly, at an edge or a corner, and hit nothing there otherwise.

Which triangle a ray exactly through an edge belongs to is decided as if the ray were moved a little
(:mod:`..numerics.ray_triangle`). At the end of a surface that may be none. Such rays are found by
the boxes of a tree, by float64 where that is sure, then by integers, and get one hit at a place
where they had none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from math import inf

import numpy as np

from .. import bvh
from ..arguments import EXCLUDED
from ..cast.hits import as_columns, joined, sorted_by_ray
from ..cast.one_ray import is_culled
from ..cast.rays import Geometry, Query, RayBatch
from ..engines import traversal
from ..hit import Hit, RayHits
from ..numerics import rational
from ..numerics.arrays import EPS, IntArray
from ..numerics.ray_triangle import Vector
from ..numerics.values import vector
from ..numerics.vectors import normalized
from .sides import may_touch

_NEAR = 64 * EPS

# So few pairs of a ray and a triangle are decided by integers sooner than NumPy looks at them.
_FEW = 32


class Touchable(ABC):
    """Triangles that rays hit which touch them, where they hit nothing otherwise.

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
        """The hits of rays with the row of each, sorted, and those that are touches beside them."""
        more: list[tuple[int, Hit]] = []
        pairs = self._touching(rays)
        for row in sorted(pairs):
            first, last = np.searchsorted(rows, (row, row + 1)).tolist()
            own = [hit for hit in hits.take(slice(first, last)) if hit is not None]
            more += [(row, hit) for hit in self._hits(rays, row, pairs[row], own)]
        if not more:
            return rows, hits
        found = np.array([row for row, _ in more]), as_columns([hit for _, hit in more])
        return sorted_by_ray(*joined([(rows, hits), found]), rays.query.every)

    @abstractmethod
    def _met(self, rays: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        """Of pairs (N,) of a ray and an item of the tree those of a ray and a triangle, (M,).

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
        """Of pairs (N,) of a ray and a triangle those that float64 is not sure do not touch."""
        vertices, triangles, _ = self._geometry
        a, b, c = (vertices.take(corner, axis=0) for corner in triangles[triangle].T)
        near = np.flatnonzero(may_touch(rays, row, a, b, c))
        return row[near], triangle[near]

    def _hits(self, rays: RayBatch, row: int, triangles: set[int], own: list[Hit]) -> Iterator[Hit]:
        """The hits of a ray at the border where it has none of its own."""
        ray = rays.ray(row)
        done: set[Fraction] = set()
        for triangle in sorted(triangles):
            touch = self._touch(ray.origin, ray.direction, triangle)
            if touch is None or touch.t in done or _is_hidden(rays.query, triangle, touch):
                continue
            hit = self._hit(ray.origin, ray.direction, ray.length, triangle, touch)
            if not ray.start <= hit.distance <= ray.limit or hit.distance == inf:
                continue
            done.add(touch.t)
            reach = _NEAR * hit.distance
            near = [each for each in own if abs(each.distance - hit.distance) <= reach]
            others = (self._touch(ray.origin, ray.direction, each.triangle) for each in near)
            if all(other is None or other.t != touch.t for other in others):
                yield hit

    def _touch(
        self, origin: Vector[float], direction: Vector[float], triangle: int
    ) -> rational.Meeting | None:
        return rational.meeting(origin, direction, *self._corners(triangle))

    def _hit(
        self,
        origin: Vector[float],
        direction: Vector[float],
        length: float,
        triangle: int,
        touch: rational.Meeting,
    ) -> Hit:
        t, v, w, normal, point = rational.crossing(origin, direction, *self._corners(triangle))
        return Hit(
            distance=t * length,
            point=vector(point),
            normal=vector(normalized(normal)),
            triangle=triangle,
            face=self._geometry.face(triangle),
            barycentric=vector((max((1.0 - v) - w, 0.0), v, w)),
            front=touch.is_front,
            instance=0,
        )

    def _corners(self, triangle: int) -> list[Vector[float]]:
        vertices, triangles, _ = self._geometry
        return [tuple(corner) for corner in vertices[triangles[triangle]].tolist()]


def _is_hidden(query: Query, triangle: int, touch: rational.Meeting) -> bool:
    """Whether a triangle is not hit from this side, or not at all."""
    is_excluded = query.excluded is not None and query.excluded[triangle] == EXCLUDED
    return is_excluded or is_culled(query, triangle, 1.0 if touch.is_front else -1.0)
