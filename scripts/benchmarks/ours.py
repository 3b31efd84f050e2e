# SPDX-License-Identifier: GPL-3.0-or-later
"""Raypick as a contestant, once with each engine."""

from collections.abc import Callable
from typing import Any

import numpy as np

import standalone_core as sc

from .contestant import Contestant, Rays


class Raypick(Contestant):
    """Raypick with one of its engines, "numpy" or "numba"."""

    is_ours = True
    finds_all = True
    package = "raypick-core"

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
