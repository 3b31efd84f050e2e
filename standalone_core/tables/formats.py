# SPDX-License-Identifier: MIT
"""Tables in files of three formats, which the file's ending tells."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from ..errors import ArgumentError
from ..files.whole_file import atomic_write, check_writable, ending_of, path_of
from . import npz, parquet, text
from .table import Table, checked

_FORMATS = {".npz": npz, ".csv": text, ".parquet": parquet}

File = str | os.PathLike[str]


def format_of(path: File) -> Any:
    """The module of a file's format; ArgumentError if its ending names none."""
    ending = ending_of(path_of(path))
    if ending not in _FORMATS:
        raise ArgumentError(f"a table is a file of {', '.join(_FORMATS)}, not {ending or 'none'!r}")
    return _FORMATS[ending]


def write_table(
    path: File,
    columns: Mapping[str, npt.ArrayLike],
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    extra: Mapping[str, npt.ArrayLike] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write columns to a file, which takes its place as a whole.

    Parameters
    ----------
    path : path-like
        Its ending says the format. ``.npz`` keeps the arrays as they are. ``.csv`` and ``.parquet``
        have a row for each ray or hit, in the order of :meth:`numpy.ndarray.ravel`, and a column
        for each part of a vector, such as ``point_x``; ``.parquet`` needs pyarrow. There the texts
        of ids follow in a column of their own, such as ``object_name`` after ``object``.
    columns : mapping of ndarray (..., k)
        Numbers or bools of one leading shape, by name.
    names : mapping of sequence of str, optional
        Of columns of ids: the texts of the ids from 0 on. The id -1 has none.
    extra : mapping of ndarray, optional
        Arrays of other shapes, of numbers, bools or texts, which ``.npz`` alone keeps.
    meta : mapping, optional
        What else is to be kept, as JSON has it; ``.csv`` does not.

    Raises
    ------
    ArgumentError
        If the ending is unknown, or columns do not fit each other.
    MissingPackageError
        If pyarrow is needed and not there.
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
    table = checked(columns, names or {}, extra or {}, meta or {})
    with atomic_write(path) as file:
        kind.write(file, table)


def check_can_write(path: File) -> None:
    """Raise what :func:`write_table` would, as far as that is known with nothing written."""
    format_of(path).check_installed()
    check_writable(path)


def read_table(path: File) -> Table:
    """Read columns from a file, whoever wrote it; what :func:`write_table` wrote comes back.

    A ``.csv`` has no shape beside its rows: what came from pictures is in rows. There, texts become
    ids with names, and columns such as ``point_x``, ``point_y``, ``point_z`` one. Of names it has
    those that are in a row; all others are empty.

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
    """Read what :func:`write_table` was given as `meta`, and nothing else; a ``.csv`` has none.

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
