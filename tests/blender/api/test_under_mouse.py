# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mouse of an event is."""

from types import SimpleNamespace

import bpy
import pytest


@pytest.fixture
def area(raypick):
    """The area of a 3D viewport."""
    return next(each for each in bpy.context.window.screen.areas if each.type == "VIEW_3D")


def part(area, kind):
    return next(region for region in area.regions if region.type == kind)


def event(region, x, y):
    """An event over a pixel of a region."""
    return SimpleNamespace(mouse_x=region.x + x, mouse_y=region.y + y)


def test_it_is_the_middle_of_a_pixel_of_the_viewport_as_a_pick_takes_it(raypick, area):
    region, view = part(area, "WINDOW"), area.spaces.active.region_3d
    there = raypick.api.under_mouse(bpy.context, event(region, 300, 200))
    assert there == (region, view, (300.5, 200.5))
    assert there.region_data == view
    raypick.api.pick(bpy.context, *there)


@pytest.mark.parametrize("kind", ["HEADER", "TOOL_HEADER", "TOOLS"])
def test_over_what_covers_the_viewport_it_is_in_none(raypick, area, kind):
    assert raypick.api.under_mouse(bpy.context, event(part(area, kind), 2, 2)) is None


def test_over_another_editor_or_nothing_it_is_in_none(raypick, area):
    other = next(each for each in bpy.context.window.screen.areas if each.type != "VIEW_3D")
    assert raypick.api.under_mouse(bpy.context, event(other, 2, 2)) is None
    assert raypick.api.under_mouse(bpy.context, event(area, -9999, 2)) is None


@pytest.mark.parametrize("wrong", [None, 3, SimpleNamespace(mouse_x=1)], ids=str)
def test_what_is_no_event_is_refused(raypick, wrong):
    with pytest.raises(raypick.api.RaypickError, match="event must be"):
        raypick.api.under_mouse(bpy.context, wrong)
