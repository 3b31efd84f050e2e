# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the places of anchors in the triangles of a mesh, or the reasons why they are unknown.

If the mesh has the topology (a fingerprint) of an anchor, its faces have not changed. If only the
original mesh has it, the modifiers make other faces. Modifiers that only split faces, such as
Triangulate, keep the vertices. Places are then found by these, because the split changes with the
shape. Through other modifiers, places are traced face by face, in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import PolygonMesh
from ...standalone_core.extension import BoolArray, FloatArray, IntArray, runs
from ..mesh.scene_mesh import SceneMesh
from ..original.faces import CopyNumbers, Faces, PolygonPoints, UnknownOriginError
from ..original.trace import faces_made, only_splits_faces, original_faces
from ..placing import TOPOLOGY
from ..scene.instances import ListedMesh
from .face_numbers import found_again

MODIFIERS = "The modifiers have changed the faces"


class FoundPlaces(NamedTuple):
    """Places of N anchors on one mesh."""

    vertices: IntArray  # (N, 3)
    weights: FloatArray  # (N, 3)
    reasons: list[str | None]  # why a place is not known, in English; its vertices are 0 then
    anchors: list[Anchor]  # up to date: the numbers of bound faces may have changed


def find_places(
    mesh: SceneMesh, anchors: Sequence[Anchor], original: Callable[[], SceneMesh | None]
) -> FoundPlaces:
    """The places of anchors on a mesh; `original` reads the object's mesh without modifiers."""
    polygons = mesh.polygons
    reasons: list[str | None] = [None] * len(anchors)
    if any(each.bound is not None and each.topology != polygons.topology for each in anchors):
        anchors, reasons = _with_bound_faces(anchors, original())
    vertices, weights = np.zeros((len(anchors), 3), np.int64), np.zeros((len(anchors), 3))

    def settle(
        rows: IntArray,
        places: FacePlaces,
        known: BoolArray,
        reason: str,
        of: PolygonMesh = polygons,
    ) -> None:
        found = places.take(known)
        vertices[rows[known]], weights[rows[known]] = found.vertices(of), found.weights
        for i in rows[~known].tolist():
            reasons[i] = reason

    # An anchor on a copy of a face has the face's number in the original mesh, without copies.
    is_own = [each.topology == polygons.topology and not each.copies for each in anchors]
    own = np.flatnonzero(is_own)
    if len(own):
        places = FacePlaces.of([anchors[i] for i in own.tolist()])
        settle(own, places, places.are_on(polygons), TOPOLOGY)
    if len(own) < len(anchors):
        base = original()
        base_topology = None if base is None else base.polygons.topology
        for i in np.flatnonzero(~np.array(is_own)).tolist():
            reasons[i] = reasons[i] or _reason(anchors[i], base_topology)
        through = np.array([i for i, each in enumerate(is_own) if not each and not reasons[i]], int)
        if len(through) and base is not None:
            rows = [anchors[i] for i in through.tolist()]
            if are_split(mesh, base):
                places = FacePlaces.of(rows)
                known = places.are_on(base.polygons) & np.array([not each.copies for each in rows])
                settle(through, places, known, MODIFIERS, base.polygons)
            else:
                settle(through, *to_evaluated(mesh, base, rows), MODIFIERS)
    return FoundPlaces(vertices, weights, reasons, [*anchors])


def _with_bound_faces(
    anchors: Sequence[Anchor], original: SceneMesh | None
) -> tuple[list[Anchor], list[str | None]]:
    """The anchors, with the bound ones updated, and the reasons why that failed."""
    now: list[Anchor] = [*anchors]
    reasons: list[str | None] = [None] * len(now)
    if original is None:
        return now, reasons
    topology = original.polygons.topology
    rows = [i for i, each in enumerate(now) if each.bound is not None and each.topology != topology]
    for i, found in zip(rows, found_again(original, [now[i] for i in rows]), strict=True):
        if isinstance(found, str):
            reasons[i] = found
        else:
            now[i] = found
    return now, reasons


def _reason(anchor: Anchor, topology: str | None) -> str | None:
    """Why an anchor cannot be traced from an original mesh of this topology; None if it may be."""
    if anchor.evaluated:
        same = topology is not None and anchor.original_topology == topology
        return MODIFIERS if same else TOPOLOGY
    return None if anchor.topology == topology else TOPOLOGY


