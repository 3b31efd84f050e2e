# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run, and Raypick's targets, mostly ratios to the peers in the same run."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from checkout import say

from .options import INSTANCES, PIXELS, RAY_COUNTS, SMALL

_OF_SMALL = f"{SMALL[0]} to {SMALL[-1]} triangles"

TITLES = {
    "first": "first hit",
    "build": "build",
    "pick": "one warm pick",
    "pick_p99": "one warm pick, p99",
    "pick_tail": "p99 / median",
    "small": f"one warm pick, {_OF_SMALL}",
    "small_p99": f"one warm pick, {_OF_SMALL}, p99",
    "small_tail": f"p99 / median, {_OF_SMALL}",
    "incoherent": "random rays, nearest hit",
    "coherent": "a camera's rays",
    "columns": "random rays, all columns read",
    "columns_camera": "a camera's rays, all columns read",
    "any": "any hit",
    "count": "counts of hits",
    "all": "all hits",
    "all_cost": "all hits / nearest",
    "closest": "closest points",
    "closest_near": "closest points, near the surface",
    **{
        f"surface_{name}_{query}{kind}": f"{title}, {of}{beside}"
        for name, title in (("out", "from the surface outward"), ("sight", "vertex to vertex"))
        for query, of in (("any", "any hit"), ("nearest", "nearest hit"))
        for kind, beside in (("", ""), ("_cost", " / lifted"), ("_inner", " / its inner part"))
    },
    "nearest": "one closest point",
    **{f"rays_{count}": f"{count:,} ray{'s' * (count > 1)} from arrays" for count in RAY_COUNTS},
    "answer": "memory of one of ten million answers",
    "fresh_closest": "100,000 closest points in a fresh process",
    "fresh_nearest": "100,000 nearest hits in a fresh process",
    "obj": "a million triangles from OBJ to the first answer, whole process",
    "refit": "refit",
    "refit_share": "refit / build",
    "load": "load with the tree",
    "load_share": "load with the tree / build",
    "memory": "tree, a triangle",
    "peak": "peak of the process",
    "scene_build": f"{INSTANCES[-1]:,} instances, first pick",
    "scene_pick": f"{INSTANCES[-1]:,} instances, warm pick",
    "scene_cost": f"{INSTANCES[-1]:,} instances, warm pick / mesh's",
    **{f"scene_batch_{count}": f"{count:,} instances, a ray of a batch" for count in INSTANCES},
    **{f"scene_loop_{count}": f"{count:,} instances, batch / loop" for count in INSTANCES},
    "scene_move": f"move one of {INSTANCES[-1]:,} instances and pick",
    "alone": "random rays, nearest hit, at a million triangles",
    "camera": f"camera.rays of {PIXELS[0] * PIXELS[1]:,} pixels",
    "import": "import standalone_core after NumPy",
    "import_modules": "import standalone_core after NumPy, modules",
}

_FEW, _MANY = INSTANCES


@dataclass(frozen=True)
class Result:
    """One figure of one contestant."""

    measure: str  # a key of TITLES, or "agreement": share of picks that agree with the majority
    mesh: str
    triangles: int
    contestant: str
    value: float
    unit: str  # "s", "B", "x" or "" for a number
    rounds: int = 1  # the value is the median of these
    note: str = ""


class Results:
    """All figures of a run."""

    def __init__(self) -> None:
        self.items: list[Result] = []
        self.reference: list[str] = []  # meshes that targets of builds, picks and batches are about
        self.sizes: list[str] = []  # meshes that differ in size alone
        self.groups: dict[str, str] = {}  # by mesh: figures of a group are averaged
        self.cores: dict[str, dict[str, float]] = {}  # most kept busy, by contestant and measure
        self.notes: list[str] = []
        self.failed = False  # whether a measure broke off

    def attempt(self, name: str, measure: Callable[[], object]) -> None:
        """Take a measure; an error in it is noted, and the other measures go on."""
        start = time.monotonic()
        try:
            measure()
        except Exception as error:  # whatever a contestant may raise
            traceback.print_exc()
            self.notes.append(f"{name} broke off: {type(error).__name__}: {error}")
            self.failed = True
        say(f"  {name}: {time.monotonic() - start:.0f} s")

    def note_cores(self, contestant: str, work: str, cores: float) -> None:
        """Remember how many cores a contestant kept busy, if it is the most so far."""
        known = self.cores.setdefault(contestant, {})
        known[work] = max(known.get(work, 0.0), round(cores, 1))

    def of(self, measure: str) -> list[Result]:
        return [item for item in self.items if item.measure == measure]

    def baseline(self, against: str, result: Result) -> float | None:
        """What a figure is divided by, as :class:`Target` has it; None where it is absent."""
        if not against:
            return 1.0
        others = self.of(result.measure)
        if against == SMALLEST:  # for the largest mesh alone
            same = [
                other
                for other in others
                if other.contestant == result.contestant and other.mesh in self.sizes
            ]
            same.sort(key=lambda other: other.triangles)
            return same[0].value if len(same) > 1 and result is same[-1] else None
        here = [other for other in others if other.mesh == result.mesh]
        rivals = [other.value for other in here if _is_rival(against, other.contestant)]
        return min(rivals, default=None)


class Limit(NamedTuple):
    """A number that a ratio, or a figure in its unit, is not to exceed; NO_LIMIT for no goal."""

    number: float
    unit: str = "x"


NO_LIMIT = float("inf")
SMALLEST = "the smallest mesh"
_FASTEST, _BEST = "the fastest peer", "the best peer"  # two names of one thing


