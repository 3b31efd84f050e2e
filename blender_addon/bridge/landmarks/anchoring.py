# SPDX-License-Identifier: GPL-3.0-or-later
"""From a hit, or a point near the surface, to an anchor: original where the modifiers allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...model.hit import PickHit, Vector
from ...model.landmarks.landmark import Anchor
from ...model.record import vector
from ...settings import present
from ...standalone_core import ClosestPoints, PolygonMesh, RaypickError, Scene, triangle
from ...standalone_core.extension import FloatArray, IntArray, affine_inverse, moved
from ..hit_objects import object_of
from ..mesh.scene_mesh import SceneMesh, Size
from ..original.faces import Copied
from ..placing import HIDDEN, REMOVED, TOPOLOGY
from ..query import asked_again_if_outdated, reading
from ..scene import snapshot
from ..scene.instances import ListedMesh
from ..scene.snapshot import Rule
from .locating import located, original_mesh, rows_of
from .places import FacePlaces, are_split, on_original, on_whole_faces

NO_SURFACE = "The object has no faces"


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor, and where its place is."""

    anchor: Anchor
    point: Vector  # in the local space of the object
    last: Vector  # in the local space of the mesh of `anchor`
    distance: float = 0.0  # in world space, from the point that was put onto the surface


class Given(NamedTuple):
    """A place on a mesh that is shown, as a hit or a script names it."""

    object: bpy.types.Object
    triangle: int
    barycentric: Vector
    evaluated: bool = True
    instancer: str | None = None
    instance: tuple[int, ...] | None = None
    size: Size | None = None
    """The mesh's size and the triangle's vertices, if known: where they differ, it has changed."""
    vertices: tuple[int, ...] | None = None

    @classmethod
    def of_hit(cls, hit: PickHit) -> Given:
        """The place of a hit; RaypickError, in English, where its object was removed."""
        obj = object_of(hit)
        if obj is None:
            raise RaypickError(REMOVED)
        return cls(
            *(obj, hit.triangle, hit.barycentric, hit.evaluated, hit.instancer, hit.instance),
            *(hit.mesh_size, hit.vertices),
        )


class PlaceError(RaypickError):
    """One of many places that cannot be used; the message says why, in English."""

    def __init__(self, why: str, number: int) -> None:
        super().__init__(why)
        self.number = number


@asked_again_if_outdated
def anchored_places(context: bpy.types.Context, places: Sequence[Given]) -> list[Anchored]:
    """The anchors of places; PlaceError where the mesh of one is hidden, or another by now."""
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
            row = shown[evaluated][obj].find(instancer, instance)
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


def _check_triangles(mesh: PolygonMesh, places: Sequence[Given], numbers: Sequence[int]) -> None:
    """PlaceError where a mesh does not have the triangle of a place."""
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
    *,
    world: bool = True,
    evaluated: bool = True,
    instancer: str | None = None,
    instance: tuple[int, ...] | None = None,
    faces: Sequence[int] | None = None,
) -> list[Anchored]:
    """The nearest places of a visible object to points (N, 3) of world space, or of local space.

    In local space it may be the nearest places on some faces.
    """
    with context.temp_override(area=None), reading():
        row = visible_row(context, obj, evaluated, instancer, instance)
        local = (
            moved(points, affine_inverse(row.matrix, "the matrix of the object")[:3])
            if world
            else points
        )
        # The surface as it stands in the world: a scale of its own changes what is nearest.
        near = nearest_places(row, points, world, faces)
        if len(points) and not np.all(near.triangle >= 0):
            raise RaypickError(NO_SURFACE)
        placed = _anchored(context, obj, row, near.triangle, near.barycentric)
        ways = moved(np.array([each.point for each in placed]).reshape(-1, 3), row.matrix[:3])
        away = np.linalg.norm(ways - moved(local, row.matrix[:3]), axis=1)
        return [
            replace(each, distance=distance)
            for each, distance in zip(placed, away.tolist(), strict=True)
        ]


def same_place(
    context: bpy.types.Context, obj: bpy.types.Object, anchor: Anchor
) -> Anchored | None:
    """The place of the same triangle on another object of the same topology; None for another."""
    return same_places(context, obj, [anchor])[0]


@asked_again_if_outdated
def same_places(
    context: bpy.types.Context, obj: bpy.types.Object, anchors: Sequence[Anchor | None]
) -> list[Anchored | None]:
    """The places of the same triangles on another object; None where that has no such place."""
    own = [each and replace(each, instancer=None, instance=None, bound=None) for each in anchors]
    with context.temp_override(area=None), reading():
        rows = {each: visible_row(context, obj, each, None, None) for each in (False, True)}
        (places,) = located(context, [(obj, own)])
        found: list[Anchored | None] = []
        for anchor, reason, local in zip(own, places.reasons, places.local, strict=True):
            mesh = rows[anchor is not None and anchor.evaluated].mesh
            if anchor is None or reason or anchor.topology != mesh.polygons.topology:
                found.append(None)
                continue
            point = present(vector(local.tolist()))
            last = point if anchor.evaluated else _interpolated(mesh, FacePlaces.of([anchor]))[0]
            found.append(Anchored(anchor, point, last))
        return found


