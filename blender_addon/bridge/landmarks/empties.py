# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties that follow landmarks: moved by the extension, by keyframes, or by Geometry Nodes.

An empty names its landmark in custom properties, by which the extension finds the empties to move.
Nodes need no extension: a helper mesh has a vertex for each landmark, and this is the parent of the
landmark's empty. The nodes move it to a weighted sum of three vertices of the target's evaluated
mesh. This works as long as that mesh has the same vertices. When a quad that modifiers make bends,
it may be split along its other diagonal, which nodes do not notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Vector

from ...model.landmarks.landmark import Landmark
from ...standalone_core import RaypickError
from ...standalone_core.extension import FloatArray
from ..custom_properties import held, text
from ..scene.changes import evaluated_depsgraph
from ..validation import one_of
from . import storage
from .locating import evaluated_places, frame_restored, set_frame
from .places import FoundPlaces
from .topology import located_landmarks

OBJECT = "raypick_object"
LANDMARK = "raypick_landmark"
FOLLOWS = "raypick_follows"
TURNS = "raypick_turns"
IS_PARENT = "raypick_carries"  # on the object whose vertices are parents of empties

WAYS = ("extension", "keyframes", "nodes")
NO_NORMALS = "Nodes do not turn empties along normals"
ON_INSTANCES = "Nodes do not follow landmarks on instances"
NO_FRAMES = "There are no frames to bake"
TOO_MANY_FRAMES = "These are more than 100,000 frames, or a million keyframes"
_MOST_FRAMES = 100_000
_MOST_KEYFRAMES = 1_000_000
VERTICES = ("vertex_a", "vertex_b", "vertex_c")
WEIGHTS = "weights"

_followers: tuple[int, list[str]] | None = None
"""The number of objects at the last search, and the names of those that the extension moves."""


def _find_or_add(
    context: bpy.types.Context, obj: bpy.types.Object, landmarks: Sequence[Landmark]
) -> tuple[bpy.types.Collection, list[bpy.types.Object]]:
    """Find or add empties for landmarks, and stop their following; return the collection too."""
    name, root = f"{obj.name} Landmarks", context.scene.collection
    own = (each for each in root.children_recursive if each.name == name and not each.library)
    collection = next(own, None)
    if collection is None:
        collection = bpy.data.collections.new(name)
        root.children.link(collection)
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


def follow(depsgraph: bpy.types.Depsgraph) -> bool:
    """Move all following empties to their landmarks; return whether any has moved.

    An empty stays where it is as long as the place of its landmark is not known.
    """
    is_moved = False
    groups: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for empty in followers():
        obj = held(empty, OBJECT)
        if isinstance(obj, bpy.types.Object):
            groups.setdefault(obj, []).append(empty)
    for obj, empties in groups.items():
        document = storage.to_draw(obj)
        every = () if isinstance(document, str) else document.landmarks
        known = {each.id: each.anchor for each in every if each.anchor}
        ids = [(empty, text(empty, LANDMARK)) for empty in empties]
        pairs = [(empty, known[id]) for empty, id in ids if id in known]
        _, points, normals = evaluated_places(depsgraph, obj, [anchor for _, anchor in pairs])
        for (empty, _), point, normal in zip(pairs, points, normals, strict=True):
            if np.isfinite(point).all():
                is_moved |= put(empty, point, normal if held(empty, TURNS) else None, depsgraph)
    return is_moved


