# SPDX-License-Identifier: MIT
"""Where the surface of a mesh ends, and rays that touch a triangle exactly, at an edge or a corner.

A ray exactly through an edge hits the triangle that it would hit if it were moved a little
(:mod:`.numerics.ray_triangle`). At the end of a surface, or on the outline of a mesh as the ray
sees it, there may be no such triangle. These rays are found by the boxes of a tree, then by
float64 where that is sure, then by integers. They get one hit at a place where they had none.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from math import inf

import numpy as np

from . import bvh
from .arguments import EXCLUDED
from .cast.hits import as_columns, joined, misses, nearest_of_each, sorted_by_ray
from .cast.one_ray import exact_crossing, is_culled
from .cast.rays import Geometry, LoneRay, RayBatch
from .engines import traversal
from .hit import Hit, RayHits
from .numerics import rational
from .numerics.arrays import EPS, BoolArray, FloatArray, IntArray, columns, cross, dot
from .numerics.columns import distinct
from .numerics.double_double import two_difference
from .numerics.rational import Meeting, are_in_plane
from .numerics.ray_triangle import LEAST, SIDE_FLOOR, edge_side
from .numerics.values import vector
from .numerics.vectors import normalized

_NEAR = 64 * EPS
_MEETING = 64 * EPS  # some 32 roundings, doubled

# Up to this many pairs of a ray and a triangle, integers are faster than filtering by NumPy.
_FEW = 32


def border_edges(geometry: Geometry) -> tuple[IntArray, IntArray]:
    """The edges at which an odd number of triangles meet: triangles, and the opposite corners (K,).

    Edges between the same places are the same, whichever their vertices: files of triangle soup
    have a vertex for each corner. Any line crosses a mesh without border edges an even number of
    times. Triangles at vertices that are not finite do not count.
    """
    vertices, triangles, _ = geometry
    finite = np.asarray(np.isfinite(vertices).all(axis=1))
    there = np.flatnonzero(finite[triangles].all(axis=1))
    _, place = distinct(np.where(finite[:, None], vertices, 0.0).T)
    a, b, c = place[triangles[there]].T
    first, second = np.concatenate([b, c, a]), np.concatenate([c, a, b])
    key = np.minimum(first, second) * len(vertices) + np.maximum(first, second)
    edges = np.flatnonzero(first != second)
    _, number, count = np.unique(key[edges], return_inverse=True, return_counts=True)
    edges = edges[count[number] % 2 == 1]
    corner, row = np.divmod(edges, max(len(there), 1))
    return there[row], corner


def sure_sides(rays: RayBatch, row: IntArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """The sides of the edges p, q (N, 3) on which the lines of rays pass, (N,).

    1 or -1, 0 for a ray exactly through the edge's line, and NaN where float64 is not sure.
    """
    with np.errstate(all="ignore"):
        points = [columns(each) for each in (rays.origins[row], rays.directions[row], p, q)]
        value, bound = edge_side(*points)
        sides = np.where(np.abs(value) > bound + SIDE_FLOOR, np.sign(value), np.nan)
        zero = np.flatnonzero((value == 0.0) & (bound == 0.0))
        if len(zero):
            # A determinant of 0 is exact if no product underflowed.
            o, d, *ends = ([x[zero] for x in point] for point in points)
            ways = [two_difference(end[i], o[i]) for end in ends for i in range(3)]
            numbers = np.abs([*d, *chain(*ways)])
            exact = ((numbers == 0.0) | (numbers >= LEAST)).all(axis=0)
            sides[zero[exact]] = 0.0
    return sides


def may_touch(
    rays: RayBatch, row: IntArray, a: FloatArray, b: FloatArray, c: FloatArray
) -> BoolArray:
    """Whether rays may go exactly through the border of triangles a, b, c (N, 3), (N,).

    They do not where they pass on different sides of two edges, on the same side of all three, or
    in the triangle's plane.
    """
    sides = np.stack([sure_sides(rays, row, p, q) for p, q in ((a, b), (b, c), (c, a))])
    is_left, is_right = sides == 1.0, sides == -1.0
    is_past = is_left.any(axis=0) & is_right.any(axis=0)
    is_inside = (is_left | is_right).all(axis=0)
    is_edge_on = (sides == 0.0).all(axis=0)
    return np.asarray(~(is_past | is_inside | is_edge_on))


def may_meet(rays: RayBatch, row: IntArray, p: FloatArray, q: FloatArray) -> BoolArray:
    """Whether rays that meet the lines through p and q (N, 3) may do so between their limits, (N,).

    They meet at t = ((p - o) x (q - p)) . n / n . n with n = d x (q - p), which float64 computes to
    within :data:`_MEETING` (p - o) / (d sin² of their angle).
    """
    with np.errstate(all="ignore"):
        way, d, edge = p - rays.origins[row], rays.directions[row], q - p
        normal = cross(d, edge)
        squares = [dot(each, each) for each in (way, d, edge, normal)]
        t = dot(cross(way, edge), normal) / squares[3]
        error = _MEETING * np.sqrt(squares[0] * squares[1]) * squares[2] / squares[3]
        scale, start, limit = rays.lengths[row], rays.starts[row], rays.limits[row]
        is_out = ((t + error) * scale < start) | ((t - error) * scale > limit)
        for square in squares[1:]:
            is_out &= (square > LEAST) & (square < 1.0 / LEAST)
        return np.asarray(~(is_out & ((squares[0] == 0.0) | (squares[0] > LEAST))))


class Outline:
    """Triangles that rays hit by touching them, at places where they hit nothing else.

    The tree is over the items that are touched: triangles, or in a subclass edges of them.
    """

    def __init__(self, geometry: Geometry, tree: bvh.Tree) -> None:
        self._geometry, self._tree = geometry, tree

    def touched(self, rays: RayBatch, most: int | None = None) -> tuple[IntArray, RayHits]:
        """Where rays that have no hits touch the mesh: rows (N,) of the rays, and touches (N,).

        They are sorted by row and distance; each ray has no more than `most`, if given.
        """

        def cast(part: RayBatch) -> tuple[IntArray, RayHits]:
            return self.with_touches(part, np.empty(0, dtype=np.int64), misses(0))

        return cast(rays) if most is None else nearest_of_each(cast, rays, most)

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

    def with_touches_of_one(self, ray: LoneRay, hits: list[Hit]) -> list[Hit]:
        """The hits of one ray and its touches, sorted; only the first unless all are wanted."""
        touched = self._touching(ray.batch()).get(0, set())
        found = [*hits, *self._touches(ray, touched, hits)]
        found.sort(key=lambda hit: (hit.distance, hit.triangle))
        return found if ray.query.every else found[:1]

    def _met(self, _: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        """Pairs (M,) of a ray and a triangle that it may touch, from pairs (N,) with tree items."""
        return row, item

    def _touching(self, rays: RayBatch) -> dict[int, set[int]]:
        """Triangles that rays may touch, by the rows of the rays."""
        touched: dict[int, set[int]] = {}
        if not self._tree.levels:
            return touched
        local = traversal.approach_of(self._tree, rays)
        for pairs in traversal.candidates(self._tree, local):
            row, triangle = self._met(rays, *pairs)
            if len(row) > _FEW:
                a, b, c = self._geometry.corners(triangle).swapaxes(0, 1)
                near = np.flatnonzero(may_touch(rays, row, a, b, c))
                row, triangle = row[near], triangle[near]
            for ray, one in zip(row.tolist(), triangle.tolist(), strict=True):
                touched.setdefault(ray, set()).add(one)
        return touched

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
        a, b, c = self._corners(triangle)
        t, v, w, normal, point = exact_crossing(ray.origin, ray.direction, a, b, c)
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


class Rim(Outline):
    """The border of a mesh: a ray exactly through an edge or a corner of it hits there."""

    def __init__(self, geometry: Geometry) -> None:
        self._triangles, corner = border_edges(geometry)
        ends = [geometry.triangles[self._triangles, (corner + step) % 3] for step in (1, 2)]
        self._p, self._q = (geometry.vertices.take(end, axis=0) for end in ends)
        lower, upper = np.minimum(self._p, self._q), np.maximum(self._p, self._q)
        super().__init__(geometry, bvh.over_boxes(lower, upper))

    @property
    def has_edges(self) -> bool:
        """Whether the mesh is open: whether there is any edge to go through."""
        return bool(self._tree.levels)

    @property
    def nbytes(self) -> int:
        """Memory of the edges and their tree, in bytes."""
        own = self._triangles.nbytes + self._p.nbytes + self._q.nbytes
        return own + self._tree.nbytes + traversal.nbytes(self._tree)

    def _met(self, rays: RayBatch, row: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
        within = np.flatnonzero(may_meet(rays, row, self._p[item], self._q[item]))
        row, item = row[within], item[within]
        p, q = self._p[item], self._q[item]
        sides = sure_sides(rays, row, p, q)
        # The ray may touch another edge of the triangle: integers decide whether it is this one.
        unsure = np.flatnonzero(np.isnan(sides))
        points = rays.origins[row[unsure]], rays.directions[row[unsure]], p[unsure], q[unsure]
        sides[unsure] = np.where(are_in_plane(*(each.T for each in points)), 0.0, 1.0)
        near = np.flatnonzero(sides == 0.0)
        return row[near], self._triangles[item[near]]
