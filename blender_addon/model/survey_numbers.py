# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of objects, materials and instances that are the same in all pictures of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..standalone_core import RaypickError
from .scene_hits import SceneHits

Name = tuple[str, str | None]
"""Of a data-block, and the library file that it is linked from."""

HALF = 1 << 24
"""Digests begin here, as no object's number does. Single precision has all whole numbers up to it,
and both halves of a digest are below."""

_MOST = HALF * HALF - 2  # one more fits two halves


def in_order(names: Iterable[Name]) -> list[Name]:
    """Names, each once, in the order that they are numbered in."""
    return sorted(set(names), key=lambda name: (name[0], name[1] or ""))


def numbered_over(hits: SceneHits, objects: Sequence[Name], materials: Sequence[Name]) -> SceneHits:
    """The same hits, with objects and materials numbered by their places among these.

    What is not among them comes after them, in order.
    """
    objects, places = _longer(objects, hits.objects, hits.libraries)
    columns = dict(hits.columns)
    if "object" in columns:
        columns["object"] = places[columns["object"]]
    changed = replace(
        hits,
        columns=columns,
        objects=tuple(name for name, _ in objects),
        libraries=tuple(library for _, library in objects),
        instances=replace(hits.instances, object=places[hits.instances.object]),
    )
    if "material" not in columns:
        return changed
    materials, places = _longer(materials, hits.materials, hits.material_libraries)
    columns["material"] = places[columns["material"]]
    return replace(
        changed,
        materials=tuple(name for name, _ in materials),
        material_libraries=tuple(library for _, library in materials),
    )


def _longer(
    names: Sequence[Name], found: Sequence[str], libraries: Sequence[str | None]
) -> tuple[list[Name], npt.NDArray[np.int32]]:
    """Names with those that were found, and the places of these; -1 at the end for a miss."""
    own = list(zip(found, libraries, strict=True))
    every = [*names, *in_order({*own} - {*names})]
    place = {name: number for number, name in enumerate(every)}
    return every, np.array([*(place[name] for name in own), -1], dtype=np.int32)


def instance_numbers(hits: SceneHits) -> npt.NDArray[np.int64]:
    """The numbers (I,) of instances.

    That of an object itself is the object's number. That of an instance which another object makes
    is a digest of both names and of Blender's persistent id, so that other instances do not change
    it. RaypickError if two instances have the same digest.
    """
    numbers = hits.instances.object.tolist()
    digests: dict[str, int] = {}
    for row, key in _keys(hits):
        numbers[row] = digests[key] = _digest(key)
    if len({*digests.values()}) < len(digests):
        raise RaypickError("two instances share a number: rename the object that makes one of them")
    return np.array(numbers, dtype=np.int64)


def _keys(hits: SceneHits) -> Iterator[tuple[int, str]]:
    """The rows of instances that are made, and what tells each from all others."""
    table = hits.instances
    columns = table.object.tolist(), table.instancer, table.instancer_library, table.persistent_id
    for row, (number, maker, library, ids) in enumerate(zip(*columns, strict=True)):
        if maker is not None:
            names = hits.objects[number], hits.libraries[number] or "", maker, library or ""
            yield row, "\0".join([*names, *map(str, ids or ())])


def _digest(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return HALF + int.from_bytes(digest, "big") % (_MOST - HALF)
