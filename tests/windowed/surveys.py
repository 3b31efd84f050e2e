# SPDX-License-Identifier: GPL-3.0-or-later
"""Survey View as a user starts it in a viewport, and the images that it makes."""

import base64
import zlib

import numpy as np

from tests.core.landmark_files.model import model_module

survey_colors = model_module("survey_colors")

BEGIN = """
from bl_ext.user_default.raypick.session import survey
from bl_ext.user_default.raypick.operators import survey_view
with bpy.context.temp_override(window=viewport()[0], area=area, region={region}):
    bpy.ops.raypick.survey_view("INVOKE_DEFAULT", **{options!r})
result = None
"""

PIXELS = """
import base64, zlib
import numpy as np
image = bpy.data.images[{name!r}]
values = np.empty(len(image.pixels), dtype=np.float32)
image.pixels.foreach_get(values)
[list(image.size), base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()]
"""

FACE = "Raypick Survey: Face"
OBJECT = "Raypick Survey: Object"


def begin(blender, kind="FACE", region="region", **options):
    """Start a survey in a region of the first viewport, or through the camera."""
    blender.py(BEGIN.format(region=region, options={"kind": kind, **options}))


def wait_for_end(blender):
    """Wait until no survey runs."""
    blender.wait("survey.running is None", timeout=240)


def pixels(blender, name):
    """The pixels (H, W, 4) of an image, the bottom row first."""
    (width, height), data = blender.py(PIXELS.format(name=name))
    values = np.frombuffer(zlib.decompress(base64.b64decode(data)), np.float32)
    return values.reshape(height, width, 4)


def ids_of(picture, count):
    """The ids (H, W), of 0 to count - 1, whose colors the pixels have; -1 for clear ones."""
    known = {
        color.tobytes(): number
        for number, color in enumerate(
            survey_colors.from_srgb(survey_colors.false_colors(np.arange(count))).astype(np.float32)
        )
    }
    flat = np.ascontiguousarray(picture.reshape(-1, 4))
    # Each color as one number, which NumPy sorts sooner than rows; no two may have the same.
    numbers = flat.view(np.uint64) @ np.array([1, 0x9E3779B97F4A7C15], dtype=np.uint64)
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    colors = flat[first]
    assert np.array_equal(colors[number], flat)
    ids = [-1 if color[3] == 0.0 else known[color[:3].tobytes()] for color in colors]
    return np.array(ids)[number].reshape(picture.shape[:2])


def inside_of_parts(drawn):
    """Which pixels (H, W) of a picture of numbers have neighbors of the same number alone."""
    same = np.ones(drawn.shape, dtype=bool)
    for y in (-1, 0, 1):
        for x in (-1, 0, 1):
            same &= np.roll(drawn, (y, x), (0, 1)) == drawn
    return same
