# SPDX-License-Identifier: MIT
"""Frames as callers pass them or people type them, such as ``1-240``, and runs of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from . import arguments
from .errors import ArgumentError, DtypeError
from .numerics.reading import described

_PART = re.compile(r"(-?\d{1,9})(?:-(-?\d{1,9})(?:x(\d{1,9}))?)?", re.ASCII)
_LAST_OF_BLENDER = 1_048_574


def frames_of(given: object, step: int = 1) -> list[int]:
    """Read frames: a number, several, or a text of ranges that are separated by commas.

    Parameters
    ----------
    given : int, iterable of int or str
        As a text ``5``, ``1-240``, ``1-240x5`` for each fifth, ``-10--1`` for frames below 0.
    step : int
        The step of ranges that have none of their own, such as ``1-240``.

    Returns
    -------
    list of int
        Each once, in ascending order.

    Raises
    ------
    ArgumentError
        If a text names no frames, or a frame is beyond those of Blender; DtypeError if a value is
        no whole number.
    """
    if isinstance(given, str):
        found = [frame for part in given.split(",") for frame in _range(part.strip(), step)]
    else:
        frames = given if isinstance(given, Iterable) else [given]
        found = [_frame(each) for each in frames]
    return sorted(set(found))


def runs(frames: list[int], length: int) -> list[str]:
    """Runs of at most `length` frames, each as a text of ranges that :func:`frames_of` reads."""
    parts = (frames[i : i + length] for i in range(0, len(frames), length))
    return [",".join(_typed_ranges(part)) for part in parts]


def _frame(given: object) -> int:
    if isinstance(given, bool):
        raise DtypeError(f"frames must be whole numbers, not {described(given)}")
    return _within(arguments.integer(given, "frames"))


def _range(part: str, step: int) -> range:
    match = _PART.fullmatch(part)
    if match is None:
        raise ArgumentError(f"frames must be as 5, 1-240 or 1-240x5, not {part!r}")
    begin, end, own = match.groups()
    first, last = _within(int(begin)), _within(int(end or begin))
    every = step if own is None else int(own)
    if last < first:
        raise ArgumentError(f"frames must not end before they begin: {part!r}")
    if every < 1:
        raise ArgumentError(f"frames must have a step of 1 or more: {part!r}")
    return range(first, last + 1, every)


def _within(frame: int) -> int:
    if abs(frame) > _LAST_OF_BLENDER:
        raise ArgumentError(f"frames must be within {_LAST_OF_BLENDER}, as Blender's: {frame}")
    return frame


def _typed_ranges(frames: list[int]) -> list[str]:
    ranges = []
    # In a range, the difference of a frame and its place in the list is constant.
    for _, numbered in groupby(enumerate(frames), lambda each: each[1] - each[0]):
        run = [frame for _, frame in numbered]
        ranges.append(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}")
    return ranges
