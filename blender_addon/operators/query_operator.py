# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators that query the scene have in common."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt

from ..model.record import PickRecord
from ..session import current, redraw
from ..standalone_core import RaypickError


class QueryOperator(bpy.types.Operator):
    """Base of operators that query the scene, keep the record and report it."""

    def query(self, context: bpy.types.Context) -> PickRecord:
        """Run the query; RaypickError for bad input."""
        raise NotImplementedError

    def keep(self, _context: bpy.types.Context, record: PickRecord) -> PickRecord:
        """Keep the record, or let it renew another; return the one that is kept."""
        current.keep(record)
        return record

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            record = self.query(context)
        except RaypickError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, summary(self.keep(context, record)))
        redraw.redraw(context)
        redraw.follow()
        return {"FINISHED"}


def summary(record: PickRecord) -> str:
    """The current hit of a record, in a line."""
    hit = record.hit
    if hit is None:
        return pgettext_rpt("Nothing hit")
    weights = ", ".join(f"{weight:.4f}" for weight in hit.barycentric)
    message = pgettext_rpt("{}: face {}, triangle {}, barycentric ({})")
    return message.format(hit.object, hit.face, hit.triangle, weights)
