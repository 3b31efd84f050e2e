# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of surveys as image data-blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import bpy
import numpy as np
import numpy.typing as npt

NAME = "Raypick Survey: {}"
"""The name of an image, with its title; in English, to be found again in any language."""

ABOUT = "raypick_survey"
"""The custom property that marks the image of a survey, and says what it shows."""


def keep(
    title: str, pixels: npt.NDArray[np.float32], about: Mapping[str, object]
) -> bpy.types.Image:
    """Keep pixels (H, W, 4), the bottom row first, as the image of this title.

    It replaces the image of the last survey wherever that is used. It is a new data-block, as undo
    restores pixels only together with their data-block. It holds linear values of 32 bits a
    channel, without color management. It is packed, as Blender would not save its pixels otherwise,
    and has a fake user.
    """
    name = NAME.format(title)
    height, width = pixels.shape[:2]
    before = bpy.data.images.get((name, None))
    image = bpy.data.images.new(name, width, height, alpha=True, float_buffer=True, is_data=True)
    values: Any = np.ascontiguousarray(pixels, dtype=np.float32).ravel()
    image.pixels.foreach_set(values)
    image.update()
    image.pack()
    image[ABOUT] = dict(about)
    if before is not None and ABOUT in cast(Any, before):
        before.user_remap(image)
        bpy.data.images.remove(before)
        image.name = name
    image.use_fake_user = True
    return image


def show(image: bpy.types.Image, window: bpy.types.Window) -> bool:
    """Show an image in an Image Editor of a window; return whether one was free.

    Editors that show a survey, or nothing, are preferred. Pinned images stay.
    """
    free = [
        space
        for area in window.screen.areas
        if area.ui_type == "IMAGE_EDITOR"
        for space in area.spaces
        if isinstance(space, bpy.types.SpaceImageEditor) and space == area.spaces.active
        if not space.use_image_pin or space.image == image
    ]

    def rank(space: bpy.types.SpaceImageEditor) -> int:
        """How reluctantly to replace what an editor shows: 0 if it is this image already."""
        if space.image is None:
            return 2
        return 0 if space.image == image else 1 if ABOUT in cast(Any, space.image) else 3

    for space in sorted(free, key=rank)[:1]:
        space.image = image
    return bool(free)
