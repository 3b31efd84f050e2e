# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes that the tests pick in; each function links what it makes and returns it."""

import bpy
from mathutils import Matrix, Vector


def link(obj):
    bpy.context.scene.collection.objects.link(obj)
    return obj


def mesh_object(name, vertices, faces, matrix=None):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    obj = link(bpy.data.objects.new(name, mesh))
    if matrix is not None:
        obj.matrix_world = Matrix(matrix)
    return obj


def square(name="Square", z=0.0, size=1.0):
    """A quad in the plane z, its front up, with the corners (0, 0), (size, size) in x and y."""
    corners = [(0, 0, z), (size, 0, z), (size, size, z), (0, size, z)]
    return mesh_object(name, corners, [(0, 1, 2, 3)])


def suzanne(levels=0):
    bpy.ops.mesh.primitive_monkey_add()
    obj = bpy.context.object
    if levels:
        obj.modifiers.new("Subdivision", "SUBSURF").levels = levels
    return obj


def collection_instance(obj, location):
    """An empty that instances a collection of its own, which holds the object alone."""
    collection = bpy.data.collections.new("Instanced")
    for user in list(obj.users_collection):
        user.objects.unlink(obj)
    collection.objects.link(obj)
    empty = link(bpy.data.objects.new("Instancer", None))
    empty.instance_type = "COLLECTION"
    empty.instance_collection = collection
    empty.location = location
    return empty


def instance_on_points(carrier, source=None):
    """Geometry Nodes on `carrier`: at each of its points a cube of size 1, or an object."""
    group = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes, connect = group.nodes, group.links.new
    entry, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    instance = nodes.new("GeometryNodeInstanceOnPoints")
    if source is None:
        shape = nodes.new("GeometryNodeMeshCube").outputs["Mesh"]
    else:
        info = nodes.new("GeometryNodeObjectInfo")
        info.inputs["Object"].default_value = source
        info.inputs["As Instance"].default_value = True
        shape = info.outputs["Geometry"]
    connect(entry.outputs[0], instance.inputs["Points"])
    connect(shape, instance.inputs["Instance"])
    connect(instance.outputs[0], leave.inputs[0])
    carrier.modifiers.new("Instances", "NODES").node_group = group


def looking_camera(name, location, target, **settings):
    """A camera at a place that looks at another; the settings are those of its data."""
    data = bpy.data.cameras.new(name)
    for setting, value in settings.items():
        setattr(data, setting, value)
    obj = link(bpy.data.objects.new(name, data))
    way = Vector(target) - Vector(location)
    obj.matrix_world = Matrix.LocRotScale(location, way.to_track_quat("-Z", "Y"), None)
    return obj


def evaluated_mesh(obj):
    """The object and its mesh as evaluated, for comparing with."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    mesh.calc_loop_triangles()
    return mesh


def down(raypick, x, y, **options):
    """Cast straight down from z = 10."""
    return raypick.api.ray_cast(bpy.context, (x, y, 10.0), (0.0, 0.0, -1.0), **options)


def height(raypick, x=0.25, y=0.5):
    """Height of what is at (x, y), or None."""
    hits = down(raypick, x, y)
    return hits[0].point[2] if hits else None
