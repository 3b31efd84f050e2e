# SPDX-License-Identifier: GPL-3.0-or-later
"""The core reads what the engine renders as the columns and names of a survey of the same."""

import bpy
import numpy as np
import pytest

from standalone_core.errors import ArgumentError
from standalone_core.tables import read_render
from tests.blender.command.conftest import camera
from tests.blender.scenes import collection_instance, square, suzanne

COLUMNS = "object", "instance", "face", "depth", "point", "barycentric", "vertices", "front"
COLUMNS += "uv", "material", "original_face"


@pytest.fixture
def shot(raypick, tmp_path):
    """A scene that is rendered with all these passes, and the path of its picture."""
    suzanne()
    collection_instance(square("Tile"), (1.5, 0.0, 0.5))
    camera()
    scene = bpy.context.scene
    render = scene.render
    render.engine, render.filepath = "RAYPICK", str(tmp_path / "shot.exr")
    bpy.ops.raypick.use_multilayer()
    for column in COLUMNS:
        setattr(bpy.context.view_layer.raypick, f"use_pass_{column}", True)
    return tmp_path / "shot.exr"


def check(render, survey):
    """Compare what was read with a survey, whose numbers are of double precision."""
    assert set(render) == {*COLUMNS}
    for column in COLUMNS:
        expected, read = survey[column], render[column]
        if expected.dtype.kind == "f":  # cameras of renders may be turned in the last digit
            assert read.dtype == np.float32
            np.testing.assert_allclose(read, expected, rtol=1e-5, atol=1e-5)
        elif column != "instance":
            assert read.dtype == expected.dtype
            assert np.array_equal(read, expected), column
    assert render.names("object").tolist() == survey.names("object").tolist()


def test_a_render_reads_as_a_survey_of_renders(raypick, shot):
    survey = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    bpy.ops.render.render(write_still=True)
    render = read_render(shot)
    check(render, survey)
    assert {*np.unique(render.names("object"))} == {"", "Suzanne", "Tile"}
    tiles = {*render.names("instance")[render.names("object") == "Tile"]}
    assert len(tiles) == 1
    assert tiles < {*render.meta["instance_names"]}
    assert len({*render["instance"][render.names("object") == "Tile"]}) == 1
    assert render.meta["camera"] == bpy.context.scene.camera.name


@pytest.mark.parametrize("cropped", [False, True], ids=["whole", "cropped"])
def test_a_border_reads_as_a_survey_of_it(raypick, shot, cropped):
    render = bpy.context.scene.render
    render.use_border, render.use_crop_to_border = True, cropped
    render.border_min_x, render.border_max_x = 0.213, 0.777
    render.border_min_y, render.border_max_y = 0.101, 0.899
    survey = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    bpy.ops.render.render(write_still=True)
    check(read_render(shot), survey)


@pytest.mark.parametrize("form", ["MULTIVIEW", "INDIVIDUAL"])
def test_views_read_by_their_names(raypick, shot, form):
    scene = bpy.context.scene
    scene.render.use_multiview = True
    scene.render.image_settings.views_format = form
    scene.camera.data.stereo.interocular_distance = 0.5
    bpy.ops.render.render(write_still=True)
    seen = []
    for view, ending in (("left", "_L"), ("right", "_R")):
        path = shot if form == "MULTIVIEW" else shot.with_stem(f"{shot.stem}{ending}")
        render = read_render(path, view=view)
        assert (render.names("object") == "Suzanne").any()
        seen.append(render["depth"])
    assert not np.array_equal(*seen)


def test_a_file_of_one_view_is_read_as_no_other(raypick, shot):
    scene = bpy.context.scene
    scene.render.use_multiview = True
    scene.render.image_settings.views_format = "INDIVIDUAL"
    bpy.ops.render.render(write_still=True)
    right = shot.with_stem(f"{shot.stem}_R")
    assert read_render(right).view == "right"
    with pytest.raises(ArgumentError, match="no view 'left'"):
        read_render(right, view="left")