@dataclass(frozen=True)
class Target:
    """What a measure should reach."""

    measure: str
    against: str  # whose figure divides it: a contestant, or one of the above; "" for none
    limits: dict[str, Limit]  # by contestant
    everywhere: bool = False  # on all meshes, not only those in `Results.reference`

    def concerns(self, name: str, is_ours: bool) -> bool:
        """Whether a contestant must be measured for it."""
        return name in self.limits if is_ours else _is_rival(self.against, name)


def _is_rival(against: str, name: str) -> bool:
    """Whether a contestant is the one, or one of those, that others are compared against."""
    return not name.startswith("raypick") if against in (_FASTEST, _BEST) else name == against


@dataclass(frozen=True)
class Verdict:
    """A target held against what was measured; `value` is None where the baseline is absent."""

    title: str
    mesh: str
    contestant: str
    value: float | None
    limit: Limit
    parts: tuple[float, float, str] | None = None  # of a ratio: what is divided by what, their unit

    @property
    def word(self) -> str:
        """``met``, ``missed`` or ``not measured``; nothing if there is no goal."""
        if self.value is None:
            return "not measured"
        if self.limit.number == NO_LIMIT:
            return ""
        return "met" if self.value <= self.limit.number else "missed"


def _target(
    measure: str,
    against: str = "",
    *,
    numpy: float | None = None,
    numba: float | None = None,
    unit: str = "x",
    everywhere: bool = False,
) -> Target:
    """An aim of both engines, or of one."""
    limits = {"raypick numba": numba, "raypick numpy": numpy}
    of = {name: Limit(number, unit) for name, number in limits.items() if number is not None}
    return Target(measure, against, of, everywhere)


GOALS = (
    _target("incoherent", "Open3D", numba=1.0),
    _target("coherent", "Open3D", numba=1.0),
    _target("columns", "Open3D", numba=NO_LIMIT),
    _target("columns_camera", "Open3D", numba=NO_LIMIT),
    _target("any", "Open3D", numba=0.8),
    _target("count", "Open3D", numba=1.0),
    _target("all", "Open3D", numba=0.7),
    _target("closest", "Open3D", numba=1.0),
    _target("closest_near", "Open3D", numba=1.0),
    *(
        _target(f"surface_{name}_{query}{kind}", against, numba=limit)
        for name in ("out", "sight")
        for query in ("any", "nearest")
        for kind, against, limit in (
            ("_cost", "", 1.5),
            ("_inner", "", NO_LIMIT),
            ("", "Open3D", 2),
        )
    ),
    _target("nearest", "BVHTree", numba=3),
    _target("nearest", numpy=0.4e-3, unit="s"),
    _target("pick", "BVHTree", numba=1.2),
    _target("small", "BVHTree", numba=2, everywhere=True),
    *(_target(f"rays_{count}", _BEST, numba=1) for count in RAY_COUNTS),
    _target("answer", numba=40, unit="B"),
    _target("fresh_closest", "Open3D", numba=1, numpy=NO_LIMIT),
    _target("fresh_nearest", "Open3D", numba=1, numpy=NO_LIMIT),
    _target("obj", numba=2, unit="s", everywhere=True),
    _target("obj", _BEST, numba=NO_LIMIT, everywhere=True),
    _target("import", numba=0.08, unit="s", everywhere=True),
    _target("import_modules", numba=NO_LIMIT, unit="", everywhere=True),
    _target("camera", numba=0.03, unit="s", everywhere=True),
    _target("scene_build", numpy=2, numba=2, unit="s", everywhere=True),
    _target("scene_cost", numpy=10, numba=10, everywhere=True),
    _target(f"scene_batch_{_FEW}", numba=3e-6, unit="s", everywhere=True),
    _target(f"scene_batch_{_MANY}", numba=10e-6, unit="s", everywhere=True),
    _target(f"scene_loop_{_FEW}", numpy=1, everywhere=True),
    _target(f"scene_loop_{_MANY}", numpy=1, everywhere=True),
    _target("scene_move", numba=3e-3, unit="s", everywhere=True),
    _target("load_share", numba=0.2),
    _target("alone", numpy=5e-6, unit="s", everywhere=True),
)
"""The targets that are summed up over groups of meshes with `--meshes`."""

TARGETS = (
    _target("first", _FASTEST, numpy=0.1, numba=0.05, everywhere=True),
    _target("build", "Open3D", numpy=0.4, numba=0.25),
    _target("pick", "BVHTree", numpy=35),
    _target("pick_tail", numpy=3, numba=3),
    _target("pick", SMALLEST, numpy=4, numba=4, everywhere=True),
    _target("incoherent", "BVHTree", numpy=2),
    _target("coherent", "BVHTree", numpy=5),
    _target("all_cost", numpy=1.5, numba=3),
    _target("refit_share", numpy=0.3, numba=0.3),
    _target("memory", "Open3D", numpy=1, numba=1),
    _target("peak", numpy=4e9, numba=4e9, unit="B", everywhere=True),
)
"""The targets at each mesh in runs with spheres of several sizes."""


def verdicts(
    results: Results, targets: tuple[Target, ...], titles: dict[str, str] = TITLES
) -> list[Verdict]:
    """Hold the results against all targets of measures that were taken."""
    found = []
    for target in targets:
        title = titles[target.measure] + (f" / {target.against}" if target.against else "")
        for name, limit in target.limits.items():
            for result in results.of(target.measure):
                here = target.everywhere or result.mesh in results.reference
                if result.contestant != name or not here:
                    continue
                baseline = results.baseline(target.against, result)
                value = result.value / baseline if baseline else None
                if value is None and target.against == SMALLEST:
                    continue
                parts = (result.value, baseline, result.unit) if target.against and value else None
                found.append(Verdict(title, result.mesh, name, value, limit, parts))
    return found
