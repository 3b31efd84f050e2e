# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of contestants that take turns, and what else the machine does meanwhile."""

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SETTLE = 0.05  # seconds that worker threads of another contestant may spin on

_STAT = Path("/proc/stat")


@dataclass(frozen=True)
class Task:
    """What one contestant does in a round; `before` is not timed."""

    run: Callable[[], Any]
    before: Callable[[], Any] = lambda: None


@dataclass
class Samples:
    """The times of one contestant: one number a round."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)  # processor time of all threads

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def cores(self) -> float:
        return sum(self.processor) / sum(self.seconds)


@contextmanager
def quiet() -> Iterator[None]:
    """Collect garbage now, not inside the block, and wait for idle threads to fall asleep."""
    gc.collect()
    time.sleep(_SETTLE)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def latencies(
    function: Callable[..., object], rows: Iterable[tuple], pause: float = 0.0
) -> list[float]:
    """Time a call with each row of arguments, in seconds, with a pause before each."""
    measured = []
    for row in rows:
        if pause:
            time.sleep(pause)
        start = time.perf_counter()
        function(*row)
        measured.append(time.perf_counter() - start)
    return measured


def latencies_in_turns(
    calls: dict[str, tuple[Callable[..., object], list[tuple]]], rounds: int, uncounted: int = 0
) -> dict[str, list[float]]:
    """Time a call with each row, by name; each round takes its share of all rows.

    The first `uncounted` calls of each share are not in the times.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number, name in turns(list(calls), rounds):
        function, rows = calls[name]
        share = len(rows) // rounds
        block = rows[number * share : (number + 1) * share]
        with quiet():
            seconds[name] += latencies(function, block)[uncounted:]
    return seconds


def turns(names: list[str], rounds: int) -> Iterator[tuple[int, str]]:
    """Yield every round's number with every name; each round begins with another name."""
    for number in range(rounds):
        first = number % max(len(names), 1)
        for name in names[first:] + names[:first]:
            yield number, name


def round_robin(
    tasks: dict[str, Task],
    rounds: int,
    once_above: float = float("inf"),
    once_beyond: float = float("inf"),
) -> dict[str, Samples]:
    """Time tasks in turns.

    A task is not repeated if its first time is above `once_above` seconds, or above `once_beyond`
    times that of the fastest.
    """
    samples = {name: Samples() for name in tasks}
    for number, name in turns(list(tasks), rounds):
        if number:
            fastest = min(each.seconds[0] for each in samples.values())
            if samples[name].seconds[0] > min(once_above, once_beyond * fastest):
                continue
        tasks[name].before()
        with quiet():
            cpu, start = time.process_time(), time.perf_counter()
            tasks[name].run()
            seconds = time.perf_counter() - start
            cpu = time.process_time() - cpu
        samples[name].seconds.append(seconds)
        samples[name].processor.append(cpu)
    return samples


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class OtherWork:
    """How many cores other programs have kept busy since this object was made."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._others = _seconds_of_others()

    def cores(self) -> float | None:
        now = _seconds_of_others()
        if now is None or self._others is None:
            return None
        return max(now - self._others, 0.0) / (time.monotonic() - self._start)


def _seconds_of_others() -> float | None:
    """Processor time of all programs except this one and its child processes that have ended."""
    if not _STAT.exists():
        return None
    user, nice, system, _idle, _waiting, *interrupts = map(int, _STAT.read_text().split()[1:8])
    every = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    return every - sum(os.times()[:4])
