# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface speaks the language that Blender is set to."""

import pytest

from tests.interface_texts import texts
from tests.windowed.hand import choose_tool, middle_of, set_up_inspection

pytestmark = pytest.mark.wide

LOCALES = ["fr_FR", "zh_HANS"]


@pytest.fixture(params=LOCALES)
def language(blender, request):
    """Its translations, with Blender set to it."""
    set_up_inspection(blender)
    blender.py(
        "preferences = bpy.context.preferences.view\n"
        f"preferences.language = {request.param!r}\n"
        "preferences.use_translate_interface = preferences.use_translate_tooltips = True\n"
        "sidebar.active_panel_category = 'Raypick'\nresult = None"
    )
    blender.redraw(2)
    yield blender.py(
        "from bl_ext.user_default.raypick import translations\n"
        f"translations.texts({request.param!r})"
    )
    blender.py("preferences.language = 'en_US'\nresult = None")
    blender.redraw(2)


def test_labels_and_tooltips_are_translated(blender, language):
    """By our own translations, but for the few words that Blender has in its catalogue."""
    shown = blender.py(
        "from bpy.app.translations import pgettext_iface, pgettext_tip\n"
        f"[[pgettext_iface(t), pgettext_tip(t)] for t in {sorted(texts())!r}]"
    )
    foreign = 0
    for text, (label, tooltip) in zip(sorted(texts()), shown, strict=True):
        assert label != text or language[text] == text
        assert tooltip != text or language[text] == text
        foreign += label != language[text]
    assert foreign < 0.15 * len(shown)


def test_operators_are_translated(blender, language):
    label = blender.py(
        "from bpy.app.translations import pgettext_iface\npgettext_iface('Cast Ray', 'Operator')"
    )
    assert label == language["Cast Ray"]


def test_reasons_with_names_are_translated(blender, language):
    form = "The modifier {} changes the faces"
    told = blender.py(
        "from bl_ext.user_default.raypick.translations import reasons\n"
        f"reasons.translated({form.format('Bevel {}')!r})"
    )
    assert told == language[form].format("Bevel {}")


def test_the_panel_is_drawn_in_it(blender, language):
    choose_tool(blender)
    blender.click(*blender.position_of(middle_of(1)))
    blender.redraw(2)
    blender.shot(f"panel-{blender.build.label}-{language['Triangle']}.png")
    assert blender.py("current.kept().hit.face") == 1
