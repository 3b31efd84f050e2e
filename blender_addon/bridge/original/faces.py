# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces that modifiers make of an object's own faces, in known orders, and places on them.

A quad that is subdivided to level L becomes a grid of 2^L x 2^L quads. Any other face of n corners
becomes n grids of 2^(L-1) x 2^(L-1): one at each corner, between that corner, the middle of the
edge after it, the center of the face, and the middle of the edge before it. The quads of a grid
have their corners in the order of the grid's own. The order of the quads was read off Blender 4.2
to 5.0.

A place on a face is a point of the polygon that stands for it. For a quad that is the unit square,
its corners at (0, 0), (1, 0), (1, 1), (0, 1); for any other face of n corners the regular polygon
in the unit circle, its first corner at (1, 0). Each triangle of the face is mapped to the triangle
of the polygon's corresponding corners, whichever way the face is split.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import bmesh
import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...standalone_core.extension import BoolArray, FloatArray, IntArray, cached
from ..mesh.arrays import face_starts

CopyNumbers = dict[str, IntArray]
"""By the name of a modifier that copies faces, the number of the copy (N,), from 0."""

NO_MATCH = "The faces do not match the modifier settings"

# Two rings of three corners are the least that merging cuts a face into; the number of all corners
# shows if a smaller one has lost corners.
_LARGEST_WHOLE = 5

_SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


class UnknownOriginError(Exception):
    """The original face is unknown; the message, which the user sees, says why."""


