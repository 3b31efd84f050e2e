# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the list of the active object's measures; see :mod:`.landmark_rows`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
from bpy.props import CollectionProperty, IntProperty, StringProperty

from .. import registration
from ..bridge.landmarks import measuring, storage
from ..model.landmarks.landmark import free_name
from ..model.landmarks.measure import Measure
from ..session import active_landmarks, redraw, undo
from ..standalone_core import RaypickError
from .numbered_rows import fit_all, fits

ROWS, ACTIVE = "raypick_measures", "raypick_measure_active"


def measures() -> tuple[Measure, ...]:
    """The measures of the active object, by the rows' numbers."""
    document = active_landmarks.document(bpy.context)
    return document.measures if document else ()


def measure_of(row: Any) -> Measure | None:
    """The measure of a row, if it is still there."""
    every = measures()
    return every[row.number] if row.number < len(every) else None


_COUNTS = {ROWS: lambda: len(measures())}


def follow_soon(context: bpy.types.Context) -> None:
    """Follow, once the panel is drawn that could not change the rows itself."""
    if not fits(context, _COUNTS):
        redraw.start_timer(_follow, 0.0)


def _follow() -> None:
    fit_all(_COUNTS)


def _name(row: Any) -> str:
    measure = measure_of(row)
    return measure.name if measure else ""


def _rename(row: Any, name: str) -> None:
    measure = measure_of(row)
    try:
        obj, document = active_landmarks.editable(bpy.context)
    except RaypickError:
        return
    if measure is None or name.strip() in ("", measure.name):
        return
    taken = [each.name for each in document.measures if each is not measure]
    measuring.change(obj, replace(measure, name=free_name(name.strip(), taken)))
    undo.push("Rename Measure")


def _active(_manager: bpy.types.WindowManager) -> int:
    document = active_landmarks.document(bpy.context)
    return document.active_measure if document and document.measures else -1


def _choose(_manager: bpy.types.WindowManager, number: int) -> None:
    try:
        obj, document = active_landmarks.editable(bpy.context)
    except RaypickError:
        return
    if 0 <= number < len(document.measures) and number != document.active_measure:
        storage.write(obj, replace(document, active_measure=number))
        undo.push("Choose Measure")


class RaypickMeasureRow(bpy.types.PropertyGroup):
    """A measure of the active object, by its number."""

    number: IntProperty()
    name: StringProperty(name="Name", description="Name of the measure", get=_name, set=_rename)


_CLASSES = registration.Classes(RaypickMeasureRow)


def register() -> None:
    """Offer the rows."""
    _CLASSES.register()
    manager = bpy.types.WindowManager
    setattr(manager, ROWS, CollectionProperty(type=RaypickMeasureRow))
    setattr(manager, ACTIVE, IntProperty(get=_active, set=_choose))


def unregister() -> None:
    """Take the rows back."""
    if hasattr(bpy.types.WindowManager, ROWS):
        getattr(bpy.context.window_manager, ROWS).clear()
    for name in (ACTIVE, ROWS):
        if hasattr(bpy.types.WindowManager, name):
            delattr(bpy.types.WindowManager, name)
    _CLASSES.unregister()
