# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of the interface are readable: in all languages, in all states, at both usual scales."""

from pathlib import Path

import numpy as np
import pytest

from tests.windowed.hand import choose_tool, middle_of, set_up_inspection
from tests.windowed.session import Session

MEASURED = Path(__file__).with_name("measured.py").read_text(encoding="utf-8")

LANGUAGES = ("en_US", "fr_FR", "zh_HANS")
SCALES = (1.0, 2.0)
SIZE = (1280, 800)
NARROWEST = 143
MOST_OF_A_MENU = 760
"""The height of a menu that opens in a window of 800 pixels, at a scale of 1."""

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

LINES = """
def name_and_numbers(line):
    name = line.row()
    name.alignment = "LEFT"
    name.label(text="Hillside")
    for number in range(3):
        line.label(text=f"0.12{number}", translate=False)
    line.operator("raypick.inspect", text="", icon="X", emboss=False)

def label_and_value(line):
    split = line.split(factor=0.46)
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text="Elevation")
    split.label(text="Wagonhillsides")

def between(line):
    line.operator("raypick.inspect", text="", icon="TRIA_LEFT")
    middle = line.row(align=True)
    middle.alignment = "CENTER"
    middle.label(text="Hillsidewagon")
    line.operator("raypick.inspect", text="", icon="TRIA_RIGHT")

def name_and_side(line):
    line.label(text="Wagonhillside")
    side = line.row()
    side.alignment = "RIGHT"
    side.label(text="Frontal")

FLAG = next(each.identifier for each in options.bl_rna.properties if each.type == "BOOLEAN")
PROBED = (
    (lambda line: line.label(text="Hillsidewagon"), 1),
    (lambda line: line.label(text="Hillsidewagon", icon="INFO"), 1),
    (lambda line: line.operator("raypick.inspect", text="Hillsidewagon"), 1),
    (lambda line: line.operator("raypick.inspect", text="Hillsidewagon", icon="X"), 1),
    (lambda line: line.menu("RAYPICK_MT_pick", text="Hillsidewagon"), 1),
    (lambda line: line.menu("RAYPICK_MT_pick", text="Hillsidewagon", icon="X"), 1),
    (lambda line: line.prop(options, FLAG, text="Hillsidewagon"), 1),
    (lambda line: [line.label(text=text) for text in ("Hillside", "Wagons")], 2),
    (name_and_numbers, 4),
    (label_and_value, 2),
    (between, 1),
    (name_and_side, 2),
)

class RAYPICK_PT_probe(bpy.types.Panel):
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Probe"
    bl_label = "Probe"

    def draw(self, context):
        for draw, _ in PROBED:
            draw(self.layout.row(align=True))

bpy.utils.register_class(RAYPICK_PT_probe)
result = None
"""

PITCH, FIRST = 26, 47
"""From a line to the next, and from the top of the sidebar to the first, in pixels."""


@pytest.fixture(scope="module")
def screen(blender_build, extension_zip):
    """Return a running session with a window of a small screen."""
    with Session(blender_build, extension_zip, size=SIZE) as session:
        yield session


@pytest.fixture
def tab(screen):
    """Show the tab beside the strip."""
    set_up_inspection(screen)
    screen.py("sidebar.active_panel_category = 'Raypick'\nresult = None")
    screen.py(MEASURED)
    screen.redraw(2)
    yield screen
    screen.py(
        "bpy.context.preferences.view.language = 'en_US'\n"
        "bpy.context.preferences.view.ui_scale = 1.0\nresult = None"
    )
    screen.redraw(2)


def resize(screen, width):
    """Give the sidebar a width; return what it shows, the top row first, and what it had."""
    before = screen.py(SET_WIDTH.format(width=width))
    screen.redraw(2)
    x, y, across, up = screen.py("[sidebar.x, sidebar.y, sidebar.width, sidebar.height]")
    assert across == width
    return screen.pixels()[y : y + up, x : x + across][::-1].astype(int).max(axis=2), before


def texts_in(line, widths):
    """The pictures of texts of about these widths in a line that has room for them."""
    ink = np.flatnonzero((line[:, 12:-40] > 150).any(axis=0)) + 12
    runs = np.split(ink, np.flatnonzero(np.diff(ink) > 4) + 1)
    spans = iter([(run[0], run[-1] + 1) for run in runs])
    found = [next(span for span in spans if abs(span[1] - span[0] - width) < 5) for width in widths]
    return [line[:, start:end] for start, end in found]


def is_in(line, text):
    """Whether the end of a text is in a line; where it is cut off, there are dots instead."""
    end = text[:, -14:]
    windows = np.lib.stride_tricks.sliding_window_view(line, end.shape)[0]
    return np.abs(windows - end).mean(axis=(1, 2)).min() < 3.0


def test_what_is_measured_is_what_blender_draws(tab):
    """For lines of each kind that panels have, in narrower and wider sidebars."""
    tab.py(LINES)
    tab.redraw(2)
    tab.py("sidebar.active_panel_category = 'Probe'\nresult = None")
    wide, before = resize(tab, 360)
    kinds = tab.py(
        "kinds = []\n"
        "for draw, _ in PROBED:\n"
        "    layout = Layout()\n"
        "    draw(layout.row(align=True))\n"
        "    kinds.append([[text, text_width(text)] for text in layout.texts()])\n"
        "kinds"
    )
    tab.shot("probe.png")
    lines = [slice(FIRST + PITCH * at - 8, FIRST + PITCH * at + 8) for at in range(len(kinds))]
    pictures = [
        texts_in(wide[at], [width for _, width in texts])
        for at, texts in zip(lines, kinds, strict=True)
    ]
    wrong = []
    for width in (150, 170, 180, 190, 200, 215, 230, 250):
        shown, _ = resize(tab, width)
        for at, (line, texts) in enumerate(zip(lines, kinds, strict=True)):
            lacks = tab.py(
                f"layout = Layout()\nPROBED[{at}][0](layout.row(align=True))\n"
                f"layout.lacks({width} - MARGINS)"
            )
            for (text, _), picture, lack in zip(texts, pictures[at], lacks, strict=True):
                if abs(lack) > 3 and is_in(shown[line], picture) != (lack <= 0):
                    wrong.append([width, at, text, lack])
    tab.py(UNSET_WIDTH.format(before=before))
    tab.py("bpy.utils.unregister_class(RAYPICK_PT_probe)\nresult = None")
    assert wrong == []
