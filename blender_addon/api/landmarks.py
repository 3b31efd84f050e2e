# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks that stay on the surface: named places, kept with their objects.

    hit = api.pick(context, region, region_data, pixel)[0]
    api.landmarks.add(context, hit, "nasion")
    api.landmarks.points(context, hit.object, frames=range(1, 251))  # (250, N, 3), world space
    api.landmarks.project(context, "Camera")["visible"]  # where cameras see them, and whether

A landmark is a triangle and the weights of its vertices, on the original mesh where the modifiers
allow. It follows armatures, shape keys and all else that moves the vertices. Where the topology
has changed, its place is NaN, and :func:`where` says why. In all functions, `context` gives the
scene and view layer, and `object` is an object or its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Literal

import bpy
import numpy as np

from ..bridge.landmarks import editing, empties, storage, topology
from ..bridge.landmarks.anchoring import Anchored, PlaceError, anchored_places, anchored_points
from ..bridge.landmarks.locating import Located, frame_restored, set_frame
from ..bridge.landmarks.topology import located_landmarks
from ..bridge.validation import flag, object_in, optional_text, original_object
from ..bridge.validation import frames as checked_frames
from ..bridge.validation import text as checked_text
from ..model.hit import PickHit, Vector, known_vector
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.landmark_set import LandmarkRecord, LandmarkSet
from ..model.scene_hits import SceneHits
from ..session.events import telling
from ..settings import present
from ..standalone_core import RaypickError
from ..standalone_core.extension import (
    ArgumentError,
    FloatArray,
    Integers,
    Reals,
    instance_of,
    is_one_of,
    iterable,
)
from .keypoints import Keypoints, project
from .landmark_files import Exported, Loaded, UnfitError, export, load, sets_of, text
from .main_thread import guard

__all__ = ["Exported", "Keypoints", "LandmarkPlace", "LandmarkRecord", "Loaded", "UnfitError"]
__all__ += ["add", "add_empties", "add_many", "bind", "carry_over", "export", "load", "move", "of"]
__all__ += ["points", "project", "remove", "text", "transfer", "unbind", "where"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True, slots=True)
class LandmarkPlace:
    """Where a landmark is now."""

    name: str
    set: str
    point: Vector | None
    """In world space; None where that is not known."""
    normal: Vector | None
    """The triangle's unit normal in world space."""
    point_local: Vector | None
    """In the local space of the object."""
    reason: str | None
    """Why its place is not known, in English."""


@telling
def add(
    context: bpy.types.Context, hit: PickHit, name: str | None = None, set: str | None = None
) -> LandmarkRecord:
    """Add a landmark at a hit.

    Parameters
    ----------
    context : bpy.types.Context
    hit : PickHit
        From any query, if the mesh has not changed since.
    name : str, optional
        By default the name of the next landmark that the set asks for, or a numbered one. If the
        set has a missing landmark of this name, that is placed. A name in use gets a number.
    set : str, optional
        Name or id of the set. A set of that name is made if there is none. By default the set used
        last.

    Returns
    -------
    LandmarkRecord

    Raises
    ------
    RaypickError
        If the mesh has changed, the object is linked, or the set is locked.
    """
    instance_of(context, bpy.types.Context, "context")
    hit = instance_of(hit, PickHit, "hit")
    name, into = optional_text(name, "name"), optional_text(set, "set")
    obj, changed, added = editing.add(context, hit, name, into)
    return LandmarkRecord.of(obj.name, changed, added)


