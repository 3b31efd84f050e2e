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
from ..cast.hits import joined
from ..cast.rays import Geometry, RayBatch
from ..closest.places import ClosestPoints
from ..hit import RayHits
from ..numerics.arrays import BoolArray, FloatArray, IntArray
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

    def closest(
        self,
        geometry: Geometry,
        tree: Tree,
        points: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
    ) -> ClosestPoints:
        """As that of the engine."""

        def find(closest: Callable[..., ClosestPoints], rows: slice) -> ClosestPoints:
            return closest(geometry, tree, points[rows], limits[rows], excluded)

        parts: list[ClosestPoints] = [
            found for _, found in self._pieces("closest", find, len(points))
        ]
        return concatenated(parts)

    def cast_many(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """As that of the engine."""
        pieces = self._rays_in_pieces("cast_many", geometry, tree, rays)
        return joined([(rows + start, hits) for start, (rows, hits) in pieces])

    def cast_nearest(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
        """As that of the engine."""
        parts: list[RayHits] = [
            hits for _, hits in self._rays_in_pieces("cast_nearest", geometry, tree, rays)
        ]
        return concatenated(parts)

    def any_hit(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> BoolArray:
        """As that of the engine."""
        return np.concatenate(
            [hit for _, hit in self._rays_in_pieces("any_hit", geometry, tree, rays)]
        )

    def count_hits(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> IntArray:
        """As that of the engine."""
        return np.concatenate(
            [n for _, n in self._rays_in_pieces("count_hits", geometry, tree, rays)]
        )

    def _rays_in_pieces(
        self, name: str, geometry: Geometry, tree: Tree, rays: RayBatch
    ) -> Iterator[tuple[int, Any]]:
        """The answers to a batch, cut where it is large, with the first ray of each."""

        def cast(work: Callable[..., Any], rows: slice) -> Any:
            whole = rows == slice(0, len(rays))
            return work(geometry, tree, rays if whole else rays.take(rows))

        return self._pieces(name, cast, len(rays))

    def _pieces(
        self, name: str, ask: Callable[[Callable[..., Any], slice], Any], count: int
    ) -> Iterator[tuple[int, Any]]:
        """What engines answer to parts of so many queries, with the first query of each part."""
        start = 0
        while start < count or not start:
            better = self._better() if start else None
            if better is not None:
                yield start, ask(getattr(better, name), slice(start, count))
                return
            pace = self._pace.get(name, _SECONDS)
            self._worked(self.seconds + pace * (count - start))
            length = max(_LEAST, round(_PIECE / pace))
            # What is left must be worth a piece.
            end = count if count - start < 2 * length else start + length
            before = self.seconds
            yield start, ask(self.__getattr__(name), slice(start, end))
            if end - start >= _MEASURED:
                self._pace[name] = (self.seconds - before) / (end - start)
            start = max(end, 1)
