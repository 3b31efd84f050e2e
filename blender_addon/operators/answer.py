# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator does with a question: time it, keep the answer, tell it, redraw the panel."""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy

from .. import picked, progress
from ..pick_hit import PickHit
from ..picked import Picked
from ..standalone_core import RaypickError


def answer(
    operator: bpy.types.Operator, context: bpy.types.Context, ask: Callable[[], list[PickHit]]
) -> set[str]:
    """Ask, and tell the answer in the status bar and the panel; bad input is told as an error."""
    start = time.perf_counter()
    try:
        hits = ask()
    except RaypickError as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    picked.keep(Picked(tuple(hits), time.perf_counter() - start))
    operator.report({"INFO"}, _told(hits))
    progress.redraw(context)
    progress.follow()
    return {"FINISHED"}


def _told(hits: list[PickHit]) -> str:
    if not hits:
        return bpy.app.translations.pgettext_rpt("Nothing hit")
    hit = hits[0]
    weights = ", ".join(f"{weight:.4f}" for weight in hit.barycentric)
    message = bpy.app.translations.pgettext_rpt("{}: face {}, triangle {}, barycentric ({})")
    return message.format(hit.object, hit.face, hit.triangle, weights)
