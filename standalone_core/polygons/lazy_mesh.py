# SPDX-License-Identifier: MIT
"""The triangles of polygons and their tree: made step by step, at once or in a thread."""

from typing import Any

import numpy as np

from .. import arguments
from ..arguments import Border
from ..building.background import TreeBuild, callable_progress
from ..building.buildable import Buildable, Building
from ..concurrency.progress import Progress
from ..engines import Engine
from ..mesh import Mesh
from ..numerics.arrays import IndexArray, IntArray
from .polygons import Polygons
from .split import Split, Splitter

# A scan of so many faces takes about as long as all else that a pick does.
_NO_TREE = 1 << 15

# The triangles' share of the time of a build.
_SHARE = 0.2


class LazyMesh(Buildable):
    """Polygons, and a mesh of their triangles once that is needed.

    The user's `split` is called by :meth:`build`, :meth:`continue_build` and casts, in their
    thread. Arguments are as for :class:`.PolygonMesh`.
    """

    def __init__(
        self,
        polygons: Polygons,
        split: Split | None,
        engine: Engine,
        building: Building,
        border: Border,
    ) -> None:
        super().__init__(polygons.triangle_count, engine, building)
        self._border: Border = arguments.checked_border(border)
        # With the vertices of the tree, once there is one: they are then the only ones needed.
        self._polygons = polygons
        self._splitter = Splitter(split)
        # All triangles, once they are known; it may have a tree.
        self._mesh: Mesh | None = None
        # The face of each triangle (T,), once compiled code has asked for it.
        self._faces: IntArray | None = None
        # All triangles but those of some faces, for which a thread would have to call `split`.
        self._waiting: tuple[IndexArray, IntArray] | None = None

    @property
    def built(self) -> bool:
        """Whether there is a tree."""
        return self._ready is not None

    @property
    def progress(self) -> float | None:
        """How much of a build in a thread is done, from 0 to 1; None if none is under way.

        A build that waits for :meth:`continue_build` or for the next cast counts.
        """
        thread = self._thread
        return thread.share if thread is not None and self._is_under_way else None

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, of the triangles and of the tree, in bytes."""
        mesh, waiting = self._mesh, self._waiting
        total = self._polygons.nbytes + self._splitter.nbytes
        if self._faces is not None:
            total += self._faces.nbytes
        if waiting is not None:
            total += sum(array.nbytes for array in waiting)
        if mesh is not None:
            total += mesh.nbytes
            if np.may_share_memory(mesh.vertices, self._polygons.vertices):
                total -= mesh.vertices.nbytes
        return total

    def build_in_thread(
        self, progress: Progress | None = None, threads: int | None = None
    ) -> TreeBuild:
        """Build triangles and tree in a thread, as :meth:`.Mesh.build_in_thread` does.

        If `split` is needed, the thread ends before that; :meth:`continue_build` or the next cast
        calls it, and starts another thread for the rest.
        """
        return super().build_in_thread(progress, threads)

    def continue_build(self) -> None:
        """Call `split` if a build in a thread waits for that, and start it again; as casts do."""
        waiting, thread = self._waiting, self._thread
        if waiting is not None and thread is not None and self._is_waiting:
            self._splitter.ask(self._polygons, waiting[1])
            self.build_in_thread(self._progress, thread.threads)

    def cancel(self) -> None:
        """Ask a build that is under way in a thread to end soon."""
        self._waiting = None
        super().cancel()
        if self._mesh is not None:
            self._mesh.cancel()

    @property
    def _ready(self) -> Mesh | None:
        """The triangles with their tree, or None."""
        mesh = self._mesh
        if mesh is None or mesh.tree is None:
            return None
        self._share_vertices(mesh)
        return mesh

    @property
    def _is_waiting(self) -> bool:
        """Whether a build waits for :meth:`continue_build`."""
        thread, waiting = self._thread, self._waiting
        return thread is not None and thread.done and thread.error is None and waiting is not None

    @property
    def _is_under_way(self) -> bool:
        return super()._is_under_way or self._is_waiting

    def _before_scan(self) -> Mesh | None:
        """Do what is due before the next scan; what is `_ready` then."""
        self.continue_build()
        self._build_if_due("auto", self._account.should_build(1))
        return self._ready

    def _after_scan(self) -> None:
        """Start a thread where one is due; what failed is not tried again."""
        failed = self._thread is not None and self._thread.error is not None
        is_large = self._polygons.face_count > _NO_TREE
        self._build_if_due("thread", is_large and self._account.scans > 1 and not failed)

    def _triangulated(self) -> Mesh:
        """All triangles, made now if they are not there."""
        return self._mesh or self._as_mesh(*self._triangles(callable_progress(None)))

    def _build(self, progress: Progress) -> None:
        mesh = self._mesh or self._as_mesh(*self._triangles(lambda done: progress(_SHARE * done)))
        mesh.build(lambda done: progress(_SHARE + (1.0 - _SHARE) * done))
        self._share_vertices(mesh)

    def _build_in_background(self, progress: Progress) -> None:
        """Build as far as possible without a call of `split`."""
        if self._mesh is None:
            triangles, faces = self._triangles(lambda done: progress(_SHARE * done))
            if len(self._splitter.missing(faces)):
                self._waiting = triangles, faces
                return
            self._as_mesh(triangles, faces)
        self._build(progress)

    def _faces_of_all(self) -> IntArray:
        """The face of each triangle (T,), for compiled code."""
        if self._faces is None:
            self._faces = self._polygons.faces_of(np.arange(self._polygons.triangle_count))
        return self._faces

    def _share_vertices(self, mesh: Mesh) -> None:
        """Let go of vertices in single precision: those of the tree are the same."""
        if self._polygons.vertices is not mesh.vertices:
            self._polygons = self._polygons.with_vertices(mesh.vertices)

    def _triangles(self, progress: Progress) -> tuple[IndexArray, IntArray]:
        """The vertices (T, 3) of all triangles, but for faces (N,) that only `split` knows."""
        if (waiting := self._waiting) is not None:
            return waiting
        with self._account.building():
            return self._splitter.triangulate(self._polygons, progress)

    def _as_mesh(self, triangles: IndexArray, faces: IntArray) -> Mesh:
        """The triangles as a mesh, with those that only `split` knows."""
        polygons = self._polygons
        self._splitter.ask(polygons, faces)
        self._splitter.complete(polygons, triangles, faces)
        engine, building, border = self._engine, self._building, self._border
        self._mesh = Mesh(
            polygons.vertices, triangles, None, engine, building, border=border, copy=False
        )
        self._waiting = None
        return self._mesh

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_waiting": None}
