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
_EXACT = ("NONE", "RLE", "ZIPS", "ZIP")  # codecs that keep all bits, and that the core reads

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
        text = pgettext_rpt("The codec {} is not exact, or not one that Raypick reads: ZIP is")
        return text.format(settings.exr_codec)
    if _shows_strips(render):
        return pgettext_rpt("Strips of the sequencer are rendered, which have no passes")
    return None


def _shows_strips(render: bpy.types.RenderSettings) -> bool:
    """Whether Blender renders strips in place of the scene."""
    scene: Any = render.id_data
    editor = scene.sequence_editor
    if not (render.use_sequencer and editor):
        return False
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences  # before Blender 4.4
    seen = [each for each in strips if each.type != "SOUND"]
    if bpy.app.version >= (4, 5):  # older ones render muted strips, too: a black picture
        seen = [each for each in seen if not (each.mute or editor.channels[each.channel].mute)]
    return bool(seen)


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
    if _shows_strips(render):
        render.use_sequencer = False


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
