# SPDX-License-Identifier: MIT
"""Records kept as columns: dataclasses of arrays that share their first axes; conversions of these.

Functions that take columns by name also take the shape (...) of the rows: the shape of a column is
that of the rows, then that of one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from math import prod
from operator import attrgetter
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np

from ..concurrency.forks import imported
from ..errors import ArgumentError, DtypeError, IndexRangeError, MissingPackageError, ShapeError
from ..types import Integers, Mask
from .arrays import BoolArray, FloatArray, IntArray
from .reading import AnyArray, as_array, described
from .values import read_only, record, sealed

Records = TypeVar("Records", bound="Columns")
Shape = tuple[int, ...]

OneIndex: TypeAlias = int | np.integer[Any]
_Several: TypeAlias = slice | EllipsisType | IntArray | BoolArray | Sequence[int] | None
Rows: TypeAlias = _Several | tuple[OneIndex | _Several, ...]
"""What several rows are indexed by, in as many axes as there are."""

# How many rows `repr` shows, and how many digits of each number.
_ROWS_OF_TEXT, _DIGITS = 3, 6

_CORNERS, _AXES = "abc", "xyz"

# Columns with one number for each corner of a triangle.
_OF_CORNERS = {"barycentric", "vertices", "weights"}

_ONE_ROW = "a single row, which [()] returns by itself,"


@record
@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """Base of records: one array for each field, one row for each record, in any shape (...).

    They are equal if all columns are; NaN equals NaN. If the columns are read-only, so are those of
    selected rows, pickles and copies.
    """

    if TYPE_CHECKING:

        @property
        def hit(self) -> BoolArray:
            """Mask (...) of the rows that hold something; the others are misses."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (...) of the rows; the shape of every column begins with it."""
        kind: Any = type(self)
        shape: tuple[int, ...] = getattr(self, names_of(kind)[0]).shape
        return shape

    def __len__(self) -> int:
        if not self.shape:
            raise DtypeError(f"{_ONE_ROW} has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        return truth_of(self.hit)

    def take(self, rows: slice | Integers | Mask) -> Self:
        """The given rows (indices along the first axis, a slice, or a mask), in the given order."""
        return self._part(rows if isinstance(rows, slice) else _chosen(rows, self.shape))

    @overload
    def __getitem__(self, rows: str) -> AnyArray: ...

    @overload
    def __getitem__(self, rows: OneIndex | Rows) -> Self: ...

    def __getitem__(self, rows: Any) -> Any:
        """The rows at indices, slices or masks, as NumPy indexes an array of their shape.

        A name is that of a column: ``hits["distance"]`` is ``hits.distance``.
        """
        if isinstance(rows, str):
            return self._named(rows)
        return self._part(_index(rows, self.shape))

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))

    def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> Self:
        """The same rows in another shape; arguments as for :meth:`numpy.ndarray.reshape`."""
        size = prod(self.shape)
        try:
            rows: AnyArray = np.empty(size, dtype=np.bool_)
            new = rows.reshape(*shape).shape  # type: ignore[arg-type]
        except (TypeError, ValueError):
            wanted = described(shape[0] if len(shape) == 1 else shape)
            raise ShapeError(f"{size} rows cannot have the shape {wanted}") from None
        return self._in_shape(new)

    def as_dict(self) -> dict[str, AnyArray]:
        """The columns by name, read-only.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([[0.25, 0.25, 1], [9, 9, 1]], [0, 0, -1])
        >>> hits.as_dict()["distance"].tolist()
        [1.0, inf]
        """
        kind: Any = type(self)
        return dict(zip(names_of(kind), map(read_only, self._columns()), strict=True))

    def as_structured(self) -> AnyArray:
        """The rows as a structured array in their shape (...), with a field for each column.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> rows = mesh.cast_rays([[0.25, 0.25, 1], [9, 9, 1]], [0, 0, -1]).as_structured()
        >>> rows[0]["point"].tolist(), rows["point"].shape
        ([0.25, 0.25, 0.0], (2, 3))
        """
        columns, shape = self.as_dict(), self.shape
        layout = [(name, each.dtype, each.shape[len(shape) :]) for name, each in columns.items()]
        result = np.empty(shape, layout)
        for name, column in columns.items():
            result[name] = column
        return result

    def as_frame(self) -> Any:
        """The rows as a pandas data frame, with a column for each number.

        The columns are called `distance`, `point_x`, `barycentric_a` and so on. Rows in a shape of
        several axes are indexed by all of these.

        Raises
        ------
        MissingPackageError
            If pandas is not installed.

        Examples
        --------
        ``hits.as_frame().query("face == 7")["distance"].min()``
        """
        try:
            pd = imported("pandas")
        except ImportError:
            raise MissingPackageError("a data frame needs pandas (pip install pandas)") from None
        shape = self.shape
        index = pd.MultiIndex.from_product(map(range, shape)) if len(shape) > 1 else None
        return pd.DataFrame(flat(self.as_dict(), shape), index=index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns) or type(self) is not type(other):
            return NotImplemented
        return self is other or have_same_fields(self, other)

    def __repr__(self) -> str:
        shape = self.shape
        # The first few values of each column with one number per row.
        first = {name: _first(each) for name, each in self.as_dict().items() if each.shape == shape}
        rows = ", ".join(f"{name} {text}" for name, text in first.items())
        return f"<{type(self).__name__} {shape}{self._counts()}: {rows}>"

    def _counts(self) -> str:
        """What `repr` adds about all rows, such as how many are missing."""
        return ""

    def _named(self, name: str) -> AnyArray:
        kind: Any = type(self)
        names = names_of(kind)
        if name not in names:
            raise ArgumentError(f"there is no column {described(name)}, but {', '.join(names)}")
        column: AnyArray = getattr(self, name)
        return column

    def _part(self, index: Any) -> Self:
        try:
            return self._map(lambda column: column[index])
        except (IndexError, OverflowError) as error:
            if not self.shape:
                raise IndexRangeError(f"{_ONE_ROW} has no others") from None
            raise IndexRangeError(f"there are no such rows: {error}") from None
        except (TypeError, ValueError):  # from a slice that NumPy refuses
            raise _bad_rows(index) from None

    def _map(self, function: Callable[[Any], Any]) -> Self:
        """The records with a function applied to each column; read-only if the columns are."""
        columns = self._columns()
        made = [function(column) for column in columns]
        if not columns[0].flags.writeable:  # Columns are all read-only, or none.
            sealed(made)
        return type(self)(*made)

    def _in_shape(self, shape: tuple[int, ...]) -> Self:
        axes = len(self.shape)
        if len(shape) == axes == 1:
            return self
        return self._map(lambda column: column.reshape(shape + column.shape[axes:]))

    def _columns(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return _columns_of(kind)(self)

    def _seal(self) -> None:
        """Make all columns read-only."""
        sealed(self._columns())


@cache
def names_of(kind: Any) -> tuple[str, ...]:
    """The names of the columns of a class of records."""
    return tuple(field.name for field in fields(kind))


@cache
def _columns_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*names_of(kind))


