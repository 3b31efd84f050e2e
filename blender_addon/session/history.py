# SPDX-License-Identifier: GPL-3.0-or-later
"""The last picks that hit something since Blender started, whatever was undone or loaded since.

They are kept in Python. On request those of the open file are written into the scene, as a text of
JSON, which is read when somebody asks for it: opening a file costs nothing. Anybody may have
written the text: its size is checked first, its picks are parsed one by one, and the texts of those
that cannot be read are kept, to the letter.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

from ..bridge import custom_properties
from ..model.json_text import Reader, TooLargeError, UnreadableError, version_of
from ..model.record import PickRecord
from ..standalone_core import RaypickError
from . import redraw

MOST = 200  # at most this many picks are remembered; the oldest are dropped

_MOST_SAVED_HITS = 16
"""At most this many hits of a pick are saved with a file, unless the current one is farther."""

SCENE_KEY = "raypick_history"  # the scene's own property that a saved history is in

VERSION = 1  # version of the format that is written; histories of newer ones are left alone

MOST_CHARACTERS = 16 << 20
"""All scenes' histories together may be this long; one that exceeds what the others leave is
neither parsed nor written. 200 picks through sixteen faces of 64 corners each are shorter."""

MOST_VALUES = 2_000_000
MOST_PICKS = 5_000

UNREADABLE = "The history saved in this file cannot be read"
UNREADABLE_PICKS = "Picks saved in this file that cannot be read: {}"
NEWER = "A newer Raypick saved the history in this file"
TOO_LARGE = "The history saved in this file is too large"
TOO_MANY = "The file holds too many picks: delete raypick_history in its scenes' custom properties"

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
    """How many are remembered, not counting those not read yet."""
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
    """Write the open file's picks into a scene; return how many readable ones it then holds.

    What the scene holds already stays in it, be it forgotten here or unreadable. Of the hits
    behind the one that was looked at, not all are written: thousands would burden the file.
    RaypickError, in English, if what it holds cannot be read and so would be lost, or if the
    file's histories would be too large.
    """
    saved = read_saved(scene)
    if saved.trouble is not None:
        raise RaypickError(saved.trouble)
    own = [record for record in _records if _key(record) in _of_file]
    written = [record.as_dict(max(_MOST_SAVED_HITS, record.rank + 1)) for record in own]
    anew = {(values["when"], values["scene"]) for values in written}
    texts = [text for text, key in zip(saved.texts, saved.keys, strict=True) if key not in anew]
    texts += (json.dumps(values, allow_nan=False) for values in written)
    text = f'{{"version": {VERSION}, "picks": [{", ".join(texts)}]}}'
    others = (each for each in bpy.data.scenes if each != scene)
    elsewhere = sum(len(custom_properties.text(each, SCENE_KEY) or "") for each in others)
    too_long = len(text) + elsewhere > MOST_CHARACTERS or _values(text) > MOST_VALUES
    if too_long or len(texts) > MOST_PICKS:
        raise RaypickError(TOO_MANY)
    scene[SCENE_KEY] = text
    return len(texts) - saved.unreadable


def troubles() -> list[tuple[str, int]]:
    """Messages, in English, on what cannot be read in the open file, with the numbers of picks."""
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
    left = MOST_CHARACTERS
    for scene in bpy.data.scenes:
        saved = read_saved(scene, left)
        left -= saved.parsed
        if saved.trouble is not None:
            _blocked[scene.session_uid] = saved.trouble
            _troubles.append((saved.trouble, 0))
        elif saved.unreadable:
            _troubles.append((UNREADABLE_PICKS, saved.unreadable))
        known = set(map(_key, _records))
        new = [record for record in saved.records if _key(record) not in known]
        _of_file.update(map(_key, saved.records))
        every = sorted([*_records, *new], key=lambda record: record.when)
        _records.clear()
        _records.extend(every)
    # Notify later: it may be a panel that asks, which may change no rows while it is drawn.
    redraw.start_timer(_notify, 0.0)


def _notify() -> None:
    if on_change is not None:
        on_change()


def _key(record: PickRecord) -> tuple[object, str]:
    return record.when, record.scene


def take_file() -> None:
    """Note which picks are of the file that was loaded; those saved in it are read when needed."""
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


@dataclass(slots=True)
class SavedHistory:
    """What a scene holds."""

    trouble: str | None = None  # why nothing can be read, in English; it must not be replaced then
    texts: list[str] = field(default_factory=list)  # each pick as it is written
    keys: list[tuple[str, str] | None] = field(default_factory=list)
    """When and in which scene each was made, as it is written; None for what cannot be read."""
    records: list[PickRecord] = field(default_factory=list)  # those that can be read
    parsed: int = 0  # how many characters were parsed, successfully or not

    @property
    def unreadable(self) -> int:
        return len(self.texts) - len(self.records)


def read_saved(scene: bpy.types.Scene, most_characters: int = MOST_CHARACTERS) -> SavedHistory:
    """What a scene holds, as far as it can be read in bounded time and memory."""
    if SCENE_KEY not in cast(Any, scene):
        return SavedHistory()
    text = custom_properties.text(scene, SCENE_KEY)
    if text is None:
        return SavedHistory(UNREADABLE)
    if (version_of(text) or 0) > VERSION:
        return SavedHistory(NEWER)
    if len(text) > most_characters or _values(text) > MOST_VALUES:
        return SavedHistory(TOO_LARGE)
    saved = SavedHistory(parsed=len(text))
    try:
        for values, written in _picks(text):
            saved.texts.append(written)
            record = _record(values)
            saved.keys.append(None if record is None else _key_as_written(values))
            if record is not None:
                saved.records.append(record)
            if len(saved.texts) > MOST_PICKS:
                return SavedHistory(TOO_LARGE, parsed=len(text))
    except TooLargeError:
        return SavedHistory(TOO_LARGE, parsed=len(text))
    except UnreadableError:
        return SavedHistory(UNREADABLE, parsed=len(text))
    return saved


def _picks(text: str) -> Iterator[tuple[object, str]]:
    """Each pick of a history, and its text; UnreadableError where the text has another form."""
    reader = Reader(text, most=MOST_CHARACTERS)
    if reader.is_next("{"):
        found = dict[str, object]()
        for key in reader.members():
            if key == "picks":
                yield from _items(reader)
            found[key] = None if key == "picks" else reader.value()
        if found.keys() != {"version", "picks"} or found["version"] != VERSION:
            raise UnreadableError("this is no history")
    else:  # before there was a version, it was the list alone
        yield from _items(reader)
    reader.end()


def _items(reader: Reader) -> Iterator[tuple[object, str]]:
    for _ in reader.items():
        begin, values = reader.place, reader.value()
        yield values, reader.text[begin : reader.place].strip()


def _values(text: str) -> int:
    """How many values the text may contain: they take more memory than the text itself."""
    return sum(map(text.count, ",[{"))


def _key_as_written(values: Any) -> tuple[str, str]:
    """When and in which scene a pick that can be read was made."""
    return values["when"], values["scene"]


def _record(values: Any) -> PickRecord | None:
    """A pick that hit something; None where it cannot be read as one."""
    try:
        record = PickRecord.from_dict(values)
    except (ValueError, RecursionError):
        return None
    return record if record.hits else None
