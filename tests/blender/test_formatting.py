# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as panels and labels show them."""

from importlib import import_module

import bpy
import pytest


@pytest.fixture
def shown_length(raypick):
    """Show a length with so many decimals, in the units of a scene."""
    preferences = import_module(f"{raypick.__name__}.settings").preferences()
    shown = import_module(f"{raypick.__name__}.formatting").shown_length
    before = preferences.decimals, preferences.units

    def show(value, decimals, **units):
        preferences.decimals, preferences.units = decimals, "SCENE"
        for name, setting in units.items():
            setattr(bpy.context.scene.unit_settings, name, setting)
        return shown(value, bpy.context.scene)

    yield show
    preferences.decimals, preferences.units = before


@pytest.mark.parametrize(
    ("units", "shown"),
    [
        ({"system": "NONE"}, "12345.678"),
        ({"system": "METRIC", "length_unit": "ADAPTIVE"}, "12345.678 m"),
        ({"system": "METRIC", "length_unit": "KILOMETERS"}, "12.346 km"),
        ({"system": "METRIC", "length_unit": "MILLIMETERS"}, "12345678.000 mm"),
        ({"system": "METRIC", "length_unit": "METERS", "scale_length": 0.01}, "123.457 m"),
        ({"system": "IMPERIAL", "length_unit": "ADAPTIVE"}, "40504.193 ft"),
        ({"system": "IMPERIAL", "length_unit": "INCHES"}, "486050.315 in"),
    ],
)
def test_lengths_are_in_the_unit_of_the_scene(shown_length, units, shown):
    assert shown_length(12345.678, 3, **units) == shown


@pytest.mark.parametrize(("decimals", "shown"), [(0, "12346 m"), (1, "12345.7 m"), (9, None)])
def test_decimals_count_after_the_point_whatever_the_unit(shown_length, decimals, shown):
    found = shown_length(12345.678, decimals, system="METRIC", length_unit="METERS")
    assert found == (shown or "12345.678000000 m")


def test_a_vector_with_room_enough_is_not_measured(raypick, monkeypatch):
    """The overlay sets the size of the font, which a measured text would change."""
    formatting = import_module(f"{raypick.__name__}.formatting")
    monkeypatch.setattr(formatting, "text_width", None)
    texts = formatting.fitting((0.5, 0.25, -0.0), "length", bpy.context.scene)
    assert texts == ["0.5000", "0.2500", "0.0000 m"]


def test_nothing_is_shown_as_less_than_nothing(shown_length):
    assert shown_length(-0.00004, 4, system="NONE") == "0.0000"
    assert shown_length(-0.00006, 4, system="NONE") == "-0.0001"


METRIC = ("ADAPTIVE", "KILOMETERS", "METERS", "CENTIMETERS", "MILLIMETERS", "MICROMETERS")
IMPERIAL = ("ADAPTIVE", "MILES", "FEET", "INCHES", "THOU")


@pytest.mark.parametrize(
    ("system", "unit"),
    [*(("METRIC", unit) for unit in METRIC), *(("IMPERIAL", unit) for unit in IMPERIAL)],
)
def test_lengths_agree_with_what_blender_reads_of_them(shown_length, system, unit):
    text = shown_length(12345.678, 9, system=system, length_unit=unit)
    assert bpy.utils.units.to_value(system, "LENGTH", text) == pytest.approx(12345.678, rel=1e-6)
