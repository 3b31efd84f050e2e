# SPDX-License-Identifier: GPL-3.0-or-later
"""What Raypick aims at, in ratios to the peers of the same run, and whether it gets there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .results import TITLES, Result, Results

Baseline = Callable[[Results, Result], float | None]


@dataclass(frozen=True)
class Limit:
    """A number that a ratio is to stay below, or above."""

    number: float
    at_least: bool = False
    unit: str = "x"

    def holds(self, value: float) -> bool:
        """Whether the value is on the right side."""
        return value >= self.number if self.at_least else value <= self.number


@dataclass(frozen=True)
class Target:
    """One aim."""

    measure: str
    against: str  # what the figure is divided by, in words; empty if by nothing
    baseline: Baseline  # what it is divided by, from all results and the figure itself
    limits: dict[str, Limit]  # by contestant
    everywhere: bool = False  # of all meshes, not of those of reference alone


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


def _ours(numpy: float | None, numba: float | None, **kind: Any) -> dict[str, Limit]:
    """The limits of both engines, or of one."""
    limits = {"raypick numpy": numpy, "raypick numba": numba}
    return {name: Limit(number, **kind) for name, number in limits.items() if number is not None}


_LOOP, _OPEN3D = peer("BVHTree"), peer("Open3D")

TARGETS = (
    Target("first", "the fastest peer", _fastest_peer, _ours(0.1, 0.05), everywhere=True),
    Target("build", "Open3D", _OPEN3D, _ours(0.4, 0.25)),
    Target("pick", "BVHTree", _LOOP, _ours(35, 2)),
    Target("pick_tail", "", nothing, _ours(3, 3)),
    Target("pick", "the smallest mesh", _smallest_mesh, _ours(4, 4), everywhere=True),
    Target("incoherent", "BVHTree", _LOOP, _ours(0.5, None, at_least=True)),
    Target("incoherent", "Open3D", _OPEN3D, _ours(None, 0.7, at_least=True)),
    Target("coherent", "BVHTree", _LOOP, _ours(0.2, None, at_least=True)),
    Target("coherent", "Open3D", _OPEN3D, _ours(None, 0.4, at_least=True)),
    Target("all_cost", "", nothing, _ours(1.5, 3)),
    Target("all", "Open3D", _OPEN3D, _ours(None, 1, at_least=True)),
    Target("refit_share", "", nothing, _ours(0.3, 0.3)),
    Target("memory", "Open3D", _OPEN3D, _ours(1, 1)),
    Target("peak", "", nothing, _ours(4e9, 4e9, unit="B"), everywhere=True),
    Target("scene_build", "", nothing, _ours(2, 2, unit="s"), everywhere=True),
    Target("scene_cost", "", nothing, _ours(10, 10), everywhere=True),
)


def verdicts(
    results: Results, targets: tuple[Target, ...] = TARGETS, titles: dict[str, str] = TITLES
) -> list[Verdict]:
    """Hold the results against all targets of measures that were taken."""
    found = []
    for target in targets:
        title = titles[target.measure] + (f" / {target.against}" if target.against else "")
        for name, limit in target.limits.items():
            for result in results.of(target.measure):
                here = target.everywhere or result.mesh in results.reference
                if result.contestant != name or not here:
                    continue
                baseline = target.baseline(results, result)
                if baseline is None and target.baseline is _smallest_mesh:
                    continue
                value = result.value / baseline if baseline else None
                found.append(Verdict(title, result.mesh, name, value, limit))
    return found
