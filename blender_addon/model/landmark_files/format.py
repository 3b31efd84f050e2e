# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file format of landmarks is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .mark import MarkFile


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its names, what it holds, and how it is read and written."""

    name: str  # for scripts
    label: str  # for people
    endings: tuple[str, ...]  # of file names, in lower case; the first is that of new files
    holds: frozenset[str]
    """Of "positions", "triangles", "faces", "names", "normals", "missing", "axes", "units",
    "several sets" and "measurements"."""
    reader: Callable[[bytes, str], list[MarkFile]]
    """From the bytes of a file and the name for a set that has none there."""
    writer: Callable[[Sequence[MarkFile], str, Sequence[str] | None], bytes]
    """From sets, a layout and, for a table, its columns."""
    layouts: tuple[str, ...] = ("",)  # the ways to write it; the first is the usual one
    columns: tuple[str, ...] = ()  # what a table can have, in the usual order

    @property
    def reads(self) -> bool:
        """Whether files can be read."""
        return True

    @property
    def writes(self) -> bool:
        """Whether files can be written."""
        return True
