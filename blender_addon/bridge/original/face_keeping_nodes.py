# SPDX-License-Identifier: GPL-3.0-or-later
"""Which node groups of Geometry Nodes pass on a mesh with the same faces."""

from __future__ import annotations

from typing import Any

# Nodes with one geometry input that change neither its faces nor their order.
_FACE_KEEPING = frozenset({
    "GeometryNodeCaptureAttribute", "GeometryNodeFlipFaces", "GeometryNodeRemoveAttribute",
    "GeometryNodeReplaceMaterial", "GeometryNodeSetID", "GeometryNodeSetMaterial",
    "GeometryNodeSetMaterialIndex", "GeometryNodeSetMeshNormal", "GeometryNodeSetPosition",
    "GeometryNodeSetShadeSmooth", "GeometryNodeSplitEdges", "GeometryNodeStoreNamedAttribute",
    "GeometryNodeTransform", "NodeReroute",
})  # fmt: skip


def keep_faces(group: Any) -> bool:
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
        return node.inputs[0] if is_first and keep_faces(node.node_tree) else None
    if node.bl_idname not in _FACE_KEEPING:
        return None
    return next((socket for socket in node.inputs if socket.type == "GEOMETRY"), None)
