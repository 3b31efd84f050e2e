# SPDX-License-Identifier: GPL-3.0-or-later
"""The label at the mouse shows what the preferences say, line below line."""

from importlib import import_module

import bpy
import pytest

from ..scenes import square

LINES = {
    "OBJECT": "Square",
    "FACE": "Face 0",
    "TRIANGLE": "Triangle 0",
    "BARYCENTRIC": "A 0.5000  B 0.2500  C 0.2500",
    "POINT": "0.500000, 0.250000, 0.000000",
}


@pytest.fixture
def label(raypick):
    """The lines for the parts that are wanted, of a pick of a square without UVs."""
    square()
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0))
    preferences = import_module(f"{raypick.__name__}.settings").preferences()
    labels = import_module(f"{raypick.__name__}.overlay.labels")

    def lines(*wanted):
        preferences.label = set(wanted)
        return list(labels.lines_of(raypick.session.current.kept(), bpy.context))

    yield lines
    preferences.property_unset("label")
    raypick.session.current.show(None)


def test_each_part_is_shown_where_it_is_wanted(label):
    assert {part: label(part) for part in LINES} == {part: [line] for part, line in LINES.items()}
    assert label() == []


def test_face_and_triangle_share_a_line(label):
    object_, face, triangle, *rest = LINES.values()
    assert label(*LINES) == [object_, f"{face}  {triangle}", *rest]


def test_uvs_are_shown_where_the_mesh_has_some(label):
    assert label("UV") == []
    bpy.context.view_layer.objects["Square"].data.uv_layers.new()
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0))
    assert label("UV", "FACE") == ["Face 0", "UV 0.500000, 0.250000"]
