# SPDX-License-Identifier: MIT
"""The instances of a scene as columns, with a tree over their boxes, and how both are updated."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .. import bvh
from ..arguments import EXCLUDED, Border
from ..box import inverse_direction, met_at
from ..cast.rays import Geometry, LoneRay, RayBatch, SideArray, end_of, least_step
from ..concurrency.forks import cached
from ..engines import Engine, engine_named, engine_now, numpy_engine, traversal
from ..engines.numba import compiling
from ..numerics.arrays import EPS, BoolArray, FloatArray, IntArray, largest
from ..numerics.columns import Columns, concatenated
from ..numerics.vectors import matmul
from ..region import Region, boxes_meet, items_in
from .instance import Instance, Placeable, moved_geometry, scales_of

if TYPE_CHECKING:
    from ..engines.numba.scene_engine import CompiledScene, MeshTable

# The rounding of a box that is moved into the scene, and of a slab test there.
_ROUNDING = 24 * EPS

# Pairs of rays and boxes that are tested together: with so many, the calls cost little.
_PAIRS = 1 << 16

# Up to so many boxes, testing all takes NumPy no longer than a descent.
_FEW = 16

# How many instances' triangles are kept in the scene's space, or more if they have few vertices.
_MOVED, _MOVED_VERTICES = 8, 1 << 16

# How much more two trees cost than one, for each change that is kept beside the tree and for each
# ray; making a new tree costs 1 per instance. A wrong price only changes when a new tree is made.
_PER_CHANGE = 4
PER_RAY = 1
PER_LONE_RAY = 64

_revision = attrgetter("revision")


@dataclass(frozen=True, eq=False)
class Placed(Columns):
    """N instances in the order of their ids."""

    ids: IntArray  # (N,)
    instances: npt.NDArray[np.object_]  # (N,) of Instance
    matrices: FloatArray  # (N, 4, 4)

    @classmethod
    def of(cls, by_id: Mapping[int, Instance]) -> Self:
        """Columns of instances by their ids."""
        ids = sorted(by_id)
        instances = [by_id[each] for each in ids]
        matrices = np.concatenate([np.empty((0, 4)), *(each.matrix for each in instances)])
        there = np.fromiter(instances, np.object_, len(ids))
        return cls(np.array(ids, np.int64), there, matrices.reshape(-1, 4, 4))

    def with_ids(self) -> Iterator[tuple[int, Instance]]:
        """Each instance after its id."""
        return zip(self.ids.tolist(), self.instances.tolist(), strict=True)


class Met(NamedTuple):
    """Pairs (N,) of rays and the places whose boxes they meet, with the distances there."""

    row: IntArray
    place: IntArray
    entry: FloatArray

    def take(self, rows: IntArray | BoolArray) -> Met:
        """Some of the pairs."""
        return Met(self.row[rows], self.place[rows], self.entry[rows])


class _Table(NamedTuple):
    """The trees of all meshes for compiled code, and how many rays were cast since it was made."""

    waiting: int
    table: MeshTable | None


_NO_TABLE = _Table(0, None)


class Placements:
    """Instances at places 0 ... N - 1, with their boxes as they were when this was made."""

    def __init__(self, placed: Placed) -> None:
        self.placed = placed
        self.hidden: BoolArray | None = None  # (N,), which instances are not met
        numbers: dict[Placeable, int] = {}
        placed_meshes = (each.mesh for each in placed.instances.tolist())
        kinds = [numbers.setdefault(mesh, len(numbers)) for mesh in placed_meshes]
        self.kinds = np.array(kinds, dtype=np.int64)  # (N,), the row of each instance's mesh
        self.meshes = list(numbers)  # each once
        # Before the bounds: if bounds change meanwhile, they are read again.
        self.revisions = Revisions(self.meshes)
        # A pick does not wait for a compiler, even if the user wants the compiled engine.
        numpy_alone = all(mesh.wanted_engine == "numpy" for mesh in self.meshes)
        self._engine: Engine = "numpy" if numpy_alone else "auto"
        corners = np.array([mesh.bounds for mesh in self.meshes]).reshape(-1, 2, 3)
        own = corners.take(self.kinds, axis=0)
        self.lower, self.upper = _moved_boxes(own[:, 0], own[:, 1], placed.matrices)
        self._tables: dict[Border | None, _Table] = {}
        self._moved: OrderedDict[int, tuple[object, Geometry, bvh.Tree | None]] = OrderedDict()
        sizes = np.abs([self.lower, self.upper])
        self.sizes = sizes.max(axis=(0, 2))  # (N,), of the largest coordinate of each box
        self.extent = float(sizes[np.isfinite(sizes)].max(initial=0.0))  # of all boxes

    def __len__(self) -> int:
        return len(self.placed)

    @cached
    def tree(self) -> bvh.Tree:
        """The tree over the boxes."""
        return bvh.over_boxes(self.lower, self.upper)

    @cached
    def inverses(self) -> FloatArray:
        """The linear inverses of the instances (N, 3, 3), which single rays do not need."""
        inverses = [each.linear_inverse for each in self.placed.instances.tolist()]
        return np.concatenate([np.empty((0, 3)), *inverses]).reshape(-1, 3, 3)

    @cached
    def scales(self) -> FloatArray:
        """The scale of each instance (N,), see :func:`.scales_of`."""
        return scales_of(self.placed.matrices[:, :3, :3])

    def without_refitted(self) -> tuple[Placements, Placed]:
        """The placements without instances of meshes refitted since, and those instances."""
        refitted = self.revisions.refitted()
        if not refitted:
            return self, self.placed.take(slice(0))
        changed = np.array([mesh in refitted for mesh in self.meshes], dtype=np.bool_)
        places = np.flatnonzero(changed[self.kinds])
        places = places[self.is_met(places, None)]
        others = self.without(places)
        others.revisions = self.revisions.without(refitted)
        return others, self.placed.take(places)

    def places_of(self, ids: IntArray) -> IntArray:
        """The places (M,) of ids (K,); those that are not here are left out."""
        place = np.searchsorted(self.placed.ids, ids)
        known = self.placed.ids.take(place, mode="clip") if len(self) else ids - 1
        return np.asarray(place[known == ids])

    def without(self, places: IntArray) -> Placements:
        """The placements with the instances at some places hidden."""
        others = copy.copy(self)
        others.hidden = np.zeros(len(self), bool) if self.hidden is None else self.hidden.copy()
        others.hidden[places] = True
        return others

    def visible_places(self) -> IntArray:
        """The places (M,) of the instances that are not hidden."""
        return np.arange(len(self)) if self.hidden is None else np.flatnonzero(~self.hidden)

    def visible(self) -> Placed:
        """The instances that are not hidden."""
        return self.placed if self.hidden is None else self.placed.take(self.visible_places())

    @cached
    def unbounded(self) -> IntArray:
        """Places (M,) of instances that reach beyond float64, which are not in the tree."""
        corners = np.concatenate([self.lower, self.upper], axis=1)
        outside: BoolArray = np.asarray(~np.isnan(corners).any(axis=1))
        outside[self.tree.order] = False
        return np.flatnonzero(outside)

    @cached
    def _in_order(self) -> tuple[FloatArray, FloatArray]:
        """The boxes (N, 6), and the inverses with the matrices' offsets (N, 12), in tree order."""
        order = self.tree.order
        boxes = np.concatenate([self.lower, self.upper], axis=1)
        offsets = self.placed.matrices[:, :3, 3]
        to_local = np.concatenate([self.inverses.reshape(-1, 9), offsets], axis=1)
        return boxes.take(order, axis=0), to_local.take(order, axis=0)

    def is_compiled_for(self, expected: float) -> bool:
        """Whether compiled code is there for work that NumPy would need those seconds for."""
        return self._engine != "numpy" and compiling.engine_after(0.0, expected) is not None

    def compiled(self, rays: RayBatch) -> CompiledScene | None:
        """The instances for compiled code, which will cast rays; None without such code."""
        engine: Any = None if self._engine == "numpy" else compiling.scene_engine()
        if engine is None:
            return None
        border = rays.query.border
        waiting, table = self._tables.get(border, _NO_TABLE)
        waiting += len(rays)
        # Meshes are asked for their trees only as often as it pays.
        if waiting >= len(self.meshes):
            each = waiting // max(len(self.meshes), 1)
            shapes = [mesh._plain_shape(each, "numba", border) for mesh in self.meshes]
            waiting = 0
            if table is None or not table.is_of(shapes):
                table = engine.MeshTable(shapes)
        self._tables[border] = _Table(waiting, table)
        if table is None or table.is_empty:
            return None
        placed = self.placed
        scene: CompiledScene = engine.CompiledScene(
            *(self.tree, *self._in_order, placed.ids, self.kinds),
            *(placed.matrices, self.inverses, self.hidden, table),
        )
        return scene

    def shapes(self, places: IntArray, rays: RayBatch) -> list[tuple[Geometry, bvh.Tree] | None]:
        """Triangles and tree at each place, for rays in NumPy; None if they do not do."""
        kinds = self.kinds[places].tolist()
        how: Any = len(rays), "numpy", rays.query.border
        known = {kind: self.meshes[kind]._plain_shape(*how) for kind in set(kinds)}
        return [known[kind] for kind in kinds]

    def moved_shape(self, place: int, queries: int) -> tuple[Geometry, bvh.Tree | None]:
        """The triangles of an instance in the scene's space; those of the last few are kept."""
        geometry, tree = self.meshes[self.kinds[place]]._shape_for(queries)
        known = self._moved.pop(place, None)
        source = tree or geometry.vertices  # A refit replaces both.
        if known is None or known[0] is not source:
            there, center, scale = moved_geometry(geometry, self.placed.matrices[place])
            above = None
            if tree is not None:
                above = engine_named("auto").refit(there, tree.order, center, scale)
            known = (source, there, above)
        self._moved[place] = known
        most = max(_MOVED, _MOVED_VERTICES // max(len(geometry.vertices), 1))
        while len(self._moved) > most:
            self._moved.popitem(last=False)
        return known[1:]

    def margins(self, rays: RayBatch) -> FloatArray:
        """The margins (R,) by which boxes grow for each of R rays."""
        margins: FloatArray = _ROUNDING * (self.extent + largest(rays.origins))
        margins += least_step(rays.lengths)
        return margins

    def met(self, ray: LoneRay) -> Met:
        """The boxes that one ray meets, the nearest first."""
        margin = _ROUNDING * (self.extent + max(map(abs, ray.origin))) + least_step(ray.length)
        boxes = self.lower, self.upper, margin, ray
        is_compiled = engine_now(self._engine) == "numba"
        if not is_compiled and len(self) <= _FEW and np.isfinite(self.sizes).all():
            # What changed has a tree of its own: NumPy tests all boxes sooner than it builds one.
            place, entry = numpy_engine.met_among(np.arange(len(self)), *boxes)
        else:
            place, entry = engine_named(self._engine).met_boxes(self.tree, *boxes)
        met = Met(place, place, entry)
        if self.hidden is None and ray.query.excluded is None:
            return met
        return met.take(self.is_met(place, ray.query.excluded))

    def met_many(self, rays: RayBatch, limits: FloatArray) -> Iterator[Met]:
        """Blocks of the boxes that rays meet, roughly the nearest first unless every hit is wanted.

        The caller may lower `limits`, those of the rays, from block to block; boxes beyond them may
        be left out.
        """
        local = traversal.approach_of(self.tree, rays)
        every = rays.query.every
        descend = traversal.candidates if every else traversal.nearest_candidates
        for rows, places in _gathered(descend(self.tree, local)):
            yield self._sifted(rays, rows, places)
            nearer = np.flatnonzero(limits < rays.limits)
            local.shorten(nearer, end_of(limits[nearer], rays.lengths[nearer]))

    def met_by_region(self, region: Region, excluded: SideArray | None) -> IntArray:
        """Places whose boxes may reach into a region, in order."""
        places = np.sort(items_in(self.tree, region))
        boxes = np.concatenate([each.take(places, axis=0).T for each in (self.lower, self.upper)])
        places = places[boxes_meet(region, boxes, self.extent)]
        return places[self.is_met(places, excluded)]

    def _sifted(self, rays: RayBatch, rows: IntArray, places: IntArray) -> Met:
        """The pairs whose ray meets the box itself."""
        excluded = rays.query.excluded
        if self.hidden is not None or excluded is not None:
            kept = self.is_met(places, excluded)
            rows, places = rows[kept], places[kept]
        met, entry = met_at(
            rays.origins[rows],
            inverse_direction(rays.directions)[rows],
            self.lower[places],
            self.upper[places],
            self.margins(rays)[rows],
            rays.lengths[rows],
            rays.limits[rows],
        )
        return Met(rows, places, entry).take(met)

    def is_met(self, places: IntArray, excluded: SideArray | None) -> BoolArray:
        """Whether places (M,) are neither hidden nor excluded by their ids."""
        kept = np.ones(len(places), bool) if self.hidden is None else ~self.hidden[places]
        if excluded is not None:
            # The last entry counts for all instances that came after the mask.
            kept &= excluded.take(self.placed.ids[places], mode="clip") != EXCLUDED
        return kept


def _gathered(blocks: Iterator[tuple[IntArray, IntArray]]) -> Iterator[tuple[IntArray, IntArray]]:
    rows: list[IntArray] = []
    places: list[IntArray] = []
    for row, place in blocks:
        rows.append(row)
        places.append(place)
        if sum(map(len, rows)) >= _PAIRS:
            yield np.concatenate(rows), np.concatenate(places)
            rows, places = [], []
    if rows:
        yield np.concatenate(rows), np.concatenate(places)


def _moved_boxes(
    lower: FloatArray, upper: FloatArray, matrices: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Boxes around boxes (N, 3) moved by matrices (N, 4, 4), rounded outward; NaN where empty."""
    middle, half = lower / 2 + upper / 2, upper / 2 - lower / 2
    linear, offset = matrices[:, :3, :3], matrices[:, :3, 3]
    size = np.abs(linear)
    with np.errstate(over="ignore", invalid="ignore"):
        center = matmul(linear, middle[..., None])[..., 0] + offset
        reach = matmul(size, half[..., None])[..., 0]
        rounding = matmul(size, (np.abs(middle) + half)[..., None])[..., 0] + np.abs(offset)
        reach += 8 * EPS * rounding
        return center - reach, center + reach


class Revisions:
    """The revisions of meshes as they are when this is made.

    Meshes that announce their changes are asked again only after an announcement, so that many
    meshes cost little.
    """

    def __init__(self, meshes: Iterable[Placeable]) -> None:
        # Before the revisions, so that a change in between is noticed.
        latest = Placeable._latest_change
        self._know({mesh: mesh.revision for mesh in meshes}, latest)

    def _know(self, known: dict[Placeable, int], latest: object) -> None:
        self._known, self._latest = known, latest
        self._meshes, self._answers = list(known), list(known.values())
        self._silent = [mesh for mesh in known if not mesh._announces]
        self._silent_answers = [known[mesh] for mesh in self._silent]

    @property
    def are_old(self) -> bool:
        """Whether a mesh was refitted since."""
        latest = Placeable._latest_change
        if latest is not self._latest:
            if list(map(_revision, self._meshes)) != self._answers:
                return True
            self._latest = latest
        return list(map(_revision, self._silent)) != self._silent_answers

    def refitted(self) -> set[Placeable]:
        """The meshes that were refitted since."""
        if not self.are_old:
            return set()
        return {mesh for mesh, known in self._known.items() if mesh.revision != known}

    def without(self, meshes: set[Placeable]) -> Revisions:
        """The revisions of the other meshes, as they were."""
        others = Revisions(())
        others._know({m: n for m, n in self._known.items() if m not in meshes}, self._latest)
        return others


class InstanceIndex:
    """The instances of a scene: most in one tree, those that changed since in another.

    Casts only read both. As with the trees of meshes, rent or buy: once the second tree has cost as
    much as a new one (`rent`), all instances are put into one tree again.
    """

    def __init__(self, settled: Placements, changed: Placements | None, rent: int) -> None:
        self._settled, self._changed, self._rent = settled, changed, rent
        # Together they hold each visible instance once.
        self.parts = [settled] if changed is None else [settled, changed]

    @classmethod
    def of(cls, instances: Mapping[int, Instance]) -> InstanceIndex:
        """An index of instances by their ids."""
        return cls(Placements(Placed.of(instances)), None, 0)

    def for_rays(self, cost: int) -> list[Placements]:
        """The parts, for rays of this cost."""
        if self._changed is not None:
            self._rent += cost
        return self.parts

    @property
    def is_stale(self) -> bool:
        """Whether a mesh was refitted since, or one tree for all would pay by now."""
        is_due = self._rent > len(self._settled)
        return is_due or any(part.revisions.are_old for part in self.parts)

    def met_by_region(self, region: Region, excluded: SideArray | None) -> dict[int, Instance]:
        """Instances whose boxes may reach into a region, by their ids, in order."""
        found: dict[int, Instance] = {}
        for part in self.parts:
            found.update(part.placed.take(part.met_by_region(region, excluded)).with_ids())
        return dict(sorted(found.items()))

    def one_of_each_mesh(self) -> Iterator[tuple[int, Instance]]:
        """One visible instance of each mesh, after its id."""
        for part in self.parts:
            places = part.visible_places()[::-1]
            first = np.full(len(part.meshes), -1)
            first[part.kinds[places]] = places
            yield from part.placed.take(first[first >= 0]).with_ids()

    def updated(self, changes: Mapping[int, Instance | None]) -> InstanceIndex:
        """The index after changes (None removes an instance), with meshes as they are now."""
        settled, refitted = self._settled.without_refitted()
        new: dict[int, Instance | None] = dict(refitted.with_ids())
        if self._changed is not None:
            new.update(self._changed.placed.with_ids())
        new.update(changes)
        settled = settled.without(settled.places_of(np.fromiter(new, np.int64, len(new))))
        beside = Placed.of({key: each for key, each in new.items() if each is not None})
        rent = self._rent + _PER_CHANGE * len(new)
        if rent + PER_LONE_RAY > len(settled):
            placed = concatenated([settled.visible(), beside])
            return InstanceIndex(Placements(placed.take(np.argsort(placed.ids))), None, 0)
        return InstanceIndex(settled, Placements(beside) if len(beside) else None, rent)
