# SPDX-License-Identifier: GPL-3.0-or-later
"""The time to answer N rays from arrays in memory: whatever is built for it is counted."""

from collections.abc import Callable
from functools import partial

from . import rays
from .bench import Bench
from .contestant import Contestant
from .options import RAY_COUNTS
from .timing import Samples, Task, round_robin

_FEW, _MANY = 1_000, 1_000_000
_ROUNDS_OF_MANY = 3

_SLOW, _HOPELESS = 2.0, 3.0
"""Times that of the fastest: above, peers have one round of more than few rays, or none of many."""


def measure(bench: Bench, most: int) -> None:
    """Time the answers to 1, 10 ... rays, at most so many, each time from nothing."""
    taken: dict[str, dict[int, float]] = {each.name: {} for each in bench.contestants}
    for count in (count for count in RAY_COUNTS if count <= most):
        present = _promising(bench, taken, count)
        for name, samples in _answers(bench, present, count).items():
            taken[name][count] = samples.median
            bench.add(f"rays_{count}", name, samples.median, "s", len(samples.seconds))


def _promising(bench: Bench, taken: dict[str, dict[int, float]], count: int) -> list[Contestant]:
    """Who takes part with so many rays; the others, which fewer rays show as slow, are noted."""
    if count <= _MANY:
        return bench.contestants
    expected = {name: _expected(seconds, count) for name, seconds in taken.items()}
    limit = _HOPELESS * min(expected.values())
    peers = [each for each in bench.contestants if not each.is_ours]
    absent = [each.name for each in peers if expected[each.name] > limit]
    if absent:
        slow = f"without {', '.join(absent)}, by far not the fastest"
        bench.results.notes.append(f"{count:,} rays from arrays, {bench.shape.name}: {slow}")
    return [each for each in bench.contestants if each.name not in absent]


def _expected(seconds: dict[int, float], count: int) -> float:
    """Seconds on a straight line through what the two last counts took."""
    (fewer, before), (more, after) = list(seconds.items())[-2:]
    return after + (count - more) * max(after - before, 0.0) / (more - fewer)


def _answers(bench: Bench, contestants: list[Contestant], count: int) -> dict[str, Samples]:
    origins, directions = rays.incoherent(bench.corners, count, bench.random)
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
