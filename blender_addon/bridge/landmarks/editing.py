# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding and moving an object's landmarks, and checking the places that scripts give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...model.hit import PickHit, as_vector
from ...model.landmarks.document import Document
from ...model.landmarks.landmark import Landmark, Names, new_id
from ...model.landmarks.landmark_set import COLORS, LandmarkSet
from ...model.scene_hits import SceneHits
from ...standalone_core import RaypickError
from ...standalone_core.extension import (
    ArgumentError,
    FloatArray,
    floats,
    indices,
    instance_of,
    iterable,
    of_this_copy,
)
from ..hit_objects import named_object
from ..placing import REMOVED, adding_up_to_one
from ..validation import text
from . import storage
from .anchoring import Anchored, MeshPlace, PlaceError, anchored_places

FIRST_SET = "Landmarks"
LOCKED_SET = "The set is locked"
LOCKED = "The landmark is locked"
_COLUMNS = ("triangle", "barycentric")


def new_set(document: Document, name: str | None = None) -> LandmarkSet:
    """An empty set with a color of its own, and a name that the document does not have yet."""
    free = Names(each.name for each in document.sets).free(name or FIRST_SET)
    return LandmarkSet(free, id=new_id(), color=COLORS[len(document.sets) % len(COLORS)])


def add(
    context: bpy.types.Context, hit: PickHit, name: str | None = None, into: str | None = None
) -> tuple[bpy.types.Object, LandmarkSet, Landmark]:
    """Add a landmark at a hit, to the set with a name or id, or to the active one.

    A set that does not exist is made. RaypickError where the object or the set cannot be changed.
    """
    place = MeshPlace.of_hit(hit)
    (found,) = anchored_places(context, [place])
    group, (added,) = add_places(place.object, [landmark_at(found)], [name], into)
    return place.object, group, added


def add_many(
    placed: Sequence[tuple[bpy.types.Object, Anchored, float | None]],
    names: Sequence[str | None] | str,
    into: str | None = None,
) -> list[tuple[bpy.types.Object, LandmarkSet, Landmark]]:
    """Add landmarks at places of objects: all of them, or none.

    Each place comes with the distance that it was moved onto the surface, or None.
    """
    groups: dict[bpy.types.Object, list[int]] = {}
    for number, (obj, *_) in enumerate(placed):
        groups.setdefault(obj, []).append(number)
    before = {obj: storage.read(obj) for obj in groups}
    found: dict[int, tuple[bpy.types.Object, LandmarkSet, Landmark]] = {}
    written = []
    try:
        for obj, numbers in groups.items():
            marks = [landmark_at(placed[n][1], moved=placed[n][2]) for n in numbers]
            own = names if isinstance(names, str) else [names[n] for n in numbers]
            group, added = add_places(obj, marks, own, into)
            written.append(obj)
            found.update((n, (obj, group, each)) for n, each in zip(numbers, added, strict=True))
    except RaypickError:
        for obj in written:
            storage.write(obj, before[obj])
        raise
    return [found[number] for number in range(len(placed))]


def add_places(
    obj: bpy.types.Object,
    placed: Sequence[Landmark],
    names: Sequence[str | None] | str,
    into: str | None = None,
) -> tuple[LandmarkSet, list[Landmark]]:
    """Add new landmarks to an object, named as :meth:`.LandmarkSet.with_placed` does it."""
    document = storage.read(obj)
    found = document.set if into is None else document.find_set(into)
    group = found or new_set(document, into)
    if group.locked:
        raise RaypickError(LOCKED_SET)
    changed, added = group.with_placed(placed, names)
    storage.write(obj, document.with_set(changed), document)
    return changed, added


def move(
    context: bpy.types.Context, obj: bpy.types.Object, landmark: str, hit: PickHit
) -> Landmark:
    """Move a landmark, by its id, to a hit on the same object."""
    place = MeshPlace.of_hit(hit)
    if place.object != obj:
        raise RaypickError("A landmark moves over its own object alone")
    (at,) = anchored_places(context, [place])
    document = storage.read(obj)
    found = document.find(landmark)
    if found is None:
        raise RaypickError(f"there is no landmark {landmark!r}")
    group, before = found
    if group.locked or before.locked:
        raise RaypickError(LOCKED_SET if group.locked else LOCKED)
    moved = replace(before, anchor=at.anchor, point=at.point, last=at.last, moved=None)
    storage.write(obj, document.with_set(group.with_landmark(moved)), document)
    return moved


def landmark_at(place: Anchored, name: str = "", moved: float | None = None) -> Landmark:
    """A new landmark at a place."""
    return Landmark(place.anchor, name, place.point, place.last, new_id(), moved=moved)


def of_hits(hits: SceneHits | Iterable[PickHit]) -> list[MeshPlace]:
    """The places of hits; PlaceError for a miss, and for one whose object was removed."""
    hits = of_this_copy(hits, SceneHits)
    if isinstance(hits, SceneHits):
        return _of_scene_hits(hits)
    places = []
    for number, hit in enumerate(iterable(hits, "hits")):
        hit = instance_of(hit, PickHit, "each of hits")
        try:
            places.append(MeshPlace.of_hit(hit))
        except RaypickError as error:
            raise PlaceError(str(error), number) from None
    return places


def of_triangles(
    obj: bpy.types.Object, triangles: Any, barycentrics: Any, /, evaluated: bool
) -> list[MeshPlace]:
    """Places in triangles (N,) by weights (N, 3), corrected to add up to 1 exactly."""
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
    return [MeshPlace(obj, number, as_vector(row), evaluated) for number, row in rows]


def checked_points(points: Any) -> FloatArray:
    """Finite points (N, 3)."""
    found = floats(points, "points", (None, 3))
    _need(np.isfinite(found).all(axis=1), "a point must be finite")
    return found


def checked_names(names: str | Iterable[str | None] | None, count: int) -> str | list[str | None]:
    """Check names for `count` places: one for each, or the prefix of numbered names."""
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


def _of_scene_hits(hits: SceneHits) -> list[MeshPlace]:
    missing = [name for name in (*_COLUMNS, "instance") if name not in hits]
    if missing:
        raise ArgumentError(f"the hits have no column {missing[0]}: ask for {', '.join(_COLUMNS)}")
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
            MeshPlace(
                obj,
                triangles[number],
                as_vector(weights[number]),
                hits.evaluated,
                table.instancer[row],
                table.persistent_id[row],
                table.mesh_size[row] if table.mesh_size else None,
                None if vertices is None else tuple(vertices[number]),
            )
        )
    return places


def _need(right: npt.ArrayLike, why: str) -> None:
    """PlaceError for the first place where `right` (N,) is false."""
    wrong = np.flatnonzero(~np.asarray(right))
    if len(wrong):
        raise PlaceError(why, int(wrong[0]))
