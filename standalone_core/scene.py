# SPDX-License-Identifier: MIT
"""A scene: meshes placed by matrices, each mesh stored once however often it is placed."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import arguments, integers
from .arguments import Selection
from .cast.rays import LoneRay, RayBatch, SideArray
from .closest.places import ClosestPoints
from .closest.surface import Surface
from .engines import lengths_of
from .errors import ArgumentError, OpenMeshError
from .hit import Hit, RayHits
from .instancing import batch, lone, nearest
from .instancing.index import PER_LONE_RAY, PER_RAY, InstanceIndex
from .instancing.instance import instance_triangles
from .instancing.instances import Instances
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import concatenated
from .numerics.reading import described, iterable
from .region import Region, Triangles
from .region.search import no_triangles

# Points that are looked at together.
_INSIDE = 1 << 16


class Scene(Instances, Surface):
    """Instances of meshes that are cast at together, on two levels.

    A tree over the instances' boxes finds those that a ray can meet; there the ray is taken into
    the mesh's own space by the inverse matrix. Its direction is not made a unit vector again, so
    a distance along it is the distance in the scene.

    ``len(scene)`` is the number of instances, ``scene[id]`` the :class:`.Instance` with an id, and
    a scene is walked through by its ids.

    Threads may cast at a scene together, and beside one that changes it: a query sees each change
    wholly or not at all. To refit a mesh is no change of the scene: a query at the same time may
    find old vertices in one place and new ones in another, and miss. Whoever refits in one thread
    and casts in another needs a lock. Scenes can be pickled.

    A hit is the same as that at the mesh, moved: distance and point may be rounded by the matrix,
    and the normal differ in its last bit, even if the matrix is the identity.

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

    def __init__(self) -> None:  # so that an error names this class
        super().__init__()

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
        if isinstance(value, str):
            chosen: Any = [value]  # so that the error says how ids are found
        else:
            chosen = value if isinstance(value, np.ndarray) else iterable(value, name)
        if integers.are_bools(chosen) and not isinstance(value, Set):
            ids = self.ids
            named: ArrayLike = ids[integers.mask(chosen, len(ids), name, "instances")]
        else:
            named = self._known_ids(chosen, name)
        mask = np.zeros(self._next_id + 1, dtype=np.bool_)  # With those added meanwhile.
        mask[np.asarray(named, dtype=np.int64)] = True
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

    def _now(self) -> InstanceIndex:
        return self._indexed()

    def _cast_many(
        self, rays: RayBatch, now: InstanceIndex | None = None
    ) -> tuple[IntArray, RayHits]:
        return batch.cast_many((now or self._now()).for_rays(PER_RAY * len(rays)), rays)

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        return batch.cast_nearest(self._indexed().for_rays(PER_RAY * len(rays)), rays)

    def _closest_points(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        now: InstanceIndex | None = None,
    ) -> ClosestPoints:
        parts = (now or self._now()).for_rays(PER_RAY * len(p))
        return nearest.closest(parts, p, limits, excluded)

    def _check_closed(self, now: InstanceIndex | None = None) -> None:
        for identifier, instance in (now or self._now()).one_of_each_mesh():
            try:
                instance.mesh._check_closed()
            except OpenMeshError as error:
                name = "" if instance.name is None else f" ({instance.name!r})"
                raise OpenMeshError(f"instance {identifier}{name}: {error}") from None

    def _is_inside(self, rays: RayBatch, now: InstanceIndex) -> BoolArray:
        """Whether the origins are inside of an instance, each by itself."""
        inside = np.zeros(len(rays), dtype=np.bool_)
        for first in range(0, len(rays), _INSIDE):
            row, hits = self._cast_many(rays.take(slice(first, first + _INSIDE)), now)
            crossed, counts = np.unique([row, hits.instance], axis=1, return_counts=True)
            inside[first + crossed[0, counts % 2 == 1]] = True
        return inside

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        found: BoolArray = self._count_hits(rays) > 0
        return found

    def _count_hits(self, rays: RayBatch, now: InstanceIndex | None = None) -> IntArray:
        return batch.count_hits((now or self._now()).for_rays(PER_RAY * len(rays)), rays)

    def __repr__(self) -> str:
        return f"<Scene {len(self)} instances>"
