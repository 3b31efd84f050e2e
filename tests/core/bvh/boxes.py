# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes to build trees over."""


def random_boxes(rng, count, scale=1.0, offset=0.0):
    """Corners (count, 3) of boxes of many sizes."""
    middle = rng.normal(size=(count, 3))
    half = 10.0 ** rng.uniform(-6, -1, (count, 3))
    return (middle - half) * scale + offset, (middle + half) * scale + offset
