# SPDX-License-Identifier: GPL-3.0-or-later
"""What modifiers do to faces: which keep them all, and which only copy their attributes.

An integer attribute ``raypick_face`` on the faces of an object's own mesh may give each a number
that no other has, such as its index + 1. Blender copies it to the faces that it makes of them, and
gives 0 to new ones. Such a number leads back through modifiers that change faces, if nothing else
can have made it: no other face that the modifiers may add has it, and they only copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import bmesh
import bpy
import numpy as np

from ...standalone_core.extension import IntArray
from ..mesh.scene_mesh import has_dynamic_topology
from .faces import UnknownOriginError

# Modifiers that move vertices or change attributes, and leave faces and their order alone.
_KEEPING = frozenset({
    "ARMATURE", "CAST", "CLOTH", "COLLISION", "CORRECTIVE_SMOOTH", "CURVE", "DATA_TRANSFER",
    "DISPLACE", "DYNAMIC_PAINT", "EDGE_SPLIT", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
    "LATTICE", "MESH_CACHE", "MESH_DEFORM", "NORMAL_EDIT", "PARTICLE_SYSTEM", "SHRINKWRAP",
    "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE", "SURFACE_DEFORM", "UV_PROJECT", "UV_WARP",
    "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WARP", "WAVE",
    "WEIGHTED_NORMAL",
})  # fmt: skip
# Nodes of Geometry Nodes with one geometry input that do the same.
_KEEPING_NODES = frozenset({
    "GeometryNodeCaptureAttribute", "GeometryNodeFlipFaces", "GeometryNodeRemoveAttribute",
    "GeometryNodeReplaceMaterial", "GeometryNodeSetID", "GeometryNodeSetMaterial",
    "GeometryNodeSetMaterialIndex", "GeometryNodeSetMeshNormal", "GeometryNodeSetPosition",
    "GeometryNodeSetShadeSmooth", "GeometryNodeSplitEdges", "GeometryNodeStoreNamedAttribute",
    "GeometryNodeTransform", "NodeReroute",
})  # fmt: skip
# Modifiers that give each face all attributes of one face that it is made of, or none.
_COPYING = frozenset({
    "ARRAY", "BEVEL", "BOOLEAN", "BUILD", "EXPLODE", "MASK", "MIRROR", "MULTIRES", "OCEAN",
    "PARTICLE_INSTANCE", "REMESH", "SCREW", "SKIN", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "WELD",
    "WIREFRAME",
})  # fmt: skip
# Nodes that do so. Those that make faces of points do not: points have the mean of their faces.
_COPYING_NODES = _KEEPING_NODES | {"NodeGroupInput"} | {f"GeometryNode{name}" for name in (
    "BoundBox", "CollectionInfo", "ConvexHull", "CurveArc", "CurvePrimitiveBezierSegment",
    "CurvePrimitiveCircle", "CurvePrimitiveLine", "CurvePrimitiveQuadrilateral",
    "CurveQuadraticBezier", "CurveSpiral", "CurveStar", "CurveToMesh", "CurveToPoints",
    "DeleteGeometry", "DistributePointsOnFaces", "DuplicateElements", "ExtrudeMesh",
    "FillCurve", "FilletCurve", "GeometryToInstance", "GizmoDial", "GizmoLinear",
    "GizmoTransform", "IndexSwitch", "InstanceOnPoints", "InstancesToPoints", "JoinGeometry",
    "MenuSwitch", "MergeByDistance", "MeshBoolean", "MeshCircle", "MeshCone", "MeshCube",
    "MeshCylinder", "MeshGrid", "MeshIcoSphere", "MeshLine", "MeshToCurve", "MeshToPoints",
    "MeshToVolume", "MeshUVSphere", "ObjectInfo", "Points", "PointsToVertices",
    "RealizeInstances", "RepeatInput", "RepeatOutput", "ResampleCurve", "RotateInstances",
    "ScaleElements", "ScaleInstances", "SeparateComponents", "SeparateGeometry",
    "SetCurveRadius", "SetCurveTilt", "SetGeometryName", "SetInstanceTransform", "SortElements",
    "SplitToInstances", "StringToCurves", "SubdivideMesh", "SubdivisionSurface", "Switch",
    "TranslateInstances", "Triangulate", "TrimCurve", "VolumeToMesh",
)}  # fmt: skip
_GEOMETRY = frozenset({"GEOMETRY", "BUNDLE", "CLOSURE"})  # sockets that faces pass through
FACE_NUMBER = "raypick_face"
_INTEGERS = frozenset({"INT", "INT8"})
_NONE, _SEVERAL = -1, -2

_Numbering = Callable[[IntArray], IntArray]
"""The faces (N,) of the object's own mesh that numbers (N,) name, or _NONE or _SEVERAL."""


