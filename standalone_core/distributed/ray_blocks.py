# SPDX-License-Identifier: MIT
"""Rays as Dask arrays, and functions that are applied to one chunk of rays at a time.

Dask's ``blockwise`` applies them. Its ``apply_gufunc`` refuses two arrays of unknown length, and an
empty array together with one of a single row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..copies import of_this_copy
from ..errors import ArgumentError, DtypeError, ShapeError
from ..ray import Rays
from .workers import dask

_CHUNK = 1 << 24  # bytes of origins in a chunk cut from arrays in memory: 700,000 rays
_UNKNOWN = (
    "Dask does not know how many rays there are, and {why}: call compute_chunk_sizes() of their "
    "arrays"
)


class RayBlocks:
    """Origins and directions (..., 3), which are broadcast, and limits (...) that fit them.

    Each may be a Dask array or in memory. All are cut where any of the Dask arrays is cut.
    """

    def __init__(self, origins: Any, directions: Any, max_distance: Any, min_distance: Any) -> None:
        origins = of_this_copy(origins, Rays)
        if isinstance(origins, Rays) and directions is None:
            origins, directions = origins
        if directions is None:
            raise ArgumentError("rays are origins and directions, or Rays alone as cameras make")
        given = [
            _rows(origins, "origins", 1),
            _rows(directions, "directions", 1),
            _rows(max_distance, "max_distance", 0),
            _rows(0.0 if min_distance is None else min_distance, "min_distance", 0),
        ]
        shapes = [rows.shape for rows in given]
        self.shape = _common_shape(shapes)
        if not np.array_equal(self.shape, _common_shape(shapes[:2]), equal_nan=True):
            raise ShapeError(f"limits of the shapes {shapes[2:]} must fit rays of {shapes[:2]}")
        self._all = _cut_alike(given, self.shape)

    def map(self, function: Callable[..., Any], target: Any, dtype: npt.DTypeLike) -> Any:
        """The results of a function for each chunk, as a Dask array.

        The function is called with the caster and the options of a target, and with the four arrays
        of a chunk, which may need broadcasting. `dtype` is the type of its results; if these are no
        arrays, it only satisfies Dask.
        """
        axes = tuple(range(len(self.shape)))
        with_axes: list[Any] = []
        # For each unknown length: its axis among those of the rows, counted from the last; the
        # array's name; the array's own axis.
        unknown: list[tuple[int, str, int]] = []
        for rows in self._all:
            for axis, size in enumerate(reversed(rows.shape)):
                if size != size:
                    unknown.append((axis, rows.name, -1 - axis - rows.inner))
            its_axes = axes[len(axes) - len(rows.shape) :] + (len(axes),) * rows.inner
            with_axes += [rows.array, its_axes if rows.is_chunked else None]
        try:
            return dask("array").blockwise(
                of_chunk,
                axes,
                *with_axes,
                target=target,
                function=function,
                unknown=unknown,
                token=f"raypick-{function.__name__}",
                dtype=dtype,
                meta=np.empty((0,) * len(axes), dtype),
            )
        except ValueError as error:
            if not any(map(np.isnan, self.shape)):
                raise
            raise ShapeError(_UNKNOWN.format(why="their arrays are cut differently")) from error


class _Rows(NamedTuple):
    """An argument of casts: points or numbers (...), as a Dask array or in memory."""

    name: str
    array: Any
    inner: int
    """How many axes a row has: 1 of a point, 0 of a number."""

    @property
    def is_chunked(self) -> bool:
        return isinstance(self.array, dask("array").Array)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape (...) of the rows; a length that Dask does not know is NaN."""
        return tuple(self.array.shape[: self.array.ndim - self.inner])


