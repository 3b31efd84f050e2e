# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats by name, and by what a file is called and begins with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .format import Format
from .mark import MarkFile


def formats() -> tuple[Format, ...]:
    """All formats, the usual ones first."""
    raise NotImplementedError


def format_of(file_name: str, data: bytes = b"") -> Format:
    """The format of a file by the ending of its name and, where several have it, by its content.

    MarkFileError where no format has that ending.
    """
    raise NotImplementedError


def read(source: Path | bytes, format: str | None = None, file_name: str = "") -> list[MarkFile]:
    """The sets of landmarks in a file.

    A format that is not named is found by the ending of the file's name and by the content. A set
    without a name of its own is called as the file. MarkFileError says what is wrong with a file,
    also where it cannot be opened.
    """
    raise NotImplementedError


def write(
    format: str,
    sets: Sequence[MarkFile],
    layout: str | None = None,
    columns: Sequence[str] | None = None,
) -> bytes:
    """A file of these sets; MarkFileError where the format cannot hold them.

    `layout` is one of the format's `layouts`, by default the first; `columns` are those of a table,
    in order.
    """
    raise NotImplementedError
