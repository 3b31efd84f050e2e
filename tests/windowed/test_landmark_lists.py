# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of landmarks under a robot's hand: they show what there is, and undo has it all."""

import json

import pytest

from tests.windowed.hand import choose_tool, in_viewport, middle_of
from tests.windowed.landmarks import (
    EYE,
    HEADER,
    LOCK,
    MARK,
    MEASURE,
    NAME,
    SET,
    TYPE,
    in_row,
    names,
    selected,
    set_up_landmarks,
    undo,
    unfold,
)
from tests.windowed.test_following import comes_to_rest

pytestmark = pytest.mark.beside

COUNT = "len(manager.raypick_landmarks)"
ROW_NAMES = "[row.name for row in manager.raypick_landmarks]"
SELECTED = "[each.name for each in api.landmarks.of('Target') if each.selected]"
COLOR = "list(manager.raypick_landmarks[1].color)"


@pytest.fixture
def shown(blender):
    """The strip with three landmarks, and their list."""
    set_up_landmarks(blender)
    unfold(blender)


def has_rows(blender, count):
    """Whether the list soon has so many rows."""
    blender.wait(f"{COUNT} == {count}")
    return True


def click_row(blender, row, across=NAME, **keys):
    blender.click(*in_row(blender, row, across), **keys)
    blender.redraw()


def test_rows_follow_scripts_undo_redo_and_the_active_object(blender, shown):
    assert has_rows(blender, 3)
    assert blender.py(ROW_NAMES) == ["A", "B", "C"]
    blender.py("api.landmarks.remove(target, 'B')\nbpy.ops.ed.undo_push(message='remove')")
    assert has_rows(blender, 2)
    undo(blender)
    assert has_rows(blender, 3)
    undo(blender, redo=True)
    assert has_rows(blender, 2)
    assert blender.py(ROW_NAMES) == ["A", "C"]
    blender.py("bpy.context.view_layer.objects.active = bpy.data.objects['Below 1']")
    blender.redraw()
    assert has_rows(blender, 0)
    blender.py("bpy.context.view_layer.objects.active = bpy.data.objects['Target']")
    blender.redraw()
    assert has_rows(blender, 2)
    blender.py("del bpy.data.objects['Target']['raypick_landmarks']")
    blender.redraw()
    assert has_rows(blender, 0)


TWO_WINDOWS = """
other_scene = bpy.data.scenes.new("Other")
other = bpy.data.objects.new("Other", target.data)
other_scene.collection.objects.link(other)
other["raypick_landmarks"] = target["raypick_landmarks"]
other_scene.view_layers[0].objects.active = other
api.landmarks.remove(other, "B")
text = target["raypick_landmarks"]
api.landmarks.remove(target, "C")
bpy.ops.wm.window_new_main()
other_window = next(w for w in bpy.context.window_manager.windows if w != viewport()[0])
other_window.scene = other_scene
result = None
"""


def test_two_windows_with_lists_of_other_lengths_come_to_rest(fresh_blender):
    blender = fresh_blender
    set_up_landmarks(blender)
    unfold(blender)
    blender.py(TWO_WINDOWS)
    blender.redraw(2)
    blender.py("target['raypick_landmarks'] = text\narea.tag_redraw()\nresult = None")
    assert has_rows(blender, 3), "those of the longer list"
    assert comes_to_rest(blender)


def test_rows_follow_a_file_that_is_loaded(blender, shown):
    blender.py(
        "import os\npath = os.path.join(bpy.app.tempdir, 'landmarks.blend')\n"
        "bpy.ops.wm.save_as_mainfile(filepath=path)\n"
        "api.landmarks.remove(target, 'B')\nresult = None"
    )
    assert has_rows(blender, 2)
    blender.py("bpy.ops.wm.open_mainfile(filepath=path)\nresult = None")
    blender.py("manager = bpy.context.window_manager\nresult = None")
    blender.redraw(2)
    assert blender.py("bpy.context.object.name") == "Target"
    assert names(blender) == ["A", "B", "C"]
    assert has_rows(blender, 3)


def test_clicks_in_the_list_select(blender, shown):
    click_row(blender, 0)
    assert selected(blender) == ["A"]
    assert blender.py("manager.raypick_landmark_active") == 0
    click_row(blender, 1, MARK)
    assert selected(blender) == ["A", "B"]
    click_row(blender, 0, MARK)
    assert selected(blender) == ["B"]
    click_row(blender, 2)
    assert selected(blender) == ["C"]
    for then in (["B"], ["A", "B"], ["A"], []):
        undo(blender)
        assert selected(blender) == then


def test_a_click_with_ctrl_renames_as_everywhere_in_blender(blender, shown):
    x, y = in_row(blender, 1, NAME)
    blender.click(x, y, ctrl=True)
    type_over(lambda key, **options: blender.key(key, x, y, **options), "nose")
    blender.redraw()
    assert names(blender) == ["A", "nose", "C"]
    undo(blender)
    assert names(blender) == ["A", "B", "C"]
    undo(blender, redo=True)
    assert names(blender) == ["A", "nose", "C"]


