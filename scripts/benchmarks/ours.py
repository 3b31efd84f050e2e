# SPDX-License-Identifier: GPL-3.0-or-later
"""Raypick as a contestant, once with each engine."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import standalone_core as sc

from .contestant import Contestant, Rays
from .machine import cores

_SETTLED_AFTER = 8
"""Batches in a row of which none was the fastest so far."""

_AT_LEAST, _BUILDS, _AT_MOST = 0.5, 20, 20.0
"""Seconds of batches: the least, how many times that of the quick build more, and the most."""


class Raypick(Contestant):
    """Raypick with one of its engines, "numpy" or "numba"."""

    is_ours = True
    package = "raypick-core"
    threads = cores()

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.name = f"raypick {engine}"
        self.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])

    def mesh(self, vertices: Any, triangles: Any) -> sc.Mesh:
        """Make a mesh with this engine."""
        return sc.Mesh(vertices, triangles, engine=self.engine)

    def construct(self) -> None:
        self.tree = self.mesh(self.vertices, self.triangles)

    def build(self) -> None:
        self.tree.build()

    def settle(self, origins: np.ndarray, directions: np.ndarray) -> None:
        """Cast batches until a better tree, which may be made in a thread meanwhile, is there."""
        if self.engine == "numba":
            settle(
                self.batch(origins, directions), _AT_LEAST + _BUILDS * self.tree.stats.build_seconds
            )

    def load(self, path: Path) -> None:
        """Read a mesh with its tree."""
        self.tree = sc.Mesh.load(path, engine=self.engine)

    def tree_bytes(self) -> int:
        # What compiled code keeps beside the tree is made by the first cast.
        self.tree.ray_cast((0, 0, 0), (0, 0, 1))
        return self.tree.stats.nbytes

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rays:
        return list(zip(origins, directions, strict=True))

    def distance(self, picked: sc.Hit | None) -> float | None:
        return None if picked is None else picked.distance

    def batch(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.cast_rays(origins, directions)

    def batch_of_all(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.cast_rays_all(origins, directions)

    def batch_of_any(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.any_hit(origins, directions)

    def batch_of_counts(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.count_hits(origins, directions)

    def batch_of_closest(self, points: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.closest_point(points)

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