def keeps_faces(modifier: Any) -> bool:
    """Whether face i of a modifier's output is face i of its input."""
    if modifier.type == "OCEAN":
        return bool(modifier.geometry_mode == "DISPLACE")
    if modifier.type == "NODES":
        return modifier.node_group is None or _keep_faces(modifier.node_group)
    return modifier.type in _KEEPING


def _keep_faces(group: Any) -> bool:
    """Whether face i of a node group's output is face i of its input.

    It is where a single chain of nodes that keep the faces leads from the group's first output back
    to its first input. "Smooth by Angle", which replaces the auto smooth of older Blender, is such
    a group.
    """
    outputs = (node for node in group.nodes if node.bl_idname == "NodeGroupOutput")
    output = next((node for node in outputs if node.is_active_output), None)
    socket = None if output is None else output.inputs[0]
    while socket is not None:
        links = [link for link in socket.links if link.is_valid and not link.is_muted]
        if len(links) != 1:
            return False
        node, source = links[0].from_node, links[0].from_socket
        if node.bl_idname == "NodeGroupInput":
            return bool(source == node.outputs[0] and source.type == "GEOMETRY")
        socket = _input_of(node, source)
    return False


def _input_of(node: Any, output: Any) -> Any:
    """The input that the faces at a node's output come from; None if the node may change them."""
    if node.mute:
        passed = (link.from_socket for link in node.internal_links if link.to_socket == output)
        return next(passed, None)
    if node.bl_idname == "GeometryNodeGroup":
        is_first = output == node.outputs[0] and node.node_tree is not None
        return node.inputs[0] if is_first and _keep_faces(node.node_tree) else None
    if node.bl_idname not in _KEEPING_NODES:
        return None
    return next((socket for socket in node.inputs if socket.type == "GEOMETRY"), None)


def copies_attribute(modifier: Any, name: str) -> bool:
    """Whether a modifier gives each face the attribute of one that it is made of, or 0."""
    match modifier.type:
        case "DECIMATE":  # other types make a face of several
            return bool(modifier.decimate_type == "COLLAPSE")
        case "NODES":  # may write an attribute that the modifier names
            group = modifier.node_group
            return group is None or (name not in modifier.values() and _copy(group, name))
    return modifier.type in _COPYING or keeps_faces(modifier)


def _copy(group: Any, name: str) -> bool:
    return all(node.mute or _copies(node, name) for node in group.nodes)


def _copies(node: Any, name: str) -> bool:
    match node.bl_idname:
        case "GeometryNodeGroup":
            return node.node_tree is None or _copy(node.node_tree, name)
        case "GeometryNodeExtrudeMesh":  # a face at an edge has the mean of the faces beside it
            return bool(getattr(node, "mode", "EDGES") != "EDGES")
        case "GeometryNodeStoreNamedAttribute":
            stored = node.inputs["Name"]
            return not stored.is_linked and stored.default_value != name
        case kind:
            has_faces = any(socket.type in _GEOMETRY for socket in node.outputs)
            return kind in _COPYING_NODES or not has_faces


class NumberedFaces:
    """The faces of an evaluated mesh, by the numbers that they have."""

    def __init__(self, mesh: bpy.types.Mesh, attribute: Any, faces_of: _Numbering) -> None:
        self._mesh, self._attribute, self._faces_of = mesh, attribute, faces_of

    def origin(self, face: int) -> int:
        """The face of the object's own mesh that a face comes from, or UnknownOriginError."""
        data = self._attribute.data
        number = data[face if len(data) > 1 else 0].value
        origin = int(self._faces_of(np.array([number]))[0])
        if origin == _SEVERAL:
            raise UnknownOriginError(f"The attribute {FACE_NUMBER} names several faces here")
        if origin < 0:
            raise UnknownOriginError(f"The attribute {FACE_NUMBER} names no face here")
        return origin

    def origins(self, faces: IntArray) -> IntArray:
        """The origins of faces (N,), with -1 where they are not known."""
        numbers = _values(self._attribute, len(self._mesh.polygons))[faces]
        return self._faces_of(numbers).clip(min=-1)


