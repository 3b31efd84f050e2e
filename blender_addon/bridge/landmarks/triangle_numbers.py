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

from ...model.hit import Vector, as_vector
from ...model.landmark_files.wrap import fan_corners, place_in_fan
from ...model.landmarks.landmark import Anchor
from ...settings import present
from ...standalone_core import Mesh, PolygonMesh, RaypickError, triangle
from ...standalone_core.extension import FloatArray, IntArray, cached
from ..mesh.scene_mesh import SceneMesh
from ..validation import one_of
from .file_frame import file_errors
from .locating import MISSING, original_mesh, visible_row
from .places import FacePlaces, find_places, find_triangle, to_original

MESHES = ("ORIGINAL", "EVALUATED")
CUTS = ("BLENDER", "FAN")

NO_ORIGINAL = "The object has no mesh without its modifiers"
ON_COPY = "It is on a copy that a modifier makes"


def checked(mesh: str | None, cut: str | None, usual: str) -> tuple[str | None, str]:
    """Check which mesh is meant, if any is, and how polygons are cut, by default as `usual`."""
    meant = None if mesh is None else one_of(mesh, MESHES, "mesh")
    return meant, one_of(usual if cut is None else cut, CUTS, "triangles")


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

    def file_places(self, anchors: Sequence[Anchor | None]) -> list[FilePlace | str]:
        """The anchors' places by a file's numbers, or why they are not on this mesh, in English."""
        own = {i: each for i, each in enumerate(anchors) if each is not None}
        places = find_places(
            self.mesh,
            # The original mesh has no copies of faces, so the face itself is meant.
            [each if self.is_evaluated else replace(each, copies=()) for each in own.values()],
            lambda: original_mesh(self.context, self.object),
        )
        found: list[FilePlace | str] = [MISSING] * len(anchors)
        rows = zip(own.items(), places.reasons, places.vertices, places.weights, strict=True)
        for (i, anchor), reason, vertices, weights in rows:
            if reason is None and anchor.copies and not self.is_evaluated:
                reason = ON_COPY
            if reason is None:
                face = self._face(anchor.face, vertices.tolist())
                found[i] = self._file_place(face, vertices, weights)
            else:
                found[i] = reason
        return found

    def face_of(self, number: int) -> tuple[int, list[int]] | None:
        """The face of a triangle, and its corners there (3,); None for an unknown number."""
        if not 0 <= number < self.polygons.triangle_count:
            return None
        face = self.polygons.face_of(number)
        return face, self._cut(face)[number - self._first_triangle(face)].tolist()

    def has(self, face: int, corners: Sequence[int]) -> bool:
        """Whether a face has three different corners of these numbers."""
        if not 0 <= face < self.polygons.face_count:
            return False
        _, size = self.polygons.face_corners([face])
        return len({*corners}) == 3 and 0 <= min(corners) <= max(corners) < size[0]

    def anchors(self, places: FacePlaces) -> list[Anchor]:
        """Anchors of places on this mesh: on the original one if they can be traced to it."""
        here = places.anchors(self.mesh, {})
        original = original_mesh(self.context, self.object) if self.is_evaluated else None
        if original is None:
            return here
        topology = original.polygons.topology
        if topology == self.polygons.topology:
            return places.anchors(original, {})
        own, copy_numbers, known = to_original(self.mesh, original, places)
        traced = iter(own.anchors(original, copy_numbers))
        return [
            next(traced) if is_known else replace(anchor, original_topology=topology)
            for anchor, is_known in zip(here, known.tolist(), strict=True)
        ]

    def place(self, anchor: Anchor) -> Vector:
        """Where an anchor is, in the local space of the mesh that it is on."""
        mesh: SceneMesh | None = self.mesh
        if self.is_evaluated and not anchor.evaluated:
            mesh = original_mesh(self.context, self.object)
        corners = present(mesh).polygons.positions(anchor.vertices)
        return as_vector(triangle.interpolate(corners, anchor.barycentric))

    @property
    def is_evaluated(self) -> bool:
        return self.mesh.source.is_evaluated

    def _face(self, likely: int, vertices: list[int]) -> int:
        """The face that has all `vertices` (3,): probably the one with the number `likely`.

        If modifiers split faces differently, none may have all: then a face at the first of them.
        """
        if likely < self.polygons.face_count and {*vertices} <= {*self._ring(likely).tolist()}:
            return likely
        ordered, faces = self._by_vertex
        first, *others = (
            {*faces[slice(*np.searchsorted(ordered, [vertex, vertex + 1]))].tolist()}
            for vertex in vertices
        )
        return int(min(first.intersection(*others) or first))

    @cached
    def _by_vertex(self) -> tuple[IntArray, IntArray]:
        """The vertices of all face corners in order, and the faces of these corners."""
        faces = np.arange(self.polygons.face_count)
        _, sizes = self.polygons.face_corners(faces)
        vertices = self.polygons.corner_vertices(np.arange(sizes.sum()))
        order = np.argsort(vertices)
        return vertices[order], np.repeat(faces, sizes)[order]

    def _ring(self, face: int) -> IntArray:
        """The vertices of a face."""
        first, size = (int(part[0]) for part in self.polygons.face_corners([face]))
        return self.polygons.corner_vertices(first + np.arange(size))

    def _first_triangle(self, face: int) -> int:
        return int(self.polygons.triangles_of([face])[0])

    def _cut(self, face: int) -> IntArray:
        """The corners (T, 3) of the triangles of a face, counted from its first."""
        first, size = (int(part[0]) for part in self.polygons.face_corners([face]))
        return fan_corners(size) if self.cut == "FAN" else self.polygons.split_face(face) - first

    def _file_place(self, face: int, vertices: IntArray, weights: FloatArray) -> FilePlace:
        ring, corners = self._ring(face), self._cut(face)
        found = find_triangle(ring[corners], vertices, weights)
        if found is None:
            point = triangle.interpolate(self.polygons.positions(vertices), weights)
            which, own_weights, moved = self._nearest(self.polygons.positions(ring), corners, point)
        else:
            (which, own_weights), moved = found, 0.0
        a, b, c = corners[which].tolist()
        number = self._first_triangle(face) + which
        return FilePlace(number, as_vector(own_weights), face, (a, b, c), moved)

    def _nearest(
        self, around: FloatArray, corners: IntArray, point: FloatArray
    ) -> tuple[int, FloatArray, float]:
        """The nearest of the triangles of a face, the weights there, and how far that is."""
        if self.cut == "FAN":
            with file_errors():
                return place_in_fan(around, point)
        near = Mesh(around, corners).closest_point(point)
        return int(near.triangle), np.asarray(near.barycentric), float(near.distance)
