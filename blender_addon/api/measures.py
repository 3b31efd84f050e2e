# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures between landmarks, which follow them.

face = bpy.data.objects["Head"]
api.measures.add("surface_distance", [(face, "nasion"), (face, "gnathion")], "Face Height")
api.measures.values(context, face)[0].value
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import bpy

from ..bridge.landmarks import measure_files, measuring, storage
from ..bridge.landmarks.measuring import measured
from ..bridge.validation import file_path, object_in, optional_text, original_object, text
from ..model.landmarks.landmark import Landmark
from ..model.landmarks.measure import Measure, Measured
from ..standalone_core import RaypickError
from ..standalone_core.extension import described, iterable
from .main_thread import guard

__all__ = ["Measure", "Measured", "add", "export", "of", "remove", "values"]


def __dir__() -> list[str]:
    return sorted(__all__)


def add(
    kind: str,
    landmarks: Iterable[tuple[str | bpy.types.Object, str]],
    name: str | None = None,
    other: str | bpy.types.Object | None = None,
) -> Measure:
    """Add a measure between landmarks, in their order.

    Parameters
    ----------
    kind : str
        Between two landmarks: "distance" (straight), "surface_distance", or "normal_angle", that
        of their normals. At the second of three: "angle". Lengths through any number: "polyline",
        or "outline", which is closed. At one: "thickness" along the inward normal,
        "sphere_thickness", the diameter of the largest sphere inside that touches it, or
        "clearance" to `other`.
    landmarks : iterable of (object, landmark)
        Objects and names or ids of their landmarks. The first object keeps the measure.
    name : str, optional
        By default the name of the kind.
    other : str or bpy.types.Object, optional
        The object to which a clearance is measured.

    Returns
    -------
    Measure

    Raises
    ------
    RaypickError
        If kind and landmarks do not go together, or the first object must not be changed.
    """
    found = [_landmark(pair) for pair in iterable(landmarks, "landmarks")]
    name = optional_text(name, "name")
    aside = None if other is None else original_object(other)
    return measuring.add(text(kind, "kind"), found, name, aside)[1]


def of(object: str | bpy.types.Object) -> list[Measure]:
    """The measures that an object keeps."""
    return [*storage.read(original_object(object)).measures]


def values(
    context: bpy.types.Context, object: str | bpy.types.Object, names: Sequence[str] | None = None
) -> list[Measured]:
    """The present values of the measures that an object keeps.

    Parameters
    ----------
    context : bpy.types.Context
    object : str or bpy.types.Object
    names : sequence of str, optional
        Names or ids of the measures wanted; by default all.

    Returns
    -------
    list of Measured
        In the order of :func:`of`. Lengths are in world space, angles in radians. An unknown value
        is None, and `reason` says why.
    """
    obj = object_in(context, object)
    return measured(context, obj, _named(obj, names))


def remove(object: str | bpy.types.Object, measure: str) -> None:
    """Remove a measure by its name or id; RaypickError if there is none."""
    obj = original_object(object)
    found = [each for each in of(obj) if measure in (each.id, each.name)]
    if not found:
        raise RaypickError(f"the object {obj.name!r} has no measure {described(measure)}")
    measuring.remove(obj, found[0].id)


def export(
    context: bpy.types.Context,
    object: str | bpy.types.Object,
    path: str | os.PathLike[str],
    names: Sequence[str] | None = None,
    format: str | None = None,
    *,
    unit: str | None = None,
    axes: str | None = None,
) -> list[Measured]:
    """Write the measures that an object keeps, as they are now, to a file.

    Parameters
    ----------
    context, object, names
        As in :func:`values`.
    path : str or path-like
        An existing file is replaced.
    format : str, optional
        "csv", "json", or "slicer" for lines, angles and curves of 3D Slicer (``.mrk.json``); by
        default that of the path's ending.
    unit, axes : str, optional
        As in :func:`.landmarks.export`. Angles are in degrees.

    Returns
    -------
    list of Measured
        What was written.
    """
    obj, where = original_object(object), file_path(path)
    format = optional_text(format, "format")
    found = values(context, obj, names)
    rows = [(obj, each) for each in found]
    measure_files.export_to(where, context.scene, rows, format, unit, axes)
    return found


def _named(obj: bpy.types.Object, names: Iterable[str] | None) -> list[Measure]:
    """The measures of an object: all, or those with the given names or ids."""
    every = of(obj)
    if names is None:
        return every
    if isinstance(names, str):
        raise RaypickError(f"names must be a list of names, not {described(names)}")
    wanted = {text(each, "each of names") for each in iterable(names, "names")}
    missing = wanted - {key for each in every for key in (each.id, each.name)}
    if missing:
        raise RaypickError(f"the object {obj.name!r} has no measure {min(missing)!r}")
    return [each for each in every if {each.id, each.name} & wanted]


def _landmark(pair: tuple[str | bpy.types.Object, str]) -> tuple[bpy.types.Object, Landmark]:
    """An object and one of its landmarks, by name or id."""
    try:
        owner, name = pair
    except (TypeError, ValueError):
        raise RaypickError(
            f"each of landmarks must be (object, landmark), not {described(pair)}"
        ) from None
    obj = original_object(owner)
    for group in storage.read(obj).sets:
        found = group.find(text(name, "the name of a landmark"))
        if found is not None:
            return obj, found
    raise RaypickError(f"the object {obj.name!r} has no landmark {name!r}")


guard(globals(), __all__)
