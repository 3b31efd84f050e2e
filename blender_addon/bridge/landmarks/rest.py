# SPDX-License-Identifier: GPL-3.0-or-later
"""Where landmarks were last known, to carry them over once the topology has changed.

On the original mesh that is a place without modifiers and shape keys, which no pose moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...model.hit import Vector
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Anchor, Landmark
from ...model.record import vector
from ...present import present
from ...standalone_core import triangle
from ...standalone_core.extension import BoolArray, FloatArray
from ..mesh import arrays
from . import named_objects, storage
from .locating import Located, located

_known: dict[tuple[int, str], Vector] = {}
"""By the session UID of the object and the id of the landmark."""


def last_known(obj: bpy.types.Object, landmark: Landmark) -> Vector | None:
    """Where a landmark was last known, in the local space of the mesh of its anchor."""
    if landmark.anchor is None:
        return None
    return _known.get((obj.session_uid, landmark.id)) or landmark.last or landmark.point


def located_landmarks(
    context: bpy.types.Context, wanted: Sequence[tuple[bpy.types.Object, Sequence[Landmark]]]
) -> list[Located]:
    """Where landmarks of original objects are now, which is noted."""
    anchors = [(obj, [each.anchor for each in landmarks]) for obj, landmarks in wanted]
    found = located(context, anchors)
    for (obj, landmarks), places in zip(wanted, found, strict=True):
        note(obj, landmarks, places)
    return found


def note(obj: bpy.types.Object, landmarks: Iterable[Landmark], places: Located) -> None:
    """Note where landmarks are, as far as that is known."""
    rows = [*landmarks]
    last = places.local.copy()
    original = {i: each for i, each in enumerate(places.anchors) if each and not each.evaluated}
    known: BoolArray = np.asarray(np.isfinite(last).all(axis=1))
    if known[[*original]].any():
        last[[*original]] = _rest(obj, [*original.values()])
    known &= np.isfinite(last).all(axis=1)
    for i in np.flatnonzero(known).tolist():
        _known[obj.session_uid, rows[i].id] = present(vector(last[i].tolist()))


def with_last_known(obj: bpy.types.Object, document: Document) -> Document:
    """The document with the places that were last known, to be saved."""

    def changed(landmark: Landmark) -> Landmark:
        last = last_known(obj, landmark)
        return landmark if last == landmark.last else replace(landmark, last=last)

    return document.changed(changed)


def write_all() -> None:
    """Write places last known, and names, of all objects: the file is about to be saved.

    Library overrides that nobody has changed stay as their library has them.
    """
    for obj in bpy.data.objects:
        if not (storage.has_landmarks(obj) and storage.is_own(obj)):
            continue
        if storage.why_not_editable(obj) is None:
            document = storage.read(obj)
            changed = named_objects.up_to_date(obj, with_last_known(obj, document))
            if changed != document:
                storage.write(obj, changed)


def forget() -> None:
    """Forget all: another file is loaded."""
    _known.clear()


def _rest(obj: bpy.types.Object, anchors: list[Anchor]) -> FloatArray:
    """Places (N, 3) on an object's own mesh; of one that is being edited, as before that."""
    unknown = np.full((len(anchors), 3), np.nan)
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode:
        return unknown
    vertices = np.array([each.vertices for each in anchors]).reshape(-1, 3)
    weights = np.array([each.barycentric for each in anchors]).reshape(-1, 3)
    if vertices.max(initial=-1) >= len(mesh.vertices):
        return unknown
    return triangle.interpolate(arrays.positions(mesh)[vertices], weights)
