# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file format of landmarks is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .mark import MarkFile
from .text import MOST_BYTES

Reader: TypeAlias = Callable[[bytes, str], list[MarkFile]]
Writer: TypeAlias = Callable[..., bytes]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its names, what it holds, and how it is read and written."""

    name: str  # for scripts
    label: str  # for people
    endings: tuple[str, ...]  # of file names, in lower case; the first is that of new files
    holds: frozenset[str]
    """Of "positions", "triangles", "faces", "names", "lines" (tabs and new lines in names),
    "normals", "missing", "axes", "units", "sets" (several in a file) and "measurements"."""
    reader: Reader | None
    """From the bytes of a file and the name for a set that has none there."""
    writer: Writer | None
    """From sets, with the keyword `layout` where there are several, and `columns` for a table."""
    is_like: Callable[[bytes], bool] = lambda _data: True
    """Whether a file begins as one of this format, where several have its ending."""
    layouts: tuple[str, ...] = ()  # the ways to write it, where there are several; the usual first
    columns: tuple[str, ...] = ()  # all that a table can have, in order
    usual_columns: tuple[str, ...] = ()
    most_bytes: int = MOST_BYTES  # how large a file may be

    @property
    def is_medical(self) -> bool:
        """Whether it has the unit and axes of a scan: mm and LPS, if nothing else is said."""
        return "axes" in self.holds and not self.columns

    @property
    def reads(self) -> bool:
        """Whether files can be read."""
        return self.reader is not None

    @property
    def writes(self) -> bool:
        """Whether files can be written."""
        return self.writer is not None


def only_set(sets: Sequence[MarkFile]) -> MarkFile:
    """The set of a file that has just one."""
    (only,) = sets  # registry.write counts them, as "sets" is not in `holds`
    return only
