# SPDX-License-Identifier: MIT
"""Every error the core raises on purpose, all of them :class:`RaypickError`."""


class RaypickError(Exception):
    """Base of all errors raised by the core."""


class ArgumentError(RaypickError, ValueError):
    """An argument has a value that cannot be used."""


class ShapeError(ArgumentError):
    """An array has the wrong shape."""


class DtypeError(ArgumentError, TypeError):
    """An argument cannot be read as numbers of the kind that is needed."""


class NonFiniteError(ArgumentError):
    """A value that must be finite is NaN or infinite."""


class IndexRangeError(ArgumentError, IndexError):
    """An index points outside of the array it belongs to."""


class DirectionError(ArgumentError):
    """A direction has no length, or is not finite."""


class OpenMeshError(ArgumentError):
    """A mesh has a border where one without is needed."""


class DegenerateError(ArgumentError):
    """Points that should span a plane or a triangle do not."""


class SingularMatrixError(ArgumentError):
    """A matrix that must be invertible is not."""


class EngineError(ArgumentError):
    """The engine asked for does not exist or cannot be used here."""


class MissingPackageError(ArgumentError, ImportError):
    """What is asked for needs a package that is not installed."""


class MeshFileError(ArgumentError):
    """A file cannot be read as a mesh."""


class FrozenError(RaypickError, AttributeError):
    """A value cannot be changed: a new one is to be made."""


class UnknownInstanceError(RaypickError, KeyError):
    """A scene has no instance of the given id."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""
