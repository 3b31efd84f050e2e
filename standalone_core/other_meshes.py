# SPDX-License-Identifier: MIT
"""Meshes of other libraries, and corners alone, read as vertices and triangles."""

from __future__ import annotations

from operator import attrgetter
from os import PathLike
from typing import Any, Protocol

import numpy as np

from .errors import DtypeError, ShapeError
from .numerics.reading import described, described_shape, kind_of, real_numbers


class FacesMesh(Protocol):
    """A mesh such as trimesh's, or as many others have it."""

    @property
    def vertices(self) -> Any:
        """Positions (V, 3)."""

    @property
    def faces(self) -> Any:
        """Rows of the vertices (T, 3)."""


class TrianglesMesh(Protocol):
    """A mesh such as Open3D's ``geometry.TriangleMesh``."""

    @property
    def vertices(self) -> Any:
        """Positions (V, 3)."""

    @property
    def triangles(self) -> Any:
        """Rows of the vertices (T, 3)."""


class TensorMesh(Protocol):
    """A mesh such as Open3D's ``t.geometry.TriangleMesh``."""

    @property
    def vertex(self) -> Any:
        """The columns of the vertices: `positions` (V, 3)."""

    @property
    def triangle(self) -> Any:
        """The columns of the triangles: `indices` (T, 3)."""


class RegularMesh(Protocol):
    """A mesh such as PyVista's ``PolyData``, if all its faces are triangles."""

    @property
    def points(self) -> Any:
        """Positions (V, 3)."""

    @property
    def regular_faces(self) -> Any:
        """Rows of the vertices (T, 3)."""


OtherMesh = FacesMesh | TrianglesMesh | TensorMesh | RegularMesh

_FORMS = (
    ("vertices", "faces"),
    ("vertices", "triangles"),
    ("vertex.positions", "triangle.indices"),
    ("points", "regular_faces"),
)
"""The attributes with vertices and triangles of each kind of mesh."""


def vertices_and_triangles(mesh: Any) -> tuple[Any, Any]:
    """What has no triangles beside it, as vertices and triangles that are yet to be checked.

    Parameters
    ----------
    mesh : array_like (T, 3, 3), or object
        The corners of triangles; or a mesh of another library.

    Raises
    ------
    ShapeError, DtypeError
        If it is neither.
    """
    if hasattr(type(mesh), "__raypick__"):
        columns = "vertices, triangles and faces"
        raise DtypeError(f"vertices is {kind_of(mesh)}: pass its {columns} to make another mesh")
    if isinstance(mesh, (str, PathLike)):
        raise DtypeError("vertices must be numbers, not a path: load_mesh reads files")
    for names in _FORMS:
        if (found := _columns(mesh, *names)) is not None:
            return found
    corners = real_numbers(mesh, "vertices", "real numbers, or a mesh with vertices and faces")
    if corners.shape == (0,):
        corners = corners.reshape(0, 3, 3)
    if corners.ndim != 3 or corners.shape[1:] != (3, 3):
        given = described_shape(corners.shape)
        raise ShapeError(
            f"vertices without triangles must be corners of shape (T, 3, 3), not {given}: pass "
            "triangles (T, 3) beside vertices (V, 3)"
        )
    return corners.reshape(-1, 3), np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)


def _columns(mesh: Any, vertices: str, triangles: str) -> tuple[Any, Any] | None:
    """The values of two attributes, which may be dotted; None if the mesh lacks one of them."""
    try:
        if not all(hasattr(mesh, name.partition(".")[0]) for name in (vertices, triangles)):
            return None
        found = attrgetter(vertices)(mesh), attrgetter(triangles)(mesh)
        sides = np.shape(found[1])[1:]
    except MemoryError:
        raise
    except Exception as error:  # whatever the other library raises
        both = f"{vertices} and {triangles} cannot be read: {described(error)}"
        raise DtypeError(f"vertices is {kind_of(mesh)} whose {both}") from error
    if sides and sides != (3,):
        faces = f"whose {triangles} have {sides[0]} corners: triangulate it, or use PolygonMesh"
        raise ShapeError(f"vertices is {kind_of(mesh)} {faces}")
    return found
