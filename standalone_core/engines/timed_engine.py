# SPDX-License-Identifier: MIT
"""NumPy's engine while a better one may come: it counts its seconds, and cuts long batches."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..cast.hits import joined
from ..cast.rays import Geometry
from ..concurrency.threads import thread_count
from ..numerics.columns import concatenated

# Queries of batches, and the most threads that NumPy is sure to gain from.
_BATCHES = {"any_hit": 4, "cast_many": 4, "cast_nearest": 4, "closest": 1, "count_hits": 4}
_BATCHES |= {"winding": 4}

# The first queries of a batch, which also prepare the mesh, and those after them, which tell how
# long the others take: with fewer, the call costs the most.
_FIRST, _SAMPLE = 1 << 9, 1 << 11

# Seconds of a piece of a batch: after each piece, the better engine may take over.
_PIECE = 0.5

# Queries that a thread of NumPy's engine takes at a time.
_CHUNK = 1 << 13

# Seconds a triangle that NumPy takes for a tree, in two threads.
_BUILD = 2.5e-7


class TimedEngine:
    """An engine that counts its seconds, and leaves work to a better one.

    Before large work, and after each piece of it, ``better`` is called with the seconds spent so
    far, and those that the rest is expected to take. It returns a better engine, or None.
    """

    def __init__(self, engine: Any, better: Callable[..., Any]) -> None:
        self._engine, self._better = engine, better
        self._pace: dict[str, float] = {}  # Seconds of one thread for a query; 0: not yet known.
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        work = partial(self._timed, getattr(self._engine, name))
        return partial(self._in_pieces, name, work) if name in _BATCHES else work

    def build(self, geometry: Geometry, *given: Any) -> Any:
        """A tree, see :class:`.EngineModule`."""
        better = self._better(self.seconds, _BUILD * len(geometry.triangles))
        build = partial(self._timed, self._engine.build) if better is None else better.build
        return build(geometry, *given)

    def _timed(self, work: Callable[..., Any], *arguments: Any) -> Any:
        # Processor time: other processes slow down loading as well.
        start = time.thread_time()
        try:
            return work(*arguments)
        finally:
            self.seconds += time.thread_time() - start
            self._better(self.seconds)

    def _in_pieces(self, name: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """The answer to a batch; a large one is cut into pieces."""
        count = len(arguments[2])
        parts: list[tuple[int, Any]] = []
        start = 0
        while start < count or not parts:
            rest, pace = count - start, self._pace.get(name)
            threads = _threads(name, rest)
            better = self._better(self.seconds, (pace or 0.0) * rest / threads)
            if better is not None:
                answer = getattr(better, name)(*_part(arguments, start, count))
                return _joined([*parts, (start, answer)])
            longest = round(_PIECE * threads / (pace or np.inf))
            length = _FIRST if pace is None else max(_SAMPLE, longest)
            # A short rest joins the last piece.
            end = count if rest < 2 * length else start + length
            before = self.seconds
            parts.append((start, work(*_part(arguments, start, end))))
            if end - start >= length:
                seconds = (self.seconds - before) * _threads(name, end - start)
                # The first call is not timed, as it also prepares what later ones use.
                self._pace[name] = 0.0 if pace is None else seconds / (end - start)
            start = end
        return _joined(parts)


def _threads(name: str, count: int) -> int:
    """How many threads share so many queries."""
    return 1 if count <= _CHUNK else min(_BATCHES[name], -(-count // _CHUNK), thread_count())


def _part(arguments: tuple[Any, ...], start: int, end: int) -> tuple[Any, ...]:
    """The arguments for a slice of a batch of rays, or of points with their limits."""
    geometry, tree, asked, *given = arguments
    if (start, end) == (0, len(asked)):
        return arguments
    rows = slice(start, end)
    if not given:
        return geometry, tree, asked.take(rows)
    limits, excluded = given
    return geometry, tree, asked[rows], limits[rows], excluded


def _joined(parts: list[tuple[int, Any]]) -> Any:
    """The answers of all parts as one; each part is given with its first row."""
    answers = [answer for _, answer in parts]
    if len(parts) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return joined([(rows + start, hits) for start, (rows, hits) in parts])
    return np.concatenate(answers) if isinstance(answers[0], np.ndarray) else concatenated(answers)
