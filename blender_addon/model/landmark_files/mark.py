# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks as files have them: plain values, in the file's own coordinates and counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Triple: TypeAlias = tuple[float, float, float]
Kind: TypeAlias = Literal["points", "line", "angle", "curve", "closed curve"]


class MarkFileError(ValueError):
    """What is wrong with a file of landmarks, or why landmarks cannot be written to one."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One landmark of a file. What the file does not say is None, empty or false."""

    name: str  # empty where the file has none
    point: Triple | None = None
    """In the file's coordinates; None where it is missing, or where the file has triangles only."""
    triangle: int | None = None
    """As the file counts them: for Wrap in the fans of :mod:`.fans`."""
    face: int | None = None  # index of the polygon, where the file knows polygons
    barycentric: Triple | None = None  # weights of the corners A, B, C of the triangle
    normal: Triple | None = None  # a unit vector, in the file's coordinates
    description: str = ""
    index: int | None = None  # the number that the file gives it
    locked: bool = False
    hidden: bool = False
    selected: bool | None = None
    corners: tuple[int, int, int] | None = None
    """Where A, B, C are among the corners of the face, where the file knows polygons."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number that was measured on a set."""

    name: str
    value: float
    unit: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class MarkFile:
    """One set of landmarks of a file."""

    name: str
    marks: tuple[Mark, ...]
    axes: str | None = None  # a name in `axes.AXES`; None where the file does not say
    unit: str | None = None  # a name in `units.METERS`; None where the file does not say
    kind: Kind = "points"
    object: str = ""  # the object or mesh file that the landmarks are on
    color: Triple | None = None  # red, green and blue in 0 ... 1, as shown on screen
    locked: bool = False
    hidden: bool = False
    measurements: tuple[Measurement, ...] = ()
    left_out: tuple[str, ...] = ()
    """What of the file was not read, as sentences without their periods."""
    topology: str = ""  # the fingerprint of the mesh that triangles and faces count in
    triangle_count: int | None = None  # how many triangles that mesh has
