# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the figures of a run in Blender go, and how picks are timed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import bpy
import numpy as np

from ..results import Result, Results
from ..timing import Task, latencies, latencies_in_turns, round_robin
from . import extension, scenes
from .contestants import ALL, OURS, Contestant, Point, Ray, same

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

    def centered(self, count: int) -> list[Ray]:
        """Rays at a torus at the origin."""
        return scenes.rays(np.zeros((count, 3)), self.random())


@dataclass
class Case:
    """A scene to pick at, the object that is hit, and those who pick."""

    bench: Bench
    scene: str
    target: bpy.types.Object
    contestants: tuple[Contestant, ...] = ALL

    def first_picks(self, measure: str, make_cold: Callable[[], object], ray: Ray) -> None:
        """Time the first pick of each contestant, all of whom know nothing before it."""
        points: dict[str, Point] = {}

        def before() -> None:
            extension.forget()
            make_cold()

        def pick(contestant: Contestant) -> None:
            points[contestant.name] = contestant.pick(self.target, *ray)

        tasks = {each.name: Task(partial(pick, each), before) for each in self.contestants}
        for name, samples in round_robin(tasks, self.bench.rounds).items():
            self.bench.add(measure, self.scene, name, samples.median)
        self.bench.note_disagreement(self.scene, points)
        extension.forget()

    def later_picks(self, measure: str, rays: list[Ray]) -> None:
        """Time picks when nothing changes and all that helps is there: median, 99th percentile."""
        pickers = {each.name: each.picker(self.target) for each in self.contestants}
        for pick in pickers.values():
            latencies(pick, rays[:20])
        extension.wait_for_index()
        for pick in pickers.values():
            latencies(pick, rays[:20])
        calls = {name: (pick, rays * self.bench.rounds) for name, pick in pickers.items()}
        for name, taken in latencies_in_turns(calls, self.bench.rounds).items():
            self.bench.add(measure, self.scene, name, float(np.median(taken)))
            self.bench.add(f"{measure}_p99", self.scene, name, float(np.percentile(taken, 99)))