class Faces:
    """The faces of a mesh after some of the modifiers.

    This base class has those before all modifiers: as stored or, in edit mode, as edited.
    The corners of a mesh are numbered face by face: a corner's index determines its face.
    """

    endless = False  # the known faces are copied an unknown number of times
    more = False  # an unknown number of other faces may follow the known ones
    uncertain = False  # faces may be missing, unless the numbers of faces and corners match
    maps_places = True  # places on the faces can be mapped to the first mesh, and back
    divided = False  # faces may have been cut in two, unless the number of faces matches

    def __init__(self, mesh: bpy.types.Mesh) -> None:
        self._mesh = mesh
        self._edited = bmesh.from_edit_mesh(mesh) if mesh.is_editmode else None
        # How often each modifier copies faces, by its name; None for an unknown number.
        self.copies: dict[str, int | None] = {}

    @property
    def count(self) -> int:
        """The number of known faces."""
        return len(self._mesh.polygons if self._edited is None else self._edited.faces)

    @property
    def corners(self) -> int:
        """The number of their corners."""
        return len(self._mesh.loops) if self._edited is None else int(self._starts[-1])

    @cached
    def _starts(self) -> IntArray:
        """The first corner of each face (F,), and the number of all corners."""
        if self._edited is not None:
            return np.array([0, *accumulate(len(face.verts) for face in self._edited.faces)])
        return np.append(face_starts(self._mesh), len(self._mesh.loops)).astype(np.int64)

    @property
    def largest(self) -> int:
        """The most corners of a known face."""
        return int(self.face_corners(np.arange(self.count))[1].max(initial=0))

    def origin(self, face: int) -> int:
        """The face of the first mesh that a face comes from, or UnknownOriginError."""
        return face

    def origins(self, faces: IntArray) -> IntArray:
        """The origins of faces (N,), with -1 where they are not known."""
        return faces

    def first_corner(self, face: int) -> int:
        """The first corner of a face; the number of all corners for the face after the last."""
        if self._edited is not None:
            return int(self._starts[face])
        return self._mesh.polygons[face].loop_start if face < self.count else self.corners

    def at_corner(self, corner: int) -> int:
        """The face that a corner belongs to; far less is read than by :meth:`at_corners`."""
        return bisect_right(range(self.count), corner, key=self.first_corner) - 1

    def face_corners(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        """The first corner of each of some faces (N,), and their numbers of corners (N,)."""
        return self._starts[faces], self._starts[faces + 1] - self._starts[faces]

    def at_corners(self, corners: IntArray) -> IntArray:
        """The faces (N,) that corners (N,) belong to."""
        return self._starts.searchsorted(corners, side="right") - 1

    def forward(self, points: PolygonPoints, copy_numbers: CopyNumbers) -> PolygonPoints:  # noqa: ARG002
        """Map points of the first mesh to this one: to the copies given, by default the first."""
        return points

    def back(self, points: PolygonPoints) -> tuple[PolygonPoints, CopyNumbers]:
        """Map points of known faces to the first mesh, and tell which copies they were on."""
        return points, {}

    def known(self, faces: IntArray) -> BoolArray:
        """Which of some faces (N,) come from a face of the first mesh."""
        return np.full(len(faces), True) if self.endless else faces < self.count

    def complete(self) -> bool:
        """Whether surely no face is missing, found without the modified mesh; may take long."""
        return not self.uncertain

    def check(self, mesh: bpy.types.Mesh) -> None:
        """Raise UnknownOriginError unless a mesh can have these faces."""
        count = len(mesh.polygons)
        right = count >= self.count if self.more else count == self.count
        if right and self.uncertain:
            right = not self.more and len(mesh.loops) == self.corners
        if not right:
            raise UnknownOriginError(NO_MATCH)


class Copies(Faces):
    """All faces of a source, copy after copy, then perhaps new ones (`more`).

    The modifier `maker` makes `times` copies, None for an unknown number. If it merges vertices,
    which may remove faces, `keeps_all` finds out whether it surely removes none. `mirrored` tells
    which copies have the corners of each face in reverse order, from the same first corner.
    `divides` says that merging may cut faces in two: it may merge two vertices of one face.
    """

    def __init__(
        self,
        source: Faces,
        maker: str,
        times: int | None,
        more: bool = False,
        merged: bool = False,
        divides: bool = False,
        keeps_all: Callable[[], bool] = lambda: False,
        mirrored: Callable[[IntArray], BoolArray] = lambda copies: copies < 0,
    ) -> None:
        if source.more:
            raise UnknownOriginError(f"The modifier {maker} copies an unknown number of faces")
        self._source, self._maker = source, maker
        self.endless = times is None and source.count > 0
        self._times = times or 1
        self.copies = {**source.copies, maker: None if self.endless else self._times}
        self._merged, self._keeps_all, self._mirrored = merged, keeps_all, mirrored
        self.more = more or self.endless
        # If an unknown number of new faces follows, the total cannot prove that none is missing.
        if self.more and not source.complete():
            raise UnknownOriginError(f"Faces may be missing before the modifier {maker}")
        self.uncertain = merged or (source.uncertain and not self.more)
        self.divided, self.maps_places = divides or source.divided, source.maps_places

    @property
    def count(self) -> int:
        return self._times * self._source.count

    @property
    def corners(self) -> int:
        return self._times * self._source.corners

    def complete(self) -> bool:
        return self._source.complete() and (not self._merged or self._keeps_all())

    def origin(self, face: int) -> int:
        if face >= self.count and not self.endless:
            raise UnknownOriginError(f"Made by the modifier {self._maker}")
        return self._source.origin(face % self._source.count)

    def origins(self, faces: IntArray) -> IntArray:
        found = self._source.origins(faces % max(self._source.count, 1))
        return np.where(self.known(faces), found, -1)

    def first_corner(self, face: int) -> int:
        copy, face = divmod(face, self._source.count)
        return copy * self._source.corners + self._source.first_corner(face)

    def at_corner(self, corner: int) -> int:
        if corner >= self.corners and not self.endless:
            return self.count
        copy, corner = divmod(corner, self._source.corners)
        return copy * self._source.count + self._source.at_corner(corner)

    def face_corners(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        copies, faces = np.divmod(faces, max(self._source.count, 1))
        firsts, sizes = self._source.face_corners(faces)
        return firsts + copies * self._source.corners, sizes

    def at_corners(self, corners: IntArray) -> IntArray:
        copies, corners = np.divmod(corners, max(self._source.corners, 1))
        return copies * self._source.count + self._source.at_corners(corners)

    def forward(self, points: PolygonPoints, copy_numbers: CopyNumbers) -> PolygonPoints:
        points = self._source.forward(points, copy_numbers)
        copies = copy_numbers.get(self._maker, np.zeros_like(points.faces))
        there = points._replace(faces=points.faces + copies * self._source.count)
        return there.mirrored(self._mirrored(copies))

    def back(self, points: PolygonPoints) -> tuple[PolygonPoints, CopyNumbers]:
        copies, faces = np.divmod(points.faces, max(self._source.count, 1))
        first = points._replace(faces=faces).mirrored(self._mirrored(copies))
        found, copy_numbers = self._source.back(first)
        return found, {**copy_numbers, self._maker: copies}


class Subdivided(Faces):
    """A quad for each corner of each face, and four for each quad at each further level."""

    def __init__(self, source: Faces, maker: str, levels: int) -> None:
        if source.divided and source.largest > _LARGEST_WHOLE:
            raise UnknownOriginError(f"Faces may be missing before the modifier {maker}")
        self._source, self._levels, self.copies = source, levels, source.copies
        self._quads: int = 4 ** (levels - 1)
        self.more, self.uncertain, self.endless = source.more, source.uncertain, source.endless
        self.maps_places = source.maps_places

    @property
    def count(self) -> int:
        return self._quads * self._source.corners

    @property
    def corners(self) -> int:
        return 4 * self.count

    def complete(self) -> bool:
        return self._source.complete()

    def origin(self, face: int) -> int:
        return self._source.origin(self._source.at_corner(face // self._quads))

    def origins(self, faces: IntArray) -> IntArray:
        found = self._source.origins(self._source.at_corners(faces // self._quads))
        return np.where(self.known(faces), found, -1)

    def first_corner(self, face: int) -> int:
        return 4 * face

    def at_corner(self, corner: int) -> int:
        return corner // 4

    def face_corners(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        return 4 * faces, np.full(len(faces), 4)

    def at_corners(self, corners: IntArray) -> IntArray:
        return corners // 4

    def forward(self, points: PolygonPoints, copy_numbers: CopyNumbers) -> PolygonPoints:
        points = self._source.forward(points, copy_numbers)
        firsts, _ = self._source.face_corners(points.faces)
        numbers, at = subdivided(points, self._levels)
        return PolygonPoints(self._quads * firsts + numbers, np.full(len(at), 4), at)

    def back(self, points: PolygonPoints) -> tuple[PolygonPoints, CopyNumbers]:
        faces = self._source.at_corners(points.faces // self._quads)
        firsts, sizes = self._source.face_corners(faces)
        at = united(sizes, points.faces - self._quads * firsts, points.at, self._levels)
        return self._source.back(PolygonPoints(faces, sizes, at))


def subdivided(points: PolygonPoints, levels: int) -> tuple[IntArray, FloatArray]:
    """The number (N,) of the quad that each point is on, and the point (N, 2) there."""
    numbers = np.zeros(len(points.faces), np.int64)
    at = np.empty_like(points.at)
    for size in np.unique(points.sizes).tolist():
        rows = np.flatnonzero(points.sizes == size)
        side = _side(size, levels)
        grid, inside = _in_grid(size, points.at[rows])
        scaled = inside * side
        cell = np.clip(np.floor(scaled), 0, side - 1).astype(np.int64)
        numbers[rows] = _numbers(size, side)[grid, cell[:, 0], cell[:, 1]]
        at[rows] = scaled - cell
    return numbers, at


def united(sizes: IntArray, numbers: IntArray, at: FloatArray, levels: int) -> FloatArray:
    """Points (N, 2) of faces with `sizes` corners, from points `at` of their numbered quads."""
    found = np.empty_like(at)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        side = _side(size, levels)
        cells = _cells(size, side)[numbers[rows]]
        inside = (cells[:, 1:] + at[rows]) / side
        found[rows] = _out_of_grid(size, cells[:, 0], inside)
    return found


def _side(size: int, levels: int) -> int:
    return 1 << (levels if size == 4 else levels - 1)


def _in_grid(size: int, at: FloatArray) -> tuple[IntArray, FloatArray]:
    """The grids (N,) that points (N, 2) of a polygon are on, and where in their unit squares."""
    if size == 4:
        return np.zeros(len(at), np.int64), at
    step = 2.0 * np.pi / size
    grid = np.round(np.arctan2(at[:, 1], at[:, 0]) / step).astype(np.int64) % size
    # With the corner at (0, 0) and the center at (1, 0), the middles are at (h, k) and (h, -k).
    angle = step * grid
    x = 1.0 - (at[:, 0] * np.cos(angle) + at[:, 1] * np.sin(angle))
    y = at[:, 1] * np.cos(angle) - at[:, 0] * np.sin(angle)
    h, k = _middle(size)
    # The point (s, t) of the square is at x = (s + t) h + s t (1 - 2 h), y = (s - t) k.
    apart, bend = y / k, (1.0 - 2.0 * h) / 4.0
    wanted = x + bend * apart * apart
    root = np.sqrt(np.maximum(h * h + 4.0 * bend * wanted, 0.0))
    together = 2.0 * wanted / (h + root)
    return grid, np.stack([together + apart, together - apart], axis=-1) / 2.0


def _out_of_grid(size: int, grid: IntArray, inside: FloatArray) -> FloatArray:
    if size == 4:
        return inside
    s, t = inside.T
    h, k = _middle(size)
    x, y = 1.0 - ((s + t) * h + s * t * (1.0 - 2.0 * h)), (s - t) * k
    cos, sin = corners_at(grid, np.full(len(grid), size)).T
    return np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)


def _middle(size: int) -> tuple[float, float]:
    """How far the middle of an edge is from a corner, toward the center and across that."""
    half = np.pi / size
    return float(np.sin(half) ** 2), float(np.sin(half) * np.cos(half))


@lru_cache(maxsize=16)
def _cells(size: int, side: int) -> IntArray:
    """Grid, column and row (Q, 3) of all quads of a face, in Blender's order.

    For a face of 4 corners: the inner quads row after row, then the border's, side after side.
    """
    if size != 4:
        return _fan_order(size, side)
    last = side - 1
    inside, there, back = np.arange(1, last), np.arange(last), np.arange(last, 0, -1)
    return np.concatenate(
        [
            _block(0, inside, inside[:, None]),
            _block(0, there, 0),
            _block(0, last, there),
            _block(0, back, last),
            _block(0, 0, back),
        ]
    )


@lru_cache(maxsize=16)
def _numbers(size: int, side: int) -> IntArray:
    """The number of each quad of a face, by its grid, column and row."""
    cells = _cells(size, side)
    numbers: IntArray = np.empty((1 if size == 4 else size, side, side), np.int64)
    numbers[tuple(cells.T)] = np.arange(len(cells))
    return numbers


def _fan_order(size: int, side: int) -> IntArray:
    """The inner quads of grids, then those along lines to the center, around it, at the border."""
    last, grids = side - 1, np.arange(size)
    center = _block(grids, last, last)
    if not last:
        return center
    inside, zero = np.arange(1, last), np.zeros(side, np.int64)
    columns = np.concatenate([np.arange(side), zero[1:]])
    rows = np.concatenate([zero, np.arange(1, side)])
    return np.concatenate(
        [
            _block(grids[:, None, None], np.arange(1, side), inside[:, None]),
            _block(np.roll(grids, -1)[:, None], inside, last),
            center,
            _block(grids[:, None], columns, rows),
        ]
    )


def _block(grids: ArrayLike, columns: ArrayLike, rows: ArrayLike) -> IntArray:
    """Cells (K, 3) of broadcast grids, columns and rows."""
    return np.stack(np.broadcast_arrays(grids, columns, rows), axis=-1).reshape(-1, 3)


class PolygonPoints(NamedTuple):
    """N places on faces of one mesh, as points of the polygons that stand for the faces."""

    faces: IntArray  # (N,)
    sizes: IntArray  # (N,), how many corners the faces have
    at: FloatArray  # (N, 2), in the polygons
    corners: IntArray | None = None  # (N, 3), of the triangles; None where faces were divided

    @classmethod
    def of(
        cls, faces: IntArray, sizes: IntArray, corners: IntArray, weights: FloatArray
    ) -> PolygonPoints:
        """Points by three corners (N, 3) of their faces, counted from the first, with weights."""
        at = corners_at(corners, np.repeat(sizes[:, None], 3, axis=1))
        return cls(faces, sizes, (weights[:, :, None] * at).sum(axis=1), corners)

    def take(self, rows: IntArray | BoolArray) -> PolygonPoints:
        corners = None if self.corners is None else self.corners[rows]
        return PolygonPoints(self.faces[rows], self.sizes[rows], self.at[rows], corners)

    def weights_in(self, corners: IntArray) -> FloatArray:
        """The weights (N, 3) of three corners (N, 3) of faces; negative outside the triangle."""
        at = corners_at(corners, np.repeat(self.sizes[:, None], 3, axis=1))
        a, b, c = at.swapaxes(0, 1)
        from_a, from_b, from_c = (self.at[:, None] - at).swapaxes(0, 1)
        parts = _cross(c - b, from_b), _cross(a - c, from_c), _cross(b - a, from_a)
        return np.stack(parts, axis=-1) / _cross(b - a, c - a)[:, None]

    def mirrored(self, which: BoolArray) -> PolygonPoints:
        """The points after some faces (N,) had the order of their corners reversed."""
        square = (self.sizes == 4)[:, None]
        other = np.where(square, self.at[:, ::-1], self.at * (1.0, -1.0))
        corners = self.corners
        if corners is not None:
            corners = np.where(which[:, None], -corners % self.sizes[:, None], corners)
        return self._replace(at=np.where(which[:, None], other, self.at), corners=corners)


def corners_at(numbers: IntArray, sizes: IntArray) -> FloatArray:
    """Where corners (...) of faces with so many corners (...) are in their polygons (..., 2)."""
    angles = 2.0 * np.pi * numbers / sizes
    regular = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return np.where((sizes == 4)[..., None], _SQUARE[numbers % 4], regular)


def _cross(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
