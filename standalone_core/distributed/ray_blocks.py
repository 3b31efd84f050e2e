# SPDX-License-Identifier: MIT
"""Rays as arrays of Dask, and functions of one chunk of all of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import ArgumentError, DtypeError, ShapeError
from ..numerics.arrays import FloatArray
from ..ray import Rays
from .packages import dask_array

# Bytes of origins in a chunk of an array that is in memory: 700,000 rays.
_CHUNK = 1 << 24


class RayBlocks:
    """Origins, directions and limits, (..., 3) and (...), which are broadcast against each other.

    Each is an array of Dask, or small and of all chunks. What all the chunks have in common is
    for the caller's task: they are cut where any of the arrays is.
    """

    def __init__(self, origins: Any, directions: Any, max_distance: Any, min_distance: Any) -> None:
        if isinstance(origins, Rays) and directions is None:
            origins, directions = origins
        if directions is None:
            raise ArgumentError("rays are origins and directions, or Rays alone as cameras make")
        least = 0.0 if min_distance is None else min_distance
        given = {"origins": origins, "directions": directions}
        points = [_points(value, name) for name, value in given.items()]
        limits = [_limits(max_distance, "max_distance"), _limits(least, "min_distance")]
        self.shape = _common_shape([*(array.shape[:-1] for array in points), *_shapes(limits)])
        if not any(map(_is_chunked, (*points, *limits))):
            points[0] = _in_chunks(points[0], None)
        self._arrays = [*points, *limits]

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of the axes (...)."""
        return tuple(range(len(self.shape)))

    def map(self, function: Callable[..., Any], target: Any, dtype: npt.DTypeLike) -> Any:
        """What a function makes of each chunk, as an array of Dask.

        It is called with the four arrays of a chunk, which may need broadcasting, and the target.
        The type is that of its results; where these are no arrays, it is for Dask alone.
        """
        axes = tuple(range(len(self.shape)))
        with_axes: list[Any] = []
        for array, inner in zip(self._arrays, ((len(axes),), (len(axes),), (), ()), strict=True):
            if _is_chunked(array):
                outer = array.ndim - len(inner)
                with_axes += [array, axes[len(axes) - outer :] + inner]
            else:
                with_axes += [array, None]
        return dask_array().blockwise(
            _Unwrapped(function),
            axes,
            *with_axes,
            target=target,
            token=f"raypick-{function.__name__}",
            dtype=dtype,
            meta=np.empty((0,) * len(axes), dtype),
        )


def named(rays: tuple[Any, ...]) -> dict[str, Any]:
    """What a function of a chunk is called with, as arguments of casts."""
    return dict(zip(("origins", "directions", "max_distance", "min_distance"), rays, strict=True))


class _Unwrapped:
    """A function whose arrays come in lists of one, as Dask passes axes that are not in a result.

    To have them concatenated instead would copy them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return self.function(*map(_unwrapped, arrays), **options)

    def __dask_tokenize__(self) -> Any:
        return (f"{self.function.__module__}.{self.function.__qualname__}",)


def _unwrapped(array: Any) -> Any:
    while isinstance(array, list):
        (array,) = array
    return array


def _is_chunked(array: Any) -> bool:
    return isinstance(array, dask_array().Array)


def _points(value: Any, name: str) -> Any:
    """Points (..., 3), chunked but for a single one; never along the last axis."""
    if not _is_chunked(value):
        array: FloatArray = arguments.points(value, name)
        return array if array.ndim == 1 else _in_chunks(array, -1)
    if value.ndim < 1 or value.shape[-1] != 3:
        raise ShapeError(f"{name} must have shape (..., 3), not {value.shape}")
    return _numbers(value, name).rechunk({value.ndim - 1: -1})


def _limits(value: Any, name: str) -> Any:
    """A number, or numbers (...) in chunks."""
    if _is_chunked(value):
        return _numbers(value, name)
    array = arguments.floats(value, name)
    return arguments.distance(value, name) if array.ndim == 0 else _in_chunks(array, None)


def _numbers(array: Any, name: str) -> Any:
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} must be real numbers, not of {array.dtype}")
    return array


def _in_chunks(array: FloatArray, last: int | None) -> Any:
    """An array in memory as one of Dask; `last` is how its last axis is cut, None as the others."""
    da = dask_array()
    cuts: list[Any] = ["auto"] * array.ndim
    if array.ndim == 1 and array.shape == (3,) and last is None:
        cuts = [-1]
    elif last is not None:
        cuts[-1] = last
    chunks = da.core.normalize_chunks(tuple(cuts), array.shape, limit=_CHUNK, dtype=array.dtype)
    return da.from_array(array, chunks=chunks)


def _shapes(limits: list[Any]) -> list[tuple[Any, ...]]:
    return [limit.shape for limit in limits if _is_chunked(limit)]


def _common_shape(shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The shape that all have together; where Dask does not know a length, it is NaN."""
    try:
        known = [tuple(-1 if size != size else int(size) for size in shape) for shape in shapes]
        if all(-1 not in shape for shape in known):
            return np.broadcast_shapes(*known)
        longest = max(shapes, key=len)
        return tuple(longest)
    except ValueError:
        raise ShapeError(f"rays of the shapes {shapes} do not fit each other") from None
