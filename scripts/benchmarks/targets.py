# SPDX-License-Identifier: GPL-3.0-or-later
"""What Raypick aims at, in ratios to the peers of the same run, and whether it gets there."""

from collections.abc import Callable
from dataclasses import dataclass

from .options import INSTANCES, RAY_COUNTS
from .results import TITLES, Result, Results

Baseline = Callable[[Results, Result], float | None]


@dataclass(frozen=True)
class Limit:
    """A number that a ratio is not to exceed."""

    number: float
    unit: str = "x"

    def holds(self, value: float) -> bool:
        """Whether the value is on the right side."""
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
    """Divide by nothing."""
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


_FEW, _MANY = INSTANCES
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
