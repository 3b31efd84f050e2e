# SPDX-License-Identifier: GPL-3.0-or-later
"""What another add-on's callbacks are told of the user's clicks and keys, and how undo goes on."""

import pytest

from tests.windowed.hand import choose_tool, middle_of, press_hotkey, start
from tests.windowed.landmarks import names, set_up_landmarks, undo

pytestmark = pytest.mark.wide

CALLBACKS = """
import traceback
told = []

def note(context, what):
    drawing = [frame.name for frame in traceback.extract_stack() if "draw" in frame.name]
    told.append([what, context.area.type, drawing])

def put(context, name):
    context.scene.collection.objects.link(bpy.data.objects.new(name, None))

@api.on_pick
def picked(context, pick):
    note(context, pick.hit and [pick.hit.object, pick.hit.face])
    put(context, "Put by pick")
    bpy.ops.ed.undo_push(message="Put")

@api.on_landmark
def marked(context, event):
    note(context, [event.what, event.object.name, event.landmark.name])
    put(context, "Put by landmark")

result = None
"""

PUT = "sorted(each.name for each in bpy.data.objects if each.name.startswith('Put'))"


@pytest.fixture
def place(blender):
    """Where the window shows a face of the strip, on which A, B and C are; and the callbacks."""
    set_up_landmarks(blender)
    blender.py(CALLBACKS)
    yield lambda face, share=0.0: blender.position_of(
        tuple(x + share for x in middle_of(face)[:2]) + middle_of(face)[2:]
    )
    blender.py(
        "inspect.stop()\n[api.remove_callback(each) for each in (picked, marked)]\nresult = None"
    )
    choose_tool(blender, "builtin.select_box")
    blender.move(5, 5)


def told(blender):
    """What the callbacks were told since the last time; in the viewport, and not while drawing."""
    found = blender.py("last, told[:] = told[:], []\nlast")
    assert all(area == "VIEW_3D" and not drawing for _, area, drawing in found)
    return [what for what, _, _ in found]


def test_a_click_of_the_tool_is_a_pick_and_undo_takes_back_what_the_callback_did(blender, place):
    choose_tool(blender)
    blender.move(*place(0))
    assert told(blender) == []
    blender.click(*place(0))
    assert told(blender) == [["Target", 0]]
    assert blender.py(PUT) == ["Put by pick"]
    undo(blender)
    assert (blender.py(PUT), told(blender)) == ([], [])
    undo(blender, redo=True)
    assert (blender.py(PUT), told(blender)) == (["Put by pick"], [])


def test_the_hotkey_is_a_pick(blender, place):
    press_hotkey(blender, *place(1))
    assert told(blender) == [["Target", 1]]
    assert blender.py(PUT) == ["Put by pick"]
    undo(blender)
    assert (blender.py(PUT), told(blender)) == ([], [])


def test_a_click_of_the_inspector_is_a_pick_and_its_key_adds_a_landmark(blender, place):
    start(blender, *place(0))
    blender.move(*place(1))
    assert told(blender) == []
    blender.click(*place(1))
    assert told(blender) == [["Target", 1]]
    blender.key("M", *place(1))
    assert told(blender) == [["added", "Target", "Landmark.001"]]
    undo(blender)
    assert (blender.py(PUT), names(blender)) == (["Put by pick"], ["A", "B", "C"])


def test_a_click_of_the_landmark_tool_adds_one_and_a_drag_moves_it_once(blender, place):
    choose_tool(blender, "raypick.landmark_tool")
    blender.click(*place(0, 0.2))
    assert told(blender) == [["added", "Target", "Landmark.001"]]
    undo(blender)
    assert (blender.py(PUT), names(blender), told(blender)) == ([], ["A", "B", "C"], [])
    x, y = place(1)
    blender.event("LEFTMOUSE", "PRESS", x, y)
    for step in (12, 20, 28):
        blender.move(x + step, y)
        assert told(blender) == []
    blender.event("LEFTMOUSE", "RELEASE", x + 28, y)
    assert told(blender) == [["moved", "Target", "B"]]
    assert blender.py(PUT) == ["Put by landmark"]
    undo(blender)
    assert (blender.py(PUT), told(blender)) == ([], [])
