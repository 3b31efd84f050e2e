# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene of the demonstration and of the manual's pictures; runs in Blender."""

import bpy
from mathutils import Matrix, Vector

WIDTH, HEIGHT = 960, 600


def build_scene() -> None:
    """Suzanne subdivided, cones by Geometry Nodes, a sphere by a collection, a floor, a camera."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=14)
    name_and_paint("Floor", (0.09, 0.12, 0.16))
    bpy.ops.mesh.primitive_monkey_add(location=(0, 0, 1.1), rotation=(-0.5, 0, 0))
    suzanne = name_and_paint("Suzanne", (0.45, 0.2, 0.1))
    subdivision = suzanne.modifiers.new("Subdivision", "SUBSURF")
    subdivision.levels = subdivision.render_levels = 1
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.35, location=(0.3, -1.7, 0.35))
    instance(name_and_paint("Pearl", (0.1, 0.3, 0.32)), (-0.2, 0.3, 0))
    bpy.ops.mesh.primitive_circle_add(vertices=7, radius=2.3, location=(0, 0, 0.45))
    scatter(name_and_paint("Ring", (0.12, 0.25, 0.1)))
    scene = bpy.context.scene
    scene.camera = add_camera((0, -6.2, 2.6), (0, 0, 0.8), 40)
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.resolution_percentage = 100


def name_and_paint(name: str, color: tuple[float, float, float]) -> bpy.types.Object:
    """Name the object just added, and give it a colour."""
    obj = bpy.context.view_layer.objects.active
    obj.name = obj.data.name = name
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*color, 1)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*color, 1)
    obj.data.materials.append(material)
    return obj


def instance(obj: bpy.types.Object, offset: tuple[float, float, float]) -> None:
    """Replace an object by an instance of a collection that contains it."""
    collection = bpy.data.collections.new("Jewels")
    bpy.context.scene.collection.objects.unlink(obj)
    collection.objects.link(obj)
    empty = bpy.data.objects.new("Setting", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    empty.location = offset
    bpy.context.scene.collection.objects.link(empty)


def scatter(carrier: bpy.types.Object) -> None:
    group = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes, connect = group.nodes, group.links.new
    entry, leave = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    cone, paint = nodes.new("GeometryNodeMeshCone"), nodes.new("GeometryNodeSetMaterial")
    points = nodes.new("GeometryNodeInstanceOnPoints")
    cone.inputs["Radius Bottom"].default_value = 0.35
    cone.inputs["Depth"].default_value = 0.9
    paint.inputs["Material"].default_value = carrier.data.materials[0]
    points.inputs["Rotation"].default_value = (0.2, 0.1, 0.4)
    connect(cone.outputs["Mesh"], paint.inputs["Geometry"])
    connect(entry.outputs[0], points.inputs["Points"])
    connect(paint.outputs["Geometry"], points.inputs["Instance"])
    connect(points.outputs[0], leave.inputs[0])
    carrier.modifiers.new("Scatter", "NODES").node_group = group


def add_camera(place: tuple, target: tuple, lens: float) -> bpy.types.Object:
    obj = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    facing = (Vector(place) - Vector(target)).to_track_quat("Z", "Y").to_matrix().to_4x4()
    obj.matrix_world = Matrix.Translation(place) @ facing
    obj.data.lens = lens
    bpy.context.scene.collection.objects.link(obj)
    return obj
