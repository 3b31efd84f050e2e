# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh as rays meet it: the polygons that Blender shows of an object, but for hidden faces."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...standalone_core import (
    ClosestPoints,
    Hit,
    Mesh,
    Placeable,
    PolygonMesh,
    RayHits,
    Region,
    Triangles,
)
from ...standalone_core.extension import (
    BoolArray,
    Border,
    Engine,
    FloatArray,
    IndexArray,
    IndexRangeError,
    IntArray,
    LoneRay,
    OpenMeshError,
    RayBatch,
    moved,
    runs,
)

Rays = TypeVar("Rays", LoneRay, RayBatch)

_MANY_RAYS = 64  # building a tree takes less time than testing so many rays with all triangles


Size = tuple[int, int, int, int]  # numbers of vertices, edges, corners and faces


class FaceTriangles(NamedTuple):
    """The T triangles of a face."""

    first: int
    corners: IntArray  # (T, 3), their face corners
    vertices: IntArray  # (T, 3)
    positions: FloatArray  # (T, 3, 3), in local space


class ShownMesh(Placeable):
    """A mesh of an object in local space; hidden faces are not hit."""

    revision = 0  # a mesh that changes is another one
    _announces = True  # so that many cost nothing at each pick

    size: Size
    _hidden: BoolArray | None = None  # triangles (T,), as far as they were read
    _bare: BoolArray | None = None  # vertices (V,) of no face that is shown, once it is known

    def __init__(self) -> None:
        self._in_world: dict[bytes, Mesh] = {}

    @property
    @abstractmethod
    def polygons(self) -> PolygonMesh:
        """All faces."""

    def in_world(self, matrix: FloatArray) -> Mesh:
        """All triangles with their vertices moved into world space by a matrix (4, 4)."""
        polygons, key = self.polygons, matrix.tobytes()
        if key not in self._in_world:
            mesh = polygons.as_mesh()
            vertices = moved(mesh.vertices, matrix[:3])
            self._in_world[key] = Mesh(
                vertices, mesh.triangles, mesh.faces, building="thread", copy=False
            )
        return self._in_world[key]

    def plain(self, matrix: FloatArray | None = None) -> Mesh:
        """A separate mesh without hidden triangles, in local space or moved by a matrix (4, 4)."""
        mesh = self.polygons.as_mesh()
        shown = slice(None) if self._hidden is None else ~self._hidden
        vertices = mesh.vertices if matrix is None else moved(mesh.vertices, matrix[:3])
        faces = self.polygons.faces_of(np.arange(len(mesh.triangles)))
        return Mesh(vertices, mesh.triangles[shown], faces[shown], copy=False)

    def visible_only(self, rays: Rays) -> Rays:
        if self._hidden is None:
            return rays
        query = rays.query._replace(excluded=self._hidden)
        if isinstance(rays, LoneRay):
            return rays._replace(query=query)
        return replace(rays, query=query)

    def are_hidden(self, triangles: IntArray) -> BoolArray:
        """Which triangles (N,) are hidden."""
        none = np.zeros(len(triangles), np.bool_)
        return none if self._hidden is None else self._hidden[triangles]

    def visible(self, found: Triangles) -> Triangles:
        return found if self._hidden is None else found.take(~self._hidden[found.triangle])

    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        polygons = self.polygons
        if len(rays) >= _MANY_RAYS:
            polygons.build()
        return polygons._cast_many(self.visible_only(rays))

    def _plain_shape(
        self, rays: int, engine: Engine, border: Border | None = None
    ) -> tuple[Any, Any] | None:
        return (
            None if self._hidden is not None else self.polygons._plain_shape(rays, engine, border)
        )

    def _cast(self, ray: LoneRay) -> list[Hit]:
        return self.polygons._cast(self.visible_only(ray))

    def _closest_points(
        self, p: FloatArray, limits: FloatArray, _excluded: BoolArray | None
    ) -> ClosestPoints:
        polygons = self.polygons
        if len(p) >= _MANY_RAYS:
            polygons.build()
        return polygons._closest_points(p, limits, self._hidden)

    def _closest_vertices(
        self,
        p: FloatArray,
        limits: FloatArray,
        _excluded: BoolArray | None,
        matrix: FloatArray | None = None,
    ) -> ClosestPoints:
        return self.polygons._closest_vertices(p, limits, self.bare_vertices(), matrix)

    def bare_vertices(self) -> BoolArray:
        """Which vertices (V,) no face has that is shown."""
        polygons = self.polygons
        if self._bare is None:
            faces = np.arange(polygons.face_count)
            first, size = polygons.face_corners(faces)
            shown = ~self.are_hidden(first - 2 * faces)
            bare = np.ones(polygons.vertex_count, np.bool_)
            bare[polygons.corner_vertices(runs(first[shown], size[shown]))] = False
            self._bare = bare
        return self._bare

    def triangles_at(self, vertex: int) -> IntArray:
        """The triangles that are shown around a vertex, in order."""
        polygons = self.polygons
        triangles = polygons.triangles_of(polygons._faces_around(np.array([vertex])))
        has_it = (polygons.triangle_vertices(triangles) == vertex).any(axis=1)
        shown: IntArray = triangles[has_it & ~self.are_hidden(triangles)]
        return shown

    def _winding(self, points: FloatArray, tolerance: float) -> FloatArray:
        polygons = self.polygons
        if len(points) >= _MANY_RAYS:
            polygons.build()
        return polygons._winding(points, tolerance, self._hidden)

    def _area(self) -> float:
        return self.polygons._area()

    def _shape_for(self, queries: int) -> tuple[Any, Any]:
        return self.polygons._shape_for(queries)

    def _check_closed(self, now: Any = None) -> None:
        polygons = self.polygons
        if self._hidden is not None:
            raise OpenMeshError(
                "the mesh has hidden faces, so inside and outside cannot be told; pass "
                "rule='winding' for open meshes"
            )
        polygons._check_closed(now)

    def triangles_in(self, region: Region) -> Triangles:
        return self.visible(self.polygons.triangles_in(region))

    def split_face(self, face: int) -> FaceTriangles:
        """The triangles of a face; IndexRangeError if it is hidden or unknown."""
        polygons = self.polygons
        if not 0 <= face < polygons.face_count:
            raise IndexRangeError(f"no face {face} is shown")
        first = int(polygons.triangles_of(np.array([face]))[0])
        if self._hidden is not None and self._hidden[first]:
            raise IndexRangeError(f"no face {face} is shown")
        corners = polygons.split_face(face)
        vertices = polygons.corner_vertices(corners)
        return FaceTriangles(first, corners, vertices, polygons.positions(vertices))

    def face_of(self, triangle: int) -> int:
        """The face that a triangle is part of; IndexRangeError if hidden or unknown."""
        face = self.polygons.face_of(triangle)
        if self._hidden is not None and self._hidden[triangle]:
            raise IndexRangeError(f"triangle {triangle} is hidden")
        return face


class ReadMesh(ShownMesh):
    """A mesh that was read as a whole: it never asks Blender, and never changes."""

    def __init__(
        self, polygons: PolygonMesh, hidden: BoolArray | None, size: Size, edges: IndexArray
    ) -> None:
        super().__init__()
        self._polygons = polygons
        self._hidden, self.size = hidden, size
        self.edges = edges  # at the face corners (L,)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        return self._polygons.bounds

    @property
    def engine(self) -> Engine:
        return self._polygons.wanted_engine

    @property
    def polygons(self) -> PolygonMesh:
        return self._polygons
