# SPDX-License-Identifier: GPL-3.0-or-later
"""Options are declared once, and the API, the properties and the command line agree with that."""

import inspect
from importlib import import_module
from math import inf

import bpy
import pytest


@pytest.fixture
def module(raypick):
    return import_module(f"{raypick.__name__}.bridge.query_options")


@pytest.mark.parametrize(
    "name",
    [
        *("ray_cast", "pick", "unpickable_at", "cast_rays", "cast_rays_all", "any_hit"),
        *("count_hits", "survey", "core_scene", "frozen", "closest_point", "closest_points"),
        *("contains", "signed_distance", "winding_number", "nearest_vertex", "at_uv", "at_uvs"),
    ],
)
def test_signatures_have_the_declared_defaults(raypick, module, name):
    options = module.QueryOptions()
    given = inspect.signature(getattr(raypick.api, name)).parameters
    shared = [each.name for each in module.OPTIONS if each.name in given]
    assert shared
    for option in shared:
        assert given[option].default == getattr(options, option), option
    if "solid_only" in given:
        assert {each.name for each in module.OPTIONS if each.scope in ("mesh", "rays")} <= {
            *shared,
            *(() if "cull" in given else ("cull", "max_distance")),
        }


def test_a_pick_has_every_option_in_the_declared_order(raypick, module):
    given = [*inspect.signature(raypick.api.pick).parameters]
    assert [name for name in given if name in {each.name for each in module.OPTIONS}] == [
        each.name for each in module.OPTIONS
    ]


def test_properties_become_the_options_that_they_offer(raypick, module):
    options = bpy.context.preferences.addons[raypick.__name__].preferences.options
    assert options.query_options() == module.QueryOptions(all_hits=True)
    changes = {"cull": "FRONT", "mesh": "ORIGINAL", "snap": "EDGE", "max_distance": 2.0}
    try:
        for name, value in changes.items():
            setattr(options, name, value)
        found = options.query_options()
        assert (found.cull, found.evaluated, found.snap) == ("front", False, "edge")
        assert found.max_distance == 2.0
    finally:
        for name in changes:
            options.property_unset(name)
    assert options.query_options().max_distance == inf
