# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport shows and no pick can hit: hair curves, point clouds, Grease Pencil, volumes.

They have no faces. All that is known of them is a box, in the local space of the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...standalone_core.extension import FloatArray

TYPES = frozenset({"CURVES", "POINTCLOUD", "GREASEPENCIL", "GPENCIL", "VOLUME"})


class Unpickable(NamedTuple):
    """An object or instance that rays pass.

    Attributes
    ----------
    name : str
        Of the object.
    addresses : frozenset of int
        Of the original object and of the one that a click there selects, which decides on
        visibility.
    box : ndarray (2, 3)
        Lower and upper corner, in local space.
    matrix : ndarray (4, 4)
        Local to world space.
    """

    name: str
    addresses: frozenset[int]
    box: FloatArray
    matrix: FloatArray

    def is_met(
        self, origin: Sequence[float], direction: Sequence[float], least: float, most: float
    ) -> bool:
        """Whether a world ray, of a unit direction, meets the box between two distances."""
        with np.errstate(all="ignore"):
            try:
                linear = np.linalg.inv(self.matrix[:3, :3])
            except np.linalg.LinAlgError:
                return False
            start, along = linear @ (origin - self.matrix[:3, 3]), linear @ np.array(direction)
            # A box that is flat, or a ray along one of its sides, must not give 0 / 0.
            along = np.where(np.abs(along) < 1e-300, 1e-300, along)
            entries, exits = np.sort((self.box - start) / along, axis=0)
            entry, leave = max(entries.max(), least), exits.min()
        return bool(entry <= leave and entry < most)


def box_of(evaluated: bpy.types.Object) -> FloatArray | None:
    """Lower and upper corner (2, 3) of an evaluated object, in local space; None if it is empty."""
    corners = np.array(evaluated.bound_box, dtype=np.float64)
    box = np.stack([corners.min(axis=0), corners.max(axis=0)])
    return box if np.isfinite(box).all() and (box[1] > box[0]).any() else None
