# SPDX-License-Identifier: GPL-3.0-or-later
"""What a click means: keep a pick, or look at what is behind the kept one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import bpy

from .. import settings
from ..model.record import PickRecord
from . import current

_STEADY_PIXELS = 2  # a hand that clicks again at the same place moves the mouse no farther


class Click(NamedTuple):
    """Where was clicked: address and view of the region, and the pixel."""

    region: int
    view: tuple[float, ...]
    x: int
    y: int

    def is_same(self, other: Click) -> bool:
        """Whether this is the same place, but for an unsteady hand."""
        reach = _STEADY_PIXELS * settings.ui_scale()
        near = abs(self.x - other.x) <= reach and abs(self.y - other.y) <= reach
        return near and (self.region, self.view) == (other.region, other.view)


_last: Click | None = None


def click(region: bpy.types.Region, view: bpy.types.RegionView3D, x: int, y: int) -> Click:
    """A click at a pixel of a region."""
    matrix = tuple(value for row in view.perspective_matrix[:] for value in row[:])
    return Click(region.as_pointer(), matrix, x, y)


def keep_or_walk(record: PickRecord, clicked: Click) -> PickRecord:
    """Keep a pick at the hovered hit, or go on to the next hit of it if that is kept already.

    Return the pick that is kept.
    """
    global _last
    kept, hovered = current.kept(), current.hovered()
    is_again = _last is not None and clicked.is_same(_last) and record.has_same_hits(kept)
    _last = clicked
    if hovered is not None and record.has_same_hits(hovered):
        record.look_at(hovered.rank)
        is_again = is_again and kept is not None and hovered.rank == kept.rank
    if is_again and kept is not None:
        kept.renew(record)
        kept.look_at(kept.rank + 1)
        current.show(kept)
        record = kept
    else:
        current.keep(record)
    if hovered is not None:
        current.hover(replace(record), clicked.region)
    return record


def forget() -> None:
    """No click was made yet."""
    global _last
    _last = None
