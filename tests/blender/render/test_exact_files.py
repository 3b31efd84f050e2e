# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of renders have all digits of all passes, whatever they are packed with."""

import re

import bpy
import numpy as np
import pytest

from . import cycles

EXACT, REFUSED = ("NONE", "RLE", "ZIPS", "ZIP"), ("PIZ", "PXR24", "DWAA", "DWAB")
if bpy.app.version >= (5, 2):
    REFUSED += ("HTJ2K",)  # which few programs read
VIEWS = "left", "right"


def bits(channels):
    """The bits of all channels of passes; those of Combined may be colors."""
    assert {each.dtype for name, each in channels.items() if "Combined" not in name} == {
        np.dtype(np.float32)
    }
    return {name: each.tobytes() for name, each in channels.items() if "Combined" not in name}


@pytest.mark.parametrize("depth", ["16", "32"])
def test_color_depth_is_that_of_combined_alone(scene, tmp_path, depth):
    full = cycles.render(tmp_path / "full").pictures.channels
    found = cycles.render(tmp_path / "found", depth=depth).pictures.channels
    assert found["ViewLayer.Combined.R"].dtype == (np.float16 if depth == "16" else np.float32)
    assert bits(found) == bits(full)


@pytest.mark.parametrize("codec", ["RLE", "ZIPS", "ZIP"])
def test_codecs_keep_all_bits(scene, tmp_path, codec):
    plain = cycles.render(tmp_path / "plain", codec="NONE").pictures.channels
    packed = cycles.render(tmp_path / "packed", codec=codec).pictures.channels
    assert bits(packed) == bits(plain)
    assert (tmp_path / "packed.exr").stat().st_size < (tmp_path / "plain.exr").stat().st_size


@pytest.mark.parametrize("codec", REFUSED)
def test_codecs_that_change_numbers_or_that_nothing_here_reads_are_refused(scene, tmp_path, codec):
    with pytest.raises(RuntimeError, match=f"Raypick: .*{codec}"):
        cycles.render(tmp_path / "refused", codec=codec)
    assert not [*tmp_path.iterdir()]


def test_no_codec_is_left(scene):
    cycles.file_settings()
    settings = scene.render.image_settings
    with pytest.raises(TypeError) as refused:  # which tells those that there are
        settings.exr_codec = "None of them"
    named = re.findall(r"'(\w+)'", str(refused.value))
    assert {*named} == {*EXACT, *REFUSED}


@pytest.fixture
def stereo(scene):
    scene.render.use_multiview = True
    scene.camera.data.stereo.interocular_distance = 0.8
    return scene


def test_views_are_the_same_in_one_file_and_in_two(stereo, tmp_path):
    whole = cycles.render(tmp_path / "whole")
    assert {view for _, view in whole.views} == {*VIEWS}
    stereo.render.image_settings.views_format = "INDIVIDUAL"
    stereo.render.filepath = str(tmp_path / "single")
    bpy.ops.render.render(write_still=True)
    for view, suffix in zip(VIEWS, "LR", strict=True):
        single = cycles.read(tmp_path / f"single_{suffix}.exr")
        assert bits(single.pictures.channels) == {
            name.replace(f".{view}.", "."): each
            for name, each in bits(whole.pictures.channels).items()
            if f".{view}." in name
        }
        assert single.told.keys() == whole.told.keys()


def test_pictures_of_two_views_side_by_side_are_no_files_with_passes(stereo):
    cycles.file_settings()
    with pytest.raises(TypeError):
        stereo.render.image_settings.views_format = "STEREO_3D"
