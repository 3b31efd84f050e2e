# SPDX-License-Identifier: GPL-3.0-or-later
"""Code that runs in Blender to set up scenes and views, and an oracle that runs in the test."""

import numpy as np

EMPTY = "bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)\nresult = None"

SCENE = """
from mathutils import Matrix, Vector, Quaternion
from bl_ext.user_default.raypick import api, picked

picked.keep(None)
mesh = bpy.data.meshes.new("Target")
mesh.from_pydata({vertices!r}, [], {faces!r})
layer = mesh.uv_layers.new(name="Map")
corners = [mesh.vertices[loop.vertex_index].co for loop in mesh.loops]
layer.uv.foreach_set("vector", [c for corner in corners for c in corner[:2]])
mesh.materials.append(bpy.data.materials.new("Chalk"))
target = bpy.data.objects.new("Target", mesh)
bpy.context.scene.collection.objects.link(target)
bpy.context.view_layer.objects.active = target
_, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui = True
view.view_location = (0.4, 0.2, 0.1)
view.view_rotation = Quaternion((0.9, 0.35, 0.1, 0.2)).normalized()
view.view_distance = 6.0
view.view_perspective = "PERSP"
result = None
"""

CAMERA = """
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
bpy.context.scene.collection.objects.link(camera)
place = Vector((2.0, -4.0, 4.0))
facing = place.to_track_quat("Z", "Y").to_matrix().to_4x4()
camera.matrix_world = Matrix.Translation(place) @ facing
camera.data.shift_x, camera.data.shift_y = 0.1, -0.05
camera.data.type = {kind!r}
camera.data.ortho_scale = 5.0
bpy.context.scene.camera = camera
view.view_perspective = "CAMERA"
result = None
"""

# A folded strip: faces of three, four and five corners, none of them parallel.
VERTICES = [
    (-1.5, -1.0, 0.0),
    (0.0, -1.0, 0.2),
    (0.0, 1.0, 0.3),
    (-1.5, 1.0, 0.1),
    (1.2, -0.8, -0.1),
    (1.2, 0.9, 0.4),
    (1.9, 0.1, 0.5),
]
FACES = [(0, 1, 2, 3), (1, 4, 5, 2), (4, 6, 5)]


def set_up(blender, view):
    """Show the strip in a view: perspective, orthographic, or that of a camera of either kind."""
    blender.py(EMPTY)
    blender.redraw()
    blender.py(SCENE.format(vertices=VERTICES, faces=FACES))
    if view == "orthographic":
        blender.py("view.view_perspective = 'ORTHO'")
    elif view.startswith("camera"):
        blender.py(CAMERA.format(kind="ORTHO" if view.endswith("orthographic") else "PERSP"))
    blender.redraw(2)


def ray_of_pixel(blender, x, y):
    """The ray through a window pixel, by inverting Blender's own matrix in double precision."""
    matrix, rx, ry, width, height = blender.py(
        "[[list(row) for row in view.perspective_matrix],"
        " region.x, region.y, region.width, region.height]"
    )
    inverse = np.linalg.inv(np.array(matrix))
    ndc = 2 * (x - rx) / width - 1, 2 * (y - ry) / height - 1
    near, far = (inverse @ (*ndc, depth, 1.0) for depth in (-1.0, 1.0))
    near, far = near[:3] / near[3], far[:3] / far[3]
    return near, far - near


def expected_hit(blender, x, y, triangle):
    """Point and barycentrics where the pixel's ray meets a triangle (3, 3)."""
    a, b, c = np.array(triangle)
    origin, direction = ray_of_pixel(blender, x, y)
    columns = np.stack([b - a, c - a, -direction], axis=1)
    wb, wc, _ = np.linalg.solve(columns, origin - a)
    return a + wb * (b - a) + wc * (c - a), np.array([1 - wb - wc, wb, wc])


def last_hit(blender):
    """The values of the last pick's nearest hit, or None, once there has been a pick."""
    blender.wait("picked.last() is not None")
    return blender.py("picked.last().hits[0].as_dict() if picked.last().hits else None")
