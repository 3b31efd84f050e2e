# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks and measures that viewports show, looked up once for each change."""

from importlib import import_module

import bpy
import pytest

from ..scenes import square

KINDS = ("landmarks", "measures")


@pytest.fixture(params=KINDS)
def shown(request, raypick):
    """What viewports show of landmarks, or of measures."""
    module = import_module(f"{raypick.__name__}.session.{request.param}")
    return lambda: [*module.shown(bpy.context)]


def add(api, name, at):
    (hit,) = api.ray_cast(bpy.context, (*at, 9), (0, 0, -1))
    return api.landmarks.add(bpy.context, hit, name)


def marked(api):
    """A square with a measure between two landmarks."""
    obj = square()
    places = [(obj, add(api, name, at).id) for name, at in (("A", (0.1, 0.2)), ("B", (0.3, 0.4)))]
    api.measures.add("surface_distance", places)
    return obj


def are_same(first, second):
    return len(first) == len(second) and all(map(lambda a, b: a is b, first, second))


def test_what_has_not_changed_is_not_looked_up_again(raypick, shown):
    obj = marked(raypick.api)
    before = shown()
    assert before
    assert are_same(shown(), before)
    obj.location.x = 1.0
    assert not are_same(shown(), before)


def test_two_scenes_are_looked_up_once_each_however_they_take_turns(raypick, shown):
    marked(raypick.api)
    other = bpy.data.scenes.new("Other")
    in_other = {"scene": other, "view_layer": other.view_layers[0]}
    with bpy.context.temp_override(**in_other):
        marked(raypick.api)
    shown()  # which evaluates the scene, and so tells of a change
    with bpy.context.temp_override(**in_other):
        second = shown()
    first = shown()
    assert {each.object_uid for each in first}.isdisjoint(each.object_uid for each in second)
    for _ in range(2):
        with bpy.context.temp_override(**in_other):
            assert are_same(shown(), second)
        assert are_same(shown(), first)


def test_an_object_that_was_just_removed_shows_none(raypick, shown):
    obj = marked(raypick.api)
    assert shown()
    bpy.data.objects.remove(obj)
    assert shown() == []


def test_measures_stand_in_their_order_and_are_what_scripts_are_told(raypick):
    api, obj = raypick.api, marked(raypick.api)
    add(api, "C", (0.8, 0.1))
    for kind, names in (("distance", "AB"), ("surface_distance", "BC"), ("angle", "ABC")):
        api.measures.add(kind, [(obj, name) for name in names])
    measures = import_module(f"{raypick.__name__}.session.measures")
    for _ in range(2):
        found = [each.measured for each in measures.shown(bpy.context)]
        assert found == api.measures.values(bpy.context, obj)
        assert [each.measure for each in found] == api.measures.of(obj)
        assert all(each.value for each in found)
        obj.scale.x += 1.0


def test_what_a_script_has_written_itself_is_shown_once_the_panel_is_drawn(raypick):
    api, obj = raypick.api, marked(raypick.api)
    bpy.context.view_layer.objects.active = obj
    active = import_module(f"{raypick.__name__}.session.active_landmarks")
    one = obj["raypick_landmarks"]
    add(api, "C", (0.8, 0.1))
    obj["raypick_landmarks"], two = one, obj["raypick_landmarks"]
    for text, count in ((one, 2), (two, 3)):
        obj["raypick_landmarks"] = text
        active.look_again(bpy.context)
        assert len(active.shown(bpy.context).rows) == count
    before = active.shown(bpy.context)
    active.look_again(bpy.context)
    assert active.shown(bpy.context) is before
