# SPDX-License-Identifier: MIT
"""Every error the core raises on purpose, all of them :class:`RaypickError`."""

import sys
from dataclasses import FrozenInstanceError
from types import ModuleType
from typing import Any, TypeVar

_Kind = TypeVar("_Kind", bound=type[Any])

_SHARED = "_raypick_shared"
"""The module without a file that holds what all copies of this package in a process share."""


def _of_all_copies(kind: _Kind) -> _Kind:
    """The class of this name of the copy that was imported first."""
    shared: _Kind = sys.modules.setdefault(_SHARED, ModuleType(_SHARED)).__dict__.setdefault(
        kind.__name__, kind
    )
    return shared


@_of_all_copies
class RaypickError(Exception):
    """Base of all errors raised by the core.

    Copies of the core in one process have this class in common, whatever their versions: to catch
    it catches the errors of all.

    Examples
    --------
    >>> import standalone_core as sc
    >>> try:
    ...     sc.Mesh([(0, 0, 0)], [(0, 1, 2)])
    ... except sc.errors.RaypickError as error:
    ...     print(error)
    triangle 0 has vertex indices [0, 1, 2], but there is 1 vertex
    """


class ArgumentError(RaypickError, ValueError):
    """An argument has a value that cannot be used.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> mesh.ray_cast((0, 0, 1), (0, 0, -1), cull="both")
    Traceback (most recent call last):
    standalone_core.errors.ArgumentError: cull must be None, "back" or "front", not 'both'
    """


class ShapeError(ArgumentError):
    """An array has the wrong shape.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Ray((0, 0), (0, 0, -1))
    Traceback (most recent call last):
    standalone_core.errors.ShapeError: origin must have shape (3,), not (2,)
    """


class DtypeError(ArgumentError, TypeError):
    """An argument cannot be read as numbers of the kind that is needed.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Ray("here", (0, 0, -1))
    Traceback (most recent call last):
    standalone_core.errors.DtypeError: origin must be real numbers, not text
    """


class NonFiniteError(ArgumentError):
    """A value that must be finite is NaN or infinite.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Ray((0, 0, float("nan")), (0, 0, -1))
    Traceback (most recent call last):
    standalone_core.errors.NonFiniteError: origin is not finite at index 2: nan
    """


class IndexRangeError(ArgumentError, IndexError):
    """An index points outside of the array it belongs to.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.PolygonMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [0, 1, 2], 3).face_of(7)
    Traceback (most recent call last):
    standalone_core.errors.IndexRangeError: there is no triangle 7
    """


class DirectionError(ArgumentError):
    """A direction has no length, or is not finite.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Plane((0, 0, 0), 1)
    Traceback (most recent call last):
    standalone_core.errors.DirectionError: normal must be finite and longer than 0: [0.0, 0.0, 0.0]
    """


class OpenMeshError(ArgumentError):
    """A mesh has a border where one without is needed.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> try:
    ...     mesh.contains((0, 0, 1))
    ... except sc.errors.OpenMeshError as error:
    ...     print(str(error).partition(";")[0])
    the mesh is open, so nothing is inside: 3 edges of its triangles are at the border
    """


class DegenerateError(ArgumentError):
    """Points that should span a plane or a triangle do not.

    Examples
    --------
    >>> import standalone_core as sc
    >>> try:
    ...     sc.Plane.from_points((0, 0, 0), (1, 1, 1), (2, 2, 2))
    ... except sc.errors.DegenerateError as error:
    ...     print(error)
    points [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0] lie on a line: no plane
    """


class SingularMatrixError(ArgumentError):
    """A matrix that must be invertible is not.

    Examples
    --------
    >>> import numpy as np
    >>> import standalone_core as sc
    >>> sc.Ray((0, 0, 0), (1, 0, 0)).transformed(np.zeros((4, 4)))
    Traceback (most recent call last):
    standalone_core.errors.SingularMatrixError: matrix takes the ray's direction to zero
    """


class EngineError(ArgumentError):
    """The engine asked for does not exist or cannot be used here.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Mesh([(0, 0, 0)], [], engine="cuda")
    Traceback (most recent call last):
    standalone_core.errors.EngineError: engine must be "auto", "numpy" or "numba", not 'cuda'
    """


class MissingPackageError(ArgumentError, ImportError):
    """What is asked for needs a package that is not installed.

    Examples
    --------
    >>> issubclass(MissingPackageError, ImportError)
    True
    """


class MeshFileError(ArgumentError):
    """A file cannot be read as a mesh.

    Examples
    --------
    >>> import io
    >>> import standalone_core as sc
    >>> sc.Mesh.load(io.BytesIO(b"no mesh"))
    Traceback (most recent call last):
    standalone_core.errors.MeshFileError: the file is damaged, or no .npz archive
    """


class TableFileError(ArgumentError):
    """A file cannot be read as a table, or as rays.

    Examples
    --------
    >>> import tempfile
    >>> import standalone_core as sc
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     sc.tables.read_rays(file.name)
    Traceback (most recent call last):
    standalone_core.errors.TableFileError: the file has no header: its first line names the columns
    """


class FrozenError(RaypickError, FrozenInstanceError):
    """A value cannot be changed: a new one is to be made.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Ray((0, 0, 0), (1, 0, 0)).origin = (1, 1, 1)
    Traceback (most recent call last):
    standalone_core.errors.FrozenError: origin cannot be changed: a Ray is a value, make a new one
    """


class UnknownInstanceError(RaypickError, KeyError):
    """A scene has no instance of the given id.

    Examples
    --------
    >>> import standalone_core as sc
    >>> sc.Scene()[7]
    Traceback (most recent call last):
    standalone_core.errors.UnknownInstanceError: the scene has no instance 7
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""
