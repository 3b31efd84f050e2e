# SPDX-License-Identifier: MIT
"""Columns of one shape, and how they become the columns of numbers that CSV and Parquet have."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, DtypeError, IndexRangeError, ShapeError

Array = npt.NDArray[Any]

_XYZ, _ABC, _012 = ("x", "y", "z"), ("a", "b", "c"), ("0", "1", "2")

# What the last axis of a column of this name is, if it has that length.
_VECTORS = {"barycentric": _ABC, "vertices": _012, "uv": ("x", "y")}
_VECTORS |= dict.fromkeys(("point", "normal", "smooth_normal", "origin", "direction"), _XYZ)
_VECTORS |= dict.fromkeys(("origins", "directions"), _XYZ)

SETS = (_XYZ, _XYZ[:2], _ABC)
"""The endings of a vector's parts, beside numbers."""


class Table(NamedTuple):
    """Columns, and what belongs to them.

    Attributes
    ----------
    columns : dict of ndarray (..., k)
        Arrays of one leading shape, by name.
    names : dict of tuple of str
        Of columns that hold ids: the texts of the ids from 0 on. The id -1 has none.
    extra : dict of ndarray
        Arrays of other shapes.
    meta : dict
        What else is said of the table, as JSON has it.
    """

    columns: dict[str, Array]
    names: dict[str, tuple[str, ...]]
    extra: dict[str, Array]
    meta: dict[str, Any]


def checked(
    columns: Mapping[str, Any],
    names: Mapping[str, Sequence[str]],
    extra: Mapping[str, Any],
    meta: Mapping[str, Any],
) -> Table:
    """A table of arrays of numbers, or an ArgumentError that names the column."""
    table = Table(
        {name: _numbers(name, array) for name, array in columns.items()},
        {name: tuple(map(plain_text, texts)) for name, texts in names.items()},
        {name: _numbers(name, array) for name, array in extra.items()},
        dict(meta),
    )
    for name, texts in table.names.items():
        ids = table.columns.get(name)
        if ids is None or ids.dtype.kind not in "iu":
            raise ArgumentError(f"names of {name!r} need a column of ids, which are whole numbers")
        if ids.size and not -1 <= int(ids.min()) <= int(ids.max()) < len(texts):
            raise IndexRangeError(f"{name!r} has ids beyond its {len(texts)} names")
    leading_shape(table.columns)
    return table


def _numbers(name: str, value: Any) -> Array:
    if not (isinstance(name, str) and name.isprintable() and name):
        raise ArgumentError(f"{name!r} is no name of a column")
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise DtypeError(f"column {name!r} must be numbers or bools, not {array.dtype}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def plain_text(text: str) -> str:
    """A text that UTF-8 can hold: what stands for bytes that no text has is spelled out."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def leading_shape(columns: Mapping[str, Array]) -> tuple[int, ...]:
    """The axes that all columns share; those of a vector's parts do not count.

    ShapeError if they share none, ArgumentError if there is no column.
    """
    if not columns:
        raise ArgumentError("a table needs a column")
    shapes = [_without_parts(name, array.shape) for name, array in columns.items()]
    shared = min(shapes, key=len)
    if not shared or any(shape[: len(shared)] != shared for shape in shapes):
        listed = ", ".join(f"{name} {array.shape}" for name, array in columns.items())
        raise ShapeError(f"the columns of a table must share their first axes, not be {listed}")
    return shared


def _without_parts(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[:-1] if name in _VECTORS and shape[-1:] == (len(_VECTORS[name]),) else shape


def flat(columns: Mapping[str, Array]) -> Iterator[tuple[str, str, Array]]:
    """The columns (N,) of numbers, in order: of which column, under which name, and what."""
    lead = leading_shape(columns)
    rows = int(np.prod(lead))
    for name, array in columns.items():
        parts = array.shape[len(lead) :]
        table = array.reshape(rows, int(np.prod(parts)))
        for part, ending in enumerate(_endings(name, array.dtype, parts)):
            yield name, f"{name}{ending}", table[:, part]


def _endings(name: str, dtype: np.dtype[Any], parts: tuple[int, ...]) -> list[str]:
    """What tells apart the parts of a vector: letters, or numbers where it is none of space."""
    if not parts:
        return [""]
    letters: Sequence[str] = _VECTORS.get(name, _XYZ[: parts[0]] if dtype.kind == "f" else ())
    if len(parts) == 1 and parts[0] == len(letters) > 1:
        return [f"_{letter}" for letter in letters]
    return ["_" + "_".join(map(str, place)) for place in product(*map(range, parts))]


def gathered(flat_columns: Mapping[str, Array]) -> dict[str, Array]:
    """Columns (N,) and (N, k) again of what :func:`flat` made, as far as the names tell."""
    names, place, found = list(flat_columns), 0, {}
    while place < len(names):
        base, run = _vector_at(names, place)
        place += len(run)
        parts = [flat_columns[name] for name in run]
        found[base] = parts[0] if base == run[0] else np.stack(parts, axis=1)
    return found


def _vector_at(names: Sequence[str], place: int) -> tuple[str, Sequence[str]]:
    """The name of a column of which parts stand at a place, and the names of these."""
    base, mark, ending = names[place].rpartition("_")
    if not (mark and base):
        return names[place], names[place : place + 1]
    for letters in SETS:
        run = names[place : place + len(letters)]
        if run == [f"{base}_{letter}" for letter in letters]:
            return base, run
    count = 0
    while ending == "0" and names[place + count : place + count + 1] == [f"{base}_{count}"]:
        count += 1
    if count > 0 and base not in names:
        return base, names[place : place + count]
    return names[place], names[place : place + 1]
