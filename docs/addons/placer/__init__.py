# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface Placer: click surfaces to stand linked copies of the active object on them."""

import importlib

import addon_utils
import bpy
from mathutils import Matrix, Vector


class OBJECT_OT_place_copies(bpy.types.Operator):
    """Click surfaces to stand copies of the active object there. Enter ends, Esc takes all back"""

    bl_idname, bl_label, bl_options = "object.place_copies", "Place Copies", {"UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and context.object is not None

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        if not names:
            return self.report({"ERROR"}, "Install the extension Raypick first") or {"CANCELLED"}
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        self.copies, self.dragged = [], None
        return context.window_manager.modal_handler_add(self) and {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            return bpy.data.batch_remove(self.copies) or {"CANCELLED"}
        if event.type in {"RET", "RIGHTMOUSE"}:
            return {"FINISHED"}
        if event.type.startswith(("MIDDLEMOUSE", "WHEEL", "TRACKPAD", "NDOF")):
            return {"PASS_THROUGH"}  # not all: the key of undo would take away what is placed
        try:
            there = self.api.under_mouse(context, event)
            hits = self.api.pick(context, *there, exclude=self.dragged) if there else []
        except self.api.RaypickError as error:  # such as: Raypick was disabled
            return self.report({"ERROR"}, str(error)) or {"FINISHED"}  # which can be undone
        if event.type == "LEFTMOUSE":
            self.dragged = context.object.copy() if hits and event.value != "RELEASE" else None
            if self.dragged:
                self.dragged.animation_data_clear()  # with which it would go back to its place
                context.collection.objects.link(self.dragged)
                self.copies.append(self.dragged)
        if hits and self.dragged:
            turn = Vector((0, 0, 1)).rotation_difference(hits[0].side_normal)
            upright = context.object.matrix_world.to_3x3().to_4x4()
            self.dragged.matrix_world = Matrix.LocRotScale(hits[0].point, turn, None) @ upright
        return {"RUNNING_MODAL"}


register, unregister = bpy.utils.register_classes_factory([OBJECT_OT_place_copies])
