# SPDX-License-Identifier: GPL-3.0-or-later
"""An empty for each landmark, which follows it.

An empty knows its landmark by custom properties. Whoever has it follow by the extension looks
there; keyframes, and nodes with a vertex as parent, do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Vector

from ...model.landmarks.landmark import Anchor, Landmark
from ...standalone_core.extension import FloatArray
from ..custom_properties import held, text
from . import storage
from .evaluated import evaluated_places

OBJECT = "raypick_object"
LANDMARK = "raypick_landmark"
FOLLOWS = "raypick_follows"
TURNS = "raypick_turns"
CARRIES = "raypick_carries"  # on the object whose vertices are parents of empties

_followers: tuple[int, list[str]] | None = None
"""How many objects there were, and the names of those among them that follow."""


def add(
    context: bpy.types.Context, obj: bpy.types.Object, landmarks: Sequence[Landmark]
) -> tuple[bpy.types.Collection, list[bpy.types.Object]]:
    """The empties of landmarks, in a collection, where nothing has them follow yet.

    A landmark that has one keeps it.
    """
    collection = _collection(context, f"{obj.name} Landmarks")
    known = {
        id: each
        for each in cast(Any, context.scene).objects
        if each.type == "EMPTY"
        and (id := text(each, LANDMARK)) is not None
        and held(each, OBJECT) == obj
    }
    size = 0.02 * max(obj.dimensions[:]) or 0.1
    empties = []
    for landmark in landmarks:
        empty = known.get(landmark.id)
        if empty is None or empty.library is not None:
            empty = bpy.data.objects.new(f"{obj.name} {landmark.name}", None)
            empty.empty_display_type = "ARROWS"
            empty.empty_display_size = size
            collection.objects.link(empty)
        _release(empty)
        empty[OBJECT], empty[LANDMARK] = obj, landmark.id
        empties.append(empty)
    return collection, empties


def have_follow(empty: bpy.types.Object, turning: bool) -> None:
    """Have an empty follow its landmark by the extension."""
    global _followers
    properties = cast(Any, empty)
    properties[FOLLOWS], properties[TURNS] = True, turning
    _followers = None


def follow(depsgraph: bpy.types.Depsgraph) -> bool:
    """Have all empties that follow be at their landmarks; return whether any has moved.

    Those whose landmark is nowhere stay where they are.
    """
    is_moved = False
    for obj, pairs in _by_object():
        places = evaluated_places(depsgraph, obj, [anchor for _, anchor in pairs])
        for (empty, _), point, normal in zip(pairs, places.points, places.normals, strict=True):
            if np.isfinite(point).all():
                is_moved |= put(empty, point, normal if held(empty, TURNS) else None, depsgraph)
    return is_moved


def put(
    empty: bpy.types.Object,
    point: FloatArray,
    normal: FloatArray | None,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> bool:
    """Put an empty at a point (3,) of world space, and perhaps its Z axis along a normal (3,).

    Return whether that has changed anything.
    """
    place, before = (
        Vector(point.tolist()),
        (empty.location.copy(), empty.rotation_quaternion.copy()),
    )
    turned = None if normal is None else Vector(normal.tolist()).to_track_quat("Z", "Y")
    if empty.parent is not None and depsgraph is not None:
        parent = empty.parent.evaluated_get(depsgraph).matrix_world @ empty.matrix_parent_inverse
        place = parent.inverted_safe() @ place
        turned = turned and parent.to_quaternion().inverted() @ turned
    if empty.location != place:
        empty.location = place
    if turned is not None:
        empty.rotation_mode = "QUATERNION"
        if turned.dot(before[1]) < 0.0:  # the same turn; between keyframes, the shorter way
            turned.negate()
        if empty.rotation_quaternion != turned:
            empty.rotation_quaternion = turned
    return before != (empty.location, empty.rotation_quaternion)


def tag() -> None:
    """Have those that follow evaluated again, as their landmarks have changed."""
    for empty in followers():
        empty.update_tag(refresh={"OBJECT"})


def followers() -> list[bpy.types.Object]:
    """The empties that follow by the extension, looked for where objects come or go."""
    global _followers
    objects: Any = bpy.data.objects
    for _ in range(2):
        if _followers is None or _followers[0] != len(objects):
            names = [each.name for each in objects if _follows(each)]
            _followers = len(objects), names
        found = [objects.get((name, None)) for name in _followers[1]]
        if all(each is not None and _follows(each) for each in found):
            return found
        _followers = None  # one has another name by now
    return []


def forget() -> None:
    """Forget them: another file is loaded."""
    global _followers
    _followers = None


def _by_object() -> Iterator[tuple[bpy.types.Object, list[tuple[bpy.types.Object, Anchor]]]]:
    """The objects with landmarks, and the empties that follow these, with their anchors."""
    groups: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for empty in followers():
        obj = held(empty, OBJECT)
        if isinstance(obj, bpy.types.Object):
            groups.setdefault(obj, []).append(empty)
    for obj, empties in groups.items():
        document = storage.to_draw(obj)
        if isinstance(document, str):
            continue
        known = {each.id: each.anchor for each in document.landmarks if each.anchor}
        ids = [(empty, text(empty, LANDMARK)) for empty in empties]
        pairs = [(empty, known[id]) for empty, id in ids if id in known]
        if pairs:
            yield obj, pairs


def _follows(obj: bpy.types.Object) -> bool:
    return obj.type == "EMPTY" and obj.library is None and bool(held(obj, FOLLOWS))


def _release(empty: bpy.types.Object) -> None:
    """Have an empty follow nothing any more."""
    properties, carrier = cast(Any, empty), empty.parent
    for key in (FOLLOWS, TURNS):
        if key in properties:
            del properties[key]
    empty.animation_data_clear()
    if carrier is not None and held(carrier, CARRIES):
        empty.parent = None
        if not carrier.children:
            bpy.data.objects.remove(carrier)


def _collection(context: bpy.types.Context, name: str) -> bpy.types.Collection:
    """The collection of a name in the scene, which is made where there is none."""
    root = context.scene.collection
    for each in root.children_recursive:
        if each.name == name and each.library is None:
            return each
    made = bpy.data.collections.new(name)
    root.children.link(made)
    return made
