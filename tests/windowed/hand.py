# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does with the inspector, and what the tests read back."""

import numpy as np

from tests.windowed.views import EMPTY, FACES, VERTICES, set_up

MODULES = """
import importlib
from bl_ext.user_default.raypick.session import history, hover, current
from bl_ext.user_default.raypick import settings
from bl_ext.user_default.raypick.operators import inspect
current.show(None)
history.clear()
current.include_all()
sidebar = next(r for r in area.regions if r.type == "UI")
options = settings.preferences().options
for name in options.bl_rna.properties.keys():
    if name not in ("rna_type", "name"):
        options.property_unset(name)
result = None
"""

STACKED = """
for number in (1, 2):
    below = bpy.data.objects.new(f"Below {number}", mesh)
    below.location = view.view_rotation @ Vector((0, 0, -0.5 * number))
    bpy.context.scene.collection.objects.link(below)
result = None
"""

IN_VIEWPORT = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    {code}
result = None
"""


REPORTS = """
area.type = "INFO"
region = next(each for each in area.regions if each.type == "WINDOW")
with bpy.context.temp_override(window=viewport_window, area=area, region=region):
    area.spaces.active.show_report_info = True
    bpy.ops.info.select_all(action="SELECT")
    bpy.ops.info.report_copy()
    bpy.ops.info.report_delete()
area.type = "VIEW_3D"
region = viewport()[2]
bpy.context.window_manager.clipboard
"""


def set_up_inspection(blender, view="perspective", more="", home=EMPTY):
    """Show the strip with two more behind it, and the inspector's modules; run more code."""
    set_up(blender, view, MODULES + STACKED + more, home)


def in_viewport(blender, code):
    """Run a statement with the first viewport as context."""
    blender.py(IN_VIEWPORT.format(code=code))


def middle_of(face):
    """The middle of a face of the strip."""
    return tuple(np.mean([VERTICES[i] for i in FACES[face]], axis=0).tolist())


def hotkey(blender, operator="raypick.pick"):
    """The key of an operator's hotkey, and what is held with it, as Raypick declares them."""
    declared = blender.py(
        "from bl_ext.user_default.raypick.ui import keymap as hotkeys\n"
        f"hotkeys.HOTKEYS[{operator!r}]"
    )
    return {"key": declared.pop("type"), **declared}


def press_hotkey(blender, x, y, operator="raypick.pick"):
    """Point at a pixel and press the hotkey of an operator."""
    blender.move(x, y)
    blender.key(x=x, y=y, **hotkey(blender, operator))


def start(blender, x, y):
    """Start the inspector with its hotkey; from the second time on it ends it."""
    press_hotkey(blender, x, y, "raypick.inspect")


def open_entry(blender, x, y, key="RIGHTMOUSE"):
    """Open Blender's context menu at a pixel, and by arrow keys Raypick's entry at its end."""
    blender.move(x, y)
    for each in (key, "END", "RIGHT_ARROW"):
        blender.key(each, x, y)
        blender.redraw()


def choose_tool(blender, name="raypick.pick_tool"):
    """Take a tool from the toolbar."""
    blender.draw_after(IN_VIEWPORT.format(code=f"bpy.ops.wm.tool_set_by_id(name={name!r})"))


def is_running(blender):
    """Whether the inspector runs."""
    return blender.py("inspect.is_running()")


def look(blender, which):
    """Object, face and rank of what is ``hovered``, ``kept`` or ``shown``; None for nothing."""
    return blender.py(
        f"look = current.{which}()\n"
        "look and [look.hit and look.hit.object, look.hit and look.hit.face, look.rank]"
    )


def scene_state(blender):
    """All that picking must not change."""
    return blender.py(
        "[[o.name for o in bpy.context.selected_objects], bpy.context.mode, bpy.data.is_dirty,"
        " sorted((type(b).__name__, b.name) for b in bpy.data.user_map()),"
        " [[*map(list, o.matrix_world)] for o in bpy.data.objects],"
        " list(bpy.context.scene.cursor.location)]"
    )


def reports(blender):
    """What was reported since the last call."""
    return blender.py(f"viewport_window = viewport()[0]\n{REPORTS}").splitlines()


def color_at(blender, point, reach=1, region="region", view="view"):
    """The pixels (N, 3) around the place where a region shows a point of the world."""
    x, y = blender.py(
        "from bpy_extras.view3d_utils import location_3d_to_region_2d as seen\n"
        f"place = seen({region}, {view}, {[float(part) for part in point]})\n"
        f"[{region}.x + place.x, {region}.y + place.y]"
    )
    x, y = round(x), round(y)
    pixels = blender.pixels()[y - reach : y + reach + 1, x - reach : x + reach + 1]
    return pixels.reshape(-1, 3).astype(int)


def is_near(pixels, color, most=50):
    """Whether any of the pixels has nearly this color, of components from 0 to 1."""
    return bool((np.abs(pixels - 255 * np.array(color)).max(axis=1) < most).any())
