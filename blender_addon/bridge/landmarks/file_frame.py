# SPDX-License-Identifier: GPL-3.0-or-later
"""In which space, unit and axes a file has its points, and what those are in Blender."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import bpy
import numpy as np

from ...model.landmark_files import AXES, METERS, convert
from ...standalone_core.extension import FloatArray
from ..validation import one_of

SPACES = ("WORLD", "LOCAL")
SCENE = "SCENE"  # the units of the scene as they are, whatever the file calls them


@dataclass(frozen=True, slots=True)
class FileFrame:
    """The space, unit and axes of the points of a file."""

    scene: bpy.types.Scene
    space: str  # "WORLD", or "LOCAL" for that of the object
    unit: str  # of METERS, or SCENE
    axes: str  # of AXES

    def __post_init__(self) -> None:
        one_of(self.space, SPACES, "space")
        one_of(self.axes, AXES, "axes")
        one_of(self.unit, (*METERS, SCENE), "unit")

    @property
    def in_world(self) -> bool:
        return self.space == "WORLD"

    @property
    def unit_name(self) -> str | None:
        """The unit as a file tells it; None for those of the scene."""
        return None if self.unit == SCENE else self.unit

    def to_file(self, points: FloatArray) -> FloatArray:
        """Points (N, 3) of the space as the file has them."""
        with np.errstate(over="ignore"):  # whoever takes them refuses what is not finite
            return convert(points * self._factor, "Z_UP", self.axes)

    def length_to_file(self, length: float) -> float:
        """A length of the space as the file has it."""
        return length * self._factor

    def from_file(self, points: FloatArray) -> FloatArray:
        """Points (N, 3) of the file in the space."""
        with np.errstate(over="ignore"):
            return convert(points, self.axes) / self._factor

    def directions(self, vectors: FloatArray) -> FloatArray:
        """Directions (N, 3) of the space in the file's axes."""
        return convert(vectors, "Z_UP", self.axes)

    @property
    def _factor(self) -> float:
        """How many of the file's units one of the scene is."""
        if self.unit == SCENE:
            return 1.0
        return float(_meters(self.scene) / Fraction(repr(METERS[self.unit])))


def _meters(scene: bpy.types.Scene) -> Fraction:
    """How many meters a unit of the scene is: the decimals of what Blender keeps as a float32."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return Fraction(1)
    return Fraction(str(np.float32(settings.scale_length)))
