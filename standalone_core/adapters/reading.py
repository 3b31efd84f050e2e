# SPDX-License-Identifier: MIT
"""Reading of what callers of another library pass."""

from typing import Any, Protocol

import numpy as np

from .. import arguments, integers
from ..errors import ArgumentError, DtypeError, ShapeError
from ..numerics.arrays import FloatArray
from ..numerics.reading import described

_MOST = 2**31 - 1


class TensorMesh(Protocol):
    """A mesh such as Open3D's ``t.geometry.TriangleMesh``."""

    @property
    def vertex(self) -> Any:
        """What the vertices carry: `positions` (V, 3)."""

    @property
    def triangle(self) -> Any:
        """What the triangles carry: `indices` (T, 3)."""


def array_of(value: Any) -> Any:
    """What a tensor holds, as an array; anything else as it is."""
    return value.numpy() if hasattr(value, "numpy") else value


def rays_of(value: Any) -> tuple[FloatArray, FloatArray]:
    """Read rays (..., 6) as origins and directions (..., 3)."""
    rays = arguments.floats(array_of(value), "rays")
    if rays.shape == (0,):
        rays = rays.reshape(0, 6)
    if rays.ndim == 0 or rays.shape[-1] != 6:
        raise ShapeError(f"rays must have shape (..., 6), not {rays.shape}")
    return rays[..., :3], rays[..., 3:]


def points_of(value: Any) -> FloatArray:
    """Read points (..., 3)."""
    return arguments.points(array_of(value), "query_points")


def count(value: Any, name: str, least: int = 1) -> int:
    """Read `value` as a whole number, from 1 or from another least one."""
    number = integers.integer(value, name)
    if number < least or isinstance(value, bool):
        raise ArgumentError(f"{name} must be {least} or more, not {described(value)}")
    if number > _MOST:
        raise ArgumentError(f"{name} must be {_MOST} or less, not {described(value)}")
    return number


def flag(value: Any, name: str) -> bool:
    """Read `value` as True or False."""
    if not isinstance(value, (bool, np.bool_, int)):
        raise DtypeError(f"{name} must be True or False, not {described(value)}")
    return bool(value)


def float_type(value: Any) -> np.dtype[Any]:
    """Read `value` as float64 or float32."""
    try:
        given: np.dtype[Any] = np.dtype(value)
    except Exception as error:  # whatever NumPy says of it
        wrong = described(value)
        raise DtypeError(f"dtype must be float64 or float32, not {wrong}") from error
    if given not in (np.float64, np.float32):
        raise DtypeError(f"dtype must be float64 or float32, not {given}")
    return given
