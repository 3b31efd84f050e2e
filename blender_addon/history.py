# SPDX-License-Identifier: GPL-3.0-or-later
"""The last picks that hit something since Blender started, whatever was undone or loaded since.

They are kept in Python. On request those of the open file are written into the scene, and read
again with it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress

import bpy
from bpy.app.handlers import persistent

from .pick_record import PickRecord

SCENE_KEY = "raypick_history"
"""The scene's own property that a saved history is in, as JSON."""

MOST = 200
"""So many picks are remembered; the oldest are let go."""

_MOST_SAVED_HITS = 16
"""So many hits of a pick are saved with a file, and the one that was looked at."""

_records: deque[PickRecord] = deque(maxlen=MOST)
_of_file: set[tuple[object, str]] = set()
"""When and in which scene those were made that belong to the open file."""

watchers: list[Callable[[], None]] = []
"""Called after each change of what is remembered, and after a file was loaded."""


def records() -> list[PickRecord]:
    """All that are remembered, the newest first."""
    return list(reversed(_records))


def add(record: PickRecord) -> None:
    """Remember a pick of the open file, if it hit something."""
    if record.hits:
        _records.append(record)
        _of_file.add(_key(record))
        _tell()


def remove(record: PickRecord) -> None:
    """Forget a pick; a file that holds it keeps it."""
    _records.remove(record)
    _of_file.discard(_key(record))
    _tell()


def clear() -> None:
    """Forget all."""
    _records.clear()
    _of_file.clear()
    _tell()


def save_to(scene: bpy.types.Scene) -> int:
    """Write those of the open file into a scene, so that the file holds them; return how many.

    What the scene holds already stays in it, be it forgotten here or unreadable. Of the hits
    behind the one that was looked at, not all are written: thousands would burden the file.
    """
    own = [record for record in _records if _key(record) in _of_file]
    written = [record.as_dict(max(_MOST_SAVED_HITS, record.rank + 1)) for record in own]
    anew = {(values["when"], values["scene"]) for values in written}
    before = [values for values in _saved(scene) if _saved_key(values) not in anew]
    scene[SCENE_KEY] = json.dumps([*before, *written], allow_nan=False)
    return len(before) + len(written)


def load_from(scene: bpy.types.Scene) -> None:
    """Remember what a scene holds, where it is not remembered yet; what cannot be read is left."""
    saved = _read(_saved(scene))
    known = set(map(_key, _records))
    new = [record for record in saved if _key(record) not in known]
    _of_file.update(map(_key, saved))
    every = sorted([*_records, *new], key=lambda record: record.when)
    _records.clear()
    _records.extend(every)
    _tell()


def _tell() -> None:
    for watcher in watchers:
        watcher()


def _key(record: PickRecord) -> tuple[object, str]:
    return record.when, record.scene


def _saved(scene: bpy.types.Scene) -> list[object]:
    """What a scene holds, as far as it can be read: anybody may have written it."""
    try:
        return list(json.loads(scene.get(SCENE_KEY, "[]")))
    except (TypeError, ValueError, RecursionError):
        return []


def _saved_key(values: object) -> object:
    return (values.get("when"), values.get("scene")) if isinstance(values, dict) else None


def _read(every: list[object]) -> list[PickRecord]:
    """The records of what a scene holds, without those that cannot be read."""
    records = []
    for values in every:
        with suppress(ValueError):
            records.append(PickRecord.from_dict(values))
    return [record for record in records if record.hits]


def register() -> None:
    """Read the histories of files that are loaded."""
    bpy.app.handlers.load_post.append(_load)


def unregister() -> None:
    """Forget all."""
    if _load in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_load)
    clear()


@persistent
def _load(*_: object) -> None:
    path = bpy.data.filepath
    _of_file.clear()
    for record in _records:
        if path and record.file == path:
            _of_file.add(_key(record))
            record.leave_session()
    for scene in bpy.data.scenes:
        load_from(scene)
    _tell()
