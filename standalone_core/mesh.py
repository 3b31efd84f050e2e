# SPDX-License-Identifier: MIT
"""A triangle mesh that answers rays and points: by scans at first, by a tree once that pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from . import arguments, bvh
from .arguments import Border, plain_floats
from .building.buildable import Building
from .cast.rays import Geometry
from .concurrency.forks import changing, imported
from .concurrency.threads import ThreadLimit
from .engines import Engine, LoneCaster, engine_named, lone_caster_of
from .errors import ShapeError
from .numerics.arrays import FloatArray, IndexArray, IntArray, SingleArray, finite_extent
from .numerics.values import guarded, own, read_only
from .other_meshes import OtherMesh, vertices_and_triangles
from .tree_mesh import State, TreeMesh, bounds_of
from .types import Integers, Reals

if TYPE_CHECKING:
    from .files.mesh_file import File


class Mesh(TreeMesh):
    """Triangles over vertices, in the space of the rays that are cast at it.

    Parameters
    ----------
    vertices : array_like (V, 3), or (T, 3, 3), or object
        Positions. Triangles with a vertex that is not finite, or without area, are never hit.
        Without `triangles`, the corners a, b, c of each triangle; or a mesh of trimesh, Open3D or
        PyVista, or any object with `vertices` (V, 3) and `faces` or `triangles` (T, 3).
    triangles : array_like (T, 3) of int, optional
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
        through the surface at an edge hits one of the triangles there, and a ray that only touches
        its outline hits two or none. The border is that of the whole mesh: what is excluded, or
        culled, makes no new one.
    copy : bool
        Whether the mesh keeps copies of the arrays, so that the caller may change its own. If it is
        False, C-contiguous float64 vertices and int32 triangles are not copied, memory-mapped ones
        included; they must not change as long as the mesh is used.

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

    _state: State
    _announces = True

    def __init__(
        self,
        vertices: Reals | OtherMesh,
        triangles: Integers | None = None,
        faces: Integers | None = None,
        engine: Engine = "auto",
        building: Building = "auto",
        *,
        border: Border = "open",
        copy: bool = True,
    ) -> None:
        copy = arguments.flag(copy, "copy")
        if triangles is None:
            vertices, triangles = vertices_and_triangles(vertices)
        v = arguments.positions(vertices, "vertices", copy=copy)
        t = arguments.triangle_indices(triangles, len(v), copy=copy)
        f = None if faces is None else arguments.face_indices(faces, len(t))
        v, t = own(v, vertices, copy), own(t, triangles, copy)
        geometry = Geometry(v, t, None if f is None else guarded(f)).read_only()
        super().__init__(len(t), engine, building, border)
        self._state = State(geometry, finite_extent(v), None)
        self._revision = 0
        self._lone: tuple[State, LoneCaster] | None = None

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        vertices, triangles, faces = self._state.geometry
        content = {"vertices": vertices, "triangles": triangles, "faces": faces}
        how = {"engine": self.wanted_engine, "building": self._building, "border": self._border}
        return "Mesh", content | how

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
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all finite vertices; NaN where there is none."""
        return self._fact(self._state.geometry, bounds_of)

    @property
    def tree(self) -> bvh.Tree | None:
        """The tree, once it is built."""
        return self._tree

    @property
    def nbytes(self) -> int:
        """Memory of the vertices, the triangles, the faces and the tree, in bytes."""
        geometry = self._state.geometry
        return sum(each.nbytes for each in geometry if each is not None) + self._nbytes_of_trees

    def refit(self, vertices: Reals, threads: int | None = None, *, copy: bool = True) -> None:
        """Give the same triangles new vertex positions (V, 3); a tree is adapted, not rebuilt.

        A build that is under way is cancelled, and the tree of a mesh with triangles that were not
        finite is dropped. `threads` is as for :meth:`build`, `copy` as for a new mesh.

        Raises
        ------
        ShapeError
            If the number of vertices differs.
        """
        limit, copy = ThreadLimit(threads), arguments.flag(copy, "copy")
        new = arguments.positions(vertices, "vertices", copy=copy)
        if len(new) != len(self.vertices):
            raise ShapeError(f"{len(self.vertices)} vertices are needed, not {len(new)}")
        new = own(new, vertices, copy)
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
            If it cannot be written, or no new file can be made in its folder.
        """
        geometry, _, tree = self._state
        _mesh_file().save(file, *geometry, tree)

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

        Its other parameters, such as `border`, are not in the file.

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
            vertices, triangles, faces, stored = _mesh_file().load(file)
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

    def _whole(self) -> State:
        return self._state

    def _of_points(self, points: FloatArray | SingleArray) -> Mesh:
        return of_points(points, self._engine)

    @property
    def _positions(self) -> FloatArray:
        return self.vertices

    def _cast_quickly(self, origin: Any, direction: Any, max_distance: Any) -> Any:
        known = self._lone
        if known is None or known[0] is not self._state:
            known = self._lone = self._lone_now()
            if known is None:
                return NotImplemented
        if type(max_distance) is not float:
            return NotImplemented
        # Calls of functions take as long as the reading itself, so only unusual numbers get them.
        try:
            o: Any = origin
            d: Any = direction
            if type(o) is type(d) is np.ndarray and o.size == d.size == 3:
                o, d = o.tolist(), d.tolist()
            elif not type(o) is type(d) is tuple:
                o, d = plain_floats(o), plain_floats(d)
            x, y, z = o
            dx, dy, dz = d
            if not type(x) is type(y) is type(z) is type(dx) is type(dy) is type(dz) is float:
                o, d = plain_floats(o), plain_floats(d)
                (x, y, z), (dx, dy, dz) = o, d
            hit = known[1].nearest(x, y, z, dx, dy, dz, max_distance)
        except (TypeError, ValueError, OverflowError):  # one of them is no number
            return NotImplemented
        if hit is not NotImplemented and self._better.is_due(1):
            self._improve(1)
        return hit

    def _lone_now(self) -> tuple[State, LoneCaster] | None:
        """What casts single rays at the mesh as it is, if there is a tree and compiled code."""
        state = self._state
        if state.tree is None or self._rim(state.geometry, None) is not None:
            return None
        caster = lone_caster_of(self._engine, state.geometry, state.tree)
        return None if caster is None else (state, caster)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_lone": None}

    def __repr__(self) -> str:
        return f"<Mesh {len(self.vertices)} vertices, {len(self.triangles)} triangles>"


def of_points(points: FloatArray | SingleArray, engine: Engine) -> Mesh:
    """A mesh of triangles whose corners are all at one of the points (V, 3)."""
    each = np.repeat(np.arange(len(points), dtype=np.int32), 3).reshape(-1, 3)
    return Mesh(points, each, engine=engine, copy=False)


def _mesh_file() -> Any:
    return imported(f"{__package__}.files.mesh_file")  # most meshes never see a file
