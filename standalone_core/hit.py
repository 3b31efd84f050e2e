# SPDX-License-Identifier: MIT
"""Results of queries: records of one answer, and columns of many with misses; hits of rays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    Protocol,
    Self,
    TypeVar,
    overload,
)

import numpy as np
import numpy.typing as npt

from .errors import DtypeError
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import (
    Columns,
    OneIndex,
    Rows,
    columns_of,
    have_same_fields,
    names_of,
    plain,
    rounded,
)
from .numerics.reading import AnyArray, described
from .numerics.values import frozen, read_only, record, sealed

FaultArray = npt.NDArray[np.uint8]

One = TypeVar("One")  # a row by itself

# How many rows, at most, iteration makes at once.
_BLOCK = 1 << 10


class OnTriangles(Protocol):
    """What is on triangles: a hit, a closest point, or many of them."""

    @property
    def triangle(self) -> Any:
        """The triangle of each (...); -1 for a miss."""

    @property
    def barycentric(self) -> Any:
        """The weights (..., 3) of its vertices."""


def place_of(value: Any) -> Any:
    """The triangle and the weights of what is on triangles; anything else as it is."""
    if hasattr(value, "triangle") and hasattr(value, "barycentric"):
        return value.triangle, value.barycentric
    return value


class Answer:
    """Base of the dataclasses of one answer, which are equal if all their fields are.

    An answer is true, except a path that leads nowhere; other queries without one return None.
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
        return plain(self)

    def __eq__(self, other: object) -> bool:
        return have_same_fields(self, other) if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return rounded(self)


@record
@dataclass(frozen=True, eq=False, repr=False)
class Answers(Columns, Generic[One]):
    """Base of answers in rows: a row without an answer is a miss, with triangle -1.

    A miss may have a fault: its ray or point is invalid. An answer of shape () is true if it is a
    hit; for several use ``answers.hit.any()`` and the like.
    """

    _one: ClassVar[Callable[..., Any]]  # makes one row by itself from its fields
    _reasons: ClassVar[tuple[str, ...]]  # why a row is a miss, by fault; the first is for no fault
    _faults: ClassVar[FaultArray | None] = None  # (...), 0 for none; None if no row has one

    if TYPE_CHECKING:

        @property
        def triangle(self) -> IntArray:
            """The triangle of each row, -1 of a miss, (...)."""

    @property
    def hit(self) -> BoolArray:
        """Which rows are hits, (...), as a new array.

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
        """Which rows are misses as their query is invalid, (...); :meth:`reason` says why.

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

    def reason(self, row: OneIndex | tuple[OneIndex, ...] = ()) -> str | None:
        """Why a row is a miss, in words; None if it is a hit.

        Parameters
        ----------
        row : int or tuple of int
            As for ``answers[row]``; may be left out for a single row.
        """
        found = self[row]
        if isinstance(found, Answers):
            raise DtypeError(f"row must name one of the rows {self.shape}, not {described(row)}")
        number = 0 if self._faults is None else int(self._faults[row])
        return self._reasons[number] if found is None else None

    # A row of columns in general is columns of shape (), without a miss.
    @overload  # type: ignore[override]
    def __getitem__(self, rows: str) -> AnyArray: ...

    @overload
    def __getitem__(  # type: ignore[overload-overlap]
        self, rows: OneIndex | tuple[OneIndex, ...]
    ) -> One | None: ...

    @overload
    def __getitem__(self, rows: Rows) -> Self: ...

    def __getitem__(self, rows: Any) -> Any:
        """One row by itself, or None if it is a miss; for slices, masks and arrays, rows.

        Rows in a shape of several axes are indexed as those of an array: ``answers[y, x]`` is one
        of them, ``answers[y]`` a row of rows. A name is that of a column.
        """
        found = super().__getitem__(rows)
        if isinstance(rows, str) or found.shape:
            return found
        if found.triangle < 0:
            return None
        return self._one(*(frozen(c) if c.ndim else c.item() for c in found._columns()))

    def __iter__(self) -> Iterator[One | None]:
        """The rows as indexing answers them, several times faster."""
        if len(self.shape) != 1:
            return super().__iter__()
        return self._rows()

    def _rows(self) -> Iterator[One | None]:
        """All rows, made a few at a time at first, so that the first does not wait for others."""
        start, size = 0, 1
        while start < len(self):
            rows = slice(start, start + size)
            values = zip(*(_in_pieces(column[rows]) for column in self._columns()), strict=True)
            for triangle, row in zip(self.triangle[rows].tolist(), values, strict=True):
                yield None if triangle < 0 else self._one(*row)
            start, size = start + size, min(8 * size, _BLOCK)

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
        if self._faults is not None:
            object.__setattr__(made, "_faults", function(self._faults))
        return made

    def _finished(self, shape: tuple[int, ...], faults: FaultArray | None) -> Self:
        """The rows (N,) in the shape (...) and with the faults (N,) of a query; read-only."""
        if faults is not None:
            object.__setattr__(self, "_faults", faults)
        answer = self._in_shape(shape)
        answer._seal()
        return answer


