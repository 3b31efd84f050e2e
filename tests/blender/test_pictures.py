# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenEXR files of the core, as Blender's own reader of images has them."""

import bpy
import numpy as np
import pytest

from standalone_core.tables import write_exr


def read(path, channels):
    """The pixels (H, W, channels) that Blender reads, with row 0 at the top."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    pixels = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(height, width, image.channels)[::-1, :, :channels]


@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (16, 4), (37, 53)])
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_blender_reads_the_colors_of_a_picture(tmp_path, rng, shape, kind):
    channels = {name: rng.random(shape).astype(kind) for name in "RGB"}
    write_exr(tmp_path / "a.exr", channels, {"camera": "Camera"})
    wanted = np.stack([channels[name] for name in "RGB"], axis=-1).astype(np.float32)
    assert np.array_equal(read(tmp_path / "a.exr", 3), wanted)


def test_blender_reads_a_picture_of_one_channel(tmp_path, rng):
    depth = rng.random((20, 30)).astype(np.float32)
    write_exr(tmp_path / "a.exr", {"Y": depth})
    assert np.array_equal(read(tmp_path / "a.exr", 1)[..., 0], depth)


def test_blender_reads_whole_numbers_as_colors(tmp_path, rng):
    """It has floats alone, which hold whole numbers up to 2**24."""
    ids = {name: rng.integers(0, 1 << 24, (20, 30), dtype=np.uint32) for name in "RGB"}
    write_exr(tmp_path / "a.exr", ids)
    wanted = np.stack([ids[name] for name in "RGB"], axis=-1).astype(np.float32)
    assert np.array_equal(read(tmp_path / "a.exr", 3), wanted)
