# SPDX-License-Identifier: GPL-3.0-or-later
"""What the key and the context menu do with a hit that is not kept."""

from importlib import import_module

import bpy
import pytest

from ..scenes import square


@pytest.fixture
def pointed(raypick, monkeypatch):
    """The object B under a menu, while A is the one that was hit last."""
    square("A").location.x = 3.0
    other = square("B")
    bpy.ops.object.select_all(action="DESELECT")
    pointing = import_module(f"{raypick.__name__}.session.pointing")
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    monkeypatch.setattr(pointing, "_hit", raypick.session.current.shown_hit())
    bpy.ops.raypick.cast(origin=(3.25, 0.5, 9))
    yield other
    raypick.session.current.include_all()


def test_the_entries_of_the_menu_act_on_what_is_under_it(raypick, pointed):
    assert bpy.ops.raypick.select_object(pointed=True) == {"FINISHED"}
    assert bpy.context.selected_objects == [pointed]
    bpy.data.objects["A"].select_set(True)
    assert bpy.ops.raypick.leave_out(pointed=True) == {"FINISHED"}
    assert raypick.session.current.excluded_objects() == [pointed]
    assert bpy.ops.raypick.add_landmark(pointed=True) == {"FINISHED"}
    assert [*pointed.keys()]
    assert not [*bpy.data.objects["A"].keys()]


def test_without_the_option_they_act_on_the_hit_that_is_shown(pointed):
    assert bpy.ops.raypick.select_object() == {"FINISHED"}
    assert [obj.name for obj in bpy.context.selected_objects] == ["A"]


def test_where_nothing_is_under_the_menu_nothing_is_done(raypick, pointed):
    import_module(f"{raypick.__name__}.session.pointing").forget()
    with pytest.raises(RuntimeError, match="Nothing hit"):
        bpy.ops.raypick.select_object(pointed=True)


def test_what_a_key_copies_has_a_number_of_its_own_that_saved_preferences_keep(raypick):
    choices = raypick.preferences.RaypickPreferences.bl_rna.properties["copy_key"].enum_items
    assert (choices["face"].value, choices["ALL"].value) == (42614195, 1457494443)
    assert len({each.value for each in choices}) == len(choices)


def test_each_value_that_can_be_chosen_is_copied_as_its_button_copies_it(raypick):
    under_mouse = import_module(f"{raypick.__name__}.operators.under_mouse")
    choices = raypick.preferences.RaypickPreferences.bl_rna.properties["copy_key"].enum_items
    square()
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    hit = raypick.session.current.shown_hit()
    copied = {key: under_mouse.text_of(hit, key) for key in {*choices.keys()} - {"ALL"}}
    assert {"face", "original_face", "triangle", "vertices", "barycentric", "object"} <= {*copied}
    assert copied["front"] == "Front Side"
    assert copied["point"] == "0.25, 0.5, 0.0"
    assert copied["instance"] is None  # it is none
    assert raypick.settings.copy_key() == "face"
