# SPDX-License-Identifier: MIT
"""Rays as arrays of Dask, and functions of one chunk of all of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import ArgumentError, DtypeError, ShapeError
from ..numerics.arrays import FloatArray
from ..ray import Rays
from .packages import dask_array

# Bytes of origins in a chunk of arrays that are in memory: 700,000 rays.
_CHUNK = 1 << 24

_UNKNOWN = (
    "Dask does not know how many rays there are, and {why}: call compute_chunk_sizes() of their "
    "arrays"
)

_NAMES = ("origins", "directions", "max_distance", "min_distance")

# How many axes a row of each has.
_INNER = (1, 1, 0, 0)


class RayBlocks:
    """Origins and directions (..., 3), which are broadcast, and limits (...) that fit them.

    Each may be an array of Dask, or in memory. They are cut where any of those of Dask is.
    """

    def __init__(self, origins: Any, directions: Any, max_distance: Any, min_distance: Any) -> None:
        if isinstance(origins, Rays) and directions is None:
            origins, directions = origins
        if directions is None:
            raise ArgumentError("rays are origins and directions, or Rays alone as cameras make")
        least = 0.0 if min_distance is None else min_distance
        arrays = [_points(origins, "origins"), _points(directions, "directions")]
        arrays += [_limits(max_distance, "max_distance"), _limits(least, "min_distance")]
        shapes = [_outer(*each) for each in zip(arrays, _INNER, strict=True)]
        self.shape = _common_shape(shapes)
        if not np.array_equal(self.shape, _common_shape(shapes[:2]), equal_nan=True):
            raise ShapeError(f"limits of the shapes {shapes[2:]} must fit rays of {shapes[:2]}")
        self._arrays = _all_in_chunks(arrays, self.shape)

    def map(self, function: Callable[..., Any], target: Any, dtype: npt.DTypeLike) -> Any:
        """What a function makes of each chunk, as an array of Dask.

        It is called with the four arrays of a chunk, which may need broadcasting, and the target.
        The type is that of its results; where these are no arrays, it is for Dask alone.
        """
        axes = tuple(range(len(self.shape)))
        with_axes: list[Any] = []
        for array, inner in zip(self._arrays, _INNER, strict=True):
            if _is_chunked(array):
                first = len(axes) - (array.ndim - inner)
                with_axes += [array, axes[first:] + (len(axes),) * inner]
            else:
                with_axes += [array, None]
        try:
            return dask_array().blockwise(
                _Unwrapped(function, [*map(_unknown_axes, self._arrays, _INNER)]),
                axes,
                *with_axes,
                target=target,
                token=f"raypick-{function.__name__}",
                dtype=dtype,
                meta=np.empty((0,) * len(axes), dtype),
            )
        except ValueError as error:
            if not any(map(np.isnan, self.shape)):
                raise
            raise ShapeError(_UNKNOWN.format(why="their arrays are cut differently")) from error


def named(rays: tuple[Any, ...]) -> dict[str, Any]:
    """What a function of a chunk is called with, as arguments of casts."""
    return dict(zip(_NAMES, rays, strict=True))


class _Unwrapped:
    """A function whose arrays come in lists of one, as Dask passes axes that are not in a result.

    To have them concatenated instead would copy them. Lengths that Dask did not know are compared.
    """

    def __init__(self, function: Callable[..., Any], unknown: list[list[int]]) -> None:
        self.function, self.unknown = function, unknown

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        found = [*map(_unwrapped, arrays)]
        _check_lengths(found, self.unknown)
        return self.function(*found, **options)

    def __dask_tokenize__(self) -> Any:
        return f"{self.function.__module__}.{self.function.__qualname__}", self.unknown


def _unknown_axes(array: Any, inner: int) -> list[int]:
    """The axes along which Dask does not know the length, counted from the last one of rows."""
    return [axis for axis, size in enumerate(reversed(_outer(array, inner))) if size != size]


def _check_lengths(arrays: list[Any], unknown: list[list[int]]) -> None:
    """Raise ShapeError if lengths of a chunk that Dask did not know differ, also if one is 1."""
    known: dict[int, tuple[str, int]] = {}
    for array, name, inner, axes in zip(arrays, _NAMES, _INNER, unknown, strict=True):
        for axis in axes:
            length = np.shape(array)[-1 - axis - inner]
            other, wanted = known.setdefault(axis, (name, length))
            if length != wanted:
                raise ShapeError(f"a chunk has {wanted} rows of {other}, but {length} of {name}")


def _unwrapped(array: Any) -> Any:
    while isinstance(array, list):
        (array,) = array
    return array


def _is_chunked(array: Any) -> bool:
    return isinstance(array, dask_array().Array)


def _points(value: Any, name: str) -> Any:
    """Points (..., 3), which are not cut along the last axis."""
    if not _is_chunked(value):
        points = arguments.points(value, name)
        # Dask copies what it cuts; a single point, which it does not cut, may be the caller's.
        return points.copy() if points.ndim == 1 else points
    if value.ndim < 1 or value.shape[-1] != 3:
        raise ShapeError(f"{name} must have shape (..., 3), not {value.shape}")
    return _numbers(value, name).rechunk({value.ndim - 1: -1})


def _limits(value: Any, name: str) -> Any:
    """Numbers (...); a single one must be a distance."""
    if _is_chunked(value):
        return _numbers(value, name)
    array = arguments.floats(value, name)
    return np.asarray(arguments.distance(value, name)) if array.ndim == 0 else array


def _numbers(array: Any, name: str) -> Any:
    """An array of Dask whose chunks are looked at once they are there."""
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} must be real numbers, not of {array.dtype}")
    return array.map_blocks(
        as_declared, name, dtype=array.dtype, meta=array._meta, token=f"raypick-{name}"
    )


def as_declared(chunk: Any, name: str, block_info: Any = None) -> Any:
    """The chunk, or ShapeError if its shape is not the one that its array declares.

    Dask does not look: rows that are missing would be missing in the answer, or be broadcast.
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


