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
from .table import Array, Table, flat, gathered, leading_shape

_ROWS = 1 << 14
_BOOLS = {"true": True, "false": False}

HAS_META = False
"""Whether files of this format keep what else is said of a table."""


def write(file: IO[bytes], table: Table) -> None:
    """Write the columns of a table, ids as their names; a few rows at a time."""
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    columns = list(flat(table.columns))
    writer.writerow(name for _, name, _ in columns)
    texts = [_texts_of(column, array, table) for column, _, array in columns]
    for start in range(0, int(np.prod(leading_shape(table.columns))), _ROWS):
        rows = slice(start, start + _ROWS)
        parts = [of(array[rows]) for of, (_, _, array) in zip(texts, columns, strict=True)]
        writer.writerows(zip(*parts, strict=True))
    text.detach()


def _texts_of(column: str, array: Array, table: Table) -> Callable[[Array], Sequence[object]]:
    """What writes a part of a column: floats in the fewest digits that say which they are."""
    if column in table.names:
        texts = [*table.names[column], ""]  # the last is that of the id -1
        return lambda part: [texts[each] for each in part.tolist()]
    if array.dtype.kind == "b":
        return lambda part: ["true" if each else "false" for each in part.tolist()]
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        return lambda part: part.astype(np.str_).tolist()  # in its own digits
    return lambda part: part.tolist()


def read(file: IO[bytes]) -> Table:
    """Read a table; columns that hold no numbers become ids with names."""
    names, rows = _rows(file)
    texts: list[list[str]] = [[] for _ in names]
    for row in rows:
        for column, each in zip(texts, row, strict=True):
            column.append(each)
    flat_columns, found = {}, {}
    for name, column in zip(names, texts, strict=True):
        array = _numbers(column)
        if array is None:
            found[name] = tuple(dict.fromkeys(each for each in column if each))
            ids = {each: row for row, each in enumerate(found[name])}
            array = np.array([ids.get(each, -1) for each in column], np.int32)
        flat_columns[name] = array
    return Table(gathered(flat_columns), found, {}, {})


def read_meta(file: IO[bytes]) -> dict[str, Any]:  # noqa: ARG001
    """No meta: such files have none."""
    return {}


def read_floats(file: IO[bytes]) -> dict[str, FloatArray]:
    """Read a table of numbers alone, which takes less time."""
    text = io.TextIOWrapper(file, "utf-8-sig", newline=None)
    try:
        names = _header(csv.reader([text.readline()]))
        first = text.readline()
        if not first.strip():
            return {name: np.empty(0) for name in names}
        lines = chain([first], text)
        table = np.loadtxt(lines, np.float64, None, ",", ndmin=2, quotechar='"')
    except TableFileError:
        raise
    except (ValueError, csv.Error, OverflowError) as error:
        raise TableFileError(f"the file is no table of numbers: {error}") from None
    finally:
        text.detach()
    if table.shape[1] != len(names):
        raise TableFileError(f"the table has {len(names)} names, but {table.shape[1]} columns")
    return dict(zip(names, np.ascontiguousarray(table.T), strict=True))


def _rows(file: IO[bytes]) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the rows, each with as many fields."""
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")

    def rows() -> Iterator[list[str]]:
        try:
            for row in reader:
                if row and len(row) != len(names):
                    raise TableFileError(
                        f"line {reader.line_num} has {len(row)} fields, not {len(names)}"
                    )
                if row:
                    yield row
        except (UnicodeDecodeError, csv.Error) as error:
            raise TableFileError(f"the file is no table of texts: {error}") from None
        finally:
            text.detach()

    try:
        reader = csv.reader(text, strict=True)
        names = _header(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableFileError(f"the file is no table of texts: {error}") from None
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
    for kind in (np.int64, np.uint64):
        try:
            return np.array([int(each) for each in texts], kind)
        except (ValueError, OverflowError):
            continue
    try:
        return np.array([float(each) for each in texts], np.float64)
    except ValueError:
        return None
