# SPDX-License-Identifier: MIT
"""A scene: meshes placed by matrices, each mesh stored once however often it is placed."""

from collections.abc import Set
from typing import Any

import numpy as np

from . import arguments
from .arguments import Selection
from .cast.rays import LoneRay, RayBatch, SideArray
from .closest.places import ClosestPoints
from .closest.surface import Surface
from .engines import lengths_of
from .errors import ArgumentError
from .hit import Hit, RayHits
from .instancing import batch, lone, nearest
from .instancing.index import PER_LONE_RAY, PER_RAY
from .instancing.instance import instance_triangles
from .instancing.instances import Instances
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import concatenated
from .numerics.reading import described
from .region import Region, Triangles
from .region.search import no_triangles

# Points that are looked at together.
_INSIDE = 1 << 16


class Scene(Instances, Surface):
    """Instances of meshes that are cast at together, on two levels.

    A tree over the instances' boxes finds those that a ray can meet; there the ray is taken into
    the mesh's own space by the inverse matrix. Its direction is not made a unit vector again, so
    a distance along it is the distance in the scene.

    Threads may cast at a scene together, and beside one that changes it: a cast sees each change
    wholly or not at all, but a mesh that is refitted meanwhile may be old in one place and new in
    another. Scenes can be pickled.

    Examples
    --------
    >>> from standalone_core import Mesh
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> scene = Scene()
    >>> near, far = scene.add(mesh), scene.add(mesh, [[1, 0, 0, 0], [0, 1, 0, 0],
    ...                                               [0, 0, 1, -3], [0, 0, 0, 1]])
    >>> [(hit.instance, hit.distance) for hit in scene.ray_cast_all((0.2, 0.2, 1), (0, 0, -1))]
    [(0, 1.0), (1, 4.0)]
    """

    def triangles_in(
        self, region: Region, exclude: Selection = None, *, only: Selection = None
    ) -> Triangles:
        """All triangles of all instances that reach into a region, and perhaps some near it.

        Parameters
        ----------
        region : Region
            In the scene's space.
        exclude, only : array_like or set, optional
            Instances that are left out, or that alone are looked at; see :meth:`ray_cast`.

        Returns
        -------
        Triangles
            In the order of the instances, and of the triangles of each.
        """
        arguments.instance_of(region, Region, "region")
        excluded = self._excluded(exclude, only)
        found = self._indexed().met_by_region(region, excluded)
        parts = [
            instance_triangles(instance, region, identifier)
            for identifier, instance in found.items()
        ]
        return concatenated([no_triangles(), *parts])

    def _mask(self, value: Any, name: str) -> BoolArray:
        """A mask of instances by their ids; the last is for all that will come."""
        mask = np.zeros(self._next_id + 1, dtype=np.bool_)
        chosen = value if isinstance(value, np.ndarray) else arguments.iterable(value, name)
        if arguments.are_bools(chosen) and not isinstance(value, Set):
            ids = self.ids
            mask[ids[arguments.mask(chosen, len(ids), name, "instances")]] = True
        else:
            mask[self._known_ids(chosen, name)] = True
        return mask

    def _cull_sides(self, cull: Any) -> SideArray:
        reason = "each triangle of a scene cannot have its own"
        raise ArgumentError(
            f'cull must be None, "back" or "front", not {described(cull)}: {reason}'
        )

    def _lengths(self, origins: FloatArray, directions: FloatArray) -> FloatArray | None:
        return lengths_of("auto", origins, directions)

    def _cast(self, ray: LoneRay) -> list[Hit]:
        return lone.cast(self._indexed().for_rays(PER_LONE_RAY), ray)

    def _cast_many(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        return batch.cast_many(self._indexed().for_rays(PER_RAY * len(rays)), rays)

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        return batch.cast_nearest(self._indexed().for_rays(PER_RAY * len(rays)), rays)

    def _closest_points(
        self, p: FloatArray, limits: FloatArray, excluded: BoolArray | None
    ) -> ClosestPoints:
        return nearest.closest(self._indexed().for_rays(PER_RAY * len(p)), p, limits, excluded)

    def _check_closed(self) -> None:
        for mesh in {each.mesh for each in list(self._instances.values())}:
            mesh._check_closed()

    def _is_inside(self, rays: RayBatch) -> BoolArray:
        """Whether the origins are inside of an instance, each by itself."""
        inside = np.zeros(len(rays), dtype=np.bool_)
        for first in range(0, len(rays), _INSIDE):
            row, hits = self._cast_many(rays.take(slice(first, first + _INSIDE)))
            crossed, counts = np.unique([row, hits.instance], axis=1, return_counts=True)
            inside[first + crossed[0, counts % 2 == 1]] = True
        return inside

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        found: BoolArray = self._count_hits(rays) > 0
        return found

    def _count_hits(self, rays: RayBatch) -> IntArray:
        return batch.count_hits(self._indexed().for_rays(PER_RAY * len(rays)), rays)

    def __repr__(self) -> str:
        return f"<Scene {len(self)} instances>"
