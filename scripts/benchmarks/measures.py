# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of one mesh, but for those of batches."""

import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from checkout import CACHE

from . import rays
from .bench import Bench
from .contestant import Contestant
from .timing import Task, latencies_in_turns, round_robin

_LARGE, _SLOW = 5_000_000, 2.0  # builds of so many seconds at such meshes are done once
_PICKS, _UNCOUNTED, _CHECKED = 3000, 100, 500
_CLOSEST_POINTS, _UNCOUNTED_POINTS = 200, 10
_SETTLING = 20_000


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
    bench.add_seconds("first", round_robin(tasks, bench.rounds, _repeat_below(bench)))
    for contestant in bench.contestants:
        contestant.forget()


def build(bench: Bench) -> None:
    """Time whole builds."""
    tasks = {each.name: Task(each.construct_and_build, each.forget) for each in bench.contestants}
    bench.add_seconds("build", round_robin(tasks, bench.rounds, _repeat_below(bench)))


def get_ready(bench: Bench) -> None:
    """Have all trees built and settled, for the measurements that need them."""
    origins, directions = rays.incoherent(bench.corners, _SETTLING, bench.random)
    for contestant in bench.contestants:
        if contestant.tree is None:
            contestant.forget()
            contestant.construct_and_build()
        contestant.settle(origins, directions)


def pick(bench: Bench, measure: str = "pick") -> None:
    """Time warm picks, one at a time, and check that all contestants hit the same."""
    count = -(-_PICKS // bench.rounds) + _UNCOUNTED
    origins, directions = rays.incoherent(bench.corners, count * bench.rounds, bench.random)
    calls = {
        contestant.name: (contestant.picker(), contestant.rays(origins, directions))
        for contestant in bench.contestants
    }
    for name, measured in latencies_in_turns(calls, bench.rounds, _UNCOUNTED).items():
        median, p99 = (float(np.percentile(measured, share)) for share in (50, 99))
        bench.add(measure, name, median, "s", bench.rounds)
        bench.add(f"{measure}_p99", name, p99, "s", bench.rounds)
        bench.add(f"{measure}_tail", name, p99 / median, "x", bench.rounds)
    _check_agreement(bench, calls)


def nearest(bench: Bench) -> None:
    """Time the search for the closest place, one point at a time."""
    count = _CLOSEST_POINTS // bench.rounds + _UNCOUNTED_POINTS
    points = rays.points_around(bench.corners, count * bench.rounds, bench.random)
    calls = {
        contestant.name: (contestant.closest_finder(), contestant.points(points))
        for contestant in bench.contestants
        if contestant.offers("closest_finder")
    }
    for name, measured in latencies_in_turns(calls, bench.rounds, _UNCOUNTED_POINTS).items():
        bench.add("nearest", name, statistics.median(measured), "s", bench.rounds)


def refit(bench: Bench) -> None:
    """Time the refit of moved vertices beside a build from nothing, for Raypick alone."""
    noise = bench.random.normal(size=bench.shape.vertices.shape)
    edge = float(np.ptp(bench.corners)) / len(bench.shape) ** 0.5
    moved = 1.01 * bench.shape.vertices + 0.1 * edge * noise
    tasks = {
        ours.name: Task(lambda o=ours: o.tree.refit(moved), ours.construct_and_build)
        for ours in bench.ours
    }
    _beside_builds(bench, "refit", tasks)


def load(bench: Bench) -> None:
    """Time the reading of a file of a mesh and its tree beside a build, for Raypick alone."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as folder:
        tasks = {}
        for ours in bench.ours:
            path = Path(folder) / ours.engine
            ours.construct_and_build()
            ours.tree.save(path)
            tasks[ours.name] = Task(partial(ours.load, path), ours.forget)
        _beside_builds(bench, "load", tasks)


def _beside_builds(bench: Bench, measure: str, tasks: dict[str, Task]) -> None:
    """Time tasks of ours in turns with builds, and record what share of a build they take."""
    builds = {
        f"{each.name}/build": Task(each.construct_and_build, each.forget) for each in bench.ours
    }
    samples = round_robin({**builds, **tasks}, bench.rounds)
    for name in tasks:
        seconds = samples[name].median
        bench.add(measure, name, seconds, "s", bench.rounds)
        share = seconds / samples[f"{name}/build"].median
        bench.add(f"{measure}_share", name, share, "x", bench.rounds)


def _repeat_below(bench: Bench) -> float:
    return _SLOW if len(bench.shape) > _LARGE else float("inf")


def _check_agreement(bench: Bench, calls: dict[str, tuple[Callable, list[tuple]]]) -> None:
    """Record the share of each contestant's picks that are as far as those of most others."""
    if len(calls) < 3:
        return
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
