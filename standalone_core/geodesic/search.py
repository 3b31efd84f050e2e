# SPDX-License-Identifier: MIT
"""The shortest path, found by windows.

A window starts at the start, or at a vertex where paths may bend, and goes on through triangle
after triangle, split in two by each vertex in its way. That is the algorithm of Chen and Han
(1990); windows that a known way to a vertex makes useless are dropped, as by Xin and Wang (2009).
What is left is followed toward the end, the least possible length first, as by A*: what cannot be
shorter than a known path is never followed.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import atan2, hypot, inf

from .bending import angle_at, ways_on
from .half_edges import HalfEdges
from .places import Place, offset_in
from .windows import (
    FROM_START,
    FROM_VERTEX,
    Step,
    Window,
    after,
    ahead_of,
    crossing,
    meets,
    meets_at,
)

_TIE = 1e-12
"""Lengths that differ by less than this share of themselves count as equal."""

_EITHER, _RIGHT, _LEFT = 0, 1, 2


class Search:
    """A search for the shortest path between two places.

    Parameters
    ----------
    surface : HalfEdges
    start, end : Place
    best : float
        The length of a known path: none that is longer is looked for.
    most : int, optional
        How many windows are followed.
    within : bytes-like (T,), optional
        Whether paths may go into each triangle, 0 or 1.
    """

    def __init__(
        self,
        surface: HalfEdges,
        start: Place,
        end: Place,
        best: float,
        most: int | None = None,
        within: bytes | None = None,
    ) -> None:
        self.surface, self.start, self.end = surface, start, end
        self.best = best * (1.0 + _TIE)
        self.last: Step | None = None  # of a path that is so long
        self.followed: list[Window] = []
        self.steps: dict[int, Step] = {}  # the last one to each vertex where paths go on
        self._most, self._within = inf if most is None else most, within
        self._reached: dict[int, float] = {}  # how long a path there is to each vertex
        self._straight: dict[int, float] = {}  # and to those where paths go on
        self._apexes: dict[int, tuple[float, float]] = {}  # see _sides
        self._ends: dict[int, tuple[float, float]] = {}  # see _end_beyond
        self._heap: list[Window] = []
        # Single numbers are read from memory twice as fast as from arrays.
        self._vertex, self._mate = surface.vertex.data, surface.meeting.mate.data
        self._length, self._points = surface.length.data, surface.vertices.data
        self._apex_x, self._apex_y = surface.apex_x.data, surface.apex_y.data

    def run(self) -> bool:
        """Whether the search came to its end: no path is shorter than `best`."""
        self._leave_start()
        heap = self._heap
        while heap and heap[0][0] < self.best:
            window = heappop(heap)
            entry, far, source = window[1], window[7], window[8]
            if source >= 0 and far > self._reached[source] * (1.0 + _TIE):
                continue  # A shorter path to its source was found since.
            if entry < 0:
                self._leave_vertex(source, far)
                continue
            if len(self.followed) >= self._most:
                return False
            self.followed.append(window)
            self._follow(window, len(self.followed) - 1)
        return True

    def _leave_start(self) -> None:
        for triangle, weights in self.start.everywhere.items():
            for half_edge in range(3 * triangle, 3 * triangle + 3):
                x, y = offset_in(self.surface, half_edge, weights)
                step = FROM_START, half_edge, 0.0, 0.0
                self._reach(self._vertex[half_edge], hypot(x, y), *step, True)
                if weights[(half_edge + 2) % 3] > 0.0 and self._is_open(triangle):
                    length = self._length[half_edge]
                    self._cross(half_edge, 0.0, length, length - x, -y, 0.0, -1, -1, _EITHER)

    def _leave_vertex(self, vertex: int, far: float) -> None:
        """Go on from a vertex where paths may bend."""
        surface = self.surface
        first, last = surface.meeting.first[vertex : vertex + 2].tolist()
        corners = surface.meeting.around[first:last].tolist()
        turn = float(surface.turn[vertex])
        if turn < inf:
            ways = ways_on(surface, *self._way_back(vertex), turn)
        else:
            ways = ((corner, 0.0, inf) for corner in corners)
        for corner, low, high in ways:
            if self._is_open(corner // 3):
                self._leave_corner(corner, low, high, far, vertex)
        for corner in corners:
            triangle = corner // 3
            if self._is_open(triangle):
                self._reach_sides(corner, far, False, False)
                if triangle in self.end.everywhere:
                    x, y = offset_in(surface, corner, self.end.everywhere[triangle])
                    self._arrive(far + hypot(x, y), FROM_VERTEX, corner, x, y)

    def _leave_corner(self, corner: int, low: float, high: float, far: float, vertex: int) -> None:
        """Go on between two angles from the first side of a corner."""
        opposite = after(corner)
        length, ax, ay = self._length[corner], self._apex_x[corner], self._apex_y[corner]
        size, full = self._length[opposite], atan2(ay, ax)
        self._reach_sides(corner, far, low <= 0.0 <= high, low <= full <= high)
        start, end = 0.0, float(size)
        if size > 0.0:
            ux, uy = (length - ax) / size, -ay / size  # from the second side to the first
            if high < full:
                start = meets_at(high, ax, ay, ux, uy)
            if low > 0.0:
                end = min(meets_at(low, ax, ay, ux, uy), size)
        x, y = size - self._apex_x[opposite], -self._apex_y[opposite]
        self._cross(opposite, start, end, x, y, far, vertex, -1, _EITHER)

    def _way_back(self, vertex: int) -> tuple[int, float]:
        """The corner through which the path to a vertex comes, and the angle there."""
        window, half_edge, x, y = self.steps[vertex]
        triangle = half_edge // 3
        if window >= 0:
            x, y = self.followed[window][5:7]
        elif window == FROM_START:
            x, y = offset_in(self.surface, half_edge, self.start.everywhere[triangle])
        corners = range(3 * triangle, 3 * triangle + 3)
        corner = next(each for each in corners if self._vertex[each] == vertex)
        return corner, angle_at(self.surface, corner, half_edge, x, y)

    def _follow(self, window: Window, number: int) -> None:
        """Go on through the triangle of a window, to its other edges."""
        _, entry, _, low, high, x, y, far, source, _ = window
        if entry // 3 in self.end.everywhere:
            tx, ty = offset_in(self.surface, entry, self.end.everywhere[entry // 3])
            at = crossing(window, tx, ty)
            self._arrive(far + hypot(at - x, y) + hypot(tx - at, ty), number, entry, tx, ty)
        ax, ay, length = self._apex_x[entry], self._apex_y[entry], self._length[entry]
        height = ay - y
        if height <= 0.0:
            return
        left, right = ahead_of(entry), after(entry)
        split = x - (ax - x) * y / height
        at = low if split < low else high if split > high else split
        away = far + hypot(at - x, y) + hypot(ax - at, ay)
        is_straight = away <= (far + hypot(ax - x, height)) * (1.0 + _TIE)
        self._reach(self._vertex[left], away, number, entry, ax, ay, is_straight)
        goes_left, goes_right = low < split, split < high
        if goes_left and goes_right:
            goes_left, goes_right = self._sides(entry, away, split)
        size = self._length[left]
        if goes_left and size > 0.0:
            ux, uy = ax / size, ay / size
            start = meets(x, y, low, 0.0, ux, uy)
            end = size if split <= high else min(meets(x, y, high, 0.0, ux, uy), size)
            px, py = x * ux + y * uy, ux * y - uy * x
            self._cross(left, start, end, px, py, far, source, number, _LEFT)
        size = self._length[right]
        if goes_right and size > 0.0:
            ux, uy = (length - ax) / size, -ay / size
            x, y = x - ax, y - ay
            start = 0.0 if split >= low else meets(x, y, low - ax, -ay, ux, uy)
            end = size if high == length else min(meets(x, y, high - ax, -ay, ux, uy), size)
            px, py = x * ux + y * uy, ux * y - uy * x
            self._cross(right, start, end, px, py, far, source, number, _RIGHT)

    def _sides(self, entry: int, away: float, split: float) -> tuple[bool, bool]:
        """On which sides of an apex, left and right, lines may go on that pass it on both.

        Of two windows with such lines, the one whose source is further away is of use on its own
        side of the other alone (Chen and Han).
        """
        nearest, at = self._apexes.get(entry, (inf, 0.0))
        if away < nearest:
            self._apexes[entry] = away, split
        elif away > nearest * (1.0 + _TIE):
            return split <= at, split >= at
        return True, True

    def _cross(
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
        """Add a window across a half-edge, where it is of use.

        Its numbers are in the frame of a mate of the other direction. The lines enter the triangle
        that they leave through its edge at the start (_LEFT) or the end (_RIGHT) of that frame.
        """
        low = max(low, 0.0)
        if not low < high:
            return
        length, following = self._length[leaving], after(leaving)
        if self._is_useless(leaving, low, high, x, y, far, side):
            return
        tx, ty = self._ends.get(leaving) or self._end_beyond(leaving, following)
        height = ty - y
        at = x - (tx - x) * y / height if height > 0.0 else x
        at = low if at < low else high if at > high else at
        bound = far + hypot(at - x, y) + hypot(tx - at, ty)
        if bound >= self.best:
            return
        entry = self._mate[leaving]
        while entry != leaving:
            if self._is_open(entry // 3):
                part = low, high, x
                if self._vertex[entry] == self._vertex[leaving]:
                    part = length - high, length - low, length - x
                heappush(self._heap, (bound, entry, leaving, *part, y, far, source, before))
            entry = self._mate[entry]

    def _is_useless(
        self, leaving: int, low: float, high: float, x: float, y: float, far: float, side: int
    ) -> bool:
        """Whether it is shorter through a vertex of the triangle to wherever the lines go."""
        reached, vertex, length = self._reached, self._vertex, self._length[leaving]
        near, away = far + hypot(low - x, y), far + hypot(high - x, y)
        more = 1.0 + _TIE
        if (reached.get(vertex[after(leaving)], inf) + high) * more < away:
            return True
        if (reached.get(vertex[leaving], inf) + length - low) * more < near:
            return True
        if side == _EITHER:
            return False
        known = reached.get(vertex[ahead_of(leaving)], inf)
        ax, ay = length - self._apex_x[leaving], self._apex_y[leaving]
        if side == _LEFT:
            return (known + hypot(low - ax, ay)) * more < near
        return (known + hypot(high - ax, ay)) * more < away

    def _reach(
        self,
        vertex: int,
        far: float,
        window: int,
        half_edge: int,
        x: float,
        y: float,
        is_straight: bool,
    ) -> None:
        """Note a path to a vertex with this last step, and go on from there if it may."""
        known = self._reached.get(vertex, inf)
        if far < known:
            self._reached[vertex] = far
        # One that is not straight on may be as short, but for rounding: it goes nowhere.
        if not is_straight or far > known * (1.0 + _TIE) or not self.surface.bends[vertex]:
            return
        if far < self._straight.get(vertex, inf) * (1.0 - _TIE):
            self._straight[vertex], self.steps[vertex] = far, Step(window, half_edge, x, y)
            bound = far + hypot(*(self._points[vertex, i] - self.end.point[i] for i in (0, 1, 2)))
            heappush(self._heap, (bound, -1, 0, 0.0, 0.0, 0.0, 0.0, far, vertex, 0))

    def _reach_sides(self, corner: int, far: float, first: bool, second: bool) -> None:
        """Go along both sides of a corner, which may be straight on."""
        before, step = ahead_of(corner), (FROM_VERTEX, corner, 0.0, 0.0)
        self._reach(self._vertex[after(corner)], far + self._length[corner], *step, first)
        self._reach(self._vertex[before], far + self._length[before], *step, second)

    def _arrive(self, length: float, window: int, half_edge: int, x: float, y: float) -> None:
        """Note a path to the end with this last step, if it is the shortest so far."""
        if length < self.best:
            self.best, self.last = length, Step(window, half_edge, x, y)

    def _end_beyond(self, leaving: int, following: int) -> tuple[float, float]:
        """The end, turned around a half-edge into the plane across it, in the frame there."""
        length, points = self._length[leaving], self._points
        start, end = self._vertex[following], self._vertex[leaving]
        way = [self.end.point[axis] - points[start, axis] for axis in range(3)]
        edge = [(points[end, axis] - points[start, axis]) / length for axis in range(3)]
        x = way[0] * edge[0] + way[1] * edge[1] + way[2] * edge[2]
        y = hypot(way[0] - x * edge[0], way[1] - x * edge[1], way[2] - x * edge[2])
        self._ends[leaving] = x, y
        return x, y

    def _is_open(self, triangle: int) -> bool:
        return self._within is None or bool(self._within[triangle])
