# SPDX-License-Identifier: GPL-3.0-or-later
"""The last picks that hit something since Blender started, whatever was undone or loaded since.

They are kept in Python. On request those of the open file are written into the scene, and read
again with it, when somebody asks for them: opening a file costs nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import bpy

from ..model.record import PickRecord
from ..standalone_core import RaypickError
from . import history_problems, saved_history, timers

MOST = 200  # at most this many picks are remembered; the oldest are dropped

_MOST_SAVED_HITS = 16
"""At most this many hits of a pick are saved with a file, and the current one."""

_records: deque[PickRecord] = deque(maxlen=MOST)
_of_file: set[tuple[object, str]] = set()
"""Time and scene of the picks that belong to the open file."""

_pending = False
_troubles: list[tuple[str, int]] = []
_blocked: dict[int, str] = {}

on_change: Callable[[], None] | None = None
"""Called after each change of what is remembered, and after a file was loaded."""


def records() -> list[PickRecord]:
    """All that are remembered, the newest first; what the open file holds is read now."""
    _read_pending()
    return list(reversed(_records))


def count() -> int:
    """How many are remembered, without what was not read yet."""
    return len(_records)


def add(record: PickRecord) -> None:
    """Remember a pick of the open file, if it hit something."""
    if record.hits:
        _records.append(record)
        _of_file.add(_key(record))
        _notify()


def remove(record: PickRecord) -> None:
    """Forget a pick; a file that holds it keeps it."""
    _records.remove(record)
    _of_file.discard(_key(record))
    _notify()


def clear() -> None:
    """Forget all, and what the open file holds too."""
    global _pending
    _pending = False
    _records.clear()
    _of_file.clear()
    _notify()


def save_to(scene: bpy.types.Scene) -> int:
    """Write those of the open file into a scene; return how many it holds that can be read.

    What the scene holds already stays in it, be it forgotten here or unreadable. Of the hits
    behind the one that was looked at, not all are written: thousands would burden the file.
    RaypickError, in English, if what it holds cannot be read and so would be lost, or if the
    file's histories would be too large.
    """
    saved = saved_history.read(scene)
    if saved.trouble is not None:
        raise RaypickError(saved.trouble)
    own = [record for record in _records if _key(record) in _of_file]
    written = [record.as_dict(max(_MOST_SAVED_HITS, record.rank + 1)) for record in own]
    anew = {(values["when"], values["scene"]) for values in written}
    pairs = zip(saved.texts, saved.keys, strict=True)
    kept = [text for text, key in pairs if key not in anew]
    return saved_history.write(scene, kept, written) - saved.unreadable


def troubles() -> list[tuple[str, int]]:
    """What cannot be read of the open file's histories, in English, and of how many picks."""
    return list(_troubles)


def trouble(scene: bpy.types.Scene) -> str | None:
    """Why the history of a scene cannot be replaced, once it has been read; None if it can."""
    return _blocked.get(scene.session_uid)


def _read_pending() -> None:
    """Read the histories of a file that was loaded, now that somebody asks for them."""
    global _pending
    if not _pending:
        return
    _pending = False
    left = saved_history.MOST_CHARACTERS
    for scene in bpy.data.scenes:
        saved = saved_history.read(scene, left)
        left -= saved.parsed
        if saved.trouble is not None:
            _blocked[scene.session_uid] = saved.trouble
            _troubles.append((saved.trouble, 0))
        elif saved.unreadable:
            _troubles.append((history_problems.UNREADABLE_PICKS, saved.unreadable))
        _take(saved)
    # A panel that is drawn asks too, and may change no rows.
    timers.start(_notify, 0.0)


def _take(saved: saved_history.SavedHistory) -> None:
    known = set(map(_key, _records))
    new = [record for record in saved.records if _key(record) not in known]
    _of_file.update(map(_key, saved.records))
    every = sorted([*_records, *new], key=lambda record: record.when)
    _records.clear()
    _records.extend(every)


def _notify() -> None:
    if on_change is not None:
        on_change()


def _key(record: PickRecord) -> tuple[object, str]:
    return record.when, record.scene


def take_file() -> None:
    """Take over the picks of the file that was loaded; those saved in it are read when needed."""
    global _pending
    path = bpy.data.filepath
    _of_file.clear()
    _troubles.clear()
    _blocked.clear()
    _pending = True
    for record in _records:
        if path and record.file == path:
            _of_file.add(_key(record))
            record.leave_session()
    _notify()
