# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks and edits of the topology: carried over, transferred to other objects, bound to faces.

The last known positions of landmarks are kept, so that they can be carried over once the topology
has changed. On the original mesh they ignore modifiers and shape keys, so that no pose moves them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import bpy
import numpy as np

from ...model.hit import Vector, as_vector
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Anchor, Landmark, missing
from ...model.landmarks.landmark_set import LandmarkSet
from ...settings import present
from ...standalone_core import RaypickError, triangle
from ...standalone_core.extension import BoolArray, FloatArray
from ..mesh import arrays
from ..mesh.evaluation import has_dynamic_topology
from ..mesh.scene_mesh import SceneMesh
from ..placing import HIDDEN, TOPOLOGY
from ..query import asked_again_if_outdated, reading
from . import face_numbers, named_objects, storage
from .anchoring import Anchored, anchored_points, same_places
from .editing import landmark_at, new_set
from .locating import MISSING, Located, located, original_mesh
from .places import MODIFIERS

LOST = frozenset(
    {TOPOLOGY, MODIFIERS, face_numbers.GONE, face_numbers.DIVIDED, face_numbers.CHANGED}
)
"""The reasons for which landmarks are carried over."""

NOTHING_KNOWN = "It is not known where the landmarks are"
LINKED_MESH = "The mesh is linked from a library"
NOT_OWN = "Modifiers make the face: it is none of the object's own mesh"
DYNAMIC = "Dynamic topology keeps no faces"

_known: dict[tuple[int, str], Vector] = {}
"""The last known places, by the session UID of the object and the id of the landmark."""

_Found = dict[str, tuple[Anchored, float | None]]
"""Places on a target and the distances to them, by the ids of landmarks."""


def carry_over(
    context: bpy.types.Context, obj: bpy.types.Object, ids: Collection[str] | None = None
) -> list[tuple[Landmark, float]]:
    """Move landmarks to the nearest places of the mesh as it is, where the topology has changed.

    Landmarks with some ids, or all, move from their last known positions in the space of the mesh.
    On the original mesh these ignore modifiers and shape keys, so that the pose does not matter. A
    landmark whose bound face was divided goes onto one of the parts. Return the changed landmarks,
    and how far each moved in world space. RaypickError if there is no surface.
    """
    document = storage.read(obj)
    chosen = _chosen(document, ids)
    (places,) = located_landmarks(context, [(obj, chosen)])
    changed: dict[str, tuple[Landmark, float]] = {}
    lost = []
    for landmark, anchor, reason in zip(chosen, places.anchors, places.reasons, strict=True):
        if reason in LOST:
            lost.append(landmark)
        elif anchor != landmark.anchor:  # a bound face that was found again
            changed[landmark.id] = replace(landmark, anchor=anchor, moved=0.0), 0.0
    for landmark, place in zip(lost, _nearest(context, obj, lost), strict=True):
        anchor = replace(place.anchor, bound=landmark.bound)
        moved = replace(landmark, anchor=anchor, last=place.last, moved=place.distance)
        changed[landmark.id] = moved, place.distance
    if not changed:
        return []
    bound = {key for key, (each, _) in changed.items() if each.bound is not None}
    storage.write(obj, document.with_landmarks(unbound(each) for each, _ in changed.values()))
    if bound and why_not_bindable(obj) is None:
        bind(context, obj, bound)
    now = {each.id: each for each in storage.read(obj).landmarks}
    return [(now[key], distance) for key, (_, distance) in changed.items()]


def transfer(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    target: bpy.types.Object,
    ids: Collection[str] | None = None,
    by: Literal["topology", "closest"] | None = None,
) -> list[tuple[str, float | None]]:
    """Copy landmarks with some ids, or all, to another object, in new sets of the same names.

    With the same topology, copies keep faces and weights. Otherwise they go to the nearest places
    in world space; a landmark whose place is not known is missing on the target. `by` insists on
    one of these ways. Return the names, each with the distance to the nearest place, or None if the
    face was kept. RaypickError if no place is known.
    """
    document = storage.read(obj)
    chosen = _chosen(document, ids)
    (places,) = located_landmarks(context, [(obj, chosen)])
    exact: Sequence[Anchored | None] = [None] * len(chosen)
    if by != "closest":
        exact = same_places(context, target, places.anchors)
    pairs = zip(chosen, exact, strict=True)
    found: _Found = {each.id: (place, None) for each, place in pairs if place}
    if by == "topology" and any(each.anchor and each.id not in found for each in chosen):
        raise RaypickError("The target has another topology")
    known: BoolArray = np.asarray(np.isfinite(places.points).all(axis=1))
    rows = [i for i, each in enumerate(chosen) if known[i] and each.id not in found]
    if rows:
        nearest = anchored_points(context, target, places.points[rows])
        found |= {chosen[i].id: (at, at.distance) for i, at in zip(rows, nearest, strict=True)}
    if chosen and not found:
        raise RaypickError(NOTHING_KNOWN)
    into, names, ids = storage.read(target), [], {each.id for each in chosen}
    for group in document.sets:
        added = [each for each in group.landmarks if each.id in ids]
        if any(each.id in found for each in added):
            into = into.with_set(_copied(into, group, added, found))
            names += [(each.name, found[each.id][1]) for each in added if each.id in found]
    if names:
        storage.write(target, into)
    return names


