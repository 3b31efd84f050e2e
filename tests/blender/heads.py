# SPDX-License-Identifier: GPL-3.0-or-later
"""A head that deforms, with landmarks on it, and where these are by formulas of their own."""

import bpy
import numpy as np
from mathutils import Matrix

from .scenes import link, mesh_object, suzanne


def head(triangulated=True):
    """A head with a shape key and an armature, of triangles or of triangles and quads, turned."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    obj = suzanne()
    if triangulated:
        bpy.ops.object.modifier_add(type="TRIANGULATE")
        bpy.ops.object.modifier_apply(modifier=obj.modifiers[0].name)
    obj.name = "Head"
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Smile")
    for point in key.data:
        point.co.x *= 1.0 + 0.2 * point.co.z
        point.co.y += 0.1 * point.co.x * point.co.z
    key.value = 0.7
    group = obj.vertex_groups.new(name="Bone")
    group.add(range(len(obj.data.vertices)), 1.0, "REPLACE")
    modifier = obj.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    rig.pose.bones[0].rotation_mode = "XYZ"
    rig.pose.bones[0].rotation_euler = (0.3, 0.2, -0.4)
    obj.matrix_world = Matrix.LocRotScale(
        (0.5, -1.0, 2.0), Matrix.Rotation(0.7, 3, (1, 2, 3)).to_quaternion(), (1.5, 1.0, 0.8)
    )
    bpy.context.view_layer.update()
    return obj


def animate(obj):
    """Have the head's shape key and bone move over the frames 1 to 20."""
    key = obj.data.shape_keys.key_blocks["Smile"]
    bone = obj.modifiers["Armature"].object.pose.bones[0]
    for frame, value in ((1, 0.0), (20, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
        bone.rotation_euler.x = value
        bone.keyframe_insert("rotation_euler", frame=frame)


def mark(raypick, obj, count=12, seed=7, set="Face"):
    """Landmarks on an object where rays from around hit it; return their records."""
    rng = np.random.default_rng(seed)
    center = np.array(obj.matrix_world.translation)
    records = []
    while len(records) < count:
        direction = rng.normal(size=3)
        origin = center - 20 * direction / np.linalg.norm(direction)
        target = center + rng.uniform(-0.5, 0.5, 3)
        hits = raypick.api.ray_cast(bpy.context, origin, target - origin)
        if hits and hits[0].object == obj.name:
            name = f"point {len(records)}"
            records.append(raypick.api.landmarks.add(bpy.context, hits[0], name, set))
    return records


def copy_of(obj, name="Copy"):
    """Another object with the mesh, modifiers and pose of one, without its landmarks."""
    other = obj.copy()
    other.name = name
    other.data = obj.data.copy()
    other.animation_data_clear()
    if "raypick_landmarks" in other:
        del other["raypick_landmarks"]
    link(other)
    bpy.context.view_layer.update()
    return other


def exported_triangles(obj):
    """World vertices (V, 3) and triangles (T, 3) of an evaluated object, as exporters have them."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    matrix = np.array(evaluated.matrix_world)
    local = np.array([vertex.co[:] for vertex in mesh.vertices])
    triangles = np.array([triangle.vertices for triangle in mesh.loop_triangles])
    evaluated.to_mesh_clear()
    return local @ matrix[:3, :3].T + matrix[:3, 3], triangles


def bent_polygon():
    """A hexagon that is not flat, and one that is, which Blender cuts otherwise than as fans."""
    ring = [(2, 0, 0), (1, 2, 0.2), (-1, 1.5, 0), (-2, 0, 0.3), (-1, -2, 0), (1, -1.5, -0.2)]
    flat = [(x + 6, y, 0) for x, y, _ in ring]
    return mesh_object("Plates", [*ring, *flat], [range(6), range(6, 12)])
