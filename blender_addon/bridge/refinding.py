# SPDX-License-Identifier: GPL-3.0-or-later
"""Find hits again where they are now: on the same triangles of the same objects or instances.

Hits on faces that have the same vertices as before, in the same order and in the same triangles,
are found all at once; any other hit is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import bpy
import numpy as np

from ..model.hit import PickHit
from ..standalone_core import PolygonMesh, RayHits, triangle
from ..standalone_core.extension import (
    ArgumentError,
    BoolArray,
    FloatArray,
    IndexArray,
    IndexRangeError,
    IntArray,
    affine_inverses,
    alike,
    cross,
    moved,
    normalized,
    runs,
    scattered,
    to_scene_many,
)
from .hit_objects import object_of
from .mesh.cache import are_flat
from .mesh.scene_mesh import SceneMesh
from .placing import FLAT, HIDDEN, HIDDEN_FACE, NO_INSTANCE, REMOVED, SPLIT, TOPOLOGY
from .scene.instances import ListedMesh, persistent_ids
from .scene.snapshot import Snapshot

Find: TypeAlias = Callable[
    [Sequence[bpy.types.Object], Sequence[PickHit]], Sequence[ListedMesh | None]
]
"""Finds the meshes that hits on objects are on, one for each; None for what is not shown."""

_NONE = np.empty(0, np.int64)

# What tells the objects, instances and meshes that were hit apart.
_WHOSE = attrgetter(
    *("object", "library", "session_uid", "instancer", "instancer_uid", "instance", "mesh_size")
)


class Refound(NamedTuple):
    """Where N hits are now."""

    hits: RayHits  # (N,), at the distance 0, on the side that was hit; misses where they are gone
    listed: dict[int, ListedMesh]  # by the hits' instances
    reasons: list[str | None]  # why hits are gone, in English


def refound(hits: Sequence[PickHit], find: Find) -> Refound:
    """Find hits again; `find` is asked once, for one hit on each object or instance."""
    numbers: dict[Any, int] = {}  # counted as they come
    whose = np.array([numbers.setdefault(key, len(numbers)) for key in map(_WHOSE, hits)], np.int64)
    _, firsts = np.unique(whose, return_index=True)
    found = _meshes([hits[i] for i in firsts.tolist()], find)
    rows = [row for row in found if not isinstance(row, str)]
    is_shown = np.array([not isinstance(row, str) for row in found], np.bool_)
    instance = np.where(is_shown, np.cumsum(is_shown) - 1, -1)[whose]
    gone = [row if isinstance(row, str) else None for row in found]
    reasons = [gone[number] for number in whose.tolist()]
    then = _Then.of(hits)
    now = Placed.misses(then)
    groups = [*_by_mesh(rows, instance)]
    _Faces.of(groups, then).settle(now, then)
    for mesh, own in groups:
        for i in own[now.triangle[own] < 0].tolist():
            reasons[i] = now.settle_one(mesh, i, hits[i])
    world = now.in_world(rows, instance)
    flat = (now.triangle >= 0) & (world.triangle < 0)
    for i in np.flatnonzero(flat).tolist():
        reasons[i] = FLAT
    return Refound(world, dict(enumerate(rows)), reasons)


def shown_by(shown: Snapshot) -> Find:
    """Finds meshes among those of a snapshot."""

    def find(
        objects: Sequence[bpy.types.Object], hits: Sequence[PickHit]
    ) -> list[ListedMesh | None]:
        uids = [obj.session_uid for obj in objects]
        rows = [row for uid in dict.fromkeys(uids) for row in shown.meshes_of(uid)]
        ids = persistent_ids(rows)
        named = {(row.uid, row.instancer_uid, own): row for row, own in zip(rows, ids, strict=True)}
        wanted = zip(uids, map(_instancer_uid, hits), hits, strict=True)
        return [named.get((uid, maker, hit.instance)) for uid, maker, hit in wanted]

    return find


def _instancer_uid(hit: PickHit) -> int | None:
    """The session UID of a hit's instancer, found by name for a hit from a file."""
    if hit.instancer_uid is not None or hit.instancer is None:
        return hit.instancer_uid
    instancer = bpy.data.objects.get(hit.instancer)
    return None if instancer is None else instancer.session_uid


