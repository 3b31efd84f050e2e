# SPDX-License-Identifier: GPL-3.0-or-later
"""Code that runs in Blender to set up scenes and views, and an oracle that runs in the test."""

from textwrap import indent

import numpy as np

EMPTY = "bpy.ops.wm.read_homefile(use_empty=True)\nresult = None\n"
"""The start-up file, with a 3D viewport alone and nothing in its scene."""

WHOLE = "bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)\nresult = None\n"
"""Blender's own start-up file, with all its editors and workspaces."""

SCENE = """
from mathutils import Matrix, Vector, Quaternion
from bl_ext.user_default.raypick import api
from bl_ext.user_default.raypick.session import current

current.keep(None)
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

ON_THE_AREA = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    {operator}
result = None
"""

WALL = """
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d

target.hide_set(True)
wall = bpy.data.objects.new("Wall", bpy.data.meshes.new("Wall"))
wall.data.from_pydata([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [], [(0, 1, 2, 3)])
bpy.context.scene.collection.objects.link(wall)
depth = 6.0

def open_views():
    return [
        (area, region)
        for area in viewport()[0].screen.areas if area.type == "VIEW_3D"
        for region in area.regions if region.type == "WINDOW"
    ]

def put_wall(view):
    # Over a third of the view's width and height, in its middle, tilted.
    to_clip = np.array(view.window_matrix)
    at_depth = to_clip @ (0.0, 0.0, -depth, 1.0)
    width, height = at_depth[3] / to_clip[0, 0], at_depth[3] / to_clip[1, 1]
    middle = Matrix.Translation((
        -at_depth[0] / to_clip[0, 0], -at_depth[1] / to_clip[1, 1], -depth
    ))
    tilt = Quaternion((1.0, 0.2, -0.25, 0.1)).normalized().to_matrix().to_4x4()
    size = Matrix.Diagonal((width / 3, height / 3, 1.0, 1.0))
    wall.matrix_world = view.view_matrix.inverted() @ middle @ tilt @ size
    bpy.context.view_layer.update()

def reset():
    global depth
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in set(bpy.data.objects) - {target, wall}:
        bpy.data.objects.remove(other)
    depth = 6.0
    space.clip_start, space.clip_end = 0.01, 1000.0
    space.use_local_camera = space.lock_camera = space.lock_cursor = False
    space.lock_object = None
    space.shading.type = "SOLID"
    view.lock_rotation = view.use_clip_planes = False
    view.view_perspective = "PERSP"
    view.view_location = (0.4, 0.2, 0.1)
    view.view_rotation = Quaternion((0.9, 0.35, 0.1, 0.2)).normalized()
    view.view_distance = 6.0
    view.view_camera_zoom, view.view_camera_offset = 0.0, (0.0, 0.0)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.context.scene.render.resolution_x = 1920

def show_plainly():
    for each, _ in open_views():
        shown = each.spaces.active
        shown.overlay.show_overlays = shown.show_gizmo = False
        shown.shading.light, shown.shading.color_type = "FLAT", "SINGLE"
        shown.shading.single_color = (1, 0, 0)
        shown.shading.background_type = "VIEWPORT"
        shown.shading.background_color = (0, 0, 1)

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


def open_and_show(blender, home, code):
    """Read a start-up file, run code in its window, and wait until it is drawn.

    All is one request, since Blender draws after each, and that takes longer than all else.
    """
    in_window = "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
    blender.draw_after(home + in_window + indent(code, "    "))


def set_up(blender, view, more="", home=EMPTY):
    """Show the strip in a view: perspective, orthographic, or that of a camera of either kind.

    Then run more code, before anything is drawn.
    """
    code = SCENE.format(vertices=VERTICES, faces=FACES)
    if view == "orthographic":
        code += "view.view_perspective = 'ORTHO'\n"
    elif view.startswith("camera"):
        code += CAMERA.format(kind="ORTHO" if view.endswith("orthographic") else "PERSP")
    open_and_show(blender, home, code + more)


def ray_of_pixel(blender, x, y):
    """The ray through the center of a window pixel, by inverting Blender's own matrix."""
    matrix, rx, ry, width, height = blender.py(
        "[[list(row) for row in view.perspective_matrix],"
        " region.x, region.y, region.width, region.height]"
    )
    inverse = np.linalg.inv(np.array(matrix))
    ndc = 2 * (x + 0.5 - rx) / width - 1, 2 * (y + 0.5 - ry) / height - 1
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
    blender.wait("current.kept() is not None")
    return blender.py("current.kept().hits[0].as_dict() if current.kept().hits else None")


def set_up_wall(blender):
    """Show a view that a wall can be put into, and little besides."""
    code = SCENE.format(vertices=VERTICES, faces=FACES) + WALL
    hidden = "space.show_region_ui = False\nbpy.context.view_layer.update()\nreset()"
    open_and_show(blender, EMPTY, code + hidden)


def open_views(blender, steps):
    """Take steps, be they code or operators, that lead to views; return how many are open."""
    for step in steps:
        is_operator = step.startswith("bpy.ops.")
        blender.py(ON_THE_AREA.format(operator=step) if is_operator else step + "\nresult = None")
        redraw_views(blender)
    return blender.py("show_plainly()\nlen(open_views())")


def redraw_views(blender):
    """Have the 3D viewports drawn again, and nothing else."""
    before = blender.py("for each, _ in open_views():\n    each.tag_redraw()\ndraws")
    blender.wait(f"draws > {before}")
