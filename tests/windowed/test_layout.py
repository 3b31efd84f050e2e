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
SIZE = (1280, 480)
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
    side.label(text="Frontaltopmost")

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


NOTE = "the deepest place of the bridge of the nose, between the eyes: it is felt with a finger"
NAMES = ("glabella", "nasion", "pronasale", "exocanthion.L", "exocanthion.R")

IN_SIDEBAR = "with bpy.context.temp_override(window=viewport()[0], area=area, region=sidebar):\n"

CUT_OFF = """
found = {}
for step in steps:
    exec(step)
    with bpy.context.temp_override(window=viewport()[0], area=area, region=sidebar):
        found |= cut_off(sidebar.width)
found
"""

DETAILED = """
for domain in ("POINT", "EDGE", "FACE", "CORNER"):
    mesh.attributes.new(f"{domain.title()} Values", "FLOAT_VECTOR", domain)
target.location, target.scale = (0.1, 0.1, 0.0), (1.2, 1.0, 1.1)
result = None
"""

REASONS = """
from dataclasses import replace
from bl_ext.user_default.raypick.bridge import placing
from bl_ext.user_default.raypick.translations import reasons
kept = current.kept()
def say(why, reason):
    record = replace(kept, hits=tuple(replace(hit, original_reason=reason) for hit in kept.hits))
    current.show(record)
    following.stale = lambda *_: why
from bl_ext.user_default.raypick.session import following
real = following.stale
named = (getattr(placing, name) for name in dir(placing) if name.isupper())
whys = [each for each in named if isinstance(each, str) and " " in each]
whys += [following.ELSEWHERE, following.UPDATING]
texts = [form.format("Subdivision") for form in reasons._WITH_NAMES]
steps = [f"say({why!r}, {texts[0]!r})" for why in whys]
steps += [f"say(None, {text!r})" for text in texts]
result = None
"""

RUNNING = """
from types import SimpleNamespace
from bl_ext.user_default.raypick.bridge.batch.columns import IMAGES
from bl_ext.user_default.raypick.session import survey
survey.running = SimpleNamespace(label="", share=1.0)
steps = [f"survey.running.label = {image.label!r}" for _, image in IMAGES.values()]
result = None
"""

TEMPLATE = f"""
import json
from bl_ext.user_default.raypick.model.landmarks.measure import KINDS
names = {NAMES!r}
given = [{{"name": name, "description": {NOTE!r}}} for name in names]
path = bpy.app.tempdir + "/face.json"
with open(path, "w", encoding="utf-8") as file:
    json.dump({{"name": "Face", "landmarks": given}}, file)
bpy.ops.raypick.load_template(filepath=path)

def place(count):
    for x, name in zip((-1.2, -0.6, 0.3, 0.7, 1.0), names[:count]):
        hit = api.ray_cast(bpy.context, (x, 0.1, 3.0), (0, 0, -1))[0]
        api.landmarks.add(bpy.context, hit, name)
result = None
"""

LOST = """
place(5)
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.select_all(action="SELECT")
bpy.ops.mesh.subdivide()
bpy.ops.object.mode_set(mode="OBJECT")
result = None
"""

MEASURED_KINDS = """
place(5)
for kind, about in KINDS.items():
    other = bpy.data.objects["Below 1"] if kind == "clearance" else None
    api.measures.add(kind, [("Target", name) for name in names[:about.least]], other=other)
steps = [f"bpy.context.window_manager.raypick_measure_active = {n}" for n in range(len(KINDS))]
result = None
"""


def click(screen):
    screen.click(*screen.position_of(middle_of(1)))
    screen.move(5, 5)
    screen.redraw(2)


def show_hover(screen):
    screen.move(*screen.position_of(middle_of(1)))


def show_hit(screen):
    screen.py(DETAILED)
    click(screen)
    screen.event("WHEELDOWNMOUSE", "PRESS", *screen.position_of(middle_of(1)), ctrl=True)


def show_stale(screen):
    click(screen)
    screen.py("target.hide_set(True)\nresult = None")


def show_reasons(screen):
    click(screen)
    screen.py(REASONS)


STATES = {
    "nothing": "settings.preferences().is_new = False\nresult = None",
    "first": "settings.preferences().is_new = True\nresult = None",
    "hover": show_hover,
    "hit": show_hit,
    "miss": "bpy.ops.raypick.cast(origin=(50, 50, 50))\nresult = None",
    "stale": show_stale,
    "reasons": show_reasons,
    "survey": RUNNING,
    "indexing": "indexing, api.indexing = api.indexing, lambda: 0.5\nresult = None",
    "template": TEMPLATE + "place(1)",
    "placed": TEMPLATE + "place(5)",
    "lost": TEMPLATE + LOST,
    "measures": TEMPLATE + MEASURED_KINDS,
}

AFTER = {
    "reasons": "following.stale = real\nresult = None",
    "survey": "survey.running = None\nresult = None",
    "indexing": "api.indexing = indexing\nresult = None",
}