def _meshes(hits: Sequence[PickHit], find: Find) -> list[ListedMesh | str]:
    """The meshes that hits are on, or why one is gone."""
    objects = [object_of(hit) for hit in hits]
    there = [(obj, hit) for obj, hit in zip(objects, hits, strict=True) if obj is not None]
    rows = iter(find(*map(list, zip(*there, strict=True))) if there else ())
    found: list[ListedMesh | str] = []
    for obj, hit in zip(objects, hits, strict=True):
        row = None if obj is None else next(rows)
        if obj is None:
            found.append(REMOVED)
        elif row is None or not np.isfinite(row.matrix).all():
            found.append(HIDDEN if hit.instancer is None else NO_INSTANCE)
        else:
            found.append(row if hit.mesh_size in (None, row.mesh.size) else TOPOLOGY)
    return found


def _by_mesh(
    rows: Sequence[ListedMesh], instance: IntArray
) -> Iterator[tuple[SceneMesh, IntArray]]:
    """Each mesh, with the numbers of the hits on it, by the rows (N,) that hits are on or -1."""
    meshes = list(dict.fromkeys(row.mesh for row in rows))
    number_of = {mesh: number for number, mesh in enumerate(meshes)}
    groups = np.array([*(number_of[row.mesh] for row in rows), -1], np.int64)[instance]
    for own in alike(groups, np.flatnonzero(groups >= 0)):
        yield meshes[groups[own[0]]], own


class _Then(NamedTuple):
    """Where N hits were on their meshes."""

    face: IntArray  # (N,)
    part: IntArray  # (N,), the numbers of the triangles within their faces
    vertices: IntArray  # (N, 3)
    barycentric: FloatArray  # (N, 3)
    front: BoolArray  # (N,)
    sizes: IntArray  # (N,), how many corners the faces have
    corners: IntArray  # the vertices at the corners of all faces

    @classmethod
    def of(cls, hits: Sequence[PickHit]) -> _Then:
        names = "face", "triangle_of_face", "vertices", "barycentric", "front", "face_vertices"
        values = zip(*map(attrgetter(*names), hits), strict=True) if hits else [()] * len(names)
        face, part, vertices, weights, front, around = values
        try:
            return cls(
                np.array(face, np.int64),
                np.array(part, np.int64),
                _threes(vertices, np.int64),
                _threes(weights, np.float64),
                np.array(front, np.bool_),
                np.fromiter(map(len, around), np.int64, len(hits)),
                np.fromiter(chain.from_iterable(around), np.int64),
            )
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"the values of a hit are not those of any hit: {error}") from None


def _threes(rows: Sequence[Sequence[float]], dtype: type[np.generic]) -> Any:
    """Rows of three numbers (N, 3); several times as fast as ``np.array``."""
    if {*map(len, rows)} - {3}:
        raise ValueError("not three numbers")
    return np.fromiter(chain.from_iterable(rows), dtype, 3 * len(rows)).reshape(-1, 3)


