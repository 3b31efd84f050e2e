# SPDX-License-Identifier: MIT
"""Tables as comma-separated values (.csv), a row a ray or hit; numbers come back as they were."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import IO, Any

import numpy as np

from ..errors import TableFileError
from ..numerics.arrays import FloatArray
from ..numerics.reading import described
from .table import NAME, Array, Table, flat_with_names, gathered, leading_shape

_ROWS = 1 << 14

# Ids from here on get no names when they are read: a file of a few bytes would take much memory.
_MOST_NAMES = 1 << 20

_BOOLS = {"true": True, "false": False}

HAS_META = False
"""Whether files of this format keep what else is said of a table."""


def check_installed() -> None:
    """All that is needed is there."""


def write(file: IO[bytes], table: Table) -> None:
    """Write the columns of a table, and after ids their names; a few rows at a time."""
    columns = flat_with_names(table)
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    # A field with one of the characters that end lines is put in quotes, and no other.
    returns = any("\r" in each for texts in table.names.values() for each in texts)
    writer = csv.writer(text, lineterminator="\r\n" if returns else "\n")
    writer.writerow(columns)
    written = [(_texts_of(array, names), array) for array, names in columns.values()]
    for start in range(0, int(np.prod(leading_shape(table.columns))), _ROWS):
        rows = slice(start, start + _ROWS)
        writer.writerows(zip(*(of(array[rows]) for of, array in written), strict=True))
    text.detach()


def _texts_of(array: Array, names: Sequence[str] | None) -> Callable[[Array], Sequence[object]]:
    """What writes a part of a column: floats in the fewest digits that say which they are."""
    if names is not None:
        texts = [*names, ""]  # the last is that of the id -1
        return lambda part: [texts[each] for each in part.tolist()]
    if array.dtype.kind == "b":
        return lambda part: ["true" if each else "false" for each in part.tolist()]
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        return lambda part: part.astype(np.str_).tolist()  # in its own digits
    return lambda part: part.tolist()


def read(file: IO[bytes]) -> Table:
    """Read a table; columns that hold no numbers become ids with names.

    A column of the texts of ids that are beside it becomes their names, even where the texts look
    like numbers.
    """
    names, rows = _rows(file)
    texts: dict[str, list[str]] = {name: [] for name in names}
    for _, row in rows:
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
        array = _numbers(column)
        if array is None:
            found[name] = tuple(dict.fromkeys(each for each in column if each))
            rows_of = {each: row for row, each in enumerate(found[name])}
            array = np.array([rows_of.get(each, -1) for each in column], np.int32)
        flat_columns[name] = array
    return Table(gathered(flat_columns, found.keys()), found, {}, {})


def _names_of(ids: Array, column: list[str]) -> tuple[str, ...] | None:
    """The texts of ids, empty of those that are in no row; None if it is not a text for each id."""
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


def read_floats(file: IO[bytes]) -> dict[str, FloatArray]:
    """Read a table of numbers alone, which takes less time."""
    text = io.TextIOWrapper(file, "utf-8-sig", newline=None)
    try:
        names = _header(csv.reader([text.readline()]))
        first = next((line for line in text if line.strip()), "")
        if not first:
            return {name: np.empty(0) for name in names}
        lines = chain([first], text)
        table = np.loadtxt(lines, np.float64, None, ",", ndmin=2, quotechar='"')
        if table.shape[1] == len(names):
            return dict(zip(names, np.ascontiguousarray(table.T), strict=True))
        error = f"it has {len(names)} names, but {table.shape[1]} columns"
    except TableFileError:
        raise
    except (ValueError, csv.Error, OverflowError) as fault:
        error = str(fault)
    finally:
        text.detach()
    raise _fault(file, error)


def _fault(file: IO[bytes], error: str) -> TableFileError:
    """What is wrong with the first line that has no numbers; this error, if each has."""
    file.seek(0)
    names, rows = _rows(file)
    for line, row in rows:
        for name, each in zip(names, row, strict=True):
            if _numbers([each]) is None or each in _BOOLS:
                return TableFileError(f"line {line}: {name} is no number: {described(each)}")
    return TableFileError(f"the file is no table of numbers: {error}")


def _rows(file: IO[bytes]) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The names of the columns, and the rows, each with its last line and as many fields."""
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")

    def rows() -> Iterator[tuple[int, list[str]]]:
        try:
            for row in reader:
                if row and len(row) != len(names):
                    raise TableFileError(
                        f"line {reader.line_num} has {len(row)} fields, not {len(names)}"
                    )
                if row:
                    yield reader.line_num, row
        except (UnicodeDecodeError, csv.Error) as error:
            raise TableFileError(f"the file is no table in UTF-8: {error}") from None
        finally:
            text.detach()

    try:
        reader = csv.reader(text, strict=True)
        names = _header(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableFileError(f"the file is no table in UTF-8: {error}") from None
    return names, rows()


def _header(reader: Iterator[list[str]]) -> list[str]:
    names = [name.strip() for name in next(reader, [])]
    if not names or not all(name and name.isprintable() for name in names):
        raise TableFileError("the file has no header: its first line names the columns")
    if len(set(names)) < len(names):
        raise TableFileError("two columns of the table have the same name")
    return names


def _numbers(texts: list[str]) -> Any:
    """A column of bools, whole numbers or floats; None if it is none of these."""
    if texts and all(each in _BOOLS for each in texts):
        return np.array([_BOOLS[each] for each in texts])
    if any("_" in each for each in texts):  # which Python takes for part of a number
        return None
    kinds: Any = ((np.int64, int), (np.uint64, int), (np.float64, float))
    for kind, number in kinds:
        try:
            return np.array([number(each) for each in texts], kind)
        except (ValueError, OverflowError):
            continue
    return None
