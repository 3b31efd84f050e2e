# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose meshes and measure, in the environment that ``scripts/benchmark.py`` has made."""

import argparse
import gc
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from checkout import run_script, say

from . import batches, cad_like, measures, meshes, peers, processes, report, scenes
from .contestant import Contestant
from .measures import Bench
from .meshes import Shape, in_folder, loaded
from .options import MEASURES, PLOTTED, RAY_COUNTS, SIZES, SMALL, parse_arguments
from .results import GOALS, TARGETS, Results, Target, verdicts
from .timing import OtherWork

_AT_ALL_SIZES = set(PLOTTED)
_OF_LARGEST = {"answer", "fresh"}
_WITH_OWN_MESHES = {"scene", "small", "alone", "obj", "camera", "import"}
_AT_REFERENCE_SIZE = set(MEASURES) - _WITH_OWN_MESHES
_SCENE_SIZE, _PEAK_SIZE, _LARGE = "10k", "10M", "1M"

Step = Callable[[Bench], None]

_COLD: dict[str, Step] = {"first": measures.first_hit, "build": measures.build}
_WARM: dict[str, Step] = {
    "pick": measures.pick,
    "small": partial(measures.pick, measure="small"),
    "nearest": measures.nearest,
    "incoherent": batches.incoherent,
    "coherent": batches.coherent,
    "columns": batches.all_columns,
    "any": partial(batches.incoherent, measure="any", method="batch_of_any"),
    "count": partial(batches.incoherent, measure="count", method="batch_of_counts"),
    "all": batches.all_hits,
    "closest": batches.closest,
    "surface": batches.from_surface,
    "alone": batches.numpy_alone,
    "refit": measures.refit,
    "load": measures.load,
    "scene": scenes.measure,
}
_WITHOUT_TREES: dict[str, Step] = {
    "memory": measures.tree_memory,
    "peak": measures.peak_memory,
    "answer": measures.answer_memory,
    "camera": measures.camera,
    "fresh": processes.fresh,
    "obj": processes.from_obj,
    "import": processes.importing,
}


@dataclass(frozen=True)
class Chosen:
    """A mesh, the measures to take with it, and the largest count of the measure "rays"."""

    shape: Shape
    asked: set[str]
    most_rays: int = RAY_COUNTS[-2]


def chosen(options: argparse.Namespace, results: Results) -> Iterator[Chosen]:
    """Yield meshes to measure, one in memory at a time; store their names in `results`."""
    only = set(options.only)
    yield from _averaged(options, results) if options.meshes else _ladder(options, results)
    if asked := only & {"small", "camera", "import"}:
        yield Chosen(cad_like.box(f"{SMALL[0]} triangles"), asked)
    if "small" in only:
        for count in SMALL[1:]:
            shape = meshes.noisy_icosphere(f"{count} triangles", count, options.seed)
            yield Chosen(shape, {"small"})
    if asked := only & {"alone", "obj"}:
        yield Chosen(_icosphere(options, _LARGE), asked)
    if "scene" in only:
        yield Chosen(_icosphere(options, _SCENE_SIZE), {"scene"})


def _ladder(options: argparse.Namespace, results: Results) -> Iterator[Chosen]:
    """Spheres of several sizes, with the reference size among them, and a scan of that size."""
    results.sizes = sizes = list(options.sizes)
    at = _LARGE if _LARGE in sizes else sizes[-1]
    for size in sizes:
        asked = set(options.only) & (_AT_REFERENCE_SIZE if size == at else _AT_ALL_SIZES)
        peak = {"peak"} if size == _PEAK_SIZE and "memory" in options.only else set()
        if size == at:
            results.reference.append(size)
        results.groups[size] = size
        if asked | peak:
            yield Chosen(_icosphere(options, size), asked | peak)
        if asked and size == at:
            if options.mesh:
                scan = loaded(options.mesh, options.seed)
            else:
                scan = meshes.scan_like(f"scan {at}", SIZES[at], options.seed)
            results.reference.append(scan.name)
            results.groups[scan.name] = scan.name
            yield Chosen(scan, asked)


