# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure, in the environment that ``scripts/benchmark.py`` has made."""

import argparse
import gc
import platform
import time
from collections.abc import Callable, Iterable
from functools import partial

from checkout import run_script, say

from . import batches, field, from_arrays, measures, memory, plot, report, scenes
from .bench import Bench
from .contestant import Contestant
from .machine import OtherWork
from .options import parse_arguments
from .results import Results
from .selection import Chosen, chosen
from .targets import GOALS

Step = Callable[[Bench], None]

_COLD: dict[str, Step] = {"first": measures.first_hit, "build": measures.build}
_WARM: dict[str, Step] = {
    "pick": measures.pick,
    "small": partial(measures.pick, measure="small"),
    "nearest": measures.nearest,
    "incoherent": batches.incoherent,
    "coherent": batches.coherent,
    "any": batches.any_hit,
    "count": batches.counts,
    "all": batches.all_hits,
    "closest": batches.closest,
    "alone": batches.numpy_alone,
    "refit": measures.refit,
    "load": measures.load,
    "scene": scenes.measure,
}
_IN_OTHER_PROCESSES: dict[str, Step] = {"memory": memory.tree, "peak": memory.peak}


def main() -> int:
    """Measure what is asked for; return 1 if a measurement broke off, 0 however it came out."""
    options = parse_arguments()
    contestants, notes = field.gather()
    gc.freeze()  # What was imported need not be gone through before every measurement.
    others = OtherWork()
    results = Results()
    results.notes += notes
    run = Run(options, contestants, results)
    for each in chosen(options, results):
        run.measure(each)
    described = {
        **report.setting(options, others),
        "meshes": bool(options.meshes),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {contestant.name: contestant.version for contestant in contestants},
        "threads": {contestant.name: contestant.threads for contestant in contestants},
    }
    report.write_json(options.json, report.content(described, results))
    print(f"\n{report.render(described, results, options.markdown)}\n", flush=True)
    say(f"wrote {options.json}")
    if plot.draw(results, options.plot):
        say(f"wrote {options.plot}")
    return 1 if results.failed else 0


class Run:
    """The measurements of one mesh after the other."""

    def __init__(
        self, options: argparse.Namespace, contestants: list[Contestant], results: Results
    ) -> None:
        self.options, self.contestants, self.results = options, contestants, results

    def measure(self, each: Chosen) -> None:
        """Take all measures of a mesh."""
        asked = each.asked
        say(f"{each.shape.name}: {len(each.shape)} triangles")
        cold = {**_COLD, "rays": partial(from_arrays.measure, most=each.most_rays)}
        present = self._taking_part(asked & {*cold, *_WARM})
        for contestant in present:
            contestant.prepare(each.shape)
        self._take(each, cold)
        if warm := asked & set(_WARM):
            measures.get_ready(self._bench(each, warm))
        self._take(each, _WARM)
        for contestant in present:
            contestant.release()
        self._take(each, _IN_OTHER_PROCESSES)

    def _take(self, each: Chosen, steps: dict[str, Step]) -> None:
        for name, step in steps.items():
            if name in each.asked:
                start = time.monotonic()
                self.results.attempt(name, partial(step, self._bench(each, {name})))
                say(f"  {name}: {time.monotonic() - start:.0f} s")

    def _bench(self, each: Chosen, names: set[str]) -> Bench:
        options, present = self.options, self._taking_part(names)
        return Bench(each.shape, present, self.results, options.rounds, options.seed)

    def _taking_part(self, names: Iterable[str]) -> list[Contestant]:
        """Who is measured: with `--meshes`, those whom the goals of these measures are about."""
        if not self.options.meshes:
            return self.contestants if names else []
        goals = [goal for goal in GOALS if goal.measure.startswith(tuple(names))]
        return [
            contestant
            for contestant in self.contestants
            if any(goal.concerns(contestant.name, contestant.is_ours) for goal in goals)
        ]


if __name__ == "__main__":
    run_script(main)