def _in_pieces(column: npt.NDArray[Any]) -> list[Any]:
    """The rows of a column (N, ...), as numbers or as arrays like :func:`frozen` makes."""
    if column.ndim == 1:
        return list(column.tolist())
    shape, kind, size, data = column.shape[1:], column.dtype, column[0].nbytes, column.tobytes()
    starts = range(0, len(data), size)
    return [np.ndarray(shape, kind, data[start : start + size]) for start in starts]


class _Numbers:
    """The fields of a hit, each read on first use from the numbers (13,) of compiled code.

    These are distance, triangle, side, barycentric (3), normal (3), point (3) and face. To read
    all at once would take longer than a cast.
    """

    __slots__ = ("_numbers",)

    if not TYPE_CHECKING:  # so that type checkers find misspelt fields

        def __getattr__(self, name: str) -> Any:
            """Read a field that is not set."""
            read = _READ.get(name)
            if read is None:
                return object.__getattribute__(self, name)
            value = read(self._numbers)
            object.__setattr__(self, name, value)
            return value


_READ: dict[str, Callable[[FloatArray], Any]] = {
    "distance": lambda numbers: numbers.item(0),
    "point": lambda numbers: read_only(numbers[9:12]),
    "normal": lambda numbers: read_only(numbers[6:9]),
    "triangle": lambda numbers: int(numbers[1]),
    "face": lambda numbers: int(numbers[12]),
    "barycentric": lambda numbers: read_only(numbers[3:6]),
    "front": lambda numbers: numbers.item(2) > 0.0,
    "instance": lambda numbers: 0,
}


@record
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hit(_Numbers, Answer):
    """One ray's hit on one triangle. Hits are equal if all their fields are.

    Attributes
    ----------
    distance : float
        Length from the ray's origin to `point`, in the caller's space.
    point : ndarray (3,)
        The place on the triangle, in the caller's space.
    normal : ndarray (3,)
        Unit normal of the triangle in the caller's space, by its winding: (b - a) x (c - a); for
        an instance moved by the inverse transpose, so that a mirrored mesh keeps its outside.
    triangle, face : int
        Row of the triangle in its mesh, and the face that the mesh says it belongs to.
    barycentric : ndarray (3,)
        Weights of the triangle's vertices in their order; their sum is 1.
    front : bool
        Whether the ray comes from the side that the normal points to.
    instance : int
        Id of the scene's instance; 0 for a mesh that was cast at by itself.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hit = mesh.ray_cast((0.25, 0.5, 2), (0, 0, -1))
    >>> hit.triangle, hit.distance, hit.point.tolist()
    (0, 2.0, [0.25, 0.5, 0.0])
    >>> hit.barycentric.tolist(), hit.normal.tolist(), hit.front
    ([0.25, 0.25, 0.5], [0.0, 0.0, 1.0], True)
    """

    distance: float
    point: FloatArray
    normal: FloatArray
    triangle: int
    face: int
    barycentric: FloatArray
    front: bool
    instance: int


_new, _set_numbers = object.__new__, _Numbers.__dict__["_numbers"].__set__