def _averaged(options: argparse.Namespace, results: Results) -> Iterator[Chosen]:
    """The meshes of a folder and generated ones; the largest of a group gets the most rays.

    If there is a folder, all generated meshes get fewer, to save time.
    """
    files: list[Shape] = []
    if isinstance(options.meshes, Path):
        files, absent = in_folder(options.meshes, options.cad)
        results.notes += absent
    generated = []
    for thousands in (20,) if options.quick else (20, 200):
        name, count = f"{thousands}k", 1000 * thousands
        scan = meshes.scan_like(f"scan-like {name}", count, options.seed)
        part = cad_like.cad_like(f"CAD-like {name}", count, options.seed)
        generated += [replace(scan, group="generated scans"), replace(part, group="generated CAD")]
    results.groups = {shape.name: shape.group for shape in files + generated}
    results.reference = list(results.groups)
    largest = {shape.group: shape.name for shape in files or generated}.values()
    for shape in files + generated:
        asked, most = set(options.only) & _AT_REFERENCE_SIZE, RAY_COUNTS[-2]
        if shape.name not in largest:
            asked -= _OF_LARGEST
        elif not options.quick:
            most = RAY_COUNTS[-1]
        yield Chosen(shape, asked, most)


def _icosphere(options: argparse.Namespace, size: str) -> Shape:
    return meshes.noisy_icosphere(size, SIZES[size], options.seed)


def main() -> int:
    options = parse_arguments()
    goals = GOALS if options.meshes else TARGETS
    options.only = options.only or [name for name in MEASURES if _of(goals, {name})]
    contestants, notes = peers.gather()
    gc.freeze()  # So collections of garbage before each measurement skip all that was imported.
    others = OtherWork()
    results = Results()
    results.notes += notes
    run = Run(options, contestants, results)
    for each in chosen(options, results):
        run.measure(each)
    described = {
        **report.setting(options, others),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {contestant.name: contestant.version for contestant in contestants},
        "threads": {contestant.name: contestant.threads for contestant in contestants},
    }
    found = verdicts(results, goals)
    text = report.render(described, results, found, options.markdown)
    status = report.publish(options, described, results, found, text)
    if report.draw(results, options.plot):
        say(f"wrote {options.plot}")
    return status


@dataclass(frozen=True)
class Run:
    """Measures one mesh after the other."""

    options: argparse.Namespace
    contestants: list[Contestant]
    results: Results

    def measure(self, each: Chosen) -> None:
        asked = each.asked
        say(f"{each.shape.name}: {len(each.shape)} triangles")
        cold = {**_COLD, "rays": partial(batches.measure, most=each.most_rays)}
        present = self._taking_part(asked & {*cold, *_WARM})
        for contestant in present:
            contestant.prepare(each.shape)
        self._run_steps(each, cold)
        if warm := asked & set(_WARM):
            measures.get_ready(self._bench(each, warm))
        self._run_steps(each, _WARM)
        for contestant in present:
            contestant.release()
        self._run_steps(each, _WITHOUT_TREES)

    def _run_steps(self, each: Chosen, steps: dict[str, Step]) -> None:
        for name, step in steps.items():
            if name in each.asked:
                self.results.attempt(name, partial(step, self._bench(each, {name})))

    def _bench(self, each: Chosen, names: set[str]) -> Bench:
        options, present = self.options, self._taking_part(names)
        return Bench(each.shape, present, self.results, options.rounds, options.seed)

    def _taking_part(self, names: Iterable[str]) -> list[Contestant]:
        """The contestants to measure: with `--meshes`, those with a goal for these measures."""
        if not self.options.meshes:
            return self.contestants if names else []
        goals = _of(GOALS, names)
        return [c for c in self.contestants if any(g.concerns(c.name, c.is_ours) for g in goals)]


def _of(goals: tuple[Target, ...], names: Iterable[str]) -> list[Target]:
    """The goals for what these measures record."""
    return [goal for goal in goals if goal.measure.startswith(tuple(names))]


if __name__ == "__main__":
    run_script(main)
