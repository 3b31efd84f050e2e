# SPDX-License-Identifier: MIT
"""Casting of the rays of a file at the mesh of another."""

import hashlib
import json
import time
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cast.rays import Query
from ..cast.read_rays import many_rays
from ..console import Progress, UsageError, about
from ..engines import check_engine, lengths_of
from ..errors import ArgumentError
from ..files.whole_file import TakenFiles, check_readable
from ..mesh import Mesh
from ..scene import Scene
from ..scene_file import load_mesh_or_scene
from ..tables import RayTable, read_rays, text
from ..tables.answers import is_answer, write_answer
from ..tables.formats import check_can_read_rays, check_can_write, format_of

ANSWERS = ("nearest", "any", "count", "all")
"""What may be asked of each ray."""

COLUMNS = ("instance", "face", "triangle", "barycentric", "point", "normal", "distance", "front")
"""The columns of hits; of a mesh by itself the instance is 0."""

INVALID = "invalid"
"""The column of the nearest hits that tells rays that cannot be cast from misses."""

# Rays that are cast at a time: enough for all cores, and few enough for some progress.
_ROWS = 1 << 17

Array = npt.NDArray[Any]

# How many hits each row of a column stands for, of the first column that is there.
_IS_HIT: dict[str, Callable[[Array], Array]] = {
    **dict.fromkeys(("ray", "face", "triangle"), lambda ids: ids >= 0),
    **dict.fromkeys(("hit", "count"), np.asarray),
    "distance": np.isfinite,
}

_VERSION = 1  # of what is asked and how it is answered


def cast(asked: Namespace) -> dict[str, Any]:
    """Do what the command "cast" asks for; return what is reported of it."""
    _check(asked)
    start = time.monotonic()
    with about(asked.rays):
        rays = _in_rows(read_rays(asked.rays))
    with about(asked.mesh):
        mesh = load_mesh_or_scene(asked.mesh, asked.engine, threads=asked.threads)
    question = _question(asked, mesh, rays)
    facts = {"output": asked.out, "rays": int(np.prod(rays.shape)), "hits": asked.hits}
    bad = {"triangles_not_finite": triangles_not_finite(mesh), "invalid": _invalid(asked, rays)}
    facts |= {what: count for what, count in bad.items() if count}
    if asked.resume and is_answer(asked.out, question):
        return {**facts, "state": "was complete"}
    columns, extra = _answer(asked, mesh, rays)
    meta = {"hits": asked.hits, "rays": list(rays.shape)}
    names = _names(mesh, columns)
    write_answer(asked.out, question, columns, names=names, extra=extra, meta=meta)
    seconds = round(time.monotonic() - start, 3)
    return {**facts, **_found(columns), "seconds": seconds, "state": "done"}


def _check(asked: Namespace) -> None:
    """UsageError if options do not go together, before any work is done."""
    try:
        kind = format_of(asked.out)
    except ArgumentError as error:
        raise UsageError(str(error)) from None
    if asked.columns and asked.hits in ("any", "count"):
        raise UsageError(f"--columns are those of hits, which --hits {asked.hits} does not write")
    if asked.hits == "all" and INVALID in (asked.columns or ()):
        raise UsageError("--hits all has a row for each hit, which an invalid ray has not")
    if asked.resume and kind is text:
        raise UsageError("--resume needs an output that says what it answers: .npz or .parquet")
    check_engine(asked.engine)
    check_can_write(asked.out)
    with about(asked.rays):
        check_can_read_rays(asked.rays)
    check_read_and_kept(asked.out, asked.mesh, asked.rays)


def check_read_and_kept(out: str, *read: str) -> None:
    """UsageError if the output would replace a file that is read; OSError if one cannot be read."""
    taken = TakenFiles()
    for path in filter(None, read):
        taken.add(f"{path!r}, which is read", path)
    try:
        taken.check("the output", out)
    except ArgumentError as error:
        raise UsageError(str(error)) from None
    for path in read:
        check_readable(path)


def _in_rows(rays: RayTable) -> RayTable:
    """The same rays; a single one as a row, which a table has."""
    if rays.shape:
        return rays
    low, high = (None if each is None else each[None] for each in rays[2:])
    return RayTable(rays.origins[None], rays.directions[None], low, high)


def _question(asked: Namespace, mesh: Mesh | Scene, rays: RayTable) -> str:
    """A fingerprint of all that the answer depends on, whatever files it was read from."""
    digest = hashlib.blake2b(digest_size=16)
    columns = _columns(asked)
    options = (asked.hits, asked.max_distance, asked.cull, columns)
    told = _names(mesh, columns), [each.border for each in meshes_of(mesh)]
    digest.update(json.dumps([_VERSION, rays.shape, options, told]).encode())
    for array in (*_arrays(mesh), *rays):
        digest.update(b"none" if array is None else f"{array.dtype.str}{array.shape}".encode())
        digest.update(b"" if array is None else np.ascontiguousarray(array).reshape(-1).data)
    return digest.hexdigest()


def _arrays(mesh: Mesh | Scene) -> Iterator[Array]:
    """All numbers of a mesh, or of a scene and its meshes."""
    if isinstance(mesh, Mesh):
        yield from (mesh.vertices, mesh.triangles, mesh.faces)
        return
    meshes = meshes_of(mesh)
    numbers = {id(each): number for number, each in enumerate(meshes)}
    for identifier in mesh:
        instance = mesh[identifier]
        yield instance.matrix
        yield np.array(numbers[id(instance.mesh)])
    for each in meshes:
        yield from _arrays(each)


