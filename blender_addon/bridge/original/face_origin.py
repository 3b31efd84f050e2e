# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that are made of other faces in a known order, and the way back to where they come from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate

import bmesh
import bpy


class UntoldError(Exception):
    """The original of a face cannot be told; the text says why, for the user."""


class Faces:
    """The faces of a mesh on its way through the modifiers.

    The corners of a mesh are numbered face by face, so a corner's number tells its face.

    Attributes
    ----------
    count : int
        The number of faces, without those after them whose number is not known.
    corners : int
        The number of their corners.
    more : bool
        Whether others may follow after them.
    uncertain : bool
        Whether only exact numbers of faces and corners prove that there are as many.
    """

    count: int
    corners: int
    more = False
    uncertain = False

    def origin(self, face: int) -> int:
        """The face of the first mesh that a face comes from; `UntoldError` where there is none."""
        raise NotImplementedError

    def at_corner(self, corner: int) -> int:
        """The face that a corner belongs to."""
        raise NotImplementedError

    def complete(self) -> bool:
        """Whether there are as many for sure, without a look at their numbers; it may be slow."""
        return not self.uncertain

    def check(self, mesh: bpy.types.Mesh) -> None:
        """Raise `UntoldError` unless a mesh can be these faces."""
        count = len(mesh.polygons)
        right = count >= self.count if self.more else count == self.count
        if right and self.uncertain:
            right = not self.more and len(mesh.loops) == self.corners
        if not right:
            raise UntoldError("The faces do not match the modifier settings")


class OwnFaces(Faces):
    """The faces of a mesh as it is stored."""

    def __init__(self, mesh: bpy.types.Mesh):
        self._polygons = mesh.polygons
        self.count = len(mesh.polygons)
        self.corners = len(mesh.loops)

    def origin(self, face: int) -> int:
        return face

    def at_corner(self, corner: int) -> int:
        polygons = self._polygons
        starts = range(self.count)
        return bisect_right(starts, corner, key=lambda face: polygons[face].loop_start) - 1


class EditedFaces(Faces):
    """The faces of a mesh in edit mode as they are now."""

    def __init__(self, mesh: bpy.types.Mesh):
        self._bmesh = bmesh.from_edit_mesh(mesh)
        self.count = len(self._bmesh.faces)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(len(face.verts) for face in self._bmesh.faces))

    @property
    def corners(self) -> int:
        return self._ends[-1] if self._ends else 0

    def origin(self, face: int) -> int:
        return face

    def at_corner(self, corner: int) -> int:
        return bisect_right(self._ends, corner)


class Copies(Faces):
    """All faces again and again, copy after copy, then perhaps new ones.

    Parameters
    ----------
    source : Faces
        What is copied.
    maker : str
        Name of the modifier.
    times : int or None
        How often the faces are there; None for an unknown number of times.
    more : bool
        Whether the modifier may add faces of its own at the end.
    merged : bool
        Whether it merges vertices, and so may lose faces.
    none_lost : callable, optional
        Finds out whether it surely loses none.
    """

    def __init__(
        self,
        source: Faces,
        maker: str,
        times: int | None,
        more: bool = False,
        merged: bool = False,
        none_lost: Callable[[], bool] = lambda: False,
    ):
        if source.more:
            raise UntoldError(f"The modifier {maker} copies an unknown number of faces")
        self._source, self._maker = source, maker
        self._endless = times is None and source.count > 0
        self._times = times or 1
        self._merged, self._none_lost = merged, none_lost
        self.count = self._times * source.count
        self.more = more or self._endless
        # Where their number stays unknown it can prove nothing about those before.
        if self.more and not source.complete():
            raise UntoldError(f"Faces may be missing before the modifier {maker}")
        self.uncertain = merged or (source.uncertain and not self.more)

    def complete(self) -> bool:
        return self._source.complete() and (not self._merged or self._none_lost())

    @property
    def corners(self) -> int:
        return self._times * self._source.corners

    def origin(self, face: int) -> int:
        if face >= self.count and not self._endless:
            raise UntoldError(f"Made by the modifier {self._maker}")
        return self._source.origin(face % self._source.count)

    def at_corner(self, corner: int) -> int:
        if corner >= self.corners and not self._endless:
            return self.count
        copy, corner = divmod(corner, self._source.corners)
        return copy * self._source.count + self._source.at_corner(corner)


class Subdivided(Faces):
    """A quad for each corner of each face, and four for each quad at each further level."""

    def __init__(self, source: Faces, levels: int):
        self._source = source
        self._quads = 4 ** (levels - 1)
        self.more, self.uncertain = source.more, source.uncertain

    def complete(self) -> bool:
        return self._source.complete()

    @property
    def count(self) -> int:
        return self._quads * self._source.corners

    @property
    def corners(self) -> int:
        return 4 * self.count

    def origin(self, face: int) -> int:
        return self._source.origin(self._source.at_corner(face // self._quads))

    def at_corner(self, corner: int) -> int:
        return corner // 4