class _Faces(NamedTuple):
    """The faces that K hits are on, each of as many corners as it had, mesh after mesh."""

    groups: list[tuple[SceneMesh, IntArray]]  # meshes with the numbers of their hits
    rows: IntArray  # (K,), the numbers of all these hits
    faces: IntArray  # (K,)
    firsts: IntArray  # (K,), the faces' first corners in their meshes
    sizes: IntArray  # (K,)
    vertices: IntArray  # (L,), at the corners of all faces
    positions: FloatArray  # (L, 3), in local space

    @classmethod
    def of(cls, meshes: Sequence[tuple[SceneMesh, IntArray]], then: _Then) -> _Faces:
        groups, starts, vertices, positions = [], [], [_NONE], [np.empty((0, 3))]
        for mesh, own in meshes:
            polygons = mesh.polygons
            own = own[(then.face[own] >= 0) & (then.face[own] < polygons.face_count)]
            firsts, sizes = polygons.face_corners(then.face[own])
            fits = (sizes == then.sizes[own]) & (then.part[own] >= 0) & (then.part[own] < sizes - 2)
            fits &= ~mesh.are_hidden(firsts - 2 * then.face[own])
            groups.append((mesh, own[fits]))
            starts.append(firsts[fits])
            vertices.append(polygons.corner_vertices(runs(firsts[fits], sizes[fits])))
            positions.append(polygons.positions(vertices[-1]))
        rows = np.concatenate([_NONE, *(own for _, own in groups)])
        firsts = np.concatenate([_NONE, *starts])
        around = np.concatenate(vertices), np.concatenate(positions)
        return cls(groups, rows, then.face[rows], firsts, then.sizes[rows], *around)

    def settle(self, now: Placed, then: _Then) -> None:
        """Settle the hits whose faces have the same vertices, in the same triangles, in order."""
        if not len(self.rows):
            return
        starts = np.cumsum(then.sizes) - then.sizes
        differ = self.vertices != then.corners[runs(starts[self.rows], self.sizes)]
        every = PolygonMesh(self.positions, np.arange(len(differ)), self.sizes, self._split)
        triangles = every.split_face_many(np.arange(len(self.rows)))
        counts, part = self.sizes - 2, then.part[self.rows]
        corners = triangles[np.cumsum(counts) - counts + part]
        fits = (self.vertices[corners] == then.vertices[self.rows]).all(axis=1)
        fits[np.repeat(np.arange(len(self.rows)), self.sizes)[differ]] = False
        rows = self.rows[fits]
        now.triangle[rows] = (self.firsts - 2 * self.faces + part)[fits]
        now.corners[rows] = self.positions[corners[fits]]

    def _split(self, some: IntArray) -> IndexArray:
        """The corners (T, 3) of the triangles of some of the K faces, as their meshes have them."""
        shift, stop = np.cumsum(self.sizes) - self.sizes - self.firsts, 0
        parts = [np.empty((0, 3), np.int64)]
        for mesh, own in self.groups:
            start, stop = stop, stop + len(own)
            asked = some[(some >= start) & (some < stop)]
            if len(asked):
                corners = mesh.polygons.split_face_many(self.faces[asked])
                parts.append(corners + np.repeat(shift[asked], self.sizes[asked] - 2)[:, None])
        return np.concatenate(parts).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where N hits are on their meshes; not yet known ones, and those gone, are -1 and NaN."""

    face: IntArray  # (N,)
    triangle: IntArray  # (N,)
    barycentric: FloatArray  # (N, 3)
    corners: FloatArray  # (N, 3, 3), in local space
    front: BoolArray  # (N,)

    @classmethod
    def misses(cls, then: _Then) -> Placed:
        count = len(then.face)
        corners = np.full((count, 3, 3), np.nan)
        return cls(
            then.face, np.full(count, -1), then.barycentric.copy(), corners, then.front.copy()
        )

    def settle_one(self, mesh: SceneMesh, number: int, hit: PickHit) -> str | None:
        """Settle one hit; return why it is gone, if it is."""
        try:
            triangles = mesh.split_face(hit.face)
        except IndexRangeError:
            return HIDDEN_FACE if hit.mesh_size == mesh.size else TOPOLOGY
        vertices = triangles.vertices.tolist()
        if {*triangles.vertices.ravel().tolist()} != {*hit.face_vertices}:
            return TOPOLOGY
        # If normals were flipped, the same vertices have another order.
        same = [part for part, each in enumerate(vertices) if {*each} == {*hit.vertices}]
        if not same:
            return SPLIT
        order = [hit.vertices.index(vertex) for vertex in vertices[same[0]]]
        self.triangle[number] = triangles.first + same[0]
        self.corners[number] = triangles.positions[same[0]]
        self.barycentric[number] = [hit.barycentric[i] for i in order]
        self.front[number] = hit.front != (order in ([0, 2, 1], [1, 0, 2], [2, 1, 0]))
        return None

    def in_world(self, listed: Sequence[ListedMesh], instance: IntArray) -> RayHits:
        """The hits (N,), by the rows that they are on; misses where a triangle has no area."""
        rows = np.flatnonzero(self.triangle >= 0)
        matrices = np.array([row.matrix for row in listed]).reshape(-1, 4, 4)
        flat, own = are_flat(matrices), instance[rows]
        corners, weights = self.corners[rows], self.barycentric[rows]
        # A flat mesh is hit with its vertices in world space.
        lies = flat[own]
        corners[lies] = moved(corners[lies], matrices[own[lies], None, :3])
        matrices[flat] = np.eye(4)
        a, b, c = corners.swapaxes(0, 1)
        normal = normalized(cross(b - a, c - a))
        has_area = np.isfinite(normal).all(axis=1)
        rows, own, weights = rows[has_area], own[has_area], weights[has_area]
        inverses = affine_inverses(matrices, "matrices", "opengl")
        local = RayHits(
            distance=np.zeros(len(rows)),
            point=triangle.interpolate(corners[has_area], weights),
            normal=normal[has_area],
            triangle=self.triangle[rows],
            face=self.face[rows],
            barycentric=weights,
            front=self.front[rows],
            instance=own,
        )
        world = to_scene_many(matrices[own], inverses[own], own, local)
        return scattered(rows, world, len(self.face))
