# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured, and what Raypick aims at in ratios to the peers of the same run."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass

from .options import INSTANCES, RAY_COUNTS, SMALL

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

_FEW, _MANY = INSTANCES


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
        return [item for item in self.items if item.measure == measure]

    def value(self, measure: str, mesh: str, contestant: str) -> float | None:
        wanted = mesh, contestant
        items = (item for item in self.of(measure) if (item.mesh, item.contestant) == wanted)
        return next((item.value for item in items), None)


Baseline = Callable[[Results, Result], float | None]


@dataclass(frozen=True)
class Limit:
    """A number that a ratio is not to exceed."""

    number: float
    unit: str = "x"

    def holds(self, value: float) -> bool:
        return value <= self.number


@dataclass(frozen=True)
class Target:
    """One aim."""

    measure: str
    against: str  # what the figure is divided by, in words; empty if by nothing
    baseline: Baseline  # what it is divided by, from all results and the figure itself
    limits: dict[str, Limit]  # by contestant
    everywhere: bool = False  # of all meshes, not of those of reference alone

    def concerns(self, name: str, is_ours: bool) -> bool:
        """Whether a contestant must be measured for it."""
        rival = self.baseline is _fastest_peer or name == self.against
        return name in self.limits if is_ours else rival


@dataclass(frozen=True)
class Verdict:
    """A target held against what was measured; `value` is None where the baseline is absent."""

    title: str
    mesh: str
    contestant: str
    value: float | None
    limit: Limit

    @property
    def word(self) -> str:
        """``met``, ``missed`` or ``not measured``."""
        if self.value is None:
            return "not measured"
        return "met" if self.limit.holds(self.value) else "missed"


def nothing(_results: Results, _result: Result) -> float:
    return 1.0


def _fastest_peer(results: Results, result: Result) -> float | None:
    values = [
        other.value
        for other in results.of(result.measure)
        if other.mesh == result.mesh and not other.contestant.startswith("raypick")
    ]
    return min(values, default=None)


def peer(name: str) -> Baseline:
    """Divide by what a contestant took."""
    return lambda results, result: results.value(result.measure, result.mesh, name)


def _smallest_mesh(results: Results, result: Result) -> float | None:
    """Of the meshes that differ in size alone, for the largest; None for all others."""
    same = [
        other
        for other in results.of(result.measure)
        if other.contestant == result.contestant and other.mesh in results.sizes
    ]
    same.sort(key=lambda other: other.triangles)
    return same[0].value if len(same) > 1 and result is same[-1] else None


def _ours(numpy: float | None, numba: float | None, unit: str = "x") -> dict[str, Limit]:
    """The limits of both engines, or of one."""
    limits = {"raypick numpy": numpy, "raypick numba": numba}
    return {name: Limit(number, unit) for name, number in limits.items() if number is not None}


_LOOP, _OPEN3D = peer("BVHTree"), peer("Open3D")


def _beside_open3d(measure: str, numba: float) -> Target:
    return Target(measure, "Open3D", _OPEN3D, _ours(None, numba))


def _by_itself(measure: str, limits: dict[str, Limit]) -> Target:
    return Target(measure, "", nothing, limits, everywhere=True)


GOALS = (
    _beside_open3d("incoherent", 1.0),
    _beside_open3d("coherent", 1.0),
    _beside_open3d("any", 0.8),
    _beside_open3d("count", 1.0),
    _beside_open3d("all", 0.7),
    _beside_open3d("closest", 1.0),
    _beside_open3d("closest_near", 1.0),
    Target("nearest", "BVHTree", _LOOP, _ours(None, 3)),
    Target("nearest", "", nothing, _ours(0.4e-3, None, unit="s")),
    Target("pick", "BVHTree", _LOOP, _ours(None, 1.2)),
    Target("small", "BVHTree", _LOOP, _ours(None, 2), everywhere=True),
    *(
        Target(f"rays_{count}", "the best peer", _fastest_peer, _ours(None, 1))
        for count in RAY_COUNTS
    ),
    _by_itself(f"scene_batch_{_FEW}", _ours(None, 3e-6, unit="s")),
    _by_itself(f"scene_batch_{_MANY}", _ours(None, 10e-6, unit="s")),
    _by_itself(f"scene_loop_{_FEW}", _ours(1, None)),
    _by_itself(f"scene_loop_{_MANY}", _ours(1, None)),
    _by_itself("scene_move", _ours(None, 3e-3, unit="s")),
    Target("load_share", "", nothing, _ours(None, 0.2)),
    _by_itself("alone", _ours(5e-6, None, unit="s")),
)
"""What is summed up over groups of meshes with `--meshes`."""

TARGETS = (
    Target("first", "the fastest peer", _fastest_peer, _ours(0.1, 0.05), everywhere=True),
    Target("build", "Open3D", _OPEN3D, _ours(0.4, 0.25)),
    Target("pick", "BVHTree", _LOOP, _ours(35, None)),
    Target("pick_tail", "", nothing, _ours(3, 3)),
    Target("pick", "the smallest mesh", _smallest_mesh, _ours(4, 4), everywhere=True),
    Target("incoherent", "BVHTree", _LOOP, _ours(2, None)),
    Target("coherent", "BVHTree", _LOOP, _ours(5, None)),
    Target("all_cost", "", nothing, _ours(1.5, 3)),
    Target("refit_share", "", nothing, _ours(0.3, 0.3)),
    Target("memory", "Open3D", _OPEN3D, _ours(1, 1)),
    Target("peak", "", nothing, _ours(4e9, 4e9, unit="B"), everywhere=True),
    _by_itself("scene_build", _ours(2, 2, unit="s")),
    _by_itself("scene_cost", _ours(10, 10)),
    *GOALS,
)
"""What each mesh is held against otherwise."""


def verdicts(
    results: Results, targets: tuple[Target, ...] = TARGETS, titles: dict[str, str] = TITLES
) -> list[Verdict]:
    """Hold the results against all targets of measures that were taken."""
    found = []
    for target in targets:
        for name in target.limits:
            for result in results.of(target.measure):
                here = target.everywhere or result.mesh in results.reference
                if result.contestant != name or not here:
                    continue
                verdict = _verdict(results, target, result, titles[target.measure])
                if verdict.value is not None or target.baseline is not _smallest_mesh:
                    found.append(verdict)
    return found


def _verdict(results: Results, target: Target, result: Result, title: str) -> Verdict:
    baseline = target.baseline(results, result)
    value = result.value / baseline if baseline else None
    title += f" / {target.against}" if target.against else ""
    return Verdict(title, result.mesh, result.contestant, value, target.limits[result.contestant])
