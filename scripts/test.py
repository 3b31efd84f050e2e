# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the checks and tests; set up what they need first, in a fresh checkout too.

Without options each runs once, on the newest versions: the core with NumPy 2 and numba, the newest
Blender without and with a window. ``--all`` runs the whole matrix.

Three stages run at a time on two processors, since they wait now and then; the longest begin first
and have priority. The run ends with the seconds of each folder of tests, beside its budget (see
:mod:`seconds`).

python scripts/test.py
python scripts/test.py --all
python scripts/test.py --all --record
python scripts/test.py --only core --only lint
python scripts/test.py --only windowed -k smoke --seed 7
"""

import argparse
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import seconds
import windowed
from checkout import CACHE, ROOT, SetupError, command_environment, leave, locked, run_quietly, say
from environment import BPY_VERSIONS, environment, open3d_variables

NO_TESTS_SELECTED = 5  # pytest's exit status if there was nothing to run


@dataclass(frozen=True)
class Stage:
    """One command, with its heading, its group for ``--only``, and its Python environment.

    Stages with `is_newest` run without ``--all`` too. `part`, such as ``1/3``, is the share of the
    random tests to run. `variables` are added to the environment variables. `blenders` are the
    labels of the Blenders with a window.
    """

    heading: str
    group: str
    environment: str
    arguments: tuple[str, ...]
    module: str = "pytest"
    is_newest: bool = False
    part: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    blenders: tuple[str, ...] = ()

    def run(
        self,
        python: Path,
        *options: str,
        keyword: str | None,
        captured: bool,
        niceness: int = 0,
        **variables: str,
    ) -> tuple[bool, str]:
        """Run it; return whether it passed, and its output if that is captured.

        The higher its niceness, the more it leaves the processor to other stages.
        """
        command = [str(python), "-m", self.module, *self.arguments, *options]
        selects = self.module == "pytest" and keyword is not None
        libraries = open3d_variables() if self.environment == "peers" else {}
        with subprocess.Popen(
            [*command, "-k", keyword] if selects else command,
            cwd=ROOT,
            env=command_environment(**{**libraries, **self.variables, **variables}),
            stdout=subprocess.PIPE if captured else None,
            stderr=subprocess.STDOUT if captured else None,
        ) as process:
            if niceness and sys.platform != "win32":
                own = os.getpriority(os.PRIO_PROCESS, 0)
                with suppress(ProcessLookupError):  # it has ended
                    os.setpriority(os.PRIO_PROCESS, process.pid, own + niceness)
            _running.append(process)
            printed, _ = process.communicate()
        _running.remove(process)
        status = process.returncode
        passed = status == 0 or (selects and status == NO_TESTS_SELECTED)
        return passed, (printed or b"").decode(errors="replace")


_running: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Result:
    """How a stage went."""

    stage: Stage
    passed: bool
    taken: seconds.Seconds = field(default_factory=dict)  # by folder


def windowed_stages() -> list[Stage]:
    """Two stages for each Blender, or one in all if they share a screen or there is no Blender.

    Of two, one has the tests marked ``wide``, the other the rest; they take about equally long.
    """
    stage = partial(Stage, group="windowed", environment="core")
    folder, labels = "tests/windowed", windowed.labels()
    if not (labels and windowed.have_own_screens()):
        heading = "Blender in a window"
        return [stage(heading, arguments=(folder,), is_newest=True, blenders=(*labels,))]
    return [
        stage(
            f"Blender of {label}, in a {width} window",
            arguments=(folder, "--blender", label, "-m", selected),
            is_newest=label == labels[-1],
            blenders=(label,),
        )
        for label in labels
        for width, selected in (("narrow", "not wide"), ("wide", "wide"))
    ]


def core_stages() -> list[Stage]:
    """All tests with NumPy 2 and numba; each random test once more in one of three other stages.

    The result of a random test seldom depends on the versions of NumPy and numba. The other tests
    run in all of these stages.
    """
    with_peers = (
        *("adapters", "closest/test_winding.py", "geodesic/test_peer.py"),
        *("numerics/test_columns.py", "test_docs.py", "tables"),
        *("test_mesh_reading.py", "test_other_meshes.py"),
    )
    peers = "igl,open3d,pandas,pygeodesic,pyvista,trimesh"
    no_plugin = ("-p", "no:dash")  # a plugin of pytest that Open3D brings
    libraries = "Core, beside trimesh, Open3D, pandas and other libraries"
    on_dask = (
        "distributed",
        "test_copies.py",
        "test_docs.py",
        "test_package.py::test_the_docstring_examples_run",
    )

    def beside(heading: str, env: str, tests: Iterable[str], peers: str, *options: str) -> Stage:
        arguments = (*(f"tests/core/{name}" for name in tests), *options)
        needed = {"RAYPICK_PEERS": peers}  # else the tests skip
        return Stage(heading, "core", env, arguments, is_newest=True, variables=needed)

    numpy2, numpy1 = (partial(Stage, group="core", environment=e) for e in ("core", "core-numpy1"))
    whole, plain = ("tests/core",), ("tests/core", "--without-numba")
    checked, bounds = "Core, NumPy 1, with numba that checks bounds", {"NUMBA_BOUNDSCHECK": "1"}
    return [
        numpy2("Core, NumPy 2, with numba", arguments=whole, is_newest=True),
        beside(libraries, "peers", with_peers, peers, *no_plugin),
        beside("Core, on Dask", "dask", on_dask, "dask,distributed,pandas,pyarrow"),
        numpy1(checked, arguments=whole, variables=bounds, part="1/3"),
        numpy2("Core, NumPy 2, without numba", arguments=plain, part="2/3"),
        numpy1("Core, NumPy 1, without numba", arguments=plain, part="3/3"),
    ]


def headless_stages() -> list[Stage]:
    """All tests in the newest Blender; each random test once more in one of the older ones.

    The newest has two stages, about equally long.
    """
    # With several threads, OpenBLAS inverts a camera's matrix in 0.1 ms, with one in 0.01 ms.
    # Several also wait for each other where other stages run.
    variables = {"OPENBLAS_NUM_THREADS": "1"}
    folder, bridge = "tests/blender", "tests/blender/bridge"
    *older, newest = BPY_VERSIONS

    def stage(version: str, *arguments: str, which: str = "", **options: Any) -> Stage:
        heading, env = f"Blender {version}, no window{which}", f"bpy-{version}"
        return Stage(heading, "blender", env, arguments, variables=variables, **options)

    return [
        stage(newest, bridge, which=", the bridge", is_newest=True),
        stage(newest, folder, f"--ignore={bridge}", which=", all but the bridge", is_newest=True),
        *(stage(version, folder, part=f"{i}/{len(older)}") for i, version in enumerate(older, 1)),
    ]


_check = partial(Stage, group="lint", environment="core", is_newest=True)
_scripts = {"PYTHONPATH": str(ROOT / "scripts")}
STAGES = (
    _check("Format", arguments=("format", "--check", "."), module="ruff"),
    _check("Lint", arguments=("check", "."), module="ruff"),
    _check("Types", arguments=(), module="typecheck", variables=_scripts),
    _check("Layout", arguments=("tests/core/test_floors.py",)),
    _check("Reference of the core", arguments=(), module="docs", variables=_scripts),
    *windowed_stages(),
    *core_stages(),
    *headless_stages(),
    Stage(
        "Wheel and source distribution of the core",
        group="package",
        environment="core",
        arguments=("tests/distributions", "--verbose"),  # which lists the Pythons tried
        is_newest=True,
    ),
)
GROUPS = tuple(dict.fromkeys(stage.group for stage in STAGES))


def main() -> int:
    options = parse_arguments()
    signal.signal(signal.SIGTERM, _end)
    if options.seed is not None:
        os.environ["RAYPICK_SEED"] = str(options.seed)
    groups = options.only or GROUPS
    stages = longest_first(
        stage for stage in STAGES if stage.group in groups and (options.all or stage.is_newest)
    )
    begin = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        pythons = [*pool.map(set_up, stages)]
        ready = time.monotonic()
        captured = options.jobs > 1 and len(stages) > 1
        run = partial(run_stage, keyword=options.keyword, captured=captured)
        ranks = [min(place, options.jobs - 1) for place in range(len(stages))]
        results = [*pool.map(run, stages, pythons, ranks)]
    if options.record:
        seconds.record({each.stage.heading: each.taken for each in results if each.passed})
    budgets = {} if options.keyword else seconds.read_budgets()  # they are for all tests
    table = seconds.table({each.stage.heading: each.taken for each in results}, budgets)
    print(f"\n{table}", flush=True)
    run_seconds = time.monotonic() - ready
    print(f"Set up in {ready - begin:.0f} s, then run in {run_seconds:.0f} s.", flush=True)
    if failed := [each.stage.heading for each in results if not each.passed]:
        print("\nFailed: " + "; ".join(failed), flush=True)
    return 1 if failed else 0


def longest_first(stages: Iterable[Stage]) -> list[Stage]:
    """Sort stages by their budgets, so that the last ones end about together."""
    budgets = seconds.read_budgets()

    def budget(stage: Stage) -> float:
        known = budgets.get(stage.heading)
        return math.inf if known is None else sum(known.values())

    return sorted(stages, key=budget, reverse=True)


def _end(number: int, frame: object) -> None:
    """End the stages too, which then clean up."""
    for process in list(_running):  # a copy, as their threads remove them
        process.terminate()
    leave(number, frame)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run Raypick's checks and tests.")
    add = parser.add_argument
    add("--all", action="store_true", help="run on all versions, not on the newest of each alone")
    add_selection(parser, GROUPS)
    add(
        "--jobs",
        type=int,
        choices=range(1, 9),
        default=min(3, 1 + (os.cpu_count() or 1)),  # a stage waits now and then
        help="how many stages run at once, each printed at its end; 1 prints without delay",
    )
    add("--record", action="store_true", help="set the budgets of stages that pass to their times")
    add("--seed", type=int, help="seed of all random test data")
    options = parser.parse_args()
    if options.record and options.keyword is not None:
        parser.error("--record needs all tests, and allows no -k")
    return options


def add_selection(parser: argparse.ArgumentParser, groups: tuple[str, ...]) -> None:
    add = parser.add_argument
    only = "run this group alone (may be repeated)"
    add("--only", action="append", choices=groups, help=only)
    add("-k", dest="keyword", metavar="EXPR", help="run the tests that match, as pytest's -k does")


def set_up(stage: Stage) -> Path | None:
    """Set up what a stage needs; return its Python, None if that fails."""
    try:
        if stage.environment == "peers":
            open3d_variables()
        for label in stage.blenders:
            windowed.prepare(label)
        python = environment(stage.environment)
        if stage.group == "core" and "--without-numba" not in stage.arguments:
            # Compile the kernels once for all stages with the same numba.
            code = "import standalone_core; standalone_core.compile()"
            command, failure = [python, "-c", code], "the kernels could not be compiled"
            env = command_environment(NUMBA_CACHE_DIR=str(CACHE / "numba"), **stage.variables)
            with locked(f"kernels {' '.join(map('='.join, stage.variables.items()))}"):
                run_quietly(command, failure, env=env, cwd=ROOT)
        return python
    except SetupError as error:
        say(f"{stage.heading}: {error}")
        return None


def run_stage(
    stage: Stage, python: Path | None, rank: int, keyword: str | None, captured: bool
) -> Result:
    """Run a stage; `captured` output is printed at its end.

    Where two stages want one processor, the one of the next rank gets a third as much of it.
    """
    if python is None:
        return Result(stage, passed=False)
    heading = f"\n{f' {stage.heading} ':#^100}"
    say(f"{stage.heading} begins") if captured else print(heading, flush=True)
    part = [f"--random-part={stage.part}"] if stage.part else []
    report = CACHE / "reports" / f"{stage.heading}.xml"
    report.unlink(missing_ok=True)
    if stage.module == "pytest":
        part += [f"--junitxml={report}", "--override-ini=junit_family=xunit1"]
    begin = time.monotonic()
    passed, printed = stage.run(
        python, *part, keyword=keyword, captured=captured, niceness=5 * rank
    )
    whole = time.monotonic() - begin
    is_tests = stage.module == "pytest"
    taken = seconds.read_report(report, whole) if is_tests else {stage.heading: whole}
    if captured:
        print(f"{heading}\n{printed}", flush=True)
    return Result(stage, passed, taken)


if __name__ == "__main__":
    sys.exit(main())
