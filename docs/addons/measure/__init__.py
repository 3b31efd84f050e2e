# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapping Measure: two clicks, which snap to vertices and edges, show a distance."""

import importlib
import math

import addon_utils
import blf
import bpy


class VIEW3D_OT_snapping_measure(bpy.types.Operator):
    """Click two vertices or edges to see how far apart they are; Esc ends"""

    bl_idname = "view3d.snapping_measure"
    bl_label = "Snapping Measure"
    bl_options = {"UNDO"}

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        self.clicked = ()
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in {"ESC", "RIGHTMOUSE"}:
            context.scene.pop("measured", None)
            return {"CANCELLED"}
        there = self.api.under_mouse(context, event)
        if there is None or event.type not in {"MOUSEMOVE", "LEFTMOUSE"}:
            return {"PASS_THROUGH"}
        hits = [h for snap in ("vertex", "edge") for h in self.api.pick(context, *there, snap=snap)]
        for hit in [hit for hit in hits if hit.snapped][:1]:
            context.scene["measured"] = (*self.clicked, *hit.point)
            there.region.tag_redraw()
            if event.type == "LEFTMOUSE" and event.value != "RELEASE":
                self.clicked += hit.point
        return {"FINISHED"} if len(self.clicked) == 6 else {"RUNNING_MODAL"}


def draw():
    """Write the distance into a corner of each viewport; the scene keeps both places."""
    places = bpy.context.scene.get("measured", ())
    if len(places) == 6 and bpy.context.space_data.overlay.show_overlays:
        blf.position(0, 80, 40, 0)
        blf.draw(0, f"Distance {math.dist(places[:3], places[3:]):.4g}")


def register():
    bpy.utils.register_class(VIEW3D_OT_snapping_measure)
    draw.handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister():
    bpy.types.SpaceView3D.draw_handler_remove(draw.handle, "WINDOW")
    bpy.utils.unregister_class(VIEW3D_OT_snapping_measure)
