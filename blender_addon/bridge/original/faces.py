# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that are made of other faces in a known order: where they come from, and places on them.

The quads that Blender's subdivision makes of one face, in their order, and places on them.

At level L a quad becomes a grid of 2^L x 2^L quads. Any other face of n corners becomes n grids of
2^(L-1) x 2^(L-1): one at each corner, between that corner, the middle of the edge after it, the
center of the face, and the middle of the edge before it. All quads of a grid have their corners in
the order of the grid's own. Which quad comes when was read off Blender 4.2 to 5.0.

Places on faces of any shape: coordinates in a regular polygon that stands for the face.

A quad is the unit square, its corners at (0, 0), (1, 0), (1, 1), (0, 1). Any other face of n
corners is the regular polygon in the unit circle, its first corner at (1, 0). Each of a face's
triangles is mapped to that of the polygon's corners, whichever way the face is split.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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

Copied = dict[str, IntArray]
"""By the name of a modifier that copies faces, the number of the copy (N,), from 0."""


class UnknownOriginError(Exception):
    """The original of a face is not known; the text says why, for the user."""


class Faces(ABC):
    """The faces of a mesh on its way through the modifiers.

    The corners of a mesh are numbered face by face: a corner's index determines its face.
    """

    endless = False  # all faces are copies
    more = False  # an unknown number of others may follow after the known ones
    uncertain = False  # only exact numbers of faces and corners prove that all are there

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of known faces."""

    @property
    @abstractmethod
    def corners(self) -> int:
        """The number of their corners."""

    @abstractmethod
    def origin(self, face: int) -> int:
        """The face of the first mesh that a face comes from, or UnknownOriginError."""

    @abstractmethod
    def origins(self, faces: IntArray) -> IntArray:
        """The same of faces (N,), with -1 for those whose origin is not known."""

    @abstractmethod
    def at_corner(self, corner: int) -> int:
        """The face that a corner belongs to."""

    @property
    @abstractmethod
    def copies(self) -> dict[str, int | None]:
        """How often each modifier copies faces, by its name; None for an unknown number."""

    @abstractmethod
    def rows(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        """The first corner of each of some faces (N,), and their numbers of corners (N,)."""

    @abstractmethod
    def at_corners(self, corners: IntArray) -> IntArray:
        """The faces (N,) that corners (N,) belong to."""

    @abstractmethod
    def carried(self, spots: Spots, copied: Copied) -> Spots:
        """Places on the first mesh as places on this one; by default on the first copies."""

    @abstractmethod
    def traced(self, spots: Spots) -> tuple[Spots, Copied]:
        """Places on this mesh, on faces that are known, as places on the first one."""

    def known(self, faces: IntArray) -> BoolArray:
        """Which of some faces (N,) come from a face of the first mesh."""
        return np.full(len(faces), True) if self.endless else faces < self.count

    def complete(self) -> bool:
        """Whether all are there for sure, without a look at the mesh; it may be slow."""
        return not self.uncertain

    def check(self, mesh: bpy.types.Mesh) -> None:
        """Raise UnknownOriginError unless a mesh can have these faces."""
        count = len(mesh.polygons)
        right = count >= self.count if self.more else count == self.count
        if right and self.uncertain:
            right = not self.more and len(mesh.loops) == self.corners
        if not right:
            raise UnknownOriginError("The faces do not match the modifier settings")


class OwnFaces(Faces):
    """The faces of a mesh as it is stored; of one in edit mode, as they are now."""

    def __init__(self, mesh: bpy.types.Mesh) -> None:
        self._mesh = mesh
        self._edited = bmesh.from_edit_mesh(mesh) if mesh.is_editmode else None

    @property
    def is_edited(self) -> bool:
        return self._edited is not None

    @property
    def count(self) -> int:
        return len(self._mesh.polygons if self._edited is None else self._edited.faces)

    @property
    def corners(self) -> int:
        return len(self._mesh.loops) if self._edited is None else (self._ends or [0])[-1]

    @cached
    def _ends(self) -> list[int]:
        """The corner after the last of each face in edit mode."""
        faces = () if self._edited is None else self._edited.faces
        return list(accumulate(len(face.verts) for face in faces))

    def origin(self, face: int) -> int:
        return face

    def origins(self, faces: IntArray) -> IntArray:
        return faces

    def at_corner(self, corner: int) -> int:
        if self._edited is not None:
            return bisect_right(self._ends, corner)
        polygons, faces = self._mesh.polygons, range(self.count)
        return bisect_right(faces, corner, key=lambda face: polygons[face].loop_start) - 1

    @property
    def copies(self) -> dict[str, int | None]:
        return {}

    def rows(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        return self._starts[faces], self._starts[faces + 1] - self._starts[faces]

    def at_corners(self, corners: IntArray) -> IntArray:
        return self._starts.searchsorted(corners, side="right") - 1

    def carried(self, spots: Spots, copied: Copied) -> Spots:  # noqa: ARG002
        return spots

    def traced(self, spots: Spots) -> tuple[Spots, Copied]:
        return spots, {}

    @cached
    def _starts(self) -> IntArray:
        """The first corner of each face, and the number of all corners."""
        if self._edited is not None:
            return np.array([0, *self._ends])
        return np.append(face_starts(self._mesh), len(self._mesh.loops)).astype(np.int64)


class Copies(Faces):
    """All faces again and again, copy after copy, then perhaps new ones (`more`).

    The modifier `maker` may merge vertices, which may remove faces; `keeps_all` finds out whether
    it surely removes none. `times` is None for an unknown number. `mirrored` tells which copies
    have their corners from the first one backward.
    """

    def __init__(
        self,
        source: Faces,
        maker: str,
        times: int | None,
        more: bool = False,
        merged: bool = False,
        keeps_all: Callable[[], bool] = lambda: False,
        mirrored: Callable[[IntArray], BoolArray] = lambda copies: copies < 0,
    ) -> None:
        if source.more:
            raise UnknownOriginError(f"The modifier {maker} copies an unknown number of faces")
        self._source, self._maker = source, maker
        self.endless = times is None and source.count > 0
        self._times = times or 1
        self._merged, self._keeps_all, self._mirrored = merged, keeps_all, mirrored
        self.more = more or self.endless
        # An unknown number of faces proves nothing about those before.
        if self.more and not source.complete():
            raise UnknownOriginError(f"Faces may be missing before the modifier {maker}")
        self.uncertain = merged or (source.uncertain and not self.more)

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

    def at_corner(self, corner: int) -> int:
        if corner >= self.corners and not self.endless:
            return self.count
        copy, corner = divmod(corner, self._source.corners)
        return copy * self._source.count + self._source.at_corner(corner)

    @property
    def copies(self) -> dict[str, int | None]:
        return {**self._source.copies, self._maker: None if self.endless else self._times}

    def rows(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        copies, faces = np.divmod(faces, max(self._source.count, 1))
        firsts, sizes = self._source.rows(faces)
        return firsts + copies * self._source.corners, sizes

    def at_corners(self, corners: IntArray) -> IntArray:
        copies, corners = np.divmod(corners, max(self._source.corners, 1))
        return copies * self._source.count + self._source.at_corners(corners)

    def carried(self, spots: Spots, copied: Copied) -> Spots:
        spots = self._source.carried(spots, copied)
        copies = copied.get(self._maker, np.zeros_like(spots.faces))
        there = spots._replace(faces=spots.faces + copies * self._source.count)
        return there.mirrored(self._mirrored(copies))

    def traced(self, spots: Spots) -> tuple[Spots, Copied]:
        copies, faces = np.divmod(spots.faces, max(self._source.count, 1))
        first = spots._replace(faces=faces).mirrored(self._mirrored(copies))
        found, copied = self._source.traced(first)
        return found, {**copied, self._maker: copies}


class Subdivided(Faces):
    """A quad for each corner of each face, and four for each quad at each further level."""

    def __init__(self, source: Faces, levels: int) -> None:
        self._source = source
        self._levels = levels
        self._quads: int = 4 ** (levels - 1)
        self.more, self.uncertain = source.more, source.uncertain
        self.endless = source.endless

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

    def at_corner(self, corner: int) -> int:
        return corner // 4

    @property
    def copies(self) -> dict[str, int | None]:
        return self._source.copies

    def rows(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        return 4 * faces, np.full(len(faces), 4)

    def at_corners(self, corners: IntArray) -> IntArray:
        return corners // 4

    def carried(self, spots: Spots, copied: Copied) -> Spots:
        spots = self._source.carried(spots, copied)
        firsts, _ = self._source.rows(spots.faces)
        numbers, at = subdivided(spots, self._levels)
        return Spots(self._quads * firsts + numbers, np.full(len(at), 4), at)

    def traced(self, spots: Spots) -> tuple[Spots, Copied]:
        faces = self._source.at_corners(spots.faces // self._quads)
        firsts, sizes = self._source.rows(faces)
        at = united(sizes, spots.faces - self._quads * firsts, spots.at, self._levels)
        return self._source.traced(Spots(faces, sizes, at))


def subdivided(spots: Spots, levels: int) -> tuple[IntArray, FloatArray]:
    """The number (N,) among the quads of its face, and the place there (N, 2), of each place."""
    numbers = np.zeros(len(spots.faces), np.int64)
    at = np.empty_like(spots.at)
    for size in np.unique(spots.sizes).tolist():
        rows = np.flatnonzero(spots.sizes == size)
        side = _side(size, levels)
        grid, inside = _in_grid(size, spots.at[rows])
        scaled = inside * side
        cell = np.clip(np.floor(scaled), 0, side - 1).astype(np.int64)
        numbers[rows] = _numbers(size, side)[grid, cell[:, 0], cell[:, 1]]
        at[rows] = scaled - cell
    return numbers, at


def united(sizes: IntArray, numbers: IntArray, at: FloatArray, levels: int) -> FloatArray:
    """The reverse: places (N, 2) on faces of so many corners, by those on the quads of these."""
    found = np.empty_like(at)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        side = _side(size, levels)
        cells = _cells(size, side)[numbers[rows]]
        inside = (cells[:, 1:] + at[rows]) / side
        found[rows] = _out_of_grid(size, cells[:, 0], inside)
    return found


def _side(size: int, levels: int) -> int:
    """How many quads a grid is wide."""
    return 1 << (levels if size == 4 else levels - 1)


def _in_grid(size: int, at: FloatArray) -> tuple[IntArray, FloatArray]:
    """The grid (N,) of places (N, 2) on a polygon, and where they are in its unit square (N, 2)."""
    if size == 4:
        return np.zeros(len(at), np.int64), at
    step = 2.0 * np.pi / size
    grid = np.round(np.arctan2(at[:, 1], at[:, 0]) / step).astype(np.int64) % size
    # Seen from the corner, which is at (0, 0): the center at (1, 0), a middle at (h, k) and (h, -k)
    angle = step * grid
    x = 1.0 - (at[:, 0] * np.cos(angle) + at[:, 1] * np.sin(angle))
    y = at[:, 1] * np.cos(angle) - at[:, 0] * np.sin(angle)
    h, k = _middle(size)
    # A place (s, t) of the square is at x = (s + t) h + s t (1 - 2 h), y = (s - t) k.
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
    """How far the middle of an edge is from a corner, toward the center and across."""
    half = np.pi / size
    return float(np.sin(half) ** 2), float(np.sin(half) * np.cos(half))


@lru_cache(maxsize=16)
def _cells(size: int, side: int) -> IntArray:
    """Grid, column and row (Q, 3) of all quads of a face, in Blender's order."""
    return _quad_order(side) if size == 4 else _fan_order(size, side)


