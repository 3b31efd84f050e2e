# SPDX-License-Identifier: GPL-3.0-or-later
"""Run all random tests with fresh seeds, in all environments, for as long as asked.

Run before a release, and after changes of what they test: other runs keep one seed, so that each
gives the same results. A failure is printed with its seed and with the command that repeats
it, and the run goes on. Ctrl+C ends it early, with the same summary.

    python scripts/soak.py --minutes 60
    python scripts/soak.py --minutes 10 --only core -k region
"""

import argparse
import os
import re
import secrets
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from checkout import ROOT, run_script, say
from environment import environment
from test import STAGES, Stage, add_selection

_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
"""A line of pytest's summary, with the test that failed."""

_STAGES = [stage for stage in STAGES if stage.module == "pytest"]
_GROUPS = tuple(dict.fromkeys(stage.group for stage in _STAGES))


@dataclass(frozen=True)
class Failure:
    """A stage that failed with a seed."""

    stage: Stage
    python: Path  # the interpreter that ran it
    seed: int
    tests: tuple[str, ...]  # the node ids of those that failed; none where pytest itself failed
    shown: str  # what pytest printed

    @property
    def command(self) -> str:
        """The shell command that repeats it, in the checkout's folder."""
        folder, *options = self.stage.arguments
        python = os.path.relpath(self.python, ROOT)
        words = (python, "-m", "pytest", *(self.tests or ("--random", folder)), *options)
        variables = {"RAYPICK_SEED": self.seed, **self.stage.variables}
        given = " ".join(f"{name}={value}" for name, value in variables.items())
        return f"{given} {shlex.join(words)}"

    def __str__(self) -> str:
        named = "".join(f"\n  {test}" for test in self.tests)
        return f"seed {self.seed}, {self.stage.heading}:{named}\n  again: {self.command}"


def main() -> int:
    options = parse_arguments()
    stages = [stage for stage in _STAGES if stage.group in (options.only or _GROUPS)]
    failures: list[Failure] = []
    runs = 0
    try:
        for stage, seed in rounds(stages, options.minutes * 60.0):
            failure = run(stage, seed, options.keyword)
            runs += 1
            if failure is not None:
                failures.append(failure)
                print(f"{failure.shown}\n\nFailed: {failure}\n", flush=True)
    except KeyboardInterrupt:
        say("ended by hand")
    print(f"\n{runs} runs, {len(failures)} failed")
    for failure in failures:
        print(f"\n{failure}")
    return 1 if failures else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run all random tests with fresh seeds.")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no run later")
    add_selection(parser, _GROUPS)
    return parser.parse_args()


def rounds(stages: list[Stage], seconds: float) -> Iterator[tuple[Stage, int]]:
    """All stages, again and again, each round with a seed of its own, until the time is over."""
    end = time.monotonic() + seconds
    for number in count(1):
        seed = secrets.randbelow(2**32)
        say(f"round {number}: RAYPICK_SEED={seed}")
        for stage in stages:
            if time.monotonic() >= end:
                return
            yield stage, seed


def run(stage: Stage, seed: int, keyword: str | None = None) -> Failure | None:
    """Run the random tests of a stage with a seed; return the failure, if any."""
    start = time.monotonic()
    python = environment(stage.environment)
    passed, shown = stage.run(
        python, "-q", "--random", keyword=keyword, captured=True, RAYPICK_SEED=str(seed)
    )
    lines = shown.strip().splitlines()
    took = time.monotonic() - start
    say(f"{stage.heading}: {lines[-1] if lines else 'nothing printed'} ({took:.0f} s)")
    if passed:
        return None
    return Failure(stage, python, seed, failed_tests(shown), shown)


def failed_tests(shown: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_FAILED.findall(shown)))


if __name__ == "__main__":
    run_script(main)
