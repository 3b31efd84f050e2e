# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of objects, materials and instances that are the same in all pictures of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
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
    """The numbers (I,) of instances: of an object itself its own, of one that is made a digest.

    That is of the names of the object and of what makes the instance, and of the persistent id. So
    it is the same whatever else is there. RaypickError where two instances would share it.
    """
    table = hits.instances
    numbers = table.object.astype(np.int64)
    made = [row for row, maker in enumerate(table.instancer) if maker is not None]
    keys = [_key(hits, row) for row in made]
    digests = {key: _digest(key) for key in keys}
    if len({*digests.values()}) < len(digests):
        raise RaypickError("two instances share a number: rename the object that makes one of them")
    numbers[made] = [digests[key] for key in keys]
    return numbers


def _key(hits: SceneHits, row: int) -> str:
    """What tells an instance that is made from all others."""
    table = hits.instances
    number = table.object[row]
    names = (
        *(hits.objects[number], hits.libraries[number]),
        *(table.instancer[row], table.instancer_library[row]),
    )
    return "\0".join([*(name or "" for name in names), *map(str, table.persistent_id[row] or ())])


def _digest(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return HALF + int.from_bytes(digest, "big") % (_MOST - HALF)