def truth_of(hit: BoolArray) -> bool:
    """Whether a single answer is a hit; DtypeError for an array, which NumPy refuses too."""
    if hit.shape:
        advice = "ask hit.any(), hit.all() or len()"
        raise DtypeError(f"rows of shape {hit.shape} are neither true nor false: {advice}")
    return bool(hit)


def concatenated(parts: Sequence[Records]) -> Records:
    """The rows of all parts, one part after the other; at least one part is needed."""
    if len(parts) == 1:
        return parts[0]
    kind = type(parts[0])
    return kind(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(kind)))


def _chosen(rows: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Read indices (N,), or a mask: either (N,) or of the given shape."""
    array = as_array(rows, "rows")
    if array.shape == (0,):
        array = array.astype(np.int64)
    is_mask = array.dtype.kind == "b" and array.shape == shape
    if not is_mask and (array.ndim != 1 or array.dtype.kind not in "biu"):
        raise _bad_rows(rows, "a list of indices")
    return array


def _index(rows: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Read an index of rows; slices replace an ellipsis: columns may have more axes than rows."""
    index = [_one_index(each, rows) for each in (rows if isinstance(rows, tuple) else (rows,))]
    dots = [place for place, each in enumerate(index) if each is Ellipsis]
    if len(dots) > 1:
        raise _bad_rows(rows)
    for place in dots:
        index[place : place + 1] = [slice(None)] * (len(shape) - sum(map(_axes, index)))
    return tuple(index)


def _one_index(value: Any, rows: Any) -> Any:
    is_number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if is_number or value is None or value is Ellipsis or isinstance(value, slice):
        return value
    array = as_array(value, "rows")
    if array.size == 0 and array.dtype.kind == "f":  # an empty list
        array = array.astype(np.int64)
    if not array.ndim or array.dtype.kind not in "biu":
        raise _bad_rows(rows)
    return array


def _axes(index: Any) -> int:
    if isinstance(index, np.ndarray) and index.dtype.kind == "b":
        return index.ndim
    return 0 if index is None or index is Ellipsis else 1


def _bad_rows(rows: Any, several: str = "indices") -> DtypeError:
    return DtypeError(f"rows must be {several}, a mask or a slice, not {described(rows)}")


def run_starts(keys: IntArray) -> IntArray:
    """Where runs of equal keys (N,) start."""
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return np.flatnonzero(is_new)


def runs(starts: IntArray, counts: IntArray) -> IntArray:
    """The numbers start, start + 1 ... of each of N runs, one run after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - counts), counts))


def alike(keys: IntArray, rows: IntArray) -> list[IntArray]:
    """Some rows of keys (N,), grouped by key, the least key first."""
    own = keys[rows]
    if (own == own[:1]).all():
        return [rows] if len(rows) else []
    order = np.argsort(own, kind="stable")
    return np.split(rows[order], run_starts(own[order])[1:])


def rank_in_runs(keys: IntArray) -> IntArray:
    """The place of each of the keys (N,) in its run of equal keys: 0, 1, 2, ..."""
    starts = run_starts(keys)
    return np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))


def splits_of(rows: IntArray, count: int) -> IntArray:
    """Offsets (count + 1,) of the rows 0 ... count - 1 among sorted row numbers (N,).

    Row i is from ``splits[i]`` to before ``splits[i + 1]``; both are the same if it is missing.
    """
    return np.searchsorted(rows, np.arange(count + 1)).astype(np.int64)


def distinct(keys: FloatArray) -> tuple[IntArray, IntArray]:
    """Indices (M,) of distinct columns of finite keys (K, N), and which one each column is (N,).

    With these as `first` and `kind`, ``keys[:, first[kind]]`` equals `keys`.
    """
    order = np.lexsort(keys)
    is_new = np.ones(len(order), dtype=np.bool_)
    ordered = keys.take(order, axis=1)
    np.any(ordered[:, 1:] != ordered[:, :-1], axis=0, out=is_new[1:])
    kind = np.empty(len(order), dtype=np.int64)
    kind[order] = np.cumsum(is_new) - 1
    return order[is_new], kind


def plain(record: Any) -> dict[str, Any]:
    """The fields of one record as Python numbers and lists."""
    return {each.name: np.asarray(getattr(record, each.name)).tolist() for each in fields(record)}


def rounded(record: Any) -> str:
    """One record in a line, its numbers rounded."""
    parts = (f"{name}={_rounded(value)}" for name, value in plain(record).items())
    return f"{type(record).__name__}({', '.join(parts)})"


def _rounded(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_rounded, value))})"
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)


def _first(column: AnyArray) -> str:
    first = map(_rounded, column.ravel()[:_ROWS_OF_TEXT].tolist())
    more = ["..."] if column.size > _ROWS_OF_TEXT else []
    return f"[{', '.join([*first, *more])}]"


def are_same(one: AnyArray, other: AnyArray) -> bool:
    """Whether arrays have the same shape and numbers; NaN is the same as NaN."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")


def have_same_fields(one: Any, other: Any) -> bool:
    """Whether records of one class hold the same numbers; NaN is the same as NaN."""
    pairs = ((getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return all(are_same(np.asarray(a), np.asarray(b)) for a, b in pairs)


def columns_of(array: Any, layout: np.dtype[Any]) -> dict[str, AnyArray]:
    """The fields that a layout names, copied from a structured array into the layout's types."""
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


def flat(columns: Mapping[str, AnyArray], shape: Shape) -> dict[str, AnyArray]:
    """A column (N,) for each number of a row: distance, point_x, barycentric_a, corners_a_x, ..."""
    result = {}
    for name, column in columns.items():
        inner = column.shape[len(shape) :]
        numbers = column.reshape(-1, prod(inner))
        for number, place in enumerate(product(*map(range, inner))):
            result["_".join([name, *_suffixes(name, place)])] = numbers[:, number]
    return result


def _suffixes(name: str, place: Shape) -> list[str]:
    """The suffixes that name one number of a value: by its corner, its axis, or both."""
    kinds = {0: [], 1: [_CORNERS if name in _OF_CORNERS else _AXES], 2: [_CORNERS, _AXES]}
    return [letters[number] for letters, number in zip(kinds[len(place)], place, strict=True)]
