# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of objects, materials and instances that are the same in all pictures of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..standalone_core import RaypickError
from .columns import Array
from .scene_hits import SceneHits

Name = tuple[str, str | None]
"""The name of a data-block, and the library file that it is linked from."""

HALF = 1 << 24
"""Digests start here, above all numbers of objects. Float32 is exact for integers up to this one,
and so for both halves of a digest, which are below."""

_MOST = HALF * HALF - 2  # the greatest number of two halves is one more


def in_order(names: Iterable[Name]) -> list[Name]:
    """Unique names, in the order of their numbers."""
    return sorted(set(names), key=lambda name: (name[0], name[1] or ""))


def numbered_over(hits: SceneHits, objects: Sequence[Name], materials: Sequence[Name]) -> SceneHits:
    """The same hits, with objects and materials as indices into these names.

    Other names are appended to them, in order.
    """
    names, libraries, places = _longer(objects, hits.objects, hits.libraries)
    columns, table = dict(hits.columns), hits.instances
    if "object" in columns:
        columns["object"] = places[columns["object"]]
    table = replace(table, object=places[table.object])
    hits = replace(hits, columns=columns, objects=names, libraries=libraries, instances=table)
    if "material" not in columns:
        return hits
    names, libraries, places = _longer(materials, hits.materials, hits.material_libraries)
    columns["material"] = places[columns["material"]]
    return replace(hits, materials=names, material_libraries=libraries)


def _longer(
    names: Sequence[Name], found: Sequence[str], libraries: Sequence[str | None]
) -> tuple[tuple[str, ...], tuple[str | None, ...], npt.NDArray[np.int32]]:
    """Names and libraries, with the found ones that they lack at the end.

    Then the index of each found one, followed by -1, which stands for none.
    """
    own = list(zip(found, libraries, strict=True))
    every = [*names, *in_order({*own} - {*names})]
    place = {name: number for number, name in enumerate(every)}
    places = np.array([*(place[name] for name in own), -1], dtype=np.int32)
    return tuple(name for name, _ in every), tuple(library for _, library in every), places


def instance_numbers(hits: SceneHits) -> npt.NDArray[np.int64]:
    """The numbers (I,) of instances.

    An object itself has the object's number. An instance that another object makes has a digest of
    both names and of Blender's persistent id, so that other instances do not change it.
    RaypickError if two instances have the same digest.
    """
    table = hits.instances
    numbers = table.object.tolist()
    digests: dict[str, int] = {}
    columns = [*numbers], table.instancer, table.instancer_library, table.persistent_id
    for row, (number, maker, library, ids) in enumerate(zip(*columns, strict=True)):
        if maker is not None:
            names = hits.objects[number], hits.libraries[number] or "", maker, library or ""
            key = "\0".join([*names, *map(str, ids or ())])
            numbers[row] = digests[key] = _digest(key)
    if len({*digests.values()}) < len(digests):
        raise RaypickError("two instances share a number: rename the object that makes one of them")
    return np.array(numbers, dtype=np.int64)


class Numbered(NamedTuple):
    """Hits, with numbers of instances that mean the same in all pictures."""

    columns: dict[str, Array]
    names: dict[str, list[str]]  # of the other numbers
    instances: dict[str, Array]  # a table, by their numbers in order


def numbered(hits: SceneHits) -> Numbered:
    """Number the instances of hits."""
    numbers, table = instance_numbers(hits), hits.instances
    names = hits.texts
    columns = {
        "instance_numbers": numbers,
        "instance_names": np.array(names.pop("instance"), dtype=np.str_),
        "instance_object": table.object,
        "instance_matrix_world": table.matrix_world,
    }
    order = np.argsort(numbers, kind="stable")
    instances = {name: array[order] for name, array in columns.items()}
    own = {**hits, "instance": np.append(numbers, -1)[hits["instance"]]}
    return Numbered(own, names, instances)


def _digest(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return HALF + int.from_bytes(digest, "big") % (_MOST - HALF)
