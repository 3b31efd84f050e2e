# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the lists of the active object's sets, and of the landmarks of its active set.

As in :mod:`.history_list`, the rows belong to the window manager and have but a number each. All
that they show and change is in the document of the object, which undo, scripts and other objects
replace: what is drawn finds out, and has as many rows as there are to be soon after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import bpy
from bpy.props import CollectionProperty, FloatVectorProperty, IntProperty, StringProperty

from .. import registration
from ..bridge.landmarks import storage
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Color, Landmark, free_name
from ..model.landmarks.landmark_set import LandmarkSet
from ..session import active_landmarks, redraw, undo
from ..standalone_core import RaypickError
from ..translations import reasons
from .numbered_rows import fit_all, fits

SETS, ACTIVE_SET = "raypick_landmark_sets", "raypick_landmark_set_active"
LANDMARKS, ACTIVE_LANDMARK = "raypick_landmarks", "raypick_landmark_active"

_GRAY: Color = (0.5, 0.5, 0.5)
_DIGITS = 1e-6  # what single precision may change of a color that was not


def sets() -> tuple[LandmarkSet, ...]:
    """The sets of the active object, by the rows' numbers."""
    document = active_landmarks.document(bpy.context)
    return document.sets if document else ()


def landmarks() -> tuple[Landmark, ...]:
    """The landmarks of its active set, by the rows' numbers."""
    document = active_landmarks.document(bpy.context)
    return document.set.landmarks if document and document.set else ()


_COUNTS = {SETS: lambda: len(sets()), LANDMARKS: lambda: len(landmarks())}


def follow_soon(context: bpy.types.Context) -> None:
    """Follow, once the panel is drawn that could not change the rows itself."""
    if not fits(context, _COUNTS):
        redraw.start_timer(follow, 0.0)


def follow() -> None:
    """Have as many rows as there are sets and landmarks, in whatever window."""
    fit_all(_COUNTS)


# What rows show, and what is done with them


def set_of(row: Any) -> LandmarkSet | None:
    """The set of a row, if it is still there."""
    every = sets()
    return every[row.number] if row.number < len(every) else None


def landmark_of(row: Any) -> Landmark | None:
    """The landmark of a row, if it is still there."""
    every = landmarks()
    return every[row.number] if row.number < len(every) else None


def _change_set(row: Any, change: Callable[[Document, LandmarkSet], LandmarkSet]) -> bool:
    """Change the set of a row; return whether it could be, and is another then."""
    of = set_of(row)
    obj = active_landmarks.holder(bpy.context)
    if of is None or obj is None or active_landmarks.why_not_editable(bpy.context):
        return False
    document = storage.read(obj)
    changed = change(document, of)
    if changed == of:
        return False
    rows = tuple(changed if each.id == of.id else each for each in document.sets)
    storage.write(obj, replace(document, sets=rows))
    return True


def _set_name(row: Any) -> str:
    of = set_of(row)
    return of.name if of else ""


def _rename_set(row: Any, name: str) -> None:
    def renamed(document: Document, of: LandmarkSet) -> LandmarkSet:
        taken = [each.name for each in document.sets if each is not of]
        return replace(of, name=free_name(name.strip() or of.name, taken))

    if _change_set(row, renamed):
        undo.push("Rename Set")


def _set_color(row: Any) -> Color:
    of = set_of(row)
    return of.color if of else _GRAY


def _recolor_set(row: Any, color: Color) -> None:
    if _is_other(color, _set_color(row)) and _change_set(
        row, lambda _, of: replace(of, color=_plain(color))
    ):
        undo.push_at_rest("Set Color")


def _change_landmark(row: Any, change: Callable[[LandmarkSet, Landmark], Landmark]) -> bool:
    """Change the landmark of a row; return whether it could be, and is another then."""
    one, obj = landmark_of(row), active_landmarks.holder(bpy.context)
    if one is None or obj is None or active_landmarks.why_not_editable(bpy.context):
        return False
    document = storage.read(obj)
    found = document.find(one.id)
    if found is None:
        return False
    changed = change(*found)
    if changed == found[1]:
        return False
    storage.write(obj, document.changed(lambda each: changed if each.id == one.id else each))
    return True


def _landmark_name(row: Any) -> str:
    one = landmark_of(row)
    return one.name if one else ""


def _rename_landmark(row: Any, name: str) -> None:
    def renamed(of: LandmarkSet, one: Landmark) -> Landmark:
        taken = [each.name for each in of.landmarks if each is not one]
        return replace(one, name=free_name(name.strip() or one.name, taken))

    if _change_landmark(row, renamed):
        undo.push("Rename Landmark")


