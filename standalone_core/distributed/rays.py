# SPDX-License-Identifier: MIT
"""Casts of rays at one mesh or scene, chunk by chunk, by any scheduler of Dask."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import Border, Culls, Selection
from ..cast.caster import Caster
from ..cast.hits import misses
from ..concurrency.forks import imported
from ..errors import ArgumentError, ShapeError
from ..hit import RayHits
from ..numerics.arrays import BoolArray, IntArray
from ..numerics.columns import flat
from ..numerics.reading import AnyArray, iterable
from .ray_blocks import RayBlocks
from .target import chosen, planned
from .workers import DaskArray, Option, RayNumbers, dask

Mesh = Caster | str | os.PathLike[str]
"""A mesh, a scene, or the path of a mesh's file that every worker can read."""


def cast_rays(
    mesh: Mesh,
    origins: RayNumbers,
    directions: RayNumbers | None = None,
    max_distance: RayNumbers = np.inf,
    cull: Culls = None,
    exclude: Selection = None,
    *,
    only: Selection = None,
    min_distance: RayNumbers | None = None,
    border: Border | None = None,
    hits: Literal["nearest", "any", "count"] = "nearest",
    columns: str | Sequence[str] | None = None,
    threads: int | None = None,
) -> Any:
    """Plan casts of many rays, chunk by chunk: nothing is cast before Dask is told to compute.

    The results are those of :meth:`.Mesh.cast_rays` to the last bit, however the rays are cut in
    chunks and wherever these are cast.

    Parameters
    ----------
    mesh : Mesh, PolygonMesh, Scene, or path-like
        What to cast at. A mesh in memory is taken as it is now, with its tree, and sent once to
        each worker. A file must be readable by that path on every worker, and must not have changed
        when it is read there. Each process reads it once. A file with parts in other files, such as
        a glTF with its buffers beside it, is refused.
    origins, directions : dask.array.Array or array_like (..., 3)
        As for :meth:`.Mesh.cast_rays`, in any chunks. Arrays in memory are cut into chunks of some
        hundred thousand rays. :class:`.Rays` may stand in the place of both.
    max_distance, min_distance : float, dask.array.Array or array_like (...), optional
    cull, exclude, only, border
        As for :meth:`.Mesh.cast_rays`.
    hits : {"nearest", "any", "count"}
        What to find for each ray: its nearest hit, whether it has any, or how many it has.
    columns : str or sequence of str, optional
        Which columns of the nearest hits are kept; by default all of :class:`.RayHits`, with
        "hit" and "invalid".
    threads : int, optional
        How many threads cast a chunk. By default a worker of a cluster never uses more than it was
        given, for all its chunks together. Without a cluster each chunk has one thread, as Dask
        casts several chunks at a time.

    Returns
    -------
    RayArrays
        The columns of the nearest hits, as Dask arrays. With "any" or "count" a single array (...)
        of bool or int64.

    Raises
    ------
    MissingPackageError
        If Dask is not installed.
    MeshFileError
        If a file cannot be read, or may have parts in other files. On a worker, also if it has
        changed.
    RaypickError
        For bad arguments: at once, or, if only the mesh or the rays tell, when Dask computes.

    Notes
    -----
    A process keeps the meshes it used last: 1 GiB of them, or as many bytes as the environment
    variable ``RAYPICK_MESH_CACHE`` says.

    Examples
    --------
    >>> import dask.array as da
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> origins = da.full((6, 3), 0.25, chunks=(2, 3))
    >>> hits = sc.distributed.cast_rays(mesh, origins, (0, 0, -1))
    >>> hits.distance.sum().compute().item()
    1.5
    >>> sc.distributed.cast_rays(mesh, origins, (0, 0, 1), hits="count").compute().tolist()
    [0, 0, 0, 0, 0, 0]
    """
    wanted = chosen(hits, ("nearest", "any", "count"), "hits")
    names = _checked_names(columns)
    rays = RayBlocks(origins, directions, max_distance, min_distance)
    shared = {"cull": cull, "exclude": exclude, "only": only, "border": border}
    if wanted == "nearest":
        target = planned(mesh, shared, threads, columns=names)
        return RayArrays(rays.map(nearest, target, np.float64), names)
    target = planned(mesh, shared, threads)
    if wanted == "any":
        return rays.map(any_hit, target, np.bool_)
    return rays.map(count_hits, target, np.int64)


