# SPDX-License-Identifier: MIT
"""What answers to rays and to points have in common: one as a record, many as rows with misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from .errors import DtypeError
from .numerics import conversion
from .numerics.arrays import BoolArray, IntArray
from .numerics.columns import Columns
from .numerics.read_only import frozen
from .numerics.reading import described
from .numerics.value import record

FaultArray = npt.NDArray[np.uint8]

# So many rows at most are made at once where answers are walked through.
_BLOCK = 1 << 10


class Answer:
    """Base of the dataclasses of one answer, which are equal if all their fields are.

    They are true, but for a path that leads nowhere: of other answers there is None instead.
    """

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, as numbers and lists of Python, which ``json.dumps`` takes.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).as_dict()["point"]
        [0.25, 0.25, 0.0]
        """
        return conversion.plain(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return conversion.have_same_fields(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return conversion.rounded(self)


@record
@dataclass(frozen=True, eq=False, repr=False)
class Answers(Columns):
    """Base of answers in rows: where there is none, a row is a miss, with triangle -1.

    A miss may have a fault: what was asked in its row is no ray, or no point. A single row by
    itself is true if it is no miss; of rows in axes ask ``answers.hit.any()`` and the like.
    """

    _one: ClassVar[Callable[..., Any]]  # a row by itself, of its fields
    _reasons: ClassVar[tuple[str, ...]]  # why a row is a miss: the first without, others by fault
    _faults: ClassVar[FaultArray | None] = None  # (...), 0 for none; None if no row has one

    if TYPE_CHECKING:

        @property
        def triangle(self) -> IntArray:
            """The triangle of each row, -1 of a miss, (...)."""

    @property
    def hit(self) -> BoolArray:
        """Which rows are no misses, (...), as an array of the caller's own.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.cast_rays([[0.25, 0.25, 1], [9, 9, 1]], [0, 0, -1]).hit.tolist()
        [True, False]
        """
        return np.asarray(self.triangle >= 0)

    @property
    def invalid(self) -> BoolArray:
        """Which rows are misses because of what was asked, (...); :meth:`reason` says why.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([[0.25, 0.25, 1], [9, 9, float("nan")]], [0, 0, -1])
        >>> hits.invalid.tolist(), hits.reason(1)
        ([False, True], "the ray's origin is not finite")
        """
        if self._faults is None:
            return np.zeros(self.shape, dtype=np.bool_)
        return np.asarray(self._faults > 0)

    def reason(self, row: SupportsIndex | tuple[SupportsIndex, ...] = ()) -> str | None:
        """Why a row is a miss, in words; None where it is none.

        Parameters
        ----------
        row : int or tuple of int
            As for ``answers[row]``; may be left out for a single row.
        """
        found = self[row]
        if isinstance(found, Answers):
            raise DtypeError(f"row must name one of the rows {self.shape}, not {described(row)}")
        if found is not None:
            return None
        return self._reasons[0 if self._faults is None else int(self._faults[row])]

    def __getitem__(self, rows: Any) -> Any:
        """One row by itself, or None where it is a miss; of slices, masks and arrays, rows.

        Rows in a shape of several axes are indexed as those of an array: ``answers[y, x]`` is one
        of them, ``answers[y]`` a row of rows.
        """
        found = super().__getitem__(rows)
        if found.shape:
            return found
        if found.triangle < 0:
            return None
        return self._one(*(frozen(c) if c.ndim else c.item() for c in found._columns()))

    def __iter__(self) -> Iterator[Any]:
        """The rows as indexing answers them, several times faster."""
        if len(self.shape) != 1:
            return super().__iter__()
        return chain.from_iterable(map(self._block, self._blocks()))

    def _blocks(self) -> Iterator[slice]:
        """All rows, few at first: whoever wants the first one alone waits for no others."""
        start, size = 0, 1
        while start < len(self):
            yield slice(start, start + size)
            start, size = start + size, min(8 * size, _BLOCK)

    def _block(self, rows: slice) -> Iterator[Any]:
        """Some of the rows (N,), each by itself, or None where it is a miss."""
        triangles = self.triangle[rows].tolist()
        fields = zip(*(_in_pieces(column[rows]) for column in self._columns()), strict=True)
        pairs = zip(triangles, fields, strict=True)
        return (None if triangle < 0 else self._one(*values) for triangle, values in pairs)

    def __eq__(self, other: object) -> bool:
        same = super().__eq__(other)
        if same is not True or not isinstance(other, Answers):
            return same
        return bool((self.invalid == other.invalid).all())

    def _counts(self) -> str:
        hits, bad = np.count_nonzero(self.hit), np.count_nonzero(self.invalid)
        counted = f", {hits} hit" if hits == 1 else f", {hits} hits"
        return f"{counted}, {bad} invalid" if bad else counted

    def _map(self, function: Callable[[Any], Any]) -> Self:
        made = super()._map(function)
        return made if self._faults is None else made._with_faults(function(self._faults))

    def _with_faults(self, faults: FaultArray | None) -> Self:
        """The same rows, which are misses for these reasons."""
        if faults is not None:
            object.__setattr__(self, "_faults", faults)
        return self


def _in_pieces(column: npt.NDArray[Any]) -> list[Any]:
    """The rows of a column (N, ...), as numbers or as arrays like :func:`frozen` makes."""
    if column.ndim == 1:
        return list(column.tolist())
    shape, kind, size, data = column.shape[1:], column.dtype, column[0].nbytes, column.tobytes()
    starts = range(0, len(data), size)
    return [np.ndarray(shape, kind, data[start : start + size]) for start in starts]
