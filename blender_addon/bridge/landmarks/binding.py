# SPDX-License-Identifier: GPL-3.0-or-later
"""Binding landmarks to faces of an object's own mesh: edits elsewhere leave them known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain
from typing import Any

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor, Landmark
from ...standalone_core import RaypickError
from ..mesh.scene_mesh import SceneMesh
from ..reading import asked_again_if_outdated, reading
from ..relocation import HIDDEN, TOPOLOGY
from . import face_numbers, storage
from .locating import MISSING, located, original_mesh

LINKED_MESH = "The mesh is linked from a library"
NOT_OWN = "Modifiers make the face: it is none of the object's own mesh"
DYNAMIC = "Dynamic topology keeps no faces"


def why_not_bindable(obj: bpy.types.Object) -> str | None:
    """Why landmarks of an object cannot be bound, in English; None where they may be."""
    if not isinstance(obj.data, bpy.types.Mesh):
        return NOT_OWN
    if obj.data.library is not None:
        return LINKED_MESH
    if obj.mode == "SCULPT" and obj.use_dynamic_topology_sculpting:
        return DYNAMIC
    return storage.why_not_editable(obj)


@asked_again_if_outdated
def bind(
    context: bpy.types.Context, obj: bpy.types.Object, ids: Collection[str] | None = None
) -> int:
    """Bind landmarks of some ids, or all, to their faces; how many of them are.

    Those that are on no face of the object's own mesh stay as they are; RaypickError, in English,
    where that leaves none.
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
    # Those that are bound already are brought up to date: their faces may get other numbers.
    every = document.landmarks
    wanted = [each for each in every if ids is None or each.id in ids or each.bound is not None]
    chosen = [each for each in wanted if each.anchor is not None]
    (places,) = located(context, [(obj, [each.anchor for each in chosen])])
    topology = original.polygons.topology
    anchors: dict[str, Anchor] = {
        landmark.id: anchor
        for landmark, anchor in zip(chosen, places.anchors, strict=True)
        if anchor and not anchor.evaluated and anchor.topology == topology
    }
    if wanted and not chosen:
        raise RaypickError(MISSING)
    if not anchors:
        own = not chosen or not all(each.anchor and each.anchor.evaluated for each in chosen)
        raise RaypickError(TOPOLOGY if own else NOT_OWN)
    faces = sorted({each.face for each in anchors.values()})
    numbers = _numbered(mesh, original, faces, storage.bound_numbers(mesh))

    def bound(landmark: Landmark) -> Landmark:
        anchor = anchors.get(landmark.id)
        if anchor is None:
            return landmark
        return replace(landmark, anchor=replace(anchor, bound=numbers[anchor.face]))

    storage.write(obj, document.changed(bound))
    return len(anchors)


def unbind(obj: bpy.types.Object, ids: Collection[str] | None = None) -> int:
    """Unbind landmarks of some ids, or all; how many were bound."""
    document = storage.read(obj)
    chosen = {
        each.id
        for each in document.landmarks
        if each.bound is not None and (ids is None or each.id in ids)
    }
    if chosen:
        storage.write(
            obj, document.changed(lambda each: unbound(each) if each.id in chosen else each)
        )
    return len(chosen)


def unbound(landmark: Landmark) -> Landmark:
    """A landmark that is bound to no face."""
    anchor = landmark.anchor
    return replace(landmark, anchor=anchor and replace(anchor, bound=None))


def _numbered(
    mesh: bpy.types.Mesh, original: SceneMesh, faces: list[int], taken: set[int]
) -> dict[int, int]:
    """The numbers that faces have from now on: their own, where nothing else has them."""
    polygons = original.polygons
    firsts, sizes = polygons.face_corners(faces)
    total = polygons.triangle_count + 2 * polygons.face_count
    if int(sizes.max(initial=0)) > face_numbers.MOST_CORNERS:
        raise RaypickError("The face has too many corners")
    held = face_numbers.read(mesh)
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
        # What is bound to a face counts its corners as these values do.
        if number <= 0 or number not in alone or not np.array_equal(own, values):
            number = next(free)
        numbers[face] = given[face] = number
        own[:] = values
    face_numbers.write(mesh, numbers, corners)
    return given