def hit_of(numbers: FloatArray) -> Hit:
    """A hit of the numbers (13,) of compiled code, see :class:`_Numbers`; they must not change."""
    hit = _new(Hit)
    _set_numbers(hit, numbers)
    return hit


_VECTORS = ("barycentric", "normal", "point")

# Up to so many rows get all columns at once, as each call costs more than they do.
_FEW = 64

# Who asks one row of so many may ask others: they get all columns.
_SOME = 1 << 12


OwnVectors = tuple[IntArray, Mapping[str, FloatArray]]
"""Rows (K,) of hits, and columns (K, 3) there that do not follow from their weights, by name."""


class UnreadColumns(NamedTuple):
    """What makes those columns of hits at one mesh that were not read yet."""

    weights: FloatArray  # (..., 2), of the corners b and c; NaN for a miss
    faces_of: Callable[[IntArray], IntArray] | None  # from triangles (N,); None if each is a face
    vectors_of: Callable[[Sequence[str], IntArray, FloatArray], FloatArray]
    """Columns (K, N, 3) of K names in `_VECTORS`, from triangles (N,) and weights (N, 2)."""

    others: tuple[OwnVectors, ...]

    def columns(self, name: str, triangle: IntArray) -> dict[str, AnyArray]:
        """The column of a name, for hits on the triangles (...), and all others if they are few."""
        if triangle.size <= _FEW:
            indices = {each: self._indices(each, triangle) for each in ("face", "instance")}
            return indices | self._vectors(_VECTORS, triangle)
        if name in _VECTORS:
            return self._vectors((name,), triangle)
        return {name: self._indices(name, triangle)}

    def mapped(self, function: Callable[[Any], Any]) -> UnreadColumns:
        """The same for the rows that a function takes of each column."""
        shape = self.weights.shape[:-1]
        others = tuple(_mapped(own, shape, function) for own in self.others)
        return self._replace(weights=function(self.weights), others=others)

    def _indices(self, name: str, triangle: IntArray) -> IntArray:
        if name == "instance":
            return np.asarray(np.minimum(triangle, 0))
        face = np.array(triangle)
        if self.faces_of is not None:
            there = face >= 0
            face[there] = self.faces_of(face[there])
        return face

    def _vectors(self, names: Sequence[str], triangle: IntArray) -> dict[str, AnyArray]:
        columns = self.vectors_of(names, triangle.reshape(-1), self.weights.reshape(-1, 2))
        made = dict(zip(names, columns, strict=True))
        for rows, vectors in self.others:
            for name in vectors.keys() & made.keys():
                made[name][rows] = vectors[name]
        return {name: column.reshape(*triangle.shape, 3) for name, column in made.items()}


def _mapped(own: OwnVectors, shape: tuple[int, ...], function: Callable[[Any], Any]) -> OwnVectors:
    """Vectors of rows in a shape (...), for the rows that a function takes of each column."""
    rows, vectors = own
    number = np.full(shape, -1)
    number.reshape(-1)[rows] = np.arange(len(rows))
    number = np.asarray(function(number)).reshape(-1)
    rows = np.flatnonzero(number >= 0)
    return rows, {name: column[number[rows]] for name, column in vectors.items()}


_LAYOUT = np.dtype(
    [
        ("distance", np.float64),
        ("point", np.float64, 3),
        ("normal", np.float64, 3),
        ("triangle", np.int64),
        ("face", np.int64),
        ("barycentric", np.float64, 3),
        ("front", np.bool_),
        ("instance", np.int64),
    ]
)

FAULTS = (
    "the ray hits nothing",
    "the ray's origin is not finite",
    "the ray's direction is not finite",
    "the ray's direction has no length",
    "the ray's max_distance is not 0 or more",
    "the ray's min_distance is not 0 or more",
)
"""Why a row is a miss; all but the first are faults of the ray."""


