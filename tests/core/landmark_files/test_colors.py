# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors as screens show them, against values of the standard."""

import numpy as np
import pytest

from .model import model_module

colors = model_module("landmark_files.colors")


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
