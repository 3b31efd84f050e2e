# SPDX-License-Identifier: GPL-3.0-or-later
"""Anchors for new landmarks: at hits, or at the places nearest to points.

An anchor is on the original mesh where the modifiers allow, or else on the evaluated one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...model.hit import PickHit, Vector, as_vector
from ...model.landmarks.landmark import Anchor
from ...standalone_core import ClosestPoints, PolygonMesh, RaypickError, Scene, triangle
from ...standalone_core.extension import FloatArray, IntArray, affine_inverse, moved
from ..hit_objects import object_of
from ..mesh.scene_mesh import SceneMesh
from ..mesh.shown_mesh import Size
from ..original.faces import CopyNumbers
from ..placing import HIDDEN, REMOVED, TOPOLOGY
from ..query import asked_again_if_outdated, reading
from ..scene import snapshot
from ..scene.instances import ListedMesh
from ..scene.snapshot import Rule
from .locating import located, original_mesh, row_of, rows_of, visible_row
from .places import FacePlaces, to_original

NO_SURFACE = "The object has no faces"


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor, and where its place is."""

    anchor: Anchor
    point: Vector  # in the local space of the object
    last: Vector  # in the local space of the mesh of `anchor`
    distance: float = 0.0  # in world space, from the point that was put onto the surface


class MeshPlace(NamedTuple):
    """A place on a displayed mesh, as a hit or a script names it.

    If `size` or `vertices` is given and differs from the mesh's, the mesh has changed.
    """

    object: bpy.types.Object
    triangle: int
    barycentric: Vector
    evaluated: bool = True
    instancer: str | None = None
    instance: tuple[int, ...] | None = None
    size: Size | None = None
    vertices: tuple[int, ...] | None = None

    @classmethod
    def of_hit(cls, hit: PickHit) -> MeshPlace:
        """The place of a hit; RaypickError, in English, where its object was removed."""
        obj = object_of(hit)
        if obj is None:
            raise RaypickError(REMOVED)
        place = cls(obj, hit.triangle, hit.barycentric, hit.evaluated, hit.instancer, hit.instance)
        return place._replace(size=hit.mesh_size, vertices=hit.vertices)


class PlaceError(RaypickError):
    """One of many places cannot be used; the message says why, in English."""

    def __init__(self, why: str, number: int) -> None:
        super().__init__(why)
        self.number = number


