# SPDX-License-Identifier: MIT
"""All hits of many rays, as a data frame of Dask with a row for each hit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..arguments import Cull, Selection
from ..cast.hits import misses
from ..errors import ShapeError
from ..numerics.arrays import IntArray
from ..numerics.columns import flat
from .packages import RayNumbers, dask_delayed, dask_frame
from .ray_arrays import KINDS, checked_names
from .ray_blocks import RayBlocks, named
from .rays import Mesh
from .target import Target, planned

_OF_NEAREST = ("hit", "invalid")  # columns that say nothing of a hit


def cast_rays_all(
    mesh: Mesh,
    origins: RayNumbers,
    directions: RayNumbers | None = None,
    max_distance: RayNumbers = np.inf,
    cull: Cull | ArrayLike = None,
    exclude: Selection = None,
    *,
    only: Selection = None,
    min_distance: RayNumbers | None = None,
    max_hits: int | None = None,
    columns: str | Sequence[str] | None = None,
    threads: int | None = None,
) -> Any:
    """Plan a data frame of all hits of many rays, chunk by chunk; ``to_parquet`` writes it.

    Parameters are those of :func:`cast_rays`, and `max_hits` is that of
    :meth:`.Mesh.cast_rays_all`: the nearest so many of each ray are kept, which bounds the memory.

    Returns
    -------
    dask.dataframe.DataFrame
        A row a hit, and a partition a chunk. The column `ray` is the number of the ray among all,
        counted as :meth:`numpy.ndarray.ravel` does; then follow the columns of the hits:
        `distance`, `point_x`, `barycentric_a` and so on. In a partition the rays are in order, and
        the hits of each the nearest first.

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
    frames, _ = dask_frame()
    names = tuple(name for name in checked_names(columns) if name not in _OF_NEAREST)
    arguments.most(max_hits, "max_hits")
    rays = RayBlocks(origins, directions, max_distance, min_distance)
    if any(size != size for size in rays.shape):
        raise ShapeError(
            "Dask does not know how many rays there are: call compute_chunk_sizes() of their arrays"
        )
    more = {"columns": names, "max_hits": max_hits}
    target = planned(mesh, cull, exclude, only, threads, more)
    chunks = rays.map(every_hit, target, np.float64)
    parts = _delayed_frames(chunks)
    empty = _frame(_columns_of(misses(0), names), np.empty(0, np.int64))
    return frames.from_delayed(parts, meta=empty, verify_meta=False)


def every_hit(*rays: Any, target: Target) -> tuple[dict[str, Any], IntArray]:
    """The wanted columns of all hits of a chunk, and where those of each ray begin."""
    options = dict(target.options)
    names = options.pop("columns")
    with target.caster() as caster:
        hits, splits = caster.cast_rays_all(**named(rays), **options)
        return _columns_of(hits, names), splits


def frame_of(chunk: Any, shape: tuple[int, ...], starts: list[int], sizes: list[int]) -> Any:
    """The hits of a chunk as rows; it starts there, and has that size, along each axis of all."""
    columns, splits = chunk
    along = (np.arange(start, start + size) for start, size in zip(starts, sizes, strict=True))
    grid = np.ravel_multi_index(np.ix_(*along), shape) if shape else np.zeros((), np.int64)
    return _frame(columns, np.repeat(grid.ravel(), np.diff(splits)))


def _delayed_frames(chunks: Any) -> list[Any]:
    """A frame for each chunk, with the numbers of its rays."""
    frame = dask_delayed()(frame_of, pure=True, traverse=False)
    blocks = np.asarray(chunks.to_delayed(optimize_graph=False))
    starts = [np.cumsum([0, *sizes[:-1]]) for sizes in chunks.chunks]
    return [
        frame(
            blocks[index],
            chunks.shape,
            [int(start[i]) for start, i in zip(starts, index, strict=True)],
            [int(sizes[i]) for sizes, i in zip(chunks.chunks, index, strict=True)],
        )
        for index in np.ndindex(blocks.shape)
    ]


def _columns_of(hits: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: np.array(getattr(hits, name), KINDS[name][0]) for name in names}


def _frame(columns: dict[str, Any], rays: IntArray) -> Any:
    _, pandas = dask_frame()
    return pandas.DataFrame({"ray": rays, **flat(columns, rays.shape)})
