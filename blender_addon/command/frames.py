# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames as they are typed: ``1-240``, ``1,5,10-20``, ``1-240x5``."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PART = re.compile(r"(?P<first>-?\d+)(?:-(?P<last>-?\d+)(?:x(?P<step>\d+))?)?", re.ASCII)
_LAST_OF_BLENDER = 1_048_574


def read_frames(text: str, step: int = 1) -> tuple[int, ...]:
    """Read ranges of frames, separated by commas; ValueError says which cannot be read.

    Parameters
    ----------
    text : str
        ``5``, ``1-240``, ``1-240x5`` for each fifth, ``-10--1`` for frames below 0.
    step : int
        Of each range without a step of its own, every so many frames count.

    Returns
    -------
    tuple of int
        Each once, in ascending order.
    """
    found: set[int] = set()
    for part in text.split(","):
        found.update(_range(part.strip(), step))
    return tuple(sorted(found))


def _range(part: str, step: int) -> range:
    match = _PART.fullmatch(part)
    if match is None:
        raise ValueError(f"{part!r} is no range of frames such as 5, 1-240 or 1-240x5")
    first = int(match["first"])
    last = first if match["last"] is None else int(match["last"])
    every = step if match["step"] is None else int(match["step"])
    if last < first:
        raise ValueError(f"the frames {part} end before they begin")
    if every < 1:
        raise ValueError(f"the step of the frames {part} must be 1 or more")
    if max(-first, last) > _LAST_OF_BLENDER:
        raise ValueError(f"Blender has no frame beyond {_LAST_OF_BLENDER}: {part}")
    return range(first, last + 1, every)


def shown(frames: tuple[int, ...]) -> str:
    """Frames as short as they can be typed, but for steps."""
    return ",".join(
        str(first) if first == last else f"{first}-{last}" for first, last in _runs(frames)
    )


def _runs(frames: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of frames that follow each other."""
    first = None
    for before, frame in zip((None, *frames), frames, strict=False):
        if first is None:
            first = frame
        elif before is not None and frame != before + 1:
            yield first, before
            first = frame
    if first is not None:
        yield first, frames[-1]
