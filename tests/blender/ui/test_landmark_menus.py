# SPDX-License-Identifier: GPL-3.0-or-later
"""The menus and buttons of landmarks: short, and offering only what is possible."""

from importlib import import_module
from types import SimpleNamespace

import bpy
import pytest

from tests.recorder import Recorder, drawn

from ..scenes import square

ops = bpy.ops.raypick if bpy else None
MOST = 14  # entries of a menu in a window of 800 pixels, at twice the usual size


@pytest.fixture
def obj(raypick):
    """A square that is active, with the landmarks A, B, C and D in one set."""
    made = square()
    bpy.context.view_layer.objects.active = made
    for name, at in zip("ABCD", ((0.1, 0.2), (0.3, 0.4), (0.5, 0.6), (0.7, 0.2)), strict=True):
        (hit,) = raypick.api.ray_cast(bpy.context, (*at, 9), (0, 0, -1))
        raypick.api.landmarks.add(bpy.context, hit, name)
    ops.select_landmarks(action="DESELECT")
    return made


def entries(menu):
    """The buttons of a menu, and the menus in it."""
    layout = Recorder()
    getattr(bpy.types, f"RAYPICK_MT_{menu}").draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def select(raypick, obj, names):
    ops.select_landmarks(action="DESELECT")
    for each in raypick.api.landmarks.of(obj):
        if each.name in names:
            ops.click_landmark(landmark=each.id, extend="TOGGLE")


def test_every_menu_of_landmarks_fits_into_a_small_window(obj):
    ops.add_landmark_set()
    whole = entries("landmark_specials")
    for menu in (
        *("landmark_specials", "choose_landmark_set", "add_measure"),
        *(name.removeprefix("RAYPICK_MT_") for name in whole.menus),
    ):
        found = entries(menu)
        assert 3 <= len(found.buttons) + len(found.menus) <= MOST, menu


def test_the_dropdown_has_the_sets_and_ways_to_get_one_even_where_there_is_none(obj):
    ways = ["raypick.add_landmark_set", "raypick.load_template", "raypick.type_template"]
    ops.add_landmark_set()
    found = entries("choose_landmark_set")
    assert [each.label for each in found.buttons][:2] == ["Landmarks  4", "Landmarks.001  0"]
    assert [each.name for each in found.buttons][2:] == ways
    bpy.context.view_layer.objects.active = square("Bare", z=1.0)
    found = entries("choose_landmark_set")
    assert [each.name for each in found.buttons] == ways
    assert found.menus == []
    panel = drawn([bpy.types.RAYPICK_PT_landmarks], bpy.context)
    assert [each.label for each in panel.buttons if each.name == "raypick.activate_object"] == [
        "Landmarks of Square"
    ]
    assert {each.name for each in panel.buttons} - {"raypick.activate_object"} == {*ways}
    ops.activate_object(object="Square")
    assert bpy.context.object == obj


def test_a_set_is_chosen_and_renamed(raypick, obj):
    ops.add_landmark_set()
    ops.choose_landmark_set(set="Landmarks")
    ops.rename_landmark_set(name=" Face ")
    assert entries("choose_landmark_set").buttons[0].label == "Face  4"
    ops.rename_landmark_set(name="Landmarks.001")
    ops.rename_landmark_set(name=" ")
    assert {each.set for each in raypick.api.landmarks.of(obj)} == {"Landmarks.001.001"}
    with pytest.raises(RuntimeError, match="There is no set of landmarks"):
        ops.choose_landmark_set(set="Face")


POSSIBLE = {
    "": [],
    "A": ["Thickness (1)", "Sphere Thickness (1)", "Clearance (1 + object)"],
    "AB": ["Distance (2)", "Surface Distance (2)", "Angle of Normals (2)", "Polyline (2+)"],
    "ABC": ["Angle (3)", "Polyline (2+)", "Outline (3+)"],
    "ABCD": ["Polyline (2+)", "Outline (3+)"],
}


@pytest.mark.parametrize("chosen", POSSIBLE)
def test_measures_say_what_they_need_and_are_enabled_where_that_is_selected(raypick, obj, chosen):
    select(raypick, obj, chosen)
    buttons = entries("add_measure").buttons
    assert len(buttons) == 9
    assert [each.label for each in buttons if each.enabled] == POSSIBLE[chosen]