def _landmark_color(row: Any) -> Color:
    one, document = landmark_of(row), active_landmarks.document(bpy.context)
    if one is None or document is None or document.set is None:
        return _GRAY
    return one.color or document.set.color


def _recolor_landmark(row: Any, color: Color) -> None:
    if _is_other(color, _landmark_color(row)) and _change_landmark(
        row, lambda _, one: replace(one, color=_plain(color))
    ):
        undo.push_at_rest("Set Color")


def _trouble(row: Any) -> str:
    """Why it is not known where the landmark of a row is; the list shows it as a tooltip."""
    one = landmark_of(row)
    why = active_landmarks.reason(bpy.context, one.id) if one else None
    if why:
        return reasons.translated(why)
    return one.description if one else ""


def _active_set(_manager: bpy.types.WindowManager) -> int:
    document = active_landmarks.document(bpy.context)
    return document.active_set if document else -1


def _choose_set(_manager: bpy.types.WindowManager, number: int) -> None:
    try:
        obj, document = active_landmarks.editable(bpy.context)
    except RaypickError:
        return
    if 0 <= number < len(document.sets) and number != document.active_set:
        storage.write(obj, replace(document, active_set=number))
        undo.push("Choose Set")


def _active_landmark(_manager: bpy.types.WindowManager) -> int:
    document = active_landmarks.document(bpy.context)
    return document.set.active if document and document.set and document.landmark else -1


def _choose_landmark(_manager: bpy.types.WindowManager, number: int) -> None:
    """Select the landmark of a row as a click does, with the keys that are held."""
    every = landmarks()
    operators: Any = bpy.ops
    click = operators.raypick.click_landmark
    if 0 <= number < len(every) and click.poll():
        click(_how(), True, landmark=every[number].id)


def _how() -> Any:
    """How the operator is called: a click has an event, with the keys that are held."""
    return "EXEC_DEFAULT" if bpy.context.window is None else "INVOKE_DEFAULT"


def _is_other(color: Color, than: Color) -> bool:
    return any(abs(a - b) > _DIGITS for a, b in zip(color, than, strict=True))


def _plain(color: Color) -> Color:
    red, green, blue = color
    return red, green, blue


class RaypickLandmarkSetRow(bpy.types.PropertyGroup):
    """A set of the active object, by its number."""

    number: IntProperty()
    name: StringProperty(name="Name", description="Name of the set", get=_set_name, set=_rename_set)
    color: FloatVectorProperty(
        name="Color",
        description="Color of the landmarks of the set that have none of their own",
        size=3,
        min=0.0,
        max=1.0,
        subtype="COLOR",
        get=_set_color,
        set=_recolor_set,
    )


class RaypickLandmarkRow(bpy.types.PropertyGroup):
    """A landmark of the active set, by its number."""

    number: IntProperty()
    name: StringProperty(
        name="Name", description="Name of the landmark", get=_landmark_name, set=_rename_landmark
    )
    color: FloatVectorProperty(
        name="Color",
        description="Color of the landmark; by default it is that of its set",
        size=3,
        min=0.0,
        max=1.0,
        subtype="COLOR",
        get=_landmark_color,
        set=_recolor_landmark,
    )
    tooltip: StringProperty(get=_trouble)


_CLASSES = registration.Classes(RaypickLandmarkSetRow, RaypickLandmarkRow)


def register() -> None:
    """Offer the rows."""
    _CLASSES.register()
    manager = bpy.types.WindowManager
    setattr(manager, SETS, CollectionProperty(type=RaypickLandmarkSetRow))
    setattr(manager, ACTIVE_SET, IntProperty(get=_active_set, set=_choose_set))
    setattr(manager, LANDMARKS, CollectionProperty(type=RaypickLandmarkRow))
    setattr(manager, ACTIVE_LANDMARK, IntProperty(get=_active_landmark, set=_choose_landmark))


def unregister() -> None:
    """Take the rows back."""
    for name in (SETS, LANDMARKS):
        if hasattr(bpy.types.WindowManager, name):
            getattr(bpy.context.window_manager, name).clear()
    for name in (ACTIVE_LANDMARK, LANDMARKS, ACTIVE_SET, SETS):
        if hasattr(bpy.types.WindowManager, name):
            delattr(bpy.types.WindowManager, name)
    _CLASSES.unregister()
