# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks as objects: the part of :mod:`.landmarks` for these."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..bridge.landmarks import following
from ..bridge.validation import flag, original_object, text
from ..bridge.validation import frames as checked_frames
from ..standalone_core.extension import instance_of
from .landmark_sets import sets_of

__all__ = ["add_empties"]


def add_empties(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    set: str | None = None,
    follow: str = "extension",
    frames: Iterable[float] | None = None,
    *,
    normals: bool = False,
) -> list[bpy.types.Object]:
    """Add an empty for each landmark, which follows it, in a collection of the scene.

    A landmark that has an empty already keeps it, and it follows in this way from now on.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    set : str, optional
        Name or id of the one set that counts.
    follow : str
        "extension": Raypick moves the empties at each change and each frame, also without a window
        and in renders; in a window, a render of an animation needs *Lock Interface*. "keyframes":
        they are baked, and need no extension. "nodes": they have vertices as parents, which
        Geometry Nodes keep at the landmarks. These need no extension either, and hold as long as
        the evaluated mesh has the same vertices. A quad that modifiers make may be split along its
        other diagonal when it bends; empties stay on the one that was.
    frames : iterable of float, optional
        The frames that are baked; by default those of the scene's range.
    normals : bool
        Whether the Z axis of an empty is along the normal; not with nodes.

    Returns
    -------
    list of bpy.types.Object
        The empties, in the order of the landmarks.

    Raises
    ------
    RaypickError
        If it is not known where one of them is, or nodes cannot follow it.
    """
    obj = original_object(object)
    instance_of(context, bpy.types.Context, "context")
    every = None if frames is None else checked_frames(frames)
    landmarks = [each for group in sets_of(obj, set) for each in group.landmarks]
    turning = flag(normals, "normals")
    return following.add_empties(context, obj, landmarks, text(follow, "follow"), every, turning)
