# SPDX-License-Identifier: GPL-3.0-or-later
"""Callbacks of other add-ons: what happens is noted as it happens, and told once that is safe.

Operators and functions of the API call :func:`tell` when their work is done, and before the undo
step is pushed: Blender is not drawing then, and the step holds what the callbacks change too.
"""

from __future__ import annotations

import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

import bpy

from ..bridge.landmarks import storage
from ..model.hit import PickHit, Vector
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Anchor, Landmark
from ..model.landmarks.landmark_set import LandmarkRecord, LandmarkSet
from ..model.record import PickRecord

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class PickEvent:
    """A pick that was kept.

    Attributes
    ----------
    hit : PickHit or None
        The hit that was picked; None where nothing was hit.
    hits : tuple of PickHit
        All hits that were found, the nearest first. More than one only where the user wants all
        hits; `hit` is a farther one after another click at the same place.
    origin, direction : (x, y, z) or None
        The ray, in world space; None for a place that was given instead.
    """

    hit: PickHit | None
    hits: tuple[PickHit, ...]
    origin: Vector | None
    direction: Vector | None


@dataclass(frozen=True, slots=True)
class LandmarkEvent:
    """A landmark that was added, moved or removed.

    Attributes
    ----------
    what : {"added", "moved", "removed"}
        It counts as moved if its triangle or weights have changed. One that a template asks for
        counts as added once it is placed.
    object : bpy.types.Object
        The object that it is on.
    landmark : LandmarkRecord
        What is stored of it now, or was when it was removed: its `name`, `id`, `set` and so on.
    """

    what: Literal["added", "moved", "removed"]
    object: bpy.types.Object
    landmark: LandmarkRecord


Event: TypeAlias = PickEvent | LandmarkEvent
Callback: TypeAlias = Callable[[bpy.types.Context, Any], object]


class _Noted(NamedTuple):
    event: Event
    causes: tuple[Callback, ...]  # the callbacks that brought it about, which are not told of it


_callbacks: dict[type[Event], list[Callback]] = {PickEvent: [], LandmarkEvent: []}
_failed: list[Callback] = []  # whose errors have been printed
_noted: deque[_Noted] = deque()
_before: dict[int, Document] = {}
"""The landmarks of objects when they were last told of, by the objects' session UIDs."""
_causes: tuple[Callback, ...] = ()
_telling = False


def add(kind: type[Event], callback: Callback) -> None:
    """Add a callback for events of a kind, unless it is there already."""
    if callback not in _callbacks[kind]:
        _callbacks[kind].append(callback)


def remove(callback: Callback) -> bool:
    """Remove a callback; return whether it was there."""
    lists = [own for own in (*_callbacks.values(), _failed) if callback in own]
    for own in lists:
        own.remove(callback)
    return bool(lists)


def note_pick(record: PickRecord) -> None:
    """Note that a pick was kept."""
    if _callbacks[PickEvent]:
        event = PickEvent(record.hit, record.hits, record.origin, record.direction)
        _noted.append(_Noted(event, _causes))


def note_landmarks(obj: bpy.types.Object, before: Document) -> None:
    """Note that an object's landmarks are about to change from `before`."""
    if _callbacks[LandmarkEvent]:
        _before.setdefault(obj.session_uid, before)


def tell() -> None:
    """Call the callbacks for what was noted; what they cause themselves is told to the others."""
    global _causes, _telling
    if _telling or not (_noted or _before):
        return
    _telling = True
    try:
        _note_changes()
        while _noted:
            event, causes = _noted.popleft()
            for callback in [*_callbacks[type(event)]]:
                if callback in _callbacks[type(event)] and callback not in causes:
                    _causes = *causes, callback
                    _call(callback, event)
                    _note_changes()
    finally:
        _telling, _causes = False, ()


def telling(function: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """A function of the API, which tells what it has done."""

    @wraps(function)
    def told(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return function(*given, **named)
        finally:
            tell()

    return told


def forget_changes() -> None:
    """Forget what was not told yet: after undo, or in another file, it is not so."""
    _noted.clear()
    _before.clear()


def forget() -> None:
    """Forget all callbacks."""
    forget_changes()
    for own in (*_callbacks.values(), _failed):
        own.clear()


def _call(callback: Callback, event: Event) -> None:
    """Call a callback, and print its error, the first time that it fails."""
    try:
        callback(bpy.context, event)
    except Exception:
        if callback not in _failed:
            _failed.append(callback)
            print(
                f"Raypick: {callback!r} failed; further errors of it are not shown", file=sys.stderr
            )
            traceback.print_exc()


def _note_changes() -> None:
    """Note what has changed of landmarks since they were last told of."""
    changed = {**_before}
    _before.clear()
    for obj in bpy.data.objects if changed else ():
        before = changed.get(obj.session_uid)
        now = None if before is None else storage.to_draw(obj)
        if before is not None and isinstance(now, Document):
            _noted.extend(_Noted(event, _causes) for event in _differences(obj, before, now))


def _differences(obj: bpy.types.Object, before: Document, now: Document) -> Iterator[LandmarkEvent]:
    """What happened to the landmarks of an object: first removals, then the rest, in order."""
    old, new = _placed(before), _placed(now)
    for key, row in old.items():
        if key not in new:
            yield LandmarkEvent("removed", obj, LandmarkRecord.of(obj.name, *row))
    for key, (group, landmark) in new.items():
        if key not in old:
            yield LandmarkEvent("added", obj, LandmarkRecord.of(obj.name, group, landmark))
        elif _place(landmark) != _place(old[key][1]):
            yield LandmarkEvent("moved", obj, LandmarkRecord.of(obj.name, group, landmark))


def _placed(document: Document) -> dict[str, tuple[LandmarkSet, Landmark]]:
    """The landmarks that have a place, with their sets, by id."""
    rows = ((group, each) for group in document.sets for each in group.landmarks)
    return {each.id: (group, each) for group, each in rows if each.anchor is not None}


def _place(landmark: Landmark) -> Anchor | None:
    """The place of a landmark, however it is bound to the face."""
    return landmark.anchor and replace(landmark.anchor, bound=None)
