# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers that files give to the triangles of an object's mesh, and back from them.

Blender cuts a polygon by its shape; other tools cut fans from its first corner. Either way, a
polygon of K corners has K - 2 triangles, and those of all are numbered one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np

from ...model.hit import Vector
from ...model.landmark_files.fans import fan_corners, fan_triangles, place_in_fan
from ...model.landmarks.landmark import Anchor
from ...model.record import vector
from ...present import present
from ...standalone_core import Mesh, PolygonMesh, RaypickError, triangle
from ...standalone_core.extension import FloatArray, IntArray
from ..mesh.scene_mesh import SceneMesh
from ..relocation import HIDDEN
from ..scene import snapshot
from ..scene.visibility import Rule
from ..validation import one_of
from .carrying import carried
from .locating import original_mesh
from .rows import rows_of

MESHES = ("ORIGINAL", "EVALUATED")
CUTS = ("BLENDER", "FAN")

NO_ORIGINAL = "The object has no mesh without its modifiers"


def checked_cut(cut: str | None, format: str) -> str:
    """How polygons are cut, by default as is usual for a format."""
    usual = "FAN" if format == "wrap" else "BLENDER"
    return usual if cut is None else one_of(cut, CUTS, "triangles")


def checked_mesh(mesh: str | None) -> str | None:
    """Which mesh is meant, if it is said."""
    return None if mesh is None else one_of(mesh, MESHES, "mesh")


class Numbered(NamedTuple):
    """A place as a file has it."""

    triangle: int
    barycentric: Vector
    face: int
    corners: tuple[int, int, int]  # of the face, where A, B and C are
    moved: float  # in local space: not 0 where the polygon is cut otherwise and is not flat


