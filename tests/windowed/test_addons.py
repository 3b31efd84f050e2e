# SPDX-License-Identifier: GPL-3.0-or-later
"""An add-on built on Raypick, as docs/addons.md has it, whose modal operator outlives Raypick."""

import re

from checkout import ROOT
from tests.windowed.hand import in_viewport, middle_of, set_up_inspection

PAGE = (ROOT / "docs" / "addons.md").read_text(encoding="utf-8")
FINDER, PICK, *_ = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
INDENTED = PICK.replace("\n", "\n        ")

ADD_ON = f"""
import bpy
said, faces, ends = [], [], []

class OUTLIVE_OT_raypick(bpy.types.Operator):
    bl_idname, bl_label = "outlive.raypick", "Pick while the mouse moves"

    def invoke(self, context, event):
        globals().update(found())
        context.window_manager.modal_handler_add(self)
        return {{"RUNNING_MODAL"}}

    def modal(self, context, event):
        if event.type != "MOUSEMOVE":
            return {{"PASS_THROUGH"}}
        result = self.answer(context, event)
        ends.extend(result or ())
        return result or {{"RUNNING_MODAL"}}

    def answer(self, context, event):
        region, region_data = context.region, context.region_data
        pixel = event.mouse_region_x + 0.5, event.mouse_region_y + 0.5
        {INDENTED}
        faces.append([hit.face for hit in hits])

def found():
    names = {{}}
    exec({FINDER!r}, names)
    return {{"api": names["api"]}}

bpy.utils.register_class(OUTLIVE_OT_raypick)
NAME = "bl_ext.user_default.raypick"

def handlers():
    lists = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)]
    every = [each for handlers in lists if isinstance(handlers, list) for each in handlers]
    return [each.__qualname__ for each in every if each.__module__.startswith(NAME)]

result = None
"""

START = 'bpy.ops.outlive.raypick("INVOKE_DEFAULT")'


def test_a_modal_operator_ends_well_when_raypick_is_disabled(fresh_blender):
    blender = fresh_blender
    set_up_inspection(blender)
    x, y = map(round, blender.position_of(middle_of(0)))
    blender.py(ADD_ON)
    in_viewport(blender, START)
    blender.move(x, y)
    blender.wait("faces")
    assert blender.py("faces[-1], api.__name__") == [[0], "bl_ext.user_default.raypick.api"]

    blender.py("bpy.ops.preferences.addon_disable(module=NAME)\nresult = None")
    blender.move(x + 1, y)
    blender.wait("ends")
    assert blender.py("ends, handlers()") == [["CANCELLED"], []]

    blender.py("bpy.ops.preferences.addon_enable(module=NAME)\nfaces.clear()\nresult = None")
    in_viewport(blender, START)
    blender.move(x, y)
    blender.wait("faces")
    assert blender.py("faces[-1]") == [0]
