# SPDX-License-Identifier: MIT
"""A mesh of polygons that answers rays before it is split into triangles."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from . import arguments, polygon_scan
from .arrays import BoolArray, FloatArray, IndexArray, IntArray
from .caster import Caster
from .engines import Engine, check_engine
from .engines.traversal import near
from .errors import ArgumentError, IndexRangeError
from .hit import Hit, RayHits
from .mesh import Building, Mesh
from .mesh_stats import MeshStats
from .placeable import Placeable
from .polygon_split import Split, Splitter
from .polygons import Polygons, runs
from .ray_batch import LoneRay, RayBatch
from .rent_or_buy import RentOrBuy
from .tree_build import Progress, TreeBuild, told
from .vertex_normal import vertex_normals

# A scan of so many faces takes about as long as all else that a pick does.
_NO_TREE = 1 << 15

# So many rays are scanned for before that costs as much as the triangles.
_FEW = 8

# The triangles' share of the time of a build.
_SHARE = 0.2

_NO_MESH = Mesh(np.empty((0, 3)), ())


class PolygonMesh(Caster, Placeable):
    """Polygons over vertices, in one space; their triangles are numbered and split as Blender's.

    Face f, whose first corner is s, has the triangles from s - 2 f on, one for each of its corners
    but two. A quad is split along the diagonal of its corners 0 and 2, or along the other one if
    corners 1 and 3 are on the same side of it.

    Parameters
    ----------
    vertices : array_like (V, 3)
        Positions; float32 stays float32 until there is a tree. What is not finite or has no area
        is never hit.
    corners : array_like (L,) of int
        The vertex of each corner of each face in order, counter-clockwise from the front.
    sizes : int or array_like (F,) of int
        How many corners each face has, or all of them have.
    split : callable, optional
        Takes faces (N,), and returns the corners (T, 3) of their triangles, in order; asked for
        faces of more than 4 corners, and for quads where Blender's rules may contradict each
        other. It is called inside of casts and of :meth:`build`, in their thread. By default such
        quads are split by the first rule of :mod:`.quad_split`, and no larger face may be there.
    engine : {"auto", "numpy", "numba"}
        As for :class:`.Mesh`.
    building : {"auto", "thread", "never"}
        ``"auto"`` builds a tree when scans have cost as much. ``"thread"`` builds it in a thread
        from the second cast on, if the mesh is not small: what changes all the time is asked only
        once. ``"never"`` leaves it to :meth:`build` and :meth:`build_in_thread`.

    Notes
    -----
    Arrays are not copied if they need not be, and must stay as they are. Hits are the same to the
    last bit as those of a :class:`.Mesh` of the same triangles, before and after a build. One ray
    is answered by a scan over the faces; only those that it can hit are split. Large batches split
    all faces at once.

    Examples
    --------
    >>> square = PolygonMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 3], 4)
    >>> hit = square.ray_cast((0.25, 0.75, 2), (0, 0, -1))
    >>> hit.triangle, hit.face, square.vertices_of(hit.triangle).tolist()
    (1, 0, [0, 2, 3])
    """

    def __init__(
        self,
        vertices: Any,
        corners: Any,
        sizes: Any,
        split: Split | None = None,
        engine: Engine = "auto",
        building: Building = "auto",
    ) -> None:
        self._polygons = Polygons(vertices, corners, sizes)
        if split is None and self._polygons.largest > 4:
            raise ArgumentError("faces of more than 4 corners need `split`, which splits them")
        if split is not None and not callable(split):
            raise ArgumentError(f"split must be callable or None, not {type(split).__name__}")
        check_engine(engine)
        if not arguments.is_one_of(building, "auto", "thread", "never"):
            raise ArgumentError(f'building must be "auto", "thread" or "never", not {building!r}')
        self._splitter = Splitter(split)
        self._engine: Engine = engine
        self._building: Building = building
        self._account = RentOrBuy(self._polygons.triangle_count)
        self._mesh: Mesh | None = None
        # Triangles that a thread has left, with the faces of which the owner must be asked.
        self._waiting: tuple[IndexArray, IntArray] | None = None
        self._thread: TreeBuild | None = None
        self._progress: Progress = told(None)
        self._starting = threading.Lock()

    @property
    def engine(self) -> Engine:
        """The engine that was asked for."""
        return self._engine

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
        """How many triangles they have."""
        return self._polygons.triangle_count

    @property
    def built(self) -> bool:
        """Whether there is a tree."""
        return self._ready() is not None

    @property
    def progress(self) -> float | None:
        """The share that is done of a build in a thread, from 0 to 1; None where there is none.

        A build that waits for :meth:`go_on` or for the next cast counts.
        """
        thread = self._thread
        return thread.share if thread is not None and self._under_way else None

    @property
    def stats(self) -> MeshStats:
        """Counts, times and memory so far; a build includes the triangles."""
        account, inner = self._account, (self._mesh or _NO_MESH).stats
        return replace(
            inner,
            triangles=self.triangle_count,
            vertices=len(self._polygons.vertices),
            scans=inner.scans + account.scans,
            scan_seconds=inner.scan_seconds + account.scan_seconds,
            build_seconds=inner.build_seconds + account.build_seconds,
        )

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, of the triangles and of the tree, in bytes."""
        mesh, waiting = self._mesh, self._waiting
        total = self._polygons.nbytes + self._splitter.nbytes
        if waiting is not None:
            total += sum(array.nbytes for array in waiting)
        if mesh is not None:
            total += mesh.nbytes
            if mesh.vertices is self._polygons.vertices:
                total -= mesh.vertices.nbytes
        return total

    def face_of(self, triangle: int) -> int:
        """The face that a triangle is part of."""
        return int(self._face_of(triangle)[0])

    def faces_of(self, triangles: IntArray) -> IntArray:
        """The faces that triangles (N,) are part of."""
        return self._polygons.faces_of(triangles)

    def triangles_of(self, faces: IntArray) -> IntArray:
        """The triangles of faces (N,), face after face."""
        counts = self._polygons.sizes_of(faces) - 2
        return runs(self._polygons.triangles_from(faces), counts)

    def vertex_normals(self, vertices: IntArray) -> FloatArray:
        """Unit normals (K, 3) of vertices (K,), as :func:`.vertex_normals` has them."""
        return vertex_normals(self._polygons, vertices, self._faces_around(vertices))

    def as_mesh(self) -> Mesh:
        """A mesh of its own of all triangles; `split` may be asked for some of them."""
        inner = self._mesh or self._as_mesh(*self._triangles(told(None)))
        faces = self.faces_of(np.arange(self.triangle_count))
        return Mesh(inner.vertices, inner.triangles, faces, self._engine)

    def corners_of(self, triangle: int) -> IntArray:
        """The corners (3,) of a triangle; `split` may be asked for them."""
        polygons, face = self._polygons, self._face_of(triangle)
        first = int(polygons.corners_from(face)[0])
        if self._mesh is not None:
            own = polygons.corners[first : first + int(polygons.sizes_of(face)[0])].tolist()
            if len(set(own)) == len(own):
                vertices = self._mesh.triangles[triangle].tolist()
                return np.array([first + own.index(vertex) for vertex in vertices])
        corners = self._splitter.split(polygons, face)
        row: IntArray = corners[triangle - int(polygons.triangles_from(face)[0])]
        return row

    def vertices_of(self, triangle: int) -> IntArray:
        """The vertices (3,) of a triangle."""
        return self.vertices_at(self.corners_of(triangle))

    def vertices_at(self, corners: IntArray) -> IntArray:
        """The vertices (...) of corners (...)."""
        return self._polygons.corners.take(corners).astype(np.int64)

    def positions(self, vertices: Any) -> FloatArray:
        """Positions (..., 3) of vertices (...)."""
        return self._polygons.positions(vertices)

    def build(self, progress: Progress | None = None) -> None:
        """Build triangles and tree now, as :meth:`.Mesh.build` does."""
        if self._thread is not None:
            self._thread.wait()
        self._build(told(progress), asking=True)

    def build_in_thread(self, progress: Progress | None = None) -> TreeBuild:
        """Build triangles and tree in a thread, as :meth:`.Mesh.build_in_thread` does.

        If `split` is needed, the thread ends after the triangles that it knows; the next cast asks,
        and starts another one for the rest.
        """
        with self._starting:
            if self._thread is None or self._thread.done:
                self._progress = told(progress)
                self._thread = TreeBuild(lambda done: self._build(done, False), self._progress)
            return self._thread

    def go_on(self) -> None:
        """Ask `split` for what a thread has left to be asked, and start it again; as casts do."""
        thread, waiting = self._thread, self._waiting
        if waiting is not None and thread is not None and self._is_left(thread):
            self._splitter.ask(self._polygons, waiting[1])
            self.build_in_thread(self._progress)

    def cancel(self) -> None:
        """Ask a build that is under way in a thread to end soon."""
        self._waiting = None
        for build in (self._thread, self._mesh):
            if build is not None:
                build.cancel()

    def cast_one(self, ray: LoneRay) -> list[Hit]:
        """Hits of one ray in the mesh's space, the nearest first."""
        mesh = self._ready() or self._built_by_now()
        if mesh is not None:
            return [replace(hit, face=self.face_of(hit.triangle)) for hit in mesh.cast_one(ray)]
        with self._account.scanning():
            hits = polygon_scan.cast_one(self._polygons, self._splitter, ray)
        if self._building == "thread" and self._account.scans > 1 and self._is_worth_a_thread:
            self.build_in_thread()
        return hits

    def cast(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits of rays in the mesh's space, with the row of the ray of each, sorted."""
        rows, parts = [np.empty(0, dtype=np.int64)], [RayHits.misses(0)]
        i, few = 0, len(rays) <= _FEW
        while i < len(rays) and not self.built and (few or self._under_way):
            hits = self.cast_one(rays.ray(i))
            if hits:
                rows.append(np.full(len(hits), i, dtype=np.int64))
                parts.append(RayHits.of(hits))
            i += 1
        if i < len(rays):
            mesh = self._mesh or self._as_mesh(*self._triangles(told(None)))
            row, found = mesh.cast(rays.take(slice(i, None)))
            rows.append(row + i)
            parts.append(replace(found, face=self._polygons.faces_of(found.triangle)))
        return np.concatenate(rows), RayHits.concatenated(parts)

    _cast, _cast_one = cast, cast_one

    def _excluded(self, exclude: Any) -> BoolArray:
        return arguments.mask(exclude, self.triangle_count, "exclude")

    def _face_of(self, triangle: int) -> IntArray:
        if not 0 <= triangle < self.triangle_count:
            raise IndexRangeError(f"there is no triangle {triangle}")
        return self._polygons.faces_of(np.array([triangle]))

    def _faces_around(self, vertices: IntArray) -> IntArray:
        """The faces that have one of the vertices (K,), and perhaps others."""
        mesh, polygons = self._ready(), self._polygons
        if mesh is None or mesh.tree is None:
            sought = np.zeros(len(polygons.vertices), dtype=np.bool_)
            sought[vertices] = True
            return np.unique(polygons.faces_at(np.flatnonzero(sought[polygons.corners])))
        found = [near(mesh.tree, point) for point in self.positions(vertices)]
        return np.unique(polygons.faces_of(np.concatenate(found)))

    @property
    def _under_way(self) -> bool:
        """Whether a thread builds, or has left the rest to the next cast."""
        thread = self._thread
        return thread is not None and (not thread.done or self._is_left(thread))

    def _is_left(self, thread: TreeBuild) -> bool:
        return thread.done and thread.error is None and self._waiting is not None

    @property
    def _is_worth_a_thread(self) -> bool:
        """Whether to start one that nobody asked for; what failed is not tried again."""
        failed = self._thread is not None and self._thread.error is not None
        return self.face_count > _NO_TREE and not failed and not self._under_way

    def _ready(self) -> Mesh | None:
        """The triangles once they have a tree; their vertices are then the only ones needed."""
        mesh, polygons = self._mesh, self._polygons
        if mesh is None or mesh.tree is None:
            return None
        if polygons.vertices is not mesh.vertices:
            self._polygons = polygons.with_vertices(mesh.vertices)
        return mesh

    def _built_by_now(self) -> Mesh | None:
        """As :meth:`_ready`, after what is to be done before the next scan."""
        self.go_on()
        if self._building == "auto" and not self._under_way and self._account.should_build(1):
            self.build()
        return self._ready()

    def _build(self, progress: Progress, asking: bool) -> None:
        """Build what is not there; without `asking`, as far as it goes without the owner."""

        def told_of_triangles(done: float) -> None:
            progress(_SHARE * done)

        mesh = self._mesh
        if mesh is None:
            triangles, faces = self._triangles(told_of_triangles)
            if not asking and len(self._splitter.missing(faces)):
                self._waiting = triangles, faces
                return
            mesh = self._as_mesh(triangles, faces)
        mesh.build(lambda done: progress(_SHARE + (1.0 - _SHARE) * done))
        self._ready()

    def _triangles(self, progress: Progress) -> tuple[IndexArray, IntArray]:
        """All triangles as vertices (T, 3), but for some faces, which the owner must split."""
        if (waiting := self._waiting) is not None:
            return waiting
        with self._account.building():
            return self._splitter.triangulate(self._polygons, progress)

    def _as_mesh(self, triangles: IndexArray, faces: IntArray) -> Mesh:
        """The inner mesh, after the owner was asked for the faces that are not known yet."""
        polygons = self._polygons
        self._splitter.ask(polygons, faces)
        self._splitter.complete(polygons, triangles, faces)
        self._mesh = Mesh(polygons.vertices, triangles, None, self._engine, self._building)
        self._waiting = None
        return self._mesh

    def __getstate__(self) -> dict[str, Any]:
        idle = {"_thread": None, "_waiting": None, "_starting": None, "_progress": told(None)}
        return {**self.__dict__, **idle}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._starting = threading.Lock()

    def __repr__(self) -> str:
        return f"<PolygonMesh {len(self._polygons.vertices)} vertices, {self.face_count} faces>"
