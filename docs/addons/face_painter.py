# SPDX-License-Identifier: GPL-3.0-or-later
"""Face painter: drag to give the faces under a brush the active material of the active object.

It paints the object's own mesh, though what is seen may be subdivided or mirrored. Run it in the
text editor, then search a 3D viewport for *Paint Faces* (F3).
"""

import importlib

import addon_utils
import bpy
import numpy as np

BRUSH = np.argwhere(np.hypot(*np.mgrid[-20:21, -20:21]) <= 20) - 20  # pixels around the mouse


class MESH_OT_paint_faces(bpy.types.Operator):
    """Drag over the active object to give its faces the active material; Esc takes it back"""

    bl_idname = "mesh.paint_faces"
    bl_label = "Paint Faces"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj and obj.type == "MESH" and obj.mode == "OBJECT" and obj.data.is_editable

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        self.before = {}
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        obj = context.object
        if event.type in {"ESC", "RIGHTMOUSE"}:
            for face, material in self.before.items():
                obj.data.polygons[face].material_index = material
            obj.data.update()
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and self.before:
            return {"FINISHED"}
        there = self.api.under_mouse(context, event)
        if there is None or not (self.before or event.type == "LEFTMOUSE"):
            return {"RUNNING_MODAL" if self.before else "PASS_THROUGH"}
        rays = self.api.camera(*there[:2]).rays(BRUSH + there.position)
        hits = self.api.cast_rays(context, *rays, columns=["object", "original_face"])
        seen = (hits.names() == obj.name) & (hits["original_face"] >= 0)  # the rest is unknown
        for face in set(hits["original_face"][seen].tolist()):
            self.before.setdefault(face, obj.data.polygons[face].material_index)
            obj.data.polygons[face].material_index = obj.active_material_index
        obj.data.update()
        return {"RUNNING_MODAL"}


bpy.utils.register_class(MESH_OT_paint_faces)
