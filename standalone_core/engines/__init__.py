# SPDX-License-Identifier: MIT
"""Ways to take rays through the same tree, all with the same answers to the last bit."""

from __future__ import annotations

from typing import Literal, Protocol

from ..arrays import IntArray
from ..bvh import Tree
from ..errors import EngineError
from ..geometry import Geometry
from ..hit import Hit, RayHits
from ..ray_batch import LoneRay, RayBatch
from . import numpy_engine

Engine = Literal["auto", "numpy", "numba"]


class Caster(Protocol):
    """What an engine can do; all in the space of the geometry."""

    def cast_one(self, geometry: Geometry, tree: Tree, ray: LoneRay) -> list[Hit]:
        """The hits of one ray, the nearest first."""

    def cast(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """The hits of many rays with the row of the ray of each, sorted by ray and distance."""

    def cast_nearest(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
        """The nearest hit of each ray, misses included."""


def check_engine(name: str) -> None:
    """Raise EngineError if there is no engine of that name, or it cannot be used here."""
    engine_named(name)


def engine_named(name: str) -> Caster:
    """The engine of the given name; ``"auto"`` takes the fastest that is there."""
    if name in ("auto", "numpy"):
        return numpy_engine
    if name == "numba":
        raise EngineError('engine "numba" is not part of this version: use "auto" or "numpy"')
    raise EngineError(f'engine must be "auto", "numpy" or "numba", not {name!r}')
