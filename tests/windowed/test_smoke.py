# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension starts in a Blender with a window."""


def test_the_window_is_a_real_one(blender):
    assert blender.py("bpy.app.background") is False
    assert blender.py("bpy.app.version_string").startswith(blender.build.version)
    assert blender.py("viewport()[0].width, viewport()[0].height") == list(blender.size)


def test_the_extension_is_enabled(blender):
    assert "bl_ext.user_default.raypick" in blender.py("bpy.context.preferences.addons.keys()")
    assert blender.py("'pick' in dir(bpy.ops.raypick)")


def test_the_viewport_draws(blender):
    blender.reset()
    before = blender.py("draws")
    blender.redraw(3)
    assert blender.py("draws") >= before + 3
    blender.shot(f"smoke-{blender.build.label}.png")
    # The top of the start-up scene's cube stands out from the background.
    pixels = blender.pixels()
    (x, y), (ground_x, ground_y) = map(blender.position_of, [(0.5, 0.5, 1), (4.5, 4.5, 0)])
    assert pixels[y, x].min() > pixels[ground_y, ground_x].max() + 30


def test_a_simulated_click_selects(blender):
    blender.reset()
    blender.py("bpy.ops.object.select_all(action='DESELECT')")
    blender.click(*blender.position_of((0.3, 0.3, 0.3)))
    blender.wait("bpy.data.objects['Cube'].select_get()")


def test_real_input_reaches_the_window(blender_real_input):
    session = blender_real_input
    session.reset()
    session.py("bpy.ops.object.select_all(action='DESELECT')")
    session.xdo("mousemove", *session.screen_position(*session.position_of((0.3, 0.3, 0.3))))
    session.xdo("click", 1)
    session.wait("bpy.data.objects['Cube'].select_get()")
