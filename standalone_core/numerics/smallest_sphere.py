# SPDX-License-Identifier: MIT
"""The smallest sphere around points.

Two to four of the points lie on it and determine it. They are found by taking in the farthest
point again and again (Gärtner, "Fast and robust smallest enclosing balls", 1999), which looks at
all points some ten times.
"""

from itertools import chain, combinations

import numpy as np

from .arrays import EPS, FloatArray, length
from .linear import lstsq

_ROUNDS = 100

# A point counts as inside up to so much of the radius: rounding must not make it a new support.
_SLACK = 64 * EPS


def smallest_sphere(points: FloatArray) -> FloatArray:
    """The center (3,) of the smallest sphere around points (N, 3) of order 1, N > 0."""
    support = points[:1]
    center: FloatArray = points[0]
    radius = 0.0
    for _ in range(_ROUNDS):
        distances = length(points - center)
        farthest = int(distances.argmax())
        if distances[farthest] <= radius * (1.0 + _SLACK):
            break
        best = _smallest_with(points[farthest], support)
        if best is None or best[1] <= radius:
            break
        center, radius, support = best
    return center


def _smallest_with(
    point: FloatArray, others: FloatArray
) -> tuple[FloatArray, float, FloatArray] | None:
    """The smallest sphere around a few points that has one of them on it, and those on it."""
    every = np.vstack([point, others])
    best = None
    for chosen in chain.from_iterable(combinations(others, size) for size in (1, 2, 3)):
        support = np.vstack([point, *chosen])
        center = _circumcenter(support)
        radius = float(length(support - center).max())
        if (best is None or radius < best[1]) and (
            length(every - center) <= radius * (1.0 + _SLACK)
        ).all():
            best = center, radius, support
    return best


def _circumcenter(points: FloatArray) -> FloatArray:
    """The point nearest to two to four points that is equally far from all of them."""
    edges = points[1:] - points[0]
    middle, *_ = lstsq(edges, (edges * edges).sum(axis=1) / 2, rcond=None)
    center: FloatArray = points[0] + middle
    return center
