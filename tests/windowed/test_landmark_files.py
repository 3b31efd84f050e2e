# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks as files and empties, as the interface offers them: no dialog fails to draw."""

import pytest

from tests.windowed.hand import in_viewport, middle_of
from tests.windowed.landmarks import names, set_up_landmarks, undo

pytestmark = pytest.mark.beside

FOLLOWED = """
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 30
for frame, x in ((1, 0.0), (30, 3.0)):
    target.location.x = x
    target.keyframe_insert("location", frame=frame)
updates = []
bpy.app.handlers.depsgraph_update_post.append(lambda *_: updates.append(1))
result = None
"""
CLOSED = """
for window in bpy.context.window_manager.windows:
    for area in window.screen.areas:
        if area.type == "FILE_BROWSER":
            with bpy.context.temp_override(window=window, area=area):
                bpy.ops.file.cancel()
result = None
"""
FAR = """
path = bpy.app.tempdir + "far.asc"
with open(path, "w") as file:
    for x, y, z in api.landmarks.points(bpy.context, target).tolist():
        file.write(f"{x + 451000},{y + 5410000},{z + 300}\\n")
result = None
"""
CHOSEN = """
for window in bpy.context.window_manager.windows:
    for area in window.screen.areas:
        if area.type == "FILE_BROWSER":
            area.spaces.active.params.directory = bpy.app.tempdir.encode()
            area.spaces.active.params.filename = "far.asc"
            with bpy.context.temp_override(window=window, area=area):
                bpy.ops.file.execute()
result = None
"""
TEMPLATE = """
path = bpy.app.tempdir + "far.asc"
with open(path, "w") as file:
    file.write('["x", "y"]')
result = None
"""
BROWSERS = """sum(
    area.type == "FILE_BROWSER"
    for window in bpy.context.window_manager.windows
    for area in window.screen.areas
)"""
PLAYED = "bpy.context.scene.frame_current > 10"
AWAY = """[
    (each.matrix_world.translation - Vector(point)).length
    for each, point in zip(
        [each for each in bpy.data.objects if "raypick_landmark" in each],
        api.landmarks.points(bpy.context, target),
    )
]"""


@pytest.mark.parametrize(
    "operator",
    ["export_landmarks", "import_landmarks", "copy_landmark_table", "add_landmark_empties"],
)
def test_the_dialogs_draw(blender, operator):
    set_up_landmarks(blender)
    in_viewport(blender, f"bpy.ops.raypick.{operator}('INVOKE_DEFAULT')")
    blender.redraw(3)
    blender.py(CLOSED)
    blender.key("ESC", 5, 5)
    blender.redraw(2)
    assert blender.py(BROWSERS) == 0


def test_what_does_not_fit_is_imported_by_a_button_with_what_does(blender):
    set_up_landmarks(blender)
    x, y = blender.position_of((2.5, 0.0, 0.0))
    blender.move(x, y)
    blender.py(FAR)
    in_viewport(blender, "bpy.ops.raypick.import_landmarks('INVOKE_DEFAULT')")
    blender.redraw(3)
    blender.draw_after(CHOSEN)
    blender.redraw(3)
    assert len(names(blender)) == 3
    blender.move(x + 2, y)
    blender.click(x + 2, y)  # a menu opens with its first button under the mouse
    blender.wait("len(api.landmarks.of('Target')) == 6")
    assert blender.py("max(each.moved or 0 for each in api.landmarks.of('Target'))") < 1e-6
    undo(blender)
    assert len(names(blender)) == 3


def test_the_empties_follow_in_playback_and_rest_after_it(blender):
    set_up_landmarks(blender)
    blender.py(FOLLOWED)
    in_viewport(blender, "bpy.ops.raypick.add_landmark_empties(follow='EXTENSION')")
    in_viewport(blender, "bpy.ops.screen.animation_play()")
    blender.wait(PLAYED)
    in_viewport(blender, "bpy.ops.screen.animation_cancel(restore_frame=False)")
    away = blender.py(AWAY)
    assert len(away) == 3
    assert max(away) < 1e-5
    blender.redraw(3)
    before = blender.py("len(updates)")
    blender.redraw(5)
    assert blender.py("len(updates)") - before <= 1


def test_a_template_is_placed_right_after_its_file_is_accepted(blender):
    """Nothing has to be chosen in between: neither the tool nor the object."""
    set_up_landmarks(blender, names="")
    blender.py(TEMPLATE)
    in_viewport(blender, "bpy.ops.raypick.load_template('INVOKE_DEFAULT')")
    blender.wait(BROWSERS)
    blender.py(CHOSEN)
    blender.wait(f"not {BROWSERS}")
    blender.redraw(2)
    for face in (0, 2):
        blender.click(*blender.position_of(middle_of(face)))
    assert blender.py("[each.face for each in api.landmarks.of('Target')]") == [0, 2]
    assert names(blender) == ["x", "y"]
