# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass

from .options import INSTANCES, RAY_COUNTS, SMALL


@dataclass(frozen=True)
class Result:
    """One figure of one contestant."""

    measure: str  # a key of TITLES, or "agreement": the share of picks that hit what most hit
    mesh: str
    triangles: int
    contestant: str
    value: float
    unit: str  # "s", "B" or "x"
    rounds: int = 1  # of how many it is the median
    note: str = ""


TITLES = {
    "first": "first hit",
    "build": "build",
    "pick": "one warm pick",
    "pick_p99": "one warm pick, p99",
    "pick_tail": "p99 / median",
    "small": f"one warm pick, {SMALL[0]} to {SMALL[-1]} triangles",
    "incoherent": "random rays, nearest hit",
    "coherent": "a camera's rays",
    "any": "any hit",
    "count": "counts of hits",
    "all": "all hits",
    "all_cost": "all hits / nearest",
    "closest": "closest points",
    "closest_near": "closest points, near the surface",
    "nearest": "one closest point",
    **{f"rays_{count}": f"{count:,} ray{'s' * (count > 1)} from arrays" for count in RAY_COUNTS},
    "refit": "refit",
    "refit_share": "refit / build",
    "load": "load with the tree",
    "load_share": "load with the tree / build",
    "memory": "tree, a triangle",
    "peak": "peak of the process",
    "scene_build": "scene, first pick",
    "scene_pick": "scene, warm pick",
    "scene_cost": "scene's / mesh's pick",
    **{f"scene_batch_{count}": f"{count:,} instances, a ray of a batch" for count in INSTANCES},
    **{f"scene_loop_{count}": f"{count:,} instances, batch / loop" for count in INSTANCES},
    "scene_move": f"move one of {INSTANCES[-1]:,} instances and pick",
    "alone": "random rays, nearest hit, at a million triangles",
}


class Results:
    """All figures of a run."""

    def __init__(self) -> None:
        self.items: list[Result] = []
        self.reference: list[str] = []  # meshes that targets of builds, picks and batches are about
        self.sizes: list[str] = []  # meshes that differ in size alone
        self.groups: dict[str, str] = {}  # of meshes whose ratios are summed up together
        self.cores: dict[str, dict[str, float]] = {}  # by contestant and measure, the most busy
        self.notes: list[str] = []
        self.failed = False  # whether a measure broke off

    def attempt(self, name: str, measure: Callable[[], object]) -> None:
        """Take a measure; one that breaks off leaves the others their figures."""
        try:
            measure()
        except Exception as error:  # whatever a contestant may raise
            traceback.print_exc()
            self.notes.append(f"{name} broke off: {type(error).__name__}: {error}")
            self.failed = True

    def note_cores(self, contestant: str, work: str, cores: float) -> None:
        """Remember how many cores a contestant kept busy, if it is the most so far."""
        known = self.cores.setdefault(contestant, {})
        known[work] = max(known.get(work, 0.0), round(cores, 1))

    def of(self, measure: str) -> list[Result]:
        """All figures of a measure, in the order they were added."""
        return [item for item in self.items if item.measure == measure]

    def value(self, measure: str, mesh: str, contestant: str) -> float | None:
        """One figure, if it was measured."""
        wanted = mesh, contestant
        items = (item for item in self.of(measure) if (item.mesh, item.contestant) == wanted)
        return next((item.value for item in items), None)
