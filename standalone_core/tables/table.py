# SPDX-License-Identifier: MIT
"""Columns of one shape, and how they become the columns of numbers that CSV and Parquet have.

A small file could expand to an endless table, so its growth is bounded.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, DtypeError, IndexRangeError, ShapeError, TableFileError
from ..numerics.reading import as_array, iterable, kind_of

Array = npt.NDArray[Any]

Chosen = Callable[[Sequence[str]], Mapping[str, str]]
"""Takes all names in a file, and returns those of the columns to read, by the names they get."""

_XYZ, _ABC, _012 = ("x", "y", "z"), ("a", "b", "c"), ("0", "1", "2")

# What the last axis of a column with this name holds, if it has that length.
VECTORS = {"barycentric": _ABC, "vertices": _012, "uv": ("x", "y")}
VECTORS |= dict.fromkeys(("point", "normal", "smooth_normal", "origin", "direction"), _XYZ)
VECTORS |= dict.fromkeys(("origins", "directions"), _XYZ)

_SETS = (_XYZ, _XYZ[:2], _ABC)  # the endings of a vector's parts, beside numbers

NAME = "_name"  # ends the name of a column with the texts of ids, next to the ids

LEAST = 1 << 29  # bytes of memory that a table may take, however small its file
MOST_GROWTH = 256  # further bytes of memory for each byte of the file


class Table(NamedTuple):
    """Columns, and what belongs to them.

    Attributes
    ----------
    columns : dict of ndarray (..., k)
        Arrays of one leading shape, by name.
    names : dict of tuple of str
        For each column of ids, the texts of the ids from 0 on. The id -1 has none.
    extra : dict of ndarray
        Arrays of other shapes, of numbers, bools or texts.
    meta : dict
        Anything else to keep, of JSON types.

    Examples
    --------
    >>> import numpy as np
    >>> import standalone_core as sc
    >>> table = sc.tables.Table({"object": np.array([0, -1])}, {"object": ("Cube",)}, {}, {})
    >>> [table.names["object"][row] if row >= 0 else None for row in table.columns["object"]]
    ['Cube', None]
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
    given = {"columns": columns, "names": names, "extra": extra, "meta": meta}
    for what, each in given.items():
        if not isinstance(each, Mapping):
            raise DtypeError(f"{what} must be a mapping, not {kind_of(each)}")
    table = Table(
        {name: _numbers(name, array) for name, array in columns.items()},
        {
            name: tuple(map(plain_text, iterable(texts, f"names of {name!r}")))
            for name, texts in names.items()
        },
        {name: _numbers_or_texts(name, array) for name, array in extra.items()},
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


def check_growth(size: int, of_file: int, what: str = "the table") -> None:
    """TableFileError if what has `size` bytes is too large for a file of `of_file` bytes."""
    if size > LEAST + MOST_GROWTH * of_file:
        raise TableFileError(
            f"{what} would take {size / 1e9:,.1f} GB of memory, too much for a file of "
            f"{of_file:,} bytes: write it without compression if that is meant"
        )


def _numbers(name: str, value: Any) -> Array:
    if not (isinstance(name, str) and name.isprintable() and name):
        raise ArgumentError(f"{name!r} is no name of a column")
    array = as_array(value, f"column {name!r}")
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise DtypeError(f"column {name!r} must be numbers or bools, not {array.dtype}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _numbers_or_texts(name: str, value: Any) -> Array:
    array = as_array(value, f"column {name!r}")
    if array.dtype.kind != "U":
        return _numbers(name, array)
    texts = [plain_text(each) for each in array.ravel()]
    return np.array(texts, dtype=np.str_).reshape(array.shape)


def plain_text(text: str) -> str:
    """A text that UTF-8 can hold: lone surrogates and null characters are escaped."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def leading_shape(columns: Mapping[str, Array]) -> tuple[int, ...]:
    """The axes that all columns share; those of a vector's parts do not count.

    ShapeError if they share none, ArgumentError if there is no column.
    """
    if not columns:
        raise ArgumentError("a table needs a column")
    whole = [array.shape for array in columns.values()]
    parts = {name: (len(letters),) for name, letters in VECTORS.items()}
    without = [
        array.shape[:-1] if array.shape[-1:] == parts.get(name) else array.shape
        for name, array in columns.items()
    ]
    for shapes in (without, whole):  # three rows of single numbers may look like a vector's parts
        shared = min(shapes, key=len)
        if shared and all(shape[: len(shared)] == shared for shape in shapes):
            return shared
    listed = ", ".join(f"{name} {array.shape}" for name, array in columns.items())
    raise ShapeError(f"the columns of a table must share their first axes, not be {listed}")


def flat(columns: Mapping[str, Array]) -> Iterator[tuple[str, str, Array]]:
    """The flat columns (N,) in order: the column that each is part of, its own name and values.

    ArgumentError if a column has no numbers in a row: it would be lost.
    """
    lead = leading_shape(columns)
    rows = int(np.prod(lead))
    for name, array in columns.items():
        parts = array.shape[len(lead) :]
        if 0 in parts:
            raise ArgumentError(f"column {name!r} of shape {array.shape} has nothing in a row")
        table = array.reshape(rows, int(np.prod(parts)))
        for part, ending in enumerate(_endings(name, array.dtype, parts)):
            yield name, f"{name}{ending}", table[:, part]


def _endings(name: str, dtype: np.dtype[Any], parts: tuple[int, ...]) -> list[str]:
    """The name endings of a vector's parts: letters if it is a vector in space, else numbers."""
    if not parts:
        return [""]
    letters: Sequence[str] = VECTORS.get(name, _XYZ[: parts[0]] if dtype.kind == "f" else ())
    if len(parts) == 1 and parts[0] == len(letters) > 1:
        return [f"_{letter}" for letter in letters]
    return ["_" + "_".join(map(str, place)) for place in product(*map(range, parts))]


def flat_with_names(table: Table) -> dict[str, tuple[Array, Sequence[str] | None]]:
    """The flat columns (N,) of a table; ids come twice, the second time with the texts of the ids.

    ArgumentError if two have the same name.
    """
    columns: dict[str, tuple[Array, Sequence[str] | None]] = {}
    for column, name, array in flat(table.columns):
        texts = table.names.get(column)
        parts: dict[str, tuple[Array, Sequence[str] | None]] = {name: (array, None)}
        if texts is not None:
            parts[f"{name}{NAME}"] = array, texts
        for twice in columns.keys() & parts.keys():
            raise ArgumentError(f"two columns of the table would be named {twice!r}")
        columns |= parts
    return columns


def gathered(flat_columns: Mapping[str, Array], texts: Collection[str]) -> dict[str, Array]:
    """Join the columns that :func:`flat` made to (N,) and (N, k) again, as far as names tell.

    A column is part of a vector only where nothing is lost: all parts are numbers of one type, none
    is in `texts`, and no other column has the vector's name.
    """
    names, place, found = list(flat_columns), 0, {}
    while place < len(names):
        base, run = _vector_at(names, place)
        parts = [flat_columns[name] for name in run]
        kinds = {part.dtype for part in parts}
        if base in flat_columns or len(kinds) > 1 or any(name in texts for name in run):
            base, run = names[place], names[place : place + 1]
        place += len(run)
        found[base] = parts[0] if base == run[0] else np.stack(parts, axis=1)
    return found


def _vector_at(names: Sequence[str], place: int) -> tuple[str, Sequence[str]]:
    """The name of the column whose parts stand at a place, and the names of the parts."""
    base, _, ending = names[place].rpartition("_")
    if base:
        for letters in _SETS:
            run = names[place : place + len(letters)]
            if run == [f"{base}_{letter}" for letter in letters]:
                return base, run
    if base and ending == "0":
        count = 1
        while names[place + count : place + count + 1] == [f"{base}_{count}"]:
            count += 1
        return base, names[place : place + count]
    return names[place], names[place : place + 1]