@pytest.fixture(params=STATES)
def state(tab, request):
    """The tab in one of its states."""
    tab.move(5, 5)
    choose_tool(tab)
    tab.py("steps = ['']\nresult = None")
    show = STATES[request.param]
    tab.py(show + "\nresult = None") if isinstance(show, str) else show(tab)
    tab.redraw(2)
    yield request.param
    tab.py(AFTER.get(request.param, "result = None"))
    choose_tool(tab, "builtin.select_box")


def speak(screen, language, scale):
    """Set the language and the scale of the interface."""
    screen.py(
        "preferences = bpy.context.preferences.view\n"
        f"preferences.language, preferences.ui_scale = {language!r}, {scale}\n"
        "preferences.use_translate_interface = True\nresult = None"
    )
    screen.wait(f"abs(scale() - {scale}) < 0.1")
    screen.redraw()


@pytest.mark.parametrize("state", ["nothing", "hit", "template", "placed"], indirect=True)
def test_menus_fit_into_the_window_of_a_small_screen(tab, state):
    """At a scale of 2, too: a window where people use that has twice as many pixels."""
    assert tab.py(IN_SIDEBAR + f"    found = too_high({MOST_OF_A_MENU})\nfound") == {}
    assert tab.py(IN_SIDEBAR + "    found = too_high(60)\nfound") != {}


@pytest.mark.parametrize("tool", ["raypick.pick_tool", "raypick.landmark_tool"])
def test_the_headers_of_tools_fit(tab, tool):
    """A header that is too long can be scrolled."""
    choose_tool(tab, tool)
    too_long = []
    for template in ("", TEMPLATE) if tool == "raypick.landmark_tool" else ("",):
        tab.py(template + "\noptions.snap = 'VERTEX'\nresult = None")
        for scale in SCALES:
            for language in LANGUAGES:
                speak(tab, language, scale)
                if scrolled(tab):
                    too_long.append([bool(template), scale, language])
    tab.shot(f"header-{tool}-{tab.build.label}.png")
    choose_tool(tab, "builtin.select_box")
    assert too_long == []


def scrolled(screen):
    """How far the header of the tool has moved after the wheel was turned over it."""
    x, y = screen.py(
        "header = next(r for r in area.regions if r.type == 'TOOL_HEADER')\n"
        "[header.x + 300, header.y + header.height // 2]"
    )
    screen.move(x, y)
    for _ in range(3):
        screen.event("WHEELDOWNMOUSE", "PRESS", x, y)
    screen.redraw()
    far = screen.py("header.view2d.region_to_view(0, 0)[0]")
    for _ in range(6):
        screen.event("WHEELUPMOUSE", "PRESS", x, y)
    screen.move(5, 5)
    return far


def test_no_text_is_cut_off_at_the_default_width(tab, state):
    found = {}
    for scale in SCALES:
        for language in LANGUAGES:
            speak(tab, language, scale)
            cut = tab.py(CUT_OFF)
            if cut:
                found[language, scale] = cut
    assert found == {}


@pytest.fixture
def narrow(tab):
    """Return a function that makes the sidebar as narrow as panels stay in it."""
    before = None

    def make():
        nonlocal before
        before = tab.py(SET_WIDTH.format(width=NARROWEST))
        tab.redraw(3)
        assert tab.py("sidebar.width") == NARROWEST

    yield make
    tab.py(UNSET_WIDTH.format(before=before))
    tab.redraw(2)


def test_before_the_first_pick_the_panel_is_as_high_as_with_a_hit(tab, narrow):
    """Whatever the width: one who is new has a button and a line in the place of the names."""
    height = IN_SIDEBAR + "    found = drawn(bpy.types.RAYPICK_PT_main).height\nfound"
    choose_tool(tab)
    tab.py(STATES["first"])
    for make in (lambda: None, narrow):
        make()
        tab.move(5, 5)
        before = tab.py(height)
        show_hover(tab)
        assert tab.py("current.shown().hit.object") == "Target"
        assert tab.py(height) == before
    tab.move(5, 5)
    choose_tool(tab, "builtin.select_box")


@pytest.mark.parametrize("state", ["hit"], indirect=True)
def test_buttons_stay_in_the_narrowest_sidebar(tab, state, narrow):
    calls = IN_SIDEBAR + "    found = called()\nfound"
    wide = tab.py(calls)
    narrow()
    assert len(wide) > 9
    assert set(wide) - set(tab.py(calls)) == {"raypick.copy_report"}, "which is in a menu too"


@pytest.mark.parametrize("state", ["hit", "template", "measures"], indirect=True)
def test_values_are_read_in_the_narrowest_sidebar(tab, state, narrow):
    narrow()
    found = {}
    for language in LANGUAGES:
        speak(tab, language, 1.0)
        cut = {
            panel: numbers
            for panel, lacks in tab.py(CUT_OFF).items()
            if (numbers := isinstance(lacks, int) or with_digits(lacks))
        }
        if cut:
            found[language] = cut
        tab.shot(f"narrow-{state}-{language}-{tab.build.label}.png")
    assert found == {}


def with_digits(lacks):
    """Those of the texts that are cut off that have numbers."""
    return [[text, lack] for text, lack in lacks if any(map(str.isdigit, text))]