def _names(mesh: Mesh | Scene, columns: Collection[str]) -> dict[str, list[str]]:
    """The names of instances, if there are any and their numbers are written."""
    if isinstance(mesh, Mesh) or "instance" not in columns:
        return {}
    return {"instance": [mesh[identifier].name or "" for identifier in mesh]}


def _columns(asked: Namespace) -> tuple[str, ...]:
    if asked.hits in ("any", "count"):
        return ()
    return asked.columns or (COLUMNS if asked.hits == "all" else (*COLUMNS, INVALID))


def _answer(
    asked: Namespace, mesh: Mesh | Scene, rays: RayTable
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The columns of all rays, a part of them at a time, and extra arrays."""
    if asked.hits == "all":
        return _all_hits(asked, mesh, rays)
    columns: dict[str, Array] = {}
    for rows, given in _parts(asked, rays):
        for name, part in _of_each(asked, mesh, given).items():
            whole = columns.setdefault(name, np.empty((_count(rays), *part.shape[1:]), part.dtype))
            whole[rows] = part
    return {name: each.reshape(*rays.shape, *each.shape[1:]) for name, each in columns.items()}, {}


def _of_each(asked: Namespace, mesh: Mesh | Scene, given: dict[str, Any]) -> dict[str, Array]:
    if asked.hits == "any":
        return {"hit": mesh.any_hit(**given)}
    if asked.hits == "count":
        return {"count": mesh.count_hits(**given)}
    hits = mesh.cast_rays(**given)
    return {name: getattr(hits, name) for name in _columns(asked)}


def _all_hits(
    asked: Namespace, mesh: Mesh | Scene, rays: RayTable
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The columns of all hits, with the ray of each, and where those of each ray begin."""
    parts: dict[str, list[Array]] = {name: [] for name in _columns(asked)}
    counts = []
    for _, given in _parts(asked, rays):
        hits, splits = mesh.cast_rays_all(**given)
        counts.append(np.diff(splits))
        for name, found in parts.items():
            found.append(getattr(hits, name))
    each = np.concatenate(counts)
    columns = {"ray": np.repeat(np.arange(len(each)), each)}
    for name in _columns(asked):
        columns[name] = np.concatenate(parts.pop(name))
    return columns, {"splits": np.concatenate([[0], np.cumsum(each)])}


def _count(rays: RayTable) -> int:
    return int(np.prod(rays.shape))


def _parts(asked: Namespace, rays: RayTable) -> Iterator[tuple[slice, dict[str, Any]]]:
    """The rows of each part of the rays, and the arguments of its cast, with progress."""
    with Progress("rays", shown=False if asked.quiet else None) as progress:
        for rows, given in _rays(asked, rays):
            yield rows, {**given, "cull": asked.cull, "threads": asked.threads}
            progress(rows.stop, _count(rays))


def _invalid(asked: Namespace, rays: RayTable) -> int:
    """How many rays cannot be cast, such as those without a direction."""
    lengths, count = partial(lengths_of, asked.engine), 0
    for _, given in _rays(asked, rays):
        given = {"max_distance": np.inf, "min_distance": None, **given}
        faults = many_rays(**given, query=Query(), invalid="miss", known_lengths=lengths).faults
        count += 0 if faults is None else int(np.count_nonzero(faults))
    return count


def _rays(asked: Namespace, rays: RayTable) -> Iterator[tuple[slice, dict[str, Any]]]:
    """The rows of each part of the rays, and these; there is one part at least."""
    count = _count(rays)
    origins, directions = rays.origins.reshape(-1, 3), rays.directions.reshape(-1, 3)
    limits = {
        "min_distance": _limit(rays.min_distance, None, count),
        "max_distance": _limit(rays.max_distance, asked.max_distance, count),
    }
    for start in range(0, max(count, 1), _ROWS):
        rows = slice(start, min(start + _ROWS, count))
        given = {"origins": origins[rows], "directions": directions[rows]}
        yield rows, given | {name: a[rows] for name, a in limits.items() if a is not None}


def _limit(stored: Array | None, asked: float | None, count: int) -> Array | None:
    """The limit of each ray: that of the file, or the nearer one that is asked for."""
    if stored is None:
        return None if asked is None else np.full(count, asked)
    return stored.reshape(-1) if asked is None else np.minimum(stored.reshape(-1), asked)


def _found(columns: dict[str, Array]) -> dict[str, int]:
    """How many hits were found, as far as the columns that are written tell."""
    for name, is_hit in _IS_HIT.items():
        if name in columns:
            return {"found": int(is_hit(columns[name]).sum())}
    return {}


def meshes_of(target: Mesh | Scene) -> list[Mesh]:
    """A mesh by itself, or those of a scene, each once, in the order of their first instances."""
    if isinstance(target, Mesh):
        return [target]
    meshes = dict.fromkeys(target[identifier].mesh for identifier in target)
    return [mesh for mesh in meshes if isinstance(mesh, Mesh)]  # as all of a file are


def triangles_not_finite(target: Mesh | Scene) -> int:
    """How many triangles no ray can hit, as a corner is NaN or infinite; of each mesh once."""
    count = 0
    for mesh in meshes_of(target):
        known = np.all(np.isfinite(mesh.vertices), axis=1)
        if not known.all():
            count += int(np.count_nonzero(~known[mesh.triangles].all(axis=1)))
    return count
