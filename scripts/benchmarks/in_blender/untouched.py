# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks at one large object that nobody has picked at before, and those that follow."""

import time
from functools import partial

import numpy as np

from ..timing import latencies
from . import extension, scenes
from .bench import PICKS, Bench, Case
from .contestants import OURS, raypick

_FACES = 2_000_000
_PAUSE = 1 / 60  # between two picks of somebody who moves the mouse
_PATIENCE = 60.0


def first(bench: Bench) -> None:
    """Time the first pick at a bare mesh, and at one with attributes."""
    for has_attributes in (False, True):
        case, (ray,) = _case(bench, has_attributes), bench.centered(1)
        case.first_picks("first", partial(scenes.make_cold, case.target.data), ray)


def later(bench: Bench) -> None:
    """Time picks while the index is built, how long that takes, and picks afterwards."""
    for has_attributes in (False, True):
        case = _case(bench, has_attributes)
        extension.forget()
        scenes.make_cold(case.target.data)
        _while_indexed(case)
        case.later_picks("later", bench.centered(PICKS))
        extension.forget()


def _case(bench: Bench, has_attributes: bool) -> Case:
    scenes.empty()
    mesh = scenes.torus("Torus", _FACES // bench.small)
    if has_attributes:
        scenes.add_attributes(mesh)
    name = f"{len(mesh.polygons):,} quads" + (", UV and colour" if has_attributes else "")
    return Case(bench, name, scenes.show("Torus", mesh))


def _while_indexed(case: Case) -> None:
    """Pick at the pace of a hand until two picks in a row find nothing being built."""
    bench, scene, pick = case.bench, case.scene, raypick(case.target)
    indexing = extension.part("bridge.scene.snapshot").indexing
    shots = scenes.cycle(bench.centered(PICKS))
    pick(*next(shots))
    taken, idle, begin = [], 0, time.perf_counter()
    while idle < 2 and time.perf_counter() - begin < _PATIENCE:
        taken += latencies(pick, [next(shots)], _PAUSE)
        idle = idle + 1 if indexing() is None else 0
    bench.add("building", scene, OURS, float(np.median(taken)))
    bench.add("building_most", scene, OURS, max(taken))
    bench.add("index", scene, OURS, time.perf_counter() - begin)
