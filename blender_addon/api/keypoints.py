# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in the pictures of cameras, for :mod:`.landmarks`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any, TypeAlias

import bpy
import numpy as np

from ..bridge.landmarks.locating import frame_restored, set_frame
from ..bridge.landmarks.projecting import (
    Marked,
    Seen,
    View,
    holders,
    marked,
    names_in,
    points_in,
    points_now,
    seen_in,
    view_of,
)
from ..bridge.render.shown import asked
from ..bridge.scene.changes import evaluated_depsgraph
from ..bridge.scene.snapshot import Snapshot
from ..bridge.validation import Visibility, checked_visibility, optional_text, original_object
from ..bridge.validation import frames as checked_frames
from ..model.keypoints import Keypoints, Picture, joined
from ..settings import present
from ..standalone_core import Camera, RaypickError
from ..standalone_core.extension import instance_of, iterable, of_this_copy
from .landmark_files import sets_of

__all__ = ["Keypoints", "project"]

Objects: TypeAlias = str | bpy.types.Object | Iterable[str | bpy.types.Object]
Cameras: TypeAlias = Camera | Objects | Iterable[str | bpy.types.Object | Camera]


def project(
    context: bpy.types.Context,
    camera: Cameras | None = None,
    frames: Iterable[float] | None = None,
    set: str | None = None,
    *,
    object: Objects | None = None,
    visibility: Visibility = "viewport",
) -> Keypoints:
    """Where landmarks are in the pictures of cameras, and whether they are seen there.

        shot = api.landmarks.project(context, ["Left", "Right"], frames=range(1, 241))
        shot["x"][shot["visible"]]
        shot["y"].reshape(shot.shape)  # (pictures, landmarks)

    A landmark is hidden if something comes first on the line from the camera to it, of what
    viewports show, or renders: see `visibility`. The surface at the place of the landmark does not
    hide it, nor does another one that lies there too, within 1e-9 of the coordinates and the
    distance; a wall that is nearer by more does. In renders a holdout hides what is behind it, and
    not its own landmarks.

    Parameters
    ----------
    context : bpy.types.Context
    camera : bpy.types.Object, str or Camera, or several, optional
        Camera objects or their names: the pictures are those of a render, with its border, crop,
        shift and pixel aspect. By default the scene's camera, at each frame its marker's. Or any
        cameras of the core, whose pixels count as they count them.
    frames : iterable of float, optional
        The scene is set to each of these frames, and back to its own. By default the current one.
    set : str, optional
        Name or id of the only sets to take.
    object : str or bpy.types.Object, or several, optional
        The objects whose landmarks to take; by default all that have some, of the view layer or
        instanced in it, in the order of their names.
    visibility : {"viewport", "render"}
        As for :func:`.api.survey`: "render" finds landmarks on the meshes of renders, among what
        renders show.

    Returns
    -------
    Keypoints
        Columns with a row for each frame, camera and landmark.

    Raises
    ------
    RaypickError
        If there is no camera, or one cannot be used; if landmarks cannot be read, or there are none
        to take.
    """
    scene = instance_of(context, bpy.types.Context, "context").scene
    shown = checked_visibility(visibility)
    chosen, wanted = _cameras(camera), wanted_sets(context, object, optional_text(set, "set"))
    if frames is None:
        return joined(_pictures(context, chosen, wanted, scene.frame_current_final, shown))
    every, found = [*checked_frames(frames)], list[Keypoints]()
    with frame_restored(scene):
        for frame in every:
            set_frame(scene, frame)
            found += _pictures(context, chosen, wanted, frame, shown)
    return joined(found)


def wanted_sets(
    context: bpy.types.Context, object: Objects | None, set: str | None
) -> list[Marked]:
    """The sets of landmarks that a caller chooses; RaypickError if there are none."""
    if object is None:
        found = marked(holders(evaluated_depsgraph(context)), set)
    else:
        objects = [original_object(each) for each in _several(object, "object")]
        found = [(obj, group) for obj in objects for group in sets_of(obj, set)]
    found = [(obj, group) for obj, group in found if group.landmarks]
    if not found:
        what = "landmarks" if set is None else f"a set {set!r} of landmarks"
        raise RaypickError(f"no object has {what} to project")
    return found


def _several(given: Any, name: str) -> list[Any]:
    """One or several, as a list."""
    return [given] if isinstance(given, (str, bpy.types.ID, Camera)) else iterable(given, name)


def _cameras(given: Cameras | None) -> list[bpy.types.Object | Camera | None]:
    """Camera objects, and cameras of the core; None is the scene's."""
    if given is None:
        return [None]
    every = [of_this_copy(each, Camera) for each in _several(of_this_copy(given, Camera), "camera")]
    return [
        each if isinstance(each, Camera) else original_object(each, argument="camera")
        for each in every
    ]


def _pictures(
    context: bpy.types.Context,
    chosen: Sequence[bpy.types.Object | Camera | None],
    wanted: Sequence[Marked],
    frame: float,
    visibility: Visibility,
) -> list[Keypoints]:
    """The keypoints of each camera now."""
    wanted = [(original_object(obj), group) for obj, group in wanted]  # none has been removed
    names, number = names_in(wanted), int(frame) if frame == int(frame) else frame

    points = points_now(context, wanted) if visibility == "viewport" else None

    def ask(depsgraph: bpy.types.Depsgraph, shown: Snapshot) -> list[tuple[View, Seen]]:
        there = points_in(depsgraph, shown, wanted) if points is None else points
        views = [view_of(depsgraph, each) for each in chosen]
        return [(view, seen_in(shown, view, there)) for view in views]

    pairs = asked(context, visibility, ask)
    found = []
    for each, (view, seen) in zip(chosen, pairs, strict=True):
        named = present(context.scene.camera) if each is None else each
        camera = "" if isinstance(named, Camera) else named.name
        size = ceil(view.camera.width), ceil(view.camera.height)
        columns = {
            "frame": np.full(len(seen.x), number),
            "camera": np.full(len(seen.x), camera),
            **{name: np.array(texts) for name, texts in names.items()},
            **seen._asdict(),
        }
        found.append(Keypoints(columns, (Picture(number, camera, *size),)))
    return found
