# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurement of a scene of many instances, for Raypick alone."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

import standalone_core as sc

from . import rays
from .measures import Bench
from .ours import Raypick
from .timing import Task, latencies_in_turns, round_robin

INSTANCES = 100_000
_PICKS = 200
_SPACING = 4.0


def measure(bench: Bench, instances: int = INSTANCES) -> None:
    """Time adding instances with the first pick, and warm picks beside those of the mesh."""
    placed = matrices(instances, bench.random)
    reach, offsets = float(np.abs(bench.corners).max()), placed[:, :3, 3]
    corners = np.array([offsets.min(axis=0) - reach, offsets.max(axis=0) + reach])
    through_scene = rays.incoherent(corners, _PICKS * bench.rounds, bench.random)
    through_mesh = rays.incoherent(bench.corners, _PICKS * bench.rounds, bench.random)
    ours = [contestant for contestant in bench.contestants if isinstance(contestant, Raypick)]
    scenes: dict[str, sc.Scene] = {}

    def fill(contestant: Raypick) -> None:
        mesh = contestant.mesh(bench.shape.vertices, bench.shape.triangles)
        scenes[contestant.name] = scene = sc.Scene()
        scene.add_many(mesh, placed)
        scene.ray_cast(through_scene[0][0], through_scene[1][0])

    tasks = {each.name: Task(partial(fill, each), scenes.clear) for each in ours}
    samples = round_robin(tasks, bench.rounds, once_above=5.0)
    note = f"{instances} instances"
    for name, measured in samples.items():
        bench.add("scene_build", name, measured.median, "s", len(measured.seconds), note)
    calls = {}
    for contestant in ours:
        fill(contestant)
        contestant.prepare(bench.shape)
        contestant.construct_and_build()
        name = contestant.name
        calls[name] = (scenes[name].ray_cast, contestant.rays(*through_scene))
        calls[f"{name}/mesh"] = (contestant.picker(), contestant.rays(*through_mesh))
        _settle(*calls[name])
    seconds = latencies_in_turns(calls, bench.rounds)
    for contestant in ours:
        name = contestant.name
        scene, of_mesh = (float(np.median(seconds[key])) for key in (name, f"{name}/mesh"))
        bench.add("scene_pick", name, scene, "s", bench.rounds, note)
        bench.add("scene_cost", name, scene / of_mesh, "x", bench.rounds, note)
        contestant.release()


def matrices(count: int, rng: np.random.Generator) -> np.ndarray:
    """Turned, unevenly scaled and spread over a cube, with room between (count, 4, 4)."""
    placed = np.zeros((count, 4, 4))
    turned, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    placed[:, :3, :3] = turned * rng.uniform(0.5, 1.0, size=(count, 1, 3))
    side = _SPACING * count ** (1 / 3)
    placed[:, :3, 3] = rng.uniform(-side / 2, side / 2, size=(count, 3))
    placed[:, 3, 3] = 1
    return placed


def _settle(function: Callable, arguments: list[tuple], seconds: float = 0.5) -> None:
    """Cast until what is built on the way is there."""
    end = time.perf_counter() + seconds
    for row in arguments:
        function(*row)
        if time.perf_counter() > end:
            break
