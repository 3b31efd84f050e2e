# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes, units and colors of files, against their definitions."""

from fractions import Fraction

import numpy as np
import pytest

from .model import files, model_module

colors = model_module("landmark_files.format")


def test_middle_gray_and_the_ends_are_those_of_the_standard():
    assert colors.to_screen((0.0, 0.21404114, 1.0)) == pytest.approx((0.0, 0.5, 1.0), abs=1e-8)
    assert colors.from_screen((10 / 255, 0.5, 200 / 255)) == pytest.approx(
        (0.00303527, 0.21404114, 0.57758044), abs=1e-8
    )


def test_colors_come_back():
    rng = np.random.default_rng(5)
    for color in rng.uniform(0, 1, (100, 3)):
        assert colors.from_screen(colors.to_screen(color)) == pytest.approx(
            color.tolist(), abs=1e-7
        )


def test_what_is_too_bright_is_shown_at_its_brightest():
    assert colors.to_screen((-1.0, 2.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0))


def test_lps_is_ras_with_x_and_y_negated():
    assert files.convert([1.0, 2.0, 3.0], "LPS", "RAS").tolist() == [-1, -2, 3]
    assert files.convert([[1.0, 2.0, 3.0]], "RAS", "LPS").tolist() == [[-1, -2, 3]]


def test_up_along_y_is_up_along_z_after_a_quarter_turn_about_x():
    # A figure that faces +z in Y up faces -y in Blender; its left stays at +x.
    assert files.convert([0.0, 1.0, 0.0], "Y_UP").tolist() == [0, 0, 1]
    assert files.convert([0.0, 0.0, 1.0], "Y_UP").tolist() == [0, -1, 0]
    assert files.convert([1.0, 0.0, 0.0], "Y_UP").tolist() == [1, 0, 0]
    # In Blender's front view such a figure is in LPS: left, behind and up are positive.
    assert files.convert([1.0, 2.0, 3.0], "Z_UP", "LPS").tolist() == [1, 2, 3]


def test_axes_convert_there_and_back_without_losing_a_digit(rng):
    points = rng.normal(size=(5, 7, 3))
    for one in files.AXES:
        for other in files.AXES:
            there = files.convert(points, one, other)
            assert (files.convert(there, other, one) == points).all()
            x, y, z = np.moveaxis(files.convert(np.eye(3), one, other), 0, 0)
            assert np.cross(x, y).tolist() == z.tolist()  # right-handed as before


def test_units_have_the_meters_of_their_definitions():
    exact = {
        "m": Fraction(1),
        "cm": Fraction(1, 100),
        "mm": Fraction(1, 1000),
        "µm": Fraction(1, 10**6),
        "in": Fraction(254, 10000),
        "ft": Fraction(3048, 10000),
    }
    assert {unit: Fraction(repr(meters)) for unit, meters in files.METERS.items()} == exact
