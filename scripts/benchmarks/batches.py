# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds for each ray or point of batches: with a tree already built, and from arrays."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from . import meshes
from .contestant import Contestant
from .measures import Bench
from .options import RAY_COUNTS
from .timing import Samples, Task, round_robin

Columns = tuple[np.ndarray, ...]
"""Origins and unit directions (R, 3), or points (N, 3) alone."""

_BUDGET = 0.25  # seconds of a batch, about
_BATCH, _OF_ALL, _OF_POINTS = (2000, 200_000), (2000, 50_000), (1000, 100_000)
"""The least and the most rays, or points, of a batch."""

_LIFT = 1e-4  # of the mesh's radius: how far off the surface rays start, or what an end loses

_FEW, _MANY = 1_000, 1_000_000
_ROUNDS_OF_MANY = 3

_SLOW, _HOPELESS = 2.0, 3.0
"""How many times as long as the fastest: slow peers get one round beyond `_FEW` rays, hopeless ones
none beyond `_MANY`."""


def incoherent(bench: Bench, measure: str = "incoherent", method: str = "batch") -> None:
    _batches(bench, measure, method, _random_rays(bench, _BATCH[1]), _BATCH)


def coherent(bench: Bench, measure: str = "coherent", method: str = "batch") -> None:
    """Time batches of a camera's rays; the slower contestants take stripes of the image."""
    size = meshes.IMAGE
    limits = (len(meshes.stripes(0)) * size, size * size)

    def take(count: int) -> Columns:
        return meshes.camera_rays(bench.corners, count // size)

    _batches(bench, measure, method, take, limits)


def all_columns(bench: Bench) -> None:
    """Time batches of random and of a camera's rays; all that Open3D answers is read."""
    incoherent(bench, "columns", "batch_of_columns")
    coherent(bench, "columns_camera", "batch_of_columns")


def from_surface(bench: Bench) -> None:
    """Time batches of segments from the surface, of lifted ones, and of their inner parts."""
    for name, ways in (("out", meshes.ways_out), ("sight", meshes.sight_lines)):
        on, lifted = (ways(bench.shape, _BATCH[1], bench.random, lift) for lift in (0.0, _LIFT))
        inner = meshes.inner_parts(bench.shape, *on, _LIFT)

        def take(count: int, columns: Columns = (*on, *lifted, *inner)) -> Columns:
            return tuple(column[:count] for column in columns)

        for query, method in (("any", "batch_of_any_between"), ("nearest", "batch_between")):
            measure, casts = f"surface_{name}_{query}", {}
            for each in (each for each in bench.contestants if each.offers(method)):
                batch = getattr(each, method)
                casts[each.name] = lambda a, b, *_, cast=batch: cast(a, b)
                if each.is_ours:
                    casts[f"{each.name}/lifted"] = lambda *c, cast=batch: cast(*c[2:4])
                    casts[f"{each.name}/inner"] = lambda *c, cast=batch: cast(*c[4:])
            seconds = seconds_each(bench, measure, casts, take, _BATCH)
            add_ratios(bench, f"{measure}_cost", seconds, "lifted")
            add_ratios(bench, f"{measure}_inner", seconds, "inner")


def all_hits(bench: Bench) -> None:
    """Time batches of random rays with all their hits, and with the nearest alone."""
    casts = {}
    for contestant in bench.contestants:
        if contestant.offers("batch_of_all"):
            casts[contestant.name] = contestant.batch_of_all
            casts[f"{contestant.name}/nearest"] = contestant.batch
    seconds = seconds_each(bench, "all", casts, _random_rays(bench, _OF_ALL[1]), _OF_ALL)
    add_ratios(bench, "all_cost", seconds, "nearest")


def closest(bench: Bench) -> None:
    """Time batches of closest points: from anywhere around the mesh, and from near its surface."""
    most = _OF_POINTS[1]
    around = meshes.points_around(bench.corners, most, bench.random)
    near = meshes.points_near(bench.shape, most, bench.random)
    for measure, points in (("closest", around), ("closest_near", near)):
        _batches(bench, measure, "batch_of_closest", lambda n, p=points: (p[:n],), _OF_POINTS)


def numpy_alone(bench: Bench) -> None:
    ours = [each for each in bench.ours if each.engine == "numpy"]
    incoherent(replace(bench, contestants=ours), "alone")


def seconds_each(
    bench: Bench,
    measure: str,
    casts: dict[str, Callable],
    take: Callable[[int], Columns],
    limits: tuple[int, int],
) -> dict[str, float]:
    """Time batches of about equal duration; return seconds a ray, recorded for names without "/".

    `casts` turn rays into functions to time, `take` makes about as many rays as it is asked for,
    and `limits` are the least and the most rays of a batch.
    """
    tasks, sizes = {}, {}
    for name, cast in casts.items():
        few = [column[len(column) // 2 :][: limits[0]] for column in take(limits[0])]
        seconds = round_robin({name: Task(cast(*few))}, 2)[name].median
        columns = take(int(np.clip(_BUDGET / seconds * len(few[0]), *limits)))
        # A processor that slept takes milliseconds to wake, so calls follow each other.
        once = cast(*columns)
        calls = max(1, round(_BUDGET / min(round_robin({name: Task(once)}, 2)[name].seconds)))
        tasks[name], sizes[name] = Task(partial(_in_a_row, once, calls)), calls * len(columns[0])
    samples = round_robin(tasks, bench.rounds)
    for name in casts:
        if "/" not in name:
            note = f"{sizes[name]} a round"
            seconds = samples[name].median / sizes[name]
            bench.add(measure, name, seconds, "s", bench.rounds, note)
            bench.results.note_cores(name, measure, samples[name].cores)
    return {name: samples[name].median / sizes[name] for name in casts}


def add_ratios(bench: Bench, measure: str, seconds: dict[str, float], divisor: str) -> None:
    """Record how many times as long the cast of each name took as ``name/divisor``."""
    for name in seconds:
        if beside := seconds.get(f"{name}/{divisor}"):
            bench.add(measure, name, seconds[name] / beside, "x", bench.rounds)


def _in_a_row(cast: Callable[[], object], calls: int) -> None:
    for _ in range(calls):
        cast()


def _batches(
    bench: Bench, measure: str, method: str, take: Callable[[int], Columns], limits: tuple[int, int]
) -> None:
    able = [each for each in bench.contestants if each.offers(method)]
    seconds_each(bench, measure, {each.name: getattr(each, method) for each in able}, take, limits)


def _random_rays(bench: Bench, most: int) -> Callable[[int], Columns]:
    origins, directions = meshes.incoherent_rays(bench.corners, most, bench.random)
    return lambda count: (origins[:count], directions[:count])


def measure(bench: Bench, most: int) -> None:
    """Time the answers to 1, 10 ... up to `most` rays, each time from nothing."""
    taken: dict[str, dict[int, float]] = {each.name: {} for each in bench.contestants}
    for count in (count for count in RAY_COUNTS if count <= most):
        present = _promising(bench, taken, count)
        for name, samples in _answers(bench, present, count).items():
            taken[name][count] = samples.median
            bench.add(f"rays_{count}", name, samples.median, "s", len(samples.seconds))


def _promising(bench: Bench, taken: dict[str, dict[int, float]], count: int) -> list[Contestant]:
    """Who takes part with `count` rays; note the peers that fewer rays showed to be too slow."""
    if count <= _MANY:
        return bench.contestants
    expected = {name: _expected(seconds, count) for name, seconds in taken.items()}
    limit = _HOPELESS * min(expected.values())
    peers = [each for each in bench.contestants if not each.is_ours]
    absent = [each.name for each in peers if expected[each.name] > limit]
    if absent:
        slow = f"without {', '.join(absent)}, far slower than the fastest"
        bench.results.notes.append(f"{count:,} rays from arrays, {bench.shape.name}: {slow}")
    return [each for each in bench.contestants if each.name not in absent]


def _expected(seconds: dict[int, float], count: int) -> float:
    """Seconds on a straight line through what the two last counts took."""
    (fewer, before), (more, after) = list(seconds.items())[-2:]
    return after + (count - more) * max(after - before, 0.0) / (more - fewer)


def _answers(bench: Bench, contestants: list[Contestant], count: int) -> dict[str, Samples]:
    origins, directions = meshes.incoherent_rays(bench.corners, count, bench.random)
    batch: list[Callable[[], object]] = []  # of one contestant at a time, which saves memory

    def before(contestant: Contestant) -> None:
        contestant.forget()
        if count == 1:
            (ray,) = contestant.rays(origins, directions)
            batch[:] = [lambda: contestant.picker()(*ray)]
        else:
            batch[:] = [contestant.batch(origins, directions)]

    def answer(contestant: Contestant) -> None:
        contestant.construct()
        batch[0]()

    tasks = {each.name: Task(partial(answer, each), partial(before, each)) for each in contestants}
    rounds = min(bench.rounds, _ROUNDS_OF_MANY) if count > _MANY else bench.rounds
    samples = round_robin(tasks, rounds, once_beyond=_SLOW if count > _FEW else float("inf"))
    for each in contestants:
        each.forget()
    return samples
