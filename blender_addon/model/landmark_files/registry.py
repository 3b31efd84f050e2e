# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of formats, and functions that read and write files by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from . import arrays, fcsv, points, slicer, table, wrap
from .format import Format, MarkFile, MarkFileError
from .text import first_of, name_of

# Menus, commands, readers, writers and documentation all follow this table. Of several formats with
# the same ending, those that are recognized more reliably come first.
_FORMATS = (
    slicer.FORMAT,
    fcsv.FORMAT,
    arrays.POSITIONS,
    arrays.EMBEDDING,
    wrap.FORMAT,
    points.PICKED_POINTS,
    points.PTS,
    points.TPS,
    table.CSV,
    table.TSV,
    points.PICKING_LIST,
)

_BY_NAME = {each.name: each for each in _FORMATS}


def formats() -> tuple[Format, ...]:
    """All formats."""
    return _FORMATS


def endings() -> tuple[str, ...]:
    """The endings of all files that can be read, the longest first."""
    found = sorted({ending for each in _FORMATS for ending in each.endings})
    return tuple(sorted(found, key=len, reverse=True))


def format_named(name: str) -> Format:
    """A format by its name; MarkFileError where there is none."""
    if name not in _BY_NAME:
        raise MarkFileError(f"formats are {', '.join(_BY_NAME)}, not {name!r}")
    return _BY_NAME[name]


def format_of(file_name: str, data: bytes = b"") -> Format:
    """The format of a file by the ending of its name and, where several have it, by its content.

    Without content it is the format whose new files have the ending. MarkFileError if no format
    fits.
    """
    candidates = _with_ending(file_name)
    if not data:
        return max(candidates, key=lambda each: file_name.casefold().endswith(each.endings[0]))
    if len(candidates) == 1:
        return candidates[0]
    for each in candidates:
        with suppress(MarkFileError):
            if each.is_like(data):
                return each
    labels = ", ".join(each.label for each in candidates)
    raise MarkFileError(f"{file_name} is none of these: {labels}")


def _with_ending(file_name: str) -> list[Format]:
    small = file_name.casefold()
    for ending in endings():
        if small.endswith(ending):
            return [each for each in _FORMATS if ending in each.endings]
    raise MarkFileError(f"{file_name} ends in none of {', '.join(sorted(endings()))}")


def read(source: Path | bytes, format: str | None = None, file_name: str = "") -> list[MarkFile]:
    """The sets of landmarks in a file, as :func:`recognized` reads them."""
    return recognized(source, format, file_name)[1]


def recognized(
    source: Path | bytes, format: str | None = None, file_name: str = ""
) -> tuple[Format, list[MarkFile]]:
    """The format of a file, and the sets of landmarks in it, from its path or its bytes.

    A format that is not named is found by the ending of the file's name and by the content. A set
    without a name gets the file's. MarkFileError says what is wrong with a file, or that it cannot
    be opened.
    """
    if isinstance(source, Path):
        file_name = file_name or source.name
    if format is None and not file_name:
        raise MarkFileError("a format, or the name of a file, tells how to read bytes")
    named = _with_ending(file_name) if format is None else [format_named(format)]
    data = _bytes(source, max(each.most_bytes for each in named))
    chosen = format_of(file_name, data) if format is None else named[0]
    try:
        return chosen, chosen.reader(data, _stem(file_name, chosen))
    except MarkFileError as error:
        raise MarkFileError(f"{file_name or chosen.label}: {error}") from None


def _bytes(source: Path | bytes, most: int) -> bytes:
    """The bytes of a file, unless there are more than allowed."""
    if isinstance(source, bytes):
        data = source
    else:
        try:
            if not source.is_file():
                raise MarkFileError(f"{source} is no file")
            with source.open("rb") as file:
                data = file.read(most + 1)
        except OSError as error:
            raise MarkFileError(f"{source} cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise MarkFileError(f"the file has more than {most} bytes")
    return data


def _stem(file_name: str, chosen: Format) -> str:
    """The name of a file without its ending, for a set that has none."""
    for ending in sorted(chosen.endings, key=len, reverse=True):
        if file_name.casefold().endswith(ending):
            return file_name[: -len(ending)] or "Landmarks"
    return file_name or "Landmarks"


def write(
    format: str,
    sets: Sequence[MarkFile],
    layout: str | None = None,
    columns: Sequence[str] | None = None,
) -> bytes:
    """A file of these sets; MarkFileError where the format cannot hold them.

    `layout` is one of the format's `layouts`, by default the first; `columns` are some of those of
    a table, in any order.
    """
    chosen = format_named(format)
    options: dict[str, str | Sequence[str]] = {}
    if layout is not None and layout not in chosen.layouts:
        ways = f"as {', '.join(chosen.layouts)}" if chosen.layouts else "in one way"
        raise MarkFileError(f"{chosen.label} is written {ways}, not as {layout!r}")
    if columns is not None and not chosen.columns:
        raise MarkFileError(f"{chosen.label} has no columns to choose")
    holds_sets = "sets" in chosen.holds
    if chosen.layouts:
        options["layout"] = layout = layout or next(iter(chosen.layouts))
        holds_sets |= chosen.layouts[layout].holds_sets
    if chosen.columns:
        options["columns"] = chosen.usual_columns if columns is None else columns
    if not sets:
        raise MarkFileError("there is no set of landmarks to write")
    if len(sets) > 1 and not holds_sets:
        raise MarkFileError(f"{chosen.label} holds one set of landmarks, not {len(sets)}")
    for each in sets:
        _check(each)
        _check_marks(each, chosen)
    return chosen.writer(*sets, **options)


def _check(each: MarkFile) -> None:
    if not all(map(math.isfinite, (item.value for item in each.measurements))):
        raise MarkFileError(f"a measurement of {each.name!r} is not finite")
    for mark in each.marks:
        numbers = *(mark.point or ()), *(mark.barycentric or ()), *(mark.normal or ())
        if not all(map(math.isfinite, numbers)):
            raise MarkFileError(f"a number of landmark {mark.name!r} is not finite")


def _check_marks(each: MarkFile, chosen: Format) -> None:
    """Refuse what the format cannot hold.

    Missing landmarks are refused if later ones would take their rows, and names if they would be
    read back differently, or as two lines.
    """
    place = "point" if "positions" in chosen.holds else "triangle"
    names = [mark.name for mark in each.marks if getattr(mark, place) is None]
    if names and "missing" not in chosen.holds:
        why = f"{chosen.label} cannot say that a landmark is missing, as {first_of(names)}"
        raise MarkFileError(why)
    for name in (mark.name for mark in each.marks if "names" in chosen.holds):
        if {*name} & {*"\t\n"} and "lines" not in chosen.holds:
            raise MarkFileError(f"{chosen.label} cannot hold the tab or new line of {name!r}")
        if name.strip(" ") != name_of(name):
            raise MarkFileError(f"{chosen.label} cannot hold the control character of {name!r}")
