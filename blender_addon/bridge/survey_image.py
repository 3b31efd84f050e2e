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
    if before is not None and _is_survey(before):
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
        area
        for area in window.screen.areas
        if area.ui_type == "IMAGE_EDITOR"
        if not _space(area).use_image_pin or _space(area).image == image
    ]

    def rank(area: bpy.types.Area) -> int:
        """How reluctantly to replace what an editor shows: 0 if it is this image already."""
        shown = _space(area).image
        return 2 if shown is None else 0 if shown == image else 1 if _is_survey(shown) else 3

    for area in sorted(free, key=rank)[:1]:
        _put(image, window, area)
    return bool(free)


def open_editor(image: bpy.types.Image, window: bpy.types.Window) -> bool:
    """Show an image where Blender shows renders, by default in a window of its own.

    Return False where the user wants none. Blender opens the editor for its render, and makes an
    image of that if there is none; we take the editor over, and remove that image again.
    """
    display = bpy.context.preferences.view.render_display_type
    if display == "NONE" or window.screen.is_temporary:  # whose own window it would hide
        return False
    before = _renders()
    with bpy.context.temp_override(window=window):
        bpy.ops.render.view_show("INVOKE_DEFAULT")
    renders = _renders()
    opened = [
        (other, area)
        for other in bpy.context.window_manager.windows
        for area in other.screen.areas
        if area.type == "IMAGE_EDITOR" and not _space(area).use_image_pin
        if other.screen.is_temporary or _space(area).image in renders
    ]
    for other, area in opened[:1]:
        _put(image, other, area)
    for render in renders:
        if render not in before:
            bpy.data.images.remove(render)
    return bool(opened)


def _put(image: bpy.types.Image, window: bpy.types.Window, area: bpy.types.Area) -> None:
    """Show an image in an Image Editor, as large as fits unless it is there already."""
    if _space(area).image == image:
        return
    _space(area).image = image
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.image.view_all(fit_view=True)


def _space(area: bpy.types.Area) -> bpy.types.SpaceImageEditor:
    return cast(bpy.types.SpaceImageEditor, area.spaces.active)


def _is_survey(image: bpy.types.Image) -> bool:
    return ABOUT in cast(Any, image)


def _renders() -> list[bpy.types.Image]:
    """Blender's images of its renders: one, or none."""
    return [each for each in bpy.data.images if each.type == "RENDER_RESULT"]
