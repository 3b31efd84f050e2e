# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of one mesh, except batches.

Memory is measured in a process of its own (on Linux), which runs this module. Its arguments are a
contestant's name, the file of a mesh, and the number of rays to cast. It prints the bytes of the
answer, or without rays those of the tree, and the peak of the process.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import standalone_core as sc
from checkout import CACHE, say

from . import meshes, peers
from .contestant import Contestant, Raypick
from .meshes import Shape
from .options import PIXELS, RAY_COUNTS
from .results import Result, Results
from .timing import Samples, Task, latencies_in_turns, round_robin

_LARGE, _SLOW = 5_000_000, 2.0  # triangles and seconds; builds above both are not repeated
_PICKS, _UNCOUNTED, _CHECKED = 3000, 100, 500
_CLOSEST_POINTS, _UNCOUNTED_POINTS = 200, 10
_SETTLING = 20_000

_STATUS = Path("/proc/self/status")


@dataclass
class Bench:
    """A mesh, the contestants measured with it, and the results to add to."""

    shape: Shape
    contestants: list[Contestant]
    results: Results
    rounds: int
    seed: int

    def __post_init__(self) -> None:
        self.corners = self.shape.corners

    @property
    def random(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @property
    def ours(self) -> list[Raypick]:
        return [each for each in self.contestants if isinstance(each, Raypick)]

    def add(
        self, measure: str, name: str, value: float, unit: str, rounds: int, note: str = ""
    ) -> None:
        shape = self.shape
        result = Result(measure, shape.name, len(shape), name, value, unit, rounds, note)
        self.results.items.append(result)

    def add_seconds(self, measure: str, samples: dict[str, Samples]) -> None:
        """Record the median of each contestant's times, and how many cores it kept busy."""
        for name, measured in samples.items():
            self.add(measure, name, measured.median, "s", len(measured.seconds))
            self.results.note_cores(name, measure, measured.cores)


def first_hit(bench: Bench) -> None:
    """Time the way from arrays to the first hit, and release the trees."""
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
    bench.add_seconds("first", round_robin(tasks, bench.rounds, _once_above(bench)))
    for contestant in bench.contestants:
        contestant.forget()


def build(bench: Bench) -> None:
    tasks = {each.name: Task(each.construct_and_build, each.forget) for each in bench.contestants}
    bench.add_seconds("build", round_robin(tasks, bench.rounds, _once_above(bench)))


def get_ready(bench: Bench) -> None:
    """Build and settle all trees, for the measurements that need them."""
    origins, directions = meshes.incoherent_rays(bench.corners, _SETTLING, bench.random)
    for contestant in bench.contestants:
        if contestant.tree is None:
            contestant.forget()
            contestant.construct_and_build()
    for ours in bench.ours:
        ours.settle(origins, directions)


def pick(bench: Bench, measure: str = "pick") -> None:
    """Time warm picks, one at a time, and check that all contestants hit the same."""
    count = -(-_PICKS // bench.rounds) + _UNCOUNTED
    origins, directions = meshes.incoherent_rays(bench.corners, count * bench.rounds, bench.random)
    calls = {c.name: (c.picker(), c.rays(origins, directions)) for c in bench.contestants}
    for name, measured in latencies_in_turns(calls, bench.rounds, _UNCOUNTED).items():
        median, p99 = (float(np.percentile(measured, share)) for share in (50, 99))
        bench.add(measure, name, median, "s", bench.rounds)
        bench.add(f"{measure}_p99", name, p99, "s", bench.rounds)
        bench.add(f"{measure}_tail", name, p99 / median, "x", bench.rounds)
    _check_agreement(bench, calls)


def nearest(bench: Bench) -> None:
    count = _CLOSEST_POINTS // bench.rounds + _UNCOUNTED_POINTS
    points = meshes.points_around(bench.corners, count * bench.rounds, bench.random)
    able = [each for each in bench.contestants if each.offers("closest_finder")]
    calls = {each.name: (each.closest_finder(), each.points(points)) for each in able}
    for name, measured in latencies_in_turns(calls, bench.rounds, _UNCOUNTED_POINTS).items():
        bench.add("nearest", name, statistics.median(measured), "s", bench.rounds)


def refit(bench: Bench) -> None:
    """Time a refit to moved vertices and a build from scratch, for Raypick alone."""
    noise = bench.random.normal(size=bench.shape.vertices.shape)
    edge = float(np.ptp(bench.corners)) / len(bench.shape) ** 0.5
    moved = 1.01 * bench.shape.vertices + 0.1 * edge * noise
    tasks = {
        ours.name: Task(lambda o=ours: o.tree.refit(moved), ours.construct_and_build)
        for ours in bench.ours
    }
    _beside_builds(bench, "refit", tasks)


def load(bench: Bench) -> None:
    """Time loading a mesh and its tree from a file, and a build, for Raypick alone."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as folder:
        tasks = {}
        for ours in bench.ours:
            path = Path(folder) / ours.engine
            ours.construct_and_build()
            ours.tree.save(path)
            tasks[ours.name] = Task(partial(ours.load, path), ours.forget)
        _beside_builds(bench, "load", tasks)


def _beside_builds(bench: Bench, measure: str, tasks: dict[str, Task]) -> None:
    """Time Raypick's tasks in turns with its builds; record both the seconds and the ratios."""
    builds = {
        f"{each.name}/build": Task(each.construct_and_build, each.forget) for each in bench.ours
    }
    samples = round_robin({**builds, **tasks}, bench.rounds)
    for name in tasks:
        seconds = samples[name].median
        bench.add(measure, name, seconds, "s", bench.rounds)
        share = seconds / samples[f"{name}/build"].median
        bench.add(f"{measure}_share", name, share, "x", bench.rounds)


def _once_above(bench: Bench) -> float:
    return _SLOW if len(bench.shape) > _LARGE else float("inf")


def _check_agreement(bench: Bench, calls: dict[str, tuple[Callable, list[tuple]]]) -> None:
    """Record the share of each contestant's picks whose distance is that of most others."""
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


def camera(bench: Bench) -> None:
    """Time making the rays of all pixels of a camera."""
    width, height = PIXELS
    made = sc.Camera.pinhole([[900, 0, 500], [0, 900, 400], [0, 0, 1]], width, height)
    name = bench.ours[-1].name
    bench.add_seconds("camera", round_robin({name: Task(made.rays)}, 3 * bench.rounds))


def answer_memory(bench: Bench) -> None:
    """Measure what a batch of rays has answered, of which nothing has been read."""
    for name, (size, _) in _measured(bench, bench.ours, RAY_COUNTS[-1]).items():
        bench.add("answer", name, size / RAY_COUNTS[-1], "B", 1)


def tree_memory(bench: Bench) -> None:
    for name, (size, _) in _measured(bench, bench.contestants).items():
        bench.add("memory", name, size / len(bench.shape), "B", 1)


def peak_memory(bench: Bench) -> None:
    """Measure the peak memory of a process that loads Raypick and builds the tree."""
    for name, (_, most) in _measured(bench, bench.ours).items():
        bench.add("peak", name, most, "B", 1)


def _measured(
    bench: Bench, contestants: Sequence[Contestant], rays: int = 0
) -> dict[str, tuple[int, int]]:
    """Bytes of the answer to so many rays, or of the tree, and of the process at its peak."""
    if not _STATUS.exists():
        say("memory is measured on Linux alone")
        return {}
    found = {}
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as folder:
        path = Path(folder, "mesh.npz")
        np.savez(path, vertices=bench.shape.vertices, triangles=bench.shape.triangles)
        for name in [each.name for each in contestants]:
            command = [sys.executable, "-m", __spec__.name, name, path, str(rays)]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                say(f"no memory of {name}: {(run.stderr.splitlines() or ['it crashed'])[-1]}")
            else:
                size, most = map(int, run.stdout.splitlines()[-1].split())
                found[name] = (size, most)
    return found


def _measure(name: str, mesh: Path, rays: int) -> None:
    contestant, shape = peers.MAKERS[name](), meshes.read(mesh)
    peers.warm_up(contestant)
    contestant.prepare(shape)
    contestant.forget()
    before = _memory("VmRSS")
    contestant.construct_and_build()
    size = contestant.tree_bytes()
    answer = None
    if rays:
        columns = meshes.incoherent_rays(shape.corners, rays, np.random.default_rng(0))
        contestant.tree.cast_rays(*(column[: rays // 100] for column in columns))
        before, size = _memory("VmRSS"), None
        answer = contestant.tree.cast_rays(*columns)
    print(_memory("VmRSS") - before if size is None else size, _memory("VmHWM"))
    del answer  # It must be held until here.


def _memory(field: str) -> int:
    """Memory of this process; ``ru_maxrss`` would count its parent process, too."""
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    _measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
