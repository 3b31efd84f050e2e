# SPDX-License-Identifier: GPL-3.0-or-later
"""Survey View goes on while Blender is used, ends cleanly, and keeps what is done."""

import time

import numpy as np
import pytest

from tests.windowed.hand import (
    in_viewport,
    is_running,
    middle_of,
    scene_state,
    set_up_inspection,
    start,
)
from tests.windowed.surveys import FACE, begin, pixels, wait_for_end
from tests.windowed.views import CAMERA, WHOLE

pytestmark = [pytest.mark.beside, pytest.mark.wide]

UNDO = "bpy.ops.ed.undo()"
REDO = "bpy.ops.ed.redo()"
MODAL = "[[o.bl_idname for o in w.modal_operators] for w in bpy.context.window_manager.windows]"
IMAGES = "sorted(image.name for image in bpy.data.images)"
MODULES = """
from bl_ext.user_default.raypick.session import survey
from bl_ext.user_default.raypick.operators import survey_view
bpy.ops.ed.undo_push(message="begin")
result = None
"""

IMAGE_EDITOR = """
editor = next(a for a in viewport()[0].screen.areas if a.type == "DOPESHEET_EDITOR")
editor.type, editor.ui_type = "IMAGE_EDITOR", "IMAGE_EDITOR"
result = None
"""

BESIDE = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.screen.area_split(direction="VERTICAL", factor=0.6)
editor = next(each for each in viewport()[0].screen.areas if each != area)
editor.ui_type = "IMAGE_EDITOR"
result = None
"""

ZOOM = """
main = next(each for each in editor.regions if each.type == "WINDOW")
with bpy.context.temp_override(window=viewport()[0], area=editor, region=main):
    bpy.ops.image.view_zoom_ratio(ratio=3.0)
result = None
"""

COUNT_TICKS = """
class COUNT_OT_ticks(bpy.types.Operator):
    bl_idname, bl_label = "count.ticks", "Count Ticks"
    def invoke(self, context, event):
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}
    def modal(self, context, event):
        global ticks
        ticks += event.type == "TIMER"
        return {"CANCELLED"} if ticks < 0 else {"PASS_THROUGH"}
ticks = 0
bpy.utils.register_class(COUNT_OT_ticks)
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.count.ticks("INVOKE_DEFAULT")
result = None
"""


@pytest.fixture
def strip(blender):
    """Show the strip with two more behind it, with an undo step of it."""
    set_up_inspection(blender, more=MODULES)
    yield blender
    end(blender)


@pytest.fixture
def whole_strip(blender):
    """Show the same in a window with other editors and a status bar."""
    set_up_inspection(blender, more=MODULES, home=WHOLE)
    yield blender
    end(blender)


def end(blender):
    if blender.is_running:
        blender.py("survey_view.stop()\nsurvey._STEP_SECONDS = 0.1\nresult = None")
        blender.move(5, 5)


def begin_and_wait(blender, kind="FACE", **options):
    begin(blender, kind, **options)
    wait_for_end(blender)


def begin_slowly(blender, kind="FACE", share=0.05):
    """Start a survey that takes the smallest steps, and wait for a part of it.

    There are a hundred or more, however quick the machine is: it is not over within a few events.
    """
    blender.py("survey._STEP_SECONDS = 0.0\nresult = None")
    begin(blender, kind)
    blender.wait(f"survey.running.share > {share}")


def hints(blender):
    """The status bar's left part."""
    blender.redraw(2)
    return blender.pixels()[:20, :400].astype(int)


def assert_ended(blender):
    assert blender.py("survey.running is None and survey_view._operator is None")
    blender.move(10, 10)
    assert "RAYPICK_OT_survey_view" not in str(blender.py(MODAL))


def test_esc_keeps_what_is_done(strip):
    blender = strip
    begin_and_wait(blender)
    whole = pixels(blender, FACE)
    begin_slowly(blender, share=0.3)
    blender.key("ESC", 600, 300)
    assert_ended(blender)
    part = pixels(blender, FACE)
    done = blender.py(f"bpy.data.images[{FACE!r}]['raypick_survey']['done']")
    height, width = whole.shape[:2]
    assert 0.3 * height * width < done < height * width
    rows, rest = divmod(done, width)
    assert rest == 0
    assert (part[:rows] == whole[:rows]).all()
    assert part[:rows].any()
    assert not part[rows:].any()
    assert whole[rows:].any()


