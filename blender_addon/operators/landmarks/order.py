# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of the landmarks of a set."""

from __future__ import annotations

from dataclasses import replace

import bpy
from bpy.props import EnumProperty

from ... import idnames
from ...bridge.landmarks import storage
from ...model.landmarks import order
from ...session import active_landmarks
from .base import NONE_SELECTED, SetOperator


class RAYPICK_OT_order_landmarks(SetOperator):
    bl_idname = idnames.ORDER_LANDMARKS_OPERATOR
    bl_label = "Move Landmarks"
    bl_description = "Move the selected landmarks of the active set in the list"

    way: EnumProperty(
        name="Direction",
        description="Where to move them",
        items=(
            ("UP", "Up", "Before the previous one"),
            ("DOWN", "Down", "Behind the next one"),
            ("TOP", "To Top", "Before all others"),
            ("BOTTOM", "To Bottom", "Behind all others"),
        ),
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        document = active_landmarks.document(context)
        of = document.set if document else None
        is_any = of is not None and any(each.selected for each in of.landmarks)
        return super().why_not(context) or (None if is_any else NONE_SELECTED)

    def run(self, context: bpy.types.Context) -> None:
        obj, document, of = self.of(context)
        moved = order.moved(of.landmarks, lambda each: each.selected, self.way)
        active = moved.index(of.landmarks[of.active]) if of.active < len(moved) else 0
        storage.write(obj, document.with_set(replace(of, landmarks=moved, active=active)))
