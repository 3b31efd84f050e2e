# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark asks of every ray caster, and Raypick's answers with each engine."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import standalone_core as sc

from .meshes import Shape
from .timing import cores

Rows = list[tuple]
"""Arguments of calls, a tuple for each ray or point, in the contestant's own types."""

_SETTLED_AFTER = 8
"""A tree is settled after so many batches in a row without a new fastest one."""

_AT_LEAST, _BUILDS, _AT_MOST = 0.5, 20, 20.0
"""Batches are cast for at least 0.5 s plus 20 times the time of `build`, and at most 20 s."""


class Contestant(ABC):
    """A ray caster with one mesh at a time.

    Its constructor imports what it needs and may raise anything. Arrays are converted to its types
    in methods that are not timed: `prepare`, `rays`, `points` and `batch`. The function that
    `batch` returns casts with the tree that is there when it is called.
    """

    name: str
    package: str
    is_ours = False
    threads = 1  # how many a batch runs in
    real: type = np.float64
    whole: type = np.int32
    tree: Any = None

    # As `batch`, which casts for the nearest hits and gets their distances and triangles:
    batch_of_columns: Any = None  # also their barycentric weights and normals
    batch_between: Any = None  # nearest hits of segments, from starts to ends without the ends
    batch_of_any_between: Any = None  # which segments hit anything
    batch_of_all: Any = None  # all hits of the rays
    batch_of_any: Any = None  # which rays hit anything
    batch_of_counts: Any = None  # how often the rays hit
    batch_of_closest: Any = None  # the closest places of the mesh for points (N, 3)
    closest_finder: Any = None  # as `picker`: the closest place, for one point a call

    @property
    def version(self) -> str:
        try:
            return version(self.package)
        except PackageNotFoundError:
            return "of this checkout"

    def prepare(self, shape: Shape) -> None:
        """Take a mesh, in the contestant's own types, and build nothing."""
        self.vertices: Any = np.ascontiguousarray(shape.vertices, dtype=self.real)
        self.triangles: Any = np.ascontiguousarray(shape.triangles, dtype=self.whole)

    def release(self) -> None:
        self.forget()
        self.vertices = self.triangles = None

    def forget(self) -> None:
        """Release the tree and all else that the next build could reuse."""
        self.tree = None

    @abstractmethod
    def construct(self) -> None:
        """Make the tree, as far as the library requires it before a first ray."""

    def build(self) -> None:  # noqa: B027 - most have nothing left to do
        """Complete the tree: do now what a first ray would do once."""

    def construct_and_build(self) -> None:
        self.construct()
        self.build()

    def offers(self, method: str) -> bool:
        """Whether the contestant has a method that is None in this class."""
        return getattr(self, method) is not None

    def tree_bytes(self) -> int | None:
        """Memory of the tree, if the contestant knows it itself."""
        return None

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rows:
        """Turn unit rays (R, 3) into arguments of what `picker` returns, here rows (1, 3)."""
        return [(origins[i : i + 1], directions[i : i + 1]) for i in range(len(origins))]

    def picker(self) -> Callable[..., Any]:
        """Return the function that picks with the present tree, one ray a call."""
        return self.tree.ray_cast

    def distance(self, picked: Any) -> float | None:
        """Read the distance out of what a pick returned, (triangle, distance); None for a miss."""
        return picked[1] if picked else None

    def batch(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        """Return a function that casts the rays; by default, in a Python loop."""
        rays = self.rays(origins, directions)

        def loop() -> None:
            pick = self.picker()
            for ray in rays:
                pick(*ray)

        return loop

    def points(self, points: np.ndarray) -> Rows:
        """Turn points (N, 3) into arguments of what `closest_finder` returns."""
        return [(point,) for point in points]


def float32(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.float32)


ENDS = 1e-9
"""The share of a segment that is left out at each end, so that it does not hit what it ends on."""

_NEAREST = ("distance", "triangle")


def batch_by(method: str, *columns: str) -> Callable[..., Callable[[], Any]]:
    """Return a `batch`: it calls this method of the current tree, and reads columns of the answer.

    An answer computes some of its columns only when they are read.
    """

    def batch(self: "Raypick", *arrays: np.ndarray, **limits: np.ndarray) -> Callable[[], Any]:
        def cast() -> Any:
            found = getattr(self.tree, method)(*arrays, **limits)
            return [getattr(found, column) for column in columns]

        return cast

    return batch


def _between(batch: Callable[..., Callable[[], Any]]) -> Callable[..., Callable[[], Any]]:
    """Return a `batch` of segments, for which `batch` takes limits."""

    def batch_between(self: "Raypick", starts: np.ndarray, ends: np.ndarray) -> Callable[[], Any]:
        ways = ends - starts
        lengths = np.linalg.norm(ways, axis=1)
        least, most = ENDS * lengths, (1 - ENDS) * lengths
        return batch(self, starts, ways, min_distance=least, max_distance=most)

    return batch_between


class Raypick(Contestant):
    """Raypick with one of its engines, "numpy" or "numba"."""

    is_ours = True
    package = "raypick-core"
    threads = cores()
    batch, batch_of_all = batch_by("cast_rays", *_NEAREST), batch_by("cast_rays_all")
    batch_of_columns = batch_by("cast_rays", *_NEAREST, "barycentric", "normal")
    batch_of_any, batch_of_counts = batch_by("any_hit"), batch_by("count_hits")
    batch_between, batch_of_any_between = _between(batch), _between(batch_of_any)
    batch_of_closest = batch_by("closest_point")

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.name = f"raypick {engine}"
        self.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])

    def mesh(self, vertices: Any, triangles: Any) -> sc.Mesh:
        return sc.Mesh(vertices, triangles, engine=self.engine)

    def construct(self) -> None:
        self.tree = self.mesh(self.vertices, self.triangles)

    def build(self) -> None:
        self.tree.build()

    def settle(self, origins: np.ndarray, directions: np.ndarray) -> None:
        """Cast batches until they get no faster: a thread may still be building a better tree."""
        if self.engine == "numba":
            seconds = _AT_LEAST + _BUILDS * self.tree.stats.build_seconds
            settle(self.batch(origins, directions), seconds)

    def load(self, path: Path) -> None:
        self.tree = sc.Mesh.load(path, engine=self.engine)

    def tree_bytes(self) -> int:
        # The first cast makes what compiled code keeps beside the tree.
        self.tree.ray_cast((0, 0, 0), (0, 0, 1))
        return self.tree.stats.nbytes

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rows:
        return list(zip(origins, directions, strict=True))

    def distance(self, picked: sc.Hit | None) -> float | None:
        return None if picked is None else picked.distance

    def closest_finder(self) -> Callable[..., Any]:
        return self.tree.closest_point


def settle(cast: Callable[[], object], at_least: float) -> None:
    """Cast for so many seconds at least, and until it gets no faster."""
    begin = time.perf_counter()
    fastest, slower = float("inf"), 0
    while (passed := time.perf_counter() - begin) < _AT_MOST:
        if passed > at_least and slower >= _SETTLED_AFTER:
            break
        start = time.perf_counter()
        cast()
        seconds = time.perf_counter() - start
        slower = 0 if seconds < fastest else slower + 1
        fastest = min(fastest, seconds)