def test_blender_is_usable_meanwhile(strip):
    """Events that are not its own go on: the view is turned, and the image is not."""
    blender = strip
    begin_and_wait(blender)
    whole = pixels(blender, FACE)
    begin_slowly(blender)
    before = blender.py("view.view_matrix")
    in_viewport(blender, "bpy.ops.view3d.view_orbit(angle=0.4, type='ORBITLEFT')")
    x, y = blender.py("[region.x + 300, region.y + 200]")
    blender.move(x, y)
    blender.key("NUMPAD_7", x, y)
    blender.redraw()
    assert blender.py("survey.running is not None")
    assert blender.py("view.view_matrix") != before
    blender.py("survey._STEP_SECONDS = 0.1\nresult = None")
    wait_for_end(blender)
    assert (pixels(blender, FACE) == whole).all()


def test_nothing_is_left_when_it_ends(whole_strip):
    blender = whole_strip
    before, state = hints(blender), scene_state(blender)
    begin_slowly(blender)
    blender.py(COUNT_TICKS)
    blender.wait("ticks > 3")
    assert blender.py(MODAL)[0].count("RAYPICK_OT_survey_view") == 1
    assert (hints(blender) != before).any(axis=2).sum() > 300
    blender.key("ESC", 600, 300)
    assert_ended(blender)
    ticks = blender.py("ticks")
    time.sleep(1.0)
    blender.redraw(5)
    assert blender.py("ticks") - ticks < 5  # its own timer has many a second, that of a tip one
    blender.py("ticks = -1\nresult = None")
    blender.move(20, 20)
    blender.py("bpy.utils.unregister_class(COUNT_OT_ticks)")
    assert blender.py(MODAL) == [[]]
    after = scene_state(blender)
    state[3], after[3] = None, [name for name in after[3] if name not in state[3]]
    assert after[3] == [["Image", FACE]]
    assert (state[:2], state[4:]) == (after[:2], after[4:])


def test_undo_takes_the_image_back_in_one_step_and_redo_brings_it(strip):
    blender = strip
    begin_and_wait(blender)
    whole = pixels(blender, FACE)
    assert blender.py(IMAGES) == [FACE]
    in_viewport(blender, UNDO)
    assert blender.py(IMAGES) == []
    assert blender.py("len(bpy.data.objects)") == 3
    in_viewport(blender, REDO)
    assert (pixels(blender, FACE) == whole).all()


def test_undo_of_the_next_survey_brings_back_the_pixels_of_the_last(strip):
    blender = strip
    begin_and_wait(blender)
    first = pixels(blender, FACE)
    blender.py("view = viewport()[3]\nview.view_distance = 12.0\nresult = None")
    blender.redraw(2)
    begin_and_wait(blender)
    second = pixels(blender, FACE)
    assert (first != second).any()
    in_viewport(blender, UNDO)
    assert (pixels(blender, FACE) == first).all()
    in_viewport(blender, REDO)
    assert (pixels(blender, FACE) == second).all()


def test_it_is_shown_in_an_open_image_editor_whose_image_is_not_pinned(whole_strip):
    blender = whole_strip
    reports = len(blender.log)
    begin_and_wait(blender)
    assert f"{FACE} can be opened in an Image Editor" in blender.log[reports:]
    areas = blender.py("[a.ui_type for a in viewport()[0].screen.areas]")
    blender.py(IMAGE_EDITOR)
    reports = len(blender.log)
    begin_and_wait(blender)
    assert blender.py("editor.spaces.active.image.name") == FACE
    assert f"{FACE} is in the Image Editor" in blender.log[reports:]
    begin_and_wait(blender, kind="UV")
    assert blender.py("editor.spaces.active.image.name") == "Raypick Survey: UV"
    blender.py("editor.spaces.active.use_image_pin = True\nresult = None")
    begin_and_wait(blender)
    assert blender.py("editor.spaces.active.image.name") == "Raypick Survey: UV"
    begin_and_wait(blender, kind="UV")
    assert blender.py("editor.spaces.active.image.name") == "Raypick Survey: UV"
    after = blender.py("[a.ui_type for a in viewport()[0].screen.areas]")
    assert [each for each in after if each != "IMAGE_EDITOR"] == [
        each for each in areas if each != "TIMELINE"
    ]
    blender.reset()


def test_another_survey_leaves_the_editor_that_shows_it_as_it_is_zoomed(strip):
    blender = strip
    blender.draw_after(BESIDE)
    zoom = "editor.spaces.active.zoom[0]"
    begin_and_wait(blender)
    blender.redraw(2)
    assert blender.py(zoom) < 2.0
    blender.draw_after(ZOOM)
    begin_and_wait(blender)
    blender.redraw(2)
    assert blender.py(zoom) == pytest.approx(3.0, rel=0.01)
    blender.reset()


DISPLAY = "bpy.context.preferences.view.render_display_type = {!r}\nresult = None"
WINDOWS = "[[a.type for a in w.screen.areas] for w in bpy.context.window_manager.windows]"
PLACES = "[[s.name for s in bpy.data.screens], [i.name for i in bpy.data.images], " + WINDOWS + "]"


