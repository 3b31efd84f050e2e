# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks and edits of the topology: the part of :mod:`.landmarks` for these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import bpy

from ..bridge.landmarks import binding, carrying_over
from ..bridge.validation import original_object
from ..standalone_core.extension import ArgumentError, instance_of, is_one_of
from .landmark_sets import ids_of

__all__ = ["bind", "carry_over", "transfer", "unbind"]


def carry_over(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    landmarks: Iterable[str] | None = None,
) -> dict[str, float]:
    """Put landmarks whose topology has changed onto the nearest places of the mesh as it is.

    What is nearest is looked for from the last known shape: of landmarks on the original mesh
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
        If the object has no surface, or its landmarks must not be changed.
    """
    obj = original_object(object)
    instance_of(context, bpy.types.Context, "context")
    found = carrying_over.carry_over(context, obj, ids_of(obj, landmarks))
    return {landmark.name: distance for landmark, distance in found}


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
        "topology" keeps faces and weights, and is refused for another topology; "closest" takes the
        nearest places in world space. By default the first where it can be had, else the other.

    Returns
    -------
    dict
        By names, how far the nearest places are, in world space; None for those that are exact.
    """
    if by is not None and not is_one_of(by, "topology", "closest"):
        raise ArgumentError(f'by must be None, "topology" or "closest", not {by!r}')
    obj = original_object(object)
    instance_of(context, bpy.types.Context, "context")
    return dict(
        carrying_over.transfer(context, obj, original_object(target), ids_of(obj, landmarks), by)
    )


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
        How many are bound. Those on faces that modifiers make stay as they are.
    """
    obj = original_object(object)
    instance_of(context, bpy.types.Context, "context")
    return binding.bind(context, obj, ids_of(obj, landmarks))


def unbind(object: str | bpy.types.Object, landmarks: Iterable[str] | None = None) -> int:
    """Take the marks of landmarks off the faces of the mesh; return how many were bound.

    Parameters
    ----------
    object, landmarks
        As in :func:`bind`.
    """
    obj = original_object(object)
    return binding.unbind(obj, ids_of(obj, landmarks))
