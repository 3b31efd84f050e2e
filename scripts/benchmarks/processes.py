# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds of whole processes, from the start of Python to the answer, and of the import alone."""

import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from checkout import CACHE

from . import meshes, programs
from .measures import Bench
from .timing import Task, round_robin

_ROWS = 100_000  # rays, or points, of the one batch
_ROUNDS_OF_FILES = 3


def fresh(bench: Bench) -> None:
    """Time programs that load arrays, build a tree and answer one batch."""
    origins, directions = meshes.incoherent_rays(bench.corners, _ROWS, bench.random)
    arrays = {
        "vertices": bench.shape.vertices,
        "triangles": bench.shape.triangles,
        "points": meshes.points_around(bench.corners, _ROWS, bench.random),
        "origins": origins,
        "directions": directions,
    }
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as folder:
        for name, array in arrays.items():
            np.save(Path(folder, name), array)
        for query in ("closest", "nearest"):
            _time(bench, f"fresh_{query}", query, folder, bench.rounds)


def from_obj(bench: Bench) -> None:
    """Time programs that read an OBJ file and cast one ray."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as folder:
        path = Path(folder, "mesh.obj")
        meshes.write_obj(bench.shape, path)
        _time(bench, "obj", "obj", str(path), min(bench.rounds, _ROUNDS_OF_FILES))


def importing(bench: Bench) -> None:
    """Measure the import of the core in a process that has imported NumPy."""
    _run("import")  # Once uncounted: it writes bytecode.
    printed = [_run("import").split() for _ in range(bench.rounds)]
    seconds, modules = (map(float, column) for column in zip(*printed, strict=True))
    name = bench.ours[-1].name
    bench.add("import", name, statistics.median(seconds), "s", bench.rounds)
    bench.add("import_modules", name, max(modules), "", bench.rounds)


def _time(bench: Bench, measure: str, query: str, path: str, rounds: int) -> None:
    """Time the programs that answer the query, after one run each that fills the disk's caches."""
    names = [each.name for each in bench.contestants if each.name in programs.PROGRAMS[query]]
    tasks = {name: Task(partial(_run, query, name, path)) for name in names}
    for task in tasks.values():
        task.run()
    for name, samples in round_robin(tasks, rounds).items():
        bench.add(measure, name, samples.median, "s", rounds)


def _run(*arguments: str) -> str:
    """Run a program with bytecode on the disk, as installed packages have it."""
    command = [sys.executable, "-m", programs.__name__, *arguments]
    about = {**os.environ, "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")}
    about.pop("PYTHONDONTWRITEBYTECODE", None)
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=about)
    return ran.stdout