def _copied(
    into: Document, group: LandmarkSet, landmarks: Sequence[Landmark], found: _Found
) -> LandmarkSet:
    """A copy of a set, with landmarks at the found places; others are missing."""
    rows = []
    for each in landmarks:
        place, distance = found.get(each.id, (None, None))
        row = landmark_at(place, each.name, distance) if place else missing(each.name)
        rows.append(replace(row, color=each.color, description=each.description))
    copy = replace(new_set(into, group.name), color=group.color, asks=group.asks)
    return replace(copy, landmarks=tuple(rows), active=len(rows) - 1)


def _nearest(
    context: bpy.types.Context, obj: bpy.types.Object, landmarks: Sequence[Landmark]
) -> list[Anchored]:
    """The places nearest to landmarks' last known positions, each on the mesh of its anchor."""
    found: dict[str, Anchored] = {}
    groups: dict[tuple[Any, ...], list[Landmark]] = {}
    for landmark, faces in zip(landmarks, _parts(context, obj, landmarks), strict=True):
        anchor = present(landmark.anchor)
        key = (tuple(faces), anchor.evaluated, anchor.instancer, anchor.instance)
        groups.setdefault(key, []).append(landmark)
    for (parts, evaluated, instancer, instance), group in groups.items():
        points = np.array([present(last_known(obj, each)) for each in group])
        places = anchored_points(
            context, obj, points, evaluated, instancer, instance, world=False, faces=parts or None
        )
        for each, place in zip(group, places, strict=True):
            now, was = place.anchor, present(each.anchor)
            if not was.evaluated:  # it stays on the same instance and copies of faces
                now = replace(
                    now, instancer=was.instancer, instance=was.instance, copies=was.copies
                )
            found[each.id] = replace(place, anchor=now)
    return [found[each.id] for each in landmarks]


@asked_again_if_outdated
def _parts(
    context: bpy.types.Context, obj: bpy.types.Object, landmarks: Sequence[Landmark]
) -> list[list[int]]:
    """The faces that each landmark's bound face was divided into; none if it was not bound."""
    if all(each.bound is None for each in landmarks):
        return [[] for _ in landmarks]
    with context.temp_override(area=None), reading():
        faces = face_numbers.numbered(original_mesh(context, obj))[0]
        return [faces.get(each.bound or 0, []) for each in landmarks]


def why_not_bindable(obj: bpy.types.Object) -> str | None:
    """Why landmarks of an object cannot be bound, in English; None where they may be."""
    if not isinstance(obj.data, bpy.types.Mesh):
        return NOT_OWN
    if obj.data.library is not None:
        return LINKED_MESH
    if has_dynamic_topology(obj):
        return DYNAMIC
    return storage.why_not_editable(obj)


@asked_again_if_outdated
def bind(
    context: bpy.types.Context, obj: bpy.types.Object, ids: Collection[str] | None = None
) -> int:
    """Bind landmarks with some ids, or all, to their faces; return how many are bound.

    Landmarks not on the object's own mesh stay as they are; RaypickError if there are no others.
    """
    why = why_not_bindable(obj)
    if why is not None:
        raise RaypickError(why)
    with context.temp_override(area=None), reading():
        return _bind(context, obj, ids)


def _bind(context: bpy.types.Context, obj: bpy.types.Object, ids: Collection[str] | None) -> int:
    mesh: Any = obj.data
    original = original_mesh(context, obj)
    if original is None:
        raise RaypickError(HIDDEN)
    if ids is not None and not ids:
        return 0
    document = storage.read(obj)
    # Landmarks that are bound already are included: their faces may get other numbers.
    every = document.landmarks
    wanted = [each for each in every if ids is None or each.id in ids or each.bound is not None]
    chosen = [each for each in wanted if each.anchor is not None]
    (places,) = located(context, [(obj, [each.anchor for each in chosen])])
    topology = original.polygons.topology
    pairs = [
        (landmark, anchor)
        for landmark, anchor in zip(chosen, places.anchors, strict=True)
        if anchor and not anchor.evaluated and anchor.topology == topology
    ]
    if wanted and not chosen:
        raise RaypickError(MISSING)
    if not pairs:
        own = not chosen or not all(each.anchor and each.anchor.evaluated for each in chosen)
        raise RaypickError(TOPOLOGY if own else NOT_OWN)
    faces = sorted({anchor.face for _, anchor in pairs})
    numbers = _numbered(mesh, original, faces, storage.bound_numbers(mesh))
    bound = [(each, replace(anchor, bound=numbers[anchor.face])) for each, anchor in pairs]
    changed = document.with_landmarks(replace(each, anchor=anchor) for each, anchor in bound)
    storage.write(obj, changed)
    return len(pairs)


