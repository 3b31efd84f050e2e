# SPDX-License-Identifier: GPL-3.0-or-later
"""The kept pick, the one under the mouse, how clicks change them, and the excluded objects.

Python holds all of it, so that no digit is lost and undo changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import bpy

from .. import settings
from ..bridge.query_options import QueryOptions
from ..bridge.validation import listed
from ..model.hit import PickHit, Vector
from ..model.record import PickRecord
from . import events, history
from .viewports import Spot

_STEADY_PIXELS = 2  # clicks no farther apart are at the same place


class Touched(NamedTuple):
    """The landmark under the mouse, which a click selects and a drag moves."""

    name: str
    point: Vector  # in world space


_kept: PickRecord | None = None
_hovered: PickRecord | None = None
_touched: Touched | None = None
_region = 0
_following = False
_marking = False
_names: dict[int, str] = {}
"""Names of excluded objects as they were, by session UIDs, which survive renaming and undo."""


def kept() -> PickRecord | None:
    """The pick that was kept last since the extension was enabled or a file was loaded."""
    return _kept


def hovered() -> PickRecord | None:
    """The pick under the mouse, while the inspector or the tool follows it."""
    return _hovered


def shown() -> PickRecord | None:
    """The pick that the panels show.

    While the inspector runs, that is the one under the mouse. Else it is the kept one: on the way
    to a button of the sidebar the mouse passes over other faces. If none is kept, it is the one
    under the mouse again, but not with the landmark tool.
    """
    is_hidden = _hovered is None or (not _following and (_kept is not None or _marking))
    return _kept if is_hidden else _hovered


def shown_hit() -> PickHit | None:
    """The hit that the panels show, where it is now; None where nothing was hit."""
    record = shown()
    return None if record is None else record.hit_now


def follow_mouse(following: bool) -> None:
    """Set whether panels show the pick under the mouse even while one is kept."""
    global _following
    _following = following


def keep(record: PickRecord | None) -> None:
    """Keep a pick and remember it, or forget the kept one."""
    show(record)
    if record is not None:
        events.note_pick(record)
        history.add(record)
        if record.hits:
            settings.has_picked()


def show(record: PickRecord | None) -> None:
    """Show a pick as the kept one, without remembering it once more."""
    global _kept, _hovered
    _kept, _hovered = record, None


def hover(
    record: PickRecord | None,
    region: int = 0,
    marking: bool = False,
    touched: Touched | None = None,
) -> None:
    """Show the pick under the mouse, in the region at an address; None shows none.

    `marking` says whether a click there would place a landmark, or select the one `touched`. A
    click beside everything is forgotten then: it has nothing to keep.
    """
    global _kept, _hovered, _region, _marking, _touched
    if _kept is not None and not _kept.hits:
        _kept = None
    _hovered, _region, _marking, _touched = record, region, marking, touched


def is_marking() -> bool:
    """Whether a click at the pick under the mouse places a landmark, and does not keep the pick."""
    return _marking and not _following


def touched() -> Touched | None:
    """The landmark that a click at the pick under the mouse selects; None if it selects none."""
    return _touched if _hovered is not None and is_marking() else None


def has_mouse(region: bpy.types.Region | None) -> bool:
    """Whether the pick under the mouse is in this region."""
    return _hovered is not None and region is not None and region.as_pointer() == _region


def excluded_objects() -> list[bpy.types.Object]:
    """The excluded objects that still exist."""
    return [obj for obj in bpy.data.objects if obj.session_uid in _names] if _names else []


def excluding(options: QueryOptions) -> QueryOptions:
    """The options of a query, which exclude these objects too."""
    chosen = listed(options.exclude, "exclude")
    return replace(options, exclude=[*chosen, *excluded_objects()])


def excluded_names() -> dict[int, tuple[str, bool]]:
    """The names of excluded objects in their order, by session UIDs, and whether they exist."""
    now = {obj.session_uid: obj.name for obj in excluded_objects()}
    return {uid: (now.get(uid, name), uid in now) for uid, name in _names.items()}


def exclude(obj: bpy.types.Object) -> None:
    """Exclude an object from picks until another file is loaded."""
    _names[obj.session_uid] = obj.name


def include(uid: int) -> None:
    """Include an object again."""
    _names.pop(uid, None)


def include_all() -> None:
    """Include all objects again."""
    _names.clear()


class Click(NamedTuple):
    """Where a click was: address and view of the region, and the pixel."""

    region: int
    view: tuple[tuple[float, ...], ...]
    pixel: tuple[int, int]

    @classmethod
    def at(cls, spot: Spot) -> Click:
        """A click at a pixel."""
        matrix = tuple(row[:] for row in spot.region_data.perspective_matrix[:])
        return cls(spot.region.as_pointer(), matrix, spot.pixel)

    def is_same(self, other: Click) -> bool:
        """Whether this is the same place, up to small movements of the mouse."""
        reach = _STEADY_PIXELS * settings.ui_scale()
        near = all(abs(a - b) <= reach for a, b in zip(self.pixel, other.pixel, strict=True))
        return near and (self.region, self.view) == (other.region, other.view)


_last: Click | None = None


def keep_or_walk(record: PickRecord, clicked: Click) -> PickRecord:
    """Keep a pick at the hovered hit; if the last click, at this place, kept it, go to the next.

    Return the pick that is kept.
    """
    global _last
    last_kept, under = kept(), hovered()
    is_again = _last is not None and clicked.is_same(_last) and record.has_same_hits(last_kept)
    _last = clicked
    if under is not None and record.has_same_hits(under):
        record.look_at(under.rank)
        is_again = is_again and last_kept is not None and under.rank == last_kept.rank
    if is_again and last_kept is not None:
        last_kept.renew(record)
        last_kept.look_at(last_kept.rank + 1)
        show(last_kept)
        events.note_pick(last_kept)
        record = last_kept
    else:
        keep(record)
    if under is not None:
        hover(replace(record), clicked.region, _marking, _touched)
    return record


def forget_click() -> None:
    """Forget the last click: the next one keeps a pick anew."""
    global _last
    _last = None
