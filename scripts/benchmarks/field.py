# SPDX-License-Identifier: GPL-3.0-or-later
"""Who takes part on this machine."""

from collections.abc import Callable

import numpy as np

import standalone_core as sc
from checkout import say

from . import rays
from .contestant import Contestant
from .meshes import noisy_icosphere
from .ours import Raypick
from .peers import BlenderTree, Embree, Open3D, StaticLocator, Trimesh

MAKERS: dict[str, Callable[[], Contestant]] = {
    "raypick numpy": lambda: Raypick("numpy"),
    "raypick numba": lambda: Raypick("numba"),
    "BVHTree": BlenderTree,
    "Open3D": Open3D,
    "embreex": Embree,
    "trimesh": Trimesh,
    "VTK": StaticLocator,
}


def gather() -> tuple[list[Contestant], list[str]]:
    """Import and warm up all contestants; return them, and why each other one is absent."""
    present, absent = [], []
    for name, make in MAKERS.items():
        try:
            contestant = make()
            warm_up(contestant)
        except Exception as error:  # a peer may fail in any way it likes
            if name.startswith("raypick") and not isinstance(error, sc.errors.EngineError):
                raise
            absent.append(f"without {name}: {error or type(error).__name__}")
            say(absent[-1])
        else:
            present.append(contestant)
    return present, absent


def warm_up(contestant: Contestant) -> None:
    """Do all that will be measured once: load libraries, compile, start threads; keep nothing."""
    shape = noisy_icosphere("warm-up", 8, seed=0)
    contestant.prepare(shape)
    contestant.forget()
    origins, directions = rays.incoherent(shape.corners, 5000, np.random.default_rng(0))
    few = contestant.rays(origins[:8], directions[:8])
    casts: list[Callable[[], object]] = [
        lambda: [contestant.picker()(*ray) for ray in few],
        lambda: contestant.batch(origins, directions)(),
    ]
    for method in ("batch_of_all", "batch_of_any", "batch_of_counts"):
        if contestant.offers(method):
            casts.append(getattr(contestant, method)(origins, directions))
    if contestant.offers("batch_of_closest"):
        casts.append(contestant.batch_of_closest(origins))
    if isinstance(contestant, Raypick):
        casts.append(lambda: contestant.tree.refit(shape.vertices))
    for cast in casts:
        contestant.construct()
        cast()
        contestant.build()
        cast()
    contestant.release()