def of_chunk(
    *arrays: Any, target: Any, function: Callable[..., Any], unknown: list[tuple[int, str, int]]
) -> Any:
    """The result of a function for the four arrays of a chunk.

    ShapeError if lengths that Dask did not know differ, even if one is 1.
    """
    names = ("origins", "directions", "max_distance", "min_distance")
    rays = {}
    for name, array in zip(names, arrays, strict=True):
        while isinstance(array, list):  # as Dask passes axes that are not in the result
            (array,) = array
        rays[name] = array
    known: dict[int, tuple[str, int]] = {}
    for axis, name, own_axis in unknown:
        length = np.shape(rays[name])[own_axis]
        other, wanted = known.setdefault(axis, (name, length))
        if length != wanted:
            raise ShapeError(f"a chunk has {wanted} rows of {other}, but {length} of {name}")
    with target.caster() as caster:
        return function(caster, **rays, **target.options)


def _rows(value: Any, name: str, inner: int) -> _Rows:
    """Read points (..., 3), which are not cut along the last axis, or numbers (...)."""
    if isinstance(value, dask("array").Array):
        if inner and value.shape[-1:] != (3,):
            raise ShapeError(f"{name} must have shape (..., 3), not {value.shape}")
        if value.dtype.kind not in "fiu":
            raise DtypeError(f"{name} must be real numbers, not of {value.dtype}")
        array = value.map_blocks(
            as_declared, name, dtype=value.dtype, meta=value._meta, token=f"raypick-{name}"
        )
        return _Rows(name, array.rechunk({value.ndim - 1: -1}) if inner else array, inner)
    array = arguments.points(value, name) if inner else arguments.floats(value, name)
    if array.ndim == 0:
        arguments.distance(value, name)
    # Dask copies the arrays that it cuts. It does not cut a single row, which may be the caller's.
    return _Rows(name, array.copy() if array.ndim == inner else array, inner)


def as_declared(chunk: Any, name: str, block_info: Any = None) -> Any:
    """The chunk, or ShapeError if its shape is not the one that its array declares.

    Dask does not check it: missing rows would be missing in the answer, or be broadcast.
    """
    declared = [stop - start for start, stop in block_info[0]["array-location"]]
    found = np.shape(chunk)
    is_alike = len(found) == len(declared) and np.array_equal(
        np.where(np.isnan(declared), found, declared), found
    )
    if not is_alike:
        place, wanted = block_info[0]["chunk-location"], tuple(declared)
        raise ShapeError(f"{name}: chunk {place} has shape {found}, not {wanted} as declared")
    return chunk


def _common_shape(shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The shape of all broadcast together; lengths that Dask does not know are checked later."""
    common: list[Any] = []
    for sizes in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        known = {size for size in sizes if size == size} - {1}
        is_unknown = any(size != size for size in sizes)
        if len(known) > 1:
            raise ShapeError(f"rays of the shapes {shapes} do not fit each other")
        if is_unknown and known:
            raise ShapeError(_UNKNOWN.format(why=f"some arrays have {known.pop()}"))
        common.append(np.nan if is_unknown else known.pop() if known else 1)
    return tuple(reversed(common))


def _cut_alike(given: list[_Rows], shape: tuple[Any, ...]) -> list[_Rows]:
    """Cut the arrays in memory as those of Dask, except single rows, which all chunks share."""
    if all(rows.is_chunked or not rows.shape for rows in given):
        return given
    if any(map(np.isnan, shape)):
        raise ShapeError(_UNKNOWN.format(why="some of their values are in memory"))
    cuts: list[Any] = ["auto"] * len(shape)
    for rows in given:
        first = len(shape) - len(rows.shape)
        for axis, size in enumerate(rows.shape, first):
            if rows.is_chunked and size == shape[axis]:
                cuts[axis] = rows.array.chunks[axis - first]
    normalized = dask("array").core.normalize_chunks
    cuts = normalized((*cuts, -1), (*shape, 3), limit=_CHUNK, dtype=np.float64)[:-1]

    def cut(rows: _Rows) -> _Rows:
        own = zip(cuts[len(cuts) - len(rows.shape) :], rows.shape, strict=True)
        chunks = [along if sum(along) == size else -1 for along, size in own]
        array = dask("array").from_array(rows.array, chunks=(*chunks, *[-1] * rows.inner))
        return rows._replace(array=array)

    return [rows if rows.is_chunked or not rows.shape else cut(rows) for rows in given]
