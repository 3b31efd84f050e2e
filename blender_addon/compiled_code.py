# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled code is kept: with the extension's files of this user, not beside the code."""

from __future__ import annotations

import contextlib

import bpy

from .standalone_core.extension import kernel_cache


def register() -> None:
    """Tell the core; the folder is made when something is compiled.

    A copy that is not installed as an extension has no such folder: the user's caches serve it.
    """
    with contextlib.suppress(ValueError):
        kernel_cache.use(bpy.utils.extension_path_user(__package__, path="compiled"))


def unregister() -> None:
    """Nothing is to be taken back: the core goes with the extension."""
