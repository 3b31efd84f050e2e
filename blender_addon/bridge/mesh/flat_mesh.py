# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance whose matrix cannot be inverted well: a scale of about zero flattens its mesh."""

from __future__ import annotations

import numpy as np

from ...standalone_core import Hit, Placeable, RayHits, Region, Triangles
from ...standalone_core.extension import (
    EPS,
    BoolArray,
    Engine,
    FloatArray,
    IntArray,
    LoneRay,
    RayBatch,
    moved,
)
from .scene_mesh import SceneMesh

# Of the least scale to the greatest. Rays moved back through the inverse lose as many digits; and
# Blender's own rounding to single precision leaves no less where it multiplies by a scale of zero.
_FLATTEST = 1e-6


def are_flat(matrices: FloatArray) -> BoolArray:
    """Which of the matrices (N, 4, 4) cannot be inverted without great loss."""
    linear = matrices[:, :3, :3]
    size = np.abs(linear).max(axis=1, keepdims=True)
    good: BoolArray = np.isfinite(matrices).all(axis=(1, 2)) & (size[:, 0] > 0).all(axis=1)
    spread = np.linalg.svd(linear[good] / size[good], compute_uv=False)
    good[good] = spread[:, 2] > _FLATTEST * spread[:, 0]
    return ~good


class FlatMesh(Placeable):
    """A mesh whose vertices are moved into the world themselves, as no ray can be moved back.

    `matrix` (4, 4) leads from local to world space, and is finite.
    """

    revision = 0
    engine: Engine = "auto"

    def __init__(self, mesh: SceneMesh, matrix: FloatArray) -> None:
        self._mesh = mesh
        self._matrix = matrix
        corners = np.stack(np.meshgrid(*np.stack(mesh.bounds, axis=1)), axis=-1).reshape(-1, 3)
        box = moved(corners, matrix[:3])
        # A corner's sums round otherwise than those of a vertex.
        margin = 16 * EPS * np.abs(box).max(axis=0)
        self._bounds = box.min(axis=0) - margin, box.max(axis=0) + margin

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        return self._bounds

    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._cast_many(self._mesh.visible_only(rays))

    def _cast(self, ray: LoneRay) -> list[Hit]:
        mesh = self._mesh.in_world(self._matrix)
        return mesh._cast(self._mesh.visible_only(ray))

    def triangles_in(self, region: Region) -> Triangles:
        return self._mesh.visible(self._mesh.in_world(self._matrix).triangles_in(region))
