# SPDX-License-Identifier: GPL-3.0-or-later
"""Where hits are now: found again by object, instance, triangle and weights.

What cannot be found again has a reason instead, in English.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ..model.hit import PickHit
from ..standalone_core import Hit
from ..standalone_core.extension import DegenerateError, IndexRangeError
from .hit_objects import object_of
from .placing import placed
from .scene.snapshot import Snapshot

REMOVED = "The object was deleted"
HIDDEN = "The object is not visible"
NO_INSTANCE = "The instance is not visible"
TOPOLOGY = "The topology has changed"
HIDDEN_FACE = "The face is hidden"
SPLIT = "The face is split differently"
FLAT = "The triangle has no area"


def places(
    shown: Snapshot, hits: Sequence[PickHit], origin: Sequence[float] | None
) -> list[Hit | str]:
    """Where hits are now, in world space, or why that is not known.

    Parameters
    ----------
    shown : Snapshot
    hits : sequence of PickHit
        Of the kind of mesh that the snapshot shows.
    origin : sequence of 3 floats, optional
        The ray's origin, in world space: distances are counted from it.
    """
    objects = [object_of(hit) for hit in hits]
    keys = [_key(hit, obj) for hit, obj in zip(hits, objects, strict=True)]
    identifiers = _identifiers(shown, set(keys))
    found: list[Hit | str] = []
    for hit, obj, key in zip(hits, objects, keys, strict=True):
        if obj is None:
            found.append(REMOVED)
        elif key not in identifiers:
            found.append(HIDDEN if hit.instancer is None else NO_INSTANCE)
        else:
            found.append(_place(shown, identifiers[key], hit, origin))
    return found


_Key = tuple[int | None, int | None, tuple[int, ...] | None]
"""Session UIDs of object and instancer, and the persistent id."""


def _key(hit: PickHit, obj: bpy.types.Object | None) -> _Key:
    instancer_uid = hit.instancer_uid
    if instancer_uid is None and hit.instancer is not None:
        instancer = bpy.data.objects.get(hit.instancer)
        instancer_uid = instancer and instancer.session_uid
    return obj and obj.session_uid, instancer_uid, hit.instance


def _identifiers(shown: Snapshot, wanted: set[_Key]) -> dict[_Key, int]:
    """Ids in the scene of the instances that are wanted, where they are shown."""
    uids = {uid for uid, _, _ in wanted}
    found = {}
    for identifier, number in shown.rows.items():
        row = shown.listing.rows[number]
        if row.uid in uids:
            key = row.uid, row.instancer_uid, shown.listing.persistent_id(number)
            if key in wanted:
                found[key] = identifier
    return found


def _place(
    shown: Snapshot, identifier: int, hit: PickHit, origin: Sequence[float] | None
) -> Hit | str:
    mesh = shown.listing.rows[shown.rows[identifier]].mesh
    if hit.mesh_size not in (None, mesh.size):
        return TOPOLOGY
    try:
        first, corners, positions = mesh.split_face(hit.face)
    except IndexRangeError:
        return HIDDEN_FACE if hit.mesh_size == mesh.size else TOPOLOGY
    if set(mesh.face_vertices(corners)) != {*hit.face_vertices}:
        return TOPOLOGY
    triangles = [tuple(mesh.face_vertices(each)) for each in corners]
    part = _same_triangle(triangles, hit)
    if part is None:
        return SPLIT
    order = [hit.vertices.index(vertex) for vertex in triangles[part]]
    weights = np.array([hit.barycentric[i] for i in order])
    try:
        there = placed(shown, identifier, hit.face, first + part, weights, positions[part])
    except DegenerateError:
        return FLAT
    distance = 0.0 if origin is None else float(np.linalg.norm(there.point - origin))
    is_flipped = order in ([0, 2, 1], [1, 0, 2], [2, 1, 0])
    return replace(
        there,
        distance=np.copysign(distance, hit.distance).item(),
        front=hit.front != is_flipped,
    )


def _same_triangle(triangles: Sequence[tuple[int, ...]], hit: PickHit) -> int | None:
    """Which of a face's triangles has the vertices of a hit; normals may have been flipped."""
    for part, vertices in enumerate(triangles):
        if set(vertices) == {*hit.vertices}:
            return part
    return None
