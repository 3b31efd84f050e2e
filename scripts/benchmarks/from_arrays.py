# SPDX-License-Identifier: GPL-3.0-or-later
"""The time to answer N rays from arrays in memory: whatever is built for it is counted."""

from collections.abc import Callable
from functools import partial

from . import rays
from .bench import Bench
from .contestant import Contestant
from .options import RAY_COUNTS
from .timing import Samples, Task, round_robin

_FEW, _MANY = 1_000, 1_000_000  # rays
_HOPELESS = 2.0  # Peers so much slower than the fastest have one round, with many rays none.
_ROUNDS_OF_MANY = 3


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
    present = []
    for contestant in bench.contestants:
        seconds = expected[contestant.name]
        if contestant.is_ours or seconds <= limit:
            present.append(contestant)
        else:
            absent = f"without {contestant.name} where it would take twice as long as the fastest"
            bench.results.notes.append(f"{count:,} rays from arrays: {absent}")
    return present


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
    samples = round_robin(tasks, rounds, once_beyond=_HOPELESS if count > _FEW else float("inf"))
    for each in contestants:
        each.forget()
    return samples
