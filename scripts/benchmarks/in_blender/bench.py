# SPDX-License-Identifier: GPL-3.0-or-later
"""The contestants that pick in Blender, the timing of their picks, and the results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ..results import Result, Results
from ..timing import Task, latencies, latencies_in_turns, round_robin
from . import extension, scenes
from .scenes import Place, Ray

Point = Sequence[float] | None

OURS = "raypick"
FROZEN = "raypick, frozen"
LOOP = "a loop of scene.ray_cast"
NEAREST = "BVHTree.find_nearest"

PICKS = 200
"""How many picks are timed in one block."""


def raypick(_target: bpy.types.Object | None = None) -> Callable[..., Point]:
    """The public `ray_cast`, which reports all values of a hit."""
    api = extension.part("api")

    def pick(*ray: Place) -> Point:
        hits = api.ray_cast(bpy.context, *ray)
        return hits[0].point if hits else None

    return pick


def _frozen(_target: bpy.types.Object) -> Callable[..., Point]:
    scene = extension.part("api").frozen(bpy.context)

    def pick(*ray: Place) -> Point:
        hits = scene.ray_cast(*ray)
        return hits[0].point if hits else None

    return pick


def _scene_ray_cast(_target: bpy.types.Object) -> Callable[..., Point]:
    def pick(*ray: Place) -> Point:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        hit, point, *_ = bpy.context.scene.ray_cast(depsgraph, *ray)
        return point if hit else None

    return pick


def _object_ray_cast(target: bpy.types.Object) -> Callable[..., Point]:
    def pick(*ray: Place) -> Point:
        evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
        hit, point, *_ = evaluated.ray_cast(*ray)
        return point if hit else None

    return pick


def _tree(target: bpy.types.Object) -> Callable[..., Point]:
    """`BVHTree.FromObject` of an object that stands at the origin, and `BVHTree.ray_cast`."""
    tree = BVHTree.FromObject(target, bpy.context.evaluated_depsgraph_get())
    return lambda *ray: tree.ray_cast(*ray)[0]


PICKERS: dict[str, Callable[[bpy.types.Object], Callable[..., Point]]] = {
    OURS: raypick,
    FROZEN: _frozen,
    "scene.ray_cast": _scene_ray_cast,
    "Object.ray_cast": _object_ray_cast,
    "BVHTree": _tree,
}
"""Each contestant prepares an object, and returns a function that picks until the scene changes.

The caller evaluates the depsgraph.
"""

OF_SCENES = OURS, "scene.ray_cast"
"""The contestants that search a whole scene; the others are given the object."""


def _is_same(first: Point, second: Point, tolerance: float = 1e-3) -> bool:
    if first is None or second is None:
        return first is second
    return (Vector(first) - Vector(second)).length <= tolerance


@dataclass
class Bench:
    """The settings and the results of all measures."""

    rounds: int
    seed: int
    small: int = 1  # divides all sizes: more than 1 in a smoke run
    results: Results = field(default_factory=Results)

    def random(self) -> np.random.Generator:
        """A new generator with the same seed."""
        return np.random.default_rng(self.seed)

    def add(self, measure: str, scene: str, name: str, value: float, unit: str = "s") -> None:
        self.results.items.append(Result(measure, scene, 0, name, value, unit, self.rounds))

    def note_disagreement(self, what: str, points: dict[str, Point]) -> None:
        """Note the contestants that hit another point than Raypick."""
        others = [name for name, point in points.items() if not _is_same(point, points[OURS])]
        if others:
            self.results.notes.append(f"{what}: another place is hit by {', '.join(others)}")

    def centered(self, count: int) -> list[Ray]:
        """Rays at a torus at the origin."""
        return scenes.rays(np.zeros((count, 3)), self.random())


@dataclass
class Case:
    """A scene to pick in, the object that the rays hit, and the contestants."""

    bench: Bench
    scene: str
    target: bpy.types.Object
    contestants: tuple[str, ...] = tuple(name for name in PICKERS if name != FROZEN)

    def first_picks(self, measure: str, make_cold: Callable[[], object], ray: Ray) -> None:
        """Time the first pick of each contestant, with all caches empty."""
        points: dict[str, Point] = {}

        def before() -> None:
            extension.forget()
            make_cold()

        def pick(name: str) -> None:
            points[name] = PICKERS[name](self.target)(*ray)

        tasks = {name: Task(partial(pick, name), before) for name in self.contestants}
        for name, samples in round_robin(tasks, self.bench.rounds).items():
            self.bench.add(measure, self.scene, name, samples.median)
        self.bench.note_disagreement(self.scene, points)
        extension.forget()

    def later_picks(self, measure: str, rays: list[Ray]) -> None:
        """Time picks in an unchanged scene, with caches filled and trees built: median and p99."""
        pickers = {name: PICKERS[name](self.target) for name in self.contestants}
        for pick in pickers.values():
            latencies(pick, rays[:20])
        extension.wait_for_index()
        for pick in pickers.values():
            latencies(pick, rays[:20])
        calls = {name: (pick, rays * self.bench.rounds) for name, pick in pickers.items()}
        for name, taken in latencies_in_turns(calls, self.bench.rounds).items():
            self.bench.add(measure, self.scene, name, float(np.median(taken)))
            self.bench.add(f"{measure}_p99", self.scene, name, float(np.percentile(taken, 99)))
