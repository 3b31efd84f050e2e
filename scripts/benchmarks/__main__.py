# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure, in the environment that ``scripts/benchmark.py`` has made."""

import argparse
import platform
import sys
from collections.abc import Callable, Iterator
from functools import partial

from checkout import say

from . import field, measures, memory, meshes, plot, report, scenes
from .contestant import Contestant
from .machine import OtherWork
from .meshes import Shape
from .options import MEASURES, PLOTTED, parse_arguments
from .results import Results

_OF_ALL = set(PLOTTED)
_OF_REFERENCE = set(MEASURES) - {"scene"}
_NEED_TREE = {"build", "pick", "incoherent", "coherent", "all"}
_SCENE_SIZE, _PEAK_SIZE = "10k", "10M"


def main() -> int:
    """Measure what is asked for; return 1 if a measurement broke off, 0 however it came out."""
    options = parse_arguments()
    contestants, notes = field.gather()
    others = OtherWork()
    results = Results()
    results.notes += notes
    Run(options, contestants, results).all_meshes()
    described = {
        **report.setting(options, others),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {contestant.name: contestant.version for contestant in contestants},
    }
    report.write_json(options.json, report.content(described, results))
    print(f"\n{report.render(described, results, options.markdown)}\n", flush=True)
    say(f"wrote {options.json}")
    if plot.draw(results, options.plot):
        say(f"wrote {options.plot}")
    return 1 if results.failed else 0


class Run:
    """The measurements of all meshes, one mesh in memory at a time."""

    def __init__(
        self, options: argparse.Namespace, contestants: list[Contestant], results: Results
    ) -> None:
        self.options, self.contestants, self.results = options, contestants, results
        self.sizes = results.sizes = list(options.sizes)

    def all_meshes(self) -> None:
        """Measure each mesh, then the scene."""
        for shape, asked, is_reference in self._shapes():
            if is_reference:
                self.results.reference.append(shape.name)
            say(f"{shape.name}: {len(shape)} triangles")
            self._one_mesh(self._bench(shape), asked)
        if "scene" in self.options.only:
            say(f"scene of {scenes.INSTANCES} instances")
            shape = self._icosphere(_SCENE_SIZE)
            self._try("scene", scenes.measure, self._bench(shape))

    def _shapes(self) -> Iterator[tuple[Shape, set[str], bool]]:
        """Yield the meshes that something is asked of, what, and whether they are of reference."""
        options = self.options
        at = "1M" if "1M" in self.sizes else self.sizes[-1]
        for size in self.sizes:
            asked = set(options.only) & (_OF_REFERENCE if size == at else _OF_ALL)
            if size == _PEAK_SIZE and "memory" in options.only:
                asked.add("peak")
            if asked:
                yield self._icosphere(size), asked, size == at
            if asked and size == at:
                yield self._scan(at), asked - {"peak"}, True

    def _icosphere(self, size: str) -> Shape:
        return meshes.noisy_icosphere(size, meshes.FREQUENCIES[size], self.options.seed)

    def _scan(self, size: str) -> Shape:
        if self.options.mesh:
            return meshes.loaded(self.options.mesh, self.options.seed)
        return meshes.scan_like(f"scan {size}", meshes.FREQUENCIES[size], self.options.seed)

    def _bench(self, shape: Shape) -> measures.Bench:
        options = self.options
        return measures.Bench(shape, self.contestants, self.results, options.rounds, options.seed)

    def _one_mesh(self, bench: measures.Bench, asked: set[str]) -> None:
        in_this_process = {
            "first": measures.first_hit,
            "build": partial(measures.build, counted="build" in asked),
            "pick": measures.pick,
            "incoherent": measures.incoherent,
            "coherent": measures.coherent,
            "all": measures.all_hits,
            "refit": measures.refit,
        }
        if asked & set(in_this_process):
            for contestant in self.contestants:
                contestant.prepare(bench.shape)
            for name, step in in_this_process.items():
                if name in asked or (name == "build" and asked & _NEED_TREE):
                    self._try(name, step, bench)
            for contestant in self.contestants:
                contestant.release()
        for name, step in (("memory", memory.tree), ("peak", memory.peak)):
            if name in asked:
                self._try(name, step, bench)

    def _try(
        self, name: str, step: Callable[[measures.Bench], None], bench: measures.Bench
    ) -> None:
        say(f"  {name}")
        self.results.attempt(name, partial(step, bench))


if __name__ == "__main__":
    sys.exit(main())
