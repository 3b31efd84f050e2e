# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of one mesh."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from . import rays
from .contestant import Contestant
from .meshes import Shape
from .ours import Raypick
from .results import Result, Results
from .timing import Samples, Task, latencies_in_turns, round_robin

Rays = tuple[np.ndarray, np.ndarray]
"""Origins and unit directions (R, 3)."""

SLOW = 2.0
"""Builds above so many seconds are done once at the largest meshes."""

_LARGE = 5_000_000
_PICKS, _UNCOUNTED, _CHECKED = 3000, 100, 500
_BUDGET = 0.5  # seconds of a batch, about
_BATCH = (2000, 200_000)
_ALL_AT_MOST = 50_000


@dataclass
class Bench:
    """A mesh, those who are measured with it, and where the figures go."""

    shape: Shape
    contestants: list[Contestant]
    results: Results
    rounds: int
    seed: int

    def __post_init__(self) -> None:
        self.corners = self.shape.corners
        self.repeat_below = SLOW if len(self.shape) > _LARGE else float("inf")

    @property
    def random(self) -> np.random.Generator:
        """A generator that begins anew at each use."""
        return np.random.default_rng(self.seed)

    def add(
        self, measure: str, name: str, value: float, unit: str, rounds: int, note: str = ""
    ) -> None:
        """Record a figure."""
        shape = self.shape
        result = Result(measure, shape.name, len(shape), name, value, unit, rounds, note)
        self.results.items.append(result)

    def add_seconds(self, measure: str, samples: dict[str, Samples]) -> None:
        """Record the median of each contestant's times, and how many cores it kept busy."""
        for name, measured in samples.items():
            self.add(measure, name, measured.median, "s", len(measured.seconds))
            self.results.note_cores(name, measure, measured.cores)


def first_hit(bench: Bench) -> None:
    """Time from arrays to the first hit, and release what was built."""
    target = bench.corners.mean(axis=0)
    origin = bench.corners[1] + (bench.corners[1] - bench.corners[0]) * (0.7, 0.5, 0.3)
    direction = (target - origin) / np.linalg.norm(target - origin)

    def run(contestant: Contestant, ray: tuple) -> None:
        contestant.construct()
        contestant.picker()(*ray)

    tasks = {}
    for contestant in bench.contestants:
        (ray,) = contestant.rays(origin[None], direction[None])
        tasks[contestant.name] = Task(partial(run, contestant, ray), contestant.forget)
    bench.add_seconds("first", round_robin(tasks, bench.rounds, bench.repeat_below))
    for contestant in bench.contestants:
        contestant.forget()


def build(bench: Bench, counted: bool) -> None:
    """Time whole builds; the last ones stay, for the measurements that need a tree."""
    tasks = {each.name: Task(each.construct_and_build, each.forget) for each in bench.contestants}
    samples = round_robin(tasks, bench.rounds if counted else 1, bench.repeat_below)
    if counted:
        bench.add_seconds("build", samples)


