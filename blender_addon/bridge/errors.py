# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the extension besides those of the core."""

from ..standalone_core import RaypickError


class SceneChangedError(RaypickError):
    """The scene changed in the middle of a pick."""
