# SPDX-License-Identifier: MIT
"""A ray: p(t) = origin + t direction, t >= 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import arguments
from .arrays import FloatArray
from .errors import SingularMatrixError


class Ray:
    """A half line from a point in one direction.

    Parameters
    ----------
    origin : array_like (3,)
        Where the ray starts, in the caller's space.
    direction : array_like (3,)
        Where it goes; any length above 0, kept as a unit vector.

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

    def __init__(self, origin: Any, direction: Any) -> None:
        self.origin = arguments.point(origin, "origin").copy()
        self.direction = arguments.unit_directions(
            arguments.floats(direction, "direction", (3,)), "direction"
        )
        self.origin.flags.writeable = False
        self.direction.flags.writeable = False

    def at(self, t: Any) -> FloatArray:
        """Points at the distances `t` (...), as (..., 3)."""
        t = arguments.floats(t, "t")
        with np.errstate(over="ignore", invalid="ignore"):
            result: FloatArray = self.origin + t[..., None] * self.direction
        return result

    def transformed(self, matrix: Any) -> Ray:
        """The ray moved by a 4 x 4 matrix (column vectors: p' = M p).

        The origin moves as a point (w = 1, with the divide by w), the direction as a vector
        (w = 0), made a unit vector again: a `t` along the old ray is not one along the new ray
        where the matrix scales.

        Raises
        ------
        SingularMatrixError
            If the matrix flattens the direction to nothing.
        NonFiniteError
            If the origin moves to infinity.
        """
        m = arguments.matrix4(matrix, "matrix")
        x, y, z, w = m[:, :3] @ self.origin + m[:, 3]
        direction = m[:3, :3] @ self.direction
        if not direction.any():
            raise SingularMatrixError("matrix takes the ray's direction to zero")
        with np.errstate(divide="ignore", invalid="ignore"):
            origin = np.array([x, y, z]) / w
        return Ray(arguments.finite(origin, "transformed origin"), direction)

    def __repr__(self) -> str:
        return f"Ray({self.origin.tolist()}, {self.direction.tolist()})"
