# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that are cut along diagonals, as the modifier Triangulate does, which keeps all vertices.

A face of n corners becomes n - 2 triangles. One of them takes its place, and the others come behind
all faces, face after face. Blender leaves out a triangle that is there already. The order was read
off Blender 4.2 to 5.2.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain
from typing import Any

import bmesh
import bpy
import numpy as np

from ...standalone_core.extension import IntArray, cached, runs
from ..mesh.arrays import at_corners, face_starts
from .faces import NO_MATCH, Faces, UnknownOriginError

_FEWEST = 4  # corners: smaller faces are triangles


class Triangulated(Faces):
    """The triangles of the faces of a source that have at least `least` corners, and the others.

    No number of faces proves that no triangle is missing, except that of the modified mesh.
    """

    uncertain = True
    maps_places = False  # the diagonals depend on the shape that the faces had

    def __init__(self, source: Faces, maker: str, least: int) -> None:
        if source.more:
            raise UnknownOriginError(f"The modifier {maker} changes the faces")
        self._source, self._least, self.copies = source, least, source.copies
        self.divided = source.divided

    @property
    def count(self) -> int:
        return self._source.count + self._added_before(self._source.count)

    @property
    def corners(self) -> int:
        return self.first_corner(self.count)

    def complete(self) -> bool:
        return self.count == self._source.count and self._source.complete()

    def origin(self, face: int) -> int:
        kept = self._source.count
        if face >= kept:
            face = bisect_right(range(kept), face - kept, key=self._added_before) - 1
        return self._source.origin(face)

    def origins(self, faces: IntArray) -> IntArray:
        kept = self._source.count
        behind = self._added.searchsorted(faces - kept, side="right") - 1
        found = np.where(faces < kept, faces, behind).clip(max=max(kept - 1, 0))
        return np.where(self.known(faces), self._source.origins(found), -1)

    def first_corner(self, face: int) -> int:
        return 3 * face if self._least <= _FEWEST else int(self._first_corners[face])

    def face_corners(self, faces: IntArray) -> tuple[IntArray, IntArray]:
        firsts = self._first_corners
        return firsts[faces], firsts[faces + 1] - firsts[faces]

    def at_corners(self, corners: IntArray) -> IntArray:
        return self._first_corners.searchsorted(corners, side="right") - 1

    def _added_before(self, face: int) -> int:
        """How many triangles the faces before a face add."""
        if self._least <= _FEWEST:
            return self._source.first_corner(face) - 3 * face
        return int(self._added[face])

    @cached
    def _sizes(self) -> IntArray:
        """How many corners the faces of the source have (F,)."""
        return self._source.face_corners(np.arange(self._source.count))[1]

    @cached
    def _added(self) -> IntArray:
        """How many triangles the faces before each face add (F,), and how many all add."""
        added = np.where(self._sizes >= self._least, self._sizes - 3, 0)
        return np.append(0, np.cumsum(added))

    @cached
    def _first_corners(self) -> IntArray:
        """The first corner of each face, and the number of all corners."""
        first = np.where(self._sizes >= self._least, 3, self._sizes)
        sizes = np.append(first, np.full(self._added[-1], 3))
        return np.append(0, np.cumsum(sizes))


class Parts:
    """The parts that faces of an own mesh were cut into, on a mesh with the same vertices.

    A part comes from the only own face that has its first three vertices.
    """

    def __init__(self, own: bpy.types.Mesh, mesh: bpy.types.Mesh) -> None:
        self._own, self._mesh = own, mesh
        self._edited = bmesh.from_edit_mesh(own) if own.is_editmode else None
        if len(mesh.vertices) != len(own.vertices if self._edited is None else self._edited.verts):
            raise UnknownOriginError(NO_MATCH)

    def origin(self, face: int) -> int:
        """The face of the own mesh that a face is a part of, or UnknownOriginError."""
        polygon: Any = self._mesh.polygons[face]
        vertices = np.array([polygon.vertices[:3]])
        faces, counts = faces_with(*self._corners, vertices)
        if counts[0] != 1:
            raise UnknownOriginError(NO_MATCH)
        return int(faces[0])

    def origins(self, faces: IntArray) -> IntArray:
        """The origins of faces (N,), with -1 where they are not known."""
        firsts = face_starts(self._mesh)[faces].astype(np.int64)
        vertices = at_corners(self._mesh, ".corner_vert")[firsts[:, None] + np.arange(3)]
        found, counts = faces_with(*self._corners, vertices)
        return np.where(counts == 1, found, -1)

    @cached
    def _corners(self) -> tuple[IntArray, IntArray]:
        """The vertex and the face of each corner of the own mesh (L,)."""
        if self._edited is not None:
            numbers = {vertex: number for number, vertex in enumerate(self._edited.verts)}
            rings = [[numbers[vertex] for vertex in face.verts] for face in self._edited.faces]
            faces = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
            return np.array([*chain(*rings)], np.int64), faces
        vertices = at_corners(self._own, ".corner_vert").astype(np.int64)
        firsts = face_starts(self._own).astype(np.int64)
        return vertices, firsts.searchsorted(np.arange(len(vertices)), side="right") - 1


def faces_with(vertices: IntArray, faces: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
    """The first face (N,) that has each three of `wanted` vertices (N, 3), and how many have them.

    `vertices` and `faces` are those of all corners of the mesh (L,).
    """
    near = np.flatnonzero(np.isin(vertices, wanted))
    width = int(faces.max(initial=0)) + 1
    pairs = np.unique(vertices[near] * width + faces[near])
    first, *others = wanted.astype(np.int64).T
    start = pairs.searchsorted(first * width)
    counts = pairs.searchsorted((first + 1) * width) - start
    rows = np.repeat(np.arange(len(wanted)), counts)
    candidates = pairs[runs(start, counts)] % width
    has = np.full(len(rows), True)
    for other in others:
        has &= np.isin(other[rows] * width + candidates, pairs)
    rows, candidates = rows[has], candidates[has]
    found = np.zeros(len(wanted), np.int64)
    found[rows[::-1]] = candidates[::-1]
    return found, np.bincount(rows, minlength=len(wanted))
