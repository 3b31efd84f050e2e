# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes: drag over what a viewport shows to draw a curve on it, from surface to surface.

Run it in the text editor, then search a 3D viewport for *Draw on Surfaces* (F3).
"""

import importlib

import addon_utils
import bpy


class CURVE_OT_draw_on_surfaces(bpy.types.Operator):
    """Drag over surfaces to draw a curve on them; Esc takes it back"""

    bl_idname = "curve.draw_on_surfaces"
    bl_label = "Draw on Surfaces"
    bl_options = {"UNDO"}

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        self.curve = self.line = None
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in {"ESC", "RIGHTMOUSE"}:
            if self.curve is not None:
                bpy.data.curves.remove(self.curve.data)
            return {"CANCELLED"}
        is_pressed = event.type == "LEFTMOUSE" and event.value != "RELEASE"
        if self.curve is None and not is_pressed:
            return {"PASS_THROUGH"}  # until the drag begins, one can turn the view
        if event.type == "LEFTMOUSE" and not is_pressed:
            return {"FINISHED"}
        there = self.api.under_mouse(context, event)
        hits = self.api.pick(context, *there, exclude=self.curve) if there else []
        self.line = self.drawn_to(context, hits[0]) if hits else None
        return {"RUNNING_MODAL"}

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
