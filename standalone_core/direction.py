# SPDX-License-Identifier: MIT
"""A ray's unit direction, which remembers the vector that it was made of.

To make a vector a unit vector rounds it, and a rounded ray passes an edge on the other side now and
then. So the tests that decide exactly, and the casts at meshes and scenes, look at the vector as
the caller gave it, be it to them or to a :class:`.Ray`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import EPS, FloatArray
from .intersection import Vector


class Direction(np.ndarray[Any, np.dtype[np.float64]]):
    """A unit vector (3,), read-only, with the vector that was given for it.

    Attributes
    ----------
    given : tuple of three floats, or None
        None for a part or a copy. What is computed from a direction is an array as any other.
    """

    given: Vector[float] | None

    @classmethod
    def of(cls, unit: Vector[float], given: Vector[float]) -> Direction:
        """The direction `unit`, made of `given`."""
        self = np.array(unit).view(cls)
        self.given = given
        self.flags.writeable = False
        return self

    def __array_finalize__(self, source: Any) -> None:
        self.given = None

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = (np.asarray(x) if type(x) is Direction else x for x in inputs)
        return getattr(ufunc, method)(*plain, **options)


def as_given(direction: Any) -> Any:
    """What a caller gave for a ray's direction; anything else as it is."""
    if type(direction) is Direction and direction.given is not None:
        return direction.given
    return direction


def near_unit(square: FloatArray | float) -> Any:
    """Whether a vector of this squared length is a unit vector up to rounding.

    What :func:`.normalized` returns always is: five roundings there and three in the square.
    """
    difference: Any = square - 1.0
    return abs(difference) <= 8 * EPS