@asked_again_if_outdated
def anchored_places(context: bpy.types.Context, places: Sequence[MeshPlace]) -> list[Anchored]:
    """The anchors of places; PlaceError where a mesh is hidden or has changed."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, (obj, _, _, *mesh) in enumerate(places):
        groups.setdefault((obj, *mesh[:4]), []).append(number)
    objects = {obj for obj, *_ in groups}
    found: dict[int, Anchored] = {}
    with context.temp_override(area=None), reading():
        shown = {
            each: rows_of(snapshot.of_context(context, None, Rule(evaluated=each)), objects)
            for each in {evaluated for _, evaluated, *_ in groups}
        }
        for (obj, evaluated, instancer, instance, size), numbers in groups.items():
            row = row_of(shown[evaluated][obj], instancer, instance)
            if row is None:
                raise PlaceError(HIDDEN, numbers[0])
            if size not in (None, row.mesh.size):
                raise PlaceError(TOPOLOGY, numbers[0])
            own = [places[number] for number in numbers]
            _check_triangles(row.mesh.polygons, own, numbers)
            triangles = np.array([each.triangle for each in own])
            weights = np.array([each.barycentric for each in own])
            anchored = _anchored(context, obj, row, triangles, weights)
            found.update(zip(numbers, anchored, strict=True))
    return [found[number] for number in range(len(places))]


def _check_triangles(
    mesh: PolygonMesh, places: Sequence[MeshPlace], numbers: Sequence[int]
) -> None:
    triangles = np.array([each.triangle for each in places])
    wrong = (triangles < 0) | (triangles >= mesh.triangle_count)
    if wrong.any():
        raise PlaceError(TOPOLOGY, numbers[int(np.argmax(wrong))])
    vertices = _face_places(mesh, triangles, np.zeros((len(places), 3))).vertices(mesh)
    for number, place, own in zip(numbers, places, vertices.tolist(), strict=True):
        if place.vertices not in (None, tuple(own)):
            raise PlaceError(TOPOLOGY, number)


@asked_again_if_outdated
def anchored_points(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    points: FloatArray,
    evaluated: bool = True,
    instancer: str | None = None,
    instance: tuple[int, ...] | None = None,
    *,
    world: bool = True,
    faces: Sequence[int] | None = None,
) -> list[Anchored]:
    """Anchors at the places of a visible object nearest to points (N, 3), in world or local space.

    In local space, `faces` may limit the search.
    """
    with context.temp_override(area=None), reading():
        row = visible_row(context, obj, evaluated, instancer, instance)
        local = points
        if world:
            local = moved(points, affine_inverse(row.matrix, "the matrix of the object")[:3])
        # A scale of the object changes what is nearest, so the search is in world space.
        near = nearest_places(row, points, world, faces)
        if len(points) and not np.all(near.triangle >= 0):
            raise RaypickError(NO_SURFACE)
        placed = _anchored(context, obj, row, near.triangle, near.barycentric)
        placed_at = moved(np.array([each.point for each in placed]).reshape(-1, 3), row.matrix[:3])
        away = np.linalg.norm(placed_at - moved(local, row.matrix[:3]), axis=1)
        return [
            replace(each, distance=distance)
            for each, distance in zip(placed, away.tolist(), strict=True)
        ]


@asked_again_if_outdated
def same_places(
    context: bpy.types.Context, obj: bpy.types.Object, anchors: Sequence[Anchor | None]
) -> list[Anchored | None]:
    """The same places on another object; None for those whose triangle it does not have."""
    own = [each and replace(each, instancer=None, instance=None, bound=None) for each in anchors]
    with context.temp_override(area=None), reading():
        rows = {each: visible_row(context, obj, each) for each in (False, True)}
        (places,) = located(context, [(obj, own)])
        found: list[Anchored | None] = []
        for anchor, reason, local in zip(own, places.reasons, places.local, strict=True):
            mesh = rows[anchor is not None and anchor.evaluated].mesh
            if anchor is None or reason or anchor.topology != mesh.polygons.topology:
                found.append(None)
                continue
            point = as_vector(local)
            last = point if anchor.evaluated else _interpolated(mesh, FacePlaces.of([anchor]))[0]
            found.append(Anchored(anchor, point, last))
        return found


def _anchored(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    row: ListedMesh,
    triangles: IntArray,
    weights: FloatArray,
) -> list[Anchored]:
    """The anchors of places on a displayed mesh, by triangles (N,) and weights (N, 3)."""
    mesh = row.mesh
    places = _face_places(mesh.polygons, triangles, weights)
    here = places.anchors(mesh, {}, triangles.tolist(), row)
    points = _interpolated(mesh, places)
    anchored = [Anchored(anchor, point, point) for anchor, point in zip(here, points, strict=True)]
    original = original_mesh(context, obj) if mesh.source.is_evaluated else None
    if original is None or mesh.source.original is None:
        return anchored
    topology = original.polygons.topology
    numbers: list[int | None] | None = None
    copy_numbers: CopyNumbers = {}
    if topology == mesh.polygons.topology:
        own, known, numbers = places, np.full(len(anchored), True), triangles.tolist()
    else:
        own, copy_numbers, known = to_original(mesh, original, places)
    anchors = own.anchors(original, copy_numbers, numbers, row)
    last = _interpolated(original, own)
    for i, anchor, point in zip(np.flatnonzero(known).tolist(), anchors, last, strict=True):
        anchored[i] = Anchored(anchor, points[i], point)
    for i in np.flatnonzero(~known).tolist():
        anchor = replace(anchored[i].anchor, original_topology=topology)
        anchored[i] = replace(anchored[i], anchor=anchor)
    return anchored


def _face_places(polygons: PolygonMesh, triangles: IntArray, weights: FloatArray) -> FacePlaces:
    """Places by triangles (N,) and the weights (N, 3) of their vertices."""
    faces = polygons.faces_of(triangles)
    firsts, _ = polygons.face_corners(faces)
    corners = polygons.triangle_corners(triangles)
    return FacePlaces(faces, corners - firsts[:, None], weights)


def nearest_places(
    row: ListedMesh, points: FloatArray, in_world: bool, faces: Sequence[int] | None
) -> ClosestPoints:
    """The places of a mesh nearest to points, in world space or in its local space."""
    if not in_world:
        polygons = row.mesh.polygons
        only = None if faces is None else polygons.triangles_of(faces)
        return polygons.closest_point(points, only=only)
    scene = Scene()
    scene.add(row.mesh.polygons, row.matrix)
    return scene.closest_point(points)


def _interpolated(mesh: SceneMesh, places: FacePlaces) -> list[Vector]:
    """The positions of places on a mesh, in its local space."""
    corners = mesh.polygons.positions(places.vertices(mesh.polygons))
    return [as_vector(row) for row in triangle.interpolate(corners, places.weights).tolist()]
