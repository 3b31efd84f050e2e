# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels and the overlay show: the pick that was kept, and the one under the mouse.

All is kept in Python: no digit is lost, and undo takes nothing back.
"""

from __future__ import annotations

import bpy

from ..model.hit import PickHit
from ..model.record import PickRecord
from . import history

_kept: PickRecord | None = None
_hovered: PickRecord | None = None
_region = 0
_following = False


def kept() -> PickRecord | None:
    """The pick that was kept last since the extension was enabled or a file was loaded."""
    return _kept


def hovered() -> PickRecord | None:
    """What is under the mouse, while the inspector or the tool follows it."""
    return _hovered


def shown() -> PickRecord | None:
    """What the panels show.

    While the inspector runs, that is what is under the mouse. Else it is what was kept: on the way
    to a button of the sidebar the tool passes over other faces.
    """
    return _kept if _hovered is None or (_kept is not None and not _following) else _hovered


def shown_hit() -> PickHit | None:
    """The hit that the panels show, where it is now; None where nothing was hit."""
    record = shown()
    return None if record is None else record.hit_now


def follow_mouse(following: bool) -> None:
    """Have the panels show what is under the mouse, even if something was kept, or not."""
    global _following
    _following = following


def keep(record: PickRecord | None) -> None:
    """Keep a pick and remember it, or forget the kept one."""
    show(record)
    if record is not None:
        history.add(record)


def show(record: PickRecord | None) -> None:
    """Show a pick as the kept one, without remembering it once more."""
    global _kept, _hovered
    _kept, _hovered = record, None


def hover(record: PickRecord | None, region: int = 0) -> None:
    """Show what is under the mouse, which is in the region of an address; None ends that."""
    global _hovered, _region
    _hovered, _region = record, region


def has_mouse(region: bpy.types.Region | None) -> bool:
    """Whether what is under the mouse is in this region."""
    return _hovered is not None and region is not None and region.as_pointer() == _region