class FacePlaces(NamedTuple):
    """N places on triangles of faces."""

    faces: IntArray  # (N,)
    corners: IntArray  # (N, 3), counted from the first of the face
    weights: FloatArray  # (N, 3), of these corners

    @classmethod
    def of(cls, anchors: Sequence[Anchor]) -> FacePlaces:
        return cls(
            np.array([each.face for each in anchors], np.int64),
            np.array([each.corners for each in anchors], np.int64).reshape(-1, 3),
            np.array([each.barycentric for each in anchors], np.float64).reshape(-1, 3),
        )

    def take(self, rows: IntArray | BoolArray) -> FacePlaces:
        return FacePlaces(self.faces[rows], self.corners[rows], self.weights[rows])

    def are_on(self, polygons: PolygonMesh) -> BoolArray:
        """Which (N,) have a face and corners that exist in the mesh: files may say anything."""
        known: BoolArray = self.faces < polygons.face_count
        _, sizes = polygons.face_corners(self.faces[known])
        a, b, c = self.corners[known].T
        known[known] = (a != b) & (b != c) & (c != a) & (np.maximum(np.maximum(a, b), c) < sizes)
        return known

    def vertices(self, polygons: PolygonMesh) -> IntArray:
        """The vertices (N, 3) at the corners."""
        firsts, _ = polygons.face_corners(self.faces)
        return polygons.corner_vertices(firsts[:, None] + self.corners)

    def anchors(
        self,
        mesh: SceneMesh,
        copy_numbers: CopyNumbers,
        triangles: Sequence[int | None] | None = None,
        row: ListedMesh | None = None,
    ) -> list[Anchor]:
        """Anchors of the places on a mesh: that of the object itself, or of a row's instance."""
        vertices = self.vertices(mesh.polygons)
        numbers = {name: copies.tolist() for name, copies in copy_numbers.items()}
        topology, instance = mesh.polygons.topology, None if row is None else row.persistent_id
        known = [None] * len(vertices) if triangles is None else triangles
        parts = zip(*(part.tolist() for part in (*self, vertices)), known, strict=True)
        return [
            Anchor(
                face=face,
                corners=tuple(corners),
                vertices=tuple(own),
                barycentric=tuple(weights),
                topology=topology,
                evaluated=mesh.source.is_evaluated,
                triangle=triangle,
                instancer=None if row is None else row.instancer,
                instance=instance,
                copies=tuple((name, each[i]) for name, each in numbers.items() if each[i]),
            )
            for i, (face, corners, weights, own, triangle) in enumerate(parts)
        ]

    def polygon_points(self, polygons: PolygonMesh) -> PolygonPoints:
        """The places, independent of how the faces are split."""
        _, sizes = polygons.face_corners(self.faces)
        return PolygonPoints.of(self.faces, sizes, self.corners, self.weights)


def find_triangle(
    triangles: IntArray, vertices: IntArray, weights: FloatArray
) -> tuple[int, FloatArray] | None:
    """Which of `triangles` (T, 3) has these vertices (3,), and their weights (3,) in its order."""
    same = np.flatnonzero((np.sort(triangles) == np.sort(vertices)).all(axis=1))
    if not len(same):
        return None
    order = [vertices.tolist().index(vertex) for vertex in triangles[same[0]].tolist()]
    return int(same[0]), weights[order]


def in_triangles(polygons: PolygonMesh, points: PolygonPoints, weights: FloatArray) -> FacePlaces:
    """Places in the triangles that their faces are split into now.

    A place that is still in the same triangle keeps its weights (N, 3) there. A mirrored face may
    be split differently, and faces that were divided have other triangles.
    """
    count = len(points.faces)
    firsts, sizes = polygons.face_corners(points.faces)
    rows = np.repeat(np.arange(count), sizes - 2)
    corners = polygons.split_face_many(points.faces) - firsts[rows, None]
    found = points.take(rows).weights_in(corners)
    # The triangle of each face that the place is in, or least outside of.
    order = np.lexsort((-found.min(axis=1, initial=np.inf), rows))
    best = order[np.cumsum(sizes - 2) - (sizes - 2)]
    places = FacePlaces(points.faces, corners[best], found[best])
    if points.corners is not None:
        same = (np.sort(corners) == np.sort(points.corners)[rows]).all(axis=1)
        kept, there = rows[same], np.argsort(corners[same])
        ranks = np.argsort(there)
        old = np.take_along_axis(weights[kept], np.argsort(points.corners[kept]), axis=1)
        places.corners[kept] = corners[same]
        places.weights[kept] = np.take_along_axis(old, ranks, axis=1)
    return places


