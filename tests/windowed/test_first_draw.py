# SPDX-License-Identifier: GPL-3.0-or-later
"""The value of a measure is drawn in each redraw, also in the first one that needs its image.

In most of these redraws an image for texts is made anew, in the middle of Blender's drawing.
"""

import pytest

from tests.windowed.hand import IN_VIEWPORT, in_viewport
from tests.windowed.landmarks import set_up_landmarks, undo
from tests.windowed.test_landmark_overlay import PLANE, PREPARE
from tests.windowed.test_overlay import PLAIN

pytestmark = pytest.mark.beside

MEASURED = """
change(lambda each: dataclasses.replace(each, selected=False, hidden=True))
bpy.context.view_layer.objects.active = None
api.measures.add('distance', [(target, 'B'), (target, 'C')], 'HHHH')
bpy.ops.ed.undo_push(message="measured")
result = None
"""

WATCH = """
import gpu, numpy as np
from bl_ext.user_default.raypick import settings
settings.preferences().landmark_labels = "ALL"
looks, drawing = [], []
def begin():
    drawing[:] = [gpu.state.active_framebuffer_get()]
def look():
    size = bpy.context.region.width, bpy.context.region.height
    read = drawing[0].read_color(0, 0, *size, 4, 0, "UBYTE")
    read.dimensions = size[0] * size[1] * 4
    whites = np.asarray(read).reshape(-1, 4)[:, :3].min(axis=1)
    looks.append([int((whites > 230).sum()), int(whites.max())])
def watch():
    kinds = (begin, "POST_VIEW"), (look, "POST_PIXEL")
    return [bpy.types.SpaceView3D.draw_handler_add(f, (), "WINDOW", when) for f, when in kinds]
watching = watch()
def unwatch():
    for each in watching:
        bpy.types.SpaceView3D.draw_handler_remove(each, "WINDOW")
result = None
"""
"""Note of each redraw of a viewport how many pixels of its overlay are white, and the whitest.

What is drawn over the scene has a framebuffer of its own, the same one all the time. Nothing in it
is white but the texts.
"""

SIZE = "settings.preferences().landmark_text_size = {}\n"

OTHER_WINDOW = """
other_window = bpy.context.window_manager.windows[1]
(other_area,) = (each for each in other_window.screen.areas if each.type == "VIEW_3D")
other = other_area.spaces.active
other.show_gizmo = other.overlay.show_text = other.overlay.show_stats = False
result = None
"""

CLOSE_OTHER_WINDOW = """
with bpy.context.temp_override(window=other_window):
    bpy.ops.wm.window_close()
result = None
"""


@pytest.fixture
def measured(blender):
    """A plain view of the strip with a measure, whose value is the only text."""
    set_up_landmarks(blender)
    blender.py(PLAIN)
    blender.py(PREPARE)
    blender.py(MEASURED)
    blender.py(WATCH)
    yield blender
    if blender.is_running:
        blender.py(
            "unwatch()\npreferences = settings.preferences()\n"
            "for name in ('text_size', 'labels'):\n"
            "    preferences.property_unset('landmark_' + name)\n"
            "bpy.context.preferences.view.ui_scale = 1.0\nresult = None"
        )


def after(blender, code, redraws=2):
    """What was seen in each redraw after some code was run."""
    blender.py(f"looks.clear()\n{code}\nresult = None")
    blender.redraw(redraws)
    looks = blender.py("looks")
    assert len(looks) >= redraws
    return looks


def are_read(looks):
    """Whether a value can be read in each redraw, as bright as where nothing is before it."""
    return all(count > 20 and brightest > 240 for count, brightest in looks)


def are_dim(looks):
    """Whether there is a text in each redraw, dimmed as behind geometry, and not a line alone."""
    return all(count == 0 and 170 < brightest < 200 for count, brightest in looks)


def are_without(looks):
    """Whether there is no text in any redraw."""
    return all(brightest < 170 for _, brightest in looks)


OPEN = """
bpy.ops.wm.open_mainfile(filepath={path!r})
_, area, region, view = viewport()
result = None
"""

ENABLED_AGAIN = """
unwatch()
bpy.ops.preferences.addon_disable(module="bl_ext.user_default.raypick")
{between}
bpy.ops.preferences.addon_enable(module="bl_ext.user_default.raypick")
watching = watch()
"""


def test_a_file_shows_it_in_the_first_redraw_of_a_new_blender(measured, fresh_blender, tmp_path):
    for name, code in (("plain", ""), ("covered", PLANE)):
        measured.py(code)
        with measured.lend(tmp_path / name) as folder:
            measured.py(f"bpy.ops.wm.save_as_mainfile(filepath={folder + '/a.blend'!r}, copy=True)")
    blender = fresh_blender
    blender.overlap_regions(False)
    blender.py(WATCH)
    with blender.lend(tmp_path / "plain") as plain, blender.lend(tmp_path / "covered") as covered:
        opened, opened_covered = (OPEN.format(path=f"{each}/a.blend") for each in (plain, covered))
        assert are_read(after(blender, opened))
        assert are_read(after(blender, ENABLED_AGAIN.format(between="")))
        assert are_dim(after(blender, ENABLED_AGAIN.format(between=opened_covered)))


@pytest.mark.parametrize("is_smooth", [False, True])
def test_each_scale_and_each_size_shows_it_in_the_first_redraw(measured, is_smooth):
    measured.smooth(is_smooth)
    for scale, size in ((1.5, 11), (0.8, 11), (1.0, 8), (1.0, 23), (2.0, 11)):
        scaled = f"bpy.context.preferences.view.ui_scale = {scale}\n"
        assert are_read(after(measured, scaled + SIZE.format(size))), (scale, size)
    measured.smooth(False)


def test_each_view_of_a_quad_view_shows_it_as_soon_as_there_are_four(measured):
    quad_view = IN_VIEWPORT.format(code="bpy.ops.screen.region_quadview()")
    looks = after(measured, SIZE.format(17) + quad_view)
    measured.py(quad_view)
    assert len(looks) >= 8
    assert all(are_read([each]) or are_dim([each]) for each in looks), "the strip may be before it"


def test_each_window_shows_it_in_the_first_redraw(measured):
    in_viewport(measured, "bpy.ops.wm.window_new()")
    measured.py(OTHER_WINDOW)
    for size in (17, 12):
        looks = after(measured, SIZE.format(size) + "other_area.tag_redraw()", redraws=3)
        assert are_read(looks)
        assert len(looks) > 3, "of both windows"
    measured.py(CLOSE_OTHER_WINDOW)


def test_hidden_and_removed_ones_are_drawn_again_in_the_first_redraw_that_shows_them(measured):
    change = "measuring.change(target, dataclasses.replace(one(), hidden={}))"
    measured.py(
        "from bl_ext.user_default.raypick.bridge.landmarks import measuring\n"
        "one = lambda: storage.read(target).measures[0]\nresult = None"
    )
    assert are_without(after(measured, f"{change.format(True)}\n{SIZE.format(17)}"))
    assert are_read(after(measured, f"{change.format(False)}\n{SIZE.format(14)}"))
    remove = "measuring.remove(target, one().id)\nbpy.ops.ed.undo_push(message='removed')\n"
    assert are_without(after(measured, remove + SIZE.format(17)))
    undo(measured)
    assert are_read(after(measured, SIZE.format(12)))
