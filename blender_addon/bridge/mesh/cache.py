# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes that have been read, as long as they are up to date and fit into memory.

A mesh is found by the address of its evaluated data. That address may be used again, so a mesh is
forgotten when any of its users has its geometry updated, or when nothing displays it any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from ...standalone_core import ClosestPoints, Hit, Placeable, RayHits, Region, Triangles
from ...standalone_core.extension import (
    EPS,
    BoolArray,
    Engine,
    FloatArray,
    IntArray,
    LoneRay,
    RayBatch,
    cross,
    dot,
    moved,
)
from .scene_mesh import SceneMesh
from .shown_mesh import ShownMesh

# The least ratio of the smallest scale to the greatest. At 1e-6, rays moved by the inverse lose six
# digits. Rounding to single precision can bring even a scale of zero close to this ratio.
_FLATTEST = 1e-6


class _Entry(NamedTuple):
    mesh: SceneMesh
    users: set[int]


class MeshCache:
    """Meshes by key, with their users: addresses of the original data that they are made of."""

    def __init__(self) -> None:
        self._entries: dict[object, _Entry] = {}
        self._sizes: dict[SceneMesh, int] = {}  # as they were counted last
        self._held = 0  # their sum
        self._resized: set[SceneMesh] = set()  # used or released since

    @property
    def meshes(self) -> list[SceneMesh]:
        return [entry.mesh for entry in self._entries.values()]

    def count_bytes(self) -> int:
        """Memory held by all, in bytes; only meshes used since the last count are counted again."""
        for mesh in list(self._resized):
            self._resized.discard(mesh)
            if mesh not in self._sizes:  # dropped, and perhaps read again by an old answer
                continue
            if mesh.is_growing:  # asked first: what a thread adds later is counted next time
                self._resized.add(mesh)
            size = mesh.nbytes
            self._held += size - self._sizes[mesh]
            self._sizes[mesh] = size
        return self._held

    def find(self, key: object, users: Collection[int], read: Callable[[], SceneMesh]) -> SceneMesh:
        """The mesh of a key, if it has one of the users, or else what `read` returns."""
        entry = self._entries.get(key)
        if entry is None or entry.users.isdisjoint(users):
            self._drop(key)
            entry = self._entries[key] = _Entry(read(), set())
            self._sizes[entry.mesh] = 0
            entry.mesh.note_sizes_in(self._resized)
        entry.users.update(users)
        return entry.mesh

    def forget(self, users: Collection[int]) -> None:
        for key in self._keys(users):
            self._drop(key)

    def cancel(self, users: Collection[int]) -> None:
        """End the threads' work for the meshes of any of these users."""
        for key in self._keys(users):
            self._entries[key].mesh.cancel()

    def keep_only(self, keys: Collection[object]) -> None:
        for key in [key for key in self._entries if key not in keys]:
            self._drop(key)

    def _keys(self, users: Collection[int]) -> list[object]:
        if not users:
            return []
        return [key for key, entry in self._entries.items() if not entry.users.isdisjoint(users)]

    def _drop(self, key: object) -> None:
        if key in self._entries:
            mesh = self._entries.pop(key).mesh
            mesh.release()
            self._held -= self._sizes.pop(mesh)


def are_flat(matrices: FloatArray) -> BoolArray:
    """Which (N,) of the matrices (N, 4, 4) cannot be inverted without great loss of precision.

    With singular values a >= b >= c, c / a >= |det| / a**3 >= |det| / norm**3 for the Frobenius
    norm. Most matrices pass by that; only the others are decomposed. The columns are scaled to a
    largest entry of 1, so the determinant is off by less than 1e-14, and norm**3 is above 5.
    """
    linear = matrices[:, :3, :3]
    size = np.abs(linear).max(axis=1, keepdims=True)
    good: BoolArray = np.isfinite(matrices).all(axis=(1, 2)) & (size[:, 0] > 0).all(axis=1)
    unit = linear[good] / size[good]
    norm = np.sqrt((unit * unit).sum(axis=(1, 2)))
    det = np.abs(dot(unit[:, 0], cross(unit[:, 1], unit[:, 2])))
    passed = det > 2 * _FLATTEST * norm**3
    spread = np.linalg.svd(unit[~passed], compute_uv=False)
    passed[~passed] = spread[:, 2] > _FLATTEST * spread[:, 0]
    good[good] = passed
    return ~good


class FlatMesh(Placeable):
    """A mesh that a scale of about zero flattens, tested with its vertices in world space.

    `matrix` (4, 4) leads from local to world space, and is finite, but cannot be inverted.
    """

    revision = 0
    _announces = True  # as it never changes
    engine: Engine = "auto"

    def __init__(self, mesh: ShownMesh, matrix: FloatArray) -> None:
        self._mesh = mesh
        self._matrix = matrix
        corners = np.stack(np.meshgrid(*np.stack(mesh.bounds, axis=1)), axis=-1).reshape(-1, 3)
        box = moved(corners, matrix[:3])
        # The corners of the box are rounded differently from the vertices.
        margin = 16 * EPS * np.abs(box).max(axis=0)
        self._bounds = box.min(axis=0) - margin, box.max(axis=0) + margin

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        return self._bounds

    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._cast_many(self._mesh.visible_only(rays))

    def _cast(self, ray: LoneRay) -> list[Hit]:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._cast(self._mesh.visible_only(ray))

    def _closest_points(
        self, p: FloatArray, limits: FloatArray, _excluded: BoolArray | None
    ) -> ClosestPoints:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._closest_points(p, limits, self._mesh._hidden)

    def _closest_vertices(
        self,
        p: FloatArray,
        limits: FloatArray,
        _excluded: BoolArray | None,
        _matrix: FloatArray | None = None,
    ) -> ClosestPoints:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._closest_vertices(p, limits, self._mesh.bare_vertices())

    def _winding(self, points: FloatArray, tolerance: float) -> FloatArray:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._winding(points, tolerance, self._mesh._hidden)

    def _area(self) -> float:
        return self._mesh.in_world(self._matrix)._area()

    def _check_closed(self, now: Any = None) -> None:
        self._mesh._check_closed(now)

    def _shape_for(self, queries: int) -> tuple[Any, Any]:
        shape = self._mesh.in_world(self._matrix)._shape_for(queries)
        self._hidden = self._mesh._hidden  # known by now
        return shape

    def triangles_in(self, region: Region) -> Triangles:
        return self._mesh.visible(self._mesh.in_world(self._matrix).triangles_in(region))
