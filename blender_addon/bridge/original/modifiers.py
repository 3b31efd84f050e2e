# SPDX-License-Identifier: GPL-3.0-or-later
"""Which modifiers keep all faces in order, and which only copy the attributes of faces.

The faces of an object's own mesh may have unique numbers, such as index + 1, in the integer
attribute ``raypick_face``. Blender copies a face's number to the faces that it makes from it, and
gives 0 to new ones. So a number identifies the original face even behind modifiers that change
faces, if these only copy it, and add no faces from other objects with the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import bmesh
import bpy
import numpy as np

from ...standalone_core.extension import IntArray
from ..mesh.evaluation import shown_modifiers, shows_dynamic_topology
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
# Geometry nodes with one geometry input that leave faces and their order alone, too.
_KEEPING_NODES = frozenset({
    "GeometryNodeCaptureAttribute", "GeometryNodeFlipFaces", "GeometryNodeRemoveAttribute",
    "GeometryNodeReplaceMaterial", "GeometryNodeSetID", "GeometryNodeSetMaterial",
    "GeometryNodeSetMaterialIndex", "GeometryNodeSetMeshNormal", "GeometryNodeSetPosition",
    "GeometryNodeSetShadeSmooth", "GeometryNodeSplitEdges", "GeometryNodeStoreNamedAttribute",
    "GeometryNodeTransform", "NodeReroute",
})  # fmt: skip
# Modifiers that give each new face all attributes of one source face, or none.
_COPYING = frozenset({
    "ARRAY", "BEVEL", "BOOLEAN", "BUILD", "EXPLODE", "MASK", "MIRROR", "MULTIRES", "OCEAN",
    "PARTICLE_INSTANCE", "REMESH", "SCREW", "SKIN", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "WELD",
    "WIREFRAME",
})  # fmt: skip
# Geometry nodes that do so. Nodes that make faces from points do not: they average the faces.
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
"""Maps numbers (N,) to faces (N,) of the object's own mesh, or to _NONE or _SEVERAL."""


def keeps_faces(modifier: Any) -> bool:
    """Whether face i of a modifier's output is face i of its input."""
    if modifier.type == "OCEAN":
        return bool(modifier.geometry_mode == "DISPLACE")
    if modifier.type == "NODES":
        return modifier.node_group is None or _group_keeps_faces(modifier.node_group)
    return modifier.type in _KEEPING