def numbered_faces(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, kept: dict[int, Any]
) -> NumberedFaces | None:
    """The faces of an evaluated object's mesh; None where it or the own mesh has no numbers.

    The caller keeps what is read, in `kept`, by the address of the object. UnknownOriginError if
    the numbers may be wrong.
    """
    own, attribute = evaluated.original, _attribute(mesh)
    if attribute is None or not isinstance(own.data, bpy.types.Mesh):
        return None
    if has_dynamic_topology(own) or _attribute(own.data) is None:
        return None
    address = own.as_pointer()
    if address not in kept:
        kept[address] = _numbering(*map(_numbers_in, [evaluated, *_sources(evaluated)]))
    return NumberedFaces(mesh, attribute, kept[address])


def _numbering(own: IntArray, *added: IntArray) -> _Numbering:
    """What finds the faces of the own mesh that numbers name, by its numbers and all others."""
    known, first, counts = np.unique(
        np.concatenate([[0], own, *added]), return_index=True, return_counts=True
    )
    faces = np.where(counts == 1, first - 1, _SEVERAL)
    faces[(known <= 0) | (first > len(own))] = _NONE

    def faces_of(numbers: IntArray) -> IntArray:
        rows = known.searchsorted(numbers).clip(max=len(known) - 1)
        return np.where(known[rows] == numbers, faces[rows], _NONE)

    return faces_of


def _numbers_in(obj: bpy.types.Object) -> IntArray:
    """The numbers (F,) of the faces of an object's own mesh, edited or not; empty without any."""
    data: Any = obj.original.data
    if FACE_NUMBER not in getattr(data, "attributes", ()):
        return np.empty(0, np.int64)
    attribute = _attribute(data)
    if attribute is not None and not data.is_editmode:
        return _values(attribute, len(data.polygons))
    faces = None if attribute is None else bmesh.from_edit_mesh(data).faces
    layer = None if faces is None else faces.layers.int.get(FACE_NUMBER)
    if faces is None or layer is None:
        raise UnknownOriginError(f"The object {obj.name} may give faces wrong numbers")
    return np.array([face[layer] for face in faces], np.int64)


def _attribute(mesh: bpy.types.Mesh) -> Any:
    attribute: Any = mesh.attributes.get(FACE_NUMBER)
    if attribute is None or attribute.domain != "FACE" or attribute.data_type not in _INTEGERS:
        return None
    return attribute


def _values(attribute: Any, count: int) -> IntArray:
    """The values of the attribute at so many faces: Blender may keep a single one for all."""
    values = np.empty(len(attribute.data), np.int32)
    attribute.data.foreach_get("value", values)
    return np.broadcast_to(values.astype(np.int64), count)


def _sources(evaluated: bpy.types.Object) -> list[bpy.types.Object]:
    """All other objects whose faces modifiers may add to those of an object.

    UnknownOriginError if a modifier of any of them may do more than copy.
    """
    found, seen = [evaluated], {evaluated}
    for obj in found:
        named = [obj.instance_collection]
        for modifier in obj.modifiers:
            if modifier.show_viewport:
                if not copies_attribute(modifier, FACE_NUMBER):
                    reason = f"The modifier {modifier.name} may give faces wrong numbers"
                    raise UnknownOriginError(reason)
                named += _named_by(modifier)
        new = dict.fromkeys(_objects(named)).keys() - seen
        found += new
        seen |= new
    return found[1:]


def _objects(named: Iterable[Any]) -> Iterator[bpy.types.Object]:
    for each in named:
        if isinstance(each, bpy.types.Object):
            yield each
        elif isinstance(each, bpy.types.Collection):
            yield from each.all_objects


def _named_by(modifier: Any) -> list[Any]:
    """All that a modifier names: the objects and collections that it may take faces from."""
    match modifier.type:
        case "ARRAY":
            return [modifier.start_cap, modifier.end_cap]
        case "BOOLEAN":
            return [modifier.object, modifier.collection]
        case "NODES" if modifier.node_group is not None:
            return [*modifier.values(), *_named_in(modifier.node_group)]
    return []


def _named_in(group: Any) -> Iterator[Any]:
    """All that a node group names, and the groups in it."""
    for node in group.nodes:
        yield from (getattr(node, name, None) for name in ("object", "collection"))
        yield from (getattr(socket, "default_value", None) for socket in node.inputs)
        if getattr(node, "node_tree", None) is not None:
            yield from _named_in(node.node_tree)
