# SPDX-License-Identifier: MIT
"""Records as what others take: plain Python, structured arrays, data frames, a line of text.

Columns come by name, with the shape (...) of their rows; each is (..., *the shape of a value).
"""

from collections.abc import Mapping
from dataclasses import fields
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..concurrency.forks import imported
from ..errors import DtypeError, MissingPackageError, ShapeError
from .reading import AnyArray, as_array

Shape = tuple[int, ...]

# How many rows a text shows, and how many digits of a number.
_SHOWN, _DIGITS = 3, 6

_CORNERS, _AXES = "abc", "xyz"

# What has one number for each corner of a triangle.
_OF_CORNERS = {"barycentric", "vertices", "weights"}


def plain(record: Any) -> dict[str, Any]:
    """The fields of one record as numbers and lists of Python."""
    return {each.name: np.asarray(getattr(record, each.name)).tolist() for each in fields(record)}


def rounded(record: Any) -> str:
    """One record in a line, its numbers rounded."""
    parts = (f"{name}={_rounded(value)}" for name, value in plain(record).items())
    return f"{type(record).__name__}({', '.join(parts)})"


def _rounded(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_rounded, value))})"
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)


def first_rows(columns: Mapping[str, AnyArray], shape: Shape) -> str:
    """The first values of those columns that have one number a row, in a line."""
    return ", ".join(
        f"{name} {_first(column)}" for name, column in columns.items() if column.shape == shape
    )


def _first(column: AnyArray) -> str:
    shown = column.ravel()[:_SHOWN].tolist()
    more = ["..."] if column.size > _SHOWN else []
    return f"[{', '.join([*map(_rounded, shown), *more])}]"


def are_same(one: AnyArray, other: AnyArray) -> bool:
    """Whether arrays have the same shape and numbers; NaN is the same as NaN."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")


def have_same_fields(one: Any, other: Any) -> bool:
    """Whether records of one class hold the same numbers; NaN is the same as NaN."""
    pairs = ((getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return all(are_same(np.asarray(a), np.asarray(b)) for a, b in pairs)


def structured(columns: Mapping[str, AnyArray], shape: Shape) -> AnyArray:
    """A structured array of the rows (...), with a field a column."""
    layout = [(name, each.dtype, each.shape[len(shape) :]) for name, each in columns.items()]
    result = np.empty(shape, layout)
    for name, column in columns.items():
        result[name] = column
    return result


def columns_of(array: Any, layout: np.dtype[Any]) -> dict[str, AnyArray]:
    """The fields of a structured array that a layout names, as columns of its types, copied."""
    rows = as_array(array, "array")
    for name in layout.names or ():
        if name not in (rows.dtype.names or ()):
            raise DtypeError(f"array must be structured, with a field {name!r}")
        given, wanted = rows.dtype[name], layout[name]
        if given.shape != wanted.shape:
            raise ShapeError(
                f"the field {name!r} must have shape {wanted.shape}, not {given.shape}"
            )
        if not np.can_cast(given.base, wanted.base, "same_kind"):
            raise DtypeError(f"the field {name!r} must be of {wanted.base}, not {given.base}")
    return {name: np.array(rows[name], layout[name].base, order="C") for name in layout.names or ()}


def frame(columns: Mapping[str, AnyArray], shape: Shape) -> Any:
    """A pandas data frame with a row a row, and a column a number."""
    try:
        pd = imported("pandas")
    except ImportError:
        raise MissingPackageError("a data frame needs pandas (pip install pandas)") from None
    index = pd.MultiIndex.from_product(map(range, shape)) if len(shape) > 1 else None
    return pd.DataFrame(flat(columns, shape), index=index)


def flat(columns: Mapping[str, AnyArray], shape: Shape) -> dict[str, AnyArray]:
    """A column (N,) for each number of a row: distance, point_x, barycentric_a, corners_a_x, ..."""
    result = {}
    for name, column in columns.items():
        inner = column.shape[len(shape) :]
        numbers = column.reshape(-1, prod(inner))
        for number, place in enumerate(product(*map(range, inner))):
            result["_".join([name, *_names(name, place)])] = numbers[:, number]
    return result


def _names(name: str, place: Shape) -> list[str]:
    """What the numbers of a value are called: after corners, after axes, or after both."""
    kinds = {0: [], 1: [_CORNERS if name in _OF_CORNERS else _AXES], 2: [_CORNERS, _AXES]}
    return [letters[number] for letters, number in zip(kinds[len(place)], place, strict=True)]
