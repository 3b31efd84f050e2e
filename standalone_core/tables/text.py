# SPDX-License-Identifier: MIT
"""Tables as comma-separated values (.csv), one row per ray or hit; numbers come back unchanged."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import IO, Any

import numpy as np

from ..errors import TableFileError
from ..numerics.arrays import FloatArray
from ..numerics.reading import described
from . import layout
from .table import NAME, Array, Chosen, Table, flat_with_names, gathered, leading_shape

_ROWS, _ROWS_READ = 1 << 14, 1 << 12  # rows written, or read as floats, at a time

# Ids from here on get no names when they are read: a file of a few bytes would take much memory.
_MOST_NAMES = 1 << 20

# Numbers whose comma may be a decimal comma or one after thousands.
_EITHER = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")

_BOOLS = {"true": True, "false": False}


def write(file: IO[bytes], table: Table) -> None:
    """Write the columns of a table, and after ids their names; a few rows at a time."""
    columns = flat_with_names(table)
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    # csv quotes a field for a line break only if that is part of the line ending.
    returns = any("\r" in each for texts in table.names.values() for each in texts)
    ending = "\r\n" if returns else "\n"
    writer = csv.writer(text, lineterminator=ending)
    is_plain = layout.SPECIAL.isdisjoint("".join(columns))
    header = csv.writer(
        text, lineterminator=ending, quoting=csv.QUOTE_MINIMAL if is_plain else csv.QUOTE_ALL
    )
    header.writerow(columns)
    written = [(_texts_of(array, names), array) for array, names in columns.values()]
    for start in range(0, int(np.prod(leading_shape(table.columns))), _ROWS):
        rows = slice(start, start + _ROWS)
        writer.writerows(zip(*(of(array[rows]) for of, array in written), strict=True))
    text.detach()


def _texts_of(array: Array, names: Sequence[str] | None) -> Callable[[Array], Sequence[object]]:
    """A function that makes the cells of a part of a column; floats get the fewest exact digits.

    Those that are not finite become "NaN" and "inf", which all readers take for numbers.
    """
    if names is not None:
        texts = [*names, ""]  # the last is that of the id -1
        return lambda part: [texts[each] for each in part.tolist()]
    if array.dtype.kind == "b":
        return lambda part: ["true" if each else "false" for each in part.tolist()]
    if array.dtype.kind == "f":
        return _floats_of
    return lambda part: part.tolist()


def _floats_of(part: Array) -> Sequence[object]:
    texts: list[object] = (part if part.dtype.itemsize == 8 else part.astype(np.str_)).tolist()
    for missing in np.flatnonzero(np.isnan(part)).tolist():
        texts[missing] = "NaN"
    return texts


def read(file: IO[bytes]) -> Table:
    """Read a table; columns that hold no numbers become ids with names.

    A column with the texts of the ids before it becomes their names, even if the texts look like
    numbers.
    """
    with layout.opened(file) as laid_out:
        names = _column_names(laid_out.names)
        texts: dict[str, list[str]] = {name: [] for name in names}
        for _, row in laid_out.rows():
            for column, each in zip(texts.values(), row, strict=True):
                column.append(each)
    flat_columns: dict[str, Array] = {}
    found: dict[str, tuple[str, ...]] = {}
    for name, column in texts.items():
        base = name.removesuffix(NAME)
        if base != name and base in flat_columns and base not in found:
            of_ids = _names_of(flat_columns[base], column)
            if of_ids is not None:
                found[base] = of_ids
                continue
        array = _numbers(column, laid_out.separator)
        if array is None:
            found[name] = tuple(dict.fromkeys(each for each in column if each))
            rows_of = {each: row for row, each in enumerate(found[name])}
            array = np.array([rows_of.get(each, -1) for each in column], np.int32)
        flat_columns[name] = array
    return Table(gathered(flat_columns, found.keys()), found, {}, {})


def _column_names(names: Sequence[str]) -> list[str]:
    """The names of a header; a column without one is called by its number."""
    if not all(map(str.isprintable, names)):
        raise TableFileError("the file has no header: its first line names the columns")
    named = [name or f"column {number}" for number, name in enumerate(names, 1)]
    if len(set(named)) < len(named):
        raise TableFileError("two columns of the table have the same name")
    return named


def _names_of(ids: Array, column: list[str]) -> tuple[str, ...] | None:
    """The texts of ids, empty for ids in no row; None if the column is not one text for each id."""
    if ids.dtype.kind not in "iu":
        return None
    texts = dict(zip(ids.tolist(), column, strict=True))
    least, most = min(texts, default=-1), max(texts, default=-1)
    if least < -1 or most >= _MOST_NAMES or texts.get(-1):
        return None
    if [texts[each] for each in ids.tolist()] != column:
        return None
    return tuple(texts.get(each, "") for each in range(most + 1))


def read_meta(file: IO[bytes]) -> dict[str, Any]:  # noqa: ARG001
    """No meta: such files have none."""
    return {}


def _numbers(texts: list[str], separator: str) -> Any:
    """A column of bools, whole numbers or floats; None if it is none of these."""
    if texts and all(each in _BOOLS for each in texts):
        return np.array([_BOOLS[each] for each in texts])
    if any("_" in each for each in texts):  # Python allows it within a number
        return None
    if separator == ";" and not any("." in each for each in texts):
        texts = [each.replace(",", ".") for each in texts]
    kinds: list[Any] = [(np.int64, int), (np.uint64, int), (np.float64, float)]
    if not all(map(layout.is_missing, texts)):
        kinds.append((np.float64, lambda text: np.nan if layout.is_missing(text) else float(text)))
    for kind, number in kinds:
        try:
            return np.array([number(each) for each in texts], kind)
        except (ValueError, OverflowError):
            continue
    return None


def read_floats(file: IO[bytes], chosen: Chosen) -> dict[str, FloatArray]:
    """Read columns (N,) of floats, whatever the other columns hold; missing numbers are NaN.

    Decimal commas are read. TableFileError for commas that may separate thousands, and for anything
    else that is not a number.
    """
    found = _of_numbers_alone(file, chosen)
    if found is not None:
        return found
    try:
        return _cell_by_cell(file, chosen)
    except _CommaError as comma:
        return _cell_by_cell(file, chosen, comma)


def _of_numbers_alone(file: IO[bytes], chosen: Chosen) -> dict[str, FloatArray] | None:
    """The columns of a table of numbers alone, in half the time; None if it holds anything else."""
    with layout.opened(file, "surrogateescape") as laid_out:
        names, separator = laid_out.names, laid_out.separator
        wanted = chosen(names)
        first = next((line for line in laid_out.lines if line.strip()), "")
        if not first:
            return {column: np.empty(0) for column in wanted}
        lines = chain([first], laid_out.lines)
        mark = None if separator == layout.BLANKS else separator
        try:
            table = np.loadtxt(lines, np.float64, None, mark, ndmin=2, quotechar='"')
        except (ValueError, OverflowError):
            return None
    if table.shape[1] != len(names):
        return None
    columns = np.ascontiguousarray(table.T)
    return {column: columns[names.index(name)] for column, name in wanted.items()}


class _CommaError(Exception):
    """A number has a comma: the table has to be read again, with decimal commas."""

    def __init__(self, line: int, name: str, text: str) -> None:
        self.line, self.name, self.text = line, name, text


def _cell_by_cell(
    file: IO[bytes], chosen: Chosen, comma: _CommaError | None = None
) -> dict[str, FloatArray]:
    """The columns of any table; its numbers have decimal commas if `comma` is given."""
    file.seek(0)
    with layout.opened(file, "surrogateescape") as laid_out:
        wanted = chosen(laid_out.names)
        places = {name: laid_out.names.index(name) for name in wanted.values()}
        parts: dict[str, list[FloatArray]] = {name: [np.empty(0)] for name in places}
        is_sure = comma is None or laid_out.separator == ";"
        rows = laid_out.rows(skip_blanks=True)
        while part := list(islice(rows, _ROWS_READ)):
            lines = [line for line, _ in part]
            columns = list(zip(*(row for _, row in part), strict=True))
            for name, place in places.items():
                cells = columns[place]
                parts[name].append(np.array(_floats(cells, lines, name, comma)))
                is_sure = is_sure or any("," in each and not _EITHER.match(each) for each in cells)
    if comma is not None and not is_sure:
        raise TableFileError(
            f"line {comma.line}: {comma.name} may have a decimal comma, or one after thousands: "
            f"{described(comma.text)}"
        )
    return {column: np.concatenate(parts[name]) for column, name in wanted.items()}


def _floats(
    cells: Sequence[str], lines: Sequence[int], name: str, comma: _CommaError | None
) -> list[float]:
    """A part of a column, read cell by cell only if one of them needs it."""
    text = "".join(cells)
    if "_" not in text and not (comma and "." in text):
        with suppress(ValueError):
            with_points = [each.replace(",", ".") for each in cells] if comma else cells
            return [*map(float, with_points)]
    return [_float(each, line, name, comma) for each, line in zip(cells, lines, strict=True)]


def _float(text: str, line: int, name: str, comma: _CommaError | None) -> float:
    if layout.is_missing(text):
        return np.nan
    if not layout.is_number(text):
        raise TableFileError(f"line {line}: {name} is no number: {described(text)}")
    if comma is None and "," in text:
        raise _CommaError(line, name, text)
    if comma is not None and "." in text:
        raise TableFileError(
            f"line {line}: {name} has a decimal point, but {comma.name} in line {comma.line} "
            f"a comma: {described(text)}"
        )
    return float(text.replace(",", "."))
