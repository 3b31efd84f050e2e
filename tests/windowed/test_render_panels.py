# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine in the Properties editor: its panels are drawn, and clicks do what they say."""

from pathlib import Path

import pytest

from tests.windowed.session import Session
from tests.windowed.views import EMPTY

MEASURED = Path(__file__).with_name("measured.py").read_text(encoding="utf-8")

SIZE = (680, 1000)

SCENE = """
bpy.ops.mesh.primitive_monkey_add()
head = bpy.context.view_layer.objects.active
head.vertex_groups.new(name="Ears")
scene = bpy.context.scene
scene.render.engine = "RAYPICK"
scene.world = bpy.data.worlds.new("World")
layer = bpy.context.view_layer.raypick
window, area, region, _ = viewport()
before = set(window.screen.areas)
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
(editor,) = set(window.screen.areas) - before
editor, view = sorted((editor, area), key=lambda each: -each.x)
editor.type, view.type = "PROPERTIES", "VIEW_3D"
result = None
"""
"""A viewport, and a Properties editor that is as wide as in Blender's own start-up file."""

DRAWN = """
panels = [bpy.types.RAYPICK_PT_passes, bpy.types.RAYPICK_PT_performance]
panels.append(bpy.types.RAYPICK_PT_visibility)
from bl_ext.user_default.raypick.ui import render_panels

class Output:
    bl_label, draw = "Output", render_panels._draw_files

class Colors:
    bl_label, draw = "Color Management", render_panels._draw_colors
found = {}
with bpy.context.temp_override(window=window, area=editor, region=inside):
    for panel in (*panels, Output, Colors):
        if cut := drawn(panel).cut(inside.width / scale() - 36):
            found[panel.bl_label] = cut
found
"""
"""What is cut off in each panel: its edges take 36 pixels of the editor's width."""

UNDER_MOUSE = """
bpy.context.window_manager.clipboard = ""
with bpy.context.temp_override(window=window, area=editor, region=inside):
    if bpy.ops.ui.copy_python_command_button.poll():
        bpy.ops.ui.copy_python_command_button()
bpy.context.window_manager.clipboard
"""


@pytest.fixture(scope="module")
def screen(blender_build, extension_zip):
    """Return a running session whose window is as high as the tab of a view layer."""
    with Session(blender_build, extension_zip, size=SIZE) as session:
        yield session


@pytest.fixture
def editor(screen):
    """Return the session with a Properties editor and a scene that the engine renders."""
    for step in (EMPTY, SCENE):
        screen.py(step)
        screen.redraw(2)
    screen.py(
        "inside = next(each for each in editor.regions if each.type == 'WINDOW')\nresult = None"
    )
    return screen


def show(screen, tab):
    """Open a tab of the editor."""
    screen.py(f"editor.spaces.active.context = {tab!r}\neditor.tag_redraw()\nresult = None")
    screen.redraw()


STEP = 16
"""In pixels: less than the height of a button, which is 20."""


def find(screen, operator):
    """The pixel of the button of an operator, at the right edge of the editor."""
    x, y, height = screen.py("[inside.x + inside.width - 36, inside.y, inside.height]")
    for up in range(STEP, height, STEP):
        screen.move(x, y + up)
        if screen.py(UNDER_MOUSE).startswith(f"bpy.ops.{operator}("):
            return x, y + up
    raise AssertionError(f"there is no button of {operator}")


LANGUAGES = ("en_US", "fr_FR", "zh_HANS")


@pytest.fixture
def speak(editor):
    """Return a function that sets the language and the scale; afterwards they are as before."""

    def set_to(language, scale):
        editor.py(
            "view = bpy.context.preferences.view\n"
            f"view.language, view.ui_scale = {language!r}, {scale}\n"
            "view.use_translate_interface = view.use_translate_tooltips = True\nresult = None"
        )
        editor.redraw(2)

    yield set_to
    set_to("en_US", 1.0)


OF_ENGINE = ("RENDER", "OUTPUT", "VIEW_LAYER", "OBJECT")
OTHERS = ("SCENE", "WORLD", "DATA", "MATERIAL")


def test_all_tabs_are_drawn(editor, speak):
    """Whatever is wrong in a panel prints a traceback, by which the test fails."""
    editor.py("bpy.ops.raypick.add_attribute_pass(name='Ears')\nresult = None")
    editor.py("layer.attributes.add()\nlayer.attributes.add().name = 'Ears'\nresult = None")
    for language in LANGUAGES:
        speak(language, 1.0)
        for tab in (*OF_ENGINE, *(OTHERS if language == "en_US" else ())):
            show(editor, tab)
    editor.shot(f"properties-{editor.build.label}.png")
    editor.py(
        "light = bpy.data.objects.new('Light', bpy.data.lights.new('Light', 'POINT'))\n"
        "scene.collection.objects.link(light)\n"
        "bpy.context.view_layer.objects.active = light\nresult = None"
    )
    for tab in ("OBJECT", "DATA"):
        show(editor, tab)
    editor.py("bpy.data.batch_remove([*bpy.data.objects, *bpy.data.worlds])\nresult = None")
    for tab in ("RENDER", "OUTPUT", "VIEW_LAYER", "WORLD"):
        show(editor, tab)


def test_no_text_is_cut_off_at_the_usual_width(editor, speak):
    """That is the width in Blender's own start-up file, on a screen of 1920 pixels."""
    assert 320 < editor.py("editor.width") < 345
    editor.py(MEASURED)
    found = {}
    for language in LANGUAGES:
        speak(language, 1.0)
        if cut := editor.py(DRAWN):
            found[language] = cut
    assert found == {}


def test_the_button_below_the_output_gives_files_that_hold_all_passes(editor):
    editor.py("scene.render.image_settings.file_format = 'PNG'\nresult = None")
    show(editor, "OUTPUT")
    editor.click(*find(editor, "raypick.use_multilayer"))
    editor.wait("scene.render.image_settings.file_format == 'OPEN_EXR_MULTILAYER'", timeout=10)


def test_plus_opens_a_menu_whose_entries_add_what_the_meshes_have(editor):
    """Its first entry is a UV map, and undo takes back what it adds."""
    show(editor, "VIEW_LAYER")
    x, y = find(editor, "raypick.remove_attribute_pass")
    editor.click(x, y + 20)
    editor.redraw()
    editor.shot(f"attributes-{editor.build.label}.png")
    for key in ("DOWN_ARROW", "RET"):
        editor.key(key, x, y + 20)
        editor.redraw()
    listed = "[[each.name, each.type] for each in bpy.context.view_layer.raypick.attributes]"
    assert editor.py(listed) == [["UVMap", "VECTOR_2D"]]
    editor.key("Z", 20, 500, ctrl=True)
    editor.redraw(2)
    assert editor.py(listed) == []


def test_the_name_of_an_attribute_is_edited_in_the_list(editor):
    """With a click and Ctrl, as in Blender's own lists."""
    editor.py("bpy.ops.raypick.add_attribute_pass(name='density')\nresult = None")
    show(editor, "VIEW_LAYER")
    _, y = find(editor, "raypick.remove_attribute_pass")
    x, y = editor.py("inside.x + 60"), y + 14
    editor.click(x, y, ctrl=True)
    editor.redraw()
    editor.key("A", x, y, ctrl=True)
    for letter in "wet":
        editor.key(letter.upper(), x, y, unicode=letter)
    editor.key("RET", x, y)
    editor.wait("layer.attributes[0].name == 'wet'", timeout=10)
