# SPDX-License-Identifier: GPL-3.0-or-later
"""Which face of the object's own mesh a face of its evaluated mesh comes from."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...standalone_core.extension import BoolArray, IntArray
from .face_keeping_nodes import keep_faces
from .face_origin import Copies, Faces, OwnFaces, Subdivided, UnknownOriginError
from .mirror_seam import keeps_all_faces

CARRIED = "raypick_face"
"""Name of an integer attribute on faces that carries the answer through any modifier."""

_INTEGERS = frozenset({"INT", "INT8"})
_NO_MESH = "The object has no mesh of its own"

# Modifiers that move vertices or change attributes, and leave faces and their order alone.
_FACE_KEEPING = frozenset({
    "ARMATURE", "CAST", "CLOTH", "COLLISION", "CORRECTIVE_SMOOTH", "CURVE", "DATA_TRANSFER",
    "DISPLACE", "DYNAMIC_PAINT", "EDGE_SPLIT", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
    "LATTICE", "MESH_CACHE", "MESH_DEFORM", "NORMAL_EDIT", "PARTICLE_SYSTEM", "SHRINKWRAP",
    "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE", "SURFACE_DEFORM", "UV_PROJECT", "UV_WARP",
    "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WARP", "WAVE",
    "WEIGHTED_NORMAL",
})  # fmt: skip
# Blender skips these in edit mode, whatever their switches say.
_NOT_IN_EDIT_MODE = frozenset({"BUILD", "DECIMATE", "EXPLODE", "MULTIRES"})


def original_face(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, face: int, scene: bpy.types.Scene
) -> tuple[int | None, str | None]:
    """Trace a face back through the modifiers.

    Modifiers that keep the faces, subdivide each of them, or copy all of them in order lead back
    to the original face, one after another. Others do not, unless the mesh carries the answer:
    the value of an integer attribute on faces named ``raypick_face``, -1 for none. Such an
    attribute, stored on the original mesh, passes through most modifiers, and comes first.

    `mesh` is as ``to_mesh`` returns it; the scene limits subdivision. Return the index in
    ``object.data``, or in the mesh being edited, or else why there is none, in English. An index is
    always right: it follows from what the modifiers do, and the number of faces confirms it.
    """
    own = evaluated.original.data
    if evaluated.type != "MESH" or not isinstance(own, bpy.types.Mesh):
        return None, _NO_MESH
    start = OwnFaces(own)
    try:
        carried = _carried(mesh, face, start.count)
        if carried is not None:
            return carried, None
        return _checked(evaluated, mesh, start, scene).origin(face), None
    except UnknownOriginError as reason:
        return None, str(reason)


def original_faces(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, scene: bpy.types.Scene
) -> IntArray:
    """The original face of every face (F,), as :func:`original_face` finds it; -1 for none."""
    own, faces = evaluated.original.data, np.arange(len(mesh.polygons))
    nothing = np.full(len(faces), -1)
    if evaluated.type != "MESH" or not isinstance(own, bpy.types.Mesh):
        return nothing
    start = OwnFaces(own)
    attribute = _carrier(mesh)
    if attribute is not None:
        carried = np.empty(len(attribute.data), dtype=np.int32)
        attribute.data.foreach_get("value", carried)
        known = (carried >= 0) & (carried < start.count)
        return np.broadcast_to(np.where(known, carried, -1), len(faces))
    try:
        return _checked(evaluated, mesh, start, scene).origins(faces)
    except UnknownOriginError:
        return nothing


def faces_made(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, scene: bpy.types.Scene
) -> Faces | None:
    """The faces that the modifiers make, to carry places through them; None if they are unknown.

    `mesh` and the scene are as for :func:`original_face`.
    """
    own = evaluated.original.data
    if evaluated.type != "MESH" or not isinstance(own, bpy.types.Mesh):
        return None
    try:
        return _checked(evaluated, mesh, OwnFaces(own), scene)
    except UnknownOriginError:
        return None


def only_splits_faces(evaluated: bpy.types.Object) -> bool:
    """Whether modifiers do nothing to faces but split them between the vertices they have."""
    own = evaluated.original
    if evaluated.type != "MESH" or (own.mode == "SCULPT" and own.use_dynamic_topology_sculpting):
        return False
    shown = [each for each in evaluated.modifiers if each.show_viewport]
    return all(each.type == "TRIANGULATE" or _keeps_faces(each) for each in shown)


def _checked(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, own: OwnFaces, scene: bpy.types.Scene
) -> Faces:
    """The faces that the modifiers make of the object's own, which the mesh can have."""
    faces = _through_modifiers(evaluated, own, scene)
    faces.check(mesh)
    return faces


def _carried(mesh: bpy.types.Mesh, face: int, count: int) -> int | None:
    """The value of the attribute that carries the answer; None without such an attribute."""
    attribute = _carrier(mesh)
    if attribute is None:
        return None
    value: int = attribute.data[face if len(attribute.data) > 1 else 0].value
    if not 0 <= value < count:
        raise UnknownOriginError(f"The attribute {CARRIED} names no face here")
    return value


