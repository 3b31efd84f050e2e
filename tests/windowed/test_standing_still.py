# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab stands still, whatever is under the mouse: no row and no panel comes, goes or moves."""

from pathlib import Path

import numpy as np
import pytest

from tests.windowed.hand import choose_tool, look, middle_of, set_up_inspection, start

pytestmark = pytest.mark.wide

OUTLINE = Path(__file__).with_name("outline.py").read_text(encoding="utf-8")

PICK = 250
"""So far down from the top of the sidebar, in pixels, the panel *Pick* may change."""

MARGIN = 8
"""Pixels of the sidebar's left side, beside the panels, where the viewport shines through."""

VALUES = tuple(f"RAYPICK_PT_{name}.draw" for name in ("details", "stack", "history"))
"""Panels, closed by default, that have rows for kept picks alone."""


@pytest.fixture
def tab(blender):
    """Show the tab, with nothing under the mouse; return what it looks like now."""
    set_up_inspection(blender)
    blender.py(
        "settings.preferences().is_new = False\n"
        "sidebar.active_panel_category = 'Raypick'\nresult = None"
    )
    blender.py(OUTLINE)
    blender.move(5, 5)
    blender.redraw(2)

    def now():
        blender.redraw(2)
        x, y, width, height = blender.py("[sidebar.x, sidebar.y, sidebar.width, sidebar.height]")
        pixels = blender.pixels()[y : y + height, x + MARGIN : x + width].astype(int)
        return blender.py("outline()"), pixels[: height - PICK], pixels[height - PICK :]

    yield now
    choose_tool(blender, "builtin.select_box")


def is_same(one, other):
    return np.abs(one - other).max() < 8


def rows(state, but=()):
    return {name: inside for name, inside in state[0].items() if name not in but}


def test_it_is_the_same_with_and_without_a_hit_hovering_kept_and_stale(blender, tab, ended):
    nothing = tab()
    choose_tool(blender)
    x, y = blender.position_of(middle_of(1))
    blender.move(x, y)
    assert look(blender, "shown") == ["Target", 1, 0]
    hovering = tab()
    blender.click(x, y)
    blender.move(5, 5)
    kept = tab()
    blender.move(*blender.position_of(middle_of(2)))
    passing = tab()
    blender.py("target.hide_set(True)\nresult = None")
    blender.move(5, 5)
    stale = tab()
    blender.py("bpy.ops.raypick.cast(origin=(50, 50, 50))\nresult = None")
    miss = tab()
    for state in (hovering, kept, passing, stale, miss):
        assert rows(state, VALUES) == rows(nothing, VALUES)
        assert is_same(state[1], nothing[1])
    for state in (hovering, kept, stale):
        assert not is_same(state[2], nothing[2]), "Pick shows what was hit"
    assert rows(hovering) == rows(nothing)
    assert rows(passing) == rows(kept)
    assert is_same(passing[2], kept[2])


def test_the_inspector_changes_values_alone(blender, tab, ended):
    before = tab()
    seen = []
    for face in (0, 1, 2):
        x, y = blender.position_of(middle_of(face))
        if not seen:
            start(blender, x, y)
        blender.move(x, y)
        assert look(blender, "shown") == ["Target", face, 0]
        seen.append(tab())
    for state in seen:
        assert rows(state) == rows(before)
        assert is_same(state[1], before[1])
    assert not is_same(seen[0][2], seen[1][2])


def test_the_landmark_tool_does_not_touch_the_pick(blender, tab):
    before = tab()
    choose_tool(blender, "raypick.landmark_tool")
    blender.move(*blender.position_of(middle_of(1)))
    assert look(blender, "hovered") == ["Target", 1, 0]
    assert look(blender, "shown") is None
    after = tab()
    assert rows(after) == rows(before)
    assert is_same(after[1], before[1])
    assert is_same(after[2], before[2])
