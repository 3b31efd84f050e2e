# SPDX-License-Identifier: MIT
"""Frames as callers give them, and runs of them, one for each task."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .. import integers
from ..errors import ArgumentError, DtypeError
from ..numerics.reading import described

_PART = re.compile(r"\s*(-?\d{1,7})(?:-(-?\d{1,7})(?:x(\d{1,7}))?)?\s*")


def frames_of(given: object) -> list[int]:
    """Read frames, each once and in order: ``"1-240"``, ``"1,5,10-20x2"``, a number, or several."""
    if isinstance(given, str):
        found = [frame for part in given.split(",") for frame in _range(part)]
    elif isinstance(given, Iterable):
        found = [_frame(each) for each in given]
    else:
        found = [_frame(given)]
    return sorted(set(found))


def runs(frames: list[int], length: int) -> list[str]:
    """Frames cut into so many at a time, each run as short as it can be typed."""
    parts = (frames[i : i + length] for i in range(0, len(frames), length))
    return [",".join(_shown(part)) for part in parts]


def _frame(given: object) -> int:
    if isinstance(given, bool):
        raise DtypeError(f"frames must be whole numbers, not {described(given)}")
    return integers.integer(given, "frames")


def _range(part: str) -> range:
    match = _PART.fullmatch(part)
    if match is None:
        raise ArgumentError(f"frames must be as 5, 1-240 or 1-240x5, not {part!r}")
    first = int(match[1])
    last, step = int(match[2] or first), int(match[3] or 1)
    if last < first or step < 1:
        raise ArgumentError(f"frames must not end before they begin, nor stand still: {part!r}")
    return range(first, last + 1, step)


def _shown(frames: list[int]) -> list[str]:
    """Frames in order, those that follow each other as one range."""
    shown, first = [], 0
    for i in range(1, len(frames) + 1):
        if i == len(frames) or frames[i] != frames[i - 1] + 1:
            a, b = frames[first], frames[i - 1]
            shown.append(f"{a}" if a == b else f"{a}-{b}")
            first = i
    return shown