def type_over(key, text):
    """Replace the text of a field that is being edited."""
    key("A", ctrl=True)
    for letter in text:
        key(letter.upper(), unicode=letter)
    key("RET")


def test_real_clicks_select_and_rename(blender_real_input):
    """A person's keys and double clicks, which cannot be simulated."""
    blender = blender_real_input
    set_up_landmarks(blender)
    blender.py("sidebar.active_panel_category = 'Raypick'\nresult = None")
    blender.redraw(2)

    def point_at(x, y):
        blender.xdo("mousemove", *blender.screen_position(x - 1, y))
        blender.xdo("mousemove", *blender.screen_position(x, y))
        blender.redraw()

    x, y = blender.py("[sidebar.x + 60, sidebar.y + sidebar.height]")
    point_at(x, y - HEADER)
    blender.xdo("key", "a")
    assert has_rows(blender, 3)
    blender.redraw(2)
    point_at(*in_row(blender, 0, NAME))
    blender.xdo("click", 1)
    blender.wait(f"{SELECTED} == ['A']")
    point_at(*in_row(blender, 2, NAME))
    blender.xdo("keydown", "shift", "click", 1, "keyup", "shift")
    blender.wait(f"{SELECTED} == ['A', 'B', 'C']")
    point_at(*in_row(blender, 1, MARK))
    blender.xdo("keydown", "ctrl", "click", 1, "keyup", "ctrl")
    blender.wait(f"{SELECTED} == ['A', 'C']")
    point_at(*in_row(blender, 1, NAME))
    blender.xdo("click", 1)
    blender.wait(f"{SELECTED} == ['B']")
    blender.xdo("click", "--repeat", 2, "--delay", 60, 1)
    blender.redraw(2)
    blender.xdo("key", "ctrl+a")
    blender.xdo("type", "nose")
    blender.xdo("key", "Return")
    blender.wait("[each.name for each in api.landmarks.of('Target')] == ['A', 'nose', 'C']")
    point_at(*blender.position_of((2.5, 0.0, 0.0)))
    blender.xdo("key", "ctrl+z")
    blender.wait("[each.name for each in api.landmarks.of('Target')] == ['A', 'B', 'C']")
    assert selected(blender) == ["B"]


def test_a_new_name_is_one_step_to_undo_and_never_that_of_another(blender, shown):
    blender.py("manager.raypick_landmarks[1].name = 'A'\nresult = None")
    assert names(blender) == ["A", "A.001", "C"]
    blender.py("manager.raypick_landmarks[1].name = '  '\nresult = None")
    assert names(blender) == ["A", "A.001", "C"]
    undo(blender)
    assert names(blender) == ["A", "B", "C"]
    in_viewport(blender, "bpy.ops.raypick.rename_landmark_set('EXEC_DEFAULT', True, name='Face')")
    assert blender.py("[each.set for each in api.landmarks.of('Target')]") == ["Face"] * 3
    undo(blender)
    assert blender.py("[each.set for each in api.landmarks.of('Target')]") == ["Landmarks"] * 3


def test_a_color_that_is_dragged_is_one_step_to_undo(blender, shown):
    before = blender.py(COLOR)
    for red in (0.125, 0.25, 0.5):
        blender.py(f"manager.raypick_landmarks[1].color = ({red}, 0.5, 0.75)\nresult = None")
    blender.wait("not bpy.app.timers.is_registered(undo._push)")
    assert blender.py(COLOR) == pytest.approx([0.5, 0.5, 0.75])
    undo(blender)
    assert blender.py(COLOR) == pytest.approx(before)


@pytest.mark.parametrize(("across", "what"), [(EYE, "hidden"), (LOCK, "locked")])
def test_eye_and_lock_are_buttons_in_each_row(blender, shown, across, what):
    flags = f"[each.{what} for each in api.landmarks.of('Target')]"
    click_row(blender, 1, across)
    assert blender.py(flags) == [False, True, False]
    click_row(blender, 1, across)
    assert blender.py(flags) == [False, False, False]
    undo(blender)
    assert blender.py(flags) == [False, True, False]


def test_the_panel_tells_what_is_wrong_and_offers_nothing_that_replaces_it(blender, shown):
    for text in ("'{'", "'{\"version\": 999}'"):
        blender.py(f"bpy.data.objects['Target']['raypick_landmarks'] = {text}\nresult = None")
        blender.redraw(2)
        assert has_rows(blender, 0)
        blender.py("manager.raypick_landmark_active = 0\nresult = None")
    assert blender.py("bpy.data.objects['Target']['raypick_landmarks']") == '{"version": 999}'
    blender.shot(f"newer-{blender.build.label}.png")


