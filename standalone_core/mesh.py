# SPDX-License-Identifier: MIT
"""A triangle mesh that answers rays: by a scan at first, by a tree once that pays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import arguments, bvh, scan, triangle
from .arrays import FloatArray, IndexArray, IntArray, normalized
from .caster import Caster
from .engines import Engine, engine_named
from .errors import ShapeError
from .hit import RayHits
from .ray_batch import RayBatch
from .rayspace import Crossings, RayFrame, cast_candidates, rounding_margin
from .rent_or_buy import RentOrBuy

# Rays that go through the tree together: enough to make NumPy's overhead small, few enough for
# the pairs of rays and nodes to stay in the processor's caches.
_CHUNK = 2048


@dataclass(frozen=True, slots=True)
class MeshStats:
    """What a mesh has done so far.

    Attributes
    ----------
    triangles, vertices : int
    scans : int
        Rays that were answered without a tree.
    scan_seconds, build_seconds : float
    nodes, depth : int
        Boxes and levels of the tree; 0 before it is built.
    nbytes : int
        Memory of the tree.
    """

    triangles: int
    vertices: int
    scans: int
    scan_seconds: float
    build_seconds: float
    nodes: int
    depth: int
    nbytes: int


class Mesh(Caster):
    """Triangles over vertices, in one space (that of the rays that are cast at it).

    Parameters
    ----------
    vertices : array_like (V, 3)
        Positions. Triangles at vertices that are not finite, and triangles without area, are
        never hit.
    triangles : array_like (T, 3) of int
        Rows of `vertices`, counter-clockwise as seen from the front.
    faces : array_like (T,) of int, optional
        The face (polygon) that each triangle is part of; by default its own row.
    engine : {"auto", "numpy", "numba"}
        What takes rays through the tree; the answers are the same.

    Notes
    -----
    Arrays that already are C-contiguous float64 (vertices) and int32 (triangles) are not copied:
    call :meth:`refit` after changing them.

    Nothing is built up front. The first rays are answered by a scan over all vertices, and the
    tree is built when the scans have cost as much as it would (:mod:`.rent_or_buy`).

    Examples
    --------
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hit = mesh.ray_cast((0.25, 0.5, 2), (0, 0, -1))
    >>> hit.distance, hit.barycentric.tolist()
    (2.0, [0.25, 0.25, 0.5])
    """

    def __init__(
        self, vertices: Any, triangles: Any, faces: Any = None, engine: Engine = "auto"
    ) -> None:
        self._vertices = arguments.floats(vertices, "vertices", (None, 3))
        self._triangles = arguments.triangle_indices(triangles, len(self._vertices))
        self._faces = None if faces is None else arguments.face_indices(faces, len(self._triangles))
        self._engine = engine_named(engine)
        self._tree: bvh.Tree | None = None
        self._revision = 0
        self._account = RentOrBuy(len(self._triangles))
        self._bound_vertices()

    @property
    def vertices(self) -> FloatArray:
        """Positions (V, 3)."""
        return self._vertices

    @property
    def triangles(self) -> IndexArray:
        """Rows of the vertices (T, 3)."""
        return self._triangles

    @property
    def faces(self) -> IntArray:
        """The face of each triangle (T,)."""
        return np.arange(len(self._triangles)) if self._faces is None else self._faces

    @property
    def revision(self) -> int:
        """How often the vertices were replaced by :meth:`refit`; scenes follow it."""
        return self._revision

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all finite vertices; NaN where there is none."""
        return self._lower, self._upper

    @property
    def stats(self) -> MeshStats:
        """Counts, times and memory so far."""
        tree = self._tree
        return MeshStats(
            triangles=len(self._triangles),
            vertices=len(self._vertices),
            scans=self._account.scans,
            scan_seconds=self._account.scan_seconds,
            build_seconds=self._account.build_seconds,
            nodes=tree.node_count if tree else 0,
            depth=len(tree.levels) if tree else 0,
            nbytes=tree.nbytes if tree else 0,
        )

    @property
    def nbytes(self) -> int:
        """Memory of the vertices, the triangles, the faces and the tree, in bytes."""
        faces = 0 if self._faces is None else self._faces.nbytes
        tree = self._tree.nbytes if self._tree else 0
        return self._vertices.nbytes + self._triangles.nbytes + faces + tree

    def build(self) -> None:
        """Build the tree now, if there is none yet."""
        if self._tree is None:
            with self._account.building():
                self._tree = bvh.build(*self._triangle_bounds())

    def refit(self, vertices: Any) -> None:
        """Give the same triangles new vertex positions (V, 3); a tree is adapted, not rebuilt.

        Raises
        ------
        ShapeError
            If there is another number of vertices.
        """
        new = arguments.floats(vertices, "vertices", (None, 3))
        if len(new) != len(self._vertices):
            raise ShapeError(f"{len(self._vertices)} vertices are needed, not {len(new)}")
        had_holes = self._tree is not None and len(self._tree.order) < len(self._triangles)
        self._vertices = new
        self._revision += 1
        self._bound_vertices()
        if had_holes:
            self._tree = None  # triangles that were not finite are in no node, and may be now
        elif self._tree is not None:
            self._tree = bvh.refit(self._tree.order, *self._triangle_bounds())

    def validate(self) -> None:
        """Check the tree, if there is one, against the triangles; ArgumentError if it is wrong."""
        if self._tree is not None:
            bvh.validate(self._tree, *self._triangle_bounds())

    def crossings(self, rays: RayBatch) -> Crossings:
        """Where rays in the mesh's space go through triangles, sorted by ray, t and triangle."""
        if self._tree is None and self._account.should_build(len(rays)):
            self.build()
        step = 1 if self._tree is None else _CHUNK
        parts = [
            self._cast_chunk(rays.take(slice(start, start + step))).shifted(start)
            for start in range(0, len(rays), step)
        ]
        return Crossings.concatenated(parts or [Crossings.none()])

    def hits(self, crossings: Crossings) -> RayHits:
        """Everything there is to say of crossings, in the mesh's space, with `t` as distance."""
        rows = crossings.triangle
        corners = self._vertices[self._triangles[rows]]
        return RayHits(
            distance=crossings.t,
            point=triangle.interpolate(corners, crossings.weights),
            normal=normalized(crossings.normal),
            triangle=rows,
            face=rows.copy() if self._faces is None else self._faces[rows],
            barycentric=crossings.weights,
            front=crossings.front,
            instance=np.zeros(len(rows), dtype=np.int64),
        )

    def _cast(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        found = self.crossings(rays)
        return found.ray, self.hits(found)

    def _cast_chunk(self, rays: RayBatch) -> Crossings:
        frame = RayFrame.of(rays.origins, rays.directions)
        parts = []
        for row, triangles in self._candidates(rays, frame):
            corners = self._vertices[self._triangles[triangles]]
            a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
            found = cast_candidates(frame, row, triangles, (a, b, c), rays.limits, rays.cull_sign)
            parts.append(found.ordered(rays.every))
        return parts[0] if len(parts) == 1 else Crossings.concatenated(parts).ordered(rays.every)

    def _candidates(self, rays: RayBatch, frame: RayFrame) -> Iterable[tuple[IntArray, IntArray]]:
        """At least one block of pairs of a ray and a triangle that it can hit.

        A scan takes one ray only.
        """
        if self._tree is None:
            with self._account.scanning():
                found = scan.candidates(frame, 0, self._vertices, self._triangles, self._extent)
            return [(np.zeros(len(found), dtype=np.int64), found)]
        margin = rounding_margin(self._extent, rays.origins)
        blocks: Iterable[tuple[IntArray, IntArray]] = self._engine.candidates(
            self._tree, rays.origins, rays.directions, margin, rays.limits
        )
        return blocks

    def _triangle_bounds(self) -> tuple[FloatArray, FloatArray]:
        a, b, c = (self._vertices[self._triangles[:, corner]] for corner in range(3))
        return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)

    def _bound_vertices(self) -> None:
        self._lower = self._vertices.min(axis=0, initial=np.inf)
        self._upper = self._vertices.max(axis=0, initial=-np.inf)
        if not (np.isfinite(self._lower).all() and np.isfinite(self._upper).all()):
            good = self._vertices[np.isfinite(self._vertices).all(axis=1)]
            empty = np.full((1, 3), np.nan)
            self._lower = (good if len(good) else empty).min(axis=0)
            self._upper = (good if len(good) else empty).max(axis=0)
        extent = float(max(np.abs(self._lower).max(), np.abs(self._upper).max()))
        self._extent = extent if np.isfinite(extent) else 0.0

    def __repr__(self) -> str:
        return f"<Mesh {len(self._vertices)} vertices, {len(self._triangles)} triangles>"
