# SPDX-License-Identifier: MIT
"""A triangle mesh that answers rays and points: by scans at first, by a tree once that pays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

from . import arguments, bvh
from .arguments import Border, plain_floats
from .border import Rim, border_edges
from .building.buildable import BetterTree, Buildable, Building, MeshStats, callable_progress
from .bvh.build import unit_space
from .cast.hits import as_columns, joined
from .cast.rays import Geometry, LoneRay, Measured, RayBatch, SideArray
from .closest import winding
from .closest.places import ClosestPoints, without_places
from .closest.search import closest_points, ties
from .concurrency.forks import changing, imported
from .concurrency.threads import Progress, ThreadLimit
from .engines import (
    Engine,
    EngineModule,
    LoneCaster,
    engine_named,
    lone_caster_of,
    measured,
    traversal,
)
from .engines.numba import compiling
from .errors import OpenMeshError, ShapeError
from .geodesic.half_edges import HalfEdges, half_edges
from .geodesic.path import Walkable
from .hit import Hit, RayHits
from .instancing.instance import Placeable
from .numerics.array_like import Integers, Reals
from .numerics.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    SingleArray,
    finite_bounds,
    finite_extent,
    moved,
)
from .numerics.columns import concatenated
from .numerics.values import guarded, own, read_only
from .other_meshes import OtherMesh, vertices_and_triangles
from .places.texture import TexturedMesh
from .region import Region, Triangles, triangles_in
from .sphere import Sphere

if TYPE_CHECKING:
    from .files.mesh_file import File

T = TypeVar("T")


class State(NamedTuple):
    """What casts read, replaced as a whole: another thread sees all of a refit or nothing."""

    geometry: Geometry
    extent: float
    tree: bvh.Tree | None


class TreeMesh(Buildable, TexturedMesh, Walkable, Placeable):
    """T triangles, which may be made when they are needed, and a tree over them once that pays.

    `engine`, `building` and `border` are as for :class:`.Mesh`.
    """

    def __init__(
        self, triangle_count: int, engine: Engine, building: Building, border: Border
    ) -> None:
        super().__init__(triangle_count, engine, building)
        self._triangle_count = triangle_count
        self._state: State | None = None  # until the triangles are made
        self._border: Border = arguments.one_of(border, "border", "open", "closed")
        self._better = BetterTree(triangle_count)
        self._facts: tuple[Geometry, dict[Any, Any]] | None = None
        self._half_edges: tuple[Geometry, HalfEdges] | None = None
        self._vertex_mesh: tuple[FloatArray | SingleArray, Mesh] | None = None

    @property
    def border(self) -> Border:
        """What happens to rays exactly through the border, "open" or "closed"."""
        return self._border

    @property
    def is_closed(self) -> bool:
        """Whether the surface has no border: an even number of triangles meets at each edge.

        Edges with their ends at the same places are the same, so that a mesh whose triangles share
        no vertices may be closed. Triangles at vertices that are not finite do not count. A
        :class:`.PolygonMesh` splits all its faces for this.
        """
        return self._fact(self._geometry(None), _open_edges) == 0

    @property
    def bounding_sphere(self) -> Sphere:
        """The smallest sphere around all finite vertices, computed anew; ArgumentError if none."""
        return Sphere.bounding(self._positions)

    @property
    def stats(self) -> MeshStats:
        """Counts, times and memory so far; a build of polygons includes their triangles."""
        account, tree = self._account, self._tree
        return MeshStats(
            triangles=self._triangle_count,
            vertices=len(self._positions),
            scans=account.scans,
            scan_seconds=account.scan_seconds,
            build_seconds=account.build_seconds,
            nodes=tree.node_count if tree else 0,
            depth=len(tree.levels) if tree else 0,
            sah_cost=bvh.sah_cost(tree) if tree else 0.0,
            nbytes=self._nbytes_of_trees,
        )

    def cancel(self) -> None:
        """Ask builds in threads to end soon."""
        super().cancel()
        self._better.cancel()

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region, in order, and perhaps some that are near it."""
        region = arguments.instance_of(region, Region, "region")
        geometry, extent, tree = self._built_for(1)
        with self._account.scanning() if tree is None else nullcontext():
            return triangles_in(geometry, tree, region, extent)

    @property
    def _nbytes_of_trees(self) -> int:
        """Memory of the tree, of what engines keep beside it, and of what other queries keep."""
        tree, facts, vertices = self._tree, self._facts, self._vertex_mesh
        own = 0
        if tree is not None:
            beside = (compiling, traversal, winding)
            own = tree.nbytes + sum(each.nbytes(tree) for each in beside)
        rim: Rim | None = None if facts is None else facts[1].get(Rim)
        if vertices is not None:
            is_shared = np.may_share_memory(vertices[1].vertices, vertices[0])
            own += vertices[1].nbytes - (vertices[0].nbytes if is_shared else 0)
        return own if rim is None else own + rim.nbytes

    @property
    @abstractmethod
    def _positions(self) -> FloatArray | SingleArray:
        """The vertices (V, 3)."""

    @abstractmethod
    def _whole(self) -> State:
        """The state with all triangles, which are made first if necessary."""

    def _now(self) -> State | None:
        return self._state

    @property
    def _tree(self) -> bvh.Tree | None:
        return None if self._state is None else self._state.tree

    def _geometry(self, now: State | None) -> Geometry:
        return (now or self._whole()).geometry

    def _measured(self, origins: FloatArray, directions: FloatArray) -> Measured | None:
        return measured(self._engine, origins, directions)

    def _mask(self, value: Any, name: str) -> BoolArray:
        return arguments.mask(value, self._triangle_count, name)

    def _cull_sides(self, cull: Any) -> SideArray:
        return arguments.cull_sides(cull, self._triangle_count)

    def _check_closed(self, now: State | None = None) -> None:
        count = self._fact(self._geometry(now), _open_edges)
        if count:
            raise OpenMeshError(
                f"the mesh is open, so nothing is inside: {count} edges of its triangles are at "
                "the border; pass rule='winding' for open meshes"
            )

    def _unfoldable(self) -> tuple[Geometry, HalfEdges]:
        geometry, known = self._whole().geometry, self._half_edges
        if known is None or known[0] is not geometry:
            before = None if known is None else known[1]
            known = self._half_edges = geometry, half_edges(geometry, before)
        return known

    def _fact(self, geometry: Geometry, of: Callable[[Geometry], T]) -> T:
        """The result of a function of the triangles, kept until these change."""
        known = self._facts
        if known is None or known[0] is not geometry:
            known = self._facts = geometry, {}
        if of not in known[1]:
            known[1][of] = of(geometry)
        found: T = known[1][of]
        return found

    def _cast(self, ray: LoneRay) -> list[Hit]:
        state = self._state_for(1)
        if state.tree is None:
            hits = self._scan(state, ray)
        else:
            hits = engine_named(self._engine).cast(state.geometry, state.tree, ray)
        rim = self._rim(state.geometry, ray.query.border)
        return hits if rim is None else rim.with_touches_of_one(ray, hits)

    def _cast_many(self, rays: RayBatch, now: State | None = None) -> tuple[IntArray, RayHits]:
        state = self._state_for(len(rays), now)
        if state.tree is None:
            found = self._scan_many(state, rays)
        else:
            found = engine_named(self._engine).cast_many(state.geometry, state.tree, rays)
        rim = self._rim(state.geometry, rays.query.border)
        return found if rim is None else rim.with_touches(rays, *found)

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        if (shape := self._tree_for(len(rays), rays.query.border)) is None:
            return super()._cast_nearest(rays)
        return engine_named(self._engine).cast_nearest(*shape, rays)

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        if (shape := self._tree_for(len(rays), rays.query.border)) is None:
            return super()._any_hit(rays)
        return engine_named(self._engine).any_hit(*shape, rays)

    def _count_hits(self, rays: RayBatch, now: State | None = None) -> IntArray:
        if (shape := self._tree_for(len(rays), rays.query.border, now)) is None:
            return super()._count_hits(rays, now)
        return engine_named(self._engine).count_hits(*shape, rays)

    def _is_rim_hit(self, border: Border | None) -> bool:
        """Whether rays exactly through the border hit, of a query that may say so itself."""
        return (border or self._border) == "closed"

    def _rim(self, geometry: Geometry, border: Border | None) -> Rim | None:
        """The border, if there is one and rays exactly through it hit."""
        if not self._is_rim_hit(border):
            return None
        rim = self._fact(geometry, Rim)
        return rim if rim.has_edges else None

    def _tree_for(
        self, rays: int, border: Border | None, now: State | None = None
    ) -> tuple[Geometry, bvh.Tree] | None:
        """Triangles and tree, if these alone answer so many rays; else None."""
        if self._rim(self._geometry(now), border) is not None:
            return None
        geometry, _, tree = self._state_for(rays, now)
        return None if tree is None else (geometry, tree)

    def _plain_shape(
        self, rays: int, engine: Engine, border: Border | None = None
    ) -> tuple[Geometry, bvh.Tree] | None:
        is_ready = self._tree is not None and self.engine == engine
        return self._tree_for(rays, border) if is_ready else None

    def _shape_for(self, queries: int) -> tuple[Geometry, bvh.Tree | None]:
        geometry, _, tree = self._built_for(queries)
        return geometry, tree

    def _closest_points(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        now: State | None = None,
    ) -> ClosestPoints:
        state = self._built_for(len(p), now)
        parts: list[ClosestPoints] = []
        while state.tree is None and len(parts) < len(p):
            one = slice(len(parts), len(parts) + 1)
            with self._account.scanning():
                parts.append(closest_points(state.geometry, None, p[one], limits[one], excluded))
            state = self._with_tree(state)
        if state.tree is not None:
            rest = slice(len(parts), None)
            find = engine_named(self._engine).closest
            parts.append(find(state.geometry, state.tree, p[rest], limits[rest], excluded))
        return concatenated(parts or [without_places(0)])

    def _closest_vertices(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        matrix: FloatArray | None = None,
    ) -> ClosestPoints:
        """As the base says, of vertices that a matrix (4, 4) has moved, if it is given."""
        vertices, known = self._positions, self._vertex_mesh
        if known is None or known[0] is not vertices:
            known = self._vertex_mesh = vertices, _of_vertices(vertices, self._engine)
        mesh = known[1]
        if matrix is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                mesh = _of_vertices(moved(mesh.vertices, matrix[:3]), self._engine)
        return mesh._closest_points(p, limits, excluded)

    def _winding(
        self,
        points: FloatArray,
        tolerance: float,
        excluded: BoolArray | None = None,
        now: State | None = None,
    ) -> FloatArray:
        state, tolerances = self._built_for(len(points), now), np.full(len(points), tolerance)
        parts: list[FloatArray] = [np.empty(0)]
        while state.tree is None and len(parts) <= len(points):
            one = slice(len(parts) - 1, len(parts))
            with self._account.scanning():
                asked = points[one], tolerances[one], excluded
                parts.append(winding.scanned_numbers(state.geometry, *asked))
            state = self._with_tree(state)
        if state.tree is not None:
            rest = slice(len(parts) - 1, None)
            find = engine_named(self._engine).winding
            parts.append(find(state.geometry, state.tree, points[rest], tolerances[rest], excluded))
        return np.concatenate(parts)

    def _area(self) -> float:
        return self._fact(self._geometry(None), winding.surface_area)

    def _ties(
        self,
        points: FloatArray,
        nearest: ClosestPoints,
        excluded: BoolArray | None,
        now: State | None,
    ) -> tuple[IntArray, ClosestPoints]:
        geometry, _, tree = self._built_for(len(points), now)
        if tree is None:  # A scan for each point would find all triangles that may be as near.
            tree = self._own_tree(geometry)
        return ties(geometry, tree, points, nearest, excluded)

    def _state_for(self, rays: int, now: State | None = None) -> State:
        """What to cast so many rays at; its tree is built, or a better one begun, if that pays."""
        state = self._built_for(rays, now)
        if state.tree is not None and self._better.is_due(rays):
            self._improve(rays)
        return state

    def _built_for(self, queries: int, now: State | None = None) -> State:
        """As :meth:`_state_for`, for queries that a better tree does not help."""
        current = self._whole()
        if current.tree is None:
            self._build_if_due(self._building, self._account.should_build(queries))
            current = self._whole()
        if now is None:
            return current
        state = self._with_tree(now)
        # No other call builds a tree over triangles that a refit has replaced.
        is_old = state.geometry is not current.geometry
        if is_old and state.tree is None and self._account.should_build(queries):
            return state._replace(tree=self._own_tree(state.geometry))
        return state

    def _improve(self, rays: int) -> None:
        """Begin a better tree, with so many rays to cast; the present one answers meanwhile."""
        geometry, _, tree = self._whole()
        if tree is None or self._building == "never" or self.engine != "numba":
            self._better.begin_anew()
        else:
            engine = engine_named(self._engine)
            self._better.make(partial(engine.improve, geometry, tree), rays)

    def _with_tree(self, state: State) -> State:
        """The state with its tree, if a thread has built that since."""
        now = self._whole()
        return now if now.geometry is state.geometry else state

    def _own_tree(self, geometry: Geometry) -> bvh.Tree:
        """A tree for one query alone."""
        progress = callable_progress(None)
        return self._engine_at_once().build(geometry, *self._units(geometry), progress)

    def _engine_at_once(self) -> EngineModule:
        """The engine that does not wait for a compiler, even if another was asked for."""
        return engine_named("numpy" if self._engine == "numpy" else "auto")

    def _scan(self, state: State, ray: LoneRay) -> list[Hit]:
        with self._account.scanning():
            return self._engine_at_once().scan(state.geometry, ray, state.extent)

    def _scan_many(self, state: State, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits by scans, until there is a tree."""
        parts, count = [], 0
        while state.tree is None and count < len(rays):
            hits = self._scan(state, rays.ray(count))
            parts.append((np.full(len(hits), count), as_columns(hits)))
            count += 1
            state = self._with_tree(state)
        if state.tree is not None:
            rest = rays.take(slice(count, None))
            rows, found = engine_named(self._engine).cast_many(state.geometry, state.tree, rest)
            parts.append((rows + count, found))
        return joined(parts)

    def _build(self, progress: Progress) -> None:
        state = self._whole()
        if state.tree is not None:
            return
        engine = engine_named(self._engine)  # May wait for a compiler, not counted as building.
        with self._account.building():
            tree = engine.build(state.geometry, *self._units(state.geometry), progress)
        with self._lock.here:
            if self._state is state:  # else refit() came in between
                self._state = state._replace(tree=tree)

    def _units(self, geometry: Geometry) -> tuple[FloatArray, float]:
        """Center and scale of a tree over the triangles."""
        return unit_space(*self._fact(geometry, _bounds))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_facts": None, "_half_edges": None, "_vertex_mesh": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._state is not None:
            self._state = self._state._replace(geometry=self._state.geometry.constant())


def _open_edges(geometry: Geometry) -> int:
    return len(border_edges(geometry)[0])


def _bounds(geometry: Geometry) -> tuple[FloatArray, FloatArray]:
    return finite_bounds(geometry.vertices)


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
        return self._fact(self._state.geometry, _bounds)

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


def _of_vertices(vertices: FloatArray | SingleArray, engine: Engine) -> Mesh:
    """Vertices as triangles whose corners are all at one of them, for nearest vertices."""
    each = np.repeat(np.arange(len(vertices), dtype=np.int32), 3).reshape(-1, 3)
    return Mesh(vertices, each, engine=engine, copy=False)


def _mesh_file() -> Any:
    return imported(f"{__package__}.files.mesh_file")  # most meshes never see a file
