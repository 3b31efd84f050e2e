# SPDX-License-Identifier: MIT
"""Columns of floats in a table of text, whatever stands in its other columns."""

import re
from collections.abc import Sequence
from itertools import chain, islice
from typing import IO

import numpy as np

from ..errors import TableFileError
from ..numerics.arrays import FloatArray
from ..numerics.reading import described
from . import layout
from .table import Chosen

_ROWS = 1 << 12

# A comma between whole thousands, or else a decimal comma.
_EITHER = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")


def read(file: IO[bytes], chosen: Chosen) -> dict[str, FloatArray]:
    """Read columns (N,); what is missing is NaN.

    Decimal commas are read, unless they may be commas between thousands: a TableFileError, as is
    whatever else is no number.
    """
    found = _of_numbers_alone(file, chosen)
    if found is not None:
        return found
    try:
        return _cell_by_cell(file, chosen)
    except _CommaError as comma:
        return _cell_by_cell(file, chosen, comma)


def _of_numbers_alone(file: IO[bytes], chosen: Chosen) -> dict[str, FloatArray] | None:
    """The columns of a table that holds numbers alone, which takes half the time; else None."""
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
    """A number has a comma, which is decimal unless the table is refused."""

    def __init__(self, line: int, name: str, text: str) -> None:
        self.line, self.name, self.text = line, name, text


def _cell_by_cell(
    file: IO[bytes], chosen: Chosen, comma: _CommaError | None = None
) -> dict[str, FloatArray]:
    """The columns of any table; its numbers have decimal commas if `comma` is there."""
    file.seek(0)
    with layout.opened(file, "surrogateescape") as laid_out:
        wanted = chosen(laid_out.names)
        places = {name: laid_out.names.index(name) for name in wanted.values()}
        parts: dict[str, list[FloatArray]] = {name: [np.empty(0)] for name in places}
        is_sure = comma is None or laid_out.separator == ";"
        rows = laid_out.rows(skip_blanks=True)
        while part := list(islice(rows, _ROWS)):
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
        try:
            return (
                [float(each.replace(",", ".")) for each in cells] if comma else [*map(float, cells)]
            )
        except ValueError:
            pass
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
