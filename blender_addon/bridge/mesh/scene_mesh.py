# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh of the scene that is read from Blender when a ray first meets its box."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
import numpy.typing as npt

from ...settings import engine
from ...standalone_core import (
    Hit,
    Mesh,
    Placeable,
    PolygonMesh,
    RayHits,
    RaypickError,
    Region,
    Triangles,
    triangle,
)
from ...standalone_core.extension import (
    Engine,
    EngineError,
    IndexRangeError,
    LoneRay,
    Polygons,
    RayBatch,
    finite_bounds,
    normalized,
)
from . import arrays
from .shown_mesh import BoolArray, hidden_faces, lasting_mesh, mesh_size, shown_mesh
from .source import Source
from .visible_part import Found, VisiblePart

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Blender computes the normals of so many vertices in a millisecond or two.
_MANY_VERTICES = 20_000

uses = itertools.count(1)
"""Numbers the uses of all meshes, to tell which was used last."""


class SceneMesh(Placeable):
    """The faces that a viewport shows of an evaluated mesh, in local space.

    Only the positions are read at first, for the box. The rest is read, on Blender's main thread,
    when a ray meets the box, and may be let go and read again at any time.

    Parameters
    ----------
    source : Source
        Where the mesh is found; `source` may be set anew while the mesh stays the same.
    mesh : bpy.types.Mesh
        The mesh there, opened.

    Attributes
    ----------
    source : Source
    size : tuple of int
        Its numbers of vertices, edges, corners and faces.
    used : int
        When the faces were last asked for: a number of `uses`.
    """

    def __init__(self, source: Source, mesh: bpy.types.Mesh) -> None:
        self.source = source
        self.used = 0
        self.size = mesh_size(mesh)
        self._positions: arrays.Float32Array | None = arrays.positions(mesh)
        lower, upper = finite_bounds(self._positions)
        self._bounds = lower.astype(np.float64), upper.astype(np.float64)
        self._polygons: PolygonMesh | None = None
        self._part: VisiblePart | None = None
        self._moved: dict[bytes, Mesh] = {}

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner around all finite vertices, in local space."""
        return self._bounds

    @property
    def revision(self) -> int:
        """Always 0: a mesh that changes is another SceneMesh."""
        return 0

    @property
    def engine(self) -> Engine:
        """What casts rays, as the preferences have it."""
        return engine()

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        held = (self._positions, self._polygons, *self._moved.values())
        return sum(part.nbytes for part in held if part is not None)

    @property
    def indexing(self) -> float | None:
        """The share that is done of a tree that is being built; None if none is."""
        return None if self._polygons is None else self._polygons.progress

    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits of rays in local space, with the row of the ray of each."""
        rows, hits = self.polygons._cast_many(rays)
        return rows, self.whole_hit(hits)

    def _cast(self, ray: LoneRay) -> list[Hit]:
        """Hits of one ray in local space, the nearest first."""
        return [self.whole_hit(hit) for hit in self.polygons._cast(ray)]

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region of local space, and perhaps some near it."""
        return self.whole_hit(self.polygons.triangles_in(region))

    def whole_hit(self, hit: Found) -> Found:
        """A hit, hits or triangles of `polygons` with face and triangle as in the whole mesh."""
        return hit if self._part is None else self._part.whole_hit(hit)

    @property
    def polygons(self) -> PolygonMesh:
        """The faces that are not hidden; read now, if they are not there."""
        self.used = next(uses)
        if self._polygons is None:
            self._polygons = self._read()
            self._positions = None
        return self._polygons

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """The evaluated object and its mesh, for reading single elements; both end with it.

        Blender copies a whole array at the first look into it, unless nobody shares it: so the
        mesh is `Object.data` where that is the one that was read, and not a fresh copy each time.
        """
        with self.source.evaluated() as evaluated:
            mesh = lasting_mesh(evaluated, self.size)
            if mesh is not None:
                yield evaluated, mesh
                return
            with shown_mesh(evaluated) as mesh:
                yield evaluated, mesh

    def go_on(self) -> None:
        """Do what a thread that indexes the mesh has left to Blender's main thread."""
        if self._polygons is not None:
            self._polygons.go_on()

    def hit_triangle(self, hit: Hit) -> tuple[IntArray, IntArray, FloatArray]:
        """Vertex numbers (3,), corner numbers (3,) and local positions (3, 3) of a hit triangle."""
        polygons = self.polygons
        part = self._part
        own = hit.triangle if part is None else part.own_triangle(hit.face, hit.triangle)
        corners = polygons.corners_of(own)
        vertices = polygons.vertices_at(corners)
        whole = corners if part is None else part.whole_corners(corners)
        return vertices, whole, polygons.positions(vertices)

    def split_face(self, face: int) -> tuple[int, IntArray, FloatArray]:
        """The first triangle of a face, and of all its triangles the corners and positions.

        Returns
        -------
        first : int
        corners : ndarray (T, 3) of int
            The same number where triangles share a corner of the face.
        positions : ndarray (T, 3, 3)
            In local space.

        Raises
        ------
        IndexRangeError
            If no such face is shown.
        """
        polygons = self.polygons
        corners = polygons.split(self._own_face(face))
        positions = polygons.positions(polygons.vertices_at(corners))
        return self.first_triangle(face), corners, positions

    def face_vertices(self, corners: IntArray) -> list[int]:
        """The vertices of corners (...) that `split_face` gave, one after another."""
        return [int(vertex) for vertex in self.polygons.vertices_at(corners).ravel()]

    def first_triangle(self, face: int) -> int:
        """The first triangle of a face; IndexRangeError if no such face is shown."""
        faces = np.array([self._own_face(face)])
        first = self.polygons.triangles_of(faces)[:1]
        return int((first if self._part is None else self._part.whole_triangles(first, faces))[0])

    def face_of(self, triangle: int) -> int:
        """The face that a triangle is part of; IndexRangeError if it is not shown."""
        polygons, part = self.polygons, self._part
        face = polygons.face_of(triangle) if part is None else part.face_of(triangle)
        if face is None:
            raise IndexRangeError(f"triangle {triangle} is hidden")
        return face

    def _own_face(self, face: int) -> int:
        """A face of the whole mesh as the shown part counts it."""
        own = face if self._part is None else self._part.own_face(face)
        if own is None or not 0 <= own < self.polygons.face_count:
            raise IndexRangeError(f"no face {face} is shown")
        return own

    def moved(self, matrix: FloatArray) -> Mesh:
        """All triangles with their vertices moved by a matrix (4, 4) that cannot be inverted."""
        polygons, key = self.polygons, matrix.tobytes()
        if key not in self._moved:
            mesh = polygons.as_mesh()
            vertices = mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
            self._moved[key] = Mesh(vertices, mesh.triangles, mesh.faces, building="thread")
        return self._moved[key]

    def smooth_normal(self, hit: Hit, vertices: IntArray) -> tuple[float, float, float] | None:
        """The local unit normal that Blender shades a place of an all-smooth mesh with.

        None for a mesh of few vertices, where Blender's own are as soon there, or of hidden faces,
        which count in it; and where normals cancel out.
        """
        polygons = self.polygons
        if self._part is not None or polygons.vertex_count < _MANY_VERTICES:
            return None
        normals = np.nan_to_num(polygons.vertex_normals(vertices))
        normal = normalized(triangle.interpolate(normals, hit.barycentric))
        return tuple(normal.tolist()) if np.isfinite(normal).all() else None

    def cancel(self) -> None:
        """End what threads do."""
        for mesh in (self._polygons, *self._moved.values()):
            if mesh is not None:
                mesh.cancel()

    def release(self) -> None:
        """Let go of all memory, and end what threads do; all can be read again."""
        self.cancel()
        self._moved.clear()
        self._polygons = self._positions = self._part = None

    def _read(self) -> PolygonMesh:
        with self.source.opened() as (evaluated, mesh):
            positions = self._positions
            if positions is None:
                positions = arrays.positions(mesh)
            corners, sizes = arrays.faces(mesh)
            hidden = hidden_faces(evaluated, mesh)
        try:
            return self._polygon_mesh(positions, corners, sizes, hidden)
        except EngineError:
            raise
        except RaypickError:  # faces that no mesh should have, of vertices that are not there
            return PolygonMesh(np.empty((0, 3)), np.empty(0, np.int32), 3)

    def _polygon_mesh(
        self,
        positions: arrays.Float32Array,
        corners: arrays.Int32Array,
        sizes: int | arrays.Int32Array,
        hidden: BoolArray | None,
    ) -> PolygonMesh:
        self._part = None
        if hidden is not None:
            self._part = VisiblePart(Polygons(positions, corners, sizes), hidden)
            corners, sizes = self._part.corners, self._part.sizes
        return PolygonMesh(positions, corners, sizes, self._split, engine(), building="thread")

    def _split(self, faces: IntArray) -> arrays.Int32Array:
        """Blender's own triangles of faces: their corners (N, 3)."""
        part = self._part
        triangles = self.polygons.triangles_of(faces)
        if part is not None:
            triangles = part.whole_triangles(triangles, self.polygons.faces_of(triangles))
        with self.source.opened() as (_, mesh):
            corners = arrays.triangle_corners(mesh, triangles)
        return corners if part is None else part.own_corners(corners)
