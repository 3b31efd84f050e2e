# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether places of triangles are seen, or something is before them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..standalone_core import Scene, Triangles
from ..standalone_core.extension import (
    AroundPixel,
    BoolArray,
    Cull,
    FloatArray,
    IntArray,
    cross,
    cull_sign,
    dot,
    length,
)

TURNED: dict[Cull, Cull] = {None: None, "back": "front", "front": "back"}
"""Which side of faces is not hit, seen from the other end of a ray."""

ROUNDING = 1e-9
"""Places do not hide each other that are so near, relative to their coordinates and depth."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A scene as it is seen around a position.

    Attributes
    ----------
    scene : Scene
    around : AroundPixel
    planes : ndarray (P, 4)
        What is shown has a x + b y + c z + d >= 0 for each of them, in world space.
    cull : {None, "back", "front"}
    behind : list of int, optional
        Instances that are seen only where none of the others is; None where depth alone decides.
    """

    scene: Scene
    around: AroundPixel
    planes: FloatArray
    cull: Cull
    behind: list[int] | None

    def facing(self, found: Triangles) -> FloatArray:
        """Above 0 for triangles that are seen from behind, below 0 from the front: (N,)."""
        a, b, c = found.corners.transpose(1, 0, 2)
        facing = dot(cross(b - a, c - a), self.around.toward(a))
        for instance in np.unique(found.instance).tolist():
            if np.linalg.det(self.scene[instance].matrix[:3, :3]) < 0.0:
                facing[found.instance == instance] *= -1.0
        return facing

    def not_culled(self, facing: FloatArray) -> BoolArray:
        """Which triangles are hit, by what :meth:`facing` says of them."""
        shown: BoolArray = facing * cull_sign(self.cull) <= 0.0
        return shown

    def is_behind(self, instances: IntArray) -> BoolArray:
        """Which instances (N,) are seen only where none of the others is."""
        if self.behind is None:
            return np.zeros(len(instances), dtype=np.bool_)
        return np.isin(instances, self.behind)

    def hidden(self, found: Triangles, points: FloatArray) -> BoolArray:
        """Which of the places (N, 3) on triangles something else is seen before, (N,)."""
        backward = -self.around.toward(points)
        if self.behind is None:
            return self._meets(found, points, backward, TURNED[self.cull], None)
        late = self.is_behind(found.instance)
        hidden = np.zeros(len(points), dtype=np.bool_)
        for some, way, cull, exclude in (
            (late, backward, TURNED[self.cull], None),
            (late, -backward, self.cull, self.behind),
            (~late, backward, TURNED[self.cull], self.behind),
        ):
            if some.any():
                ways = found.take(some), points[some], way[some]
                hidden[some] |= self._meets(*ways, cull, exclude)
        return hidden

    def _meets(
        self,
        found: Triangles,
        points: FloatArray,
        directions: FloatArray,
        cull: Cull,
        exclude: list[int] | None,
    ) -> BoolArray:
        """Whether rays from places meet anything but their own triangle, where it is shown."""
        unit = directions / length(directions)[:, None]
        margin = ROUNDING * (np.abs(points).max(axis=1) + np.abs(self.around.depths(points)))
        starts = points + margin[:, None] * unit
        limits = np.maximum(self._reach(points, unit) - margin, 0.0)
        if len(points) == 1:  # faster than a batch of one
            hit = self.scene.ray_cast(starts[0], unit[0], limits[0], cull, exclude)
            met = np.array([hit is not None])
            name = (found.instance[0], found.triangle[0])
            own = np.array([hit is not None and (hit.instance, hit.triangle) == name])
        else:
            hits = self.scene.cast_rays(starts, unit, limits, cull, exclude)
            met = hits.hit
            own = met & (hits.instance == found.instance) & (hits.triangle == found.triangle)
        for row in np.flatnonzero(own).tolist():  # seen as a line, it may meet itself
            every = self.scene.ray_cast_all(starts[row], unit[row], limits[row], cull, exclude)
            met[row] = len({(hit.instance, hit.triangle) for hit in every}) > 1
        return met

    def _reach(self, points: FloatArray, directions: FloatArray) -> FloatArray:
        """How far points (N, 3) can go in unit directions (N, 3) to a plane or the eye: (N,)."""
        reach = np.full(len(points), np.inf)
        for plane in self.planes:
            value, along = dot(points, plane[:3]) + plane[3], dot(directions, plane[:3])
            with np.errstate(all="ignore"):
                reach = np.where(along < 0.0, np.minimum(reach, value / -along), reach)
        if self.around.is_perspective:
            offset = points - self.around.ray.origin
            comes_nearer = dot(offset, directions) < 0.0
            reach = np.where(comes_nearer, np.minimum(reach, length(offset)), reach)
        return reach
