# SPDX-License-Identifier: MIT
"""How a table of text is laid out: its encoding, what separates cells, its header and its rows.

Programs and countries differ. The header may be a comment (``numpy.savetxt``), the column of row
names may have no name (pandas, R), semicolons separate cells where a comma is the decimal mark
(Excel), and a first line may say which separator is used (Excel).
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO, NamedTuple

from ..errors import TableFileError

BLANKS = " "  # stands for any run of blanks between cells

# Texts that stand for a missing number, in letters of either case.
_MISSING = frozenset(("", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"))

_COMMENT = "#"
_SEPARATORS = (",", ";", "\t", "|")

SPECIAL = frozenset((_COMMENT, *_SEPARATORS, BLANKS))
"""Characters that would be taken for layout in a name without quotes."""

_SEPARATOR_LINE = re.compile(r"sep=(\t|[^\s\w\"#])\s*", re.IGNORECASE)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Layout(NamedTuple):
    """Where the cells of a table are: in `lines`, after the `lines_before` that are not rows."""

    names: list[str]
    """Of the columns; empty where a column has none."""

    separator: str
    lines_before: int
    lines: Iterator[str]

    def rows(self, *, skip_blanks: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Each row with the number of its last line; all have as many cells as there are names.

        Blanks before a cell are a part of it unless `skip_blanks` is True.
        """
        lines = self.lines
        if self.separator == BLANKS:
            lines = (" ".join(line.split()) + "\n" for line in lines)
        reader = csv.reader(
            lines, delimiter=self.separator, skipinitialspace=skip_blanks, strict=True
        )
        try:
            for row in reader:
                line = reader.line_num + self.lines_before
                if len(row) == len(self.names):
                    yield line, row
                elif not _is_no_row(row):
                    count = f"{len(row)} field{'s' * (len(row) != 1)}, not {len(self.names)}"
                    raise TableFileError(f"line {line} has {count}")
        except csv.Error as error:
            line = reader.line_num + self.lines_before
            raise TableFileError(f"line {line} is no row of a table: {error}") from None


@contextmanager
def opened(file: IO[bytes], errors: str = "strict") -> Iterator[Layout]:
    """Find out how a file is laid out; TableFileError, also in the block, if it is not a table."""
    encoding = "utf-16" if file.read(2) in _UTF_16 else "utf-8-sig"
    file.seek(0)
    text = io.TextIOWrapper(file, encoding, errors, newline="")
    try:
        yield _layout(text)
    except UnicodeDecodeError as error:
        place = "" if encoding == "utf-16" else f" at line {_line_not_in_utf_8(file)}"
        raise TableFileError(f"the file is no table in UTF-8{place}: {error.reason}") from None
    finally:
        text.detach()


def _layout(text: Iterator[str]) -> Layout:
    taken: list[str] = []
    rows = _candidates(text, taken)
    line = next(rows, (0, ""))
    said = _SEPARATOR_LINE.fullmatch(line[1])
    separators = (said[1],) if said else (*_SEPARATORS, BLANKS)
    first = next(rows, (0, "")) if said else line
    comments = [each.strip().lstrip(_COMMENT) for each in taken if _is_comment(each)]
    for comment in reversed(comments):
        separator = _fitting(comment, first[1], separators)
        if separator and (not first[1] or _is_row(first[1], separator)):
            header, row, start = comment, first[1], first[0] - 1 if first[1] else len(taken)
            break
    else:
        header, row, start = first[1], next(rows, (0, ""))[1], first[0]
        counts = {each: len(_cells(header, each)) for each in separators if each != BLANKS}
        separator = _fitting(header, row, separators) or max(counts, key=lambda each: counts[each])
    names = [name.strip() for name in _cells(header, separator)]
    if not any(names):
        raise TableFileError("the file has no header: its first line names the columns")
    if _has_row_name(row, len(_cells(row, separator)), len(names)):
        names.insert(0, "")
    return Layout(names, separator, start, chain(taken[start:], text))


def _candidates(text: Iterable[str], taken: list[str]) -> Iterator[tuple[int, str]]:
    """The lines that may be header or row, with their numbers; all lines are added to `taken`."""
    for number, line in enumerate(text, 1):
        taken.append(line)
        if line.strip() and not _is_comment(line):
            yield number, line


def _fitting(header: str, row: str, separators: Iterable[str]) -> str | None:
    """The separator that splits a header into several cells, and a row into as many, or None."""
    for separator in separators:
        count, cells = len(_cells(header, separator)), len(_cells(row, separator))
        fits = not row or cells == count or _has_row_name(row, cells, count)
        if count > 1 and fits and (separator != BLANKS or _is_row(row, separator)):
            return separator
    return None


def _has_row_name(row: str, cells: int, names: int) -> bool:
    """Whether a row begins with its own name, for which the header has no cell.

    R puts such a name in quotes, but not numbers.
    """
    return cells == names + 1 and row.lstrip().startswith('"') and row.count('"') < 2 * cells


def _cells(line: str, separator: str) -> list[str]:
    line = " ".join(line.split()) if separator == BLANKS else line
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error as error:
        raise TableFileError(f"the file has no header: {error}") from None


def _is_row(line: str, separator: str) -> bool:
    """Whether a line cannot be a header: it has a number, or only empty cells."""
    cells = _cells(line, separator)
    return any(map(is_number, cells)) or not any(map(str.strip, cells))


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no number."""
    return text.strip().lower() in _MISSING


def is_number(text: str) -> bool:
    """Whether a cell holds a number, perhaps with a decimal comma."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return "_" not in text  # Python allows it within a number


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENT)


def _is_no_row(row: list[str]) -> bool:
    """Whether a row with a wrong number of cells is a comment or an empty line."""
    return not row or _is_comment(row[0]) or (len(row) == 1 and not row[0].strip())


def _line_not_in_utf_8(file: IO[bytes]) -> int:
    file.seek(0)
    lines = enumerate(file, 1)
    return next((n for n, line in lines if line.decode(errors="ignore").encode() != line), 0)
