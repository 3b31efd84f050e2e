# SPDX-License-Identifier: MIT
"""A triangle mesh that answers rays: by a scan at first, by a tree once that pays."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from . import arguments, bvh, integers
from .arguments import Border
from .building.buildable import Building
from .building.stats import MeshStats
from .cast.geometry import Geometry
from .concurrency.forks import changing
from .concurrency.thread_count import ThreadLimit
from .engines import Engine, compiled, engine_named, leaf_blocks
from .errors import ShapeError
from .files import mesh_file
from .files.mesh_file import File
from .numerics.arrays import FloatArray, IndexArray, IntArray
from .numerics.bounds import finite_extent
from .numerics.read_only import guarded, read_only
from .sphere import Sphere
from .tree_mesh import State, TreeMesh


class Mesh(TreeMesh):
    """Triangles over vertices, in the space of the rays that are cast at it.

    Parameters
    ----------
    vertices : array_like (V, 3)
        Positions. Triangles with a vertex that is not finite, or without area, are never hit.
    triangles : array_like (T, 3) of int
        Rows of `vertices`, a, b, c. The front is where (b - a) x (c - a) points to: seen from there
        they run counter-clockwise in a right-handed world, clockwise in a left-handed one.
    faces : array_like (T,) of int, optional
        The face (polygon) that each triangle is part of; by default its own row.
    engine : {"auto", "numpy", "numba"}
        What builds trees and casts rays; the answers are the same to the last bit. With "numba"
        the first use of a tree waits for compiled code. If that fails NumPy answers, with an
        :class:`.EngineWarning`.
    building : {"auto", "thread", "never"}
        What happens when a tree would pay: it is built at once, or in a thread while scans go on,
        or only when :meth:`build` is called.
    border : {"open", "closed"}
        What happens to a ray exactly through an edge or a corner where the surface ends. If it is
        "open", the ray hits on some sides of the surface only, as pixels do; if it is "closed", it
        always hits, and casts take longer. Elsewhere that makes no difference: a ray that goes
        through the surface at an edge hits one of the triangles there, and one that only touches
        its outline two or none. The border is that of the whole mesh: what is excluded, or culled,
        makes no new one.
    copy : bool
        Whether the mesh keeps arrays of its own, which are those of the call whatever becomes of
        the caller's. If it is False, C-contiguous float64 vertices and int32 triangles are not
        copied, memory-mapped ones included; they must not change as long as the mesh is used.

    Notes
    -----
    What the mesh hands out is read-only. Threads may cast at a mesh together, and beside one that
    builds or refits it. Meshes can be pickled.

    The first rays are answered by scans over all vertices. The tree is built when these have cost
    as much as it would.

    Examples
    --------
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hit = mesh.ray_cast((0.25, 0.5, 2), (0, 0, -1))
    >>> hit.distance, hit.barycentric.tolist()
    (2.0, [0.25, 0.25, 0.5])
    """

    _announces = True

    def __init__(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        faces: ArrayLike | None = None,
        engine: Engine = "auto",
        building: Building = "auto",
        *,
        border: Border = "open",
        copy: bool = True,
    ) -> None:
        copy = arguments.flag(copy, "copy")
        v = arguments.positions(vertices, "vertices", copy=copy)
        t = integers.triangle_indices(triangles, len(v), copy=copy)
        f = None if faces is None else integers.face_indices(faces, len(t))
        if copy:
            v, t = guarded(v), guarded(t)
        geometry = Geometry(v, t, f).read_only()
        super().__init__(geometry, finite_extent(v), engine, building, border)
        self._revision = 0

    @property
    def vertices(self) -> FloatArray:
        """Positions (V, 3); read-only."""
        return self._state.geometry.vertices

    @property
    def triangles(self) -> IndexArray:
        """Rows of the vertices (T, 3); read-only."""
        return self._state.geometry.triangles

    @property
    def faces(self) -> IntArray:
        """The face of each triangle (T,)."""
        faces = self._state.geometry.faces
        return read_only(np.arange(len(self.triangles)) if faces is None else faces)

    @property
    def revision(self) -> int:
        """How often the vertices were replaced by :meth:`refit`; scenes follow it."""
        return self._revision

    @property
    def border(self) -> Border:
        """What happens to rays exactly through the border, "open" or "closed"."""
        return self._border

    @property
    def is_closed(self) -> bool:
        """Whether the surface has no border: an even number of triangles meets at each edge.

        Edges are told by the places of their ends, so that a mesh whose triangles share no vertices
        may be closed. Triangles at vertices that are not finite are not there.
        """
        return self._count_open_edges(self._state.geometry) == 0

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all finite vertices; NaN where there is none."""
        return self._bounds_of(self._state.geometry)

    @property
    def bounding_sphere(self) -> Sphere:
        """The smallest sphere around all finite vertices, computed anew; ArgumentError if none."""
        return Sphere.bounding(self.vertices)

    @property
    def tree(self) -> bvh.Tree | None:
        """The tree, once it is built."""
        return self._state.tree

    @property
    def stats(self) -> MeshStats:
        """Counts, times and memory so far."""
        tree = self._state.tree
        return MeshStats(
            triangles=len(self.triangles),
            vertices=len(self.vertices),
            scans=self._account.scans,
            scan_seconds=self._account.scan_seconds,
            build_seconds=self._account.build_seconds,
            nodes=tree.node_count if tree else 0,
            depth=len(tree.levels) if tree else 0,
            sah_cost=bvh.sah_cost(tree) if tree else 0.0,
            nbytes=_nbytes(tree),
        )

    @property
    def nbytes(self) -> int:
        """Memory of the vertices, the triangles, the faces and the tree, in bytes."""
        arrays = sum(array.nbytes for array in self._state.geometry if array is not None)
        return arrays + _nbytes(self._state.tree)

    def refit(self, vertices: ArrayLike, threads: int | None = None, *, copy: bool = True) -> None:
        """Give the same triangles new vertex positions (V, 3); a tree is adapted, not rebuilt.

        A build that is under way is cancelled, and the tree of a mesh with triangles that were not
        finite is dropped. `threads` is as for :meth:`build`, `copy` as for a new mesh.

        Raises
        ------
        ShapeError
            If there is another number of vertices.
        """
        limit, copy = ThreadLimit(threads), arguments.flag(copy, "copy")
        new = arguments.positions(vertices, "vertices", copy=copy)
        if len(new) != len(self.vertices):
            raise ShapeError(f"{len(self.vertices)} vertices are needed, not {len(new)}")
        if copy:
            new = guarded(new)
        self.cancel()
        self._thread = None
        old = self._state
        geometry = old.geometry._replace(vertices=new).read_only()
        tree = None
        # Triangles that were not finite are in no leaf, and may be finite now.
        if old.tree is not None and len(old.tree.order) == len(self.triangles):
            units = self._units(geometry)
            with limit:
                tree = engine_named(self._engine).refit(geometry, old.tree.order, *units)
        state = State(geometry, finite_extent(new), tree)
        with self._lock.here, changing.here:
            self._state = state
            self._revision += 1
            self._better.begin_anew()
            self._announce()

    def save(self, file: File) -> None:
        """Write the mesh, with its tree if there is one, to a file that :meth:`load` reads.

        Parameters
        ----------
        file : path-like or binary file object
            A path is taken as it is, with or without an ending; NumPy reads the file as an .npz.
            An existing file stays whole until the new one, written beside it, takes its place. What
            a symbolic link points to is replaced; another hard link keeps the old file. A file
            object is written to from its position on, and not truncated.

        Raises
        ------
        DtypeError
            If `file` is neither.
        OSError
            If it cannot be written, or its folder takes no other file.
        """
        geometry, _, tree = self._state
        mesh_file.save(file, *geometry, tree)

    @classmethod
    def load(
        cls,
        file: File,
        engine: Engine = "auto",
        building: Building = "auto",
        threads: int | None = None,
        *,
        border: Border = "open",
    ) -> Self:
        """Read a mesh that :meth:`save` wrote; its answers are the same to the last bit.

        What it was made with beside its arrays, such as `border`, is not in the file.

        Parameters
        ----------
        file : path-like or binary file object
        engine, building, border
            As for a new mesh.
        threads : int, optional
            How many threads read, this one included; see :func:`.set_threads`.

        Raises
        ------
        MeshFileError
            If the file is not one of a mesh, is damaged or of a newer version.
        OSError
            If it cannot be opened.

        Examples
        --------
        >>> import io
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.build()
        >>> file = io.BytesIO()
        >>> mesh.save(file)
        >>> _ = file.seek(0)
        >>> Mesh.load(file).stats.nodes
        1
        """
        with ThreadLimit(threads):
            vertices, triangles, faces, stored = mesh_file.load(file)
            mesh = cls(vertices, triangles, faces, engine, building, border=border, copy=False)
            if stored is not None:
                tree = mesh._engine_at_once().refit(mesh._state.geometry, *stored)
                mesh._state = mesh._state._replace(tree=tree)
            return mesh

    def validate(self) -> None:
        """Check the tree, if there is one, against the triangles; ArgumentError if it is wrong."""
        geometry, _, tree = self._state
        if tree is not None:
            corners = geometry.vertices[geometry.triangles]
            bvh.validate(tree, corners.min(axis=1), corners.max(axis=1))

    def __repr__(self) -> str:
        return f"<Mesh {len(self.vertices)} vertices, {len(self.triangles)} triangles>"


def _nbytes(tree: bvh.Tree | None) -> int:
    return 0 if tree is None else tree.nbytes + compiled.nbytes(tree) + leaf_blocks.nbytes(tree)
