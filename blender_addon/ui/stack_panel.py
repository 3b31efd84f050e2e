# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that lists all hits of a pick, the nearest first."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import declarations, picked, texts
from ..pick_hit import PickHit
from .sidebar import HitPanel

MOST = 24
"""So many hits are listed, around the one that is looked at."""


class RAYPICK_PT_stack(HitPanel, bpy.types.Panel):
    """All hits, to walk through."""

    bl_label = "All Hits"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a row for each hit; a click looks at it."""
        record = picked.shown()
        hits = record.hits_now
        first = max(0, min(record.rank - MOST // 2, len(hits) - MOST))
        row = self.layout.row(align=True)
        row.label(
            text=pgettext_iface("{} of {}").format(record.rank + 1, len(hits)), translate=False
        )
        for step, icon in ((-1, "TRIA_UP"), (1, "TRIA_DOWN")):
            row.operator(declarations.WALK_OPERATOR, text="", icon=icon).step = step
        column = self.layout.column(align=True)
        for rank in range(first, min(first + MOST, len(hits))):
            _draw_hit(column, rank, hits[rank], rank == record.rank, context.scene)


def _draw_hit(
    layout: bpy.types.UILayout, rank: int, hit: PickHit, is_active: bool, scene: bpy.types.Scene
) -> None:
    split = layout.split(factor=0.72, align=True)
    button = split.operator(
        declarations.LOOK_AT_OPERATOR,
        text=f"{rank + 1}  {hit.object}  {hit.face}",
        translate=False,
        icon="LAYER_ACTIVE" if hit.front else "LAYER_USED",
        depress=is_active,
    )
    button.rank = rank
    split.label(text=texts.shown_length(hit.distance, scene), translate=False)


CLASSES = (RAYPICK_PT_stack,)
