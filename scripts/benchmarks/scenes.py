# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of scenes of many instances, for Raypick alone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

import standalone_core as sc

from . import meshes
from .batches import add_ratios, seconds_each
from .contestant import Raypick, settle
from .measures import Bench
from .options import INSTANCES
from .timing import Task, latencies_in_turns, round_robin

_PICKS, _MOVES, _SETTLING = 200, 5, 200
_BATCH = (200, 20_000)
_SPACING = 4.0


@dataclass
class Placed:
    """A mesh placed by matrices (N, 4, 4), in a scene for each engine."""

    bench: Bench
    matrices: np.ndarray
    scenes: dict[str, sc.Scene] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.matrices)

    @property
    def corners(self) -> np.ndarray:
        """Lower and upper corner (2, 3) of a box around all instances, as if none were rotated."""
        reach = float(np.abs(self.bench.corners).max())
        places = self.matrices[:, :3, 3]
        return np.array([places.min(axis=0) - reach, places.max(axis=0) + reach])

    def fill(self, ours: Raypick) -> sc.Scene:
        mesh = ours.mesh(self.bench.shape.vertices, self.bench.shape.triangles)
        self.scenes[ours.name] = scene = sc.Scene()
        scene.add_many(mesh, self.matrices)
        return scene

    def rays(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        return meshes.incoherent_rays(self.corners, count, self.bench.random)


def measure(bench: Bench) -> None:
    for count in INSTANCES:
        placed = Placed(bench, _matrices(count, bench.random))
        if count == INSTANCES[-1]:
            _first_pick(placed)
        for ours in bench.ours:
            scene, (origins, directions) = placed.fill(ours), placed.rays(_SETTLING)
            settle(partial(scene.cast_rays, origins, directions), at_least=0.5)
        _batches(placed)
        if count == INSTANCES[-1]:
            _warm_picks(placed)
            _moves(placed)


def _first_pick(placed: Placed) -> None:
    """Time adding the instances and the first pick, together."""
    ray = [column[0] for column in placed.rays(1)]

    def run(ours: Raypick) -> None:
        placed.fill(ours).ray_cast(*ray)

    bench = placed.bench
    tasks = {ours.name: Task(partial(run, ours), placed.scenes.clear) for ours in bench.ours}
    bench.add_seconds("scene_build", round_robin(tasks, bench.rounds, once_above=5.0))


def _batches(placed: Placed) -> None:
    bench, casts = placed.bench, {}
    for name, scene in placed.scenes.items():
        casts[name] = lambda *columns, s=scene: partial(s.cast_rays, *columns)
        casts[f"{name}/loop"] = lambda *columns, s=scene: partial(_cast_each, s, *columns)
    all_rays = placed.rays(_BATCH[1])

    def take(count: int) -> tuple[np.ndarray, ...]:
        return tuple(column[:count] for column in all_rays)

    seconds = seconds_each(bench, f"scene_batch_{len(placed)}", casts, take, _BATCH)
    add_ratios(bench, f"scene_loop_{len(placed)}", seconds, "loop")


def _cast_each(scene: sc.Scene, origins: np.ndarray, directions: np.ndarray) -> None:
    for origin, direction in zip(origins, directions, strict=True):
        scene.ray_cast(origin, direction)


def _warm_picks(placed: Placed) -> None:
    bench, calls = placed.bench, {}
    count = _PICKS * bench.rounds
    for ours in bench.ours:
        name, at_mesh = ours.name, meshes.incoherent_rays(bench.corners, count, bench.random)
        calls[name] = (placed.scenes[name].ray_cast, ours.rays(*placed.rays(count)))
        calls[f"{name}/mesh"] = (ours.picker(), ours.rays(*at_mesh))
    seconds = latencies_in_turns(calls, bench.rounds)
    for ours in bench.ours:
        name = ours.name
        scene, of_mesh = (float(np.median(seconds[key])) for key in (name, f"{name}/mesh"))
        bench.add("scene_pick", name, scene, "s", bench.rounds)
        bench.add("scene_cost", name, scene / of_mesh, "x", bench.rounds)


def _moves(placed: Placed) -> None:
    """Time moving one instance and the pick that follows, together."""
    bench = placed.bench
    count = _MOVES * bench.rounds
    moved = bench.random.permutation(len(placed))[: 2 * count]
    origins, directions = placed.rays(count)
    matrices = placed.matrices[moved[count:]]
    rows = list(zip(moved[:count].tolist(), matrices, origins, directions, strict=True))

    def move(scene: sc.Scene) -> Callable[..., sc.Hit | None]:
        def run(instance: int, matrix: np.ndarray, *ray: np.ndarray) -> sc.Hit | None:
            scene.set_matrix(instance, matrix)
            return scene.ray_cast(*ray)

        return run

    calls = {name: (move(scene), rows) for name, scene in placed.scenes.items()}
    for name, taken in latencies_in_turns(calls, bench.rounds).items():
        bench.add("scene_move", name, float(np.median(taken)), "s", bench.rounds)


def _matrices(count: int, rng: np.random.Generator) -> np.ndarray:
    """Matrices (count, 4, 4) that rotate instances, scale them unevenly and spread them."""
    placed = np.zeros((count, 4, 4))
    turned, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    placed[:, :3, :3] = turned * rng.uniform(0.5, 1.0, size=(count, 1, 3))
    side = _SPACING * count ** (1 / 3)
    placed[:, :3, 3] = rng.uniform(-side / 2, side / 2, size=(count, 3))
    placed[:, 3, 3] = 1
    return placed
