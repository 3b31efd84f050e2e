# SPDX-License-Identifier: GPL-3.0-or-later
"""Things to render, of which materials tell Cycles all that it can write."""

import itertools

import bpy
import numpy as np

from tests.blender.scenes import link, mesh_object

from . import cycles

CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def dressed(obj, name=None):
    """The mesh object with a material, a UV map and numbers of faces."""
    mesh = obj.data
    corners = np.array([mesh.vertices[each.vertex_index].co[:2] for each in mesh.loops])
    mesh.uv_layers.new().data.foreach_set("uv", (corners / np.abs(corners).max()).ravel())
    numbers = mesh.attributes.new(cycles.NUMBER, "FLOAT", "FACE")
    numbers.data.foreach_set("value", 1 + np.arange(len(mesh.polygons)))
    mesh.materials.append(cycles.material(name or obj.name))
    return obj


def cube(name="Cube", at=(0, 0, 0), size=1.0):
    obj = dressed(mesh_object(name, np.array(CORNERS) * size, FACES))
    obj.location = at
    obj.rotation_euler = 0.3, 0.4, 0.5
    return obj


def crowd(rng, count=12, reach=3.0, size=0.7):
    return [cube(f"C{i}", rng.uniform(-reach, reach, 3), size) for i in range(count)]


def ball(name="Ball", at=(0, 0, 0), size=1.0):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, location=at, radius=size)
    obj = bpy.context.object
    obj.name = name
    return dressed(obj)


def put_in(name, *objects, parent=None):
    """Objects in a new collection alone, which is a child of the scene's or of another."""
    collection = bpy.data.collections.new(name)
    (parent or bpy.context.scene.collection).children.link(collection)
    for obj in objects:
        for user in obj.users_collection:
            user.objects.unlink(obj)
        collection.objects.link(obj)
    return collection


def instancer(collection, at, name="Maker"):
    empty = link(bpy.data.objects.new(name, None))
    empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", collection, at
    return empty


def layer_collection(name, within=None):
    """The settings of a collection in the view layer."""
    within = within or bpy.context.view_layer.layer_collection
    for child in within.children:
        if child.name == name:
            return child
        if found := layer_collection(name, child):
            return found
    return None


def tree(obj, *names):
    """A new group of nodes that changes an object's geometry, and nodes of some types in it."""
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    obj.modifiers.new("Nodes", "NODES").node_group = group
    names = ("NodeGroupInput", "NodeGroupOutput", *(f"GeometryNode{each}" for each in names))
    return group, *(group.nodes.new(each) for each in names)


def chain(group, *nodes):
    """Connect the geometry of nodes, one after the other."""
    for before, after in itertools.pairwise(nodes):
        leave = next(each for each in before.outputs if each.type == "GEOMETRY")
        entry = next(each for each in after.inputs if each.type == "GEOMETRY")
        group.links.new(leave, entry)


def grid(name, count=3, step=2.0, z=0.0):
    """Points in rows, without faces."""
    places = np.arange(count) * step - (count - 1) * step / 2
    return mesh_object(name, [(x, y, z) for x in places for y in places], [])


def particles(emitter, **settings):
    emitter.modifiers.new("Particles", "PARTICLE_SYSTEM")
    system = emitter.particle_systems[0]
    defaults = {"count": 20, "frame_start": 1, "frame_end": 1, "lifetime": 100.0}
    defaults |= {"physics_type": "NO", "particle_size": 0.4, "use_rotations": True}
    for name, value in {**defaults, **settings}.items():
        setattr(system.settings, name, value)
    return system
