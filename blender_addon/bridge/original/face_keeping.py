# SPDX-License-Identifier: GPL-3.0-or-later
"""Which modifiers pass on a mesh with the same faces in the same order."""

from __future__ import annotations

from typing import Any

# Modifiers that move vertices or change attributes, and leave faces and their order alone.
_MODIFIERS = frozenset({
    "ARMATURE", "CAST", "CLOTH", "COLLISION", "CORRECTIVE_SMOOTH", "CURVE", "DATA_TRANSFER",
    "DISPLACE", "DYNAMIC_PAINT", "EDGE_SPLIT", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
    "LATTICE", "MESH_CACHE", "MESH_DEFORM", "NORMAL_EDIT", "PARTICLE_SYSTEM", "SHRINKWRAP",
    "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE", "SURFACE_DEFORM", "UV_PROJECT", "UV_WARP",
    "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WARP", "WAVE",
    "WEIGHTED_NORMAL",
})  # fmt: skip
# Nodes of Geometry Nodes with one geometry input that do the same.
NODES = frozenset({
    "GeometryNodeCaptureAttribute", "GeometryNodeFlipFaces", "GeometryNodeRemoveAttribute",
    "GeometryNodeReplaceMaterial", "GeometryNodeSetID", "GeometryNodeSetMaterial",
    "GeometryNodeSetMaterialIndex", "GeometryNodeSetMeshNormal", "GeometryNodeSetPosition",
    "GeometryNodeSetShadeSmooth", "GeometryNodeSplitEdges", "GeometryNodeStoreNamedAttribute",
    "GeometryNodeTransform", "NodeReroute",
})  # fmt: skip


def keeps_faces(modifier: Any) -> bool:
    """Whether face i of what a modifier puts out is face i of what it takes in."""
    if modifier.type == "OCEAN":
        return bool(modifier.geometry_mode == "DISPLACE")
    if modifier.type == "NODES":
        return modifier.node_group is None or _keep_faces(modifier.node_group)
    return modifier.type in _MODIFIERS


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
    if node.bl_idname not in NODES:
        return None
    return next((socket for socket in node.inputs if socket.type == "GEOMETRY"), None)
