# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects without faces: hair curves, point clouds, Grease Pencil and volumes.

No ray can hit them. All that is known of them is a box, in the local space of the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...standalone_core.extension import FloatArray, inverse_direction, slab_interval

TYPES = frozenset({"CURVES", "POINTCLOUD", "GREASEPENCIL", "GPENCIL", "VOLUME"})


class Unpickable(NamedTuple):
    """An object or instance without faces."""

    name: str
    addresses: frozenset[int]  # of the original object and of the one that a click selects
    box: FloatArray  # (2, 3), lower and upper corner in local space
    matrix: FloatArray  # (4, 4), local to world space

    def is_met(
        self, origin: Sequence[float], direction: Sequence[float], least: float, most: float
    ) -> bool:
        """Whether a world ray, of a unit direction, meets the box between two distances."""
        with np.errstate(all="ignore"):
            try:
                to_local = np.linalg.inv(self.matrix[:3, :3])
            except np.linalg.LinAlgError:
                return False
            start = to_local @ (origin - self.matrix[:3, 3])
            inverse = inverse_direction(to_local @ np.array(direction))
        first, leave = slab_interval(start, inverse, self.box[0], self.box[1], 0.0)
        entry = max(float(first), least)
        return bool(entry <= leave and entry < most)


def box_of(evaluated: bpy.types.Object) -> FloatArray | None:
    """Lower and upper corner (2, 3) of an evaluated object, in local space; None if it is empty."""
    corners = np.array(evaluated.bound_box, dtype=np.float64)
    box = np.stack([corners.min(axis=0), corners.max(axis=0)])
    return box if np.isfinite(box).all() and (box[1] > box[0]).any() else None