@pytest.fixture
def displays(whole_strip):
    """Renders are shown in windows of their own, as is Blender's default."""
    whole_strip.py(DISPLAY.format("WINDOW"))
    yield whole_strip
    whole_strip.py(DISPLAY.format("NONE"))


def test_it_is_shown_in_a_window_of_its_own_where_no_image_editor_is_open(displays):
    blender = displays
    screens, images, windows = blender.py(PLACES)
    for kind, title in (("FACE", FACE), ("UV", "Raypick Survey: UV"), ("FACE", FACE)):
        begin_and_wait(blender, kind=kind)
        assert blender.py(WINDOWS) == [*windows, ["IMAGE_EDITOR"]]
        blender.py("other = bpy.context.window_manager.windows[1]\nresult = None")
        assert blender.py("other.screen.areas[0].spaces.active.image.name") == title
    width, zoom = blender.py(
        "editor = other.screen.areas[0]\n"
        "[editor.width, editor.spaces.active.zoom[0] * bpy.data.images[0].size[0]]"
    )
    assert 0.5 * width < zoom <= width  # it is as large as fits
    blender.py(
        "with bpy.context.temp_override(window=other):\n    bpy.ops.wm.window_close()\n"
        "_, area, region, view = viewport()\nresult = None"
    )
    blender.redraw(2)
    assert blender.py(PLACES) == [screens, sorted([*images, FACE, "Raypick Survey: UV"]), windows]


def test_the_editor_may_take_the_largest_area_instead(displays):
    blender = displays
    blender.py(DISPLAY.format("AREA"))
    begin_and_wait(blender)
    (areas,) = blender.py(WINDOWS)
    assert "IMAGE_EDITOR" in areas
    assert "Render Result" not in blender.py(IMAGES)
    blender.py("area.type = 'VIEW_3D'\n_, area, region, view = viewport()\nresult = None")


def test_a_script_opens_no_window(displays):
    blender = displays
    windows = blender.py(WINDOWS)
    in_viewport(blender, "bpy.ops.raypick.survey_view('EXEC_DEFAULT', kind='FACE')")
    assert FACE in blender.py(IMAGES)
    assert blender.py(WINDOWS) == windows


def test_the_camera_is_surveyed_from_any_viewport(strip):
    blender = strip
    blender.py(CAMERA.format(kind="PERSP"))
    blender.py(
        "view.view_perspective = 'PERSP'\nrender = bpy.context.scene.render\n"
        "render.resolution_x, render.resolution_y = 90, 70\nresult = None"
    )
    begin_and_wait(blender, source="CAMERA")
    found = pixels(blender, FACE)
    faces = np.array(blender.py("api.survey(bpy.context, columns=['face'])['face']"))
    assert found.shape == (70, 90, 4)
    assert ((found[..., 3] == 1.0) == (faces >= 0)).all()
    assert 0.05 < (faces >= 0).mean() < 0.95


def test_a_scene_that_changes_ends_it_with_the_image_of_how_it_was(strip):
    blender = strip
    begin_and_wait(blender)
    whole = pixels(blender, FACE)
    reports = len(blender.log)
    begin_slowly(blender, share=0.3)
    blender.py("target.location.x += 1.0\nresult = None")
    wait_for_end(blender)
    assert_ended(blender)
    assert f"The scene changed: {FACE} is as it was, up to " in blender.log[reports:]
    part = pixels(blender, FACE)
    done = part[..., 3].any(axis=1).nonzero()[0].max()
    assert (part[:done] == whole[:done]).all()
    assert not part[done + 1 :].any()
    assert whole[done + 1 :].any()


def test_it_does_not_begin_while_another_runs_or_an_animation_plays(strip):
    blender = strip
    poll = "bpy.ops.raypick.survey_view.poll()"
    begin_slowly(blender)
    assert not blender.py(poll)
    assert blender.py("bpy.ops.raypick.stop_survey.poll()")
    blender.py("bpy.ops.raypick.stop_survey()\nresult = None")
    wait_for_end(blender)
    assert_ended(blender)
    assert blender.py(IMAGES) == [FACE]
    in_viewport(blender, UNDO)
    assert blender.py(IMAGES) == []
    in_viewport(blender, "bpy.ops.screen.animation_play()")
    in_viewport(blender, "could_begin = bpy.ops.raypick.survey_view.poll()")
    assert not blender.py("could_begin")
    in_viewport(blender, "bpy.ops.screen.animation_cancel()")
    in_viewport(blender, "could_begin = bpy.ops.raypick.survey_view.poll()")
    assert blender.py("could_begin")


