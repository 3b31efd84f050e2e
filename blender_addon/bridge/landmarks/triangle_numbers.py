# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers that files give to the triangles of an object's mesh.

Blender cuts a polygon by its shape; other tools cut fans from its first corner. Either way, a
polygon of K corners has K - 2 triangles, and those of all polygons are numbered in one sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...model.hit import Vector, as_vector
from ...model.landmark_files.wrap import fan_corners, fan_triangles, place_in_fan
from ...model.landmarks.landmark import Anchor
from ...settings import present
from ...standalone_core import Mesh, PolygonMesh, RaypickError, triangle
from ...standalone_core.extension import BoolArray, FloatArray, IntArray, cached
from ..mesh.scene_mesh import SceneMesh
from ..validation import one_of
from .locating import MISSING, original_mesh, visible_row
from .places import FacePlaces, find_places, find_triangle, to_original

MESHES = ("ORIGINAL", "EVALUATED")
CUTS = ("BLENDER", "FAN")

NO_ORIGINAL = "The object has no mesh without its modifiers"
ON_COPY = "It is on a copy that a modifier makes"


def checked_cut(cut: str | None, usual: str) -> str:
    """How polygons are cut; by default `usual`."""
    return usual if cut is None else one_of(cut, CUTS, "triangles")


def checked_mesh(mesh: str | None) -> str | None:
    """Which mesh is meant, if the caller says."""
    return None if mesh is None else one_of(mesh, MESHES, "mesh")


class FilePlace(NamedTuple):
    """A place on a triangle, by the numbers that a file gives."""

    triangle: int
    barycentric: Vector
    face: int
    corners: tuple[int, int, int]  # of the face, where A, B and C are
    moved: float  # in local space: above 0 where another cut of a bent polygon moves it


