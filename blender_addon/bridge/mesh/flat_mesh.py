# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance whose matrix cannot be inverted well: a scale of about zero flattens its mesh."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...standalone_core import Hit, Placeable, RayHits, Region, Triangles
from ...standalone_core.extension import EPS, Engine, LoneRay, RayBatch
from .scene_mesh import SceneMesh

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Of the least scale to the greatest. Rays moved back through the inverse lose as many digits; and
# Blender's own rounding to single precision leaves no less where it multiplies by a scale of zero.
_FLATTEST = 1e-6


def are_flat(matrices: FloatArray) -> npt.NDArray[np.bool_]:
    """Which of the matrices (N, 4, 4) cannot be inverted without great loss."""
    linear = matrices[:, :3, :3]
    size = np.abs(linear).max(axis=1, keepdims=True)
    good = np.isfinite(matrices).all(axis=(1, 2)) & (size[:, 0] > 0).all(axis=1)
    spread = np.linalg.svd(linear[good] / size[good], compute_uv=False)
    good[good] = spread[:, 2] > _FLATTEST * spread[:, 0]
    return ~good


class FlatMesh(Placeable):
    """A mesh whose vertices are moved into the world themselves, as no ray can be moved back.

    Parameters
    ----------
    mesh : SceneMesh
    matrix : ndarray (4, 4)
        Local to world space; finite.
    """

    def __init__(self, mesh: SceneMesh, matrix: FloatArray) -> None:
        self._mesh = mesh
        self._matrix = matrix
        corners = np.stack(np.meshgrid(*np.stack(mesh.bounds, axis=1)), axis=-1).reshape(-1, 3)
        moved = corners @ matrix[:3, :3].T + matrix[:3, 3]
        # A corner's sums round otherwise than those of a vertex.
        margin = 16 * EPS * np.abs(moved).max(axis=0)
        self._bounds = moved.min(axis=0) - margin, moved.max(axis=0) + margin

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of a box around it, in world space."""
        return self._bounds

    @property
    def revision(self) -> int:
        """Always 0."""
        return 0

    @property
    def engine(self) -> Engine:
        """As for other meshes."""
        return "auto"

    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits of rays in world space, with the row of the ray of each."""
        rows, hits = self._mesh.moved(self._matrix)._cast_many(rays)
        return rows, self._mesh.whole_hit(hits)

    def _cast(self, ray: LoneRay) -> list[Hit]:
        """Hits of one ray in world space, the nearest first."""
        hits = self._mesh.moved(self._matrix)._cast(ray)
        return [self._mesh.whole_hit(hit) for hit in hits]

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region of world space, and perhaps some near it."""
        return self._mesh.whole_hit(self._mesh.moved(self._matrix).triangles_in(region))
