# SPDX-License-Identifier: MIT
"""Which instances of a scene rays can meet, and how little of that a change makes anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..cast.rays import SideArray
from ..numerics.columns import concatenated
from ..region import Region
from .instance import Instance
from .placements import Placed, Placements

Changes = Mapping[int, Instance | None]
"""Instances that are new or were moved, by their ids; None where one was taken out."""

# What it costs to use two trees instead of one, in instances of a new tree: for a change that
# stands beside the tree, and for a ray. A wrong price only moves the day on which a tree is made.
_PER_CHANGE = 4
PER_RAY = 1
PER_LONE_RAY = 64


class InstanceIndex:
    """The instances of a scene as they are: most in one tree, those that changed since in another.

    Both are read-only to casts. Rent or buy, as with the trees of meshes (:mod:`.policy`): all are
    put in one tree again when the second one has cost as much.

    Attributes
    ----------
    parts : list of Placements
        One or two, which together show each instance once.
    """

    def __init__(self, settled: Placements, changed: Placements | None, rent: int) -> None:
        self._settled = settled
        self._changed = changed
        self._rent = rent
        self.parts = [settled] if changed is None else [settled, changed]

    @classmethod
    def of(cls, instances: Mapping[int, Instance]) -> InstanceIndex:
        """An index of instances by their ids."""
        return cls(Placements(_columns(instances)), None, 0)

    def for_rays(self, cost: int) -> list[Placements]:
        """The parts, for rays of such a cost."""
        if self._changed is not None:
            self._rent += cost
        return self.parts

    @property
    def is_stale(self) -> bool:
        """Whether a mesh was refitted since, or one tree for all would pay by now."""
        is_due = self._rent > len(self._settled)
        return is_due or any(part.is_stale for part in self.parts)

    def met_by_region(self, region: Region, excluded: SideArray | None) -> dict[int, Instance]:
        """Instances whose boxes may reach into a region, by their ids, in order."""
        found: dict[int, Instance] = {}
        for part in self.parts:
            met = part.placed.take(part.met_by_region(region, excluded))
            found.update(zip(met.ids.tolist(), met.instances.tolist(), strict=True))
        return dict(sorted(found.items()))

    def one_of_each_mesh(self) -> Iterator[tuple[int, Instance]]:
        """Each mesh that is shown, as one of its instances with its id."""
        for part in self.parts:
            places = part.shown_places()[::-1]
            first = np.full(len(part.meshes), -1)
            first[part.kinds[places]] = places
            yield from _instances(part.placed.take(first[first >= 0]))

    def updated(self, changes: Changes) -> InstanceIndex:
        """The index after changes, and with meshes as they are now."""
        settled, refitted = self._settled.without_refitted()
        new: dict[int, Instance | None] = dict(_instances(refitted))
        if self._changed is not None:
            new.update(_instances(self._changed.placed))
        new.update(changes)
        settled = settled.without(settled.places_of(np.fromiter(new, np.int64, len(new))))
        beside = _columns({key: each for key, each in new.items() if each is not None})
        rent = self._rent + _PER_CHANGE * len(new)
        if rent + PER_LONE_RAY > len(settled):
            placed = concatenated([settled.shown(), beside])
            return InstanceIndex(Placements(placed.take(np.argsort(placed.ids))), None, 0)
        return InstanceIndex(settled, Placements(beside) if len(beside) else None, rent)


def _columns(instances: Mapping[int, Instance]) -> Placed:
    ids = sorted(instances)
    return Placed.of(ids, [instances[each] for each in ids])


def _instances(placed: Placed) -> Iterator[tuple[int, Instance]]:
    return zip(placed.ids.tolist(), placed.instances.tolist(), strict=True)
