# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry Nodes that make or bring in geometry."""

import bpy


def instance_on_points(source, realize):
    """On each point a cube, or an object's geometry as an instance; maybe made real."""
    group = _empty_group()
    nodes, connect = group.nodes, group.links.new
    instance = nodes.new("GeometryNodeInstanceOnPoints")
    instance.inputs["Scale"].default_value = (0.4, 0.5, 0.6)
    if source is None:
        shape = nodes.new("GeometryNodeMeshCube").outputs["Mesh"]
    else:
        shape = _info(group, source, as_instance=True).outputs["Geometry"]
    connect(nodes["Group Input"].outputs[0], instance.inputs["Points"])
    connect(shape, instance.inputs["Instance"])
    _leave(group, instance.outputs[0], realize)
    return group


def object_info(source, as_instance):
    """The geometry beside that of another object."""
    group = _empty_group()
    join = group.nodes.new("GeometryNodeJoinGeometry")
    info = _info(group, source, as_instance)
    info.transform_space = "RELATIVE"
    group.links.new(group.nodes["Group Input"].outputs[0], join.inputs[0])
    group.links.new(info.outputs["Geometry"], join.inputs[0])
    _leave(group, join.outputs[0], realize=False)
    return group


def _empty_group():
    group = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    group.nodes.new("NodeGroupInput")
    group.nodes.new("NodeGroupOutput")
    return group


def _info(group, source, as_instance):
    info = group.nodes.new("GeometryNodeObjectInfo")
    info.name = "Object Info"
    info.inputs["Object"].default_value = source
    info.inputs["As Instance"].default_value = as_instance
    return info


def _leave(group, socket, realize):
    if realize:
        made_real = group.nodes.new("GeometryNodeRealizeInstances")
        group.links.new(socket, made_real.inputs[0])
        socket = made_real.outputs[0]
    group.links.new(socket, group.nodes["Group Output"].inputs[0])