def _outer(array: Any, inner: int) -> tuple[Any, ...]:
    """The shape (...) that rows stand in; a length that Dask does not know is NaN."""
    return tuple(array.shape[: array.ndim - inner])


def _common_shape(shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The shape that all have together; where lengths are not known, the chunks will tell more."""
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


def _all_in_chunks(arrays: list[Any], shape: tuple[Any, ...]) -> list[Any]:
    """Those in memory cut as those of Dask, but for single rows, which all chunks share."""
    outer = [_outer(*each) for each in zip(arrays, _INNER, strict=True)]
    if not any(map(_is_chunked, arrays)) and not shape:
        return [dask_array().from_array(arrays[0], chunks=-1), *arrays[1:]]
    if all(_is_chunked(a) or not rows for a, rows in zip(arrays, outer, strict=True)):
        return arrays
    if any(map(np.isnan, shape)):
        raise ShapeError(_UNKNOWN.format(why="some of their values are in memory"))
    cuts = _cuts([a for a in zip(arrays, outer, strict=True) if _is_chunked(a[0])], shape)
    return [
        array if _is_chunked(array) or not rows else _cut(array, rows, cuts)
        for array, rows in zip(arrays, outer, strict=True)
    ]


def _cuts(chunked: list[tuple[Any, tuple[int, ...]]], shape: tuple[int, ...]) -> list[Any]:
    """The chunks along each axis: those of an array of Dask, or of a good size."""
    cuts: list[Any] = ["auto"] * len(shape)
    for array, rows in chunked:
        for axis, size in enumerate(rows, len(shape) - len(rows)):
            if size == shape[axis]:
                cuts[axis] = array.chunks[axis - len(shape) + len(rows)]
    normalized = dask_array().core.normalize_chunks
    return list(normalized((*cuts, -1), (*shape, 3), limit=_CHUNK, dtype=np.float64)[:-1])


def _cut(array: FloatArray, rows: tuple[int, ...], cuts: list[Any]) -> Any:
    """An array in memory as one of Dask."""
    own = cuts[len(cuts) - len(rows) :]
    chunks = [cut if sum(cut) == size else -1 for cut, size in zip(own, rows, strict=True)]
    return dask_array().from_array(array, chunks=(*chunks, *[-1] * (array.ndim - len(rows))))