@lru_cache(maxsize=16)
def _numbers(size: int, side: int) -> IntArray:
    """The number of each quad of a face, by its grid, column and row."""
    cells = _cells(size, side)
    numbers: IntArray = np.empty((1 if size == 4 else size, side, side), np.int64)
    numbers[tuple(cells.T)] = np.arange(len(cells))
    return numbers


def _quad_order(side: int) -> IntArray:
    """Those inside, row after row, then those along the border, from each corner on."""
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


def _fan_order(size: int, side: int) -> IntArray:
    """Those inside of the grids, then along lines to the center, around it, and at the border."""
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
    """Cells (K, 3) of grids, columns and rows that are broadcast against each other."""
    cells: IntArray = np.stack(np.broadcast_arrays(grids, columns, rows), axis=-1).reshape(-1, 3)
    return cells


_SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


class Spots(NamedTuple):
    """N places on faces of one mesh."""

    faces: IntArray  # (N,)
    sizes: IntArray  # (N,), how many corners these have
    at: FloatArray  # (N, 2), in their polygons
    corners: IntArray | None = None
    """The corners (N, 3) of the triangles that they are in; None where their faces were divided."""

    def mirrored(self, which: BoolArray) -> Spots:
        """The same places where some faces (N,) have their corners from the first one backward."""
        square = (self.sizes == 4)[:, None]
        other = np.where(square, self.at[:, ::-1], self.at * (1.0, -1.0))
        corners = self.corners
        if corners is not None:
            corners = np.where(which[:, None], -corners % self.sizes[:, None], corners)
        return self._replace(at=np.where(which[:, None], other, self.at), corners=corners)


