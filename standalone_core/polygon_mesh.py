# SPDX-License-Identifier: MIT
"""A mesh of polygons that answers rays before it is split into triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from . import arguments
from .arguments import Border
from .building.buildable import Building, callable_progress
from .bvh import Tree
from .cast.hits import as_columns, joined
from .cast.rays import Geometry, LoneRay, RayBatch
from .closest.places import ClosestPoints
from .concurrency.threads import Progress
from .engines import Engine
from .engines.traversal import near
from .errors import ArgumentError
from .hit import Hit, RayHits
from .mesh import Mesh, of_points
from .numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray, SingleArray, finite_extent
from .numerics.columns import runs
from .numerics.reading import as_array
from .numerics.values import deprecated_alias, guarded
from .places.texture import corner_values
from .polygons import scan
from .polygons.polygons import Polygons, vertex_normals
from .polygons.split import Split, Splitter
from .region import Region, Triangles
from .tree_mesh import State, TreeMesh
from .types import Integers, Reals

# Scanning this many faces takes about as long as all the rest of a pick.
_NO_TREE = 1 << 15

# A tree over this many faces is built in a few milliseconds: no thread is needed.
_AT_ONCE = 1 << 12

# The share of a build's time that splitting takes.
_SHARE = 0.2

# Batches of at most this many rays are scanned; larger ones split all faces.
_FEW = 8

OnTriangles = TypeVar("OnTriangles", RayHits, ClosestPoints, Triangles)


class PolygonMesh(TreeMesh):
    """Polygons over vertices, in one space; their triangles are numbered and split as in Blender.

    Face f with n corners, the first of which is s, has n - 2 triangles, numbered from s - 2 f on. A
    quad is split along the diagonal of its corners 0 and 2, or along the other one if
    corners 1 and 3 are on the same side of it.

    Parameters
    ----------
    vertices : array_like (V, 3)
        Positions; float32 stays float32 until there is a tree. Triangles that are not finite or
        have no area are never hit.
    corners : array_like (L,) of int
        The vertex of each corner of each face in order: counter-clockwise seen from the front in a
        right-handed world, clockwise in a left-handed one.
    sizes : int or array_like (F,) of int
        How many corners each face has; one number if it is the same for all.
    split : callable, optional
        Takes faces (N,), and returns the corners (T, 3) of their triangles, in order. Casts and
        :meth:`build` call it, in the calling thread, for faces of more than 4 corners and for quads
        where Blender's rules may contradict each other. By default such quads are split by the
        first of Blender's rules, and larger faces are refused.
    engine : {"auto", "numpy", "numba"}
        As for :class:`.Mesh`.
    building : {"auto", "thread", "never"}
        ``"auto"`` builds a tree when scans have cost as much as it would. ``"thread"`` builds it in
        a thread after the second cast, if the mesh is not small: a mesh that is replaced after each
        cast starts no thread. A small one is built as with "auto". ``"never"`` leaves it to
        :meth:`build` and :meth:`build_in_thread`.
    border : {"open", "closed"}
        As for :class:`.Mesh`. With "closed" the first cast splits all faces.
    copy : bool
        As for :class:`.Mesh`. If it is False, arrays are copied only where that is needed.

    Notes
    -----
    Hits are the same to the last bit as those of a :class:`.Mesh` of the same triangles, before and
    after a build. One ray is answered by a scan over the faces; only those that it can hit are
    split. Large batches split all faces at once.

    Examples
    --------
    >>> square = PolygonMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 3], 4)
    >>> hit = square.ray_cast((0.25, 0.75, 2), (0, 0, -1))
    >>> hit.triangle, hit.face, square.triangle_vertices(hit.triangle).tolist()
    (1, 0, [0, 2, 3])
    """

    _announces = True  # as it never changes

    def __init__(
        self,
        vertices: Reals,
        corners: Integers,
        sizes: Integers,
        split: Split | None = None,
        engine: Engine = "auto",
        building: Building = "auto",
        *,
        border: Border = "open",
        copy: bool = True,
    ) -> None:
        polygons = Polygons(vertices, corners, sizes, copy=arguments.flag(copy, "copy"))
        if split is None and polygons.largest > 4:
            raise ArgumentError("faces of more than 4 corners need `split`, which splits them")
        arguments.callable_or_none(split, "split")
        super().__init__(polygons.triangle_count, engine, building, border)
        # Shares the vertices of the tree, once there is one, so that no others are kept.
        self._polygons = polygons
        self._splitter = Splitter(split)
        # The face of each triangle (T,), once compiled code has asked for it.
        self._faces: IntArray | None = None
        # The corners of all triangles (T, 3), once a UV map has needed them.
        self._corners: IndexArray | None = None
        # All triangles, and the faces whose triangles are not valid yet: only `split` knows them.
        self._waiting: tuple[IndexArray, IntArray] | None = None

    @property
    def built(self) -> bool:
        """Whether there is a tree."""
        return self._tree is not None

    @property
    def progress(self) -> float | None:
        """How much of a build in a thread is done, from 0 to 1; None if none is under way.

        A build that waits for :meth:`continue_build` or the next cast is under way.
        """
        thread = self._thread
        return thread.share if thread is not None and self._is_under_way else None

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, of the triangles and of the tree, in bytes."""
        state, own = self._state, self._polygons.vertices
        arrays = [self._faces, self._corners, *(self._waiting or ())]
        if state is not None:
            arrays.append(state.geometry.triangles)
            if not np.may_share_memory(state.geometry.vertices, own):
                arrays.append(state.geometry.vertices)
        known: int = sum(array.nbytes for array in arrays if array is not None)
        return self._polygons.nbytes + self._splitter.nbytes + known + self._nbytes_of_trees

    @property
    def revision(self) -> int:
        """Always 0: the vertices are never replaced."""
        return 0

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all finite vertices; NaN where there is none."""
        return self._polygons.bounds

    @property
    def vertex_count(self) -> int:
        """How many vertices there are."""
        return len(self._polygons.vertices)

    @property
    def face_count(self) -> int:
        """How many faces there are."""
        return self._polygons.face_count

    @property
    def triangle_count(self) -> int:
        """How many triangles all faces have."""
        return self._polygons.triangle_count

    @property
    def topology(self) -> str:
        """Hexadecimal digits, equal for meshes whose faces have the same vertices in order.

        They are computed at the first use, and are the same on every machine.
        """
        return self._polygons.topology

    def face_of(self, triangle: int) -> int:
        """The face that a triangle is part of."""
        return int(self._face_of(triangle)[0])

    def faces_of(self, triangles: Integers) -> IntArray:
        """The faces that triangles (N,) are part of."""
        return self._polygons.faces_of(arguments.rows(triangles, self.triangle_count, "triangles"))

    def triangles_of(self, faces: Integers) -> IntArray:
        """The triangles of faces (N,), face after face."""
        return self._polygons.triangles_of(arguments.rows(faces, self.face_count, "faces"))

    def face_corners(self, faces: Integers) -> tuple[IntArray, IntArray]:
        """The first corner (N,) of faces (N,), and their numbers of corners (N,)."""
        rows = arguments.rows(faces, self.face_count, "faces")
        return self._polygons.corners_from(rows), self._polygons.sizes_of(rows)

    def vertex_normals(self, vertices: Integers) -> FloatArray:
        """Unit normals (K, 3) of vertices (K,), as for smooth shading; NaN without a face.

        Each averages the normals of the faces around a vertex, weighted by the corner angles there.
        """
        rows = arguments.rows(vertices, self.vertex_count, "vertices")
        if not len(rows):
            return np.empty((0, 3))
        return vertex_normals(self._polygons, rows, self._faces_around(rows))

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        return self.as_mesh().__raypick__()  # `split` stays with its copy

    def as_mesh(self) -> Mesh:
        """A separate mesh of all triangles; `split` may be called for some of them."""
        vertices, triangles, _ = self._whole().geometry
        faces = self.faces_of(np.arange(self.triangle_count))
        engine, border = self.wanted_engine, self._border
        return Mesh(vertices, triangles, faces, engine, border=border, copy=False)

    def triangle_corners(self, triangle: Integers) -> IntArray:
        """The corners (3,) of a triangle, or (N, 3) of N; `split` may be called."""
        if as_array(triangle, "triangle").ndim:
            return self._corners_of_many(arguments.rows(triangle, self.triangle_count, "triangle"))
        triangle = arguments.row(triangle, self.triangle_count, "triangle")
        polygons, face = self._polygons, self._face_of(triangle)
        first = int(polygons.corners_from(face)[0])
        if self._state is not None:
            own = polygons.corners[first : first + int(polygons.sizes_of(face)[0])].tolist()
            if len(set(own)) == len(own):
                vertices = self._state.geometry.triangles[triangle].tolist()
                return np.array([first + own.index(vertex) for vertex in vertices])
        row: IntArray = self.split_face(int(face[0]))[
            triangle - int(polygons.triangles_from(face)[0])
        ]
        return row

    def _corners_of_many(self, triangles: IntArray) -> IntArray:
        polygons = self._polygons
        faces = np.unique(polygons.faces_of(triangles))
        rows = polygons.triangles_of(faces).searchsorted(triangles)
        return self._splitter.split(polygons, faces)[rows]

    def split_face(self, face: int) -> IntArray:
        """The corners (n - 2, 3) of all triangles of a face of n corners, in order."""
        number = arguments.row(face, self.face_count, "face")
        return self._splitter.split(self._polygons, np.array([number]))

    def split_face_many(self, faces: Integers) -> IntArray:
        """The corners (T, 3) of all triangles of faces (N,), face after face."""
        rows = arguments.rows(faces, self.face_count, "faces")
        every, place = np.unique(rows, return_inverse=True)
        corners = self._splitter.split(self._polygons, every)
        counts = self._polygons.sizes_of(every) - 2
        starts = np.cumsum(counts) - counts
        return corners[runs(starts[place], counts[place])]

    def triangle_vertices(self, triangle: Integers) -> IntArray:
        """The vertices (3,) of a triangle, or (N, 3) of N."""
        if self._state is not None and as_array(triangle, "triangle").ndim:
            rows = arguments.rows(triangle, self.triangle_count, "triangle")
            return self._state.geometry.triangles[rows].astype(np.int64)
        return self.corner_vertices(self.triangle_corners(triangle))

    def corner_vertices(self, corners: Integers) -> IntArray:
        """The vertices (...) of corners (...)."""
        own = self._polygons.corners
        return own.take(arguments.indices_below(corners, len(own), "corners")).astype(np.int64)

    corners_of = deprecated_alias("corners_of", "triangle_corners", since="0.2")
    vertices_of = deprecated_alias("vertices_of", "triangle_vertices", since="0.2")
    vertices_at = deprecated_alias("vertices_at", "corner_vertices", since="0.2")
    split = deprecated_alias("split", "split_face", since="0.2")
    go_on = deprecated_alias("go_on", "continue_build", since="0.2")

    def positions(self, vertices: Integers) -> FloatArray:
        """Positions (..., 3) of vertices (...)."""
        rows = arguments.indices_below(vertices, self.vertex_count, "vertices")
        return self._polygons.positions(rows)

    def continue_build(self) -> None:
        """If a build in a thread waits for `split`, call it and restart the build, as casts do.

        A thread ends where `split` is needed; another one then does the rest.
        """
        waiting, thread = self._waiting, self._thread
        if waiting is not None and thread is not None and self._is_waiting:
            self._splitter.ask(self._polygons, waiting[1])
            self.build_in_thread(self._progress, thread.threads)

    def cancel(self) -> None:
        """Ask a build that is under way in a thread to end soon."""
        self._waiting = None
        super().cancel()

    @property
    def _positions(self) -> FloatArray | SingleArray:
        return self._polygons.vertices

    @property
    def _is_waiting(self) -> bool:
        """Whether a build waits for :meth:`continue_build`."""
        thread, waiting = self._thread, self._waiting
        return thread is not None and thread.done and thread.error is None and waiting is not None

    @property
    def _is_under_way(self) -> bool:
        return super()._is_under_way or self._is_waiting

    def _has_tree_now(self) -> bool:
        """Continue or start a build that is due before a scan, and tell whether there is a tree."""
        if not self.built:
            self.continue_build()
            is_small = self._polygons.face_count <= _AT_ONCE
            at_once = ("auto", "thread") if is_small else ("auto",)
            is_due = self._building in at_once and self._account.should_build(1)
            if is_due and not self._is_under_way:
                self.build()
        return self.built

    def _after_scan(self) -> None:
        """Start a build in a thread if one is due; a build that failed is not tried again."""
        failed = self._thread is not None and self._thread.error is not None
        count, account = self._polygons.face_count, self._account
        is_due = account.scans > 1 if count > _NO_TREE else account.should_build(1)
        self._build_if_due("thread", is_due and count > _AT_ONCE and not failed)

    def _of_points(self, points: FloatArray | SingleArray) -> Mesh:
        return of_points(points, self._engine)

    def _whole(self) -> State:
        return self._state or self._split_all(*self._triangles(callable_progress(None)))

    def _build(self, progress: Progress) -> None:
        if self._state is None:
            self._split_all(*self._triangles(lambda done: progress(_SHARE * done)))
        super()._build(lambda done: progress(_SHARE + (1.0 - _SHARE) * done))
        # The vertices of the tree are the same positions in double precision.
        self._polygons = self._polygons.with_vertices(self._whole().geometry.vertices)

    def _build_in_background(self, progress: Progress) -> None:
        """Build as far as possible without a call of `split`."""
        if self._state is None:
            triangles, faces = self._triangles(lambda done: progress(_SHARE * done))
            if len(self._splitter.missing(faces)):
                self._waiting = triangles, faces
                return
            self._split_all(triangles, faces)
        self._build(progress)

    def _triangles(self, progress: Progress) -> tuple[IndexArray, IntArray]:
        """The vertices (T, 3) of all triangles, and faces (N,) that only `split` can split."""
        if (waiting := self._waiting) is not None:
            return waiting[0].copy(), waiting[1]  # others may take them too
        with self._account.building():
            return self._splitter.triangulate(self._polygons, progress)

    def _split_all(self, triangles: IndexArray, faces: IntArray) -> State:
        """Let `split` fill in the triangles of faces (N,); return the state of all triangles."""
        polygons = self._polygons
        self._splitter.ask(polygons, faces)
        corners, _ = self._splitter.known(polygons, faces)
        triangles[polygons.triangles_of(faces)] = polygons.corners.take(corners)
        vertices = arguments.positions(polygons.vertices, "vertices")
        if vertices is not polygons.vertices:
            vertices = guarded(vertices)
        geometry = Geometry(vertices, guarded(triangles), None).read_only()
        with self._lock.here:
            if self._state is None:  # else another thread was faster
                self._state = State(geometry, finite_extent(vertices), None)
            self._waiting = None
            return self._state

    def _cast(self, ray: LoneRay) -> list[Hit]:
        if self._has_tree_now() or self._is_rim_hit(ray.query.border):
            # Only all triangles together have a border.
            hits = super()._cast(ray)
            return [replace(hit, face=self.face_of(hit.triangle)) for hit in hits]
        with self._account.scanning():
            hits = scan.cast(self._polygons, self._splitter, ray)
        self._after_scan()
        return hits

    def _cast_many(self, rays: RayBatch, now: State | None = None) -> tuple[IntArray, RayHits]:
        parts: list[tuple[IntArray, RayHits]] = []
        i, few, is_open = 0, len(rays) <= _FEW, not self._is_rim_hit(rays.query.border)
        if not is_open:
            self.continue_build()  # as a cast of one ray does
        while is_open and i < len(rays) and not self.built and (few or self._is_under_way):
            hits = self._cast(rays.ray(i))
            if hits:
                parts.append((np.full(len(hits), i, dtype=np.int64), as_columns(hits)))
            i += 1
        if i < len(rays):
            row, found = super()._cast_many(rays.take(slice(i, None)), now)
            parts.append((row + i, self._with_faces(found)))
        return joined(parts)

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        return self._with_faces(super()._cast_nearest(rays))

    def _tree_for(
        self, rays: int, border: Border | None, now: State | None = None
    ) -> tuple[Geometry, Tree] | None:
        return super()._tree_for(rays, border, now) if self.built else None

    def _plain_shape(
        self, rays: int, engine: Engine, border: Border | None = None
    ) -> tuple[Geometry, Tree] | None:
        shape = super()._plain_shape(rays, engine, border)
        return None if shape is None else (self._with_all_faces(shape[0]), shape[1])

    def _shape_for(self, queries: int) -> tuple[Geometry, Tree | None]:
        geometry, tree = super()._shape_for(queries)
        return self._with_all_faces(geometry), tree

    def _closest_points(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        now: State | None = None,
    ) -> ClosestPoints:
        return self._with_faces(super()._closest_points(p, limits, excluded, now))

    def _ties(self, *query: Any) -> tuple[IntArray, ClosestPoints]:
        row, places = super()._ties(*query)
        return row, self._with_faces(places)

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region, in order, and perhaps some that are near it.

        Without a tree, only the faces that may reach into it are split.
        """
        region = arguments.instance_of(region, Region, "region")
        if self._has_tree_now():
            return self._with_faces(super().triangles_in(region))
        with self._account.scanning():
            found = scan.triangles_in(self._polygons, self._splitter, region)
        self._after_scan()
        return found

    def _uv_of_corners(self, uv: FloatArray, geometry: Geometry) -> FloatArray:
        polygons = self._polygons
        if self._corners is None and uv.shape == (len(polygons.corners), 2):
            every = self._splitter.split(polygons, np.arange(self.face_count))
            self._corners = every.astype(np.int32)
        rows = geometry.triangles if self._corners is None else self._corners
        return corner_values(uv, "L", len(polygons.corners), rows)

    def _with_faces(self, found: OnTriangles) -> OnTriangles:
        """Hits, places or triangles, with the faces of their triangles filled in."""
        if isinstance(found, RayHits) and (unread := found._unread) is not None:
            vars(found).update(_unread=unread._replace(faces_of=self._polygons.faces_of))
            return found
        face, there = found.triangle.copy(), found.triangle >= 0
        face[there] = self._polygons.faces_of(found.triangle[there])
        return replace(found, face=face)

    def _with_all_faces(self, geometry: Geometry) -> Geometry:
        """Triangles with the face of each, for compiled code."""
        if self._faces is None:
            self._faces = self._polygons.faces_of(np.arange(self._polygons.triangle_count))
        return geometry._replace(faces=self._faces)

    def _face_of(self, triangle: int) -> IntArray:
        number = arguments.row(triangle, self.triangle_count, "triangle")
        return self._polygons.faces_of(np.array([number]))

    def _faces_around(self, vertices: IntArray) -> IntArray:
        """The faces that have one of the vertices (K,), and perhaps others."""
        tree, polygons = self._tree, self._polygons
        if tree is None:
            sought = np.zeros(len(polygons.vertices), dtype=np.bool_)
            sought[vertices] = True
            return np.unique(polygons.faces_at(np.flatnonzero(sought[polygons.corners])))
        found = [near(tree, point) for point in self.positions(vertices)]
        triangles = np.concatenate([np.empty(0, dtype=np.int64), *found])
        return np.unique(polygons.faces_of(triangles))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_waiting": None}

    def __repr__(self) -> str:
        return f"<PolygonMesh {len(self._polygons.vertices)} vertices, {self.face_count} faces>"
