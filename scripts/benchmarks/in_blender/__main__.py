# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure in Blender's module, where ``scripts/benchmark.py`` has made a profile and a zip."""

import os
import sys
import time
from collections.abc import Callable
from functools import partial

import bpy

from checkout import say

from ..options import EXTENSION_VARIABLE, parse_arguments
from ..report import setting, write_json
from ..timing import OtherWork
from . import extension, many, picks, report
from .bench import Bench

_SMALL = 50
_MEASURES: dict[str, Callable[[Bench], None]] = {
    "open": many.opening,
    "first": picks.first,
    "later": picks.later,
    "edit": picks.edit,
    "instances": many.instances,
    "objects": many.objects,
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
        extension.compile()
    for name in options.only:
        say(name)
        start = time.monotonic()
        bench.results.attempt(name, partial(_MEASURES[name], bench))
        say(f"{name}: {time.monotonic() - start:.0f} s")
    engine = " with Numba" if options.compiled else " alone"
    described = {"blender": bpy.app.version_string, "engine": engine, **setting(options, others)}
    write_json(options.json, report.content(described, bench.results))
    print(f"\n{report.render(described, bench.results, options.markdown)}\n", flush=True)
    say(f"wrote {options.json}")
    return 1 if bench.results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
