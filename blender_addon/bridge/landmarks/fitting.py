# SPDX-License-Identifier: GPL-3.0-or-later
"""In which unit positions of a file fit an object, or what is wrong with them.

Positions do not fit where they would move by more than a tenth of the object's size or than their
own spread, or fall onto one another. A file of millimeters read as meters does all of that, and so
do positions with a global shift.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np

from ...standalone_core import RaypickError
from ...standalone_core.extension import FloatArray, moved
from ..scene.depsgraph import evaluated_depsgraph
from .anchoring import Anchored, anchored_points
from .file_frame import SCENE, FileFrame

UNITS = (SCENE, "m", "cm", "mm")
"""The units that are tried, the likeliest first."""

TOO_FAR = "A position is too far away"
_FAR = 1e150  # squares of what is nearer do not overflow

_SHARE = 0.1  # of the object's size, that positions may be away from it
_ONE = 1e-6  # of the object's size, within which two places are one
_STEPS = 20  # that lead an offset to where positions lie on the surface


class Fit(NamedTuple):
    """Positions as a frame has them, and the nearest places to them."""

    frame: FileFrame
    places: list[Anchored]
    fits: bool


def fit(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    points: FloatArray,
    frame: FileFrame,
    may_change: bool,
) -> Fit:
    """The nearest places to positions (N, 3) of a file, in its unit or, if allowed, in another.

    RaypickError, in English, where none fits; it names the axes or the offset that would.
    """
    size = _Size.of(context, obj, frame)
    usual = size.fit(points, frame)
    if usual.fits:
        return usual
    others = [replace(frame, unit=unit) for unit in UNITS if unit != frame.unit]
    for other in others if may_change else ():
        found = size.fit(points, other)
        if found.fits:
            return found
    raise RaypickError(_advice(size, points, usual, others))


class _Size(NamedTuple):
    """How large an object is, and where its middle is, in the space of positions."""

    context: bpy.types.Context
    object: bpy.types.Object
    low: FloatArray  # (3,)
    high: FloatArray  # (3,)

    @classmethod
    def of(cls, context: bpy.types.Context, obj: bpy.types.Object, frame: FileFrame) -> _Size:
        evaluated = obj.evaluated_get(evaluated_depsgraph(context))
        corners = np.array([corner[:] for corner in evaluated.bound_box])
        if frame.in_world:
            corners = moved(corners, np.array(evaluated.matrix_world)[:3])
        return cls(context, obj, corners.min(axis=0), corners.max(axis=0))

    @property
    def length(self) -> float:
        """The diagonal of the box around the object."""
        return float(np.linalg.norm(self.high - self.low))

    def fit(self, points: FloatArray, frame: FileFrame) -> Fit:
        """The nearest places to positions (N, 3) of a file in a frame."""
        there = frame.from_file(points)
        if not (np.abs(there) < _FAR).all():
            raise RaypickError(TOO_FAR)
        places = anchored_points(self.context, self.object, there, world=frame.in_world)
        return Fit(frame, places, self._fits(there, places))

    def _fits(self, points: FloatArray, places: list[Anchored]) -> bool:
        away = max((each.distance for each in places), default=0.0)
        spread = float(np.linalg.norm(np.ptp(points, axis=0)))
        if away > _SHARE * self.length or (spread and away > spread):
            return False
        own = np.array([each.point for each in places])
        near = np.linalg.norm(own[:, None] - own, axis=-1) <= _ONE * self.length
        apart = np.linalg.norm(points[:, None] - points, axis=-1) > _ONE * self.length
        return not (near & apart).any()


def _advice(size: _Size, points: FloatArray, usual: Fit, others: list[FileFrame]) -> str:
    """What is wrong with positions, and what would fit."""
    frame = usual.frame
    away = max(each.distance for each in usual.places)
    unit = frame.unit_name or "units of the scene"
    text = f"positions in {unit} ({frame.axes}) do not fit {size.object.name!r}"
    text += f": they would move by up to {away:.4g}, and it is {size.length:.4g} long"
    for other in _tries(frame, others):
        if size.fit(points, other).fits:
            return f"{text}. They fit with {_said(frame, other)}"
    for other in (frame, *others):
        found = _shifted(size, points, other)
        if found is not None:
            return f"{text}. They fit with {_said(frame, found)}"
    return f"{text}. No unit, axes or offset that was tried fits"


def _tries(frame: FileFrame, others: list[FileFrame]) -> Iterator[FileFrame]:
    yield from others
    for each in (frame, *others):
        for axes in ("LPS", "RAS", "Y_UP"):
            if axes != frame.axes:
                yield replace(each, axes=axes)


def _shifted(size: _Size, points: FloatArray, frame: FileFrame) -> FileFrame | None:
    """The frame with the offset that has positions on the surface; None where none is found.

    It leads from the middle of the positions to that of the object, and from there to where the
    nearest places are on average.
    """
    there = frame.from_file(points)
    offset = (there.max(axis=0) + there.min(axis=0) - size.low - size.high) / 2.0
    for _ in range(_STEPS):
        shifted = replace(frame, offset=tuple(offset.tolist()))
        found = size.fit(points, shifted)
        if found.fits:
            return shifted
        ways = np.array([each.point for each in found.places])
        if frame.in_world:
            ways = moved(ways, np.array(size.object.matrix_world)[:3])
        offset = offset - (ways - (there - offset)).mean(axis=0)
    return None


def _said(frame: FileFrame, other: FileFrame) -> str:
    """What is other in a frame, as arguments."""
    said = []
    for name in ("unit", "axes", "offset"):
        if getattr(frame, name) != getattr(other, name):
            said.append(f"{name}={getattr(other, name)!r}")
    return ", ".join(said)
