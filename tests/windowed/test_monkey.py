# SPDX-License-Identifier: GPL-3.0-or-later
"""A monkey at mouse and keyboard: no traceback, nothing left behind, the scene as it was."""

import pytest

from tests.windowed.hand import choose_tool, hotkey, scene_state, set_up_inspection
from tests.windowed.looks import move, press, send

pytestmark = pytest.mark.wide

EVENTS = 500

DRAWN = 0.4
"""The share of events after which Blender draws before the next; a quick hand is not waited for."""

LEFT_BEHIND = """
from bpy.app import handlers
[
    sorted(
        f"{name} {handler.__module__}.{handler.__name__}"
        for name in dir(handlers)
        if isinstance(getattr(handlers, name), list)
        for handler in getattr(handlers, name)
    ),
    [item.idname for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps
     for item in keymap.keymap_items],
    sorted(name for name in dir(bpy.types) if name.startswith("RAYPICK_")),
    len(overlay._handles),
]
"""

KEYS = [
    {"key": "ESC"},
    {"key": "RET"},
    {"key": "NUMPAD_5"},
    {"key": "NUMPAD_1"},
    {"key": "NUMPAD_7"},
    {"key": "NUMPAD_PLUS"},
    {"key": "HOME"},
    {"key": "Z", "shift": True},
    {"key": "Z", "shift": True, "alt": True},
    {"key": "N"},
]


def test_five_hundred_random_events_do_no_harm(blender, rng):
    set_up_inspection(blender)
    blender.py("from bl_ext.user_default.raypick import overlay\nresult = None")
    blender.py("bpy.ops.ed.undo_push(message='set up')")
    choose_tool(blender)
    keys = [hotkey(blender, "raypick.inspect"), hotkey(blender), *KEYS]
    before, registered = scene_state(blender), blender.py(LEFT_BEHIND)
    x0, y0, width, height = blender.py("[region.x, region.y, region.width, region.height]")
    # Away from toolbar, headers, sidebar and gizmos: their buttons change what they are for.
    x, y = x0 + width // 3, y0 + height // 3
    events = []
    for _ in range(EVENTS):
        kind = rng.choice(["move", "wheel", "click", "key", "orbit"], p=[0.4, 0.2, 0.2, 0.15, 0.05])
        if kind == "move":
            x = int(rng.integers(x0 + 80, x0 + int(width * 0.6)))
            y = int(rng.integers(y0 + int(height * 0.15), y0 + int(height * 0.75)))
            events += move(x, y)
        elif kind == "wheel":
            wheel = str(rng.choice(["WHEELUPMOUSE", "WHEELDOWNMOUSE"]))
            held = {"ctrl": bool(rng.random() < 0.5)}
            events.append({"type": wheel, "value": "PRESS", "x": x, "y": y, **held})
        elif kind == "click":
            events += press(x, y)
        elif kind == "key":
            events += press(x, y, **keys[rng.integers(len(keys))])
        else:
            down, up = press(x, y, "MIDDLEMOUSE")[1:]
            events += [down, *move(x + 15, y + 10), up | {"x": x + 15, "y": y + 10}]
        if rng.random() < DRAWN:
            send(blender, events)
            events = []
    send(blender, events)
    blender.redraw()
    picks = blender.py("len(history.records())")
    blender.py("inspect.stop()\nresult = None")
    choose_tool(blender, "builtin.select_box")
    blender.move(x, y)
    assert picks > 5
    assert scene_state(blender) == before
    assert blender.py(LEFT_BEHIND) == registered
