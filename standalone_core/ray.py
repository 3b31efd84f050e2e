# SPDX-License-Identifier: MIT
"""A ray: p(t) = origin + t direction, t >= 0."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import arguments
from .errors import SingularMatrixError
from .matrices import Convention, matrix4
from .numerics.arrays import FloatArray, dot, moved
from .numerics.columns import are_same
from .numerics.values import Value
from .types import Reals


class Rays(NamedTuple):
    """Many rays, as :meth:`.Camera.rays` makes them and :meth:`.Mesh.cast_rays` takes them.

    A pair of `origins` and `directions`, unpacked and indexed in this order. Pairs are equal if all
    their numbers are.

    Attributes
    ----------
    origins, directions : ndarray (..., 3)
        In one space.

    Examples
    --------
    >>> import numpy as np
    >>> rays = Rays(np.zeros((4, 3)), np.eye(4, 3))
    >>> origins, directions = rays
    >>> rays
    <Rays (4,)>
    """

    origins: FloatArray
    directions: FloatArray

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        return "Rays", self._asdict()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (...) of the rays."""
        return np.broadcast_shapes(np.shape(self.origins), np.shape(self.directions))[:-1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rays):
            return False
        return all(map(are_same, map(np.asarray, self), map(np.asarray, other)))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"<Rays {self.shape}>"


class Ray(Value):
    """A half line from a point in one direction: a value, equal by its numbers.

    Parameters
    ----------
    origin : array_like (3,)
        Where the ray starts, in the caller's space.
    direction : array_like (3,)
        Where it goes, of any length above 0. One of length 1 up to rounding is kept to the bit;
        any other is rounded when it is made a unit vector, once.

    Attributes
    ----------
    origin, direction : ndarray (3,) of float64
        Read-only; `direction` has length 1, so that `t` is a length in the caller's space.

    Raises
    ------
    ShapeError, DtypeError, NonFiniteError, DirectionError
        If the input is not a finite point and a finite direction longer than 0.

    Examples
    --------
    >>> ray = Ray((0, 0, 5), (0, 0, -2))
    >>> ray.at(3.0).tolist()
    [0.0, 0.0, 2.0]
    """

    __slots__ = ("direction", "origin")

    origin: FloatArray
    direction: FloatArray

    def __init__(self, origin: Reals, direction: Reals) -> None:
        start = arguments.three_finite_floats(origin, "origin")
        unit = arguments.unit_direction(arguments.three_floats(direction, "direction"), "direction")
        self._hold(origin=np.array(start), direction=np.array(unit))

    def at(self, t: Reals) -> FloatArray:
        """Points at the distances `t` (...), as (..., 3).

        Negative ones are behind the origin. At an infinite one the components in which the ray
        moves are infinite, and the others are the origin's.

        Examples
        --------
        >>> Ray((0, 0, 5), (0, 0, -1)).at([1.0, 2.0]).tolist()
        [[0.0, 0.0, 4.0], [0.0, 0.0, 3.0]]
        """
        t = arguments.floats(t, "t")[..., None]
        direction = self.direction
        with np.errstate(over="ignore", invalid="ignore"):
            result: FloatArray = self.origin + np.where(direction == 0.0, 0.0, t * direction)
        return np.where(np.isnan(t), np.nan, result)

    def transformed(self, matrix: Reals, convention: Convention = "opengl") -> Ray:
        """The ray moved by a 4 x 4 matrix.

        The origin moves as a point (w = 1, with the divide by w), the direction as a vector
        (w = 0), made a unit vector again: a `t` along the old ray is not one along the new ray
        where the matrix scales.

        Parameters
        ----------
        matrix : array_like (4, 4)
        convention : {"opengl", "direct3d"}
            Whether the matrix multiplies column vectors, p' = M p, or row vectors, p' = p M.

        Raises
        ------
        ArgumentError
            If the matrix evidently is an affine one of the other convention.
        SingularMatrixError
            If the matrix flattens the direction to nothing.
        NonFiniteError
            If the origin moves to infinity.

        Examples
        --------
        >>> moved = [[1, 0, 0, 7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        >>> Ray((0, 0, 5), (0, 0, -1)).transformed(moved)
        Ray([7.0, 0.0, 5.0], [0.0, 0.0, -1.0])
        """
        m = matrix4(matrix, "matrix", convention)
        with np.errstate(over="ignore", invalid="ignore"):
            x, y, z, w = moved(self.origin, m)
            direction = dot(self.direction, m[:3, :3])
        if not direction.any():
            raise SingularMatrixError("matrix takes the ray's direction to zero")
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            origin = np.array([x, y, z]) / w
        return Ray(arguments.finite(origin, "transformed origin"), direction)

    def __repr__(self) -> str:
        return f"Ray({self.origin.tolist()}, {self.direction.tolist()})"
