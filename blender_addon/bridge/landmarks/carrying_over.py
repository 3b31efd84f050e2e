# SPDX-License-Identifier: GPL-3.0-or-later
"""New anchors by closest point, where the topology has changed; and landmarks of another object."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

import bpy
import numpy as np

from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Anchor, Landmark, missing
from ...model.landmarks.landmark_set import LandmarkSet
from ...present import present
from ...standalone_core import RaypickError
from ...standalone_core.extension import BoolArray
from ..reading import asked_again_if_outdated, reading
from ..relocation import TOPOLOGY
from . import bound_faces, storage
from .anchoring import Anchored, anchored_points, same_places
from .binding import bind, unbound, why_not_bindable
from .carrying import MODIFIERS
from .editing import landmark_at, new_set
from .locating import Located, original_mesh
from .rest import last_known, located_landmarks

LOST = frozenset({TOPOLOGY, MODIFIERS, bound_faces.GONE, bound_faces.DIVIDED, bound_faces.CHANGED})
"""The reasons for which landmarks are carried over."""

NOTHING_KNOWN = "It is not known where the landmarks are"


def carry_over(
    context: bpy.types.Context, obj: bpy.types.Object, ids: Collection[str] | None = None
) -> list[tuple[Landmark, float]]:
    """Put landmarks whose topology has changed onto the nearest places of the mesh as it is.

    Of some ids, or all. What is nearest is looked for from the last known shape, in the space of
    the mesh: on the original one without modifiers and shape keys, so that no pose matters. Return
    the landmarks as they are then, with the distance that each moved, in world space. Where a bound
    face was divided, only its parts count. RaypickError, in English, where there is no surface.
    """
    document = storage.read(obj)
    chosen = [each for each in document.landmarks if ids is None or each.id in ids]
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
    new = {key: unbound(each) for key, (each, _) in changed.items()}
    storage.write(obj, document.changed(lambda each: new.get(each.id, each)))
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
    """Copy landmarks of some ids, or all, to another object, in new sets of the same names.

    Where the topology is the same, places have the same faces and weights, and the distance None;
    others are the nearest ones in world space, with the distance there. `by` insists on one of
    the two. Return the names with the distances. Where a nearest place is wanted of landmarks that
    are not known to be anywhere, they are missing there; RaypickError, in English, if all are.
    """
    document = storage.read(obj)
    chosen = [each for each in document.landmarks if ids is None or each.id in ids]
    (places,) = located_landmarks(context, [(obj, chosen)])
    exact: Sequence[Anchored | None] = [None] * len(chosen)
    if by != "closest":
        exact = same_places(context, target, places.anchors)
    pairs = zip(chosen, exact, strict=True)
    if by == "topology" and any(each.anchor and not place for each, place in pairs):
        raise RaypickError("The target has another topology")
    found = {
        each.id: (place, None) for each, place in zip(chosen, exact, strict=True) if place
    } | _closest(context, target, chosen, places, exact)
    if chosen and not found:
        raise RaypickError(NOTHING_KNOWN)
    into, names, ids = storage.read(target), [], {each.id for each in chosen}
    for of in document.sets:
        added = [each for each in of.landmarks if each.id in ids]
        if any(each.id in found for each in added):
            into = into.with_set(_copied(into, of, added, found))
            names += [(each.name, found[each.id][1]) for each in added if each.id in found]
    if names:
        storage.write(target, into)
    return names


_Found = dict[str, tuple[Anchored, float | None]]
"""Places on a target by the ids of landmarks, with the distances there."""


def _closest(
    context: bpy.types.Context,
    target: bpy.types.Object,
    landmarks: Sequence[Landmark],
    places: Located,
    exact: Sequence[Anchored | None],
) -> _Found:
    """The nearest places of those that are not there exactly."""
    known: BoolArray = np.asarray(np.isfinite(places.points).all(axis=1))
    rows = [i for i, place in enumerate(exact) if place is None and known[i]]
    if not rows:
        return {}
    nearest = anchored_points(context, target, places.points[rows])
    return {
        landmarks[i].id: (place, place.distance) for i, place in zip(rows, nearest, strict=True)
    }


def _copied(
    into: Document, of: LandmarkSet, landmarks: Sequence[Landmark], found: _Found
) -> LandmarkSet:
    """A set like another, with landmarks at the places that were found, and missing elsewhere."""
    rows = []
    for each in landmarks:
        place, distance = found.get(each.id, (None, None))
        row = landmark_at(place, each.name, distance) if place else missing(each.name)
        rows.append(replace(row, color=each.color, description=each.description))
    copy = replace(new_set(into, of.name), color=of.color, asks=of.asks, landmarks=tuple(rows))
    return replace(copy, active=len(rows) - 1)


def _nearest(
    context: bpy.types.Context, obj: bpy.types.Object, landmarks: Sequence[Landmark]
) -> list[Anchored]:
    """The nearest places to where landmarks were last known, each on the same kind of mesh."""
    found: dict[str, Anchored] = {}
    groups: dict[tuple[object, ...], tuple[list[int] | None, list[Landmark]]] = {}
    for landmark, faces in zip(landmarks, _parts(context, obj, landmarks), strict=True):
        anchor = present(landmark.anchor)
        key = (anchor.evaluated, anchor.instancer, anchor.instance, tuple(faces))
        groups.setdefault(key, (faces or None, []))[1].append(landmark)
    for parts, group in groups.values():
        anchor = present(group[0].anchor)
        places = anchored_points(
            context,
            obj,
            np.array([present(last_known(obj, each)) for each in group]),
            world=False,
            evaluated=anchor.evaluated,
            instancer=anchor.instancer,
            instance=anchor.instance,
            faces=parts,
        )
        for each, place in zip(group, places, strict=True):
            found[each.id] = replace(place, anchor=_on_the_same(place.anchor, present(each.anchor)))
    return [found[each.id] for each in landmarks]


def _on_the_same(anchor: Anchor, before: Anchor) -> Anchor:
    """An anchor for the instance and the copies of faces that another is for."""
    if before.evaluated:
        return anchor
    return replace(
        anchor, instancer=before.instancer, instance=before.instance, copies=before.copies
    )


@asked_again_if_outdated
def _parts(
    context: bpy.types.Context, obj: bpy.types.Object, landmarks: Sequence[Landmark]
) -> list[list[int]]:
    """The faces that the face of each landmark was divided into; none where it was not bound."""
    if all(each.bound is None for each in landmarks):
        return [[] for _ in landmarks]
    with context.temp_override(area=None), reading():
        original = original_mesh(context, obj)
        if original is None:
            return [[] for _ in landmarks]
        return bound_faces.faces_of(original, [present(each.anchor) for each in landmarks])
