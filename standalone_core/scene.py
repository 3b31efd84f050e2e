# SPDX-License-Identifier: MIT
"""A scene: meshes placed by matrices, each mesh stored once however often it is placed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any, overload

import numpy as np

from . import arguments
from .arguments import Selection
from .box import Box
from .cast.rays import LoneRay, Measured, RayBatch, SideArray
from .closest.places import ClosestPoints, read_points
from .closest.surface import Surface
from .concurrency.forks import Lock, changing
from .concurrency.threads import ThreadLimit
from .copies import taken_over
from .engines import measured
from .errors import ArgumentError, OpenMeshError, ShapeError, UnknownInstanceError
from .hit import Hit, RayHits
from .instancing import many_rays, nearest, winding
from .instancing.instance import Instance, Placeable, instance_triangles
from .instancing.placements import PER_LONE_RAY, PER_RAY, InstanceIndex, Placements
from .matrices import Convention, affine_inverse, affine_inverses, check_convention, matrix4
from .numerics.arrays import BoolArray, FloatArray, IntArray
from .numerics.columns import concatenated
from .numerics.reading import described, iterable
from .numerics.values import frozen, read_only
from .region import Region, Triangles, no_triangles
from .types import Integers, ManyPoints, OnePoint, Reals

# How many points are tested for being inside at a time.
_INSIDE = 1 << 16


class Scene(Surface):
    """Instances of meshes that are cast at together, on two levels.

    A tree over the instances' boxes finds those that a ray can meet; the inverse matrix takes the
    ray into the space of each one's mesh. Its direction is not normalized there, so a distance
    along it is the distance in the scene.

    ``len(scene)`` is the number of instances, ``scene[id]`` the :class:`.Instance` with an id, and
    iterating over a scene gives its ids.

    Several threads may cast at a scene while another changes it: a query sees each change wholly or
    not at all. Refitting a mesh is not a change of the scene: a query at the same time may find
    some old and some new vertices, and miss. To refit in one thread and cast in another, use a
    lock. Scenes can be pickled.

    A hit is that of the mesh, moved: the matrix may round distance and point, and the normal may
    differ in its last bit, even with the identity matrix.

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
        # None while changes wait: the next query applies them to the last index.
        self._index: InstanceIndex | None = None
        self._last_index: InstanceIndex | None = None
        self._changes: dict[int, Instance | None] = {}
        self._changing = Lock()

    def add(
        self,
        mesh: Placeable,
        matrix: Reals | None = None,
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
        matrices: Reals,
        names: Iterable[str | None] | None = None,
        convention: Convention = "opengl",
    ) -> list[int]:
        """Place a mesh N times, or N meshes, by matrices (N, 4, 4); returns their ids in order.

        As :meth:`add`, but much faster per instance. A name may be None.
        """
        m, inverses = _placed_many(matrices, convention)
        if isinstance(mesh, Iterable) and not isinstance(mesh, Placeable):
            each_mesh = enumerate(iterable(mesh, "mesh"))
            meshes = [_placeable(each, f"mesh {row}") for row, each in each_mesh]
        else:
            meshes = [_placeable(mesh)] * len(m)
        _check_as_many(m, meshes, "meshes")
        called = [None] * len(m) if names is None else arguments.names(names, "names")
        _check_as_many(m, called, "names")
        rows = zip(meshes, m, inverses, called, strict=True)
        return self._added([Instance(*row) for row in rows])

    def set_matrix(self, instance: int, matrix: Reals, convention: Convention = "opengl") -> None:
        """Replace the matrix of an instance; UnknownInstanceError if it is not there."""
        m, inverse = _placed(matrix, convention)
        with self._changing.here:
            self._change({instance: replace(self[instance], matrix=m, linear_inverse=inverse)})

    def set_matrices(
        self, instances: Integers, matrices: Reals, convention: Convention = "opengl"
    ) -> None:
        """Set matrices (N, 4, 4) of instances by their ids (N,): all of them, or none on an error.

        As :meth:`set_matrix`, but much faster per instance.
        """
        m, inverses = _placed_many(matrices, convention)
        ids = self._known_ids(instances, "instances")
        _check_as_many(m, ids, "instances")
        rows = zip(ids, m, inverses, strict=True)
        with self._changing.here:
            self._change(
                {key: replace(self[key], matrix=a, linear_inverse=b) for key, a, b in rows}
            )

    def replace(
        self, instance: int, mesh: Placeable | None = None, *, name: str | None = None
    ) -> None:
        """Give an instance another mesh or another name; its id and its place stay.

        Raises
        ------
        UnknownInstanceError
            If there is no such instance.

        Examples
        --------
        >>> from standalone_core import Mesh, Scene
        >>> scene = Scene()
        >>> one = scene.add(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> scene.replace(one, Mesh([[0, 0, 2], [1, 0, 2], [0, 1, 2]], [[0, 1, 2]]), name="lid")
        >>> scene.ray_cast((0.2, 0.2, 5), (0, 0, -1)).distance, scene[one].name
        (3.0, 'lid')
        """
        if mesh is None and name is None:
            raise ArgumentError("a mesh or a name is needed, or both")
        new: dict[str, Any] = {} if mesh is None else {"mesh": _placeable(mesh)}
        if name is not None:
            new["name"] = name
        with self._changing.here:
            self._change({instance: replace(self[instance], **new)})

    def remove(self, instance: int) -> None:
        """Take an instance out; UnknownInstanceError if it is not there."""
        with self._changing.here:
            self[instance]  # UnknownInstanceError if it is not there
            self._change({instance: None})

    def remove_many(self, instances: Integers) -> None:
        """Take instances out by their ids (N,): all of them, or UnknownInstanceError and none.

        Examples
        --------
        >>> import numpy as np
        >>> from standalone_core import Mesh, Scene
        >>> scene = Scene()
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> ids = scene.add_many(mesh, [np.eye(4)] * 5)
        >>> scene.remove_many(ids[1:])
        >>> len(scene)
        1
        """
        ids = iterable(instances, "instances")  # Outside the lock: it may ask the scene.
        with self._changing.here:
            self._change(dict.fromkeys(self._known_ids(ids, "instances")))

    def named(self, name: str) -> list[int]:
        """The ids of the instances with a name, in the order in which they were added.

        Examples
        --------
        >>> from standalone_core import Mesh, Scene
        >>> scene = Scene()
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> scene.add(mesh, name="wall"), scene.add(mesh, name="floor"), scene.named("floor")
        (0, 1, [1])
        """
        arguments.instance_of(name, str, "name")
        return [key for key, each in list(self._instances.items()) if each.name == name]

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all instances, in the scene's space.

        They enclose the moved boxes of the meshes, and so may be wider than the meshes. NaN if
        there is nothing to bound.
        """
        shown = [(part, part.visible_places()) for part in self._now().parts]
        lower = np.concatenate([part.lower[places] for part, places in shown])
        upper = np.concatenate([part.upper[places] for part, places in shown])
        there = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
        if not there.any():
            return np.full(3, np.nan), np.full(3, np.nan)
        return lower[there].min(axis=0), upper[there].max(axis=0)

    @property
    def bounding_box(self) -> Box:
        """The bounds as a box; ArgumentError if there is nothing to bound."""
        lower, upper = self.bounds
        if not np.isfinite(lower).all():
            raise ArgumentError("the scene has nothing to bound")
        return Box(lower, upper)

    @property
    def ids(self) -> IntArray:
        """The ids (N,) of the instances, in the order in which they were added."""
        with self._changing.here:
            ids = np.fromiter(self._instances, dtype=np.int64, count=len(self._instances))
        return read_only(ids)

    def triangles_in(
        self, region: Region, exclude: Selection = None, *, only: Selection = None
    ) -> Triangles:
        """All triangles of all instances that reach into a region, and perhaps some near it.

        Parameters
        ----------
        region : Region
            In the scene's space.
        exclude, only : array_like or set, optional
            Instances to leave out, or the only ones to search; see :meth:`ray_cast`.

        Returns
        -------
        Triangles
            In the order of the instances, and of the triangles of each.
        """
        region = arguments.instance_of(region, Region, "region")
        excluded = self._excluded(exclude, only)
        found = self._now().met_by_region(region, excluded)
        parts = [instance_triangles(each, region, key) for key, each in found.items()]
        return concatenated([no_triangles(), *parts])

    @overload
    def nearest_vertex(
        self, points: OnePoint, max_distance: float = ..., threads: int | None = ...
    ) -> tuple[int, int, float]: ...

    @overload
    def nearest_vertex(
        self, points: ManyPoints, max_distance: Reals = ..., threads: int | None = ...
    ) -> tuple[IntArray, IntArray, FloatArray]: ...

    def nearest_vertex(
        self, points: Reals, max_distance: Reals = np.inf, threads: int | None = None
    ) -> tuple[int, int, float] | tuple[IntArray, IntArray, FloatArray]:
        """The nearest vertex of the instances to each of many points.

        Parameters
        ----------
        points, max_distance, threads
            As for :meth:`.Mesh.nearest_vertex`, in the scene's space.

        Returns
        -------
        instance, vertex : int, or ndarray (...) of int64
            The id of the instance, and the vertex of its mesh. Of those at the same distance, the
            instance with the smallest id. Both are -1 where no vertex is near enough, and for
            points that are not finite.
        distance : float, or ndarray (...)
            Inf where there is no vertex.

        Notes
        -----
        The matrix of an instance adds its rounding. One that shears, or scales unevenly, is moved
        as a whole, in each call that comes near it.

        Examples
        --------
        >>> import standalone_core as sc
        >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> scene = sc.Scene()
        >>> scene.add_many(mesh, [np.eye(4), np.diag([4, 4, 4, 1])])
        [0, 1]
        >>> scene.nearest_vertex((3.5, 0, 0))
        (1, 1, 0.5)
        """
        given = read_points(points, max_distance, "miss")
        with ThreadLimit(threads):
            parts = self._parts(PER_RAY * len(given.points))
            found = given.answered(lambda p, most: nearest.closest_vertices(parts, p, most))
        if not given.shape:
            return int(found.instance[0]), int(found.triangle[0]), float(found.distance[0])
        own = found.reshape(given.shape)
        return own.instance, own.triangle, own.distance

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        with self._changing.here:
            placed, next_id = dict(self._instances), self._next_id
        rows = {key: (i.mesh, i.matrix, i.linear_inverse, i.name) for key, i in placed.items()}
        return "Scene", {"rows": rows, "next_id": next_id}

    @classmethod
    def _of_plain(cls, rows: dict[int, tuple[Any, ...]], next_id: int) -> Scene:
        """The scene of another copy, with the same ids."""
        scene = cls()
        scene._instances = {
            key: Instance(_placeable(mesh), *placed) for key, (mesh, *placed) in rows.items()
        }
        scene._next_id = next_id
        return scene

    def __getitem__(self, instance: int) -> Instance:
        found = self._instances.get(instance) if _is_id(instance) else None
        if found is None:
            reason = "" if _is_id(instance) else ": ids are integers"
            if isinstance(instance, str):
                reason += ", `named` finds those of a name"
            raise UnknownInstanceError(f"the scene has no instance {described(instance)}{reason}")
        return found

    def __contains__(self, instance: object) -> bool:
        return _is_id(instance) and instance in self._instances

    def __len__(self) -> int:
        return len(self._instances)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._instances))

    def _added(self, instances: Sequence[Instance]) -> list[int]:
        with self._changing.here:
            ids = range(self._next_id, self._next_id + len(instances))
            self._next_id = ids.stop
            self._change(dict(zip(ids, instances, strict=True)))
        return list(ids)

    def _change(self, changes: dict[int, Instance | None]) -> None:
        """Put instances in, or take out those that are None; the caller holds the lock."""
        with changing.here:
            for identifier, instance in changes.items():
                if instance is None:
                    del self._instances[identifier]
                else:
                    self._instances[identifier] = instance
            if self._last_index is not None:
                self._changes.update(changes)
            self._index = None

    def _known_ids(self, value: Any, name: str) -> list[int]:
        """Read ids, or UnknownInstanceError for the first that is not there."""
        ids = iterable(value, name)
        for each in ids:
            self[each]
        return ids

    def _now(self) -> InstanceIndex:
        index = self._index
        if index is not None and not index.is_stale:
            return index
        with self._changing.here:
            index, last = self._index, self._last_index
            if index is None or index.is_stale:
                # A few instances are all indexed anew.
                if last is None or len(self._instances) < PER_LONE_RAY:
                    index = InstanceIndex.of(self._instances)
                else:
                    index = last.updated(self._changes)
                with changing.here:
                    self._changes = {}
                    self._last_index = self._index = index
        return index

    def _parts(self, cost: int, now: InstanceIndex | None = None) -> list[Placements]:
        """The current instances, or those in the index `now`, for queries of this cost."""
        return (now or self._now()).for_rays(cost)

    def __getstate__(self) -> dict[str, Any]:
        with self._changing.here:
            instances = dict(self._instances)
            no_index = {"_index": None, "_last_index": None, "_changes": dict[int, Any]()}
            return {**self.__dict__, "_instances": instances, **no_index, "_changing": Lock()}

    def _mask(self, value: Any, name: str) -> BoolArray:
        """A mask of instances, indexed by id; the last row is for those added later."""
        if isinstance(value, str):
            chosen: Any = [value]  # so that the error says how ids are found
        else:
            chosen = value if isinstance(value, np.ndarray) else iterable(value, name)
        if arguments.are_bools(chosen) and not isinstance(value, Set):
            ids = self.ids
            named: Reals = ids[arguments.mask(chosen, len(ids), name, "instances")]
        else:
            named = self._known_ids(chosen, name)
        mask = np.zeros(self._next_id + 1, dtype=np.bool_)  # includes those added meanwhile
        mask[np.asarray(named, dtype=np.int64)] = True
        return mask

    def _cull_sides(self, cull: Any) -> SideArray:
        wanted = f'cull must be None, "back" or "front", not {described(cull)}'
        raise ArgumentError(f"{wanted}: each triangle of a scene cannot have its own")

    def _measured(self, origins: FloatArray, directions: FloatArray) -> Measured | None:
        return measured("auto", origins, directions)

    def _cast(self, ray: LoneRay) -> list[Hit]:
        return many_rays.cast_one(self._parts(PER_LONE_RAY), ray)

    def _cast_many(
        self, rays: RayBatch, now: InstanceIndex | None = None
    ) -> tuple[IntArray, RayHits]:
        return many_rays.cast_many(self._parts(PER_RAY * len(rays), now), rays)

    def _cast_nearest(self, rays: RayBatch) -> RayHits:
        return many_rays.cast_nearest(self._parts(PER_RAY * len(rays)), rays)

    def _closest_points(
        self,
        p: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
        now: InstanceIndex | None = None,
    ) -> ClosestPoints:
        return nearest.closest(self._parts(PER_RAY * len(p), now), p, limits, excluded)

    def _check_closed(self, now: InstanceIndex | None = None) -> None:
        for identifier, instance in (now or self._now()).one_of_each_mesh():
            try:
                instance.mesh._check_closed()
            except OpenMeshError as error:
                name = "" if instance.name is None else f" ({instance.name!r})"
                raise OpenMeshError(f"instance {identifier}{name}: {error}") from None

    def _is_inside(self, rays: RayBatch, now: InstanceIndex) -> BoolArray:
        """Whether each origin is inside an instance; hits are counted for each instance alone."""
        inside = np.zeros(len(rays), dtype=np.bool_)
        for first in range(0, len(rays), _INSIDE):
            row, hits = self._cast_many(rays.take(slice(first, first + _INSIDE)), now)
            crossed, counts = np.unique([row, hits.instance], axis=1, return_counts=True)
            inside[first + crossed[0, counts % 2 == 1]] = True
        return inside

    def _winding(
        self, points: FloatArray, tolerance: float, now: InstanceIndex | None = None
    ) -> FloatArray:
        return winding.summed_numbers(self._parts(PER_RAY * len(points), now), points, tolerance)

    def _is_wound(self, points: FloatArray, now: InstanceIndex) -> BoolArray:
        return winding.are_inside(self._parts(PER_RAY * len(points), now), points)

    def _any_hit(self, rays: RayBatch) -> BoolArray:
        return np.asarray(self._count_hits(rays) > 0)

    def _count_hits(self, rays: RayBatch, now: InstanceIndex | None = None) -> IntArray:
        return many_rays.count_hits(self._parts(PER_RAY * len(rays), now), rays)

    def __repr__(self) -> str:
        return f"<Scene {len(self)} instances>"


def _check_as_many(matrices: FloatArray, others: Sequence[Any], name: str) -> None:
    count = len(matrices)
    if len(others) != count:
        raise ShapeError(f"{name} must be as many as the matrices, {count}, not {len(others)}")


def _is_id(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _placeable(mesh: Any, name: str = "mesh") -> Placeable:
    if isinstance(mesh, Placeable):
        return mesh
    kinds = "a Mesh, a PolygonMesh or another Placeable"
    return taken_over(mesh, Placeable, name, kinds)  # type: ignore[type-abstract]


def _placed(matrix: Reals, convention: Convention) -> tuple[FloatArray, FloatArray]:
    m = frozen(matrix4(matrix, "matrix", convention))
    return m, affine_inverse(m, "matrix", convention)[:3, :3]


def _placed_many(matrices: Reals, convention: Convention) -> tuple[FloatArray, FloatArray]:
    m = arguments.finite_floats(matrices, "matrices", (None, 4, 4))
    if check_convention(convention) == "direct3d":
        m = m.swapaxes(1, 2)
    m = frozen(m)  # Its parts are frozen too, so that instances need not copy them.
    return m, frozen(affine_inverses(m, "matrices", convention))