def _group_keeps_faces(group: Any) -> bool:
    """Whether face i of a node group's output is face i of its input.

    True if a single chain of nodes that keep the faces connects the group's first input to its
    first output. An example is "Smooth by Angle", which replaces the auto smooth of older Blender.
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
        return node.inputs[0] if is_first and _group_keeps_faces(node.node_tree) else None
    if node.bl_idname not in _KEEPING_NODES:
        return None
    return next((socket for socket in node.inputs if socket.type == "GEOMETRY"), None)


def copies_attribute(modifier: Any, name: str) -> bool:
    """Whether a modifier gives each new face the attribute of one source face, or 0."""
    match modifier.type:
        case "DECIMATE":  # its other modes merge faces
            return bool(modifier.decimate_type == "COLLAPSE")
        case "NODES":  # an input may name the attribute that nodes write
            group = modifier.node_group
            return group is None or (name not in modifier.values() and _group_copies(group, name))
    return modifier.type in _COPYING or keeps_faces(modifier)


def _group_copies(group: Any, name: str) -> bool:
    return all(node.mute or _node_copies(node, name) for node in group.nodes)


def _node_copies(node: Any, name: str) -> bool:
    match node.bl_idname:
        case "GeometryNodeGroup":
            return node.node_tree is None or _group_copies(node.node_tree, name)
        case "GeometryNodeExtrudeMesh":  # a face made from an edge averages its neighbors
            return bool(getattr(node, "mode", "EDGES") != "EDGES")
        case "GeometryNodeStoreNamedAttribute":
            stored = node.inputs["Name"]
            return not stored.is_linked and stored.default_value != name
        case kind:
            has_faces = any(socket.type in _GEOMETRY for socket in node.outputs)
            return kind in _COPYING_NODES or not has_faces


class NumberedFaces:
    """Finds the original faces of an evaluated mesh by their numbers."""

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
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    depsgraph: bpy.types.Depsgraph,
    kept: dict[int, Any],
) -> NumberedFaces | None:
    """The numbered faces of an evaluated mesh; None if it or the own mesh has no numbers.

    `kept` is the caller's cache, by the address of the object. UnknownOriginError if the numbers
    may be wrong.
    """
    own, attribute = evaluated.original, _attribute(mesh)
    if attribute is None or not isinstance(own.data, bpy.types.Mesh):
        return None
    if shows_dynamic_topology(evaluated, depsgraph) or _attribute(own.data) is None:
        return None
    address = own.as_pointer()
    if address not in kept:
        sources = _sources(evaluated, depsgraph)
        kept[address] = _numbering(*map(_numbers_in, [evaluated, *sources]))
    return NumberedFaces(mesh, attribute, kept[address])


def _numbering(own: IntArray, *added: IntArray) -> _Numbering:
    """The map from numbers to faces of the own mesh; a number that occurs twice is ambiguous."""
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
    """The numbers (F,) of the faces of an object's own mesh, in edit mode too."""
    data: Any = obj.original.data
    if FACE_NUMBER not in getattr(data, "attributes", ()):
        return np.empty(0, np.int64)
    numbers = numbers_of(data)
    if numbers is None:
        raise UnknownOriginError(f"The object {obj.name} may give faces wrong numbers")
    return numbers


def numbers_of(mesh: bpy.types.Mesh) -> IntArray | None:
    """The numbers (F,) of a mesh's faces, in edit mode too; None if it has none."""
    attribute = _attribute(mesh)
    if attribute is None:
        return None
    if not mesh.is_editmode:
        return _values(attribute, len(mesh.polygons))
    faces: Any = bmesh.from_edit_mesh(mesh).faces
    layer = faces.layers.int.get(FACE_NUMBER)
    return None if layer is None else np.array([face[layer] for face in faces], np.int64)


def _attribute(mesh: bpy.types.Mesh) -> Any:
    attribute: Any = mesh.attributes.get(FACE_NUMBER)
    if attribute is None or attribute.domain != "FACE" or attribute.data_type not in _INTEGERS:
        return None
    return attribute


def _values(attribute: Any, count: int) -> IntArray:
    """The attribute at each of `count` faces; Blender may store one value for all of them."""
    values = np.empty(len(attribute.data), np.int32)
    attribute.data.foreach_get("value", values)
    return np.broadcast_to(values.astype(np.int64), count)


def _sources(evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
    """All other objects whose faces modifiers may add to an object's mesh.

    UnknownOriginError if a modifier of any of these objects may do more than copy numbers.
    """
    found, seen = [evaluated], {evaluated}
    for obj in found:
        named = [obj.instance_collection]
        for modifier in shown_modifiers(obj, depsgraph):
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
    """What a modifier refers to: objects and collections among it may add their faces."""
    match modifier.type:
        case "ARRAY":
            return [modifier.start_cap, modifier.end_cap]
        case "BOOLEAN":
            return [modifier.object, modifier.collection]
        case "NODES" if modifier.node_group is not None:
            return [*modifier.values(), *_named_in(modifier.node_group)]
    return []


def _named_in(group: Any) -> Iterator[Any]:
    """What the nodes of a group, and of the groups in it, refer to."""
    for node in group.nodes:
        yield from (getattr(node, name, None) for name in ("object", "collection"))
        yield from (getattr(socket, "default_value", None) for socket in node.inputs)
        if getattr(node, "node_tree", None) is not None:
            yield from _named_in(node.node_tree)
