# SPDX-License-Identifier: MIT
"""Tables and rays in files of NumPy, CSV and Parquet; the file's ending tells which."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import ArgumentError, TableFileError
from ..files.whole_file import atomic_write, check_writable, ending_of, path_of
from ..numerics.arrays import FloatArray
from ..numerics.columns import Columns
from ..numerics.reading import described
from . import npz, parquet, text
from .layout import is_number
from .table import Table, check_growth, checked

_FORMATS = {".npz": npz, ".csv": text, ".parquet": parquet}

File = str | os.PathLike[str]


def format_of(path: File) -> Any:
    """The module of a file's format; ArgumentError if its ending names none."""
    return _FORMATS[_ending(path, _FORMATS, "a table is")]


def _ending(path: File, known: Collection[str], what: str) -> str:
    ending = ending_of(path_of(path))
    if ending not in known:
        raise ArgumentError(f"{what} a file of {', '.join(known)}, not {ending or 'none'!r}")
    return ending


def write_table(
    path: File,
    columns: Mapping[str, npt.ArrayLike] | Columns,
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    extra: Mapping[str, npt.ArrayLike] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write columns to a file, which is replaced as a whole.

    Parameters
    ----------
    path : path-like
        Its ending says the format. ``.npz`` keeps the arrays as they are. ``.csv`` and ``.parquet``
        have a row for each ray or hit, in the order of :meth:`numpy.ndarray.ravel`, and a column
        for each part of a vector, such as ``point_x``; ``.parquet`` needs pyarrow. In these two,
        the texts of ids get their own column, such as ``object_name`` after ``object``.
    columns : mapping of ndarray (..., k), or answers such as :class:`.RayHits`
        Numbers or bools of one leading shape, by name.
    names : mapping of sequence of str, optional
        For each column of ids, the texts of the ids from 0 on. The id -1 has none.
    extra : mapping of ndarray, optional
        Arrays of other shapes, of numbers, bools or texts; only ``.npz`` keeps them.
    meta : mapping, optional
        Anything else to keep, of JSON types; ``.csv`` does not keep it.

    Raises
    ------
    ArgumentError
        If the ending is unknown, or columns do not fit each other.
    MissingPackageError
        If pyarrow is needed and not installed.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from standalone_core.tables import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/hits.csv", {"face": [3, -1], "point": [[0, 0, 0.1], [1, 2, 3]]})
    ...     print(Path(f"{folder}/hits.csv").read_text())
    face,point_x,point_y,point_z
    3,0.0,0.0,0.1
    -1,1.0,2.0,3.0
    <BLANKLINE>
    """
    kind = format_of(path)
    given = columns.as_dict() if isinstance(columns, Columns) else columns
    table = checked(given, names or {}, extra or {}, meta or {})
    with atomic_write(path) as file:
        kind.write(file, table)


def check_can_write(path: File) -> None:
    """Raise those errors of :func:`write_table` that can be known before writing."""
    if format_of(path) is parquet:
        parquet.packages()  # MissingPackageError if they are not installed
    check_writable(path)


def read_table(path: File) -> Table:
    """Read columns from a file, whoever wrote it; what :func:`write_table` wrote comes back.

    A ``.csv`` has no shape but its rows: pixels of pictures come back as rows, texts as ids with
    names, and columns such as ``point_x``, ``point_y``, ``point_z`` as one. An id that
    no row has gets an empty name.

    Raises
    ------
    TableFileError
        If the file is damaged, or no table.
    ArgumentError, MissingPackageError, OSError
        As for :func:`write_table`.

    Examples
    --------
    >>> import tempfile
    >>> from standalone_core.tables import read_table, write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/hits.npz", {"object": [0, -1]}, names={"object": ["Cube"]})
    ...     table = read_table(f"{folder}/hits.npz")
    >>> table.columns["object"].tolist(), table.names["object"]
    ([0, -1], ('Cube',))
    """
    kind = format_of(path)
    with open(path_of(path), "rb") as file:
        table: Table = kind.read(file)
    return table


def read_meta(path: File) -> dict[str, Any]:
    """Read only the `meta` that :func:`write_table` was given; a ``.csv`` has none.

    Errors are those of :func:`read_table`.

    Examples
    --------
    >>> import tempfile
    >>> from standalone_core.tables import read_meta, write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/hits.npz", {"face": [0, 1]}, meta={"frame": 7})
    ...     read_meta(f"{folder}/hits.npz")
    {'frame': 7}
    """
    kind = format_of(path)
    with open(path_of(path), "rb") as file:
        meta: dict[str, Any] = kind.read_meta(file)
    return meta


_LIMITS = ("min_distance", "max_distance")
_ARRAYS = ("origins", "directions", *_LIMITS)

# What the column of each part may be called; write_table makes "origins_x" from "origins".
_NAMES = {
    f"{kind}_{axis}": {f"{kind[0]}{axis}", f"{kind}{axis}", f"{kind}_{axis}", f"{kind}s_{axis}"}
    for kind in ("origin", "direction")
    for axis in "xyz"
}

_FLOAT = np.dtype(np.float64).itemsize
_KNOWN = set[str]().union(*_NAMES.values())
_BETWEEN_WORDS = re.compile(r"[\s._-]+")  # other ways to write an underscore

# Names that may be meant for a limit: those as similar as this by difflib ("distance" is not), or
# those that match the pattern.
_ALIKE = 0.85
_SPELT = "{0}[a-z]*dist|dist[a-z]*{0}(imum)?$"


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
        ``.npz`` with members ``origins`` and ``directions`` (..., 3), either of which may be one
        for all rays; ``min_distance`` and ``max_distance`` are optional. ``.npy`` with an array
        (..., 6). ``.csv`` or ``.parquet`` with columns ``origin_x`` to ``direction_z``, or ``ox``
        to ``dz``, and optional ``min_distance`` and ``max_distance``; other columns are not read.
        These names may be in capitals and have blanks, points or hyphens for underscores ("Origin
        X"); missing numbers are NaN. A CSV may be as pandas, NumPy's ``savetxt``, R or Excel write
        it: with a header after ``#``, names of rows, tabs or semicolons, and decimal commas.

    Raises
    ------
    TableFileError
        If the file is damaged or holds no rays, if a name looks like a misspelt limit, such as
        ``max_dist``, or if the rays would take more memory than 512 MiB plus 256 times the file,
        which is checked before the memory is taken. Rays that are not finite are read.
    ArgumentError
        If the ending is unknown; MissingPackageError if pyarrow is needed and not installed.
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
    read = _READERS[_ending(path, _READERS, "rays are")]
    with open(path_of(path), "rb") as file:
        try:
            arrays = read(file)
            size = os.fstat(file.fileno()).st_size
            check_growth(sum(np.size(each) for each in arrays.values()) * _FLOAT, size)
            origins, directions = arguments.points_together(
                origins=arrays["origins"], directions=arrays["directions"]
            )
            limits = (_limit(arrays, name, origins.shape[:-1]) for name in _LIMITS)
            rays = RayTable(origins, directions, *limits)
            check_growth((rays.origins.size + rays.directions.size) * _FLOAT, size)
            return rays
        except (TableFileError, ImportError):
            raise
        except MemoryError:
            raise TableFileError("the rays do not fit in memory") from None
        except ArgumentError as error:
            raise TableFileError(f"the file holds no rays: {error}") from None


def check_can_read_rays(path: File) -> None:
    """Raise those errors of :func:`read_rays` that can be known before the file is opened."""
    if _ending(path, _READERS, "rays are") == ".parquet":
        parquet.packages()  # MissingPackageError if they are not installed


def _limit(arrays: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> FloatArray | None:
    if name not in arrays:
        return None
    limit = arguments.floats(arrays[name], name)
    try:
        return np.broadcast_to(limit, shape)
    except ValueError:
        raise TableFileError(f"{name} has shape {limit.shape}, but rays have {shape}") from None


def _from_npy(file: IO[bytes]) -> dict[str, Any]:
    try:
        array = npz.read_npy(file, os.fstat(file.fileno()).st_size, "the file")
    except TableFileError:
        raise
    except (ValueError, TypeError, OverflowError) as error:  # from NumPy
        raise TableFileError(f"the file is damaged: {error}") from None
    if array.ndim == 0 or array.shape[-1] != 6:
        raise TableFileError(f"rays in an .npy file must have shape (..., 6), not {array.shape}")
    return {"origins": array[..., :3], "directions": array[..., 3:]}


def _from_columns(columns: dict[str, FloatArray]) -> dict[str, Any]:
    """Stack columns of single numbers to arrays; each column is freed as soon as it is copied."""
    for kind in ("origin", "direction"):
        parts = [columns.pop(f"{kind}_{axis}") for axis in "xyz"]
        columns[f"{kind}s"] = np.stack(parts, -1)
        del parts
    return columns


def _chosen_columns(names: Sequence[str]) -> dict[str, str]:
    """The columns to read, however their names are written; TableFileError if one is missing."""
    plain = [*map(_plain, names)]
    found = {}
    for column, known in (*_NAMES.items(), *((limit, {limit}) for limit in _LIMITS)):
        fitting = [name for name, text in zip(names, plain, strict=True) if text in known]
        if len(fitting) > 1:
            listed = " and ".join(map(described, fitting))
            raise TableFileError(f"two columns may be {column}: {listed}")
        if fitting:
            found[column] = fitting[0]
        elif column not in _LIMITS:
            others = [name for name, text in zip(names, plain, strict=True) if text not in _KNOWN]
            if any(map(is_number, others)):
                raise TableFileError("the file has no header: its first line holds numbers")
            raise _missing("column ", column, others)
    return _without_misspelt(found, names)


def _plain(name: str) -> str:
    """A name in small letters, with underscores between its words."""
    return _BETWEEN_WORDS.sub("_", name.strip().lower())


def _chosen_arrays(names: Sequence[str]) -> dict[str, str]:
    found = {name: name for name in names if name in _ARRAYS}
    for name in _ARRAYS[:2]:
        if name not in found:
            raise _missing("", name, [other for other in names if other not in found])
    return _without_misspelt(found, names)


def _missing(kind: str, name: str, others: Sequence[str]) -> TableFileError:
    """An error that says what is missing, and what may have been meant for it."""
    plain = {_plain(other): other for other in others}
    alike = [other for other in plain if name in other]
    alike += difflib.get_close_matches(name, plain, 1)
    but = f", but {described(plain[alike[0]])}" if alike else ""
    if kind and not alike:
        but = f", and its header is {described(', '.join(others))}"
    return TableFileError(f"the file holds no rays: it has no {kind}{name}{but}")


def _without_misspelt(found: dict[str, str], names: Sequence[str]) -> dict[str, str]:
    """Return `found`; TableFileError if another name is nearly that of a limit not found."""
    others = {re.sub("[^a-z]", "", name.lower()): name for name in names}
    for limit in (each for each in _LIMITS if each not in found):
        spelt = re.compile(_SPELT.format(limit[:3]))
        near = [letters for letters in others if spelt.match(letters)]
        near += difflib.get_close_matches(limit.replace("_", ""), others, 1, _ALIKE)
        if near:
            raise TableFileError(f"{described(others[near[0]])} is not read: rays may have {limit}")
    return found


_READERS: dict[str, Callable[[IO[bytes]], Mapping[str, Any]]] = {
    ".npz": lambda file: npz.read_arrays(file, _chosen_arrays),
    ".npy": _from_npy,
    ".csv": lambda file: _from_columns(text.read_floats(file, _chosen_columns)),
    ".parquet": lambda file: _from_columns(parquet.read_numbers(file, _chosen_columns)),
}