@pytest.mark.parametrize(
    ("chosen", "kind"),
    [("A", "thickness"), ("AB", "distance"), ("ABC", "angle"), ("ABCD", "polyline")],
)
def test_the_button_adds_the_measure_that_fits_the_selection(raypick, obj, chosen, kind):
    select(raypick, obj, chosen)
    panel = drawn([bpy.types.RAYPICK_PT_measures], bpy.context)
    button = next(each for each in panel.buttons if each.name == "raypick.add_measure")
    assert button.kind == kind
    ops.add_measure(kind=button.kind)
    assert [each.kind for each in raypick.api.measures.of(obj)] == [kind]


def test_without_a_selection_nothing_is_measured(obj):
    assert not ops.add_measure.poll()


def test_the_tooltip_of_a_measure_says_what_is_lacking(raypick, obj):
    tooltip = bpy.types.RAYPICK_OT_add_measure.description
    angle = SimpleNamespace(kind="angle")
    select(raypick, obj, "AB")
    assert tooltip(bpy.context, angle).endswith("Angle needs 3 selected landmarks")
    select(raypick, obj, "ABC")
    assert tooltip(bpy.context, angle) == "The angle at the second of three landmarks"


def test_the_height_of_the_panel_is_the_same_for_all_landmarks_of_a_template(
    raypick, obj, tmp_path
):
    """Descriptions of none, one and many lines take the same place."""
    path = tmp_path / "template.json"
    path.write_text(
        '[{"name": "A"}, {"name": "x"}, {"name": "y", "description": "short"},'
        ' {"name": "z", "description": "' + "long " * 40 + '"}]'
    )
    ops.load_template(filepath=str(path))
    seen = []
    for _ in range(3):
        labels = drawn([bpy.types.RAYPICK_PT_landmarks], bpy.context).labels
        seen.append((labels[0], len(labels)))
        ops.step_template()
    assert [name for name, _ in seen] == ["x", "y", "z"]
    assert {count for _, count in seen} == {3}


def test_a_missing_landmark_that_is_clicked_is_asked_for_next(raypick, obj):
    ops.type_template(names="x, y, z")
    document = raypick.api.landmarks.of(obj)
    which = next(each.id for each in document if each.name == "y")
    ops.clear_template()
    ops.ask_landmark(landmark=which)
    assert drawn([bpy.types.RAYPICK_PT_landmarks], bpy.context).labels[0] == "y"


class Narrow:
    """The context in a sidebar that is as narrow as can be."""

    region = SimpleNamespace(width=143)

    def __getattr__(self, name):
        return getattr(bpy.context, name)


def test_in_a_narrow_sidebar_a_row_is_a_mark_and_a_name(raypick, obj):
    lists = import_module(f"{raypick.__name__}.ui.lists")
    lists.follow()
    row = bpy.context.window_manager.raypick_landmarks[0]
    kind = lists.RAYPICK_UL_landmarks
    drawn_by = {}
    for context in (bpy.context, Narrow()):
        layout = drawn_by[context] = Recorder()
        kind.draw_row(context, layout, row, kind.item(row))
    wide, narrow = drawn_by.values()
    assert (len(wide.buttons), wide.properties) == (3, ["color", "name"])
    assert (len(narrow.buttons), narrow.properties) == (1, ["name"])


def test_the_header_of_the_tool_has_what_is_used_while_placing(raypick, obj):
    ops.type_template(names="x, y, z")
    ops.step_template()
    layout = Recorder()
    tool = import_module(f"{raypick.__name__}.ui.tools").LandmarkTool
    tool.draw_settings(bpy.context, layout, None)
    assert layout.labels == ["Next: y (2 of 7)"]
    steps = ["raypick.step_template"] * 2
    assert [each.name for each in layout.buttons] == [*steps, "raypick.add_measure"]
    assert layout.properties == ["snap"]
    menus = ["RAYPICK_MT_choose_landmark_set", "RAYPICK_MT_add_measure", "RAYPICK_PT_options"]
    assert layout.menus == menus