def are_split(mesh: SceneMesh, original: SceneMesh) -> bool:
    """Whether an evaluated mesh has the vertices of the original one, with its faces split."""
    if mesh.source.original is None or mesh.size[0] != original.size[0]:
        return False
    with mesh.source.found() as evaluated:
        return only_splits_faces(evaluated, mesh.source.depsgraph)


def _to_whole_faces(
    mesh: SceneMesh, original: SceneMesh, places: FacePlaces
) -> tuple[FacePlaces, BoolArray]:
    """Map places on parts of faces to the whole faces; also return which (N,) have such a face."""
    vertices, polygons = places.vertices(mesh.polygons), original.polygons
    with mesh.opened() as (evaluated, opened):
        faces = original_faces(evaluated, opened, mesh.source.depsgraph, places.faces)
    firsts, sizes = polygons.face_corners(faces.clip(min=0))
    rows = np.repeat(np.arange(len(faces)), sizes)
    around = runs(firsts, sizes)
    at, which = np.nonzero(polygons.corner_vertices(around)[:, None] == vertices[rows])
    corners = np.full((len(faces), 3), -1)
    corners[rows[at], which] = (around - firsts[rows])[at]
    known = (faces >= 0) & (corners >= 0).all(axis=1)
    return FacePlaces(faces, corners, places.weights).take(known), known


def to_evaluated(
    mesh: SceneMesh, original: SceneMesh, anchors: Sequence[Anchor]
) -> tuple[FacePlaces, BoolArray]:
    """Where anchors of the original mesh are on the evaluated one, and which (N,) are known."""
    places = FacePlaces.of(anchors)
    known = np.full(len(anchors), False)
    faces = _faces(mesh)
    if faces is None:
        return places, known
    made = faces.copies
    have_copies = [
        all((times := made.get(name, 0)) is None or copy < times for name, copy in each.copies)
        for each in anchors
    ]
    known = places.are_on(original.polygons) & np.array(have_copies, np.bool_)
    rows = np.flatnonzero(known)
    copies = [dict(anchors[i].copies) for i in rows.tolist()]
    copy_numbers = {
        name: np.array([each.get(name, 0) for each in copies], np.int64) for name in made
    }
    points = faces.forward(places.take(rows).polygon_points(original.polygons), copy_numbers)
    polygons = mesh.polygons
    there = points.faces < polygons.face_count
    _, sizes = polygons.face_corners(np.where(there, points.faces, 0))
    there &= sizes == points.sizes
    known[rows] = there
    found = in_triangles(polygons, points.take(there), places.weights[rows[there]])
    for part, new in zip(places, found, strict=True):
        part[rows[there]] = new
    return places, known


def to_original(
    mesh: SceneMesh, original: SceneMesh, places: FacePlaces
) -> tuple[FacePlaces, CopyNumbers, BoolArray]:
    """Where places on the evaluated mesh are on the original one, and on which copies.

    Only known places are returned; the last value tells which (N,) they are.
    """
    if are_split(mesh, original):
        places, known = _to_whole_faces(mesh, original, places)
        return places, {}, known
    faces = _faces(mesh)
    if faces is None:
        known = np.full(len(places.faces), False)
        return places.take(known), {}, known
    known = faces.known(places.faces)
    points, copy_numbers = faces.back(places.take(known).polygon_points(mesh.polygons))
    return in_triangles(original.polygons, points, places.weights[known]), copy_numbers, known


def _faces(mesh: SceneMesh) -> Faces | None:
    """The faces that the modifiers make of the object's own; None where places are unknown."""
    if mesh.source.original is None:  # made for instances
        return None
    with mesh.opened() as (evaluated, opened), suppress(UnknownOriginError):
        faces = faces_made(evaluated, opened, mesh.source.depsgraph)
        return faces if faces.maps_places else None
    return None
