# SPDX-License-Identifier: MIT
"""Triangles with a tree over them once that pays: what all meshes share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from . import arguments, bvh
from .arguments import Border
from .border import Rim, border_edges
from .building.buildable import BetterTree, Buildable, Building, MeshStats, callable_progress
from .bvh.build import unit_space
from .cast.hits import as_columns, joined
from .cast.rays import Geometry, LoneRay, Measured, RayBatch, SideArray
from .closest import winding
from .closest.places import ClosestPoints, without_places
from .closest.search import closest_points, ties
from .concurrency.threads import Progress
from .engines import Engine, EngineModule, engine_named, measured, traversal
from .engines.numba import compiling
from .errors import OpenMeshError
from .geodesic.half_edges import HalfEdges, half_edges
from .geodesic.path import Walkable
from .hit import Hit, RayHits
from .instancing.instance import Placeable
from .numerics.arrays import BoolArray, FloatArray, IntArray, SingleArray, finite_bounds, moved
from .numerics.columns import concatenated
from .places.texture import TexturedMesh
from .region import Region, Triangles, triangles_in
from .sphere import Sphere

T = TypeVar("T")
Shape: TypeAlias = tuple[Geometry, bvh.Tree]


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
        self._vertex_mesh: tuple[FloatArray | SingleArray, TreeMesh] | None = None

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
            is_shared = np.may_share_memory(vertices[1]._positions, vertices[0])
            own += vertices[1].nbytes - (vertices[0].nbytes if is_shared else 0)
        return own if rim is None else own + rim.nbytes

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory of the mesh and its trees."""

    @property
    @abstractmethod
    def _positions(self) -> FloatArray | SingleArray:
        """The vertices (V, 3)."""

    @abstractmethod
    def _whole(self) -> State:
        """The state with all triangles, which are made first if necessary."""

    @abstractmethod
    def _of_points(self, points: FloatArray | SingleArray) -> TreeMesh:
        """A mesh of triangles whose corners are all at one of the points (V, 3)."""

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
            with self._account.scanning():
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
        def scan(geometry: Geometry, one: slice) -> ClosestPoints:
            return closest_points(geometry, None, p[one], limits[one], excluded)

        def ask(engine: EngineModule, shape: Shape, rest: slice) -> ClosestPoints:
            return engine.closest(*shape, p[rest], limits[rest], excluded)

        parts = self._answers(self._built_for(len(p), now), len(p), scan, ask)
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
            known = self._vertex_mesh = vertices, self._of_points(vertices)
        mesh = known[1]
        if matrix is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                mesh = self._of_points(moved(mesh._whole().geometry.vertices, matrix[:3]))
        return mesh._closest_points(p, limits, excluded)

    def _winding(
        self,
        points: FloatArray,
        tolerance: float,
        excluded: BoolArray | None = None,
        now: State | None = None,
    ) -> FloatArray:
        tolerances = np.full(len(points), tolerance)

        def scan(geometry: Geometry, one: slice) -> FloatArray:
            return winding.scanned_numbers(geometry, points[one], tolerances[one], excluded)

        def ask(engine: EngineModule, shape: Shape, rest: slice) -> FloatArray:
            return engine.winding(*shape, points[rest], tolerances[rest], excluded)

        parts = self._answers(self._built_for(len(points), now), len(points), scan, ask)
        return np.concatenate([np.empty(0), *parts])

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
        return self._engine_at_once().scan(state.geometry, ray, state.extent)

    def _scan_many(self, state: State, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits by scans, until there is a tree."""

        def scan(_: Geometry, one: slice) -> tuple[IntArray, RayHits]:
            hits = self._scan(state, rays.ray(one.start))
            return np.full(len(hits), one.start), as_columns(hits)

        def ask(engine: EngineModule, shape: Shape, rest: slice) -> tuple[IntArray, RayHits]:
            rows, found = engine.cast_many(*shape, rays.take(rest))
            return rows + rest.start, found

        return joined(self._answers(state, len(rays), scan, ask))

    def _answers(
        self,
        state: State,
        count: int,
        scan: Callable[[Geometry, slice], T],
        ask: Callable[[EngineModule, Shape, slice], T],
    ) -> list[T]:
        """Answers of scans for one of `count` queries each; once there is a tree, one for the rest.

        The slices are those of the queries.
        """
        parts: list[T] = []
        while state.tree is None and len(parts) < count:
            with self._account.scanning():
                parts.append(scan(state.geometry, slice(len(parts), len(parts) + 1)))
            state = self._with_tree(state)
        if state.tree is not None:
            shape = state.geometry, state.tree
            parts.append(ask(engine_named(self._engine), shape, slice(len(parts), None)))
        return parts

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
        return unit_space(*self._fact(geometry, bounds_of))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_facts": None, "_half_edges": None, "_vertex_mesh": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._state is not None:
            self._state = self._state._replace(geometry=self._state.geometry.constant())


def _open_edges(geometry: Geometry) -> int:
    return len(border_edges(geometry)[0])


def bounds_of(geometry: Geometry) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corner (3,) around all finite vertices."""
    return finite_bounds(geometry.vertices)
