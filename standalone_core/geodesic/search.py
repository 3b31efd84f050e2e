# SPDX-License-Identifier: MIT
"""The shortest path, found by windows; for the sources see :meth:`.Walkable.surface_path`.

Windows begin at the start, or at a vertex where paths may bend, and go on through triangle after
triangle, split in two by each vertex in their way. Those that a known path to a vertex makes
useless are dropped. The others are followed toward the end, the least possible length first; those
that cannot lead to a shorter path than the best known are never followed.
"""

from __future__ import annotations

from math import inf, pi
from typing import Any, NamedTuple

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray, IntArray, dot
from .half_edges import HalfEdges, Place, is_thin, offsets_in, pairs
from .windows import (
    FROM_START,
    FROM_VERTEX,
    TIE,
    Followed,
    Pending,
    Reach,
    Step,
    Windows,
    after,
    crossing,
    joined,
    meets,
    meets_at,
    previous,
    selected,
    shortest_parts,
)

_EITHER, _RIGHT, _LEFT = 0, 1, 2
"""Through which edge the lines of a window entered the last triangle: see _is_useless."""

_MARGIN = 1e-6
"""Angles of half a turn may be smaller by this, in radians."""

Ways = tuple[IntArray, IntArray, FloatArray, FloatArray]


class _Leaving(NamedTuple):
    """Windows on the half-edges through which lines leave, as columns (N,).

    See :class:`Windows`; the frame of each is that of a mate that runs the other way.
    """

    half_edge: IntArray
    low: FloatArray
    high: FloatArray
    x: FloatArray
    y: FloatArray
    far: FloatArray
    source: IntArray
    before: IntArray
    side: IntArray


