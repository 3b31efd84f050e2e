# SPDX-License-Identifier: GPL-3.0-or-later
"""Raypick on the command line of Blender: ``blender FILE.blend --command raypick ...``.

from bl_ext.user_default.raypick.command import main

main(["survey", "--camera", "Camera", "--frames", "1-240", "--out", "shots/"])  # an exit code
"""

from __future__ import annotations

from typing import Any

import bpy

from .opened import unwatch, watch
from .program import NAME, from_blender, main

__all__ = ["main", "register", "unregister"]

_handle: Any = None
"""Blender's handle of the registered command."""


def register() -> None:
    """Register the command with Blender, and watch which files it loads."""
    global _handle
    _handle = bpy.utils.register_cli_command(NAME, from_blender)
    watch()


def unregister() -> None:
    """Unregister the command, if it is registered."""
    global _handle
    if _handle is not None:
        bpy.utils.unregister_cli_command(_handle)
        _handle = None
    unwatch()