@dataclass(frozen=True, slots=True, eq=False)
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
        """Those of a visible object; RaypickError, in English, where there are none."""
        shown = snapshot.of_context(context, None, Rule(evaluated=evaluated))
        row = rows_of(shown, [obj])[obj].find(None, None)
        if row is None:
            raise RaypickError(HIDDEN)
        if row.mesh.source.is_evaluated and not evaluated:
            raise RaypickError(NO_ORIGINAL)
        return cls(context, obj, row.mesh, cut)

    @property
    def polygons(self) -> PolygonMesh:
        return self.mesh.polygons

    @property
    def are_faces(self) -> bool:
        """Whether all faces are triangles, which then have the numbers of the faces."""
        return self.polygons.triangle_count == self.polygons.face_count

    def numbered(self, anchors: Sequence[Anchor]) -> list[Numbered | str]:
        """Places as a file has them, or why they are not on this mesh, in English."""
        places = carried(
            self.mesh, anchors, lambda: original_mesh(self.context, self.object), self.context.scene
        )
        rows = zip(anchors, places.reasons, places.vertices, places.weights, strict=True)
        return [
            self._numbered(self._face(anchor.face, vertices), vertices, weights)
            if reason is None
            else reason
            for anchor, reason, vertices, weights in rows
        ]

    def anchor(self, number: int, weights: Sequence[float]) -> Anchor | None:
        """The place on the triangle of a number; None where there is no such triangle."""
        if not 0 <= number < self.polygons.triangle_count:
            return None
        if self.cut == "FAN":
            faces, among = fan_corners(self._sizes(), [number])
            return self.anchor_in(int(faces[0]), among[0].tolist(), weights)
        face = self.polygons.face_of(number)
        first, _ = self.polygons.face_corners([face])
        among = self.polygons.triangle_corners(number) - first[0]
        return self.anchor_in(face, among.tolist(), weights, number)

    def anchor_in(
        self, face: int, corners: Sequence[int], weights: Sequence[float], number: int | None = None
    ) -> Anchor | None:
        """The place on a triangle of corners (3,) of a face; None where there is none such."""
        if not 0 <= face < self.polygons.face_count:
            return None
        first, size = (int(part[0]) for part in self.polygons.face_corners([face]))
        if len({*corners}) != 3 or not 0 <= min(corners) <= max(corners) < size:
            return None
        a, b, c = corners
        p, q, r = self.polygons.corner_vertices(first + np.array(corners)).tolist()
        u, v, w = _adding_up(weights)
        anchor = Anchor(face, (a, b, c), (p, q, r), (u, v, w), self.polygons.topology)
        return self._of_its_mesh(anchor, number)

    def place(self, anchor: Anchor) -> Vector:
        """Where an anchor is, in the local space of the mesh that it is on."""
        mesh: SceneMesh | None = self.mesh
        if self.mesh.source.is_evaluated and not anchor.evaluated:
            mesh = original_mesh(self.context, self.object)
        corners = present(mesh).polygons.positions(anchor.vertices)
        return present(vector(triangle.interpolate(corners, anchor.barycentric).tolist()))

    def _of_its_mesh(self, anchor: Anchor, number: int | None) -> Anchor:
        """The anchor as one of the original mesh, where that has the same faces."""
        values = (anchor.face, anchor.corners, anchor.vertices, anchor.barycentric, anchor.topology)
        if not self.mesh.source.is_evaluated:
            return Anchor(*values, triangle=number)
        original = original_mesh(self.context, self.object)
        topology = None if original is None else original.polygons.topology
        if topology == anchor.topology:
            return Anchor(*values, triangle=number)
        return Anchor(*values, evaluated=True, triangle=number, original_topology=topology)

    def _sizes(self) -> IntArray:
        return self.polygons.face_corners(np.arange(self.polygons.face_count))[1]

    def _face(self, likely: int, vertices: IntArray) -> int:
        """The face with three vertices, which is likely that of a number."""
        polygons = self.polygons
        for faces in (np.array([likely]), np.arange(polygons.face_count)):
            if faces[-1] >= polygons.face_count:
                continue
            first, sizes = polygons.face_corners(faces)
            here = np.isin(polygons.corner_vertices(_ranges(first, sizes)), vertices)
            found = np.flatnonzero(np.add.reduceat(here, np.cumsum(sizes) - sizes) >= 3)
            if len(found):
                return int(faces[found[0]])
        raise RaypickError(HIDDEN)  # no mesh is carried to vertices that no face has

    def _numbered(self, face: int, vertices: IntArray, weights: FloatArray) -> Numbered:
        first, size = (int(part[0]) for part in self.polygons.face_corners([face]))
        ring = self.polygons.corner_vertices(first + np.arange(size))
        corners = self._cut(face, first, size)
        which, places, moved = self._in_cut(ring, corners, vertices, weights)
        start = fan_triangles([size], [0], [which]) + self.polygons.triangles_of([face])[0]
        a, b, c = corners[which].tolist()
        return Numbered(int(start[0]), _vector(places), face, (a, b, c), moved)

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
        triangles = ring[corners]
        same = np.flatnonzero((np.sort(triangles) == np.sort(vertices)).all(axis=1))
        if len(same):
            order = [vertices.tolist().index(each) for each in triangles[same[0]].tolist()]
            return int(same[0]), weights[order], 0.0
        around = self.polygons.positions(ring)
        point = triangle.interpolate(self.polygons.positions(vertices), weights)
        if self.cut == "FAN":
            fan, places, moved = place_in_fan(around, point)
            return fan, np.array(places), moved
        near = Mesh(around, corners).closest_point(point)
        return int(near.triangle), np.asarray(near.barycentric), float(near.distance)


def _ranges(starts: IntArray, sizes: IntArray) -> IntArray:
    """The numbers from each start on, so many each, one after the other."""
    ends = np.cumsum(sizes)
    numbers: IntArray = np.arange(ends[-1]) + np.repeat(starts - (ends - sizes), sizes)
    return numbers


def _adding_up(weights: Sequence[float]) -> list[float]:
    """Weights (3,) as they are, or, where a file has rounded them, so that they add up to 1."""
    total = sum(weights)
    return [*weights] if abs(total - 1.0) < 1e-9 else [each / total for each in weights]


def _vector(values: FloatArray) -> Vector:
    return present(vector(values.tolist()))
