# SPDX-License-Identifier: MIT
"""Triangles that answer rays and points: by scans at first, by a tree once that pays."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import arguments, bvh, integers
from .arguments import Border
from .border.edges import border_edges
from .border.rim import Rim
from .building.background import callable_progress
from .building.better_tree import BetterTree
from .building.buildable import Buildable, Building
from .bvh.refit import unit_space
from .cast.geometry import Geometry
from .cast.hits import as_columns, joined
from .cast.rays import LoneRay, RayBatch, SideArray
from .closest.places import ClosestPoints, without_places
from .closest.search import closest_points
from .closest.ties import ties
from .concurrency.progress import Progress
from .engines import Engine, EngineModule, LoneCaster, engine_named, lengths_of, lone_caster_of
from .errors import OpenMeshError
from .geodesic.half_edges import HalfEdges, half_edges
from .geodesic.walkable import Walkable
from .hit import Hit, RayHits
from .instancing.placeable import Placeable
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.bounds import finite_bounds
from .numerics.columns import concatenated
from .places.measured_mesh import MeasuredMesh
from .region import Region, Triangles
from .region.search import triangles_in


class State(NamedTuple):
    """What casts read, replaced as a whole: another thread sees all of a refit or nothing."""

    geometry: Geometry
    extent: float
    tree: bvh.Tree | None


class TreeMesh(Buildable, MeasuredMesh, Walkable, Placeable):
    """Triangles, and a tree over them once that pays.

    Parameters
    ----------
    geometry : Geometry
        Checked, and read-only.
    extent : float
        The largest size of a finite coordinate of the vertices.
    engine, building, border
        As for :class:`.Mesh`.
    """

    def __init__(
        self, geometry: Geometry, extent: float, engine: Engine, building: Building, border: Border
    ) -> None:
        super().__init__(len(geometry.triangles), engine, building)
        self._state = State(geometry, extent, None)
        self._border: Border = arguments.checked_border(border)
        self._better = BetterTree(len(geometry.triangles))
        # What is known of the state, or of its geometry, beside which it stands.
        self._bounds: tuple[Geometry, tuple[FloatArray, FloatArray]] | None = None
        self._lone: tuple[State, LoneCaster] | None = None
        self._rim: tuple[Geometry, Rim] | None = None
        self._open_edges: tuple[Geometry, int] | None = None
        self._half_edges: tuple[Geometry, HalfEdges] | None = None

    def _closest_points(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        now: State | None = None,
    ) -> ClosestPoints:
        """The nearest places to checked points (N, 3)."""
        state = self._built_for(len(p), now)
        parts: list[ClosestPoints] = []
        while state.tree is None and len(parts) < len(p):
            one = slice(len(parts), len(parts) + 1)
            with self._account.scanning():
                parts.append(closest_points(state.geometry, None, p[one], limits[one], excluded))
            state = self._with_tree(state)
        if state.tree is None:
            return concatenated([*parts, without_places(0)])
        rest = slice(len(parts), None)
        find = engine_named(self._engine).closest
        parts.append(find(state.geometry, state.tree, p[rest], limits[rest], excluded))
        return concatenated(parts)

    def _ties(
        self, points: FloatArray, nearest: ClosestPoints, excluded: BoolArray | None, now: State
    ) -> tuple[IntArray, ClosestPoints]:
        geometry, _, tree = self._built_for(len(points), now)
        if tree is None:  # A scan for each point would find all triangles that may be as near.
            tree = self._own_tree(geometry)
        return ties(geometry, tree, points, nearest, excluded)

    def _now(self) -> State:
        return self._state

    def _geometry(self, now: State | None) -> Geometry:
        return (now or self._state).geometry

    def _cast_many(self, rays: RayBatch, now: State | None = None) -> tuple[IntArray, RayHits]:
        """Hits of rays in the mesh's space, with the row of the ray of each, sorted."""
        state = self._state_for(len(rays), now)
        if state.tree is None:
            found = self._scan_many(state, rays)
        else:
            found = engine_named(self._engine).cast_many(state.geometry, state.tree, rays)
        return found if self._border == "open" else self._rim_of(state).with_touches(rays, *found)

    def _cast(self, ray: LoneRay) -> list[Hit]:
        """Hits of one ray in the mesh's space, the nearest first."""
        if self._border == "closed":
            return [hit for hit in self._cast_many(ray.batch())[1] if hit is not None]
        state = self._state_for(1)
        if state.tree is None:
            return self._scan(state, ray)
        return engine_named(self._engine).cast(state.geometry, state.tree, ray)

    def _rim_of(self, state: State) -> Rim:
        known = self._rim
        if known is None or known[0] is not state.geometry:
            known = self._rim = state.geometry, Rim(state.geometry)
        return known[1]

    def _count_open_edges(self, geometry: Geometry) -> int:
        known = self._open_edges
        if known is None or known[0] is not geometry:
            known = self._open_edges = geometry, len(border_edges(geometry).triangle)
        return known[1]

    def _unfoldable(self) -> tuple[Geometry, HalfEdges]:
        geometry, known = self._state.geometry, self._half_edges
        if known is None or known[0] is not geometry:
            before = None if known is None else known[1]
            known = self._half_edges = geometry, half_edges(geometry, before)
        return known

    def _check_closed(self, now: State | None = None) -> None:
        count = self._count_open_edges((now or self._state).geometry)
        if count:
            raise OpenMeshError(
                f"the mesh is open, so nothing is inside: {count} edges of its triangles are at "
                "the border"
            )

    def _cast_quickly(self, origin: Any, direction: Any, max_distance: Any) -> Any:
        known = self._lone
        if known is None or known[0] is not self._state:
            known = self._lone = self._lone_now()
            if known is None:
                return NotImplemented
        o, d = arguments.plain_floats(origin), arguments.plain_floats(direction)
        if o is None or d is None or type(max_distance) is not float:
            return NotImplemented
        hit = known[1].nearest(o, d, max_distance)
        if hit is not NotImplemented and self._better.is_due(1):
            self._improve(1)
        return hit

    def _lone_now(self) -> tuple[State, LoneCaster] | None:
        """What casts single rays at the mesh as it is, if there is a tree and compiled code."""
        state = self._state
        if state.tree is None or self._border == "closed":
            return None
        caster = lone_caster_of(self._engine, state.geometry, state.tree)
        return None if caster is None else (state, caster)

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region, in order, and perhaps some that are near it."""
        arguments.instance_of(region, Region, "region")
        geometry, extent, tree = self._built_for(1)
        if tree is not None:
            return triangles_in(geometry, tree, region, extent)
        with self._account.scanning():
            return triangles_in(geometry, None, region, extent)

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        state = self._state_for(len(rays))
        if state.tree is None or self._border == "closed":
            return super()._cast_nearest(rays)
        return engine_named(self._engine).cast_nearest(state.geometry, state.tree, rays)

    def _lengths(self, origins: FloatArray, directions: FloatArray) -> FloatArray | None:
        return lengths_of(self._engine, origins, directions)

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        state = self._state_for(len(rays))
        if state.tree is None or self._border == "closed":
            return super()._any_hit(rays)
        return engine_named(self._engine).any_hit(state.geometry, state.tree, rays)

    def _count_hits(self, rays: RayBatch, now: State | None = None) -> IntArray:
        state = self._state_for(len(rays), now)
        if state.tree is None or self._border == "closed":
            return super()._count_hits(rays, state)
        return engine_named(self._engine).count_hits(state.geometry, state.tree, rays)

    def _shape_for(self, queries: int) -> tuple[Geometry, bvh.Tree | None]:
        geometry, _, tree = self._built_for(queries)
        return geometry, tree

    def _compiled_shape(self, rays: int) -> tuple[Geometry, bvh.Tree] | None:
        is_compiled = self._state.tree is not None and self.engine == "numba"
        if not is_compiled or self._border == "closed":
            return None
        geometry, _, tree = self._state_for(rays)
        return None if tree is None else (geometry, tree)

    def _mask(self, value: Any, name: str) -> BoolArray:
        return integers.mask(value, len(self._state.geometry.triangles), name)

    def _cull_sides(self, cull: Any) -> SideArray:
        return arguments.cull_sides(cull, len(self._state.geometry.triangles))

    def _state_for(self, rays: int, now: State | None = None) -> State:
        """What to cast at: with a tree, built by now if due, or without for so many rays."""
        state = self._built_for(rays, now)
        if state.tree is not None and self._better.is_due(rays):
            self._improve(rays)
        return state

    def _built_for(self, queries: int, now: State | None = None) -> State:
        """As :meth:`_state_for`, for what a better tree does not help."""
        if self._state.tree is None:
            self._build_if_due(self._building, self._account.should_build(queries))
        if now is None:
            return self._state
        state = self._with_tree(now)
        # Over what was there before, nobody else builds one.
        is_old = state.geometry is not self._state.geometry
        if is_old and state.tree is None and self._account.should_build(queries):
            return state._replace(tree=self._own_tree(state.geometry))
        return state

    def _improve(self, rays: int) -> None:
        """Have a better tree made, with so many rays in hand; the present one goes on to answer."""
        geometry, _, tree = self._state
        if tree is None or self._building == "never" or self.engine != "numba":
            self._better.begin_anew()
        else:
            engine = engine_named(self._engine)
            self._better.make(partial(engine.improve, geometry, tree), rays)

    def cancel(self) -> None:
        """Ask what is built in a thread to end soon."""
        super().cancel()
        self._better.cancel()

    def _with_tree(self, state: State) -> State:
        """The same with the tree, where a thread has built it since."""
        now = self._state
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
        parts = []
        count = 0
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
        state = self._state
        if state.tree is not None:
            return
        engine = engine_named(self._engine)  # May wait for a compiler, which is no building.
        with self._account.building():
            tree = engine.build(state.geometry, *self._units(state.geometry), progress)
        with self._lock.here:
            if self._state is state:  # else refit() came in between
                self._state = state._replace(tree=tree)

    def _bounds_of(self, geometry: Geometry) -> tuple[FloatArray, FloatArray]:
        known = self._bounds
        if known is None or known[0] is not geometry:
            known = self._bounds = geometry, finite_bounds(geometry.vertices)
        return known[1]

    def _units(self, geometry: Geometry) -> tuple[FloatArray, float]:
        """Center and scale of a tree over it."""
        lower, upper = self._bounds_of(geometry)
        if np.isfinite(lower).all():
            return unit_space(lower, upper)
        return np.zeros(3), 1.0

    def __getstate__(self) -> dict[str, Any]:
        nothing_known = dict.fromkeys(("_bounds", "_lone", "_rim", "_open_edges", "_half_edges"))
        return {**super().__getstate__(), **nothing_known}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._state = self._state._replace(geometry=self._state.geometry.read_only())