def put(
    empty: bpy.types.Object,
    point: FloatArray,
    normal: FloatArray | None,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> bool:
    """Move an empty to a world point (3,), and turn its Z axis along a normal (3,), if given.

    Return whether it moved or turned.
    """
    place = Vector(point.tolist())
    before = empty.location.copy(), empty.rotation_quaternion.copy()
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
    """Tell Blender to evaluate the following empties again, as their landmarks have changed."""
    for empty in followers():
        empty.update_tag(refresh={"OBJECT"})


def followers() -> list[bpy.types.Object]:
    """The empties that the extension moves; a new search is made when objects come or go."""
    global _followers
    objects: Any = bpy.data.objects
    for _ in range(2):
        if _followers is None or _followers[0] != len(objects):
            names = [each.name for each in objects if _follows(each)]
            _followers = len(objects), names
        found = [objects.get((name, None)) for name in _followers[1]]
        if all(each is not None and _follows(each) for each in found):
            return found
        _followers = None  # one was renamed
    return []


def forget() -> None:
    """Forget which empties follow, for instance when another file is opened."""
    global _followers
    _followers = None


def _follows(obj: bpy.types.Object) -> bool:
    return obj.type == "EMPTY" and obj.library is None and bool(held(obj, FOLLOWS))


def _release(empty: bpy.types.Object) -> None:
    properties, parent = cast(Any, empty), empty.parent
    for key in (FOLLOWS, TURNS):
        if key in properties:
            del properties[key]
    empty.animation_data_clear()
    if parent is not None and held(parent, IS_PARENT):
        empty.parent = None
        if not parent.children:
            bpy.data.objects.remove(parent)


def add_empties(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    way: str,
    frames: Iterable[float] | None = None,
    turning: bool = False,
) -> list[bpy.types.Object]:
    """Add an empty for each landmark that has a place, to follow it in one of WAYS.

    RaypickError if an empty cannot follow in this way.
    """
    one_of(way, WAYS, "follow")
    depsgraph = evaluated_depsgraph(context)
    anchors = {each: each.anchor for each in landmarks if each.anchor is not None}
    landmarks = [*anchors]
    places, points, normals = evaluated_places(depsgraph, obj, [*anchors.values()])
    for landmark, reason in zip(landmarks, places.reasons, strict=True):
        if reason is not None:
            raise RaypickError(f"landmark {landmark.name!r}: {reason}")
    baked = _frames(context.scene, frames, len(landmarks)) if way == "keyframes" else []
    if way == "nodes" and turning:
        raise RaypickError(NO_NORMALS)
    if way == "nodes" and any(each.instancer is not None for each in anchors.values()):
        raise RaypickError(ON_INSTANCES)
    collection, made = _find_or_add(context, obj, landmarks)
    for empty, point, normal in zip(made, points, normals, strict=True):
        put(empty, point, normal if turning else None, depsgraph)
        if way == "extension":
            empty[FOLLOWS], empty[TURNS] = True, turning
            forget()
    if way == "keyframes":
        _bake(context, obj, landmarks, made, baked, turning)
    if way == "nodes" and made:
        _parent(collection, obj, places, made)
    return made


def _frames(scene: bpy.types.Scene, frames: Iterable[float] | None, count: int) -> list[float]:
    """The frames to bake, by default those of the scene; RaypickError for none or far too many."""
    if frames is None:
        frames = range(scene.frame_start, scene.frame_end + 1)
    every = [float(frame) for frame in islice(frames, _MOST_FRAMES + 1)]
    if not every:
        raise RaypickError(NO_FRAMES)
    if len(every) > _MOST_FRAMES or len(every) * count > _MOST_KEYFRAMES:
        raise RaypickError(TOO_MANY_FRAMES)
    return every


def _bake(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    landmarks: Sequence[Landmark],
    made: Sequence[bpy.types.Object],
    frames: Sequence[float],
    turning: bool,
) -> None:
    """Insert keyframes at the given frames, but none where a landmark's place is not known."""
    manager = context.window_manager
    manager.progress_begin(0, len(frames))
    try:
        with frame_restored(context.scene):
            for number, frame in enumerate(frames):
                set_frame(context.scene, frame)
                (places,) = located_landmarks(context, [(obj, landmarks)])
                for empty, point, normal in zip(made, places.points, places.normals, strict=True):
                    if not np.isfinite(point).all():
                        continue
                    put(empty, point, normal if turning else None)
                    empty.keyframe_insert("location", frame=frame)
                    if turning:
                        empty.keyframe_insert("rotation_quaternion", frame=frame)
                manager.progress_update(number)
    finally:
        manager.progress_end()


def _parent(
    collection: bpy.types.Collection,
    obj: bpy.types.Object,
    places: FoundPlaces,
    made: Sequence[bpy.types.Object],
) -> None:
    """Parent the empties to vertices that nodes move to the landmarks."""
    name = f"{obj.name} Landmark Points"
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(places.vertices))
    attributes: Any = mesh.attributes
    for attribute, column in zip(VERTICES, places.vertices.T, strict=True):
        data = attributes.new(attribute, "INT", "POINT").data
        data.foreach_set("value", np.ascontiguousarray(column, np.int32))
    data = attributes.new(WEIGHTS, "FLOAT_VECTOR", "POINT").data
    data.foreach_set("vector", np.ascontiguousarray(places.weights, np.float32).ravel())
    points: Any = bpy.data.objects.new(name, mesh)
    points.modifiers.new(name, "NODES").node_group = _group(name, obj)
    points[IS_PARENT] = True
    collection.objects.link(points)
    for number, empty in enumerate(made):
        empty.parent = points
        empty.parent_type = "VERTEX"
        cast(Any, empty).parent_vertices = (number, 0, 0)
        empty.matrix_parent_inverse.identity()
        empty.location = (0.0, 0.0, 0.0)


