# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark asks of every ray caster, Raypick included."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from .meshes import Shape

Rays = list[tuple]
"""The arguments of a pick, one tuple a ray, in the contestant's own types."""


class Contestant(ABC):
    """A ray caster with one mesh at a time.

    Its constructor imports what it needs and raises whatever that raises. Conversions of arrays
    to its own types are done where no time is taken: in `prepare`, `rays`, and before what
    `batch` and `batch_of_all` return is called.
    """

    name: str
    package: str
    is_ours = False
    finds_all = False

    @property
    def version(self) -> str:
        """The version of the package that does the work."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return "of this checkout"

    def prepare(self, shape: Shape) -> None:
        """Take a mesh, in the contestant's own types, and build nothing."""
        self.vertices: Any = shape.vertices
        self.triangles: Any = shape.triangles

    def release(self) -> None:
        """Let go of mesh and tree."""
        self.forget()
        self.vertices = self.triangles = None

    def forget(self) -> None:
        """Let go of the tree and of all else that a build would find ready."""
        self.tree: Any = None

    @abstractmethod
    def construct(self) -> None:
        """Do what must be done before a first ray."""

    def build(self) -> None:  # noqa: B027 - most have nothing left to do
        """Do what else a first ray would do, for good."""

    def construct_and_build(self) -> None:
        """Do the whole build."""
        self.construct()
        self.build()

    def tree_bytes(self) -> int | None:
        """Memory of the tree, if the contestant knows it itself."""
        return None

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rays:
        """Turn unit rays (R, 3) into arguments of what `picker` returns, here rows (1, 3)."""
        return [(origins[i : i + 1], directions[i : i + 1]) for i in range(len(origins))]

    def picker(self) -> Callable[..., Any]:
        """Return the function that picks with the present tree, one ray a call."""
        return self.tree.ray_cast

    def distance(self, picked: Any) -> float | None:
        """Read the distance out of what a pick returned, (triangle, distance); None for a miss."""
        return picked[1] if picked else None

    def batch(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        """Return a function that casts the rays; this one, in a loop of Python."""
        rays, pick = self.rays(origins, directions), self.picker()

        def loop() -> None:
            for ray in rays:
                pick(*ray)

        return loop

    def batch_of_all(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        """Return a function that finds all hits of the rays, where `finds_all` is true."""
        raise NotImplementedError


def float32(array: np.ndarray) -> np.ndarray:
    """Convert to C-contiguous float32."""
    return np.ascontiguousarray(array, dtype=np.float32)
