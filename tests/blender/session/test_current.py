# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that the person leaves out of picks in viewports."""

from dataclasses import replace
from importlib import import_module

import bpy
import pytest

from ..scenes import square


@pytest.fixture
def left_out(raypick):
    """The module, with nothing left out."""
    module = import_module(f"{raypick.__name__}.session.current")
    module.include_all()
    raypick.session.current.show(None)
    yield module
    module.include_all()


def test_they_stay_the_same_whatever_they_are_called(left_out):
    first, second = square("A"), square("B", z=1.0)
    left_out.exclude(first)
    first.name = "Z"
    second.name = "A"
    assert left_out.excluded_objects() == [first]
    assert [*left_out.excluded_names().values()] == [("Z", True)]


def test_what_is_removed_is_there_no_more(left_out):
    first, second = square("A"), square("B", z=1.0)
    left_out.exclude(first)
    left_out.exclude(second)
    bpy.data.objects.remove(first)
    assert left_out.excluded_objects() == [second]
    assert [*left_out.excluded_names().values()] == [("A", False), ("B", True)]


def test_with_nothing_selected_it_is_the_object_that_was_hit(left_out):
    obj = square()
    obj.select_set(False)
    assert not bpy.ops.raypick.leave_out.poll()
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 3))
    for _ in range(2):
        assert bpy.ops.raypick.leave_out() == {"FINISHED"}
        assert left_out.excluded_objects() == [obj]
    assert bpy.ops.raypick.take_in(uid=obj.session_uid) == {"FINISHED"}
    assert left_out.excluded_objects() == []


def test_it_can_be_the_object_that_was_hit_though_others_are_selected(left_out):
    square("Hit", z=1.0)
    square("Selected", z=0.5).select_set(True)
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    assert bpy.ops.raypick.leave_out(hit=True) == {"FINISHED"}
    assert [each.name for each in left_out.excluded_objects()] == ["Hit"]


def test_what_was_hit_is_excluded_alone_or_nothing_is(left_out):
    square("Selected", z=0.5).select_set(True)
    with pytest.raises(RuntimeError, match="Nothing has been hit yet"):
        bpy.ops.raypick.leave_out(hit=True)
    hit = square("Hit", z=1.0)
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    bpy.data.objects.remove(hit)
    with pytest.raises(RuntimeError, match="The object was deleted"):
        bpy.ops.raypick.leave_out(hit=True)
    assert left_out.excluded_names() == {}


def test_a_click_leaves_the_landmark_under_the_mouse_there(raypick):
    current = raypick.session.current
    square()
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    record = current.kept()
    touched = current.Touched("nasion", (0.25, 0.5, 0.0))
    current.hover(replace(record), 1, True, touched)
    current.keep_or_walk(replace(record), current.Click(1, (), (10, 10)))
    assert current.touched() == touched
    current.forget_click()
    current.hover(None)


def test_a_click_beside_everything_is_forgotten_at_the_next_move(raypick):
    current = raypick.session.current
    square()
    bpy.ops.raypick.cast(origin=(75, 25, 3))
    assert current.kept().hits == ()
    current.hover(None)
    assert current.kept() is None
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    current.hover(None)
    assert current.kept().hits


def test_another_file_begins_with_none(left_out):
    left_out.exclude(square())
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert left_out.excluded_names() == {}


def test_a_changed_option_has_the_preferences_saved(raypick):
    preferences = import_module(f"{raypick.__name__}.settings").preferences()
    for name, value in (("cull", "BACK"), ("snap_radius", 20), ("mesh", "ORIGINAL")):
        bpy.context.preferences.is_dirty = False
        setattr(preferences.options, name, value)
        assert bpy.context.preferences.is_dirty
        preferences.options.property_unset(name)
    bpy.context.preferences.is_dirty = False
    bpy.ops.raypick.cast(origin=(0, 0, 1), cull="BACK")
    assert not bpy.context.preferences.is_dirty
