# SPDX-License-Identifier: MIT
"""A scene: meshes placed by matrices, each mesh stored once however often it is placed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import arguments, bvh
from .arrays import EPS, FloatArray, IntArray, dot, normalized
from .box import inverse_direction, is_met, slab_interval
from .caster import Caster
from .columns import run_starts
from .engines import numpy_engine
from .errors import UnknownInstanceError
from .hit import RayHits
from .mesh import Mesh
from .ray_batch import RayBatch
from .rayspace import rounding_margin


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A mesh at a place.

    Attributes
    ----------
    mesh : Mesh
    matrix : ndarray (4, 4)
        Mesh space to the scene's space, column vectors.
    inverse : ndarray (3, 3)
        Inverse of the matrix' linear part.
    name : str or None
    """

    mesh: Mesh
    matrix: FloatArray
    inverse: FloatArray
    name: str | None

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) in the scene's space, rounded outward; NaN if empty."""
        lower, upper = self.mesh.bounds
        middle, half = lower / 2 + upper / 2, upper / 2 - lower / 2
        linear, offset = self.matrix[:3, :3], self.matrix[:3, 3]
        center = linear @ middle + offset
        reach = np.abs(linear) @ half
        reach += 8 * EPS * (np.abs(linear) @ (np.abs(middle) + half) + np.abs(offset))
        return center - reach, center + reach


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """What a cast needs of all instances: their boxes, and a tree over them."""

    ids: IntArray
    lower: FloatArray
    upper: FloatArray
    tree: bvh.Tree
    extent: float
    revisions: dict[Mesh, int]

    @property
    def is_stale(self) -> bool:
        """Whether a mesh was refitted since."""
        return any(mesh.revision != known for mesh, known in self.revisions.items())


class Scene(Caster):
    """Instances of meshes that are cast at together, on two levels.

    A tree over the instances' boxes finds those that a ray can meet; there the ray is taken into
    the mesh's own space by the inverse matrix. Its direction is not made a unit vector again, so
    a distance along it is the distance in the scene.

    Examples
    --------
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
        self._index: _Index | None = None

    def add(self, mesh: Mesh, matrix: Any = None, name: str | None = None) -> int:
        """Place a mesh.

        Parameters
        ----------
        mesh : Mesh
        matrix : array_like (4, 4), optional
            Mesh space to the scene's space, affine, for column vectors; identity by default.
        name : str, optional

        Returns
        -------
        int
            The id that hits carry as `instance`; never used again in this scene.

        Raises
        ------
        SingularMatrixError, NonFiniteError, ShapeError, ArgumentError
            If the matrix is not an invertible affine one.
        """
        arguments.instance_of(mesh, Mesh, "mesh")
        m, inverse = _placed(np.eye(4) if matrix is None else matrix)
        identifier = self._next_id
        self._next_id += 1
        self._instances[identifier] = Instance(mesh, m, inverse, name)
        self._index = None
        return identifier

    def set_matrix(self, instance: int, matrix: Any) -> None:
        """Place an instance anew; errors as in :meth:`add`, and UnknownInstanceError."""
        m, inverse = _placed(matrix)
        self._instances[instance] = replace(self[instance], matrix=m, inverse=inverse)
        self._index = None

    def remove(self, instance: int) -> None:
        """Take an instance out; UnknownInstanceError if it is not there."""
        del self._instances[self._known(instance)]
        self._index = None

    def __getitem__(self, instance: int) -> Instance:
        return self._instances[self._known(instance)]

    def __len__(self) -> int:
        return len(self._instances)

    def _known(self, instance: int) -> int:
        if not isinstance(instance, (int, np.integer)) or instance not in self._instances:
            raise UnknownInstanceError(f"the scene has no instance {instance!r}")
        return instance

    def _indexed(self) -> _Index:
        if self._index is None or self._index.is_stale:
            ids = np.fromiter(self._instances, dtype=np.int64, count=len(self._instances))
            boxes = [instance.bounds for instance in self._instances.values()]
            corners = np.array(boxes).reshape(-1, 2, 3)
            lower, upper = corners[:, 0], corners[:, 1]
            sizes = np.abs(corners[np.isfinite(corners).all(axis=(1, 2))])
            extent = float(sizes.max()) if sizes.size else 0.0
            revisions = {placed.mesh: placed.mesh.revision for placed in self._instances.values()}
            self._index = _Index(ids, lower, upper, bvh.build(lower, upper), extent, revisions)
        return self._index

    def _cast(self, rays: RayBatch) -> tuple[IntArray, RayHits]:
        index = self._indexed()
        rows, places, entry = _met(index, rays)
        limits = rays.limits.copy()
        found_rows, found_hits = [rows[:0]], [RayHits.misses(0)]
        for group in _groups(places, entry):
            group = group[entry[group] <= limits[rows[group]]]
            if not len(group):
                continue
            row = rows[group]
            asked = rays.moved(rays.origins[row], rays.directions[row], limits[row])
            local, hits = self._cast_instance(int(index.ids[places[group[0]]]), asked)
            found_rows.append(row[local])
            found_hits.append(hits)
            if not rays.every:
                limits[row[local]] = hits.distance
        return _merged(np.concatenate(found_rows), RayHits.concatenated(found_hits), rays.every)

    def _cast_instance(self, identifier: int, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """Hits of rays on one instance; the rays come from the scene's space and hits go there."""
        instance = self._instances[identifier]
        offset, inverse = instance.matrix[:3, 3], instance.inverse
        found = instance.mesh.crossings(
            rays.moved(
                _apply(inverse, rays.origins - offset),
                _apply(inverse, rays.directions),
                rays.limits,
            )
        )
        hits = instance.mesh.hits(found)
        return found.ray, replace(
            hits,
            point=_apply(instance.matrix[:3, :3], hits.point) + offset,
            normal=normalized(_apply(inverse.T, hits.normal)),
            instance=np.full(len(hits), identifier, dtype=np.int64),
        )

    def __repr__(self) -> str:
        return f"<Scene {len(self)} instances>"


