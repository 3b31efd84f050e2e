# SPDX-License-Identifier: GPL-3.0-or-later
"""Run all checks and tests, from a fresh checkout on; set up what they need first.

python scripts/test.py
python scripts/test.py --only core --only lint
python scripts/test.py --only windowed -k smoke --seed 7
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import windowed
from checkout import ROOT, SetupError, say
from environment import BPY_VERSIONS, command_environment, environment

NO_TESTS_SELECTED = 5  # pytest's exit status if there was nothing to run


@dataclass(frozen=True)
class Stage:
    """One command, with its heading, its group for ``--only``, and its Python environment."""

    heading: str
    group: str
    environment: str
    module: str
    arguments: tuple[str, ...]


def windowed_stages() -> list[Stage]:
    """One stage for each Blender with a screen of its own, or else one for all, or for none."""
    stage = partial(Stage, group="windowed", environment="core", module="pytest")
    folder, labels = "tests/windowed", windowed.labels()
    if not (labels and windowed.have_own_screens()):
        return [stage("Blender in a window", arguments=(folder,))]
    return [
        stage(f"Blender of {label}, in a window", arguments=(folder, "--blender", label))
        for label in labels
    ]


STAGES = (
    Stage("Format", "lint", "core", "ruff", ("format", "--check", ".")),
    Stage("Lint", "lint", "core", "ruff", ("check", ".")),
    Stage("Types", "lint", "core", "mypy", ("--strict", "standalone_core")),
    # The longest first: the last ones, of two at a time, end about together.
    *windowed_stages(),
    *(
        Stage(f"Core, {numpy}, {numba} numba", "core", name, "pytest", ("tests/core", *option))
        for numpy, name in (("NumPy 2", "core"), ("NumPy 1", "core-numpy1"))
        for numba, option in (("with", ()), ("without", ("--without-numba",)))
    ),
    *(
        Stage(
            f"Blender {version}, no window",
            "blender",
            f"bpy-{version}",
            "pytest",
            ("tests/blender",),
        )
        for version in BPY_VERSIONS
    ),
)
GROUPS = tuple(dict.fromkeys(stage.group for stage in STAGES))


def main() -> int:
    """Run the stages asked for, all of them whether or not one fails."""
    options = parse_arguments()
    if options.seed is not None:
        os.environ["RAYPICK_SEED"] = str(options.seed)
    groups = options.only or GROUPS
    stages = [stage for stage in STAGES if stage.group in groups]
    run = partial(passes, keyword=options.keyword, aside=options.jobs > 1 and len(stages) > 1)
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(run, stages)
        failed = [s.heading for s, passed in zip(stages, results, strict=True) if not passed]
    if failed:
        print("\nFailed: " + "; ".join(failed), flush=True)
    return 1 if failed else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run Raypick's checks and tests.")
    parser.add_argument(
        "--only", action="append", choices=GROUPS, help="run this group alone (may be repeated)"
    )
    parser.add_argument(
        "-k", dest="keyword", metavar="EXPR", help="run the tests that match, as pytest's -k does"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        choices=range(1, 9),
        default=min(2, os.cpu_count() or 1),
        help="how many stages run at the same time, each printed at its end; 1 prints all at once",
    )
    parser.add_argument("--seed", type=int, help="seed of all random test data")
    return parser.parse_args()


def passes(stage: Stage, keyword: str | None, aside: bool) -> bool:
    """Run one stage and say whether it passed; what it prints is shown at its end if `aside`."""
    heading = f"\n{f' {stage.heading} ':#^100}"
    say(f"{stage.heading} begins") if aside else print(heading, flush=True)
    try:
        python = environment(stage.environment)
    except SetupError as error:
        say(f"{stage.heading}: {error}")
        return False
    command = [str(python), "-m", stage.module, *stage.arguments]
    allowed = {0}
    if stage.module == "pytest" and keyword is not None:
        command += ["-k", keyword]
        allowed.add(NO_TESTS_SELECTED)
    kept = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if aside else {}
    run = subprocess.run(command, cwd=ROOT, env=command_environment(), **kept)
    if aside:
        shown = run.stdout.decode(errors="replace")
        print(f"{heading}\n{shown}", flush=True)
    return run.returncode in allowed


if __name__ == "__main__":
    sys.exit(main())
