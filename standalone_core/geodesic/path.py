# SPDX-License-Identifier: MIT
"""The shortest path along the surface of a mesh; or, where that takes too long, a short one.

A path is a list of rows, each a triangle and the weights of a place in it. From each place it goes
straight to the next, in that triangle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import SupportsIndex

import numpy as np

from .. import arguments
from ..cast.rays import Geometry
from ..hit import Answer, OnTriangles
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray, length
from ..numerics.values import frozen, record
from ..types import Reals
from .half_edges import HalfEdges, Place, Row, along, place_at, read_place
from .search import Search
from .windows import FROM_START, FROM_VERTEX, Step, after, crossing, previous

_FEW = 64
"""So many vertices take about as long together as one alone."""

_RINGS = 2
"""How many rings of triangles around those of a path are searched for a shorter one."""

_GAIN = 1e-9
"""The share by which a path must become shorter for another search."""


@record
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SurfacePath(Answer):
    """A path along the surface of a mesh, from a place to a place.

    It has K places, at the start, wherever it crosses an edge or goes through a vertex, and at the
    end. From each to the next it is straight, in the triangle of the first one. Where no path leads
    to the end, K is 0 and the distance inf, and the path is false. If the end is the start, K is 1.
    The arrays are read-only.

    Attributes
    ----------
    distance : float
        Its length: the sum of the distances from each of the points to the next.
    points : ndarray (K, 3)
        The places, in the space of the mesh.
    triangle : ndarray (K,) of int64
        For each place, a triangle that contains it and the path to the next.
    weights : ndarray (K, 3)
        Weights of the triangle's vertices in their order: each from 0 to 1, with the sum 1.
    exact : bool
        Whether no path is shorter, up to rounding. If not, the search was cut off, or triangles
        without area hid a way: the path is the shortest among those near it, but another way may
        be shorter.

    Examples
    --------
    >>> import standalone_core as sc
    >>> roof = sc.Mesh([[0, 0, 0], [0, 4, 0], [3, 0, 0], [0, 0, 3]], [[0, 2, 1], [0, 1, 3]])
    >>> path = roof.surface_path((0, (0, 1, 0)), (1, (0, 0, 1)))
    >>> path.distance, path.points.tolist(), path.triangle.tolist()
    (6.0, [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]], [0, 1, 1])
    """

    distance: float
    points: FloatArray
    triangle: IntArray
    weights: FloatArray
    exact: bool

    def __bool__(self) -> bool:
        """Whether it leads to the end."""
        return len(self.points) > 0


def path_over(
    vertices: FloatArray, triangles: IndexArray, rows: list[Row], exact: bool
) -> SurfacePath:
    """The path of some rows; of consecutive rows at the same point, only the last is kept."""
    triangle = np.array([triangle for triangle, _ in rows], dtype=np.int64)
    weights = np.array([weights for _, weights in rows])
    corners = vertices[triangles[triangle]]
    # Summed term by term, a path meets a vertex at exactly its own place.
    a, b, c = (weights[:, k, None] * corners[:, k] for k in range(3))
    points = a + b + c
    is_new = np.append(np.any(points[1:] != points[:-1], axis=1), True)
    triangle, weights, points = triangle[is_new], weights[is_new], points[is_new]
    quarter = 0.25 * points  # Differences of these are never beyond float64.
    distance = 4.0 * fsum(length(quarter[1:] - quarter[:-1]).tolist())
    return SurfacePath(distance, frozen(points), frozen(triangle), frozen(weights), exact)


def found_by(search: Search) -> list[Row]:
    """The rows of the path that a search found, traced back through its windows."""
    step, vertex = search.last, search.surface.vertex
    rows: list[Row] = [(search.end.triangle, search.end.weights)]
    while step is not None and step.window != FROM_START:
        if step.window == FROM_VERTEX:
            rows.append((step.half_edge // 3, along(step.half_edge, 0.0)))
            step = search.step_to(int(vertex[step.half_edge]))
        else:
            step = _through_windows(search, step, rows)
    if step is not None:
        triangle = step.half_edge // 3
        rows.append((triangle, search.start.everywhere[triangle]))
    return rows[::-1]


def _through_windows(search: Search, step: Step, rows: list[Row]) -> Step:
    """Add rows where lines cross edges, from the end of a step back to their source.

    Returns the step at the source: the start, or a vertex.
    """
    surface, (number, _, x, y) = search.surface, step
    while True:
        window = search.followed.crossed(number)
        entry, leaving, low, high, from_x, from_y, source, number = window
        share = float(crossing(low, high, from_x, from_y, x, y)) / float(surface.length[entry])
        rows.append((entry // 3, along(entry, share)))
        if number < 0:
            # The first edge that lines from a vertex cross is opposite of it.
            first = (FROM_START, leaving) if source < 0 else (FROM_VERTEX, previous(leaving))
            return Step(*first, 0.0, 0.0)
        if surface.vertex[entry] != surface.vertex[leaving]:
            share = 1.0 - share
        # The same place in the frame of the half-edge where lines entered the last triangle.
        entry = search.followed.crossed(number)[0]
        ax, ay = float(surface.apex_x[entry]), float(surface.apex_y[entry])
        if leaving == after(entry):
            end = float(surface.length[entry])
            x, y = end + share * (ax - end), share * ay
        else:
            x, y = (1.0 - share) * ax, (1.0 - share) * ay


def along_edges(surface: HalfEdges, start: Place, end: Place, vertices: list[int]) -> list[Row]:
    """The rows of a path from vertex to vertex; consecutive vertices share a triangle."""
    corners = [_corner_of(surface, triangle, vertices[0]) for triangle in start.everywhere]
    first = next(corner for corner in corners if corner is not None)
    rows: list[Row] = [(first // 3, start.everywhere[first // 3])]
    for vertex, following in zip(vertices, [*vertices[1:], None], strict=True):
        for corner in surface.meeting.corners_at(np.array([vertex]))[1].tolist():
            triangle = corner // 3
            if (
                triangle in end.everywhere
                if following is None
                else _corner_of(surface, triangle, following) is not None
            ):
                rows.append((triangle, along(corner, 0.0)))
                break
    return [*rows, (end.triangle, end.weights)]


def _corner_of(surface: HalfEdges, triangle: int, vertex: int) -> int | None:
    corners = range(3 * triangle, 3 * triangle + 3)
    return next((corner for corner in corners if surface.vertex[corner] == vertex), None)


def shortest_along_edges(
    surface: HalfEdges, start: Place, end: Place
) -> tuple[float, list[int]] | None:
    """Length and vertices of the shortest path along edges; None if none leads to the end.

    It goes straight from the start to a corner of a triangle there, and likewise to the end.
    Many vertices are expanded at once, the nearest first.
    """
    goals, left = _corners(surface, end)
    vertex, first = _corners(surface, start)
    far = np.full(len(surface.vertices), inf)
    before = np.full(len(surface.vertices), -1)
    np.minimum.at(far, vertex, first)
    waiting = np.unique(vertex)
    while len(waiting):
        best = float((far[goals] + left).min(initial=inf))
        bound = far[waiting] + length(surface.vertices[waiting] - end.point)
        waiting, bound = waiting[bound < best], bound[bound < best]
        count = min(max(_FEW, len(waiting) // 4), len(waiting))
        order = np.argpartition(bound, count - 1) if count else np.arange(0)
        reached = _go_on(surface, waiting[order[:count]], far, before)
        waiting = np.unique(np.concatenate([waiting[order[count:]], reached]))
    total = far[goals] + left
    if not len(total) or total.min() == inf:
        return None
    vertices, last = list[int](), int(goals[np.argmin(total)])
    while last >= 0:
        vertices.append(last)
        last = int(before[last])
    return float(total.min()), vertices[::-1]


def _go_on(surface: HalfEdges, vertex: IntArray, far: FloatArray, before: IntArray) -> IntArray:
    """Relax all edges at vertices, and return the vertices that are nearer than before."""
    row, corner = surface.meeting.corners_at(vertex)
    behind = previous(corner)
    neighbor = surface.vertex[np.concatenate([after(corner), behind])]
    own = vertex[np.concatenate([row, row])]
    away = far[own] + surface.length[np.concatenate([corner, behind])]
    is_nearer = away < far[neighbor]
    neighbor, own, away = neighbor[is_nearer], own[is_nearer], away[is_nearer]
    np.minimum.at(far, neighbor, away)
    is_nearest = away == far[neighbor]
    before[neighbor[is_nearest]] = own[is_nearest]
    return np.asarray(neighbor)


def _corners(surface: HalfEdges, place: Place) -> tuple[IntArray, FloatArray]:
    """The corners of the triangles that contain a place, and how far from it they are."""
    vertex = surface.vertex[place.half_edges()[0]]
    return vertex, length(surface.vertices[vertex] - place.point)


def shortest_path(
    surface: HalfEdges, start: Place, end: Place, most: int | None
) -> tuple[list[Row], bool] | None:
    """The rows of a path, and whether none is shorter; None if no path leads to the end.

    The first search, and each search beside a path, follow at most `most` windows.
    """
    together = next((t for t in start.everywhere if t in end.everywhere), None)
    if together is not None:
        return [(together, each.everywhere[together]) for each in (start, end)], True
    known = shortest_along_edges(surface, start, end)
    if known is None:
        return None
    bound, vertices = known
    if bound == 0.0:
        return along_edges(surface, start, end, vertices), True
    search = Search(surface, start, end, bound, most)
    is_shortest = search.run() and search.last is not None
    if search.last is not None:
        rows = found_by(search)
    else:
        rows = along_edges(surface, start, end, vertices)
    return (rows, True) if is_shortest else (_shortened(surface, start, end, rows, most), False)


def _shortened(
    surface: HalfEdges, start: Place, end: Place, rows: list[Row], most: int | None
) -> list[Row]:
    """The shortest path near a path, then near that one, until it gets no shorter."""
    bound = inf
    while (now := _length(surface, rows)) < bound * (1.0 - _GAIN):
        bound, near = now, _beside(surface, rows)
        # Paths may bend where the near triangles end.
        turn = surface.turn.copy()
        turn[surface.vertex.reshape(-1, 3)[~near]] = inf
        part = surface._replace(turn=turn, bends=np.isinf(turn) | surface.bends)
        search = Search(part, start, end, bound, most, near)
        search.run()
        if search.last is not None:
            rows = found_by(search)
    return rows


def _beside(surface: HalfEdges, rows: list[Row]) -> BoolArray:
    """Which triangles (T,) are near a path."""
    triangles = surface.vertex.reshape(-1, 3)
    near: BoolArray = np.zeros(len(triangles), dtype=np.bool_)
    near[[triangle for triangle, _ in rows]] = True
    for _ in range(_RINGS):
        reached = np.zeros(len(surface.vertices), dtype=np.bool_)
        reached[triangles[near]] = True
        near = np.asarray(reached[triangles].any(axis=1))
    return near


def _length(surface: HalfEdges, rows: list[Row]) -> float:
    triangles = surface.vertex.reshape(-1, 3)[[triangle for triangle, _ in rows]]
    weights = np.array([weights for _, weights in rows])
    points = (weights[:, :, None] * surface.vertices[triangles]).sum(axis=1)
    return float(length(np.diff(points, axis=0)).sum())


class Walkable(ABC):
    """A mesh with paths along its surface."""

    def surface_path(
        self,
        start: OnTriangles | Sequence[SupportsIndex | Reals],
        end: OnTriangles | Sequence[SupportsIndex | Reals],
        max_windows: int | None = 1_000_000,
    ) -> SurfacePath:
        """The shortest path along the surface, from a place to a place.

        Parameters
        ----------
        start, end : Hit, ClosestPoint, or (triangle, weights)
            A hit or a closest point; or a triangle and the weights (3,) of its vertices: 0 or more,
            with the sum 1, both up to 1e-6.
        max_windows : int, optional
            How many windows the search follows at most; they are the parts of edges that straight
            lines reach. A million take about 1 s and 150 MB, or half a minute where different
            triangles lie on each other; None is no limit. If the search reaches the limit, the
            answer is the shortest path near the best one known, and its `exact` is False.

        Returns
        -------
        SurfacePath

        Raises
        ------
        ArgumentError
            If a place is invalid, or `max_windows` is less than 1.

        Notes
        -----
        Triangles are connected where they share vertices by index: where two vertices are at the
        same point, as at a seam, no path leads from one to the other. Where three triangles or more
        meet at an edge, paths go from each to each. They may bend at the border, and at vertices
        whose angles add up to more than a full turn. Of triangles with the same three vertices, the
        first counts. A triangle without area counts as the segment or the point that it is; no path
        leads to one with a vertex that is not finite.

        The distance is accurate to 1e-12 of itself and to the rounding of the vertices. If several
        paths are the shortest to within that, the answer is one of them.

        The search is that of Chen and Han (*Shortest paths on a polyhedron*, 1990), with the filter
        of Xin and Wang (*Improving Chen and Han's algorithm on the discrete geodesic problem*,
        2009), toward the end as A* does, with many windows at once as in Ying, Xin and He's
        (*Parallel Chen-Han (PCH) algorithm for discrete geodesics*, 2014). It visits what is nearer
        than the end, not the whole mesh. The first path finds how triangles meet, which is kept, at
        180 bytes per triangle.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> roof = Mesh([[0, 0, 1], [4, 0, 1], [0, -3, 0], [4, 3, 0]], [[0, 2, 1], [0, 1, 3]])
        >>> path = roof.surface_path((0, (0, 1, 0)), (1, (0, 0, 1)))
        >>> round(path.distance, 6), path.points[1].round(6).tolist(), path.exact
        (7.483315, [2.0, 0.0, 1.0], True)
        """
        most = arguments.most(max_windows, "max_windows")
        geometry, surface = self._unfoldable()
        count = len(geometry.triangles)
        places = read_place(start, count, "start"), read_place(end, count, "end")
        first, last = (place_at(surface, *place) for place in places)
        found = shortest_path(surface, first, last, most)
        if found is None:
            nothing = frozen(np.empty((0, 3)))
            return SurfacePath(inf, nothing, frozen(np.empty(0, dtype=np.int64)), nothing, True)
        return path_over(*geometry[:2], *found)

    @abstractmethod
    def _unfoldable(self) -> tuple[Geometry, HalfEdges]:
        """The triangles, and how they meet."""