@record
@dataclass(frozen=True, eq=False, repr=False)
class RayHits(Answers[Hit]):
    """Hits as columns, one row a hit: the fields of :class:`Hit`, with axes in front.

    Queries make them; the constructor takes columns as they are, without a check. The rows of an
    answer stand in the shape (...) of the rays. There a miss has distance inf, triangle, face and
    instance -1, front False, and NaN for the rest. An answer of shape () is true if it is a hit;
    for several use ``hits.hit.any()`` or ``hits.hit.all()``. The columns are read-only.

    With compiled code a batch at a mesh finds distance, triangle and front, 33 bytes a row in all.
    The other columns are made when they are first read, from arrays of the mesh that are kept for
    this. Columns of a large batch may be parts of one array: copy one to keep it alone. Up to 64
    MiB of such memory are used again for the next batch once no column of it is held any more.

    Attributes
    ----------
    distance : ndarray (...)
    point, normal, barycentric : ndarray (..., 3)
    triangle, face, instance : ndarray (...) of int64
    front : ndarray (...) of bool

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hits = mesh.cast_rays([(0.25, 0.5, 2), (5, 5, 5)], (0, 0, -1))
    >>> hits.hit.tolist(), hits.distance.tolist(), hits.triangle.tolist()
    ([True, False], [2.0, inf], [0, -1])
    >>> hits[0].distance, hits[1]
    (2.0, None)
    """

    _one, _reasons = Hit, FAULTS
    _unread: ClassVar[UnreadColumns | None] = None  # makes the columns that were not read yet

    distance: FloatArray
    point: FloatArray
    normal: FloatArray
    triangle: IntArray
    face: IntArray
    barycentric: FloatArray
    front: BoolArray
    instance: IntArray

    if not TYPE_CHECKING:  # so that type checkers find misspelt columns

        def __getattr__(self, name: str) -> Any:
            """Make a column when it is first read."""
            unread = self._unread
            if unread is None or name not in names_of(RayHits):
                return object.__getattribute__(self, name)
            columns, held = unread.columns(name, self.triangle), vars(self)
            if not self.triangle.flags.writeable:
                sealed(columns.values())
            for each, column in columns.items():
                held.setdefault(each, column)
            if all(each in held for each in names_of(RayHits)):
                held.pop("_unread", None)
            return held[name]

    @classmethod
    def _read_later(cls, unread: UnreadColumns, **columns: Any) -> Self:
        """Hits whose other columns are made when they are first read."""
        hits = object.__new__(cls)
        vars(hits).update(columns, _unread=unread)
        return hits

    def _map(self, function: Callable[[Any], Any]) -> Self:
        held = dict(vars(self))  # of this moment: another thread may read a column meanwhile
        unread = held.get("_unread")
        # To find a few rows among own vectors, time and again, would take longer than to make all.
        if unread is None or (
            unread.others and _FEW * np.size(function(self.triangle)) < self.triangle.size
        ):
            return super()._map(function)
        made = {name: function(column) for name, column in held.items() if name[0] != "_"}
        mapped = self._read_later(unread.mapped(function), **made)
        if not self.triangle.flags.writeable:
            mapped._seal()
        if self._faults is not None:
            vars(mapped).update(_faults=function(self._faults))
        return mapped

    def _seal(self) -> None:
        sealed(column for name, column in dict(vars(self)).items() if name[0] != "_")

    def _part(self, index: Any) -> Self:
        is_one = isinstance(index, tuple) and len(index) == 1 and type(index[0]) is int
        if is_one and self._unread is not None and self.triangle.size <= _SOME:
            self._columns()
        return super()._part(index)

    @classmethod
    def from_structured(cls, array: AnyArray) -> Self:
        """The rows of a structured array, as :meth:`as_structured` makes it.

        Other fields are left out. The reasons of misses are not in such an array.

        Parameters
        ----------
        array : structured array (...)

        Raises
        ------
        DtypeError, ShapeError
            If a field is missing, or of another kind or shape.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> hits = mesh.cast_rays([[0.25, 0.25, 1], [9, 9, 1]], [0, 0, -1])
        >>> sc.RayHits.from_structured(hits.as_structured()) == hits
        True
        """
        columns = columns_of(array, _LAYOUT)
        sealed(columns.values())
        return cls(**columns)
