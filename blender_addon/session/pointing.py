# SPDX-License-Identifier: GPL-3.0-or-later
"""What is under the mouse where a context menu was opened, for the entries of that menu.

It is picked when Raypick's entries are drawn for the first time: no other menu waits for it.
"""

from __future__ import annotations

import bpy

from ..bridge.scene.changes import NotWhileDrawingError, evaluated_depsgraph, while_drawing
from ..model.hit import PickHit
from ..standalone_core import RaypickError
from . import hover
from .viewports import Spot

_MARK = "raypick_pointed"
"""The context pointer of layouts whose buttons act on this hit; their polls see it."""

_spot: Spot | None = None
_hit: PickHit | None = None


def forget() -> None:
    """Forget the place: another menu opens."""
    global _spot, _hit
    _spot = _hit = None


def note(context: bpy.types.Context, spot: Spot | None) -> None:
    """Note the place where a menu was opened; None over no viewport."""
    global _spot
    forget()
    _spot = spot
    evaluated_depsgraph(context)  # drawing must not evaluate it


def hit() -> PickHit | None:
    """The hit that was found there last; None if there is none."""
    return _hit


def ask(context: bpy.types.Context, layout: bpy.types.UILayout) -> PickHit | None:
    """Find the hit while drawing a menu, and have the layout's buttons act on it."""
    global _hit, _spot
    layout.context_pointer_set(_MARK, context.window_manager)
    spot, _spot = _spot, None
    if spot is not None:
        try:
            with while_drawing():
                _hit = hover.look_at(context, spot).hit_now
        except (RaypickError, NotWhileDrawingError):
            _hit = None
    return _hit


def is_asked(context: bpy.types.Context) -> bool:
    """Whether a poll is that of a button in such a layout."""
    return getattr(context, _MARK, None) is not None
