# SPDX-License-Identifier: GPL-3.0-or-later
"""Change the sources a little, one change after another, and see that a test notices each.

Run before a release: a change that no test notices is a gap in the tests. The list is in
``mutations``. Everything happens in copies of the checkout. A mutant of the compiled kernels takes
half a minute.

    python scripts/mutants.py
    python scripts/mutants.py -k camera --jobs 2
"""

import argparse
import queue
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import windowed
from checkout import CACHE, ROOT, SetupError, command_environment, run_captured, run_script, say
from environment import BPY_VERSIONS, environment, open3d_variables
from mutations import MUTANTS, OWN_ENVIRONMENTS, Mutant

CAUGHT, SURVIVED = "caught", "SURVIVED"

_SECONDS = 1200
"""Tests that take longer count as endless."""

_SHARED = ("envs", "blender", "locks")
"""Parts of the checkout's cache that the copies share. Each copy has its own compiled code."""


@dataclass(frozen=True)
class Verdict:
    """Whether a test noticed a mutant."""

    mutant: Mutant
    outcome: str  # CAUGHT, SURVIVED, or why there is no verdict
    seconds: float
    printed: str  # by pytest

    def __str__(self) -> str:
        return f"{self.outcome:9} {self.seconds:5.0f} s  {self.mutant}"


def main() -> int:
    options = parse_arguments()
    mutants = chosen(MUTANTS, options.keyword)
    if not mutants:
        raise SetupError(f"no mutant has {options.keyword!r} in its file or its change")
    check(mutants)
    return summary(judge_all(mutants, options.jobs))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="See that tests notice small changes.")
    only = "only mutants whose file or change contains it"
    parser.add_argument("-k", dest="keyword", metavar="TEXT", default="", help=only)
    parser.add_argument("--jobs", type=int, choices=range(1, 9), default=1)
    return parser.parse_args()


def chosen(mutants: Iterable[Mutant], keyword: str) -> list[Mutant]:
    """The mutants with the keyword; without a window, not those whose tests need one."""
    found, can_open_windows = [], bool(windowed.labels())
    for mutant in mutants:
        if keyword in f"{mutant.file} {mutant.old} {mutant.new}":
            if can_open_windows or mutant.folder != "windowed":
                found.append(mutant)
            else:
                say(f"left out, {windowed.why_none()}: {mutant}")
    return found


def check(mutants: Iterable[Mutant]) -> None:
    """Raise SetupError unless the text of each mutant occurs once in its file."""
    for mutant in mutants:
        try:
            mutant.changed((ROOT / mutant.file).read_text(encoding="utf-8"))
        except ValueError as error:
            raise SetupError(f"{mutant.file}: {error}") from None


def judge_all(mutants: list[Mutant], jobs: int) -> list[Verdict]:
    """Judge all mutants, `jobs` at a time; SetupError if the unchanged sources fail the tests."""
    with ExitStack() as stack:
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for _ in range(jobs):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="raypick-mutants-"))
            copies.put(copied(Path(folder, "checkout")))

        def judged(mutant: Mutant) -> Verdict:
            copy = copies.get()
            try:
                verdict = judge(mutant, copy)
            finally:
                copies.put(copy)
            say(str(verdict))
            return verdict

        first = copies.get()
        check_unchanged(mutants, first)
        copies.put(first)
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(judged, mutants))


def copied(place: Path) -> Path:
    """Copy the checkout; its cache is new, but for links to the shared parts."""
    ignored = shutil.ignore_patterns(".git", ".cache", "dist", "__pycache__")
    shutil.copytree(ROOT, place, ignore=ignored)
    for name in _SHARED:
        shared = CACHE / name
        if shared.exists():
            (place / ".cache").mkdir(exist_ok=True)
            (place / ".cache" / name).symlink_to(shared.resolve())
    return place


def check_unchanged(mutants: list[Mutant], copy: Path) -> None:
    """Raise SetupError unless the unchanged sources pass the tests of all mutants."""
    groups: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}
    for mutant in mutants:
        group = groups.setdefault((mutant.folder, mutant.options), {})
        group.update(dict.fromkeys(mutant.paths))
    for (folder, options), paths in groups.items():
        say(f"{folder} without a change: {len(paths)} files or tests {' '.join(options)}")
        status, shown = run_tests(copy, folder, [*paths, *options])
        if status != 0:
            raise SetupError(f"the tests fail without a change, or cannot be run:\n{shown}")


def judge(mutant: Mutant, copy: Path) -> Verdict:
    """Run the tests of a mutant in a copy of the checkout, and undo the change."""
    start = time.perf_counter()
    before = mutant.apply(copy)
    try:
        status, shown = run_tests(copy, mutant.folder, mutant.tests.split())
    finally:
        (copy / mutant.file).write_text(before, encoding="utf-8")
    outcome = {0: SURVIVED, 1: CAUGHT}.get(status, f"no verdict, pytest ended with {status}")
    return Verdict(mutant, outcome, time.perf_counter() - start, shown)


def run_tests(copy: Path, folder: str, arguments: list[str]) -> tuple[int | None, str]:
    """Run pytest until a test fails; return its status (None after a timeout) and its output.

    No byte code is written: Python recognizes a changed file by its time and size alone.
    """
    # A kernel that writes past an array then raises, and neither crashes pytest nor goes unnoticed.
    env = command_environment(NUMBA_BOUNDSCHECK="1", PYTHONDONTWRITEBYTECODE="1")
    env.pop("NUMBA_CACHE_DIR", None)
    newest = environment(f"bpy-{BPY_VERSIONS[-1]}")  # it builds the extension, too
    name = OWN_ENVIRONMENTS.get(folder, "core")
    python = newest if folder == "blender" else environment(name)
    command = [python, "-m", "pytest", "-x", "-q", *arguments]
    if name == "peers":
        env |= open3d_variables()
        command += ["-p", "no:dash"]  # a plugin of pytest that Open3D brings
    if folder == "windowed":
        command += ["--blender", windowed.labels()[-1]]
    try:
        run = run_captured(command, cwd=copy, env=env, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        shown = error.stdout or b""  # str on Windows, bytes elsewhere
        return None, shown if isinstance(shown, str) else shown.decode(errors="replace")
    return run.returncode, run.stdout


def summary(verdicts: list[Verdict]) -> int:
    print(f"\n{' Mutants ':#^100}")
    for verdict in verdicts:
        print(verdict)
    others = [verdict for verdict in verdicts if verdict.outcome != CAUGHT]
    for verdict in others:
        if verdict.outcome != SURVIVED:
            print(f"\n{verdict}\n{verdict.printed}")
    print(f"\n{len(verdicts) - len(others)} of {len(verdicts)} caught", flush=True)
    return 1 if others else 0


if __name__ == "__main__":
    run_script(main)
