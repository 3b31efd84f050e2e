# SPDX-License-Identifier: MIT
"""NumPy's engine while there is no compiled one: its time is counted, and large batches are cut.

What it costs decides when compiled code is worth its price (:mod:`.compile_price`). Of a large
batch it is known before; and if the compiled engine comes meanwhile, it takes the rest.
"""

import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from ..bvh import Tree
from ..cast.geometry import Geometry
from ..cast.hits import joined
from ..cast.rays import RayBatch
from ..hit import RayHits
from ..numerics.arrays import BoolArray, IntArray
from ..numerics.columns import concatenated

# Seconds a ray, until they are measured.
_SECONDS = 1e-5

# Seconds of work after which another engine is asked for, and the fewest rays that are worth it.
_PIECE = 1.0
_LEAST = 1 << 14

# Batches of fewer rays are no measure: most of their time goes into the call.
_MEASURED = 1 << 10


class TimedEngine:
    """An engine that counts the seconds spent in it, and leaves work to a better one.

    Parameters
    ----------
    engine : module
    worked : callable
        Told before and after each piece of work how many seconds were spent in all, with those
        that the work in hand is expected to take.
    better : callable
        Returns a better engine, or None as long as there is none.
    """

    def __init__(
        self, engine: ModuleType, worked: Callable[[float], None], better: Callable[[], Any]
    ) -> None:
        self._engine = engine
        self._worked = worked
        self._better = better
        self._pace: dict[str, float] = {}
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        work = getattr(self._engine, name)

        def timed(*arguments: Any) -> Any:
            start = time.perf_counter()
            try:
                return work(*arguments)
            finally:
                self.seconds += time.perf_counter() - start
                self._worked(self.seconds)

        return timed

    def cast_many(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """As that of the engine."""
        pieces = self._pieces("cast_many", geometry, tree, rays)
        return joined([(rows + start, hits) for start, (rows, hits) in pieces])

    def cast_nearest(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
        """As that of the engine."""
        parts: list[RayHits] = [
            hits for _, hits in self._pieces("cast_nearest", geometry, tree, rays)
        ]
        return concatenated(parts)

    def any_hit(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> BoolArray:
        """As that of the engine."""
        return np.concatenate([hit for _, hit in self._pieces("any_hit", geometry, tree, rays)])

    def count_hits(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> IntArray:
        """As that of the engine."""
        return np.concatenate([n for _, n in self._pieces("count_hits", geometry, tree, rays)])

    def _pieces(
        self, name: str, geometry: Geometry, tree: Tree, rays: RayBatch
    ) -> Iterator[tuple[int, Any]]:
        """The answers to a batch, cut where it is large, with the first ray of each."""
        start = 0
        while start < len(rays) or not start:
            rest = rays.take(slice(start, None)) if start else rays
            better = self._better() if start else None
            if better is not None:
                yield start, getattr(better, name)(geometry, tree, rest)
                return
            pace = self._pace.get(name, _SECONDS)
            self._worked(self.seconds + pace * len(rest))
            count = max(_LEAST, round(_PIECE / pace))
            # What is left must be worth a piece.
            piece = rest if len(rest) < 2 * count else rest.take(slice(0, count))
            before = self.seconds
            yield start, self.__getattr__(name)(geometry, tree, piece)
            if len(piece) >= _MEASURED:
                self._pace[name] = (self.seconds - before) / len(piece)
            start += max(len(piece), 1)
