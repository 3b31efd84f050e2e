# SPDX-License-Identifier: MIT
"""Which instances of a scene rays can meet: their boxes, and a tree over them."""

from collections.abc import Iterator, Mapping

import numpy as np

from .. import bvh
from ..box import inverse_direction, met_at
from ..cast.rays import LoneRay, RayBatch, least_step
from ..engines import Engine, engine_named, traversal
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray
from ..numerics.columns import run_starts
from ..region import Region
from ..region.search import boxes_meet, items_in
from .instance import Instance

# Rounding on the way of a box into the scene and of a slab test there.
_ROUNDING = 24 * EPS


class InstanceIndex:
    """Boxes of N instances, by their ids, in the scene's space, as they were when this was made."""

    def __init__(self, instances: Mapping[int, Instance]) -> None:
        self._instances = dict(instances)
        self._ids = np.fromiter(self._instances, dtype=np.int64, count=len(self._instances))
        meshes = [instance.mesh for instance in self._instances.values()]
        matrices = np.array([instance.matrix for instance in self._instances.values()])
        matrices = matrices.reshape(-1, 4, 4)
        self._revisions = {mesh: mesh.revision for mesh in meshes}
        # A pick does not wait for a compiler, even for an engine that was asked for.
        numpy_alone = all(mesh.wanted_engine == "numpy" for mesh in self._revisions)
        self._engine: Engine = "numpy" if numpy_alone else "auto"
        numbers = {mesh: number for number, mesh in enumerate(self._revisions)}
        corners = np.array([mesh.bounds for mesh in numbers]).reshape(-1, 2, 3)
        own = corners[[numbers[mesh] for mesh in meshes]] if len(meshes) else corners
        self._lower, self._upper = _moved_boxes(own[:, 0], own[:, 1], matrices)
        self._tree = bvh.over_boxes(self._lower, self._upper)
        sizes = np.abs([self._lower, self._upper])
        self._extent = float(sizes[np.isfinite(sizes)].max(initial=0.0))

    def __getitem__(self, identifier: int) -> Instance:
        return self._instances[identifier]

    @property
    def is_stale(self) -> bool:
        """Whether a mesh was refitted since."""
        return any(mesh.revision != known for mesh, known in self._revisions.items())

    def met(self, ray: LoneRay) -> list[tuple[int, float]]:
        """Ids of the instances whose boxes a ray meets, with the distance there, nearest first."""
        margin = _ROUNDING * (self._extent + max(map(abs, ray.origin))) + least_step(ray.length)
        engine = engine_named(self._engine)
        places, entry = engine.met_boxes(self._tree, self._lower, self._upper, margin, ray)
        found = zip(self._ids.take(places).tolist(), entry.tolist(), strict=True)
        excluded = ray.query.excluded
        if excluded is None:
            return list(found)
        # The last stands for all instances that came after the mask.
        return [pair for pair in found if not excluded[min(pair[0], len(excluded) - 1)]]

    def met_many(self, rays: RayBatch) -> Iterator[tuple[int, IntArray, FloatArray]]:
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

    def met_by_region(self, region: Region, excluded: BoolArray | None) -> list[int]:
        """Ids of the instances whose boxes may reach into a region, in order."""
        places = np.sort(items_in(self._tree, region))
        boxes = np.concatenate(
            [self._lower.take(places, axis=0).T, self._upper.take(places, axis=0).T]
        )
        found = self._ids.take(places[boxes_meet(region, boxes, self._extent)])
        if excluded is not None:
            found = found[~excluded.take(found, mode="clip")]
        return [int(identifier) for identifier in found]

    def _sifted(
        self, rays: RayBatch, rows: IntArray, places: IntArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """The pairs whose ray meets the box itself, and the distances at which it does."""
        excluded = rays.query.excluded
        if excluded is not None:
            # The last stands for all instances that came after the mask.
            kept = ~excluded.take(self._ids[places], mode="clip")
            rows, places = rows[kept], places[kept]
        margin = _ROUNDING * (self._extent + np.abs(rays.origins).max(axis=1))
        margin += least_step(rays.lengths)
        met, distance = met_at(
            rays.origins[rows],
            inverse_direction(rays.directions)[rows],
            self._lower[places],
            self._upper[places],
            margin[rows],
            rays.lengths[rows],
            rays.limits[rows],
        )
        return rows[met], places[met], distance[met]


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
