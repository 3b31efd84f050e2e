# SPDX-License-Identifier: MIT
"""Casts of chunks of rays at one mesh or scene, on whatever Dask runs on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from ..arguments import Cull, Selection
from ..cast.caster import Caster
from .packages import RayNumbers
from .ray_arrays import RayArrays, checked_names
from .ray_blocks import RayBlocks, named
from .target import Target, chosen, planned

Mesh = Caster | str | os.PathLike[str]
"""A mesh, a scene, or the path of a mesh's file that every worker can read."""


def cast_rays(
    mesh: Mesh,
    origins: RayNumbers,
    directions: RayNumbers | None = None,
    max_distance: RayNumbers = np.inf,
    cull: Cull | ArrayLike = None,
    exclude: Selection = None,
    *,
    only: Selection = None,
    min_distance: RayNumbers | None = None,
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
        each worker. A file must be readable by that path on every worker; its content must still
        be what it is now when it is read there. Each process reads it once. A file with parts in
        other files, such as a glTF with its buffers beside it, is refused.
    origins, directions : dask.array.Array or array_like (..., 3)
        As for :meth:`.Mesh.cast_rays`, in any chunks. Arrays in memory are cut into chunks of some
        hundred thousand rays. :class:`.Rays` may stand in the place of both.
    max_distance, min_distance : float, dask.array.Array or array_like (...), optional
    cull, exclude, only
        As for :meth:`.Mesh.cast_rays`.
    hits : {"nearest", "any", "count"}
        What is asked of each ray: its nearest hit, whether there is any, or how many there are.
    columns : str or sequence of str, optional
        Which columns of the nearest hits are kept; by default all of :class:`.RayHits`, with
        "hit" and "invalid".
    threads : int, optional
        How many threads cast a chunk. By default a worker of a cluster never uses more than it was
        given, for all its chunks together; and one a chunk without a cluster, where Dask casts
        several chunks at a time.

    Returns
    -------
    RayArrays
        The columns of the nearest hits, as arrays of Dask. With "any" or "count" a single array
        (...) of bool or int64.

    Raises
    ------
    MissingPackageError
        If Dask is not installed.
    MeshFileError
        If a file cannot be read, or may have parts in other files. On a worker, also if it has
        changed.
    RaypickError
        For bad arguments; those that only the mesh or the rays tell, when they are computed.

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
    names = checked_names(columns)
    rays = RayBlocks(origins, directions, max_distance, min_distance)
    if wanted == "nearest":
        target = planned(mesh, cull, exclude, only, threads, {"columns": names})
        return RayArrays(rays.map(nearest, target, np.float64), names)
    target = planned(mesh, cull, exclude, only, threads)
    if wanted == "any":
        return rays.map(any_hit, target, np.bool_)
    return rays.map(count_hits, target, np.int64)


def nearest(*rays: Any, target: Target) -> dict[str, npt.NDArray[Any]]:
    """The wanted columns of the nearest hits of a chunk, each an array by itself."""
    options = dict(target.options)
    names = options.pop("columns")
    with target.caster() as caster:
        hits = caster.cast_rays(**named(rays), **options)
        return {name: np.array(getattr(hits, name)) for name in names}


def any_hit(*rays: Any, target: Target) -> npt.NDArray[np.bool_]:
    """Whether the rays of a chunk hit anything."""
    with target.caster() as caster:
        return np.asarray(caster.any_hit(**named(rays), **target.options))


def count_hits(*rays: Any, target: Target) -> npt.NDArray[np.int64]:
    """How many hits each ray of a chunk has."""
    with target.caster() as caster:
        return np.asarray(caster.count_hits(**named(rays), **target.options))
