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

    bl_idname, bl_label, bl_options = "mesh.paint_faces", "Paint Faces", {"UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj and obj.type == "MESH" and obj.mode == "OBJECT" and obj.data.is_editable

    def invoke(self, context, event):
        names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
        self.api = importlib.import_module(max(names, key=context.preferences.addons.find) + ".api")
        self.before, self.is_down = {}, False
        return context.window_manager.modal_handler_add(self) and {"RUNNING_MODAL"}

    def modal(self, context, event):
        obj, is_button = context.object, event.type == "LEFTMOUSE"
        if event.type in {"ESC", "RIGHTMOUSE"}:
            for face, material in self.before.items():
                obj.data.polygons[face].material_index = material
                obj.data.update()
            return {"CANCELLED"}
        if is_button and self.is_down:  # until it is released
            return {"FINISHED" if self.before else "CANCELLED"}
        there = self.poll(context) and self.api.under_mouse(context, event)
        self.is_down |= bool(is_button and there and event.value != "RELEASE")
        if not (there and self.is_down):
            return {"RUNNING_MODAL" if self.is_down else "PASS_THROUGH"}
        rays = self.api.camera(*there[:2]).rays(BRUSH + there.position)
        wanted = {"columns": ["object", "original_face"], "space": there.space}
        hits = self.api.cast_rays(context, *rays, **wanted)
        row = [*zip(hits.objects, hits.libraries, strict=True)].index((obj.name, None))
        seen = (hits["object"] == row) & (hits["original_face"] >= 0)  # the rest is unknown
        for face in set(hits["original_face"][seen].tolist()):
            self.before.setdefault(face, obj.data.polygons[face].material_index)
            obj.data.polygons[face].material_index = obj.active_material_index
        obj.data.update()
        return {"RUNNING_MODAL"}


bpy.utils.register_class(MESH_OT_paint_faces)
