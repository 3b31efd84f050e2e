# SPDX-License-Identifier: GPL-3.0-or-later
"""Which node groups of Geometry Nodes hand on a mesh with the same faces."""

from __future__ import annotations

import bpy

# They have one geometry going in, and change neither its faces nor their order.
_FACE_KEEPING = frozenset(
    {
        "GeometryNodeCaptureAttribute",
        "GeometryNodeFlipFaces",
        "GeometryNodeRemoveAttribute",
        "GeometryNodeReplaceMaterial",
        "GeometryNodeSetID",
        "GeometryNodeSetMaterial",
        "GeometryNodeSetMaterialIndex",
        "GeometryNodeSetMeshNormal",
        "GeometryNodeSetPosition",
        "GeometryNodeSetShadeSmooth",
        "GeometryNodeSplitEdges",
        "GeometryNodeStoreNamedAttribute",
        "GeometryNodeTransform",
        "NodeReroute",
    }
)


def keep_faces(group: bpy.types.NodeTree) -> bool:
    """Whether face i of what a group gives is face i of what it is given.

    True where one chain of nodes that keep the faces leads from the group's first output back to
    its first input. "Smooth by Angle", which replaces the auto smooth of older Blender, is such a
    group.
    """
    leave = next((node for node in group.nodes if _is_output(node)), None)
    if leave is None:
        return False
    socket = leave.inputs[0]
    while socket is not None:
        links = [link for link in socket.links if link.is_valid and not link.is_muted]
        if len(links) != 1:
            return False
        node, given = links[0].from_node, links[0].from_socket
        if node.bl_idname == "NodeGroupInput":
            return given == node.outputs[0] and given.type == "GEOMETRY"
        socket = _before(node, given)
    return False


def _is_output(node: bpy.types.Node) -> bool:
    return node.bl_idname == "NodeGroupOutput" and node.is_active_output


def _before(node: bpy.types.Node, given: bpy.types.NodeSocket) -> bpy.types.NodeSocket | None:
    """Where the faces that a node gives come into it; None where it may change them."""
    if node.mute:
        passed = (link.from_socket for link in node.internal_links if link.to_socket == given)
        return next(passed, None)
    if node.bl_idname == "GeometryNodeGroup":
        first = given == node.outputs[0] and node.node_tree is not None
        return node.inputs[0] if first and keep_faces(node.node_tree) else None
    if node.bl_idname not in _FACE_KEEPING:
        return None
    return next((socket for socket in node.inputs if socket.type == "GEOMETRY"), None)