def _placed(matrix: Any) -> tuple[FloatArray, FloatArray]:
    m = arguments.matrix4(matrix, "matrix").copy()
    return m, arguments.affine_inverse(m, "matrix")[:3, :3]


def _apply(matrix: FloatArray, vectors: FloatArray) -> FloatArray:
    """matrix (3, 3) times each of the vectors (N, 3), with a fixed order of the sums."""
    return np.stack([dot(vectors, row) for row in matrix], axis=-1)


def _met(index: _Index, rays: RayBatch) -> tuple[IntArray, IntArray, FloatArray]:
    """Rays, rows of the instances whose boxes they meet, and where they enter the boxes."""
    origins, directions, limits = rays.origins, rays.directions, rays.limits
    margin = rounding_margin(index.extent, origins)
    blocks = list(numpy_engine.candidates(index.tree, origins, directions, margin, limits))
    rows, places = (np.concatenate(column) for column in zip(*blocks, strict=True))
    entry, leave = slab_interval(
        origins[rows],
        inverse_direction(directions)[rows],
        index.lower[places],
        index.upper[places],
        margin[rows],
    )
    met = is_met(entry, leave, limits[rows])
    return rows[met], places[met], entry[met]


def _groups(places: IntArray, entry: FloatArray) -> list[IntArray]:
    """Rows of equal `places` together, the group that is entered first in front."""
    order = np.argsort(places, kind="stable")
    groups = np.split(order, run_starts(places[order])[1:]) if len(order) else []
    return sorted(groups, key=lambda group: float(entry[group].min()))


def _merged(rays: IntArray, hits: RayHits, every: bool) -> tuple[IntArray, RayHits]:
    rows = np.lexsort((hits.triangle, hits.instance, hits.distance, rays))
    if not every:
        rows = rows[run_starts(rays[rows])]
    return rays[rows], hits.take(rows)
