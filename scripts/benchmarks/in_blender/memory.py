# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of what was picked at, held against the limit of the preferences."""

import numpy as np

from . import extension, scenes
from .bench import Bench
from .contestants import OURS, raypick

_OBJECTS, _FACES = 24, 250_000
_PICKS = 3  # at each object: the second begins an index
_UNBOUNDED, _LIMIT = 1024, 64  # MiB


def memory(bench: Bench) -> None:
    """Pick at many meshes, with room for all of them and without."""
    scenes.empty()
    places = scenes.lattice(_OBJECTS, 4.0)
    scenes.show_tori(places, _FACES // bench.small)
    limit = max(_LIMIT // bench.small, 1)
    try:
        for scene, mebibytes in (("default", _UNBOUNDED), ("small", limit)):
            extension.forget()
            extension.limit_memory(mebibytes)
            most, after = _held(bench, places)
            scene = f"{_OBJECTS} meshes, {scene} limit of {mebibytes} MiB"
            bench.add("held", scene, OURS, most, "B")
            bench.add("held_after", scene, OURS, after, "B")
            bench.add("held_share", scene, OURS, max(most, after) / (mebibytes << 20), "x")
    finally:
        extension.limit_memory(_UNBOUNDED)
        extension.forget()


def _held(bench: Bench, places: np.ndarray) -> tuple[int, int]:
    """The most bytes held after any pick, and those held once all threads have ended."""
    pick = raypick(None)
    most, random = 0, bench.random()
    for place in places:
        for ray in scenes.rays(np.repeat(place[None], _PICKS, axis=0), random):
            pick(*ray)
            most = max(most, extension.held_bytes())
    extension.wait_for_index()
    return most, extension.held_bytes()
