# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether places of triangles are visible, or something is before them."""

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
"""Which side of faces is culled when a ray is reversed."""

ROUNDING = 1e-9  # places this near, relative to their coordinates and depth, do not hide each other


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A view of a scene around a position."""

    scene: Scene
    around: AroundPixel
    planes: FloatArray  # (P, 4): what is visible has a x + b y + c z + d >= 0 for each
    cull: Cull
    behind: list[int]  # instances visible only where none of the others is; else depth decides

    def facing(self, found: Triangles) -> FloatArray:
        """Below 0 for triangles that face the eye, above 0 for those that face away: (N,)."""
        a, b, c = found.corners.transpose(1, 0, 2)
        facing = dot(cross(b - a, c - a), self.around.toward(a))
        for instance in np.unique(found.instance).tolist():
            if np.linalg.det(self.scene[instance].matrix[:3, :3]) < 0.0:
                facing[found.instance == instance] *= -1.0
        return facing

    def not_culled(self, facing: FloatArray) -> BoolArray:
        """Which triangles can be hit, by what :meth:`facing` returned."""
        return np.asarray(facing * cull_sign(self.cull) <= 0.0)

    def is_behind(self, instances: IntArray) -> BoolArray:
        """Which instances (N,) are visible only where none of the others is."""
        return np.isin(instances, self.behind)

    def hidden(self, found: Triangles, points: FloatArray) -> BoolArray:
        """Which of the places (N, 3) on triangles are behind something else, (N,)."""
        backward = -self.around.toward(points)
        late = self.is_behind(found.instance)
        hidden = np.zeros(len(points), dtype=np.bool_)
        for some, way, cull, exclude in (
            (late, backward, TURNED[self.cull], []),
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
        exclude: list[int],
    ) -> BoolArray:
        """Whether rays from places meet anything visible but their own triangle."""
        unit = directions / length(directions)[:, None]
        margin = ROUNDING * (np.abs(points).max(axis=1) + np.abs(self.around.depths(points)))
        starts = points + margin[:, None] * unit
        limits = np.maximum(self._reach(points, unit) - margin, 0.0)
        if len(points) == 1:  # faster than a batch of one
            hit = self.scene.ray_cast(starts[0], unit[0], limits[0], cull, exclude)
            met = np.array([hit is not None])
            ids = (found.instance[0], found.triangle[0])
            own = np.array([hit is not None and (hit.instance, hit.triangle) == ids])
        else:
            hits = self.scene.cast_rays(starts, unit, limits, cull, exclude)
            met = hits.hit
            own = met & (hits.instance == found.instance) & (hits.triangle == found.triangle)
        for row in np.flatnonzero(own).tolist():  # edge-on, it may meet itself
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
