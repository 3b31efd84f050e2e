# SPDX-License-Identifier: MIT
"""Rays in files: of NumPy, CSV and Parquet."""

import os
from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

import numpy as np

from .. import arguments
from ..errors import ArgumentError, TableFileError
from ..files.whole_file import ending_of, path_of
from ..numerics.arrays import FloatArray
from . import npy, npz, parquet, text
from .formats import File

_LIMITS = ("min_distance", "max_distance")
# What the column of each part may be called; one of write_table may be of "origins".
_NAMES = [
    (f"{kind[0]}{axis}", f"{kind}_{axis}", f"{kind}s_{axis}")
    for kind in ("origin", "direction")
    for axis in "xyz"
]
_COLUMNS = {*_LIMITS}.union(*_NAMES)


class RayTable(NamedTuple):
    """Rays as columns, of one shape (...).

    Attributes
    ----------
    origins, directions : ndarray (..., 3) of float64
    min_distance, max_distance : ndarray (...) of float64, or None
        Where each ray begins and ends, if the file says so.

    Examples
    --------
    >>> import numpy as np
    >>> import standalone_core as sc
    >>> rays = sc.tables.RayTable(np.zeros((4, 5, 3)), np.ones((4, 5, 3)))
    >>> rays.shape, rays.max_distance is None
    ((4, 5), True)
    """

    origins: FloatArray
    directions: FloatArray
    min_distance: FloatArray | None = None
    max_distance: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape (...) of the rays."""
        return self.origins.shape[:-1]


def read_rays(path: File) -> RayTable:
    """Read rays from a file.

    Parameters
    ----------
    path : path-like
        ``.npz`` with members ``origins`` and ``directions`` (..., 3), which may be of one ray for
        all; ``min_distance`` and ``max_distance`` are optional. ``.npy`` with an array (..., 6).
        ``.csv`` or ``.parquet`` with columns ``origin_x`` to ``direction_z``, or ``ox`` to ``dz``,
        and optional ``min_distance`` and ``max_distance``; other columns are left out of Parquet,
        and allowed in a CSV if they are numbers.

    Raises
    ------
    TableFileError
        If the file is damaged, or holds no rays. Rays that are not finite are read.
    ArgumentError
        If the ending is unknown; MissingPackageError if pyarrow is needed and not there.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from standalone_core.tables import read_rays
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rays.npy", [[0, 0, 5, 0, 0, -1], [1, 0, 5, 0, 0, -1]])
    ...     rays = read_rays(f"{folder}/rays.npy")
    >>> rays.shape, rays.directions.tolist()
    ((2,), [[0.0, 0.0, -1.0], [0.0, 0.0, -1.0]])
    """
    ending = ending_of(path_of(path))
    if ending not in _READERS:
        raise ArgumentError(f"rays are a file of {', '.join(_READERS)}, not {ending or 'none'!r}")
    with open(path_of(path), "rb") as file:
        try:
            return _rays(_READERS[ending](file))
        except (TableFileError, ImportError):
            raise
        except MemoryError:
            raise TableFileError("the rays do not fit in memory") from None
        except ArgumentError as error:
            raise TableFileError(f"the file holds no rays: {error}") from None


def _rays(arrays: Mapping[str, Any]) -> RayTable:
    for name in ("origins", "directions"):
        if name not in arrays:
            raise TableFileError(f"the file holds no rays: it has no {name}")
    origins, directions = arguments.points_together(
        origins=arrays["origins"], directions=arrays["directions"]
    )
    limits = (_limit(arrays, name, origins.shape[:-1]) for name in _LIMITS)
    return RayTable(origins, directions, *limits)


def _limit(arrays: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> FloatArray | None:
    if name not in arrays:
        return None
    limit = arguments.floats(arrays[name], name)
    try:
        return np.broadcast_to(limit, shape)
    except ValueError:
        raise TableFileError(f"{name} has shape {limit.shape}, but rays have {shape}") from None


def _from_npy(file: IO[bytes]) -> dict[str, Any]:
    size = os.fstat(file.fileno()).st_size
    try:
        array = npy.read(file, size, "the file")
    except TableFileError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise TableFileError(f"the file is damaged: {error}") from None
    if array.ndim == 0 or array.shape[-1] != 6:
        raise TableFileError(f"rays in an .npy file must have shape (..., 6), not {array.shape}")
    return {"origins": array[..., :3], "directions": array[..., 3:]}


def _from_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of columns of single numbers, under any of their names."""
    parts = []
    for names in _NAMES:
        name = next((name for name in names if name in columns), None)
        if name is None:
            raise TableFileError(f"the file holds no rays: it has no column {names[1]}")
        parts.append(columns[name])
    arrays: dict[str, Any] = {name: columns[name] for name in _LIMITS if name in columns}
    arrays["origins"], arrays["directions"] = np.stack(parts[:3], -1), np.stack(parts[3:], -1)
    return arrays


_READERS: dict[str, Callable[[IO[bytes]], Mapping[str, Any]]] = {
    ".npz": lambda file: npz.read_arrays(file, {"origins", "directions", *_LIMITS}),
    ".npy": _from_npy,
    ".csv": lambda file: _from_columns(text.read_floats(file)),
    ".parquet": lambda file: _from_columns(parquet.read_some(file, _COLUMNS)),
}