def _carrier(mesh: bpy.types.Mesh) -> Any:
    """The attribute that carries the answer; None without one."""
    attribute: Any = mesh.attributes.get(CARRIED)
    if attribute is None or attribute.domain != "FACE" or attribute.data_type not in _INTEGERS:
        return None
    return attribute


def _through_modifiers(evaluated: bpy.types.Object, own: OwnFaces, scene: bpy.types.Scene) -> Faces:
    """The faces that the modifiers make of the object's own."""
    sculpting = evaluated.mode == "SCULPT"
    if sculpting and evaluated.original.use_dynamic_topology_sculpting:
        raise UnknownOriginError("Dynamic topology changes the faces")
    # Only the number of faces shows which modifiers sculpt mode skips.
    own.uncertain = sculpting
    faces: Faces = own
    for modifier in evaluated.modifiers:
        if not modifier.show_viewport or _keeps_faces(modifier):
            continue
        if own.is_edited and (not modifier.show_in_editmode or modifier.type in _NOT_IN_EDIT_MODE):
            continue
        faces = _made_by(modifier, faces, scene)
    return faces


def _keeps_faces(modifier: Any) -> bool:
    if modifier.type == "OCEAN":
        return bool(modifier.geometry_mode == "DISPLACE")
    if modifier.type == "NODES":
        return modifier.node_group is None or keep_faces(modifier.node_group)
    return modifier.type in _FACE_KEEPING


def _made_by(modifier: Any, faces: Faces, scene: bpy.types.Scene) -> Faces:
    match modifier.type:
        case "SUBSURF" | "MULTIRES":
            return _subdivided(modifier, faces, scene)
        case "MIRROR" if not any(modifier.use_bisect_axis[axis] for axis in _axes(modifier)):
            return _mirrored(modifier, faces)
        case "ARRAY":
            return _arrayed(modifier, faces)
        case "SOLIDIFY" if modifier.solidify_mode == "EXTRUDE":
            return _solidified(modifier, faces)
    raise UnknownOriginError(f"The modifier {modifier.name} changes the faces")


def _subdivided(modifier: Any, faces: Faces, scene: bpy.types.Scene) -> Faces:
    """Catmull-Clark and simple alike make the same faces in the same order."""
    levels = modifier.levels
    if modifier.type == "MULTIRES" and modifier.id_data.mode == "SCULPT":
        levels = 0  # the levels are drawn from grids, and the mesh stays as it is
    if scene.render.use_simplify:
        levels = min(levels, scene.render.simplify_subdivision)
    return Subdivided(faces, levels) if levels else faces


def _axes(modifier: Any) -> list[int]:
    return [axis for axis in range(3) if modifier.use_axis[axis]]


def _mirrored(modifier: Any, faces: Faces) -> Faces:
    """The faces and their images, the same again for each further axis."""
    axes = _axes(modifier)
    if not axes:
        return faces
    return Copies(
        faces,
        modifier.name,
        2 ** len(axes),
        merged=modifier.use_mirror_merge,
        keeps_all=lambda: _keeps_all_faces(modifier),
        mirrored=_odd,
    )


def _keeps_all_faces(modifier: Any) -> bool:
    """Only where what is mirrored is the own mesh, and nothing has moved it."""
    evaluated = modifier.id_data
    mesh = evaluated.original.data
    first = next(other for other in evaluated.modifiers if other.show_viewport)
    if first != modifier or modifier.mirror_object or mesh.is_editmode or mesh.shape_keys:
        return False
    if evaluated.parent is not None and evaluated.parent_type in {"ARMATURE", "LATTICE"}:
        return False
    return keeps_all_faces(mesh, _axes(modifier), modifier.merge_threshold)


def _arrayed(modifier: Any, faces: Faces) -> Faces:
    """The copies in order, then the faces of the caps."""
    caps = modifier.start_cap is not None or modifier.end_cap is not None
    merged = modifier.use_merge_vertices
    if modifier.fit_type == "FIXED_COUNT":
        return Copies(faces, modifier.name, modifier.count, more=caps, merged=merged)
    if caps:
        raise UnknownOriginError(f"The modifier {modifier.name} makes faces of its own")
    return Copies(faces, modifier.name, None, merged=merged)


def _solidified(modifier: Any, faces: Faces) -> Faces:
    """The faces, the same again for the other side, then the rim."""
    sides = 1 if modifier.use_rim and modifier.use_rim_only else 2
    return Copies(faces, modifier.name, sides, more=modifier.use_rim, mirrored=_odd)


def _odd(copies: IntArray) -> BoolArray:
    """Which of some copies (N,) are mirrored an odd number of times: each axis is a binary digit.

    The other side of a solid is its first copy, mirrored once.
    """
    odd: BoolArray = (copies ^ copies >> 1 ^ copies >> 2) & 1 == 1
    return odd
