# SPDX-License-Identifier: GPL-3.0-or-later
import bpy, numpy as np


def test_x(raypick):
    bpy.ops.mesh.primitive_monkey_add()
    cam = bpy.data.objects.new("C", bpy.data.cameras.new("C"))
    bpy.context.scene.collection.objects.link(cam)
    cam.location = (0, 0, 5)
    bpy.context.scene.camera = cam
    bpy.context.scene.render.resolution_x = 320
    bpy.context.scene.render.resolution_y = 200
    for k in (
        "OBJECT",
        "INSTANCE",
        "MATERIAL",
        "FACE",
        "TRIANGLE",
        "ORIGINAL_FACE",
        "SIDE",
        "DEPTH",
        "DISTANCE",
        "UV",
        "BARYCENTRIC",
        "NORMAL",
        "SMOOTH_NORMAL",
    ):
        assert bpy.ops.raypick.survey_view(source="CAMERA", kind=k) == {"FINISHED"}
    for im in bpy.data.images:
        p = np.empty(im.size[0] * im.size[1] * 4, np.float32)
        im.pixels.foreach_get(p)
        p = p.reshape(-1, 4)
        print(
            im.name,
            im.size[:],
            p[:, 3].mean(),
            p.max(0),
            im["raypick_survey"].to_dict(),
            im.users,
            im.packed_file.size,
        )
    bpy.ops.raypick.survey_view(source="VIEW")
