# SPDX-License-Identifier: MIT
"""The columns of hits that are not computed yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..concurrency.forks import imported
from ..errors import ArgumentError
from ..numerics.reading import iterable
from .packages import DaskArray, Option, dask_array

KINDS: dict[str, tuple[type, int]] = {
    "distance": (np.float64, 1),
    "point": (np.float64, 3),
    "normal": (np.float64, 3),
    "triangle": (np.int64, 1),
    "face": (np.int64, 1),
    "barycentric": (np.float64, 3),
    "front": (np.bool_, 1),
    "instance": (np.int64, 1),
    "hit": (np.bool_, 1),
    "invalid": (np.bool_, 1),
}
"""The columns of :class:`.RayHits`: the type of their numbers, and how many there are in a row."""


class RayArrays(Mapping[str, Any]):
    """Columns of :class:`.RayHits` as arrays of Dask, by name or as attributes.

    Those that are computed together come of one cast of each chunk of rays: by :meth:`compute`, by
    ``dask.compute(hits.face, hits.point)``, or in one step of what is made of them.

    Attributes
    ----------
    distance : dask.array.Array (...)
    point, normal, barycentric : dask.array.Array (..., 3)
    triangle, face, instance : dask.array.Array (...) of int64
    front, hit, invalid : dask.array.Array (...) of bool
        Of these, those that were asked for.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> origins = da.from_array(np.array([(0.25, 0.25, 1), (9, 9, 1)]), chunks=(1, 3))
    >>> hits = sc.distributed.cast_rays(mesh, origins, (0, 0, -1), columns=["face", "point"])
    >>> list(hits), hits.face.compute().tolist()
    (['face', 'point'], [0, -1])
    >>> hits.compute()["point"].tolist()
    [[0.25, 0.25, 0.0], [nan, nan, nan]]
    """

    def __init__(self, rows: DaskArray, names: tuple[str, ...]) -> None:
        self._arrays = {name: _column(rows, name) for name in names}

    def compute(self, **options: Option) -> dict[str, npt.NDArray[Any]]:
        """All columns as NumPy arrays; the options are those of ``dask.compute``."""
        (computed,) = imported("dask").compute(self._arrays, **options)
        return dict(computed)

    def __getitem__(self, name: str) -> Any:
        return self._arrays[name]

    def __getattr__(self, name: str) -> Any:
        arrays = self.__dict__.get("_arrays", {})
        if name in arrays:
            return arrays[name]
        there = f"there are {', '.join(arrays)}"
        if name in KINDS:
            raise AttributeError(f"the column {name!r} was not asked for: {there}")
        raise AttributeError(f"no column is called {name!r}: {there}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shape = next(iter(self._arrays.values())).shape if self._arrays else ()
        return f"<RayArrays {', '.join(self._arrays)}; the first of shape {shape}>"


def checked_names(columns: Any) -> tuple[str, ...]:
    """The names of columns, all of them by default."""
    if columns is None:
        return tuple(KINDS)
    names = (columns,) if isinstance(columns, str) else tuple(iterable(columns, "columns"))
    unknown = [name for name in names if not isinstance(name, str) or name not in KINDS]
    if unknown or not names:
        known = ", ".join(KINDS)
        got = repr(unknown[0]) if unknown else "none"
        raise ArgumentError(f"columns must be some of {known}, not {got}")
    return tuple(dict.fromkeys(names))


def _column(rows: Any, name: str) -> Any:
    """One column of chunks that hold several."""
    dtype, size = KINDS[name]
    axes = tuple(range(rows.ndim))
    inner = {} if size == 1 else {rows.ndim: size}
    return dask_array().blockwise(
        column_of,
        (*axes, *inner),
        rows,
        axes,
        column=name,
        token=f"raypick-{name}",
        new_axes=inner,
        dtype=dtype,
        meta=np.empty((0,) * (rows.ndim + len(inner)), dtype),
    )


def column_of(chunk: Mapping[str, Any], column: str) -> Any:
    """One column of a chunk."""
    return chunk[column]
