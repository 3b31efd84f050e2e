# SPDX-License-Identifier: MIT
"""Which instances of a scene rays can meet: their boxes, and a tree over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from . import bvh
from .arrays import EPS, FloatArray, IntArray
from .box import inverse_direction, is_met, slab_interval
from .columns import run_starts
from .engines import traversal
from .mesh import Mesh
from .ray_batch import LoneRay, RayBatch

# Rounding on the way of a box into the scene and of a slab test there.
_ROUNDING = 24 * EPS


class InstanceIndex:
    """Boxes of N instances in the scene's space, as they were when this was made.

    Parameters
    ----------
    ids : ndarray (N,) of int64
    meshes : sequence of N Mesh
    matrices : ndarray (N, 4, 4)
        Mesh space to the scene's space.
    """

    def __init__(self, ids: IntArray, meshes: Sequence[Mesh], matrices: FloatArray) -> None:
        self._ids = ids
        self._revisions = {mesh: mesh.revision for mesh in meshes}
        numbers = {mesh: number for number, mesh in enumerate(self._revisions)}
        corners = np.array([mesh.bounds for mesh in numbers]).reshape(-1, 2, 3)
        own = corners[[numbers[mesh] for mesh in meshes]] if len(meshes) else corners
        self._lower, self._upper = _moved_boxes(own[:, 0], own[:, 1], matrices)
        self._tree = bvh.over_boxes(self._lower, self._upper)
        sizes = np.abs([self._lower, self._upper])
        self._extent = float(sizes[np.isfinite(sizes)].max(initial=0.0))

    @property
    def is_stale(self) -> bool:
        """Whether a mesh was refitted since."""
        return any(mesh.revision != known for mesh, known in self._revisions.items())

    def met_by_one(self, ray: LoneRay) -> list[tuple[int, float]]:
        """Ids of the instances whose boxes a ray meets, with the distance there, nearest first."""
        places = traversal.candidates_of_one(self._tree, ray)
        batch = ray.batch()
        _, places, entry = self._sifted(batch, np.zeros(len(places), dtype=np.int64), places)
        nearest_first = np.argsort(entry, kind="stable")
        ids = self._ids[places[nearest_first]].tolist()
        return list(zip(ids, entry[nearest_first].tolist(), strict=True))

    def met(self, rays: RayBatch) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """Instances with rows of the rays that meet their boxes, and the distances there.

        The instance that is entered first by any of its rays comes first.
        """
        seen = traversal.approach_of(self._tree, rays)
        nothing = np.empty(0, dtype=np.int64)
        blocks = [(nothing, nothing), *traversal.candidates(self._tree, seen)]
        rows, places = (np.concatenate(column) for column in zip(*blocks, strict=True))
        rows, places, entry = self._sifted(rays, rows, places)
        order = np.lexsort((rows, places))
        groups = np.split(order, run_starts(places[order])[1:]) if len(order) else []
        for group in sorted(groups, key=lambda group: float(entry[group].min())):
            yield int(self._ids[places[group[0]]]), rows[group], entry[group]

    def _sifted(
        self, rays: RayBatch, rows: IntArray, places: IntArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """The pairs whose ray meets the box itself, and the distances at which it does."""
        excluded = rays.question.excluded
        if excluded is not None:
            kept = ~excluded[self._ids[places]]
            rows, places = rows[kept], places[kept]
        margin = _ROUNDING * (self._extent + np.abs(rays.origins).max(axis=1))
        entry, leave = slab_interval(
            rays.origins[rows],
            inverse_direction(rays.directions)[rows],
            self._lower[places],
            self._upper[places],
            margin[rows],
        )
        lengths = rays.lengths[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            entry, leave = entry * lengths, leave * lengths
        met = is_met(entry, leave, rays.limits[rows])
        return rows[met], places[met], entry[met] - margin[rows][met]


def _moved_boxes(
    lower: FloatArray, upper: FloatArray, matrices: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Boxes around boxes (N, 3) moved by matrices (N, 4, 4), rounded outward; NaN where empty."""
    middle, half = lower / 2 + upper / 2, upper / 2 - lower / 2
    linear, offset = matrices[:, :3, :3], matrices[:, :3, 3]
    size = np.abs(linear)
    with np.errstate(over="ignore", invalid="ignore"):
        center = (linear @ middle[..., None])[..., 0] + offset
        reach = (size @ half[..., None])[..., 0]
        rounding = (size @ (np.abs(middle) + half)[..., None])[..., 0] + np.abs(offset)
        reach += 8 * EPS * rounding
        return center - reach, center + reach
