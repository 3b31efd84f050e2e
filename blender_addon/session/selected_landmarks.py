# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected landmarks, of all objects of the view layer, and changes of them."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ..bridge.landmarks import storage
from ..model.landmarks import selection
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkSet
from ..model.landmarks.selection import Extend
from . import landmarks

Selected = tuple[bpy.types.Object, LandmarkSet, Landmark]


def selected(context: bpy.types.Context) -> list[Selected]:
    """The selected landmarks that are not hidden, those of the active object first."""
    active = context.view_layer.objects.active
    return [
        (obj, group, each)
        for obj in sorted(landmarks.holders(context), key=lambda obj: obj != active)
        if (document := landmarks.readable(obj)) is not None
        for group in document.sets
        for each in group.landmarks
        if each.selected and not each.hidden and not group.hidden
    ]


def changeable(context: bpy.types.Context) -> list[Selected]:
    """Those of them that may be changed: neither locked nor linked."""
    return [
        (obj, group, each)
        for obj, group, each in selected(context)
        if not each.locked and not group.locked and storage.why_not_editable(obj) is None
    ]


def change(chosen: list[Selected], changed: Callable[[Landmark], Landmark | None]) -> int:
    """Change landmarks, or remove those for which it returns None; return how many there are."""
    ids: dict[bpy.types.Object, set[str]] = {}  # of each object: those of its copies are the same
    for obj, _, each in chosen:
        ids.setdefault(obj, set()).add(each.id)
    for obj, own in ids.items():
        _change(obj, own, changed)
    return len(chosen)


def click(context: bpy.types.Context, obj: bpy.types.Object, landmark: str, extend: Extend) -> bool:
    """Select a landmark of an object as a click does; return whether that changes anything."""
    is_changed = extend == "SET" and select_none(context, but=obj)
    document = storage.read(obj)
    changed = selection.clicked(document, landmark, extend)
    if changed != document:
        storage.write(obj, changed)
    return is_changed or changed != document


def select_none(context: bpy.types.Context, but: bpy.types.Object | None = None) -> bool:
    """Deselect all landmarks, perhaps but those of an object; return whether any was selected."""
    is_changed = False
    for obj in landmarks.holders(context):
        if obj != but and storage.why_not_editable(obj) is None:
            is_changed |= _select(obj, lambda _: False)
    return is_changed


def _change(
    obj: bpy.types.Object, ids: set[str], changed: Callable[[Landmark], Landmark | None]
) -> None:
    document = storage.read(obj)
    storage.write(obj, document.changed(lambda each: changed(each) if each.id in ids else each))


def _select(obj: bpy.types.Object, is_selected: Callable[[Landmark], bool]) -> bool:
    document: Document = storage.read(obj)
    changed = selection.with_selected(document, is_selected)
    if changed is not document:
        storage.write(obj, changed)
    return changed is not document