@telling
def add_many(
    context: bpy.types.Context,
    hits: SceneHits | Iterable[PickHit] | None = None,
    names: str | Iterable[str | None] | None = None,
    set: str | None = None,
    *,
    object: str | bpy.types.Object | None = None,
    triangles: Integers | None = None,
    barycentrics: Reals | None = None,
    points: Reals | None = None,
    evaluated: bool = True,
) -> list[LandmarkRecord]:
    """Add many landmarks in one call, as :func:`add` adds them one by one: all of them, or none.

        api.landmarks.add_many(context, api.cast_rays(context, origins, directions), "curve")
        api.landmarks.add_many(context, object=head, triangles=triangles, barycentrics=weights)
        api.landmarks.add_many(context, object=head, points=points, set="Semilandmarks")

    Parameters
    ----------
    context : bpy.types.Context
    hits : SceneHits or iterable of PickHit, optional
        From any query, without misses, if the meshes have not changed since. SceneHits need the
        columns `triangle` and `barycentric`.
    names : str or iterable of str, optional
        A name, or None as in :func:`add`, for each place, in their order. A single text is the
        prefix of the names of new landmarks: "curve" makes "curve.001", "curve.002" and so on.
    set : str, optional
        As in :func:`add`.
    object : str or bpy.types.Object, optional
        The object that `triangles` or `points` are on.
    triangles : (N,) int, optional
        Indices, as in hits, of the object itself or, if it is not shown, of its first instance.
    barycentrics : (N, 3) float, optional
        Weights of the triangles' vertices. They must add up to 1 within 1e-4, with none below
        -1e-4, and are corrected to be exact.
    points : (N, 3) float, optional
        In world space, in Blender's units. Each landmark is put at the nearest place of the
        surface, and `moved` of its record is the distance.
    evaluated : bool
        Whether triangles and surface are those of the mesh as displayed, or of the object's own
        mesh. Hits themselves record this.

    Returns
    -------
    list of LandmarkRecord
        In the order of the places.

    Raises
    ------
    RaypickError
        If a place cannot be used (the message gives its number, from 0), or as for :func:`add`.
    """
    instance_of(context, bpy.types.Context, "context")
    into = optional_text(set, "set")
    given = {"hits": hits, "triangles": triangles, "points": points}
    ways = [name for name, value in given.items() if value is not None]
    if len(ways) != 1:
        raise ArgumentError(
            f"one of {', '.join(given)} is needed, not {' and '.join(ways) or 'none'}"
        )
    if (object is None) != (hits is not None):
        raise ArgumentError(f"{ways[0]} {'have objects' if object else 'need an object'}")
    if (barycentrics is None) != (triangles is None):
        raise ArgumentError("triangles and barycentrics go together")
    own = flag(evaluated, "evaluated")
    obj = None if object is None else original_object(object)
    placed: list[tuple[bpy.types.Object, Anchored, float | None]]
    try:
        if obj is not None and points is not None:
            near = anchored_points(context, obj, editing.checked_points(points), evaluated=own)
            placed = [(obj, each, each.distance) for each in near]
        else:
            places = (
                editing.of_hits(hits)
                if hits is not None
                else editing.of_triangles(present(obj), triangles, barycentrics, own)
            )
            anchored = anchored_places(context, places)
            placed = [(at.object, each, None) for at, each in zip(places, anchored, strict=True)]
    except PlaceError as error:
        raise RaypickError(f"place {error.number}: {error}") from None
    added = editing.add_many(placed, editing.checked_names(names, len(placed)), into)
    return [LandmarkRecord.of(obj.name, of, each) for obj, of, each in added]


def of(object: str | bpy.types.Object, set: str | None = None) -> list[LandmarkRecord]:
    """The landmarks of an object as they are stored, set after set.

    Parameters
    ----------
    object : str or bpy.types.Object
    set : str, optional
        Name or id of the only set to take.

    Raises
    ------
    RaypickError
        If the object's landmarks cannot be read, or there is no such set.
    """
    obj = original_object(object)
    return [LandmarkRecord.of(obj.name, group, each) for group, each in _landmarks(obj, set)]


def points(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    set: str | None = None,
    frames: Iterable[float] | None = None,
) -> FloatArray:
    """Where the landmarks of an object are, now or at each of the given frames.

    Parameters
    ----------
    context : bpy.types.Context
    object, set
        As in :func:`of`.
    frames : iterable of float, optional
        The scene is set to each of these frames, and back to its own.

    Returns
    -------
    ndarray (N, 3), or (F, N, 3) for F frames
        In world space, in the order of :func:`of`; NaN where it is not known.
    """
    if frames is None:
        return _located(context, original_object(object), set).points
    every = [*checked_frames(frames)]
    name = original_object(object).name
    found = []
    with frame_restored(context.scene):
        for frame in every:
            set_frame(context.scene, frame)
            found.append(_located(context, original_object(object), set).points)
    count = len(of(name if isinstance(object, str) else object, set))
    return np.stack(found) if found else np.empty((0, count, 3))


