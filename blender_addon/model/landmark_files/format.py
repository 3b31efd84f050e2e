# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of a file as plain values, and the declaration of a file format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..survey_colors import from_srgb, to_srgb

Triple: TypeAlias = tuple[float, float, float]
Kind: TypeAlias = Literal["points", "line", "angle", "curve", "closed curve"]

MOST_BYTES = 32 << 20  # of a file of text, for some 100,000 landmarks

SCENE = "SCENE"
"""Numbers are in scene units and not converted, whatever unit the file states."""

AXES = {
    "Z_UP": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "Y_UP": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "LPS": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "RAS": ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
}
"""The rotation matrix from each kind of axes to Blender's, in which z points up.

A figure that faces Blender's front view looks along -y: +x is its left, +y is behind it. So
Blender's axes are LPS (left, posterior, superior), and RAS (right, anterior, superior) has x and y
negated. In Y_UP, y points up and z towards the viewer.
"""

METERS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "µm": 1e-6, "in": 0.0254, "ft": 0.3048}
"""The length of each unit in meters."""

TYPED_UNITS = {unit.replace("µ", "u"): unit for unit in METERS}
"""The units by names that every keyboard has."""


class MarkFileError(ValueError):
    """A file of landmarks is wrong, or landmarks cannot be written to one; it says why."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One landmark of a file. Unknown values are None, empty or false."""

    name: str  # empty where the file has none
    point: Triple | None = None
    """In the file's coordinates; None where it is missing, or where the file has triangles only."""
    triangle: int | None = None  # by the file's numbering; for Wrap see :mod:`.wrap`
    face: int | None = None  # index of the polygon, where the file knows polygons
    barycentric: Triple | None = None  # weights of the corners A, B, C of the triangle
    normal: Triple | None = None  # a unit vector, in the file's coordinates
    description: str = ""
    index: int | None = None  # the number that the file gives it
    locked: bool = False
    hidden: bool = False
    selected: bool | None = None
    corners: tuple[int, int, int] | None = None  # which corners of the face A, B and C are


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
    axes: str | None = None  # a name in `AXES`; None where the file does not say
    unit: str | None = None  # a name in `METERS`; None where the file does not say
    kind: Kind = "points"
    object: str = ""  # the object or mesh file that the landmarks are on
    color: Triple | None = None  # red, green and blue in 0 ... 1, as shown on screen
    locked: bool = False
    hidden: bool = False
    measurements: tuple[Measurement, ...] = ()
    left_out: tuple[str, ...] = ()
    """The parts of the file that were not read, as sentences without periods."""
    topology: str = ""  # the fingerprint of the mesh whose triangles and faces are numbered
    triangle_count: int | None = None  # how many triangles that mesh has


class Layout(NamedTuple):
    """One of several ways to write a format."""

    label: str = ""
    purpose: str = ""
    holds_sets: bool = False  # whether it holds several sets, if the format does not


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: all that is needed to offer, find, read and write its files."""

    name: str  # for scripts
    label: str  # for people, like the purpose
    purpose: str
    endings: tuple[str, ...]  # of file names, in lower case; the first is that of new files
    holds: frozenset[str]
    """Of "positions", "triangles", "faces", "names", "lines" (tabs and new lines in names),
    "normals", "missing", "axes", "units", "sets" (several in a file) and "measurements"."""
    reader: Callable[[bytes, str], list[MarkFile]]
    """Reads the bytes of a file; its text argument names sets that have no name in the file."""
    writer: Callable[..., bytes]
    """Writes a set, or several if the format holds them. It takes `layout` where there are several,
    and `columns` for a table."""
    is_like: Callable[[bytes], bool] = lambda _data: True
    """Whether a file seems to be of this format, if others have its ending, too. A MarkFileError
    counts as no."""
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    """The ways to write it by their names, where there are several; the usual one comes first."""
    layouts_tell: str = ""
    """What a layout decides, for people; empty where only scripts choose it."""
    columns: tuple[str, ...] = ()  # all that a table can have, in order
    usual_columns: tuple[str, ...] = ()
    unit: str = SCENE  # of new files by default, like the axes
    axes: str = "Z_UP"
    triangles: str = "BLENDER"  # or "FAN": how polygons are cut by default
    most_bytes: int = MOST_BYTES  # how large a file may be


def convert(points: npt.ArrayLike, source: str, target: str = "Z_UP") -> npt.NDArray[np.float64]:
    """Points or directions (..., 3) in other axes, as exact float64."""
    rotation = np.array(AXES[target]).T @ np.array(AXES[source])
    columns, signs = np.abs(rotation).argmax(axis=1), rotation.sum(axis=1)
    converted: npt.NDArray[np.float64] = np.asarray(points, np.float64)[..., columns] * signs
    return converted


def to_screen(color: Iterable[float]) -> Triple:
    """A linear color converted to sRGB, as the screen shows it, clipped to 0 ... 1."""
    r, g, b = to_srgb([*color]).tolist()
    return r, g, b


def from_screen(color: Iterable[float]) -> Triple:
    """The linear color of an sRGB color, as the screen shows it."""
    r, g, b = from_srgb([*color]).tolist()
    return r, g, b