@dataclass(frozen=True, eq=False)
class TriangleNumbers:
    """The triangles of the mesh of an object, with its modifiers or without."""

    context: bpy.types.Context
    object: bpy.types.Object
    mesh: SceneMesh
    cut: str  # "BLENDER", or "FAN" for fans from the first corner

    @classmethod
    def of(
        cls, context: bpy.types.Context, obj: bpy.types.Object, evaluated: bool, cut: str
    ) -> TriangleNumbers:
        """The triangles of a visible object; RaypickError where there are none."""
        row = visible_row(context, obj, evaluated)
        if row.mesh.source.is_evaluated and not evaluated:
            raise RaypickError(NO_ORIGINAL)
        return cls(context, obj, row.mesh, cut)

    @property
    def polygons(self) -> PolygonMesh:
        return self.mesh.polygons

    @property
    def are_faces(self) -> bool:
        """Whether all faces are triangles, so that both have the same numbers."""
        return self.polygons.triangle_count == self.polygons.face_count

    def file_places(self, anchors: Sequence[Anchor | None]) -> list[FilePlace | str]:
        """Places by a file's numbers, or why they are not on this mesh, in English."""
        own = {i: each for i, each in enumerate(anchors) if each is not None}
        places = find_places(
            self.mesh,
            # On the original mesh a copy of a face is the face.
            [each if self._is_evaluated else replace(each, copies=()) for each in own.values()],
            lambda: original_mesh(self.context, self.object),
            self.context.scene,
        )
        found: list[FilePlace | str] = [MISSING] * len(anchors)
        rows = zip(own.items(), places.reasons, places.vertices, places.weights, strict=True)
        for (i, anchor), reason, vertices, weights in rows:
            if reason is None and anchor.copies and not self._is_evaluated:
                reason = ON_COPY
            if reason is not None:
                found[i] = reason
                continue
            face = self._face(anchor.face, vertices)
            found[i] = self._file_place(face, vertices, weights)
        return found

    def face_of(self, number: int) -> tuple[int, list[int]] | None:
        """The face of a triangle, and its corners there (3,); None for an unknown number."""
        if not 0 <= number < self.polygons.triangle_count:
            return None
        if self.cut == "FAN":
            faces, among = fan_corners(self._all_faces[1], [number])
            return int(faces[0]), among[0].tolist()
        face = self.polygons.face_of(number)
        first, _ = self.polygons.face_corners([face])
        return face, (self.polygons.triangle_corners(number) - first[0]).tolist()

    def has(self, face: int, corners: Sequence[int]) -> bool:
        """Whether a face has three different corners of these numbers."""
        if not 0 <= face < self.polygons.face_count:
            return False
        _, size = self.polygons.face_corners([face])
        return len({*corners}) == 3 and 0 <= min(corners) <= max(corners) < size[0]

    def anchors(self, places: FacePlaces) -> list[Anchor]:
        """The anchors of places on this mesh, on the original one where that has them."""
        here = places.anchors(self.mesh, {})
        original = original_mesh(self.context, self.object) if self._is_evaluated else None
        if original is None:
            return here
        topology = original.polygons.topology
        if topology == self.polygons.topology:
            return places.anchors(original, {})
        own, copy_numbers, known = to_original(self.mesh, original, places, self.context.scene)
        traced = iter(own.anchors(original, copy_numbers))
        return [
            next(traced) if is_known else replace(anchor, original_topology=topology)
            for anchor, is_known in zip(here, known.tolist(), strict=True)
        ]

    def place(self, anchor: Anchor) -> Vector:
        """Where an anchor is, in the local space of the mesh that it is on."""
        mesh: SceneMesh | None = self.mesh
        if self._is_evaluated and not anchor.evaluated:
            mesh = original_mesh(self.context, self.object)
        corners = present(mesh).polygons.positions(anchor.vertices)
        return as_vector(triangle.interpolate(corners, anchor.barycentric))

    @property
    def _is_evaluated(self) -> bool:
        return self.mesh.source.is_evaluated

    def _face(self, likely: int, vertices: IntArray) -> int:
        """The face that has three vertices, which is likely that of a given number."""
        polygons = self.polygons
        if likely < polygons.face_count and self._have([likely], vertices)[0]:
            return likely
        ordered, order = self._by_vertex
        there = slice(*np.searchsorted(ordered, [vertices[0], vertices[0] + 1]))
        faces = np.searchsorted(self._all_faces[0], order[there], side="right") - 1
        return int(faces[np.argmax(self._have(faces, vertices))])

    @cached
    def _all_faces(self) -> tuple[IntArray, IntArray]:
        return self.polygons.face_corners(np.arange(self.polygons.face_count))

    @cached
    def _by_vertex(self) -> tuple[IntArray, IntArray]:
        """The vertices of all face corners in order, and these corners."""
        vertices = self.polygons.corner_vertices(np.arange(self._all_faces[1].sum()))
        order = np.argsort(vertices, kind="stable")
        return vertices[order], order

    def _have(self, faces: ArrayLike, vertices: IntArray) -> BoolArray:
        """Which faces (N,) have three vertices."""
        first, sizes = self.polygons.face_corners(faces)
        ends = np.cumsum(sizes)
        corners = np.arange(ends[-1]) + np.repeat(first - (ends - sizes), sizes)
        here = np.isin(self.polygons.corner_vertices(corners), vertices)
        found: BoolArray = np.add.reduceat(here, ends - sizes, dtype=np.int64) >= 3
        return found

    def _file_place(self, face: int, vertices: IntArray, weights: FloatArray) -> FilePlace:
        first, size = (int(part[0]) for part in self.polygons.face_corners([face]))
        ring = self.polygons.corner_vertices(first + np.arange(size))
        corners = self._cut(face, first, size)
        which, places, moved = self._in_cut(ring, corners, vertices, weights)
        start = fan_triangles([size], [0], [which]) + self.polygons.triangles_of([face])[0]
        a, b, c = corners[which].tolist()
        return FilePlace(int(start[0]), as_vector(places), face, (a, b, c), moved)

    def _cut(self, face: int, first: int, size: int) -> IntArray:
        """The corners (T, 3) of the triangles of a face, counted from its first."""
        if self.cut == "FAN":
            return fan_corners([size], np.arange(size - 2))[1]
        corners: IntArray = self.polygons.split_face(face) - first
        return corners

    def _in_cut(
        self, ring: IntArray, corners: IntArray, vertices: IntArray, weights: FloatArray
    ) -> tuple[int, FloatArray, float]:
        """Which of the triangles of a face a place is on, its weights, and how far it moved."""
        found = find_triangle(ring[corners], vertices, weights)
        if found is not None:
            return *found, 0.0
        around = self.polygons.positions(ring)
        point = triangle.interpolate(self.polygons.positions(vertices), weights)
        if self.cut == "FAN":
            fan, places, moved = place_in_fan(around, point)
            return fan, np.array(places), moved
        near = Mesh(around, corners).closest_point(point)
        return int(near.triangle), np.asarray(near.barycentric), float(near.distance)