def where(
    context: bpy.types.Context, object: str | bpy.types.Object, set: str | None = None
) -> list[LandmarkPlace]:
    """Where the landmarks of an object are now, or why that is not known.

    Parameters
    ----------
    context : bpy.types.Context
    object, set
        As in :func:`of`.
    """
    obj = original_object(object)
    places = _located(context, obj, set)
    return [
        LandmarkPlace(
            each.name,
            group.name,
            point=known_vector(places.points[number]),
            normal=known_vector(places.normals[number]),
            point_local=known_vector(places.local[number]),
            reason=places.reasons[number],
        )
        for number, (group, each) in enumerate(_landmarks(obj, set))
    ]


@telling
def move(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    landmark: str,
    hit: PickHit,
    set: str | None = None,
) -> LandmarkRecord:
    """Move a landmark to a hit on the same object.

    Parameters
    ----------
    context : bpy.types.Context
    object, set
        As in :func:`of`.
    landmark : str
        Its name or id.
    hit : PickHit

    Raises
    ------
    RaypickError
        If there is no such landmark, it is locked, or another object was hit.
    """
    obj = object_in(context, object)
    group, found = _find(obj, landmark, set)
    moved = editing.move(context, obj, found.id, instance_of(hit, PickHit, "hit"))
    return LandmarkRecord.of(obj.name, group, moved)


@telling
def remove(
    object: str | bpy.types.Object, landmark: str | None = None, set: str | None = None
) -> int:
    """Remove one landmark, a set with its landmarks, or all sets of an object.

    In a set that asks for landmarks (by a template, or because a file lacked some), a removed one
    stays listed as missing; one that is missing already is removed for good.

    Parameters
    ----------
    object, set
        As in :func:`of`.
    landmark : str, optional
        Name or id of the landmark to remove.

    Returns
    -------
    int
        How many landmarks were removed.
    """
    obj = original_object(object)
    document = storage.read(obj)
    if landmark is not None:
        group, found = _find(obj, landmark, set)
        storage.write(obj, document.with_set(group.without({found.id})))
        return 1
    count = len(_landmarks(obj, set))
    for group in document.sets:
        if set is None or set in (group.id, group.name):
            document = document.without_set(group.id)
    storage.write(obj, document)
    return count


def _located(context: bpy.types.Context, obj: bpy.types.Object, set: str | None) -> Located:
    instance_of(context, bpy.types.Context, "context")
    return located_landmarks(context, [(obj, [each for _, each in _landmarks(obj, set)])])[0]


def _landmarks(obj: bpy.types.Object, set: str | None) -> list[tuple[LandmarkSet, Landmark]]:
    """The landmarks of an object, or of one of its sets, as pairs of set and landmark."""
    return [(group, each) for group in sets_of(obj, set) for each in group.landmarks]


def _find(obj: bpy.types.Object, landmark: str, set: str | None) -> tuple[LandmarkSet, Landmark]:
    checked_text(landmark, "landmark")
    for group, each in _landmarks(obj, set):
        if landmark in (each.id, each.name):
            return group, each
    raise RaypickError(f"the object {obj.name!r} has no landmark {landmark!r}")


def _ids(obj: bpy.types.Object, landmarks: Iterable[str] | None) -> Set[str] | None:
    """The ids of landmarks by their names or ids; None for all. RaypickError for unknown ones."""
    if landmarks is None:
        return None
    if isinstance(landmarks, str):
        raise ArgumentError(f"landmarks must be a list of names, not {landmarks!r}")
    ids, known = list[str](), dict[str, list[str]]()
    for each in storage.read(obj).landmarks:
        for key in {each.id, each.name}:
            known.setdefault(key, []).append(each.id)
    for which in iterable(landmarks, "landmarks"):
        name = checked_text(which, "each of landmarks")
        if name not in known:
            raise RaypickError(f"the object {obj.name!r} has no landmark {name!r}")
        ids += known[name]
    return {*ids}