def take(spots: Spots, rows: IntArray | BoolArray) -> Spots:
    """Some of the places."""
    corners = None if spots.corners is None else spots.corners[rows]
    return Spots(spots.faces[rows], spots.sizes[rows], spots.at[rows], corners)


def corners_at(numbers: IntArray, sizes: IntArray) -> FloatArray:
    """Where the corners (...) of faces of so many corners (...) are in their polygons (..., 2)."""
    angles = 2.0 * np.pi * numbers / sizes
    regular = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return np.where((sizes == 4)[..., None], _SQUARE[numbers % 4], regular)


def spots_of(faces: IntArray, sizes: IntArray, corners: IntArray, weights: FloatArray) -> Spots:
    """Places by three corners (N, 3) of their faces, counted from the first, with weights."""
    at = corners_at(corners, np.repeat(sizes[:, None], 3, axis=1))
    return Spots(faces, sizes, (weights[:, :, None] * at).sum(axis=1), corners)


def weights_in(spots: Spots, corners: IntArray) -> FloatArray:
    """The weights (N, 3) of three corners (N, 3) of the faces; negative where a place is beside."""
    at = corners_at(corners, np.repeat(spots.sizes[:, None], 3, axis=1))
    a, b, c = at.swapaxes(0, 1)
    area = _cross(b - a, c - a)
    ahead = spots.at[:, None] - at  # from each of the three corners
    return (
        np.stack(
            [_cross(c - b, ahead[:, 1]), _cross(a - c, ahead[:, 2]), _cross(b - a, ahead[:, 0])],
            axis=-1,
        )
        / area[:, None]
    )


def _cross(first: FloatArray, second: FloatArray) -> FloatArray:
    product: FloatArray = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return product