def pick(bench: Bench) -> None:
    """Time warm picks, one at a time, and check that all contestants hit the same."""
    count = -(-_PICKS // bench.rounds) + _UNCOUNTED
    origins, directions = rays.incoherent(bench.corners, count * bench.rounds, bench.random)
    calls = {
        contestant.name: (contestant.picker(), contestant.rays(origins, directions))
        for contestant in bench.contestants
    }
    for name, measured in latencies_in_turns(calls, bench.rounds, _UNCOUNTED).items():
        median, p99 = (float(np.percentile(measured, share)) for share in (50, 99))
        bench.add("pick", name, median, "s", bench.rounds)
        bench.add("pick_p99", name, p99, "s", bench.rounds)
        bench.add("pick_tail", name, p99 / median, "x", bench.rounds)
    _check_agreement(bench, calls)


def incoherent(bench: Bench) -> None:
    """Time batches of random rays."""
    _batches(bench, "incoherent", _random_rays(bench, _BATCH[1]), _casts(bench), _BATCH)


def coherent(bench: Bench) -> None:
    """Time batches of a camera's rays; the slower ones take stripes of the image."""
    size = rays.IMAGE
    limits = (len(rays.stripes(0)) * size, size * size)

    def take(count: int) -> Rays:
        return rays.camera(bench.corners, count // size)

    _batches(bench, "coherent", take, _casts(bench), limits)


def all_hits(bench: Bench) -> None:
    """Time batches of random rays with all their hits, and with the nearest alone."""
    casts = {}
    for contestant in bench.contestants:
        if contestant.finds_all:
            casts[contestant.name] = contestant.batch_of_all
            casts[f"{contestant.name}/nearest"] = contestant.batch
    limits = (_BATCH[0], _ALL_AT_MOST)
    rate = _batches(bench, "all", _random_rays(bench, _ALL_AT_MOST), casts, limits)
    for name in rate:
        nearest = rate.get(f"{name}/nearest")
        if nearest:
            bench.add("all_cost", name, nearest / rate[name], "x", bench.rounds)


def refit(bench: Bench) -> None:
    """Time the refit of moved vertices beside a build from nothing, for Raypick alone."""
    noise = bench.random.normal(size=bench.shape.vertices.shape)
    edge = float(np.ptp(bench.corners)) / len(bench.shape) ** 0.5
    moved = 1.01 * bench.shape.vertices + 0.1 * edge * noise
    tasks = {}
    for ours in bench.contestants:
        if isinstance(ours, Raypick):
            tasks[f"{ours.name}/build"] = Task(ours.construct_and_build, ours.forget)
            tasks[ours.name] = Task(lambda o=ours: o.tree.refit(moved), ours.construct_and_build)
    samples = round_robin(tasks, bench.rounds)
    for name in [name for name in samples if "/" not in name]:
        seconds = samples[name].median
        bench.add("refit", name, seconds, "s", bench.rounds)
        share = seconds / samples[f"{name}/build"].median
        bench.add("refit_share", name, share, "x", bench.rounds)


def _casts(bench: Bench) -> dict[str, Callable]:
    return {contestant.name: contestant.batch for contestant in bench.contestants}


def _random_rays(bench: Bench, most: int) -> Callable[[int], Rays]:
    origins, directions = rays.incoherent(bench.corners, most, bench.random)
    return lambda count: (origins[:count], directions[:count])


def _batches(
    bench: Bench,
    measure: str,
    take: Callable[[int], Rays],
    casts: dict[str, Callable],
    limits: tuple[int, int],
) -> dict[str, float]:
    """Time casts of about equal duration, record those without a slash, return all rays/s.

    `take` makes about so many rays, `casts` turn them into functions to time, and `limits` are the
    least and the most rays of a cast.
    """
    tasks, counts = {}, {}
    for name, cast in casts.items():
        few = [column[len(column) // 2 :][: _BATCH[0]] for column in take(limits[0])]
        rate = len(few[0]) / round_robin({name: Task(cast(*few))}, 2)[name].median
        origins, directions = take(int(np.clip(rate * _BUDGET, *limits)))
        tasks[name], counts[name] = Task(cast(origins, directions)), len(origins)
    samples = round_robin(tasks, bench.rounds)
    rates = {name: counts[name] / samples[name].median for name in tasks}
    for name in tasks:
        if "/" not in name:
            note = f"{counts[name]} rays a round"
            bench.add(measure, name, rates[name], "rays/s", bench.rounds, note)
            bench.results.note_cores(name, measure, samples[name].cores)
    return rates


def _check_agreement(bench: Bench, calls: dict[str, tuple[Callable, list[tuple]]]) -> None:
    """Record the share of each contestant's picks that are as far as those of most others."""
    found = {}
    for contestant in bench.contestants:
        function, arguments = calls[contestant.name]
        distances = [contestant.distance(function(*row)) for row in arguments[:_CHECKED]]
        found[contestant.name] = np.array([np.inf if d is None else d for d in distances])
    usual = [statistics.median_low(column) for column in zip(*found.values(), strict=True)]
    near = 1e-3 * float(np.linalg.norm(bench.corners[1] - bench.corners[0]))
    for name, distances in found.items():
        share = np.isclose(distances, usual, atol=near, rtol=0).mean()
        bench.add("agreement", name, float(share), "x", bench.rounds)
