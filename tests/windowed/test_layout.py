# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of the sidebar are readable: at its default width in all languages, and when narrow."""

import re
from pathlib import Path

import pytest

from tests.windowed.hand import middle_of, press_hotkey, set_up_inspection

MEASURED = Path(__file__).with_name("measured.py").read_text(encoding="utf-8")

NARROWEST = 165

# No operator sets the width of a region: it is written where Blender keeps it, behind the numbers
# for a region of buttons on the right side.
SET_WIDTH = """
import ctypes
shorts = (ctypes.c_short * 512).from_address(sidebar.as_pointer())
at = next(i for i in range(500) if shorts[i : i + 2] == [4, 4])
before = shorts[at + 3]
shorts[at + 3] = round({width} / bpy.context.preferences.system.ui_scale)
space.show_region_tool_header = not space.show_region_tool_header
before
"""

UNSET_WIDTH = """
shorts[at + 3] = {before}
space.show_region_tool_header = True
result = None
"""


@pytest.fixture
def kept(blender):
    """A kept pick of the strip, shown in the sidebar."""
    set_up_inspection(blender)
    blender.py("sidebar.active_panel_category = 'Raypick'\nresult = None")
    x, y = blender.position_of(middle_of(1))
    press_hotkey(blender, x, y)
    blender.move(5, 5)
    blender.redraw(2)


@pytest.fixture
def narrow(blender, kept):
    """The sidebar as narrow as panels stay in it; its pixels."""
    before = blender.py(SET_WIDTH.format(width=NARROWEST))
    blender.redraw(3)
    yield
    blender.py(UNSET_WIDTH.format(before=before))
    blender.redraw(2)


@pytest.fixture(params=["en_US", "fr_FR", "zh_HANS"])
def language(blender, request):
    blender.py(
        "preferences = bpy.context.preferences.view\n"
        f"preferences.language = {request.param!r}\n"
        "preferences.use_translate_interface = True\nresult = None"
    )
    yield request.param
    blender.py("preferences.language = 'en_US'\nresult = None")


@pytest.mark.parametrize("state", ["hit", "miss", "nothing", "landmark"])
def test_no_label_is_cut_off_at_the_default_width(blender, kept, language, state):
    if state == "miss":
        blender.py("bpy.ops.raypick.cast(origin=(50, 50, 50))\nresult = None")
    elif state == "nothing":
        blender.py("current.show(None)\nresult = None")
    elif state == "landmark":
        blender.py(
            "from bl_ext.user_default.raypick import api\n"
            "api.landmarks.add(bpy.context, current.kept().hit, 'nasion')\n"
            "bpy.ops.raypick.type_template('EXEC_DEFAULT', names='nasion, gnathion, alare')\n"
            "current.show(None)\nresult = None"
        )
    blender.py(MEASURED)
    blender.redraw()
    assert blender.py("len(drawn_lines())") > 10
    assert blender.py("cut_off(sidebar.width)") == []


def test_letters_of_components_stay_in_a_narrow_sidebar(blender, narrow):
    """What a letter shows is white; without it there is only the panel's background."""
    width, height, x, y = blender.py("[sidebar.width, sidebar.height, sidebar.x, sidebar.y]")
    assert width == NARROWEST
    pixels = blender.pixels()[y : y + height, x : x + width].astype(int).max(axis=2)
    column = pixels[::-1, 20:38] > 150
    rows = "".join("#" if row.any() else "." for row in column)
    assert len(re.findall("#{5,12}", rows)) > 12, rows