def visible_row(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    evaluated: bool,
    instancer: str | None,
    instance: tuple[int, ...] | None,
) -> ListedMesh:
    """The visible mesh of an object or instance; RaypickError if there is none."""
    shown = snapshot.of_context(context, None, Rule(evaluated=evaluated))
    row = rows_of(shown, [obj])[obj].find(instancer, instance)
    if row is None:
        raise RaypickError(HIDDEN)
    return row


def _anchored(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    row: ListedMesh,
    triangles: IntArray,
    weights: FloatArray,
) -> list[Anchored]:
    """The anchors of places on a mesh that is shown, by triangles (N,) and weights (N, 3)."""
    mesh = row.mesh
    places = _face_places(mesh.polygons, triangles, weights)
    here = _anchors(mesh, places, row, triangles.tolist(), {})
    points = _interpolated(mesh, places)
    anchored = [Anchored(anchor, point, point) for anchor, point in zip(here, points, strict=True)]
    original = original_mesh(context, obj) if mesh.source.is_evaluated else None
    if original is None or mesh.source.original is None:
        return anchored
    topology = original.polygons.topology
    if topology == mesh.polygons.topology:
        numbers: list[int | None] = triangles.tolist()
        own, known = places, np.full(len(anchored), True)
        copied: Copied = {}
    elif are_split(mesh, original):
        (own, known), copied = on_whole_faces(mesh, original, places), {}
        numbers = [None] * len(own.faces)
    else:
        own, copied, known = on_original(mesh, original, places, context.scene)
        numbers = [None] * len(own.faces)
    anchors = _anchors(original, own, row, numbers, copied)
    rests = _interpolated(original, own)
    for i, anchor, rest in zip(np.flatnonzero(known).tolist(), anchors, rests, strict=True):
        anchored[i] = Anchored(anchor, points[i], rest)
    for i in np.flatnonzero(~known).tolist():
        anchor = replace(anchored[i].anchor, original_topology=topology)
        anchored[i] = replace(anchored[i], anchor=anchor)
    return anchored


def _anchors(
    mesh: SceneMesh,
    places: FacePlaces,
    row: ListedMesh,
    triangles: Sequence[int | None],
    copied: Copied,
) -> list[Anchor]:
    """The anchors of places on a mesh, for the object or the instance of a row."""
    vertices = places.vertices(mesh.polygons)
    numbers = {name: copies.tolist() for name, copies in copied.items()}
    topology, instance = mesh.polygons.topology, row.persistent_id
    parts = zip(*(part.tolist() for part in (*places, vertices)), triangles, strict=True)
    return [
        Anchor(
            face=face,
            corners=tuple(corners),
            vertices=tuple(own),
            barycentric=present(vector(weights)),
            topology=topology,
            evaluated=mesh.source.is_evaluated,
            triangle=triangle,
            instancer=row.instancer,
            instance=instance,
            copies=tuple((name, each[i]) for name, each in numbers.items() if each[i]),
        )
        for i, (face, corners, weights, own, triangle) in enumerate(parts)
    ]


def _face_places(polygons: PolygonMesh, triangles: IntArray, weights: FloatArray) -> FacePlaces:
    """Places by triangles (N,) and the weights (N, 3) of their vertices."""
    faces = polygons.faces_of(triangles)
    firsts, sizes = polygons.face_corners(faces)
    corners = polygons.split_face_many(faces)
    within = triangles - (firsts - 2 * faces)  # of the triangles of the face
    starts = np.cumsum(sizes - 2) - (sizes - 2)
    return FacePlaces(faces, corners[starts + within] - firsts[:, None], weights)


def nearest_places(
    row: ListedMesh, points: FloatArray, in_world: bool, faces: Sequence[int] | None
) -> ClosestPoints:
    """The nearest places of a mesh as it stands in world space, or in its local space."""
    if not in_world:
        polygons = row.mesh.polygons
        only = None if faces is None else polygons.triangles_of(faces)
        return polygons.closest_point(points, only=only)
    scene = Scene()
    scene.add(row.mesh.polygons, row.matrix)
    return scene.closest_point(points)


def _interpolated(mesh: SceneMesh, places: FacePlaces) -> list[Vector]:
    """Where places on a mesh are, in its local space."""
    corners = mesh.polygons.positions(places.vertices(mesh.polygons))
    return [present(vector(row)) for row in triangle.interpolate(corners, places.weights).tolist()]
