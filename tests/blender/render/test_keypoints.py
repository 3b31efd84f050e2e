# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in renders: in the header of the engine's files, and as `project` finds them."""

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from standalone_core.tables import read_render
from tests.blender.command.conftest import camera, saved
from tests.blender.scenes import square, suzanne

SIZE = 96, 64


@pytest.fixture
def head(raypick):
    """A head with landmarks, bent by a modifier that renders alone have, behind a card."""
    obj = suzanne()
    tips = [vertex.co.copy() for vertex in obj.data.vertices][:100:10]
    raypick.api.landmarks.add_many(bpy.context, object=obj, points=[[*tip] for tip in tips])
    bend = obj.modifiers.new("Bend", "SIMPLE_DEFORM")
    bend.deform_method, bend.angle, bend.show_viewport = "BEND", 0.9, False
    levels = obj.modifiers.new("Subdivision", "SUBSURF")
    levels.levels, levels.render_levels = 0, 1
    card = square("Card", size=0.8)
    card.location, card.rotation_euler.x = (0.1, -2.0, 0.0), np.pi / 2
    card.hide_viewport = True
    camera(resolution=SIZE)
    bpy.context.view_layer.update()
    return obj


def rendered(path):
    """The file that the engine writes."""
    render = bpy.context.scene.render
    render.engine, render.filepath = "RAYPICK", str(path)
    bpy.ops.raypick.use_multilayer()
    bpy.ops.render.render(write_still=True)
    return read_render(f"{path}.exr")


def test_landmarks_of_renders_are_where_renders_show_their_meshes(raypick, head, tmp_path):
    project = raypick.api.landmarks.project
    found = project(bpy.context, visibility="render")
    for modifier in head.modifiers:  # now the viewport shows what renders do
        modifier.show_viewport = True
    head.modifiers["Subdivision"].levels = 1
    bpy.data.objects["Card"].hide_viewport = False
    bpy.context.view_layer.update()
    points = raypick.api.landmarks.points(bpy.context, head)
    seen = [
        world_to_camera_view(bpy.context.scene, bpy.data.objects["Camera"], Vector(each))
        for each in points
    ]
    pixels = np.array(seen) * (*SIZE, 1.0)
    assert np.abs(found["x"] - pixels[:, 0]).max() < 1e-3
    assert np.abs(found["y"] - pixels[:, 1]).max() < 1e-3
    assert np.abs(found["depth"] - pixels[:, 2]).max() < 1e-4
    same = project(bpy.context)
    assert {"Card", ""} <= {*found["hidden_by"]}
    assert found["visible"].any()
    assert np.array_equal(found["visible"], same["visible"])
    assert np.array_equal(found["hidden_by"], same["hidden_by"])


def test_a_render_has_the_table_of_its_landmarks(raypick, head, tmp_path):
    expected = raypick.api.landmarks.project(bpy.context, visibility="render")
    shot = rendered(tmp_path / "shot")
    table = shot.landmarks
    assert table["object"] == ["Suzanne"] * 10
    assert table["name"] == expected["name"].tolist()
    for column in ("x", "y", "depth"):
        assert np.allclose(table[column], expected[column], rtol=0, atol=1e-4)
    for column in ("inside", "visible", "hidden_by"):
        assert table[column] == expected[column].tolist()
    seen = [i for i, is_seen in enumerate(table["visible"]) if is_seen]
    objects = shot.names("object")
    at = [objects[int(table["y"][i]), int(table["x"][i])] for i in seen]
    assert at.count("Suzanne") > len(at) // 2  # a pixel's center may be beside the head


def test_landmarks_are_left_out_of_renders_on_request(raypick, head, tmp_path):
    bpy.context.view_layer.raypick.use_landmarks = False
    assert "landmarks" not in rendered(tmp_path / "shot").meta


def test_landmarks_that_cannot_be_read_do_not_stop_a_render(raypick, head, tmp_path):
    raypick_data = next(key for key in [*head.keys()] if "raypick" in key)
    head[raypick_data] = "{ no landmarks"
    shot = rendered(tmp_path / "shot")
    assert "landmarks" not in shot.meta
    assert "Suzanne" in shot.names("object")


def test_the_command_projects_landmarks_as_renders_show_them(raypick, head, type_in, tmp_path):
    saved(tmp_path / "head.blend")
    expected = raypick.api.landmarks.project(bpy.context, visibility="render")
    ran = type_in("landmarks", "--project", "k.npz", "--visibility", "render")
    assert ran.code == 0
    with np.load("k.npz") as found:
        assert np.array_equal(found["x"].ravel(), expected["x"])
        assert np.array_equal(found["visible"].ravel(), expected["visible"])
    assert type_in("landmarks", "--project", "k.coco.json", "--visibility", "render").code == 0
    assert type_in("landmarks", "--list", "--visibility", "render").code == 2
