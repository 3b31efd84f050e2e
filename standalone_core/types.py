# SPDX-License-Identifier: MIT
"""Types of arguments that are read as arrays of numbers, to annotate functions with.

    def heights(terrain: sc.Mesh, points: sc.types.Reals) -> npt.NDArray[np.float64]: ...

NumPy's own ``ArrayLike`` takes text, too, which is no array of numbers: type checkers do not let it
through. `OnePoint` and `ManyPoints` tell a question with one answer from one with many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

__all__ = ["Integers", "ManyPoints", "Mask", "OnePoint", "Reals"]

Number = TypeVar("Number", bound=np.generic, covariant=True)


class Array(Protocol[Number]):
    """An array of NumPy, or one of another library that becomes one."""

    def __array__(self) -> np.ndarray[Any, np.dtype[Number]]:
        """The numbers."""


class DLPackArray(Protocol):
    """An array of another library that hands out its memory."""

    def __dlpack__(self) -> Any:
        """A capsule with the memory."""

    def __dlpack_device__(self) -> tuple[Any, Any]:
        """Where that is."""


class BlenderValue(Protocol):
    """A Vector, a Matrix, or another value of Blender's mathutils."""

    @property
    def is_wrapped(self) -> Any:
        """Whether it is a part of Blender's data."""

    def __len__(self, /) -> int:
        """How many numbers or rows there are."""


# Lists are told by their depth, up to four: in a list of unknown depth mypy looks for no text.
_Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
_RealArray: TypeAlias = Array[np.floating[Any] | np.integer[Any]] | DLPackArray
_Real: TypeAlias = float | _RealArray | BlenderValue
_Reals1: TypeAlias = _Real | Sequence[_Real]
_Reals2: TypeAlias = _Reals1 | Sequence[_Reals1]
_Reals3: TypeAlias = _Reals2 | Sequence[_Reals2]

Reals: TypeAlias = _Real | Sequence[_Reals3]
"""Real numbers in any shape."""

OnePoint: TypeAlias = Sequence[_Number] | BlenderValue
"""The numbers of one point or vector: it has one answer, many have an array of answers."""

ManyPoints: TypeAlias = _RealArray | Sequence[_RealArray | BlenderValue | Sequence[_Reals2]]
"""Points in any shape. An array counts as many, whatever its shape, as no type tells that."""

# Not DLPack's, for which NumPy's arrays of floats would pass, too.
_Integer: TypeAlias = int | Array[np.integer[Any]] | BlenderValue
_Integers1: TypeAlias = _Integer | Sequence[_Integer]
_Integers2: TypeAlias = _Integers1 | Sequence[_Integers1]

Integers: TypeAlias = _Integer | Sequence[_Integers2]
"""Integers in any shape."""

Mask: TypeAlias = Array[np.bool_] | Sequence[bool | np.bool_]
"""Whether each of many counts."""
