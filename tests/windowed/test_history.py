# SPDX-License-Identifier: GPL-3.0-or-later
"""The history of an opened file is in the list soon after it is asked for."""

from tests.windowed.hand import set_up_inspection

PICKED = """
path = bpy.app.tempdir + "/history.blend"
bpy.ops.raypick.cast(origin=(-0.7, 0.1, 9.0))
history.save_to(bpy.context.scene)
bpy.ops.wm.save_as_mainfile(filepath=path)
history.clear()
result = None
"""

ROWS = "[row.number for row in bpy.context.window_manager.raypick_history]"


def test_a_question_as_a_panel_asks_it_has_a_timer_fill_the_rows(blender):
    set_up_inspection(blender)
    blender.py(PICKED)
    blender.py("bpy.ops.wm.open_mainfile(filepath=path)")
    assert blender.py(f"[history.count(), {ROWS}]") == [0, []]
    asked = f"[len(history.records()), {ROWS}, bpy.app.timers.is_registered(history._notify)]"
    assert blender.py(asked) == [1, [], True]
    assert blender.wait(ROWS) == [0]
    assert not blender.py("bpy.app.timers.is_registered(history._notify)")