def add_empties(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    set: str | None = None,
    follow: str = "extension",
    frames: Iterable[float] | None = None,
    *,
    normals: bool = False,
) -> list[bpy.types.Object]:
    """Add empties that follow landmarks, one for each, in a collection of the scene.

    A landmark's empty is kept if it has one, and follows in the given way from now on.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    set : str, optional
        Name or id of the only set to take.
    follow : str
        "extension": Raypick moves the empties at each change and each frame, also without a window
        and in renders; in a window, a render of an animation needs *Lock Interface*. "keyframes":
        they are baked, and need no extension. "nodes": their parents are vertices that Geometry
        Nodes keep at the landmarks. This needs no extension either, and works as long as the
        evaluated mesh has the same vertices. A quad that modifiers make may be split along its
        other diagonal when it bends; empties stay on the first.
    frames : iterable of float, optional
        The frames to bake; by default those of the scene's range.
    normals : bool
        Whether the Z axis of an empty is along the normal; not with nodes.

    Returns
    -------
    list of bpy.types.Object
        The empties, in the order of the landmarks.

    Raises
    ------
    RaypickError
        If a landmark's place is not known, or nodes cannot follow it.
    """
    obj = object_in(context, object)
    every = None if frames is None else checked_frames(frames)
    landmarks = [each for _, each in _landmarks(obj, set)]
    turning = flag(normals, "normals")
    return empties.add_empties(
        context, obj, landmarks, checked_text(follow, "follow"), every, turning
    )


@telling
def carry_over(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    landmarks: Iterable[str] | None = None,
) -> dict[str, float]:
    """Move landmarks to the nearest places of the mesh as it is, where the topology has changed.

    The search begins at their last known positions: for landmarks on the original mesh, those
    without modifiers and shape keys, so that the pose does not matter.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    landmarks : iterable of str, optional
        Names or ids; by default all whose topology has changed.

    Returns
    -------
    dict
        How far each moved, in world space, by its name.

    Raises
    ------
    RaypickError
        If the object has no surface, or its landmarks cannot be changed.
    """
    obj = object_in(context, object)
    found = topology.carry_over(context, obj, _ids(obj, landmarks))
    return {landmark.name: distance for landmark, distance in found}


@telling
def transfer(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    target: str | bpy.types.Object,
    landmarks: Iterable[str] | None = None,
    by: Literal["topology", "closest"] | None = None,
) -> dict[str, float | None]:
    """Copy landmarks to another object, in new sets of the same names.

    Parameters
    ----------
    context : bpy.types.Context
    object, target : str or bpy.types.Object
    landmarks : iterable of str, optional
        Names or ids; by default all.
    by : {None, "topology", "closest"}
        "topology" keeps faces and weights, and needs the same topology; "closest" takes the nearest
        places in world space. By default "topology" where possible, else "closest".

    Returns
    -------
    dict
        By name, the distance in world space to the nearest place; None where topology is kept.
    """
    if by is not None and not is_one_of(by, "topology", "closest"):
        raise ArgumentError(f'by must be None, "topology" or "closest", not {by!r}')
    obj = object_in(context, object)
    return dict(topology.transfer(context, obj, original_object(target), _ids(obj, landmarks), by))


def bind(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    landmarks: Iterable[str] | None = None,
) -> int:
    """Mark the faces of landmarks by an attribute of the mesh, so that edits elsewhere keep them.

    Parameters
    ----------
    context, object, landmarks
        As in :func:`carry_over`; by default all landmarks.

    Returns
    -------
    int
        How many are bound. Landmarks on faces that modifiers make are not.
    """
    obj = object_in(context, object)
    return topology.bind(context, obj, _ids(obj, landmarks))


def unbind(object: str | bpy.types.Object, landmarks: Iterable[str] | None = None) -> int:
    """Take the marks of landmarks off the faces of the mesh; return how many were bound.

    Parameters
    ----------
    object, landmarks
        As in :func:`bind`.
    """
    obj = original_object(object)
    return topology.unbind(obj, _ids(obj, landmarks))


guard(globals(), __all__)
