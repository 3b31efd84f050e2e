# SPDX-License-Identifier: GPL-3.0-or-later
"""What modifiers do to faces: which keep them all, and which only copy their attributes."""

from __future__ import annotations

from typing import Any

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
# Nodes that do so. What turns points into faces is left out: points have the mean of their faces.
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


def keeps_faces(modifier: Any) -> bool:
    """Whether face i of what a modifier puts out is face i of what it takes in."""
    if modifier.type == "OCEAN":
        return bool(modifier.geometry_mode == "DISPLACE")
    if modifier.type == "NODES":
        return modifier.node_group is None or _keep_faces(modifier.node_group)
    return modifier.type in _KEEPING


def _keep_faces(group: Any) -> bool:
    """Whether face i of what a node group puts out is face i of what it takes in.

    True where one chain of nodes that keep the faces leads from the group's first output back to
    its first input. "Smooth by Angle", which replaces the auto smooth of older Blender, is such a
    group.
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
    """The socket through which the faces at a node's output come in; None if it may change them."""
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
    """Whether a modifier gives each face the attribute of one that it is made of, or else 0."""
    match modifier.type:
        case "DECIMATE":  # otherwise a face is made of several
            return bool(modifier.decimate_type == "COLLAPSE")
        case "NODES":  # which may write an attribute that the modifier names
            group = modifier.node_group
            return group is None or (name not in modifier.values() and _copy(group, name))
    return modifier.type in _COPYING or keeps_faces(modifier)


def _copy(group: Any, name: str) -> bool:
    return all(node.mute or _copies(node, name) for node in group.nodes)


def _copies(node: Any, name: str) -> bool:
    match node.bl_idname:
        case "GeometryNodeGroup":
            return node.node_tree is None or _copy(node.node_tree, name)
        case "GeometryNodeExtrudeMesh":  # the face at an edge has the mean of those beside it
            return bool(getattr(node, "mode", "EDGES") != "EDGES")
        case "GeometryNodeStoreNamedAttribute":
            stored = node.inputs["Name"]
            return not stored.is_linked and stored.default_value != name
        case kind:
            has_faces = any(socket.type in _GEOMETRY for socket in node.outputs)
            return kind in _COPYING_NODES or not has_faces