def test_it_ends_the_inspector_which_has_hints_of_its_own(whole_strip):
    blender = whole_strip
    x, y = blender.position_of(middle_of(1))
    start(blender, x, y)
    assert is_running(blender)
    before = hints(blender)
    begin_and_wait(blender)
    assert not is_running(blender)
    blender.move(x + 3, y)
    assert (hints(blender) != before).any(axis=2).sum() > 100
    assert blender.py(MODAL) == [[]]


def test_another_file_ends_it_and_nothing_is_kept(strip):
    blender = strip
    begin_slowly(blender)
    blender.py("bpy.ops.wm.read_homefile(use_factory_startup=True)\nresult = None")
    blender.redraw(2)
    assert_ended(blender)
    assert FACE not in blender.py(IMAGES)


def test_a_closed_viewport_does_not_end_it(whole_strip):
    """Its rays were made when it began."""
    blender = whole_strip
    begin_slowly(blender)
    blender.py(
        "other = next(a for a in viewport()[0].screen.areas if a.type == 'OUTLINER')\n"
        "other.type = 'VIEW_3D'\narea.type = 'CONSOLE'\nresult = None"
    )
    blender.py("survey._STEP_SECONDS = 0.1\nresult = None")
    wait_for_end(blender)
    assert_ended(blender)
    assert pixels(blender, FACE).any()


def test_a_viewport_that_is_removed_ends_it_and_what_is_done_is_kept(fresh_blender):
    blender = fresh_blender
    set_up_inspection(blender, more=MODULES, home=WHOLE)
    blender.py(
        "window = viewport()[0]\n"
        "other = next(a for a in window.screen.areas if a.type == 'OUTLINER')\n"
        "other.type = 'VIEW_3D'\n"
        "region = next(r for r in other.regions if r.type == 'WINDOW')\nresult = None"
    )
    blender.redraw(2)
    there = "with bpy.context.temp_override(window=window, area=other, region=region):\n    "
    blender.py(
        "survey._STEP_SECONDS, survey._FIRST_STEP = 0.0, 1 << 8\nresult = None"
    )  # many steps
    blender.py(f"{there}bpy.ops.raypick.survey_view('INVOKE_DEFAULT', kind='FACE')\nresult = None")
    blender.wait("survey.running.share > 0.05")
    blender.py(f"{there}bpy.ops.screen.area_close()\nresult = None")
    wait_for_end(blender)
    about = blender.py(f"dict(bpy.data.images[{FACE!r}]['raypick_survey'])")
    assert 0 < about["done"] < about["pixels"]
    assert blender.py("survey.running is None and survey_view._operator is None")


def test_the_window_is_closed_or_the_extension_disabled_while_it_runs(fresh_blender):
    blender = fresh_blender
    set_up_inspection(blender)
    blender.py(MODULES)
    blender.py("bpy.ops.wm.window_new()\nresult = None")
    blender.redraw(2)
    blender.py(
        "window = next(w for w in bpy.context.window_manager.windows if w != viewport()[0])\n"
        "area = window.screen.areas[0]\narea.type = 'VIEW_3D'\n"
        "region = next(r for r in area.regions if r.type == 'WINDOW')\n"
        "with bpy.context.temp_override(window=window, area=area, region=region):\n"
        "    bpy.ops.raypick.survey_view('INVOKE_DEFAULT')\n"
        "survey._STEP_SECONDS = 0.0\nresult = None"
    )
    assert blender.py("survey.running is not None")
    blender.py(
        "with bpy.context.temp_override(window=window):\n    bpy.ops.wm.window_close()\n"
        "_, area, region, view = viewport()\nresult = None"
    )
    blender.redraw(2)
    assert_ended(blender)
    begin_slowly(blender)
    blender.py(
        "import addon_utils\naddon_utils.disable('bl_ext.user_default.raypick')\nresult = None"
    )
    blender.move(20, 20)
    blender.redraw(2)
    assert blender.py(MODAL) == [[]]
    blender.py("addon_utils.enable('bl_ext.user_default.raypick', default_set=True)\nresult = None")
    set_up_inspection(blender)
    begin(blender)
    wait_for_end(blender)
    assert pixels(blender, FACE).any()


def test_a_fault_ends_it(fresh_blender):
    """So that none is left that nothing can end."""
    blender = fresh_blender
    set_up_inspection(blender)
    blender.py(MODULES)
    begin_slowly(blender)
    blender.py(
        "def fail(*_, **__): raise ZeroDivisionError('on purpose')\n"
        "survey.running._run.step = fail\nresult = None"
    )
    blender.wait("survey.running is None")
    assert_ended(blender)
    assert "on purpose" in blender.new_traceback()
    blender.key("ESC", 5, 5)  # Blender's own message
    begin(blender)
    wait_for_end(blender)
    assert pixels(blender, FACE).any()
