# SPDX-License-Identifier: MIT
"""The triangles of polygons and their tree: made step by step, at once or in a thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..building.background import TreeBuild
from ..building.policy import RentOrBuy
from ..concurrency.forks import Lock
from ..concurrency.progress import Progress, callable_progress
from ..engines import Engine
from ..mesh import Building, Mesh
from ..numerics.arrays import IndexArray, IntArray
from .polygons import Polygons
from .split import Split, Splitter

# A scan of so many faces takes about as long as all else that a pick does.
_NO_TREE = 1 << 15

# The triangles' share of the time of a build.
_SHARE = 0.2


class PolygonTree:
    """What is made of polygons, besides answers by scans.

    The owner of the mesh is asked for faces that only he can split: by :meth:`build`,
    :meth:`triangulated` and :meth:`go_on`, in the thread that calls them.

    Parameters
    ----------
    polygons : Polygons
    split, engine, building
        As for :class:`.PolygonMesh`.

    Attributes
    ----------
    polygons : Polygons
        With the vertices of the tree, once there is one: they are then the only ones needed.
    splitter : Splitter
    account : RentOrBuy
    mesh : Mesh or None
        All triangles, once they are known; it may have a tree.
    thread : TreeBuild or None
        The last build in a thread.
    """

    def __init__(
        self, polygons: Polygons, split: Split | None, engine: Engine, building: Building
    ) -> None:
        self.polygons = polygons
        self.splitter = Splitter(split)
        self.account = RentOrBuy(polygons.triangle_count)
        self.mesh: Mesh | None = None
        self.thread: TreeBuild | None = None
        self.engine: Engine = engine
        self._building: Building = building
        # Triangles that a thread has left, with the faces of which the owner must be asked.
        self._waiting: tuple[IndexArray, IntArray] | None = None
        self._progress: Progress = callable_progress(None)
        self._starting = Lock()

    @property
    def ready(self) -> Mesh | None:
        """The triangles with their tree, or None."""
        mesh = self.mesh
        if mesh is None or mesh.tree is None:
            return None
        self._share_vertices(mesh)
        return mesh

    @property
    def under_way(self) -> bool:
        """Whether a thread builds, or has left the rest to :meth:`go_on`."""
        thread = self.thread
        return thread is not None and (not thread.done or self._is_left(thread))

    @property
    def progress(self) -> float | None:
        """The share that is done of what is under way; None if nothing is."""
        thread = self.thread
        return thread.share if thread is not None and self.under_way else None

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        mesh, waiting = self.mesh, self._waiting
        total = self.polygons.nbytes + self.splitter.nbytes
        if waiting is not None:
            total += sum(array.nbytes for array in waiting)
        if mesh is not None:
            total += mesh.nbytes
            if np.may_share_memory(mesh.vertices, self.polygons.vertices):
                total -= mesh.vertices.nbytes
        return total

    def build(self, progress: Progress | None = None) -> None:
        """Build now what is not there."""
        if self.thread is not None:
            self.thread.wait()
        self._build(callable_progress(progress), asking=True)

    def build_in_thread(self, progress: Progress | None = None) -> TreeBuild:
        """Build in a thread, as far as it goes without the owner."""
        with self._starting:
            if self.thread is None or self.thread.done:
                self._progress = callable_progress(progress)
                self.thread = TreeBuild(lambda done: self._build(done, False), self._progress)
            return self.thread

    def go_on(self) -> None:
        """Ask the owner for what a thread has left, and start it again."""
        thread, waiting = self.thread, self._waiting
        if waiting is not None and thread is not None and self._is_left(thread):
            self.splitter.ask(self.polygons, waiting[1])
            self.build_in_thread(self._progress)

    def cancel(self) -> None:
        """Ask a build in a thread to end soon."""
        self._waiting = None
        for build in (self.thread, self.mesh):
            if build is not None:
                build.cancel()

    def before_scan(self) -> Mesh | None:
        """Do what is due before the next scan; what is `ready` then."""
        self.go_on()
        if self._building == "auto" and not self.under_way and self.account.should_build(1):
            self.build()
        return self.ready

    def after_scan(self) -> None:
        """Start a thread that nobody asked for where one is due; what failed is not tried again."""
        failed = self.thread is not None and self.thread.error is not None
        worth_it = self.polygons.face_count > _NO_TREE and self.account.scans > 1
        if self._building == "thread" and worth_it and not failed and not self.under_way:
            self.build_in_thread()

    def triangulated(self) -> Mesh:
        """All triangles, made now if they are not there."""
        return self.mesh or self._as_mesh(*self._triangles(callable_progress(None)))

    def _is_left(self, thread: TreeBuild) -> bool:
        return thread.done and thread.error is None and self._waiting is not None

    def _build(self, progress: Progress, asking: bool) -> None:
        """Build what is not there; without `asking`, as far as it goes without the owner."""

        def told_of_triangles(done: float) -> None:
            progress(_SHARE * done)

        mesh = self.mesh
        if mesh is None:
            triangles, faces = self._triangles(told_of_triangles)
            if not asking and len(self.splitter.missing(faces)):
                self._waiting = triangles, faces
                return
            mesh = self._as_mesh(triangles, faces)
        mesh.build(lambda done: progress(_SHARE + (1.0 - _SHARE) * done))
        self._share_vertices(mesh)

    def _share_vertices(self, mesh: Mesh) -> None:
        """Let go of vertices in single precision: those of the tree are the same."""
        if self.polygons.vertices is not mesh.vertices:
            self.polygons = self.polygons.with_vertices(mesh.vertices)

    def _triangles(self, progress: Progress) -> tuple[IndexArray, IntArray]:
        """All triangles as vertices (T, 3), but for some faces, which the owner must split."""
        if (waiting := self._waiting) is not None:
            return waiting
        with self.account.building():
            return self.splitter.triangulate(self.polygons, progress)

    def _as_mesh(self, triangles: IndexArray, faces: IntArray) -> Mesh:
        """The triangles as a mesh, after the owner was asked for what is not known yet."""
        polygons = self.polygons
        self.splitter.ask(polygons, faces)
        self.splitter.complete(polygons, triangles, faces)
        self.mesh = Mesh(polygons.vertices, triangles, None, self.engine, self._building)
        self._waiting = None
        return self.mesh

    def __getstate__(self) -> dict[str, Any]:
        idle = {
            "thread": None,
            "_waiting": None,
            "_starting": None,
            "_progress": callable_progress(None),
        }
        return {**self.__dict__, **idle}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._starting = Lock()