def unbind(obj: bpy.types.Object, ids: Collection[str] | None = None) -> int:
    """Unbind landmarks with some ids, or all; return how many were bound."""
    document = storage.read(obj)
    bound = [each for each in _chosen(document, ids) if each.bound is not None]
    if bound:
        storage.write(obj, document.with_landmarks(map(unbound, bound)))
    return len(bound)


def _chosen(document: Document, ids: Collection[str] | None) -> list[Landmark]:
    return [each for each in document.landmarks if ids is None or each.id in ids]


def unbound(landmark: Landmark) -> Landmark:
    """The landmark, bound to no face."""
    anchor = landmark.anchor
    return replace(landmark, anchor=anchor and replace(anchor, bound=None))


def _numbered(
    mesh: bpy.types.Mesh, original: SceneMesh, faces: list[int], taken: set[int]
) -> dict[int, int]:
    """Number faces: each keeps its number where no other face has it."""
    polygons = original.polygons
    firsts, sizes = polygons.face_corners(faces)
    total = polygons.triangle_count + 2 * polygons.face_count
    if int(sizes.max(initial=0)) > face_numbers.MOST_CORNERS:
        raise RaypickError("The face has too many corners")
    held = face_numbers.read_numbers(mesh)
    empty = np.zeros(polygons.face_count, np.int64), np.zeros(total, np.int64)
    numbers, corners = held or empty
    if (len(numbers), len(corners)) != (polygons.face_count, total):
        raise RaypickError(TOPOLOGY)
    used, times = np.unique(numbers, return_counts=True)
    alone = set(used[times == 1].tolist())
    last = max([int(numbers.max(initial=0)), *taken])
    known = {*used.tolist(), *taken}
    free = (n for n in chain(range(last + 1, 1 << 31), range(1, last)) if n not in known)
    given: dict[int, int] = {}
    for face, first, size in zip(faces, firsts.tolist(), sizes.tolist(), strict=True):
        number, values = int(numbers[face]), face_numbers.corner_values(size)
        own = corners[first : first + size]
        # Landmarks bound to a face count the face's corners in the order of these values.
        if number <= 0 or number not in alone or not np.array_equal(own, values):
            number = next(free)
        numbers[face] = given[face] = number
        own[:] = values
    face_numbers.write(mesh, numbers, corners)
    return given


def last_known(obj: bpy.types.Object, landmark: Landmark) -> Vector | None:
    """The last known position of a landmark, in the local space of the mesh of its anchor."""
    if landmark.anchor is None:
        return None
    return _known.get((obj.session_uid, landmark.id)) or landmark.last or landmark.point


def located_landmarks(
    context: bpy.types.Context, wanted: Sequence[tuple[bpy.types.Object, Sequence[Landmark]]]
) -> list[Located]:
    """Where landmarks of original objects are now, which is noted as their last known positions."""
    anchors = [(obj, [each.anchor for each in landmarks]) for obj, landmarks in wanted]
    found = located(context, anchors)
    for (obj, landmarks), places in zip(wanted, found, strict=True):
        last = places.local.copy()
        original = {i: each for i, each in enumerate(places.anchors) if each and not each.evaluated}
        known: BoolArray = np.asarray(np.isfinite(last).all(axis=1))
        if known[[*original]].any():
            last[[*original]] = _on_own_mesh(obj, [*original.values()])
        known &= np.isfinite(last).all(axis=1)
        for i in np.flatnonzero(known).tolist():
            _known[obj.session_uid, landmarks[i].id] = as_vector(last[i])
    return found


def write_last_places() -> None:
    """Write the last known places, and the present names of objects that measures refer to.

    Called as the file is about to be saved. Library overrides that nobody has changed stay as in
    their library.
    """
    for obj in bpy.data.objects:
        if not (storage.has_landmarks(obj) and storage.is_own(obj)):
            continue
        if storage.why_not_editable(obj) is None:
            document = storage.read(obj)
            pairs = [(each, last_known(obj, each)) for each in document.landmarks]
            moved = [replace(each, last=last) for each, last in pairs if last != each.last]
            changed = named_objects.up_to_date(obj, document.with_landmarks(moved))
            if changed != document:
                storage.write(obj, changed)


def forget_last_places() -> None:
    """Forget the last known places, for instance when another file is opened."""
    _known.clear()


def _on_own_mesh(obj: bpy.types.Object, anchors: list[Anchor]) -> FloatArray:
    """Places (N, 3) on an object's own mesh; NaN while it is edited."""
    unknown = np.full((len(anchors), 3), np.nan)
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode:
        return unknown
    vertices = np.array([each.vertices for each in anchors]).reshape(-1, 3)
    weights = np.array([each.barycentric for each in anchors]).reshape(-1, 3)
    if vertices.max(initial=-1) >= len(mesh.vertices):
        return unknown
    return triangle.interpolate(arrays.positions(mesh)[vertices], weights)
