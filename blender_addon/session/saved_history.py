# SPDX-License-Identifier: GPL-3.0-or-later
"""The history that a scene holds: a text of JSON that anybody may have written.

Its size is checked before it is parsed, and its picks are parsed one by one. The texts of those
that cannot be read are kept, to the letter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

from ..bridge import custom_properties
from ..model.json_text import Reader, TooLargeError, UnreadableError, version_of
from ..model.record import PickRecord
from ..standalone_core import RaypickError
from . import history_problems

SCENE_KEY = "raypick_history"  # the scene's own property that a saved history is in

VERSION = 1  # version of the format that is written; histories of newer ones are left alone

MOST_CHARACTERS = 16 << 20
"""The histories of all scenes together are neither parsed nor written where they are longer: 200
picks through sixteen faces of 64 corners each are shorter."""

MOST_VALUES = 2_000_000
MOST_PICKS = 5_000

Key = tuple[str, str]  # when and in which scene a pick was made, as it is written


@dataclass(slots=True)
class SavedHistory:
    """What a scene holds."""

    trouble: str | None = None  # why nothing can be read, in English; it must not be replaced then
    texts: list[str] = field(default_factory=list)  # each pick as it is written
    keys: list[Key | None] = field(default_factory=list)  # None for what cannot be read
    records: list[PickRecord] = field(default_factory=list)  # those that can be read
    parsed: int = 0  # how many characters were parsed, to whatever end

    @property
    def unreadable(self) -> int:
        return len(self.texts) - len(self.records)


def read(scene: bpy.types.Scene, most_characters: int = MOST_CHARACTERS) -> SavedHistory:
    """What a scene holds, as far as it can be read in bounded time and memory."""
    if SCENE_KEY not in cast(Any, scene):
        return SavedHistory()
    text = custom_properties.text(scene, SCENE_KEY)
    if text is None:
        return SavedHistory(history_problems.UNREADABLE)
    if (version_of(text) or 0) > VERSION:
        return SavedHistory(history_problems.NEWER)
    if len(text) > most_characters or _values(text) > MOST_VALUES:
        return SavedHistory(history_problems.TOO_LARGE)
    saved = SavedHistory(parsed=len(text))
    try:
        for values, written in _picks(text):
            saved.texts.append(written)
            record = _record(values)
            saved.keys.append(None if record is None else _key(values))
            if record is not None:
                saved.records.append(record)
            if len(saved.texts) > MOST_PICKS:
                return SavedHistory(history_problems.TOO_LARGE, parsed=len(text))
    except TooLargeError:
        return SavedHistory(history_problems.TOO_LARGE, parsed=len(text))
    except UnreadableError:
        return SavedHistory(history_problems.UNREADABLE, parsed=len(text))
    return saved


def write(scene: bpy.types.Scene, kept: Iterable[str], records: Iterable[dict[str, object]]) -> int:
    """Have a scene hold picks, some as they were written before; return how many.

    RaypickError if they are more than can be read again.
    """
    texts = [*kept, *(json.dumps(values, allow_nan=False) for values in records)]
    text = f'{{"version": {VERSION}, "picks": [{", ".join(texts)}]}}'
    elsewhere = sum(
        len(custom_properties.text(other, SCENE_KEY) or "")
        for other in bpy.data.scenes
        if other != scene
    )
    too_long = len(text) + elsewhere > MOST_CHARACTERS or _values(text) > MOST_VALUES
    if too_long or len(texts) > MOST_PICKS:
        raise RaypickError(history_problems.TOO_MANY)
    scene[SCENE_KEY] = text
    return len(texts)


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
    """At least how many values the text has: Python needs more memory for these than for it."""
    return sum(map(text.count, ",[{"))


def _key(values: object) -> Key | None:
    if not isinstance(values, dict):
        return None
    when, scene = values.get("when"), values.get("scene")
    return (when, scene) if isinstance(when, str) and isinstance(scene, str) else None


def _record(values: Any) -> PickRecord | None:
    """A pick that hit something; None where it cannot be read as one."""
    try:
        record = PickRecord.from_dict(values)
    except (ValueError, RecursionError):
        return None
    return record if record.hits else None
