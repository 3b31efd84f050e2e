# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes: drag over what a viewport shows to draw a curve on it, from surface to surface.

Run it in the text editor, then search a 3D viewport for *Draw on Surfaces* (F3).
"""

import importlib

import addon_utils
import bpy


class CURVE_OT_draw_on_surfaces(bpy.types.Operator):
    """Drag over surfaces to draw a curve on them; Esc takes it back"""

    bl_idname, bl_label, bl_options = "curve.draw_on_surfaces", "Draw on Surfaces", {"UNDO"}
    scene = space = curve = line = None

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        there, is_button = self.api.under_mouse(context, event), event.type == "LEFTMOUSE"
        if event.type in {"ESC", "RIGHTMOUSE"}:
            bpy.data.batch_remove([self.curve, self.curve.data] if self.curve else [])
            return self.cancel(context) or {"CANCELLED"}
        if self.scene is None:
            if there is None or not is_button or event.value == "RELEASE":
                return {"PASS_THROUGH"}  # until the drag begins, one can turn the view
            self.space, self.scene = there.space, self.api.frozen(context, space=there.space)
        elif is_button:
            return self.cancel(context) or {"FINISHED" if self.curve else "CANCELLED"}
        if is_button or event.type == "MOUSEMOVE":
            hits = self.scene.pick(*there) if there and there.space == self.space else []
            self.line = self.drawn_to(context, hits[0]) if hits else None
        return {"RUNNING_MODAL"}

    def cancel(self, context):  # Blender calls it too, such as when another file is opened
        if self.scene is not None:
            self.scene.close()

    def drawn_to(self, context, hit):
        """Draw to a hit, or begin there, and return the line."""
        if self.curve is None:
            self.curve = bpy.data.objects.new("Stroke", bpy.data.curves.new("Stroke", "CURVE"))
            self.curve.data.dimensions, self.curve.data.bevel_depth = "3D", 0.01
            context.collection.objects.link(self.curve)
        line = self.line or self.curve.data.splines.new("POLY")  # which begins with a point
        if self.line:
            line.points.add(1)
        line.points[-1].co = (*hit.point, 1)
        return line


bpy.utils.register_class(CURVE_OT_draw_on_surfaces)
