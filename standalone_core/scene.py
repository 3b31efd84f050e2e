# SPDX-License-Identifier: MIT
"""A scene: meshes placed by matrices, each mesh stored once however often it is placed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import arguments
from .cast.rays import LoneRay, RayBatch, SideArray
from .closest.places import ClosestPoints
from .closest.surface import Surface
from .concurrency.forks import Lock
from .engines import lengths_of
from .errors import ArgumentError, DtypeError, ShapeError, UnknownInstanceError
from .hit import Hit, RayHits
from .instancing import batch, lone, nearest
from .instancing.index import PER_LONE_RAY, PER_RAY, InstanceIndex
from .instancing.instance import Instance, instance_triangles
from .instancing.placeable import Placeable
from .matrices import Convention, affine_inverse, affine_inverses, check_convention, matrix4
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import concatenated
from .numerics.reading import described
from .region import Region, Triangles
from .region.search import no_triangles

# Points that are looked at together.
_INSIDE = 1 << 16


class Scene(Surface):
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

    def __init__(self) -> None:
        self._instances: dict[int, Instance] = {}
        self._next_id = 0
        # None while changes wait, which are then put into the last one.
        self._index: InstanceIndex | None = None
        self._last_index: InstanceIndex | None = None
        self._changes: dict[int, Instance | None] = {}
        self._changing = Lock()

    def add(
        self,
        mesh: Placeable,
        matrix: Any = None,
        name: str | None = None,
        convention: Convention = "opengl",
    ) -> int:
        """Place a mesh.

        Parameters
        ----------
        mesh : Mesh, PolygonMesh or another Placeable
        matrix : array_like (4, 4), optional
            Mesh space to the scene's space, affine; identity by default.
        name : str, optional
        convention : {"opengl", "direct3d"}
            Whether the matrix multiplies column vectors, p' = M p, or row vectors, p' = p M.
            The `matrix` of an :class:`.Instance` is for column vectors in any case.

        Returns
        -------
        int
            The id that hits carry as `instance`; never used again in this scene.

        Raises
        ------
        SingularMatrixError, NonFiniteError, ShapeError, ArgumentError
            If the matrix is not an invertible affine one.
        """
        placed = _placed(np.eye(4) if matrix is None else matrix, convention)
        return self._added([Instance(_placeable(mesh), *placed, name)])[0]

    def add_many(
        self,
        mesh: Placeable | Iterable[Placeable],
        matrices: Any,
        names: Iterable[str | None] | None = None,
        convention: Convention = "opengl",
    ) -> list[int]:
        """Place a mesh N times, or N meshes, by matrices (N, 4, 4).

        As :meth:`add`, but much faster per instance.
        """
        m = arguments.finite_floats(matrices, "matrices", (None, 4, 4)).copy()
        if check_convention(convention) == "direct3d":
            m = np.ascontiguousarray(m.swapaxes(1, 2))
        inverses = affine_inverses(m, "matrices", convention)
        if isinstance(mesh, Iterable) and not isinstance(mesh, Placeable):
            meshes = [_placeable(each) for each in arguments.iterable(mesh, "mesh")]
        else:
            meshes = [_placeable(mesh)] * len(m)
        if len(meshes) != len(m):
            raise ShapeError(f"{len(m)} matrices need as many meshes, not {len(meshes)}")
        called = [None] * len(m) if names is None else arguments.iterable(names, "names")
        if len(called) != len(m):
            raise ShapeError(f"{len(m)} matrices need as many names, not {len(called)}")
        rows = zip(meshes, m, inverses, called, strict=True)
        return self._added([Instance(*row) for row in rows])

    def set_matrix(self, instance: int, matrix: Any, convention: Convention = "opengl") -> None:
        """Place an instance anew, as :meth:`add` does; or UnknownInstanceError."""
        m, inverse = _placed(matrix, convention)
        with self._changing:
            self._change({instance: replace(self[instance], matrix=m, inverse=inverse)})

    def remove(self, instance: int) -> None:
        """Take an instance out; UnknownInstanceError if it is not there."""
        with self._changing:
            self._change({self._known(instance): None})

    def triangles_in(self, region: Region, exclude: Any = None, *, only: Any = None) -> Triangles:
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

    @property
    def ids(self) -> IntArray:
        """The ids (N,) of the instances, in the order in which they were added."""
        with self._changing:
            return np.fromiter(self._instances, dtype=np.int64, count=len(self._instances))

    def __getitem__(self, instance: int) -> Instance:
        return self._instances[self._known(instance)]

    def __len__(self) -> int:
        return len(self._instances)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._instances))

    def _added(self, instances: Sequence[Instance]) -> list[int]:
        with self._changing:
            ids = range(self._next_id, self._next_id + len(instances))
            self._next_id = ids.stop
            self._change(dict(zip(ids, instances, strict=True)))
        return list(ids)

    def _change(self, changes: dict[int, Instance | None]) -> None:
        """Put instances in, or take out those that are None; only with the lock."""
        for identifier, instance in changes.items():
            if instance is None:
                del self._instances[identifier]
            else:
                self._instances[identifier] = instance
        if self._last_index is not None:
            self._changes.update(changes)
        self._index = None

    def _known(self, instance: int) -> int:
        is_id = isinstance(instance, (int, np.integer)) and not isinstance(instance, bool)
        if not is_id or instance not in self._instances:
            reason = "" if is_id else ": ids are integers"
            raise UnknownInstanceError(f"the scene has no instance {described(instance)}{reason}")
        return instance

    def _mask(self, value: Any, name: str) -> BoolArray:
        """A mask of instances by their ids; the last is for all that will come."""
        mask = np.zeros(self._next_id + 1, dtype=np.bool_)
        if isinstance(value, np.ndarray) and value.dtype == np.bool_:
            ids = self.ids
            mask[ids[arguments.mask(value, len(ids), name)]] = True
            return mask
        for instance in arguments.iterable(value, name):
            mask[self._known(instance)] = True
        return mask

    def _cull_sides(self, cull: Any) -> SideArray:
        reason = "each triangle of a scene cannot have its own"
        raise ArgumentError(
            f'cull must be None, "back" or "front", not {described(cull)}: {reason}'
        )

    def _indexed(self) -> InstanceIndex:
        index = self._index
        if index is None or index.is_stale:
            with self._changing:
                index = self._index
                if index is None or index.is_stale:
                    last = self._last_index
                    # Of few instances all are put in one tree at once.
                    if last is None or len(self._instances) < PER_LONE_RAY:
                        index = InstanceIndex.of(self._instances)
                    else:
                        index = last.updated(self._changes)
                    self._changes = {}
                    self._last_index = self._index = index
        return index

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

    def __getstate__(self) -> dict[str, Any]:
        with self._changing:
            instances = dict(self._instances)
            no_index = {"_index": None, "_last_index": None, "_changes": dict[int, Any]()}
            return {**self.__dict__, "_instances": instances, **no_index, "_changing": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._changing = Lock()

    def __repr__(self) -> str:
        return f"<Scene {len(self)} instances>"


def _placeable(mesh: Any) -> Placeable:
    """Return `mesh`; DtypeError if it is not Placeable."""
    if not isinstance(mesh, Placeable):
        kinds = "a Mesh, a PolygonMesh or another Placeable"
        raise DtypeError(f"mesh must be {kinds}, not {type(mesh).__name__}")
    return mesh


def _placed(matrix: Any, convention: Convention) -> tuple[FloatArray, FloatArray]:
    m = matrix4(matrix, "matrix", convention).copy()
    return m, affine_inverse(m, "matrix", convention)[:3, :3]
