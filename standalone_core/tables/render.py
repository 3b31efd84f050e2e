# SPDX-License-Identifier: MIT
"""What Blender rendered with the engine Raypick: columns and names out of OpenEXR files.

The engine writes numbers in single precision, as Blender's passes have them, and says in the header
what they are: one text of JSON for each view layer, or each view of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError, TableFileError
from ..files.whole_file import path_of
from .exr_reading import ExrFile
from .formats import File
from .render_header import IDS, Key, chosen_header, damaged, headers_in, items, outside
from .table import VECTORS, Array

_HALF = 1 << 24  # single precision has all whole numbers up to this one
_INFINITE = ("depth", "distance")  # where nothing is hit; other numbers are NaN there
_ATTRIBUTE = "attribute:"


@dataclass(frozen=True, slots=True, eq=False)
class Render(Mapping[str, Array]):
    """A picture of the engine Raypick, as columns by name: ``render["face"]``.

    They are those of ``raypick survey`` in an ``.npz`` file. Row 0 is the **bottom** row. Where
    nothing is hit ids and indices are -1, depth and distance infinite, other numbers NaN, and
    `front` is False; so are all pixels that were not rendered, as they are outside of the border.

    Attributes
    ----------
    columns : dict of ndarray (H, W) or (H, W, k)
        Ids and indices in int32, instances in int64, `front` as bool, numbers in float32.
    layer : str
        The view layer.
    view : str or None
        The view, such as "left"; None if the picture has no views.
    meta : dict
        All that the header says: `camera`, `frame`, `view_matrix`, `projection_matrix`,
        `object_names`, `instance_numbers`, `instance_matrix_world` and more.

    Examples
    --------
    >>> import numpy as np
    >>> import standalone_core as sc
    >>> ids = {"object": np.array([[0, -1]])}
    >>> render = sc.tables.Render(ids, "ViewLayer", None, {"object_names": ["Cube"]})
    >>> render.names("object").tolist()
    [['Cube', '']]
    """

    columns: dict[str, Array]
    layer: str
    view: str | None
    meta: dict[str, Any]

    @property
    def landmarks(self) -> dict[str, list[Any]] | None:
        """Where landmarks are in the picture, as columns of one length; None if it has no table."""
        found: dict[str, list[Any]] | None = self.meta.get("landmarks")
        return found

    def names(self, column: str = "object") -> Array:
        """The names (H, W) of what a column's numbers mean, as an array of str; empty for misses.

        Parameters
        ----------
        column : {"object", "instance", "material"}
            One of those that the picture has; ArgumentError for others.
        """
        if column not in IDS or column not in self.columns:
            known = ", ".join(name for name in IDS if name in self.columns) or "none"
            raise ArgumentError(f"column must be one with names, of {known}, not {column!r}")
        numbers = self.columns[column]
        if column == "instance":
            numbers = _rows(self.meta["instance_numbers"], numbers)
        return np.asarray(np.array([*self.meta[f"{column}_names"], ""], object)[numbers])

    def __getitem__(self, name: str) -> Array:
        if name not in self.columns:
            raise KeyError(f"{name!r} was not rendered, but {', '.join(self.columns)}")
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def list_renders(path: File) -> list[Key]:
    """The view layers and views in a picture of the engine Raypick; the view is None without views.

    Errors are those of :func:`read_render`.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from standalone_core.tables import list_renders, write_exr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = {"ViewLayer.Combined.R": np.ones((2, 3), np.float32)}
    ...     header = '{"version": 1, "passes": {}, "resolution": [3, 2]}'
    ...     write_exr(f"{folder}/shot.exr", picture, {"raypick/ViewLayer": header})
    ...     list_renders(f"{folder}/shot.exr")
    [('ViewLayer', None)]
    """
    with _naming(path):
        return [*headers_in(ExrFile(path), path)]


def read_render(path: File, layer: str | None = None, view: str | None = None) -> Render:
    """Read what Blender rendered with the engine Raypick to *OpenEXR MultiLayer*.

    Parameters
    ----------
    path : path-like
        A file that :func:`read_exr` can read.
    layer : str, optional
        The view layer; it need not be named if there is one.
    view : str, optional
        The view, such as "left", if there are several. A file of one view that does not tell which
        it shows, as Blender 5 writes for *Individual* views, shows the one whose suffix its name
        ends in; if it was renamed, it is taken to show this one.

    Raises
    ------
    TableFileError
        If the file is not of the engine, if what its header says does not fit the pixels, as after
        scaling or cropping, or as for :func:`read_exr`.
    ArgumentError
        If the layer or view is not there, or not named though there are several.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import json, tempfile
    >>> import numpy as np
    >>> from standalone_core.tables import read_render, write_exr
    >>> header = {"version": 1, "resolution": [2, 1], "object_names": ["Cube", "Lamp"]}
    >>> header |= {"passes": {"Object": ["object", "id", 1], "Depth": ["depth", "number", 1]}}
    >>> stored = {"ViewLayer.Object.X": [[2, 0]], "ViewLayer.Depth.X": [[4.5, np.inf]]}
    >>> stored = {name: np.array(pixels, np.float32) for name, pixels in stored.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_exr(f"{folder}/shot.exr", stored, {"raypick/ViewLayer": json.dumps(header)})
    ...     render = read_render(f"{folder}/shot.exr")
    >>> render["object"].tolist(), render.names("object").tolist(), render["depth"].tolist()
    ([[1, -1]], [['Lamp', '']], [[4.5, inf]])
    """
    with _naming(path):
        return _read(path, layer, view)


@contextmanager
def _naming(path: File) -> Iterator[None]:
    """Name the file in errors about it, as it may be one of many."""
    try:
        yield
    except (TableFileError, ArgumentError) as error:
        raise type(error)(f"{path_of(path)}: {error}") from None


def _read(path: File, layer: str | None, view: str | None) -> Render:
    file = ExrFile(path)
    (its_layer, its_view), header = chosen_header(headers_in(file, path), layer, view)
    missing = outside(file, header.meta)
    stored = file.read([name for names in header.channels.values() for name in names])
    columns: dict[str, Array] = {}
    for title, (column, kind, _) in header.meta["passes"].items():
        found = _column(column, kind, [stored[name] for name in header.channels[title]])
        found[missing] = _miss(column, kind)
        columns[column] = found
    _check_ids(columns, header.meta)
    return Render(columns, its_layer, its_view, header.meta)


def _column(column: str, kind: str, stored: list[Array]) -> Array:
    """A column (H, W) or (H, W, k) of stored channels, the bottom row first."""
    is_free = column.startswith(_ATTRIBUTE) and kind != "long"
    width = 2 if kind == "long" else len(VECTORS.get(column, "1"))
    if len(stored) != width and not is_free:
        raise damaged(f"{column} is in {len(stored)} channels, not {width}")
    if any(each.dtype != np.float32 for each in stored):
        raise TableFileError(f"{column} is not in single precision, as it was rendered")
    numbers = np.stack([each[::-1] for each in stored], axis=-1)
    if kind != "number":
        most = 1 if kind == "flag" else _HALF
        if not ((numbers >= 0) & (numbers <= most) & (np.floor(numbers) == numbers)).all():
            raise TableFileError(f"the picture was changed: {column} is not in whole numbers")
    if kind == "long":
        low, high = np.moveaxis(numbers.astype(np.int64), -1, 0)
        return np.asarray(low + _HALF * high - 1)
    if kind == "id":
        numbers = numbers.astype(np.int32) - np.int32(1)
    if kind == "flag":
        numbers = numbers == 1
    return numbers if len(stored) > 1 else numbers[..., 0]


def _miss(column: str, kind: str) -> float:
    """What a column has where nothing is hit."""
    if kind == "number":
        return math.inf if column in _INFINITE else math.nan
    return 0 if kind == "flag" else -1


def _check_ids(columns: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
    """TableFileError if an id has no name."""
    for column in (each for each in IDS if each in columns):
        ids, names = columns[column], items(meta, f"{column}_names", str)
        if column == "instance":
            numbers = items(meta, "instance_numbers", int)
            if len(numbers) != len(names) or any(not 0 <= each < _HALF**2 for each in numbers):
                raise damaged("it has no table of instances")
            is_known = (_rows(numbers, ids) >= 0) | (ids < 0)
        else:
            is_known = ids < len(names)
        if not is_known.all():
            raise TableFileError(f"the header does not name all numbers of {column}")


def _rows(known: list[int], numbers: Array) -> Array:
    """Where numbers from 0 on stand in a list; -1 for others."""
    listed = np.array([*known, -1], np.int64)
    order = np.argsort(listed[:-1], kind="stable")
    rows = np.append(order, -1)[np.searchsorted(listed[:-1], numbers, sorter=order)]
    return np.where((listed[rows] == numbers) & (numbers >= 0), rows, -1)
