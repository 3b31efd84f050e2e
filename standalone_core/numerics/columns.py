# SPDX-License-Identifier: MIT
"""Records kept as columns: dataclasses whose fields are arrays with the same first axis."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypeVar

import numpy as np

from ..errors import DtypeError, IndexRangeError
from .arrays import FloatArray, IntArray
from .reading import as_array, described

Records = TypeVar("Records", bound="Columns")


@dataclass(frozen=True, eq=False)
class Columns:
    """Base of records of N rows, one array a field."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))

    def take(self, rows: Any) -> Self:
        """The given rows (indices or mask), in the given order."""
        if not isinstance(rows, slice):
            rows = _chosen(rows)
        try:
            return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))
        except IndexError as error:
            raise IndexRangeError(f"there are no such rows: {error}") from None


def concatenated(parts: Sequence[Records]) -> Records:
    """The rows of all parts, one part after the other; at least one part is needed."""
    if len(parts) == 1:
        return parts[0]
    kind = type(parts[0])
    return kind(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(kind)))


def _chosen(rows: Any) -> np.ndarray[Any, Any]:
    """Indices (N,) or a mask."""
    array = as_array(rows, "rows")
    if not array.size:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise DtypeError(f"rows must be indices, a mask or a slice, not {described(rows)}")
    return array


def run_starts(keys: IntArray) -> IntArray:
    """Where runs of equal keys start, for keys (N,) that are 0 or more."""
    return np.flatnonzero(np.diff(keys, prepend=-1))


def distinct(keys: FloatArray) -> tuple[IntArray, IntArray]:
    """The distinct columns of (K, N) finite numbers, and for each column the number of its equal.

    As `first` (M,) and `kind` (N,): ``keys[:, first[kind]]`` equals `keys`.
    """
    order = np.lexsort(keys)
    is_new = np.ones(len(order), dtype=np.bool_)
    ordered = keys.take(order, axis=1)
    np.any(ordered[:, 1:] != ordered[:, :-1], axis=0, out=is_new[1:])
    kind = np.empty(len(order), dtype=np.int64)
    kind[order] = np.cumsum(is_new) - 1
    return order[is_new], kind
