# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh with a vertex at each landmark, by Geometry Nodes that need no extension.

The nodes take the three vertices of each landmark from the evaluated mesh of the target, and move
the vertex to their weighted sum. So they hold as long as that mesh has the same vertices. A quad
that modifiers make may be split along its other diagonal when it bends, which nodes do not see.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...standalone_core.extension import FloatArray, IntArray

VERTICES = ("vertex_a", "vertex_b", "vertex_c")
WEIGHTS = "weights"


def carrier(target: bpy.types.Object, vertices: IntArray, weights: FloatArray) -> bpy.types.Object:
    """A new object, linked nowhere yet, for vertices (N, 3) of the target and their weights."""
    name = f"{target.name} Landmark Points"
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(vertices))
    attributes: Any = mesh.attributes
    for attribute, column in zip(VERTICES, vertices.T, strict=True):
        data = attributes.new(attribute, "INT", "POINT").data
        data.foreach_set("value", np.ascontiguousarray(column, np.int32))
    data = attributes.new(WEIGHTS, "FLOAT_VECTOR", "POINT").data
    data.foreach_set("vector", np.ascontiguousarray(weights, np.float32).ravel())
    obj = bpy.data.objects.new(name, mesh)
    modifier: Any = obj.modifiers.new(name, "NODES")
    modifier.node_group = _group(name, target)
    return obj


def _group(name: str, target: bpy.types.Object) -> bpy.types.NodeTree:
    """The nodes that move vertices to where they are on the target."""
    group: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    nodes = _Nodes(group)
    info = nodes.add("GeometryNodeObjectInfo", transform_space="RELATIVE")
    info.inputs["Object"].default_value = target
    position = nodes.add("GeometryNodeInputPosition").outputs["Position"]
    weights = nodes.add("GeometryNodeInputNamedAttribute", data_type="FLOAT_VECTOR")
    weights.inputs["Name"].default_value = WEIGHTS
    parts = nodes.add("ShaderNodeSeparateXYZ")
    nodes.link(_attribute(weights), parts.inputs[0])
    total = None
    for vertex, weight in zip(VERTICES, parts.outputs, strict=True):
        index = nodes.add("GeometryNodeInputNamedAttribute", data_type="INT")
        index.inputs["Name"].default_value = vertex
        corner = nodes.add("GeometryNodeSampleIndex", data_type="FLOAT_VECTOR", domain="POINT")
        nodes.link(info.outputs["Geometry"], corner.inputs["Geometry"])
        nodes.link(position, _enabled(corner.inputs, "Value"))
        nodes.link(_attribute(index), corner.inputs["Index"])
        scaled = nodes.add("ShaderNodeVectorMath", operation="SCALE")
        nodes.link(_enabled(corner.outputs, "Value"), scaled.inputs[0])
        nodes.link(weight, scaled.inputs["Scale"])
        total = scaled.outputs["Vector"] if total is None else nodes.sum(total, scaled)
    into = nodes.add("GeometryNodeSetPosition")
    entry, leave = nodes.add("NodeGroupInput"), nodes.add("NodeGroupOutput")
    nodes.link(entry.outputs[0], into.inputs["Geometry"])
    nodes.link(total, into.inputs["Position"])
    nodes.link(into.outputs[0], leave.inputs[0])
    tree: bpy.types.NodeTree = group
    return tree


class _Nodes:
    """Nodes of a group, added in a row from left to right."""

    def __init__(self, group: Any) -> None:
        self._group = group
        self._count = 0

    def add(self, kind: str, **settings: str) -> Any:
        node = self._group.nodes.new(kind)
        for name, value in settings.items():
            setattr(node, name, value)
        self._count += 1
        node.location = (180 * self._count, -60 * (self._count % 4))
        return node

    def link(self, start: Any, end: Any) -> None:
        self._group.links.new(start, end)

    def sum(self, first: Any, second: Any) -> Any:
        """The output with the sum of an output and a node's vector."""
        added = self.add("ShaderNodeVectorMath", operation="ADD")
        self.link(first, added.inputs[0])
        self.link(second.outputs["Vector"], added.inputs[1])
        return added.outputs["Vector"]


def _attribute(node: Any) -> Any:
    return _enabled(node.outputs, "Attribute")


def _enabled(sockets: Any, name: str) -> Any:
    """The socket of a name; of several, one for each kind of data, the one in use."""
    return next(each for each in sockets if each.name == name and each.enabled)
