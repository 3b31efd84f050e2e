# SPDX-License-Identifier: GPL-3.0-or-later
"""Many hits found again in one call, as columns of NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...model.hit import PickHit
from ...model.scene_hits import SceneHits
from ..query import asked_again_if_outdated, reading, refound
from ..scene.tables import numbered
from ..validation import Viewport
from .columns import Cast, ColumnStore
from .run import Collector


@asked_again_if_outdated
def hits_again(
    context: bpy.types.Context,
    hits: Sequence[PickHit],
    names: tuple[str, ...],
    space: Viewport,
    lacking: bool = False,
) -> SceneHits:
    """Columns of hits as they are now, all of evaluated meshes or all of original ones."""
    count = len(hits)
    with reading():
        found = refound(context, hits, space)
        tables = numbered([*found.listed.values()])
        collector = Collector(Cast(found, tables), names, lacking)
        store = ColumnStore(names, count)
        store.add(collector.columns(found.hits))
    evaluated = all(hit.evaluated for hit in hits)
    return collector.scene_hits(
        *(store.columns((count,)), (count,), count, count),
        evaluated=evaluated,
        reasons=tuple(found.reasons),
    )
