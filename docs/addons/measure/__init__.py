# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapping Measure: two clicks, which snap to vertices and edges, show a distance."""

import importlib
import math

import addon_utils
import blf
import bpy


class VIEW3D_OT_snapping_measure(bpy.types.Operator):
    """Click two vertices or edges to see how far apart they are; Esc ends"""

    bl_idname, bl_label, bl_options = "view3d.snapping_measure", "Snapping Measure", {"UNDO"}

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        self.ends = ()
        return context.window_manager.modal_handler_add(self) and {"RUNNING_MODAL"}

    def modal(self, context, event):
        try:
            there = self.api.under_mouse(context, event)
            if there is None or event.type != "LEFTMOUSE":
                return {"CANCELLED" if event.type in {"ESC", "RIGHTMOUSE"} else "PASS_THROUGH"}
            hits = [h for s in ("vertex", "edge") for h in self.api.pick(context, *there, snap=s)]
        except self.api.RaypickError as error:  # such as: Raypick was disabled
            return self.report({"ERROR"}, str(error)) or {"CANCELLED"}
        self.ends += next((h.point for h in hits if h.snapped and event.value == "PRESS"), ())
        if len(self.ends) == 6:
            context.scene["measured"] = self.ends  # until then, that of before stays
            there.region.tag_redraw()
        return {"FINISHED" if len(self.ends) == 6 else "RUNNING_MODAL"}


def draw():
    """Write the distance into a corner of each viewport; the scene keeps both places."""
    places, units = bpy.context.scene.get("measured"), bpy.context.scene.unit_settings
    if places and bpy.context.space_data.overlay.show_overlays:
        scale = 1 if units.system == "NONE" else units.scale_length
        length = math.dist(places[:3], places[3:]) * scale
        blf.size(0, 16 * bpy.context.preferences.system.ui_scale)
        blf.color(0, 1, 1, 1, 1)
        blf.position(0, 80, 40, 0)
        blf.draw(0, f"Distance {bpy.utils.units.to_string(units.system, 'LENGTH', length)}")


def register():
    bpy.utils.register_class(VIEW3D_OT_snapping_measure)
    draw.handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister():
    bpy.types.SpaceView3D.draw_handler_remove(draw.handle, "WINDOW")
    bpy.utils.unregister_class(VIEW3D_OT_snapping_measure)
