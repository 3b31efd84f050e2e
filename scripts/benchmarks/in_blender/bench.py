# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the figures of a run in Blender go, and how picks are timed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import bpy
import numpy as np

from ..results import Result, Results
from ..timing import Task, latencies, latencies_in_turns, round_robin
from . import extension, scenes
from .contestants import OURS, Contestant, Point, Ray, same

PICKS = 200
"""Picks in a block that a median is taken of."""


@dataclass
class Bench:
    """What all measures share."""

    rounds: int
    seed: int
    small: int = 1  # what sizes are divided by: more than 1 for a smoke run
    results: Results = field(default_factory=Results)

    def random(self) -> np.random.Generator:
        """A generator that begins anew at each use."""
        return np.random.default_rng(self.seed)

    def add(self, measure: str, scene: str, name: str, value: float, unit: str = "s") -> None:
        """Record a figure."""
        self.results.items.append(Result(measure, scene, 0, name, value, unit, self.rounds))

    def note_disagreement(self, what: str, points: dict[str, Point]) -> None:
        """Say who hit another place than ours did."""
        others = [name for name, point in points.items() if not same(point, points[OURS])]
        if others:
            self.results.notes.append(f"{what}: another place is hit by {', '.join(others)}")


def first_picks(
    bench: Bench,
    measure: str,
    scene: str,
    contestants: Iterable[Contestant],
    target: bpy.types.Object,
    make_cold: Callable[[], object],
    ray: Ray,
) -> None:
    """Time the first pick of each contestant, all of whom know nothing before it."""
    points: dict[str, Point] = {}

    def before() -> None:
        extension.forget()
        make_cold()

    def pick(contestant: Contestant) -> None:
        points[contestant.name] = contestant.pick(target, *ray)

    tasks = {each.name: Task(partial(pick, each), before) for each in contestants}
    for name, samples in round_robin(tasks, bench.rounds).items():
        bench.add(measure, scene, name, samples.median)
    bench.note_disagreement(scene, points)
    extension.forget()


def later_picks(
    bench: Bench,
    measure: str,
    scene: str,
    contestants: Iterable[Contestant],
    target: bpy.types.Object,
    rays: list[Ray],
) -> None:
    """Time picks while nothing changes and all that helps is there: median, and 99th percentile."""
    pickers = {contestant.name: contestant.picker(target) for contestant in contestants}
    for pick in pickers.values():
        latencies(pick, rays[:20])
    extension.wait_for_index()
    for pick in pickers.values():
        latencies(pick, rays[:20])
    calls = {name: (pick, rays * bench.rounds) for name, pick in pickers.items()}
    for name, taken in latencies_in_turns(calls, bench.rounds).items():
        bench.add(measure, scene, name, float(np.median(taken)))
        bench.add(f"{measure}_p99", scene, name, float(np.percentile(taken, 99)))


def centered(count: int, bench: Bench) -> list[Ray]:
    """Rays at a torus at the origin."""
    return scenes.rays_at_origin(count, bench.random())
