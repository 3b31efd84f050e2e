# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's data and the core: views, evaluated geometry, scene snapshots, reports."""

from .scene import snapshot


def register() -> None:
    """Start to follow changes of the scene."""
    snapshot.register()


def unregister() -> None:
    """Stop, and forget all geometry."""
    snapshot.unregister()
