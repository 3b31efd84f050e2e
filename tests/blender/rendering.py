# SPDX-License-Identifier: GPL-3.0-or-later
"""What a render sees: the scene as Blender evaluates it for an engine of any kind."""

import bpy


def rendered(check):
    """What a function returns for the depsgraph of a render of the scene."""
    answers = []

    class Engine(bpy.types.RenderEngine):
        bl_idname = "RAYPICK_TEST"
        bl_label = "Test"

        def render(self, depsgraph):
            try:
                answers.append((check(depsgraph), None))
            except Exception as error:  # raised again, outside of the render
                answers.append((None, error))
            self.end_result(self.begin_result(0, 0, 4, 4))

    scene = bpy.context.scene
    render = scene.render
    render.resolution_x = render.resolution_y = 4
    render.resolution_percentage = 100
    if scene.camera is None:
        scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(scene.camera)
    bpy.utils.register_class(Engine)
    try:
        render.engine = Engine.bl_idname
        bpy.ops.render.render()
    finally:
        bpy.utils.unregister_class(Engine)
    ((answer, error),) = answers
    if error is not None:
        raise error
    return answer
