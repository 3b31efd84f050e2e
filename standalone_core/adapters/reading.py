# SPDX-License-Identifier: MIT
"""Reading of what callers of another library pass."""

from typing import Any, Protocol

import numpy as np

from .. import arguments, integers
from ..errors import ArgumentError, DtypeError, ShapeError
from ..numerics.arrays import FloatArray, IndexArray
from ..numerics.reading import described, kind_of

_MOST = 2**31 - 1


class TensorMesh(Protocol):
    """A mesh such as Open3D's ``t.geometry.TriangleMesh``."""

    @property
    def vertex(self) -> Any:
        """What the vertices carry: `positions` (V, 3)."""

    @property
    def triangle(self) -> Any:
        """What the triangles carry: `indices` (T, 3)."""


def array_of(value: Any, name: str) -> Any:
    """What a tensor holds, as an array; anything else as it is."""
    try:
        return value.numpy() if hasattr(value, "numpy") else value
    except MemoryError:
        raise
    except Exception as error:  # whatever the other library has against it
        reason = described(error)
        raise DtypeError(f"{name} is {kind_of(value)} whose numpy() fails: {reason}") from error


def parts_of(mesh: Any) -> tuple[Any, Any]:
    """The positions and indices that a :class:`TensorMesh` has."""
    try:
        return mesh.vertex.positions, mesh.triangle.indices
    except (AttributeError, KeyError) as error:
        raise DtypeError(
            "a mesh has vertex.positions and triangle.indices; "
            f"{kind_of(mesh)} has not: pass vertices and triangles"
        ) from error


def mesh_of(vertices: Any, triangles: Any) -> tuple[FloatArray, IndexArray]:
    """Read vertices (V, 3) and triangles (T, 3)."""
    name = "vertex_positions"
    v = arguments.floats(array_of(vertices, name), name, (None, 3))
    name = "triangle_indices"
    return v, integers.triangle_indices(array_of(triangles, name), len(v), name)


def rays_of(value: Any) -> tuple[FloatArray, FloatArray]:
    """Read rays (..., 6) as origins and directions (..., 3)."""
    rays = arguments.floats(array_of(value, "rays"), "rays")
    if rays.shape == (0,):
        rays = rays.reshape(0, 6)
    if rays.ndim == 0 or rays.shape[-1] != 6:
        raise ShapeError(f"rays must have shape (..., 6), not {rays.shape}")
    return rays[..., :3], rays[..., 3:]


def points_of(value: Any) -> FloatArray:
    """Read points (..., 3)."""
    return arguments.points(array_of(value, "query_points"), "query_points")


def count(value: Any, name: str, least: int = 1) -> int:
    """Read `value` as a whole number, from 1 or from another least one."""
    number = integers.integer(value, name)
    if number < least or isinstance(value, bool):
        raise ArgumentError(f"{name} must be {least} or more, not {described(value)}")
    if number > _MOST:
        raise ArgumentError(f"{name} must be {_MOST} or less, not {described(value)}")
    return number


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