def test_landmarks_whose_faces_have_changed_have_a_reason_in_their_row(blender, shown):
    blender.py(
        "import bmesh\n"
        "shape = bmesh.new()\n"
        "shape.from_mesh(mesh)\n"
        "shape.verts.new((9, 9, 9))\n"
        "shape.faces.ensure_lookup_table()\n"
        "bmesh.ops.poke(shape, faces=[shape.faces[0]])\n"
        "shape.to_mesh(mesh)\n"
        "mesh.update()\n"
        "result = None"
    )
    blender.redraw(3)
    tooltips = "[row.tooltip for row in manager.raypick_landmarks]"
    assert blender.py(tooltips) == ["The topology has changed"] * 3
    blender.shot(f"topology-{blender.build.label}.png")


def test_the_values_of_the_active_landmark_are_copied(blender, shown):
    click_row(blender, 2)
    in_viewport(blender, "bpy.ops.raypick.copy_landmark()")
    values = json.loads(blender.py("manager.clipboard"))
    assert values["name"] == "C"
    assert values["point"] == pytest.approx(middle_of(2), abs=1e-6)
    assert values["face"] == 2


def test_the_menu_is_drawn(blender, shown):
    in_viewport(blender, "bpy.ops.wm.call_menu(name='RAYPICK_MT_landmark_specials')")
    blender.redraw(2)
    blender.shot(f"landmark-menu-{blender.build.label}.png")
    x, y = blender.position_of(middle_of(1))
    blender.key("ESC", x, y)


NEXT = "storage.read(bpy.data.objects['Target']).set.next_number"


def test_a_click_on_a_hollow_mark_asks_for_this_landmark_next(blender, shown):
    in_viewport(blender, "bpy.ops.raypick.type_template('EXEC_DEFAULT', True, names='A, x, y')")
    assert has_rows(blender, 5)
    assert blender.py(NEXT) == 1
    click_row(blender, 2, MARK)
    assert blender.py(NEXT) == 2
    assert selected(blender) == []
    undo(blender)
    assert blender.py(NEXT) == 1


def test_a_template_is_typed_with_a_button_and_enter_and_placed_with_the_next_click(blender, shown):
    blender.py("api.landmarks.remove(target)\nmanager.clipboard = ''\nresult = None")
    blender.redraw(2)
    x, y = blender.py("[sidebar.x + 100, sidebar.y + sidebar.height]")
    blender.click(x, y - TYPE)
    blender.redraw(2)
    for letter in "x,y":
        key = "COMMA" if letter == "," else letter.upper()
        blender.key(key, x, y - TYPE, unicode=letter)
    blender.key("RET", x, y - TYPE)
    blender.redraw(2)
    blender.shot(f"typed-{blender.build.label}.png")
    assert names(blender) == ["x", "y"]
    blender.click(*blender.position_of(middle_of(1)))
    assert blender.py(NEXT) == 1
    choose_tool(blender, "builtin.select_box")


def test_the_set_is_a_dropdown(blender, shown):
    in_viewport(blender, "bpy.ops.raypick.add_landmark_set()")
    assert has_rows(blender, 0)
    x, y = blender.py("[sidebar.x + 60, sidebar.y + sidebar.height]")
    blender.click(x, y - SET)
    blender.redraw(2)
    blender.shot(f"sets-{blender.build.label}.png")
    blender.key("ONE", x, y - SET)  # chooses the first entry
    assert has_rows(blender, 3)


def test_page_keys_step_through_the_template_with_the_tool(blender, shown):
    choose_tool(blender, "raypick.landmark_tool")
    in_viewport(blender, "bpy.ops.raypick.type_template(names='x, y, z')")
    x, y = blender.position_of(middle_of(1))
    for key, number in (("PAGE_DOWN", 1), ("PAGE_DOWN", 2), ("PAGE_UP", 1)):
        blender.move(x, y)
        blender.key(key, x, y)
        assert blender.py(NEXT) == number
    choose_tool(blender, "builtin.select_box")
    blender.key("PAGE_DOWN", x, y)
    assert blender.py(NEXT) == 1


def test_two_selected_landmarks_are_measured_with_one_click(blender, shown):
    """With the two clicks that select them, these are three."""
    click_row(blender, 0)
    click_row(blender, 2, MARK)
    x, y = blender.py("[sidebar.x + 60, sidebar.y + sidebar.height]")
    blender.click(x, y - MEASURE)
    blender.redraw()
    assert blender.py("[each.kind for each in storage.read(target).measures]") == ["distance"]


def test_a_thousand_landmarks_are_listed(blender, shown):
    blender.py(
        "one = api.landmarks.of(target)[0]\n"
        "from dataclasses import replace\n"
        "doc = storage.read(target)\n"
        "group = doc.sets[0]\n"
        "many = tuple(replace(group.landmarks[i % 3], id=str(i), name=f'N{i}')"
        " for i in range(1000))\n"
        "storage.write(target, doc.with_set(replace(group, landmarks=many)))\n"
        "result = None"
    )
    blender.redraw()
    assert has_rows(blender, 1000)
    blender.redraw(2)
    click_row(blender, 1)
    assert selected(blender) == ["N1"]
