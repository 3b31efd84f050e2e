# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that lists all hits of a pick, the nearest first."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, idnames
from ..model.hit import PickHit
from ..session import current
from .sidebar import HitPanel

MOST = 24
"""So many hits are listed, around the one that is looked at."""

_COLUMNS = {"#": 0.17, "Object": 0.33, "Face": 0.2, "Distance": 0.3}
"""The headings of the table, and each column's share of its width."""


class RAYPICK_PT_stack(HitPanel, bpy.types.Panel):
    """All hits, to walk through."""

    bl_label = "All Hits"

    def draw(self, context: bpy.types.Context) -> None:
        record = current.shown()
        hits = record.hits_now
        first = max(0, min(record.rank - MOST // 2, len(hits) - MOST))
        row = self.layout.row(align=True)
        row.label(
            text=pgettext_iface("{} of {}").format(record.rank + 1, len(hits)), translate=False
        )
        for step, icon in ((-1, "TRIA_UP"), (1, "TRIA_DOWN")):
            row.operator(idnames.WALK_OPERATOR, text="", icon=icon).step = step
        headings = list(_COLUMNS)[: None if record.origin else -1]
        table = self.layout.column(align=True)
        for cell, heading in zip(_cells(table, headings), headings, strict=True):
            cell.alignment = "CENTER"
            cell.label(text=heading)
        for rank in range(first, min(first + MOST, len(hits))):
            cells = _cells(table, headings)
            is_stale = record.stale_at(rank) is not None
            _draw_hit(cells, rank, hits[rank], rank == record.rank, is_stale, context.scene)


def _cells(table: bpy.types.UILayout, headings: list[str]) -> Iterator[bpy.types.UILayout]:
    """The cells of a new row of the table."""
    rest, left = table.row(align=True), sum(_COLUMNS[heading] for heading in headings)
    for heading in headings[:-1]:
        split = rest.split(factor=_COLUMNS[heading] / left, align=True)
        yield split.row(align=True)
        rest, left = split.row(align=True), left - _COLUMNS[heading]
    yield rest


def _draw_hit(
    cells: Iterator[bpy.types.UILayout],
    rank: int,
    hit: PickHit,
    is_active: bool,
    is_stale: bool,
    scene: bpy.types.Scene,
) -> None:
    """Draw a row as one button, a hollow dot in it for a back side; gray where it is stale."""
    side = "LAYER_ACTIVE" if hit.front else "LAYER_USED"
    distance = "-" if is_stale else formatting.shown_length(hit.distance, scene)
    columns = ((rank + 1, side), (hit.object, "NONE"), (hit.face, "NONE"), (distance, "NONE"))
    for cell, (shown, icon) in zip(cells, columns, strict=False):
        cell.active = not is_stale
        button = cell.operator(
            idnames.LOOK_AT_OPERATOR,
            text=str(shown),
            translate=False,
            icon=icon,
            depress=is_active,
        )
        button.rank = rank
