# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that are made of other faces in a known order: where they come from, and places on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

import bmesh
import bpy
import numpy as np

from ...standalone_core.extension import BoolArray, IntArray, cached
from ..mesh.arrays import face_starts
from .grids import subdivided, united
from .spots import Spots

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