def _group(name: str, target: bpy.types.Object) -> bpy.types.NodeTree:
    group: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    add, link = partial(_node, group), group.links.new
    info = add("GeometryNodeObjectInfo", transform_space="RELATIVE")
    info.inputs["Object"].default_value = target
    position = add("GeometryNodeInputPosition").outputs["Position"]
    weights = add("GeometryNodeInputNamedAttribute", data_type="FLOAT_VECTOR")
    weights.inputs["Name"].default_value = WEIGHTS
    parts = add("ShaderNodeSeparateXYZ")
    link(_enabled(weights.outputs, "Attribute"), parts.inputs[0])
    total: Any = None
    for vertex, weight in zip(VERTICES, parts.outputs, strict=True):
        index = add("GeometryNodeInputNamedAttribute", data_type="INT")
        index.inputs["Name"].default_value = vertex
        corner = add("GeometryNodeSampleIndex", data_type="FLOAT_VECTOR", domain="POINT")
        link(info.outputs["Geometry"], corner.inputs["Geometry"])
        link(position, _enabled(corner.inputs, "Value"))
        link(_enabled(index.outputs, "Attribute"), corner.inputs["Index"])
        scaled = add("ShaderNodeVectorMath", operation="SCALE")
        link(_enabled(corner.outputs, "Value"), scaled.inputs[0])
        link(weight, scaled.inputs["Scale"])
        if total is None:
            total = scaled
            continue
        added = add("ShaderNodeVectorMath", operation="ADD")
        link(total.outputs["Vector"], added.inputs[0])
        link(scaled.outputs["Vector"], added.inputs[1])
        total = added
    into = add("GeometryNodeSetPosition")
    entry, leave = add("NodeGroupInput"), add("NodeGroupOutput")
    link(entry.outputs[0], into.inputs["Geometry"])
    link(total.outputs["Vector"], into.inputs["Position"])
    link(into.outputs[0], leave.inputs[0])
    tree: bpy.types.NodeTree = group
    return tree


def _node(group: Any, kind: str, **settings: str) -> Any:
    """Add a node to the right of the others."""
    node, count = group.nodes.new(kind), len(group.nodes)
    for name, value in settings.items():
        setattr(node, name, value)
    node.location = (180 * count, -60 * (count % 4))
    return node


def _enabled(sockets: Any, name: str) -> Any:
    """The enabled one of the sockets with a name: a node may have one for each kind of data."""
    return next(each for each in sockets if each.name == name and each.enabled)
