# SPDX-License-Identifier: MIT
"""What a cast answers: one hit, or the hits of a batch as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .errors import IndexRangeError
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import Columns
from .numerics.reading import described


class _Numbers:
    """The fields of a hit that has not read them yet, from the numbers (13,) of compiled code.

    These are distance, triangle, side, barycentric (3), normal (3), point (3) and face. To read
    all takes longer than a cast; so each field is read when it is first asked for.
    """

    __slots__ = ("_numbers",)

    if not TYPE_CHECKING:  # where a misspelt field is to be found

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
    "point": lambda numbers: numbers[9:12],
    "normal": lambda numbers: numbers[6:9],
    "triangle": lambda numbers: int(numbers[1]),
    "face": lambda numbers: int(numbers[12]),
    "barycentric": lambda numbers: numbers[3:6],
    "front": lambda numbers: numbers.item(2) > 0.0,
    "instance": lambda numbers: 0,
}


@dataclass(frozen=True, slots=True, eq=False)
class Hit(_Numbers):
    """One ray's hit on one triangle.

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
    """A hit of the numbers (13,) of compiled code, see :class:`_Numbers`; nobody writes to them."""
    hit = _new(Hit)
    _set_numbers(hit, numbers)
    return hit


@dataclass(frozen=True, eq=False)
class RayHits(Columns):
    """Hits as columns, one row a hit: the fields of :class:`Hit`, with an axis in front.

    The columns of a large batch are parts of one array: copy one to keep it alone. Up to 64 MiB of
    such memory serve the next batch once no column of it is held any more.
    In an answer with one row a ray, a miss has distance inf, triangle, face and instance -1,
    front False, and NaN for the rest.

    Attributes
    ----------
    distance : ndarray (N,)
    point, normal, barycentric : ndarray (N, 3)
    triangle, face, instance : ndarray (N,) of int64
    front : ndarray (N,) of bool
    """

    distance: FloatArray
    point: FloatArray
    normal: FloatArray
    triangle: IntArray
    face: IntArray
    barycentric: FloatArray
    front: BoolArray
    instance: IntArray

    @property
    def hit(self) -> BoolArray:
        """Which rows are hits, (N,)."""
        result: BoolArray = self.triangle >= 0
        return result

    @overload
    def __getitem__(self, row: int) -> Hit | None: ...

    @overload
    def __getitem__(self, row: slice | IntArray | BoolArray) -> RayHits: ...

    def __getitem__(self, row: int | slice | IntArray | BoolArray) -> Hit | RayHits | None:
        """One row as a :class:`Hit`, or None where it is a miss; of slices and masks, rows."""
        if not isinstance(row, (int, np.integer)) or isinstance(row, bool):
            return self.take(row)
        if not -len(self) <= row < len(self):
            raise IndexRangeError(f"there is no row {described(row)} of {len(self)}")
        if self.triangle[row] < 0:
            return None
        columns = vars(self).values()
        return Hit(*(c[row].copy() if c.ndim > 1 else c[row].item() for c in columns))

    def __iter__(self) -> Iterator[Hit | None]:
        return (self[row] for row in range(len(self)))