class Search:
    """A search for the shortest path between two places.

    `best` is the length of a known path: longer ones are not looked for. At most `most` windows are
    followed, and as many may wait. `within` (T,) tells whether paths may go into each triangle.
    """

    def __init__(
        self,
        surface: HalfEdges,
        start: Place,
        end: Place,
        best: float,
        most: int | None = None,
        within: BoolArray | None = None,
    ) -> None:
        self.surface, self.start, self.end = surface, start, end
        self.best = best * (1.0 + TIE)
        self.last: Step | None = None  # of the path with the length `best`, if one was found
        self.followed = Followed()
        self._most, self._within = inf if most is None else most, within
        self._pending = Pending(self._most)
        self._point = np.array(end.point)
        # Memory that is empty or 0 costs nothing before it is written to.
        vertex_count, half_edge_count = len(surface.vertices), len(surface.vertex)
        self._is_end = np.zeros(half_edge_count // 3, dtype=np.bool_)
        self._is_end[list(end.everywhere)] = True
        self._far = np.full(vertex_count, inf)  # the length of a path to each vertex
        self._straight = np.full(vertex_count, inf)  # that of a path that goes on from there
        self._window, self._half_edge = np.empty((2, vertex_count), dtype=np.int64)  # its last step
        self._from = np.empty((2, vertex_count))
        self._apex = np.zeros((2, half_edge_count))  # see _sides
        self._known = dict[int, list[Reach]]()  # see _shortest

    @np.errstate(divide="ignore", invalid="ignore")  # NaN, at an edge without length, is dropped.
    def run(self) -> bool:
        """Search; return whether that was completed, so that no path is shorter than `best`."""
        self._cross(self._leave_start())
        while (batch := self._pending.take(self.best)) is not None:
            is_vertex = batch.entry < 0
            # A shorter path to the source of a window may have been found since.
            is_new = (batch.source < 0) | (batch.far <= self._far[batch.source] * (1.0 + TIE))
            is_new &= batch.bound < self.best
            vertices = selected(batch, is_new & is_vertex)
            windows = selected(batch, is_new & ~is_vertex)
            room = self._most - self.followed.count
            if len(windows.bound) > room:
                if room == 0:
                    return False
                windows = self._pending.best_of(windows, int(room))
            leaving = []
            if len(vertices.bound):
                leaving.append(self._leave_vertices(vertices.source, vertices.far))
            if len(windows.bound):
                leaving.append(self._follow(windows))
            if leaving:
                self._cross(joined(leaving))
        return self.best <= self._pending.lost

    def step_to(self, vertex: int) -> Step:
        """The last piece of the path to a vertex where paths go on."""
        window, half_edge = int(self._window[vertex]), int(self._half_edge[vertex])
        if window < 0:
            return Step(window, half_edge, 0.0, 0.0)
        x, y = self.surface.apex_x[half_edge], self.surface.apex_y[half_edge]
        return Step(window, half_edge, float(x), float(y))

    def _leave_start(self) -> _Leaving:
        surface, (half_edge, weights) = self.surface, self.start.half_edges()
        x, y = offsets_in(surface, half_edge, weights)
        vertex, length = surface.vertex[half_edge], surface.length[half_edge]
        far, zero, none = _size(x, y), np.zeros(len(x)), _all(-1, x)
        is_straight = np.ones(len(x), dtype=np.bool_)
        self._reach(vertex, far, is_straight, _all(FROM_START, x), half_edge, x, y)
        # No window crosses an edge that the start is on; in a thin triangle it may be on two.
        triangles = surface.vertex[half_edge].reshape(-1, 3)
        leaves = ~is_thin(surface.vertices, triangles, surface.apex_y[half_edge]).repeat(3)
        leaves &= weights[np.arange(len(x)), (half_edge + 2) % 3] > 0.0
        high = np.where(leaves, length, 0.0)
        if self._within is not None:
            high[~self._within[half_edge // 3]] = 0.0
        return _Leaving(half_edge, zero, high, length - x, -y, zero, none, none, _all(_EITHER, x))

    def _leave_vertices(self, vertex: IntArray, far: FloatArray) -> _Leaving:
        surface = self.surface
        if surface.between[vertex].any():  # On an edge: no window goes through it from there.
            rows = np.flatnonzero(surface.between[vertex])
            way = surface.vertices[vertex[rows]] - self._point
            self._pending.lose(far[rows] + np.sqrt(dot(way, way)))
        row, corner = self._open(*surface.meeting.corners_at(vertex))
        no = np.zeros(len(corner), dtype=np.bool_)
        self._reach_sides(corner, far[row], no, no)
        self._arrive_from(corner, far[row])
        # Paths go in all directions from a vertex without one closed fan.
        is_fan = np.isfinite(surface.turn[vertex])
        is_free = ~is_fan[row]
        free = row[is_free], corner[is_free]
        fans = np.flatnonzero(is_fan)
        entered, angle = self._way_back(vertex[fans])
        way, *ways = ways_on(surface, entered, angle, surface.turn[vertex[fans]])
        low = np.concatenate([np.zeros(len(free[0])), ways[1]])
        high = np.concatenate([np.full(len(free[0]), inf), ways[2]])
        row = np.concatenate([free[0], fans[way]])
        corner = np.concatenate([free[1], ways[0]])
        row, corner, low, high = self._open(row, corner, low, high)
        return self._leave_corners(corner, low, high, far[row], vertex[row])

    def _way_back(self, vertex: IntArray) -> tuple[IntArray, FloatArray]:
        """The corners through which paths to vertices come, and the angles there."""
        half_edge = self._half_edge[vertex]
        corners = (half_edge - half_edge % 3)[:, None] + np.arange(3)
        is_own = self.surface.vertex[corners] == vertex[:, None]
        corner = corners[np.arange(len(vertex)), np.argmax(is_own, axis=1)]
        return corner, angle_at(self.surface, corner, half_edge, *self._from[:, vertex])

    def _leave_corners(
        self, corner: IntArray, low: FloatArray, high: FloatArray, far: FloatArray, vertex: IntArray
    ) -> _Leaving:
        """Go on from corners, between two angles from their first sides."""
        surface, opposite = self.surface, after(corner)
        length, ax, ay = (each[corner] for each in (surface.length, surface.apex_x, surface.apex_y))
        size, full = surface.length[opposite], np.arctan2(ay, ax)
        is_first, is_second = (low <= 0.0) & (high >= 0.0), (low <= full) & (high >= full)
        self._reach_sides(corner, far, is_first, is_second)
        ux, uy = (length - ax) / size, -ay / size  # from the second side to the first
        start = meets_at(np.minimum(high, full), ax, ay, ux, uy)
        end = np.minimum(meets_at(np.maximum(low, 0.0), ax, ay, ux, uy), size)
        start, end = np.where(high < full, start, 0.0), np.where(low > 0.0, end, size)
        x, y = size - surface.apex_x[opposite], -surface.apex_y[opposite]
        none, side = _all(-1, far), _all(_EITHER, far)
        return _Leaving(opposite, start, end, x, y, far, vertex, none, side)

    def _follow(self, windows: Windows) -> _Leaving:
        """Go on through the triangles of windows, to their other edges."""
        surface, number = self.surface, self.followed.add(windows)
        self._arrive_through(windows, number)
        _, entry, _, low, high, x, y, far, source, _ = windows
        ax, ay, length = (each[entry] for each in (surface.apex_x, surface.apex_y, surface.length))
        height = ay - y
        split = x - (ax - x) * y / height
        at = np.minimum(np.maximum(split, low), high)
        away = far + _size(at - x, y) + _size(ax - at, ay)
        is_straight = away <= (far + _size(ax - x, height)) * (1.0 + TIE)
        # Lines that run along an edge are dropped: height is 0, and comparisons with NaN are false.
        vertex = surface.vertex[previous(entry)]
        self._reach(vertex, np.fmin(away, inf), is_straight, number, entry, x, y)
        goes_left, goes_right = low < split, split < high
        both = np.flatnonzero(goes_left & goes_right)
        goes_left[both], goes_right[both] = self._sides(entry[both], away[both], split[both])
        left, right = np.flatnonzero(goes_left), np.flatnonzero(goes_right)
        rows = np.append(left, right)
        leaving = np.append(previous(entry[left]), after(entry[right]))
        size = surface.length[leaving]
        # To the right, all is mirrored: places are measured from the end of the edge.
        back = slice(len(left), None)
        low, high = (
            np.append(low[left], (length - high)[right]),
            np.append(high[left], (length - low)[right]),
        )
        x, ax, split = (np.append(each[left], (length - each)[right]) for each in (x, ax, split))
        y, ux, uy = y[rows], ax / size, ay[rows] / size
        start, end = meets(x, y, low, ux, uy), np.minimum(meets(x, y, high, ux, uy), size)
        end = np.where(split <= high, size, end)
        x, y = x * ux + y * uy, ux * y - uy * x
        start[back], end[back] = size[back] - end[back], size[back] - start[back]
        x[back] = size[back] - x[back]
        side = np.repeat([_LEFT, _RIGHT], [len(left), len(right)])
        return _Leaving(leaving, start, end, x, y, far[rows], source[rows], number[rows], side)

    def _sides(
        self, entry: IntArray, away: FloatArray, split: FloatArray
    ) -> tuple[BoolArray, BoolArray]:
        """Whether lines that pass an apex on both sides may go on to its left, and to its right.

        Of two windows with such lines, the one with the longer way to the apex is only of use on
        its own side of the other (Chen and Han).
        """
        known = self._apex[0, entry]
        rows = np.flatnonzero((away < known) | (known == 0.0))
        rows = rows[np.argsort(-away[rows], kind="stable")]
        # Of several at one apex the last is kept, which is the nearest.
        self._apex[0, entry[rows]], self._apex[1, entry[rows]] = away[rows], split[rows]
        nearest, at = self._apex[0, entry], self._apex[1, entry]
        is_near = away <= nearest * (1.0 + TIE)
        return is_near | (split <= at), is_near | (split >= at)

    def _cross(self, leaving: _Leaving) -> None:
        """Add windows across half-edges, where they are of use."""
        leaving = leaving._replace(low=np.maximum(leaving.low, 0.0))
        is_of_use = (leaving.low < leaving.high) & ~self._is_useless(leaving)
        leaving = selected(leaving, is_of_use)
        bound = self._bound(leaving)
        is_short = bound < self.best
        half_edge, low, high, x, y, far, source, before, _ = selected(leaving, is_short)
        bound = bound[is_short]
        windows = Windows(bound, half_edge, half_edge, low, high, x, y, far, source, before)
        is_shared = self.surface.meeting.is_shared[half_edge]
        if is_shared.any():
            shared = self._shortest(selected(windows, is_shared))
            windows = joined([selected(windows, ~is_shared), shared])
        mate = self.surface.meeting.mate
        while True:
            windows = windows._replace(entry=mate[windows.entry])
            windows = selected(windows, windows.entry != windows.leaving)
            if not len(windows.entry):
                return
            self._enter(windows)

    def _shortest(self, windows: Windows) -> Windows:
        """The parts of windows where no known lines across the same edge are as short."""
        surface, leaving = self.surface, windows.leaving
        start, end = surface.vertex[after(leaving)], surface.vertex[leaving]
        # In the frame from the lower vertex to the higher one.
        is_turned, length = start > end, surface.length[leaving]
        low, high = np.where(is_turned, (length - windows.high, length - windows.low), windows[3:5])
        x = np.where(is_turned, length - windows.x, windows.x)
        edges = pairs(start, end, len(surface.vertices))
        reaches = np.stack([low, high, x, windows.y, windows.far], axis=1).tolist()
        rows, parts = [], []
        for row in np.argsort(windows.bound, kind="stable").tolist():
            known = self._known.setdefault(int(edges[row]), [])
            found = shortest_parts(Reach(*reaches[row]), known)
            rows += [row] * len(found)
            parts += [part[:2] for part in found]
        ends = np.array(parts).reshape(-1, 2).T
        is_turned, length = is_turned[rows], length[rows]
        low, high = np.where(is_turned, (length - ends[1], length - ends[0]), ends)
        return selected(windows, np.array(rows, dtype=np.int64))._replace(low=low, high=high)

    def _enter(self, windows: Windows) -> None:
        """Add windows, whose numbers are in the frame of a mate that runs the other way."""
        if self._within is not None:
            windows = selected(windows, self._within[windows.entry // 3])
        surface, (_, entry, leaving, low, high, x, *_) = self.surface, windows
        is_turned = surface.vertex[entry] == surface.vertex[leaving]
        if is_turned.any():
            length = surface.length[entry]
            ends = np.where(is_turned, (length - high, length - low), (low, high))
            x = np.where(is_turned, length - x, x)
            windows = windows._replace(low=ends[0], high=ends[1], x=x)
        self._pending.add(windows)

    def _is_useless(self, leaving: _Leaving) -> BoolArray:
        """Whether a path through a vertex of the triangle is shorter, wherever the lines go.

        The lines entered that triangle through its edge at the start (_LEFT) or the end (_RIGHT) of
        the frame.
        """
        surface, known, more = self.surface, self._far, 1.0 + TIE
        half_edge, low, high, x, y, far, _, _, side = leaving
        length = surface.length[half_edge]
        near, away = far + _size(low - x, y), far + _size(high - x, y)
        useless = (known[surface.vertex[after(half_edge)]] + high) * more < away
        useless |= (known[surface.vertex[half_edge]] + length - low) * more < near
        ax, ay = length - surface.apex_x[half_edge], surface.apex_y[half_edge]
        is_left = side == _LEFT
        across = known[surface.vertex[previous(half_edge)]]
        across = across + _size(np.where(is_left, low, high) - ax, ay)
        useless |= (across * more < np.where(is_left, near, away)) & (side != _EITHER)
        return np.asarray(useless)

    def _bound(self, leaving: _Leaving) -> FloatArray:
        """Lower bounds of paths to the end, as if it were turned into the plane beyond an edge."""
        surface, (half_edge, low, high, x, y, far, *_) = self.surface, leaving
        start = surface.vertices[surface.vertex[after(half_edge)]]
        edge = surface.vertices[surface.vertex[half_edge]] - start
        way = self._point - start
        tx = dot(way, edge) / surface.length[half_edge]
        edge *= (tx / surface.length[half_edge])[:, None]
        way -= edge
        ty = np.sqrt(dot(way, way))
        at = crossing(low, high, x, y, tx, ty)
        return far + _size(at - x, y) + _size(tx - at, ty)

    def _reach(
        self,
        vertex: IntArray,
        far: FloatArray,
        is_straight: BoolArray,
        window: IntArray,
        half_edge: IntArray,
        x: FloatArray,
        y: FloatArray,
    ) -> None:
        """Note paths (N,) to vertices, and go on from there where they may.

        See :class:`Step`; the last pieces come from (x, y) in the frames of the half-edges.
        """
        np.minimum.at(self._far, vertex, far)
        # A path that cannot go straight on may be as short up to rounding, but goes no further.
        goes_on = is_straight & self.surface.bends[vertex]
        goes_on &= far <= self._far[vertex] * (1.0 + TIE)
        goes_on &= far < self._straight[vertex] * (1.0 - TIE)
        rows = np.flatnonzero(goes_on)
        if not len(rows):
            return
        rows = rows[np.lexsort((far[rows], vertex[rows]))]
        rows = rows[np.append(True, np.diff(vertex[rows]) > 0)]
        vertex, far = vertex[rows], far[rows]
        self._straight[vertex], self._window[vertex] = far, window[rows]
        self._half_edge[vertex] = half_edge[rows]
        self._from[0, vertex], self._from[1, vertex] = x[rows], y[rows]
        way = self.surface.vertices[vertex] - self._point
        zero, none = np.zeros(len(far)), _all(-1, far)
        bound = far + np.sqrt(dot(way, way))
        self._pending.add(Windows(bound, none, none, zero, zero, zero, zero, far, vertex, none))

    def _reach_sides(
        self, corner: IntArray, far: FloatArray, first: BoolArray, second: BoolArray
    ) -> None:
        """Go along both sides of corners; either side may be straight on."""
        surface, before = self.surface, previous(corner)
        vertex = surface.vertex[np.concatenate([after(corner), before])]
        far = np.concatenate([far + surface.length[corner], far + surface.length[before]])
        zero, window = np.zeros(len(far)), _all(FROM_VERTEX, far)
        half_edge, is_straight = np.concatenate([corner, corner]), np.concatenate([first, second])
        self._reach(vertex, far, is_straight, window, half_edge, zero, zero)

    def _arrive_from(self, corner: IntArray, far: FloatArray) -> None:
        """Go straight to the end from vertices of its triangles, whose corners are given."""
        rows = np.flatnonzero(self._is_end[corner // 3])
        if len(rows):
            x, y = offsets_in(self.surface, corner[rows], self.end.weights_in(corner[rows] // 3))
            self._arrive(far[rows] + _size(x, y), _all(FROM_VERTEX, x), corner[rows], x, y)

    def _arrive_through(self, windows: Windows, number: IntArray) -> None:
        """Go straight to the end through windows into its triangles."""
        rows = np.flatnonzero(self._is_end[windows.entry // 3])
        if len(rows):
            _, entry, _, low, high, x, y, far, _, _ = selected(windows, rows)
            tx, ty = offsets_in(self.surface, entry, self.end.weights_in(entry // 3))
            at = crossing(low, high, x, y, tx, ty)
            self._arrive(far + _size(at - x, y) + _size(tx - at, ty), number[rows], entry, tx, ty)

    def _arrive(
        self,
        length: FloatArray,
        window: IntArray,
        half_edge: IntArray,
        x: FloatArray,
        y: FloatArray,
    ) -> None:
        """Note the shortest of paths to the end with these last steps, if it is the best yet."""
        row = int(np.argmin(length))
        if length[row] < self.best:
            self.best = float(length[row])
            self.last = Step(*(each[row].item() for each in (window, half_edge, x, y)))

    def _open(self, row: IntArray, corner: IntArray, *more: FloatArray) -> tuple[Any, ...]:
        """The rows of the columns (N,) where paths may go into the corner's triangle."""
        columns = row, corner, *more
        if self._within is None:
            return columns
        return tuple(column[self._within[corner // 3]] for column in columns)


def _size(x: FloatArray, y: FloatArray) -> FloatArray:
    """The length of vectors (x, y), in units in which no square overflows."""
    return np.sqrt(x * x + y * y)


def _all(value: int, like: FloatArray) -> IntArray:
    return np.full(len(like), value, dtype=np.int64)


def ways_on(surface: HalfEdges, corner: IntArray, angle: FloatArray, turn: FloatArray) -> Ways:
    """The corners (K,) that N paths may go on into from vertices at which they bend.

    On both sides of a path there is at least half a turn: else it would be shorter beside the
    vertex. A corner is named by the half-edge that starts there, its first side. Each path comes in
    through a corner (N,) at an angle from that side; all corners around its vertex are one closed
    fan, whose angles add up to `turn`. Returns the numbers of the paths, their corners, and the
    angles from the first sides between which they go on.
    """
    row, vertex = np.arange(len(corner)), surface.vertex[corner]
    most = turn - pi + _MARGIN
    # The angle from the path to the side where a corner is entered.
    ahead, is_turned = -angle, np.zeros(len(corner), dtype=np.bool_)
    none = np.empty(0)
    found: list[Ways] = [(row[:0], corner[:0], none, none)]
    while len(row := row[(goes_on := ahead <= most[row])]):
        corner, ahead, is_turned = corner[goes_on], ahead[goes_on], is_turned[goes_on]
        size = np.arctan2(surface.apex_y[corner], surface.apex_x[corner])
        low, high = pi - _MARGIN - ahead, most[row] - ahead
        first, last = np.where(is_turned, (size - high, size - low), (low, high))
        seen = low <= size
        found.append((row[seen], corner[seen], first[seen], last[seen]))
        ahead = ahead + size
        across = surface.meeting.mate[np.where(is_turned, corner, previous(corner))]
        is_turned = surface.vertex[across] != vertex[row]
        corner = np.where(is_turned, after(across), across)
    rows, corners, lows, highs = map(np.concatenate, zip(*found, strict=True))
    return rows, corners, lows, highs


def angle_at(
    surface: HalfEdges, corner: IntArray, half_edge: IntArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    """The angles between the first sides of corners and the lines to points of half-edges' frames.

    Corner and half-edge are of one triangle; the point is in it or across the half-edge.
    """
    length = surface.length[half_edge]
    ax, ay = surface.apex_x[half_edge], surface.apex_y[half_edge]
    is_at_start, is_at_end = corner == half_edge, corner == after(half_edge)
    # The corner's own place, and its first side.
    px = np.where(is_at_start, 0.0, np.where(is_at_end, length, ax))
    py = np.where(is_at_start | is_at_end, 0.0, ay)
    ux = np.where(is_at_start, length, np.where(is_at_end, ax - length, -ax))
    uy = np.where(is_at_start, 0.0, np.where(is_at_end, ay, -ay))
    x, y = x - px, y - py
    size = np.arctan2(surface.apex_y[corner], surface.apex_x[corner])
    return np.minimum(np.maximum(np.arctan2(ux * y - uy * x, x * ux + y * uy), 0.0), size)
