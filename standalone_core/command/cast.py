# SPDX-License-Identifier: MIT
"""The command that casts the rays of one file at the mesh of another."""

import hashlib
import json
import math
import time
from argparse import Namespace
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cast.rays import Query
from ..cast.read_rays import many_rays
from ..console import Progress, UsageError, about
from ..engines import check_engine, measured
from ..errors import ArgumentError
from ..files.whole_file import TakenFiles, check_readable
from ..mesh import Mesh
from ..scene import Scene
from ..scene_file import load_mesh_or_scene
from ..tables import RayTable, read_rays, text
from ..tables.answers import is_answer, write_answer
from ..tables.formats import check_can_read_rays, check_can_write, format_of

ANSWERS = ("nearest", "any", "count", "all")  # what may be asked of each ray

COLUMNS = ("instance", "face", "triangle", "barycentric", "point", "normal", "distance", "front")
"""The columns of hits; of a mesh by itself the instance is 0."""

INVALID = "invalid"
"""The column, of nearest hits alone, that tells rays that cannot be cast from other misses."""

# Rays that are cast at a time: enough for all cores, and few enough for some progress.
_ROWS = 1 << 17

Array = npt.NDArray[Any]

_VERSION = 1  # of the questions and of how they are answered


def cast(asked: Namespace) -> dict[str, Any]:
    """Do what the command "cast" asks for; return what is reported of it."""
    _check(asked)
    start = time.monotonic()
    with about(asked.rays):
        rays = read_rays(asked.rays)
    if not rays.shape:  # a table has rows
        rows = {name: each[None] for name, each in rays._asdict().items() if each is not None}
        rays = rays._replace(**rows)
    with about(asked.mesh):
        mesh = load_mesh_or_scene(asked.mesh, asked.engine, threads=asked.threads)
    question = _question(asked, mesh, rays)
    facts = {"output": asked.out, "rays": math.prod(rays.shape), "hits": asked.hits}
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
        raise UsageError("--hits all has a row for each hit, and an invalid ray has none")
    if asked.resume and kind is text:
        raise UsageError("--resume needs an output that says what it answers: .npz or .parquet")
    check_engine(asked.engine)
    check_can_write(asked.out)
    with about(asked.rays):
        check_can_read_rays(asked.rays)
    check_files(asked.out, asked.mesh, asked.rays)


def check_files(out: str, *read: str) -> None:
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


def _question(asked: Namespace, mesh: Mesh | Scene, rays: RayTable) -> str:
    """A fingerprint of all that the answer depends on, whatever files it was read from."""
    digest = hashlib.blake2b(digest_size=16)
    columns = _columns(asked)
    options = (asked.hits, asked.max_distance, asked.cull, columns)
    told = _names(mesh, columns), [asked.border or each.border for each in meshes_of(mesh)]
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
    """The columns of all rays, or of all hits with the ray of each, and extra arrays."""
    parts: dict[str, list[Array]] = {}
    done, count = 0, math.prod(rays.shape)
    with Progress("rays", shown=False if asked.quiet else None) as progress:
        for given in _rays(asked, rays):
            done += len(given["origins"])
            for name, part in _of_part(asked, mesh, given).items():
                parts.setdefault(name, []).append(part)
            progress(done, count)
    # The parts of a column are freed as soon as they are joined.
    columns = {name: np.concatenate(parts.pop(name)) for name in list(parts)}
    if asked.hits == "all":
        counts = columns.pop("count")
        splits = np.concatenate([[0], np.cumsum(counts)])
        return {"ray": np.repeat(np.arange(count), counts), **columns}, {"splits": splits}
    shape = rays.shape
    return {name: each.reshape(*shape, *each.shape[1:]) for name, each in columns.items()}, {}


def _of_part(asked: Namespace, mesh: Mesh | Scene, rays: dict[str, Any]) -> dict[str, Array]:
    """The columns of some rays; or those of all their hits, and the count of each ray's hits."""
    options: dict[str, Any] = {**rays, "cull": asked.cull, "border": asked.border}
    options |= {"threads": asked.threads}
    if asked.hits == "any":
        return {"hit": mesh.any_hit(**options)}
    if asked.hits == "count":
        return {"count": mesh.count_hits(**options)}
    counts: dict[str, Array] = {}
    if asked.hits == "all":
        hits, splits = mesh.cast_rays_all(**options)
        counts = {"count": np.diff(splits)}
    else:
        hits = mesh.cast_rays(**options)
    return counts | {name: getattr(hits, name) for name in _columns(asked)}


def _invalid(asked: Namespace, rays: RayTable) -> int:
    """How many rays cannot be cast, such as those without a direction."""
    known, count = partial(measured, asked.engine), 0
    for given in _rays(asked, rays):
        given = {"max_distance": np.inf, "min_distance": None, **given}
        *_, faults = many_rays(**given, query=Query(), invalid="miss", measured=known)
        count += 0 if faults is None else int(np.count_nonzero(faults))
    return count


def _rays(asked: Namespace, rays: RayTable) -> Iterator[dict[str, Any]]:
    """The rays in parts, at least one, limited to the distance that is asked for."""
    count, axes = math.prod(rays.shape), len(rays.shape)
    columns = {
        name: each.reshape(count, *each.shape[axes:])
        for name, each in rays._asdict().items()
        if each is not None
    }
    if asked.max_distance is not None:
        limit = columns.get("max_distance", np.full(count, np.inf))
        columns["max_distance"] = np.minimum(limit, asked.max_distance)
    for start in range(0, max(count, 1), _ROWS):
        yield {name: each[start : start + _ROWS] for name, each in columns.items()}


def _found(columns: dict[str, Array]) -> dict[str, int]:
    """How many hits were found, as far as the written columns tell."""
    for name in ("hit", "count"):
        if name in columns:
            return {"found": int(columns[name].sum())}
    for name in ("ray", "face", "triangle"):
        if name in columns:
            return {"found": int((columns[name] >= 0).sum())}
    if "distance" in columns:
        return {"found": int(np.isfinite(columns["distance"]).sum())}
    return {}


def meshes_of(target: Mesh | Scene) -> list[Mesh]:
    """A mesh by itself, or those of a scene, each once, in the order of their first instances."""
    if isinstance(target, Mesh):
        return [target]
    meshes = dict.fromkeys(target[identifier].mesh for identifier in target)
    return [mesh for mesh in meshes if isinstance(mesh, Mesh)]  # those from a file all are


def triangles_not_finite(target: Mesh | Scene) -> int:
    """How many triangles no ray can hit, as a corner is NaN or infinite; each mesh counts once."""
    count = 0
    for mesh in meshes_of(target):
        known = np.all(np.isfinite(mesh.vertices), axis=1)
        if not known.all():
            count += int(np.count_nonzero(~known[mesh.triangles].all(axis=1)))
    return count
