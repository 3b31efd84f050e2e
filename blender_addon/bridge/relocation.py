# SPDX-License-Identifier: GPL-3.0-or-later
"""Where hits are now: found again by object, instance, triangle and weights.

What cannot be found again has a reason instead, in English.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..model.hit import PickHit
from ..standalone_core import Hit
from ..standalone_core.extension import DegenerateError, IndexRangeError
from .hit_objects import object_of
from .placing import hit_from, placed
from .scene.snapshot import Snapshot

REMOVED = "The object was deleted"
HIDDEN = "The object is not visible"
NO_INSTANCE = "The instance is not visible"
TOPOLOGY = "The topology has changed"
HIDDEN_FACE = "The face is hidden"
SPLIT = "The face is split differently"
FLAT = "The triangle has no area"

_Key = tuple[int | None, int | None, tuple[int, ...] | None]
"""Session UIDs of object and instancer, and the persistent id."""


def places(
    snapshot: Snapshot, hits: Sequence[PickHit], origin: Sequence[float] | None
) -> list[Hit | str]:
    """Where hits are now, in world space, or why that is not known.

    The hits are at the kind of mesh, evaluated or original, that the snapshot holds. Distances are
    measured from the ray's origin, if there is one.
    """
    objects = [object_of(hit) for hit in hits]
    uids = {obj.session_uid for obj in objects if obj is not None}
    identifiers: dict[_Key, int] = {
        (row.uid, row.instancer_uid, row.persistent_id): identifier
        for identifier, row in snapshot.listed.items()
        if row.uid in uids
    }
    found: list[Hit | str] = []
    for hit, obj in zip(hits, objects, strict=True):
        if obj is None:
            found.append(REMOVED)
            continue
        identifier = identifiers.get((obj.session_uid, _instancer_uid(hit), hit.instance))
        if identifier is None:
            found.append(HIDDEN if hit.instancer is None else NO_INSTANCE)
        else:
            found.append(_place(snapshot, identifier, hit, origin))
    return found


def _instancer_uid(hit: PickHit) -> int | None:
    """The session UID of a hit's instancer, by its name where a file has not kept it."""
    if hit.instancer_uid is not None or hit.instancer is None:
        return hit.instancer_uid
    instancer = bpy.data.objects.get(hit.instancer)
    return None if instancer is None else instancer.session_uid


def _place(
    snapshot: Snapshot, identifier: int, hit: PickHit, origin: Sequence[float] | None
) -> Hit | str:
    mesh = snapshot.listed[identifier].mesh
    if hit.mesh_size not in (None, mesh.size):
        return TOPOLOGY
    try:
        triangles = mesh.split_face(hit.face)
    except IndexRangeError:
        return HIDDEN_FACE if hit.mesh_size == mesh.size else TOPOLOGY
    vertices = triangles.vertices.tolist()
    if {*triangles.vertices.ravel().tolist()} != {*hit.face_vertices}:
        return TOPOLOGY
    # Normals may have been flipped: the vertices are the same in another order.
    same = [part for part, each in enumerate(vertices) if {*each} == {*hit.vertices}]
    if not same:
        return SPLIT
    order = [hit.vertices.index(vertex) for vertex in vertices[same[0]]]
    weights = np.array([hit.barycentric[i] for i in order])
    try:
        there = placed(snapshot, identifier, hit.face, triangles, same[0], weights)
    except DegenerateError:
        return FLAT
    is_flipped = order in ([0, 2, 1], [1, 0, 2], [2, 1, 0])
    start = there.point if origin is None else np.array(origin)
    return hit_from(start, there, behind=hit.distance < 0.0, front=hit.front != is_flipped)
