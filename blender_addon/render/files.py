# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of renders: files with all digits of all passes, and false colors on the screen.

Blender's usual view transform is for photos, and changes false colors; so does dithering.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt

from ..standalone_core import RaypickError

_FORMAT = "OPEN_EXR_MULTILAYER"
_EXACT = ("NONE", "RLE", "ZIPS", "ZIP", "PIZ")  # codecs that keep all bits of all passes

_TRANSFORM = "Standard"

_NEUTRAL = {
    "look": "None",
    "exposure": 0.0,
    "gamma": 1.0,
    "use_curve_mapping": False,
    "use_white_balance": False,  # from Blender 4.3
}
"""What else changes colors, and the values with which it does not."""


def what_is_wrong(render: bpy.types.RenderSettings) -> str | None:
    """Why the files that Blender would write lack passes or digits, in the user's language."""
    settings: Any = render.image_settings
    if settings.file_format != _FORMAT:
        text = pgettext_rpt("{} files hold Combined alone: the passes need OpenEXR MultiLayer")
        return text.format(settings.file_format)
    if settings.exr_codec not in _EXACT:
        text = pgettext_rpt("The codec {} changes numbers: ZIP keeps them")
        return text.format(settings.exr_codec)
    return None


def check(render: bpy.types.RenderSettings, is_animation: bool) -> None:
    """RaypickError if the files that Blender is about to write are wrong.

    With a window, a single picture is looked at first, and may be saved as any file later.
    """
    if is_animation or bpy.app.background:
        wrong = what_is_wrong(render)
        if wrong:
            raise RaypickError(wrong)


def use_exact(render: bpy.types.RenderSettings) -> None:
    """Have renders written to files that hold all passes with all digits."""
    settings: Any = render.image_settings
    if hasattr(settings, "media_type"):  # from Blender 5.0
        settings.media_type = "MULTI_LAYER_IMAGE"
    settings.file_format = _FORMAT
    if settings.exr_codec not in _EXACT:
        settings.exr_codec = "ZIP"


def shows_colors_unchanged(scene: bpy.types.Scene) -> bool:
    """Whether Blender shows colors as they are."""
    shown: Any = scene.view_settings
    return (
        shown.view_transform == _TRANSFORM
        and all(getattr(shown, name, value) == value for name, value in _NEUTRAL.items())
        and not scene.render.dither_intensity
    )


def show_colors_unchanged(scene: bpy.types.Scene) -> None:
    """Have colors shown as they are; RaypickError if the OpenColorIO configuration cannot."""
    shown: Any = scene.view_settings
    try:
        shown.view_transform = _TRANSFORM
    except TypeError:
        raise RaypickError("There is no view transform Standard") from None
    for name, value in _NEUTRAL.items():
        if hasattr(shown, name):
            setattr(shown, name, value)
    scene.render.dither_intensity = 0.0
