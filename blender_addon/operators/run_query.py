# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator does with a question: ask, keep the answer, tell it, redraw the panel."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..model.record import PickRecord
from ..session import current, redraw
from ..standalone_core import RaypickError


def answer(
    operator: bpy.types.Operator,
    context: bpy.types.Context,
    ask: Callable[[], PickRecord],
    keep: Callable[[PickRecord], None] = current.keep,
) -> set[str]:
    """Ask, and tell the answer in the status bar and the panel; bad input is told as an error."""
    try:
        record = ask()
    except RaypickError as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    keep(record)
    operator.report({"INFO"}, told())
    redraw.redraw(context)
    redraw.follow()
    return {"FINISHED"}


def told() -> str:
    """The hit that is looked at, in a line."""
    record = current.kept()
    if record is None or record.hit is None:
        return bpy.app.translations.pgettext_rpt("Nothing hit")
    hit = record.hit
    weights = ", ".join(f"{weight:.4f}" for weight in hit.barycentric)
    message = bpy.app.translations.pgettext_rpt("{}: face {}, triangle {}, barycentric ({})")
    return message.format(hit.object, hit.face, hit.triangle, weights)
