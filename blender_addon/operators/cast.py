# SPDX-License-Identifier: GPL-3.0-or-later
"""Cast a ray that is given by numbers; works without a window."""

from __future__ import annotations

import bpy
from bpy.props import FloatVectorProperty

from .. import idnames
from ..model.record import PickRecord
from ..options import CastOptions
from ..session import queries
from .base import QueryOperator, Result


class RAYPICK_OT_cast(CastOptions, QueryOperator):
    """Cast at the scene from a point in a direction.

    The properties of an operator have single precision; :func:`.api.ray_cast` has more digits.
    """

    bl_idname = idnames.CAST_OPERATOR
    bl_label = "Cast Ray"
    bl_description = "Cast a ray from a point in a direction and show what it hits"
    bl_options = {"REGISTER"}

    origin: FloatVectorProperty(
        name="Ray Origin",
        description="Where the ray starts, in world space",
        subtype="TRANSLATION",
        precision=6,
    )
    direction: FloatVectorProperty(
        name="Direction",
        description="Where the ray goes, in world space; any length above 0",
        default=(0.0, 0.0, -1.0),
        subtype="XYZ",
        precision=6,
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("origin", "direction", "max_distance", "cull", "mesh"):
            layout.prop(self, name)
        column = layout.column(heading="Hits")
        for name in ("all_hits", "selectable_only", "solid_only"):
            column.prop(self, name)

    def query(self, context: bpy.types.Context) -> PickRecord:
        return queries.cast(context, self.origin[:], self.direction[:], self.cast_options())
