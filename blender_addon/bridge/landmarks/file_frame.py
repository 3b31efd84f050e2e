# SPDX-License-Identifier: GPL-3.0-or-later
"""The space, unit, axes and offset in which a file has its points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import bpy
import numpy as np

from ...model.landmark_files.format import AXES, METERS, SCENE, Triple, convert
from ...standalone_core import RaypickError
from ...standalone_core.extension import ArgumentError, FloatArray, finite, floats
from ..validation import one_of

SPACES = ("WORLD", "LOCAL")
NO_OFFSET: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FileFrame:
    """The space, unit, axes and offset of the points of a file."""

    scene: bpy.types.Scene
    space: str  # "WORLD", or "LOCAL" for that of the object
    unit: str  # of METERS, or SCENE
    axes: str  # of AXES
    offset: Triple = NO_OFFSET
    """The origin of the space in the file's unit and axes: the global shift of a scan."""

    def __post_init__(self) -> None:
        one_of(self.space, SPACES, "space")
        one_of(self.axes, AXES, "axes")
        one_of(self.unit, (*METERS, SCENE), "unit")

    @property
    def in_world(self) -> bool:
        return self.space == "WORLD"

    @property
    def unit_name(self) -> str | None:
        """The unit as written in files; None for the scene's."""
        return None if self.unit == SCENE else self.unit

    def to_file(self, points: FloatArray) -> FloatArray:
        """Points (N, 3) of the space in the file's unit and axes."""
        with np.errstate(over="ignore"):  # callers refuse what is not finite
            return convert(points * self.factor, "Z_UP", self.axes) + self.offset

    def from_file(self, points: FloatArray) -> FloatArray:
        """Points (N, 3) of the file in the space."""
        with np.errstate(over="ignore"):
            return convert(points - np.array(self.offset), self.axes) / self.factor

    def directions(self, vectors: FloatArray) -> FloatArray:
        """Directions (N, 3) of the space in the file's axes."""
        return convert(vectors, "Z_UP", self.axes)

    @property
    def factor(self) -> float:
        """How many of the file's units one unit of the scene is."""
        if self.unit == SCENE:
            return 1.0
        settings, meters = self.scene.unit_settings, Fraction(1)
        if settings.system != "NONE":  # its float32 scale as the shortest decimal
            meters = Fraction(str(np.float32(settings.scale_length)))
        return float(meters / Fraction(repr(METERS[self.unit])))


@contextmanager
def file_errors() -> Iterator[None]:
    """Raise errors of a file, or of its path, as a RaypickError."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise RaypickError(str(error)) from None


def checked_offset(value: Iterable[float] | None) -> Triple:
    """Check an offset; None stands for no offset."""
    if value is None:
        return NO_OFFSET
    x, y, z = finite(floats(value, "offset", (3,)), "offset").tolist()
    return x, y, z


def read_offset(text: str) -> Triple:
    """Read an offset that was typed, with commas or spaces between its numbers."""
    try:
        return checked_offset([*map(float, text.replace(",", " ").split())] or None)
    except ValueError:
        raise ArgumentError(
            f"an offset is three numbers, such as 1000, 2000, 0: not {text!r}"
        ) from None
