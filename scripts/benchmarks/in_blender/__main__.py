# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure in Blender's module, with the profile and zip that ``scripts/benchmark.py`` made."""

import os
import sys
from collections.abc import Callable
from functools import partial

import bpy

from checkout import say

from ..options import EXTENSION_VARIABLE, parse_arguments
from ..report import assembled, cells, figures, publish, rounds, setting
from ..results import verdicts
from ..timing import OtherWork
from . import extension, many, picks
from .bench import Bench
from .targets import TARGETS, TITLES

_SMALL = 50
_MEASURES: dict[str, Callable[[Bench], None]] = {
    "open": many.opening,
    "first": picks.first,
    "later": picks.later,
    "edit": picks.edit,
    "instances": many.instances,
    "objects": many.objects,
    "moving": many.scenes_that_move,
    "points": picks.points,
    "deform": picks.deform,
    "memory": many.memory,
    "survey": many.survey,
}


def main() -> int:
    options = parse_arguments()
    bench = Bench(options.rounds, options.seed, _SMALL if options.quick else 1)
    others = OtherWork()
    extension.install(os.environ[EXTENSION_VARIABLE])
    extension.enable()
    if options.compiled:
        extension.part("standalone_core").compile()
    for name in options.only:
        say(name)
        bench.results.attempt(name, partial(_MEASURES[name], bench))
    engine = " with Numba" if options.compiled else " alone"
    described = {"blender": bpy.app.version_string, "engine": engine, **setting(options, others)}
    heading = (
        f"Blender {bpy.app.version_string}, NumPy {described['numpy']}{engine}, "
        f"{described['cores']} cores, {rounds(described)}"
    )
    results, found = bench.results, verdicts(bench.results, TARGETS, TITLES)
    rows = [["target", "scene", "ratio or value", "wanted", "verdict"], *map(cells, found)]
    tables = [figures(results, TITLES, "scene")]
    text = assembled(heading, tables, rows, results.notes, options.markdown)
    return publish(options, described, results, found, text)


if __name__ == "__main__":
    sys.exit(main())
