# SPDX-License-Identifier: GPL-3.0-or-later
"""Many places that a script gives at once: hits, triangles with weights, or points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...model.hit import PickHit
from ...model.record import vector
from ...model.scene_hits import SceneHits
from ...present import present
from ...standalone_core import RaypickError
from ...standalone_core.extension import (
    ArgumentError,
    FloatArray,
    floats,
    indices,
    instance_of,
    iterable,
)
from ..hit_objects import named_object
from ..placing import adding_up_to_one
from ..relocation import REMOVED
from ..validation import text
from .anchoring import Given, PlaceError

_NEEDED = ("triangle", "barycentric")


def of_hits(hits: SceneHits | Iterable[PickHit]) -> list[Given]:
    """The places of hits; PlaceError for a miss, and for one whose object was removed."""
    if isinstance(hits, SceneHits):
        return _of_rows(hits)
    places = []
    for number, hit in enumerate(iterable(hits, "hits")):
        hit = instance_of(hit, PickHit, "each of hits")
        try:
            places.append(Given.of_hit(hit))
        except RaypickError as error:
            raise PlaceError(str(error), number) from None
    return places


def of_triangles(
    obj: bpy.types.Object, triangles: Any, barycentrics: Any, /, evaluated: bool
) -> list[Given]:
    """The places of triangles (N,) with weights (N, 3), which are made to add up to 1."""
    numbers = indices(triangles, "triangles")
    if numbers.ndim != 1:
        raise ArgumentError(f"triangles must have shape (N,), not {numbers.shape}")
    given = floats(barycentrics, "barycentrics", (None, 3))
    weights, adds_up, is_inside = adding_up_to_one(given)
    _need(adds_up, "its weights must add up to 1")
    _need(is_inside, "its weights must not be below 0")
    if len(weights) != len(numbers):
        raise ArgumentError(
            f"there are {len(numbers)} triangles, but {len(weights)} rows of barycentrics"
        )
    rows = zip(numbers.tolist(), weights.tolist(), strict=True)
    return [Given(obj, number, present(vector(row)), evaluated) for number, row in rows]


def checked_points(points: Any) -> FloatArray:
    """Finite points (N, 3)."""
    found = floats(points, "points", (None, 3))
    _need(np.isfinite(found).all(axis=1), "a point must be finite")
    return found


def checked_names(names: str | Iterable[str | None] | None, count: int) -> str | list[str | None]:
    """So many names, or what numbered names begin with."""
    if names is None:
        return [None] * count
    if isinstance(names, str):
        return text(names, "names")
    found = [
        None if each is None else text(each, "each of names") for each in iterable(names, "names")
    ]
    if len(found) != count:
        raise ArgumentError(f"there are {count} places, but {len(found)} names")
    return found


def _of_rows(hits: SceneHits) -> list[Given]:
    missing = [name for name in (*_NEEDED, "instance") if name not in hits]
    if missing:
        raise ArgumentError(f"the hits have no column {missing[0]}: ask for {', '.join(_NEEDED)}")
    rows = hits["instance"].ravel()
    _need(rows >= 0, "nothing was hit there")
    table = hits.instances
    names = [*zip(hits.objects, hits.libraries, strict=True)]
    objects = {row: named_object(*names[table.object[row]]) for row in np.unique(rows).tolist()}
    triangles = hits["triangle"].ravel().tolist()
    weights = hits["barycentric"].reshape(-1, 3).tolist()
    vertices = hits["vertices"].reshape(-1, 3).tolist() if "vertices" in hits else None
    places = []
    for number, row in enumerate(rows.tolist()):
        obj = objects[row]
        if obj is None:
            raise PlaceError(REMOVED, number)
        places.append(
            Given(
                obj,
                triangles[number],
                present(vector(weights[number])),
                hits.evaluated,
                table.instancer[row],
                table.persistent_id[row],
                table.mesh_size[row] if table.mesh_size else None,
                None if vertices is None else tuple(vertices[number]),
            )
        )
    return places


def _need(right: npt.ArrayLike, why: str) -> None:
    """PlaceError for the first place that is not right (N,)."""
    wrong = np.flatnonzero(~np.asarray(right))
    if len(wrong):
        raise PlaceError(why, int(wrong[0]))
