# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles as the judge of what is rendered, and a scene for what it cannot judge."""

import bpy
import pytest

from tests.blender.command.conftest import type_in

from . import cycles
from .shapes import cube

__all__ = ["check", "scene", "type_in"]


@pytest.fixture
def check(raypick, tmp_path):
    """Return a function that renders with both, and asserts that they differ nowhere."""

    def check(seen=300, most=cycles.MOST):
        found = cycles.differences(tmp_path)
        for each in found.values():
            assert max(each.of.values()) <= most, found
            assert each.seen >= seen
        return found

    return check


@pytest.fixture
def scene(raypick):
    """A cube before a camera, and all passes."""
    cycles.camera((1, -2, 8), (0.2, 0.1, 0.3), size=(40, 30))
    cube().data.attributes.new("tint", "FLOAT_COLOR", "POINT")
    layer = bpy.context.view_layer
    cycles.all_passes(layer)
    added = layer.raypick.attributes.add()
    added.name, added.type = "tint", "COLOR"
    return bpy.context.scene
