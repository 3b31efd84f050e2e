# SPDX-License-Identifier: MIT
"""Whether meshes were refitted since they were asked, at little cost where there are many."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from .placeable import Placeable

_revision = attrgetter("revision")


class Revisions:
    """The revisions of meshes as they are when this is made.

    Meshes that announce their changes are asked again only after one of them did.
    """

    def __init__(self, meshes: Iterable[Placeable]) -> None:
        # Before the revisions: what is announced in between is asked for again.
        latest = Placeable._latest_change
        self._know({mesh: mesh.revision for mesh in meshes}, latest)

    def _know(self, known: dict[Placeable, int], latest: object) -> None:
        self._known, self._latest = known, latest
        self._meshes, self._answers = list(known), list(known.values())
        self._asked = [mesh for mesh in known if not mesh._announces]
        self._asked_answers = [known[mesh] for mesh in self._asked]

    @property
    def are_old(self) -> bool:
        """Whether a mesh was refitted since."""
        latest = Placeable._latest_change
        if latest is not self._latest:
            if list(map(_revision, self._meshes)) != self._answers:
                return True
            self._latest = latest
        asked = self._asked
        return bool(asked) and list(map(_revision, asked)) != self._asked_answers

    def refitted(self) -> set[Placeable]:
        """The meshes that were refitted since."""
        return {mesh for mesh, known in self._known.items() if mesh.revision != known}

    def without(self, meshes: set[Placeable]) -> Revisions:
        """Those of the other meshes, as they were."""
        others = Revisions(())
        others._know({m: n for m, n in self._known.items() if m not in meshes}, self._latest)
        return others
