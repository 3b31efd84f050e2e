# SPDX-License-Identifier: MIT
"""Reading of callers' integers: indices, masks and counts."""

import operator
import sys
from collections.abc import Iterator, Set
from numbers import Integral
from typing import Any, cast

import numpy as np

from .errors import ArgumentError, DtypeError, IndexRangeError, ShapeError
from .numerics.arrays import BoolArray, IndexArray, IntArray
from .numerics.reading import (
    as_array,
    check_rows,
    described,
    described_content,
    described_shape,
    iterable,
    kinds_within,
    rows_of,
    there_are,
)

_BOOLS = {bool, np.bool_}


def triangle_indices(
    value: Any, vertex_count: int, name: str = "triangles", *, copy: bool = False
) -> IndexArray:
    """Read `value` as vertex indices (T, 3), each within [0, vertex_count)."""
    array = indices(value, name)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ShapeError(f"{name} must have shape (T, 3), not {described_shape(array.shape)}")
    return vertex_indices(array, "triangle", vertex_count, copy=copy)


def vertex_indices(
    array: IndexArray, name: str, vertex_count: int, *, copy: bool = False
) -> IndexArray:
    """Indices (N, ...) as int32, or IndexRangeError for the row that is wrong."""
    if array.itemsize < 4:
        array = array.astype(np.int32)
    # Read as unsigned, a negative index is a huge one: that is one pass instead of two.
    unsigned = array.view(array.dtype.str.replace("i", "u"))
    if array.size and unsigned.max() >= vertex_count:
        wrong = ((array < 0) | (array >= vertex_count)).reshape(len(array), -1)
        bad = int(np.flatnonzero(wrong.any(axis=1))[0])
        noun = "index" if array.ndim == 1 else "indices"
        raise IndexRangeError(
            f"{name} {bad} has vertex {noun} {array[bad].tolist()}, "
            f"but {there_are(vertex_count, 'vertices')}"
        )
    return array.astype(np.int32, order="C", copy=copy)


def face_indices(value: Any, triangle_count: int) -> IntArray:
    """Read `value` as one face index a triangle, (triangle_count,)."""
    array = indices(value, "faces")
    if array.shape != (triangle_count,):
        given = described_shape(array.shape)
        raise ShapeError(f"faces must have shape ({triangle_count},), not {given}")
    if (array < 0).any():
        bad = int(np.flatnonzero(array < 0)[0])
        raise IndexRangeError(f"faces must be 0 or more, not {array[bad]} as at {bad}")
    return array.astype(np.int64)


def are_bools(value: Any) -> bool:
    """Whether `value` is an array or a list of bools, at least one: a mask, if not a wrong one."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return bool(value.dtype.kind == "b")
    kinds = kinds_within(value.tolist() if isinstance(value, np.ndarray) else value)
    return bool(kinds) and kinds <= _BOOLS


def mask(value: Any, count: int, name: str, of: str = "triangles") -> BoolArray:
    """Read `value`, indices below `count`, a set of them or a mask (count,), as a mask (count,).

    `of` is what there are `count` of.
    """
    if isinstance(value, (Set, Iterator)):
        value = iterable(value, name)
    elif are_bools(array := as_array(value, name)):
        if not array.ndim:
            raise ShapeError(f"{name} must be a list of indices or a mask, not {described(value)}")
        if array.shape != (count,):
            raise ShapeError(
                f"{name} is a mask of shape {array.shape}, but {there_are(count, of)}: "
                f"it must have shape ({count},)"
            )
        return array.astype(np.bool_, copy=False)
    result = np.zeros(count, dtype=np.bool_)
    result[rows(value, count, name, of)] = True
    return result


def rows(value: Any, count: int, name: str, of: str | None = None) -> IntArray:
    """Read `value` as indices (N,), each within [0, count), of what its name or `of` says."""
    array = indices_below(value, count, name, of)
    if array.ndim != 1:
        raise ShapeError(f"{name} must be a list of indices, not {described_shape(array.shape)}")
    return array


def indices_below(value: Any, count: int, name: str, of: str | None = None) -> IntArray:
    """Read `value` as indices (...), each within [0, count), of what its name or `of` says."""
    array = indices(value, name)
    bad = (array < 0) | (array >= count)
    if bad.any():
        first = array[bad][0]
        wrong = f"{name} has the index {first}{', that of a miss' if first == -1 else ''}"
        raise IndexRangeError(f"{wrong}, but {there_are(count, of or name)}")
    return array.astype(np.int64, copy=False)


def row(value: Any, count: int, name: str) -> int:
    """Read `value` as the number of one of `count` things of this name."""
    index = integer(value, name)
    if not 0 <= index < count:
        raise IndexRangeError(f"there is no {name} {described(index)}")
    return index


def integer(value: Any, name: str) -> int:
    """Read `value` as an integer."""
    try:
        return operator.index(value)
    except Exception as error:  # whatever the caller's object raises
        raise DtypeError(f"{name} must be an integer, not {described(value)}") from error


def indices(value: Any, name: str) -> IndexArray:
    """Read `value` as an array of integers; floats are refused, whatever their values."""
    array = as_array(value, name)
    check_rows(rows_of(array), name)
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int64)
    kinds = kinds_within(array.ravel().tolist() if array.dtype.kind == "O" else value)
    if not array.dtype.kind == "b" and not kinds.isdisjoint(_BOOLS):
        raise DtypeError(f"{name} must be integers, not a bool")  # NumPy may take it for 0 or 1.
    is_beyond = array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max
    if array.dtype.kind == "O" and all(isinstance(each, Integral) for each in array.flat):
        try:
            array = array.astype(np.int64)
        except OverflowError:
            is_beyond = True
    # Of integers on both sides of the range of int64, NumPy makes floats.
    if is_beyond or (array.dtype.kind == "f" and kinds == {int}):
        raise IndexRangeError(f"{name} has a value beyond the range of int64")
    if array.dtype.kind not in "iu":
        raise DtypeError(f"{name} must be integers, not {described_content(array, Integral)}")
    return cast(IndexArray, array.astype(np.int64) if array.dtype.kind == "u" else array)


def most(value: Any, name: str) -> int | None:
    """Read `value` as how many there are at most, 1 or more; None for no limit."""
    if value is None:
        return None
    number = 0 if isinstance(value, bool) else integer(value, name)
    if number < 1:
        raise ArgumentError(f"{name} must be None, or 1 or more, not {described(value)}")
    return min(number, sys.maxsize)
