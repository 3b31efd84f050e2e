# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes as passes: their types, and warnings where they are not what was meant."""

import bpy
import numpy as np
import pytest

from standalone_core.tables import read_render
from tests.blender.command.conftest import camera
from tests.blender.scenes import suzanne


@pytest.fixture
def layer(raypick, tmp_path):
    """The settings of a view layer with a head that has attributes of 1, 2, 3 and 4 numbers."""
    mesh = suzanne().data
    for name, kind in (("weight", "FLOAT"), ("way", "FLOAT_VECTOR"), ("turn", "QUATERNION")):
        mesh.attributes.new(name, kind, "POINT")
    camera()
    render = bpy.context.scene.render
    render.engine, render.filepath = "RAYPICK", str(tmp_path / "shot.exr")
    bpy.ops.raypick.use_multilayer()
    return bpy.context.view_layer.raypick


def rendered(capfd):
    """What is read, and the lines that Blender prints of warnings."""
    capfd.readouterr()
    bpy.ops.render.render(write_still=True)
    out, err = capfd.readouterr()
    lines = [line for line in (out + err).splitlines() if "Raypick: " in line]
    return read_render(bpy.context.scene.render.filepath), [
        line.partition("Raypick: ")[2] for line in lines
    ]


def test_an_attribute_has_the_type_of_the_meshes(raypick, layer, capfd):
    for name in ("weight", "UVMap", "way", "turn"):
        layer.attributes.add().name = name
    assert [each.type for each in layer.attributes] == ["VALUE", "VECTOR_2D", "VECTOR", "COLOR"]
    layer.use_pass_uv = True
    shot, warnings = rendered(capfd)
    assert warnings == []
    widths = {"weight": (), "UVMap": (2,), "way": (3,), "turn": (4,)}
    for name, width in widths.items():
        assert shot[f"attribute:{name}"].shape == (32, 48, *width)
    assert np.array_equal(shot["attribute:UVMap"], shot["uv"], equal_nan=True)


def test_the_type_follows_the_name_until_another_is_chosen(layer):
    added = layer.attributes.add()
    added.name = "turn"
    added.name = "UVMap"
    assert added.type == "VECTOR_2D"
    added.name = "of nodes"
    assert added.type == "VECTOR_2D"
    added.type = "COLOR"
    assert added.type == "COLOR"


def test_numbers_that_a_type_leaves_out_are_told(layer, capfd):
    added = layer.attributes.add()
    added.name, added.type = "UVMap", "VALUE"
    shot, warnings = rendered(capfd)
    assert warnings == ["the attribute 'UVMap' has 2 numbers, and its type keeps 1"]
    assert shot["attribute:UVMap"].shape == (32, 48)


def test_an_attribute_that_nothing_has_is_told(layer, capfd):
    layer.attributes.add().name = "Nope"
    shot, warnings = rendered(capfd)
    assert warnings == ["nothing that is seen has an attribute 'Nope'"]
    assert np.isnan(shot["attribute:Nope"]).all()


def test_nothing_is_told_of_a_picture_of_nothing(layer, capfd):
    layer.attributes.add().name = "Nope"
    bpy.context.scene.camera.data.clip_end = 0.2
    _, warnings = rendered(capfd)
    assert warnings == []