def cast_rays_all(
    mesh: Mesh,
    origins: RayNumbers,
    directions: RayNumbers | None = None,
    max_distance: RayNumbers = np.inf,
    cull: Culls = None,
    exclude: Selection = None,
    *,
    only: Selection = None,
    min_distance: RayNumbers | None = None,
    border: Border | None = None,
    max_hits: int | None = None,
    columns: str | Sequence[str] | None = None,
    threads: int | None = None,
) -> Any:
    """Plan a data frame of all hits of many rays, chunk by chunk; ``to_parquet`` writes it.

    Parameters are those of :func:`cast_rays`, except `hits`, and the `max_hits` of
    :meth:`.Mesh.cast_rays_all`: of each ray only that many hits are kept, which bounds the memory.

    Returns
    -------
    dask.dataframe.DataFrame
        One row per hit, and one partition per chunk. The column `ray` is the number of the ray
        among all, counted as :meth:`numpy.ndarray.ravel` does; then follow the columns of the hits:
        `distance`, `point_x`, `barycentric_a` and so on. In a partition the rays are in order, and
        the hits of a ray are sorted by distance.

    Raises
    ------
    MissingPackageError
        If Dask, its data frames or pandas are not installed.
    ShapeError
        If Dask does not know how many rays there are; ``compute_chunk_sizes`` finds out.

    Examples
    --------
    >>> import dask.array as da
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1, 2]])
    >>> origins = da.full((2, 3), 0.25, chunks=(1, 3))
    >>> hits = sc.distributed.cast_rays_all(mesh, origins, (0, 0, -1), columns=["triangle"])
    >>> hits.compute().to_numpy().tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    frames = dask("dataframe")
    names = tuple(name for name in _checked_names(columns) if name not in ("hit", "invalid"))
    arguments.most(max_hits, "max_hits")
    rays = RayBlocks(origins, directions, max_distance, min_distance)
    if any(size != size for size in rays.shape):
        raise ShapeError(
            "Dask does not know how many rays there are: call compute_chunk_sizes() of their arrays"
        )
    shared = {"cull": cull, "exclude": exclude, "only": only, "border": border}
    target = planned(mesh, shared, threads, columns=names, max_hits=max_hits)
    chunks = rays.map(every_hit, target, np.float64).map_blocks(
        frame_of, token="raypick-frame", dtype=object, meta=np.empty((0,) * len(rays.shape), object)
    )
    parts = np.asarray(chunks.to_delayed(optimize_graph=False)).ravel().tolist()
    empty = _frame({name: _COLUMNS[name] for name in names}, np.empty(0, np.int64))
    return frames.from_delayed(parts, meta=empty, verify_meta=False)


class RayArrays(Mapping[str, Any]):
    """Columns of :class:`.RayHits` as Dask arrays, by name or as attributes.

    Columns that are computed together share one cast of each chunk of rays: by :meth:`compute`, by
    ``dask.compute(hits.face, hits.point)``, or as parts of one expression.

    Attributes
    ----------
    distance : dask.array.Array (...)
    point, normal, barycentric : dask.array.Array (..., 3)
    triangle, face, instance : dask.array.Array (...) of int64
    front, hit, invalid : dask.array.Array (...) of bool
        Only columns that were asked for are there.

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

    def __init__(self, chunks: DaskArray, names: tuple[str, ...]) -> None:
        self._arrays = {name: _column(chunks, name) for name in names}

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
        if name in _COLUMNS:
            raise AttributeError(f"the column {name!r} was not asked for: {there}")
        raise AttributeError(f"no column is called {name!r}: {there}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shape = next(iter(self._arrays.values())).shape if self._arrays else ()
        return f"<RayArrays {', '.join(self._arrays)}; the first of shape {shape}>"


_NO_HITS = misses(0)

# Empty columns, which have the dtype of each column and the shape of its values.
_COLUMNS: dict[str, AnyArray] = {
    name: getattr(_NO_HITS, name)
    for name in (*(field.name for field in fields(RayHits)), "hit", "invalid")
}


def _checked_names(columns: Any) -> tuple[str, ...]:
    if columns is None:
        return tuple(_COLUMNS)
    names = (columns,) if isinstance(columns, str) else tuple(iterable(columns, "columns"))
    unknown = [name for name in names if not isinstance(name, str) or name not in _COLUMNS]
    if unknown or not names:
        known = ", ".join(_COLUMNS)
        got = repr(unknown[0]) if unknown else "none"
        raise ArgumentError(f"columns must be some of {known}, not {got}")
    return tuple(dict.fromkeys(names))


def _column(chunks: DaskArray, name: str) -> Any:
    dtype, inner = _COLUMNS[name].dtype, _COLUMNS[name].shape[1:]
    return chunks.map_blocks(
        column_of,
        name,
        token=f"raypick-{name}",
        chunks=(*chunks.chunks, *inner),
        new_axis=[chunks.ndim] if inner else None,
        meta=np.empty((0,) * (chunks.ndim + len(inner)), dtype),
    )


# What workers do with a chunk


def nearest(caster: Caster, columns: tuple[str, ...], **rays: Any) -> dict[str, AnyArray]:
    """The wanted columns of the nearest hits."""
    return _columns_of(caster.cast_rays(**rays), columns)


def any_hit(caster: Caster, **rays: Any) -> BoolArray:
    """Whether each ray hits anything."""
    return np.asarray(caster.any_hit(**rays))


def count_hits(caster: Caster, **rays: Any) -> npt.NDArray[np.int64]:
    """How many hits each ray has."""
    return np.asarray(caster.count_hits(**rays))


def every_hit(
    caster: Caster, columns: tuple[str, ...], **rays: Any
) -> tuple[dict[str, AnyArray], IntArray]:
    """The wanted columns of all hits, and where those of each ray begin."""
    hits, splits = caster.cast_rays_all(**rays)
    return _columns_of(hits, columns), splits


def column_of(chunk: Mapping[str, AnyArray], name: str) -> AnyArray:
    """One column of a chunk."""
    return chunk[name]


def frame_of(chunk: tuple[dict[str, AnyArray], IntArray], block_info: Any = None) -> Any:
    """All hits of a chunk as rows, with their rays numbered across all chunks."""
    columns, splits = chunk
    shape, places = block_info[0]["shape"], block_info[0]["array-location"]
    along = (np.arange(start, stop) for start, stop in places)
    grid = np.ravel_multi_index(np.ix_(*along), shape) if shape else np.zeros((), np.int64)
    return _frame(columns, np.repeat(grid.ravel(), np.diff(splits)))


def _columns_of(hits: Any, names: tuple[str, ...]) -> dict[str, AnyArray]:
    """Copies of columns of hits: a view would keep the whole array in memory."""
    return {name: np.array(getattr(hits, name), _COLUMNS[name].dtype) for name in names}


def _frame(columns: dict[str, AnyArray], rays: IntArray) -> Any:
    pandas = imported("pandas")
    return pandas.DataFrame({"ray": rays, **flat(columns, rays.shape)})
