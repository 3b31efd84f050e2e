# SPDX-License-Identifier: MIT
"""The shortest path by windows: intervals of edges that straight lines from one point reach.

A window is a pencil of lines that cross the same edges, unfolded into a plane. It starts at the
start, or at a vertex where paths may bend, and goes on through triangle after triangle, split in
two where a vertex is in its way. That is the algorithm of Chen and Han (1990); windows that a known
way to a vertex makes useless are dropped, as by Xin and Wang (2009). What is left is followed
toward the end, the shortest possible total first, as by A*: what cannot be shorter than a known
path is never followed.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import hypot, inf
from typing import NamedTuple

from .half_edges import HalfEdges
from .places import Place, offset_in

FROM_VERTEX, FROM_START = -1, -2

_TIE = 1e-12
"""Lengths that differ by less than this share are taken as equal: no such window is dropped."""


class Window(NamedTuple):
    """The part from `low` to `high` of an edge, into the triangle of its half-edge `entry`.

    The lines come from the point (x, y) of the frame of `entry`, with y <= 0, which is `far` away
    from the start. They leave the triangle before through its half-edge `exit`.
    """

    bound: float  # no path through it is shorter
    entry: int
    exit: int
    low: float
    high: float
    x: float
    y: float
    far: float
    source: int  # the vertex that the lines come from, -1 for the start
    before: int  # the window before, among those followed; -1 if there is none

    def crossing(self, x: float, y: float) -> float:
        """Where the way from the point of the lines to (x, y) of the frame crosses the edge."""
        height = y - self.y
        at = self.x - (x - self.x) * self.y / height if height > 0.0 else x
        return min(max(at, self.low), self.high)


class Step(NamedTuple):
    """The last straight piece of a path, up to the point (x, y) of the frame of a half-edge."""

    window: int  # that it comes through; or from a vertex (FROM_VERTEX) or the start (FROM_START)
    half_edge: int  # which starts at that vertex; else in the triangle that the piece is in
    x: float
    y: float


class Search:
    """A search for the shortest path between two places.

    Parameters
    ----------
    surface : HalfEdges
    start, end : Place
    best : float
        The length of a known path: none longer than it is looked for.
    budget : int
        How many windows are followed at most.
    within : bytes-like, optional
        For each triangle whether paths may go there, 0 or 1.
    """

    def __init__(
        self,
        surface: HalfEdges,
        start: Place,
        end: Place,
        best: float,
        budget: int,
        within: bytearray | None = None,
    ) -> None:
        self.surface = surface
        self.start, self.end, self.budget = start, end, budget
        self.best = best * (1.0 + _TIE)
        self.last: Step | None = None  # of the path of length `best`
        self.followed: list[Window] = []
        self.reached: dict[int, float] = {}  # vertices, and the length of a path to each
        self.steps: dict[int, Step] = {}  # how this path ends
        self._within = within
        # Reading one number of an array takes twice as long as of its memory.
        self._vertex, self._mate = surface.vertex.data, surface.mate.data
        self._length = surface.length.data
        self._apex_x, self._apex_y = surface.apex_x.data, surface.apex_y.data
        self._bends, self._points = surface.bends.data, surface.vertices.data
        self._heap: list[Window] = []
        self._sources: list[int] = []  # vertices from which lines are still to start
        self._left: dict[int, float] = {}  # vertices from which lines started, and how far away
        self._ends: dict[int, tuple[float, float]] = {}  # the end in the planes of half-edges
        self._nearest: dict[int, tuple[float, float]] = {}  # by entry: distance of apex, crossing

    def run(self) -> bool:
        """Whether the search came to its end: no path is shorter than `best`."""
        self._start_from_place()
        heap, followed, reached = self._heap, self.followed, self.reached
        while True:
            while self._sources:
                self._start_from_vertex(self._sources.pop())
            if not heap or heap[0][0] >= self.best:
                return True
            window = heappop(heap)
            source = window[8]
            if source >= 0 and window[7] > reached[source] * (1.0 + _TIE):
                continue  # A shorter way to its source was found since.
            if len(followed) >= self.budget:
                return False
            followed.append(window)
            self._follow(window, len(followed) - 1)

    def _start_from_place(self) -> None:
        for triangle, weights in self.start.everywhere.items():
            for half_edge in range(3 * triangle, 3 * triangle + 3):
                x, y = self._offset(half_edge, weights)
                self._reach(self._vertex[half_edge], hypot(x, y), Step(FROM_START, half_edge, x, y), True)
                if weights[(half_edge + 2) % 3] > 0.0:
                    length = self._length[half_edge]
                    self._push(half_edge, 0.0, length, length - x, -y, 0.0, -1, -1, 0)

    def _start_from_vertex(self, vertex: int) -> None:
        """Windows at the opposite edges of a vertex that paths may bend at."""
        far, surface, length = self.reached[vertex], self.surface, self._length
        if far >= self._left.get(vertex, inf) * (1.0 - _TIE):
            return
        self._left[vertex] = far
        first, last = surface.first[vertex : vertex + 2].tolist()
        for corner in surface.around[first:last].tolist():
            triangle, k = divmod(corner, 3)
            opposite, before = 3 * triangle + (k + 1) % 3, 3 * triangle + (k + 2) % 3
            if self._within is not None and not self._within[triangle]:
                continue
            if triangle in self.end.everywhere:
                x, y = self._offset(corner, self.end.everywhere[triangle])
                self._arrive(far + hypot(x, y), Step(FROM_VERTEX, corner, x, y))
            for neighbor, edge in ((opposite, corner), (before, before)):
                step = Step(FROM_VERTEX, corner, 0.0, 0.0)
                self._reach(self._vertex[neighbor], far + length[edge], step, True)
            size = length[opposite]
            x, y = size - self._apex_x[opposite], -self._apex_y[opposite]
            self._push(opposite, 0.0, size, x, y, far, vertex, -1, 0)

    def _follow(self, window: Window, number: int) -> None:
        """Through the triangle of a window, to its other edges."""
        _, entry, _, low, high, x, y, far, source, _ = window
        triangle, k = divmod(entry, 3)
        if triangle in self.end.everywhere:
            tx, ty = self._offset(entry, self.end.everywhere[triangle])
            at = window.crossing(tx, ty)
            straight = far + hypot(at - x, y) + hypot(tx - at, ty)
            self._arrive(straight, Step(number, entry, tx, ty))
        ax, ay, length = self._apex_x[entry], self._apex_y[entry], self._length[entry]
        height = ay - y
        if height <= 0.0:
            return
        split = x - (ax - x) * y / height
        at = low if split < low else high if split > high else split
        away = far + hypot(at - x, y) + hypot(ax - at, ay)
        left, right = 3 * triangle + (k + 2) % 3, 3 * triangle + (k + 1) % 3
        is_straight = abs(at - split) <= 1e-9 * length
        self._reach(self._vertex[left], away, Step(number, entry, ax, ay), is_straight)
        goes_left, goes_right = low < split, split < high
        if goes_left and goes_right:
            goes_left, goes_right = self._ways(entry, away, split)
        if goes_left:
            size = self._length[left]
            ux, uy = ax / size, ay / size
            start = _cut(low, 0.0, x, y, ux, uy)
            end = size if split <= high else _cut(high, 0.0, x, y, ux, uy)
            jx, jy = x * ux + y * uy, ux * y - uy * x
            self._push(left, start, min(end, size), jx, jy, far, source, number, 1)
        if goes_right:
            size = self._length[right]
            ux, uy = (length - ax) / size, -ay / size
            # The apex is the origin here.
            px, py = x - ax, y - ay
            start = 0.0 if split >= low else _cut(low - ax, -ay, px, py, ux, uy)
            end = size if high == length else _cut(high - ax, -ay, px, py, ux, uy)
            jx, jy = px * ux + py * uy, ux * py - uy * px
            self._push(right, start, min(end, size), jx, jy, far, source, number, 2)

    def _ways(self, entry: int, away: float, split: float) -> tuple[bool, bool]:
        """Where lines still may be shortest that pass a vertex on both sides: left, right.

        Of two windows of one half-edge that do, the one further away from the vertex is shortest on
        one side alone, its own (Chen and Han's lemma).
        """
        nearest, at = self._nearest.get(entry, (inf, 0.0))
        if away < nearest:
            self._nearest[entry] = away, split
        elif away > nearest * (1.0 + _TIE):
            return split <= at, split >= at
        return True, True

    def _push(
        self,
        leaving: int,
        low: float,
        high: float,
        x: float,
        y: float,
        far: float,
        source: int,
        before: int,
        side: int,
    ) -> None:
        """Add a window across a half-edge, unless it is of no use.

        `low`, `high`, x and y are in a frame with the origin at the end of the half-edge, and its
        triangle at y < 0. The lines come from the edge right (1) or left (2) of it, or (0) either.
        """
        if low < 0.0:
            low = 0.0
        if not low < high:
            return
        near, away = far + hypot(low - x, y), far + hypot(high - x, y)
        vertex, length = self._vertex, self._length[leaving]
        following = leaving + 1 if leaving % 3 < 2 else leaving - 2
        reached, more = self.reached, 1.0 + _TIE
        known = reached.get(vertex[following])
        if known is not None and (known + high) * more < away:
            return
        known = reached.get(vertex[leaving])
        if known is not None and (known + length - low) * more < near:
            return
        if side:
            third = vertex[leaving - 1 if leaving % 3 else leaving + 2]
            known = reached.get(third)
            if known is not None:
                ex = length - self._apex_x[leaving]
                ey = self._apex_y[leaving]
                if side == 1:
                    if (known + hypot(low - ex, ey)) * more < near:
                        return
                elif (known + hypot(high - ex, ey)) * more < away:
                    return
        end = self._ends.get(leaving)
        if end is None:
            end = self._end_beyond(leaving, following)
        ex, ey = end
        height = ey - y
        at = x - (ex - x) * y / height if height > 0.0 else x
        at = low if at < low else high if at > high else at
        bound = far + hypot(at - x, y) + hypot(ex - at, ey)
        if bound >= self.best:
            return
        entry = self._mate[leaving]
        while entry != leaving:
            if self._within is None or self._within[entry // 3]:
                if vertex[entry] == vertex[following]:
                    window = Window(bound, entry, leaving, low, high, x, y, far, source, before)
                else:
                    window = Window(
                        bound, entry, leaving, length - high, length - low, length - x, y, far,
                        source, before,
                    )
                heappush(self._heap, window)
            entry = self._mate[entry]

    def _reach(self, vertex: int, far: float, step: Step, is_straight: bool) -> None:
        """Note a path to a vertex, if it is the shortest so far."""
        if far < self.reached.get(vertex, inf):
            self.reached[vertex] = far
            self.steps[vertex] = step
            if self._bends[vertex] and is_straight and far + self._to_end(vertex) < self.best:
                self._sources.append(vertex)

    def _arrive(self, length: float, step: Step) -> None:
        """Note a path to the end, if it is the shortest so far."""
        if length < self.best:
            self.best, self.last = length, step

    def _offset(self, half_edge: int, weights: tuple[float, float, float]) -> tuple[float, float]:
        return offset_in(self.surface, half_edge, weights)

    def _to_end(self, vertex: int) -> float:
        x, y, z = self.end.point
        points = self._points
        return hypot(points[vertex, 0] - x, points[vertex, 1] - y, points[vertex, 2] - z)

    def _end_beyond(self, leaving: int, following: int) -> tuple[float, float]:
        """The end, turned around a half-edge into the plane of its frame, across it."""
        length, points = self._length[leaving], self._points
        origin, other = self._vertex[following], self._vertex[leaving]
        x, y, z = (self.end.point[axis] - points[origin, axis] for axis in range(3))
        if length > 0.0:
            ex, ey, ez = (
                (points[other, axis] - points[origin, axis]) / length for axis in range(3)
            )
        else:
            ex, ey, ez = 1.0, 0.0, 0.0
        along_edge = x * ex + y * ey + z * ez
        beyond = hypot(x - along_edge * ex, y - along_edge * ey, z - along_edge * ez)
        self._ends[leaving] = along_edge, beyond
        return along_edge, beyond


def _cut(qx: float, qy: float, px: float, py: float, ux: float, uy: float) -> float:
    """How far along (ux, uy) from the origin the line from p through q meets it."""
    divisor = (qx - px) * uy - (qy - py) * ux
    return (qx * py - qy * px) / divisor if divisor else 0.0
