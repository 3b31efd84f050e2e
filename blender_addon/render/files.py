# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of renders: those that hold all passes with all digits."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt

from ..standalone_core import RaypickError

_FORMAT = "OPEN_EXR_MULTILAYER"
_EXACT = ("NONE", "RLE", "ZIPS", "ZIP", "PIZ")  # codecs that keep all bits of all passes


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
