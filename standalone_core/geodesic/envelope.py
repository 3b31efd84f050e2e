# SPDX-License-Identifier: MIT
"""Of lines across an edge at which many triangles meet, those that are the shortest somewhere.

They go on into each of the others. Where two sheets share their edges, as the two sides of quads
that are split along different diagonals, there would be twice as many at every edge. But at each
point only the shortest are of use, whichever triangles they come through (Mitchell, Mount and
Papadimitriou, *The discrete geodesic problem*, 1987).
"""

from __future__ import annotations

from itertools import pairwise
from math import hypot, sqrt
from typing import NamedTuple

_TIE = 1e-12
"""Lengths, and places on an edge, that differ by less than this share count as equal."""


class Reach(NamedTuple):
    """Lines from the point (x, y), so far from the start, to an edge on the x axis."""

    low: float
    high: float
    x: float
    y: float
    far: float


def shortest_parts(new: Reach, known: list[Reach]) -> list[Reach]:
    """The parts of new lines that are shorter than all known ones, which lose these parts."""
    parts = [new]
    for old in known:
        if new.low < old.high and old.low < new.high:
            parts = [shorter for part in parts for shorter in _shorter(part, old)]
    for part in parts:
        known[:] = [rest for old in known for rest in _outside(old, part)]
    known += parts
    return parts


def _outside(old: Reach, part: Reach) -> list[Reach]:
    if old.high <= part.low or part.high <= old.low:
        return [old]
    rests = old._replace(high=part.low), old._replace(low=part.high)
    return [rest for rest in rests if rest.low < rest.high]


def _shorter(new: Reach, old: Reach) -> list[Reach]:
    if old.high <= new.low or new.high <= old.low:
        return [new]
    least = _TIE * max(new.high, old.high)
    cuts = old.low, old.high, *_crossings(new, old)
    inner = sorted(cut for cut in cuts if new.low + least < cut < new.high - least)
    found = list[Reach]()
    for low, high in pairwise([new.low, *inner, new.high]):
        at = (low + high) / 2
        if old.low < at < old.high and not _length(new, at) < _length(old, at) * (1.0 - _TIE):
            continue
        if found and found[-1].high == low:
            low = found.pop().low
        found.append(new._replace(low=low, high=high))
    return found


def _length(reach: Reach, at: float) -> float:
    return reach.far + hypot(at - reach.x, reach.y)


def _crossings(one: Reach, other: Reach) -> tuple[float, ...]:
    """Where lines of both are equally long, and perhaps where that holds for other signs.

    Squared twice, it is a quadratic equation.
    """
    c = other.far - one.far
    a = 2.0 * (other.x - one.x)
    b = one.x**2 + one.y**2 - other.x**2 - other.y**2 - c * c
    square, half = a * a - 4.0 * c * c, a * b + 4.0 * c * c * other.x
    rest = b * b - 4.0 * c * c * (other.x**2 + other.y**2)
    inside = half * half - square * rest
    if inside < 0.0:
        return ()
    root = -half - sqrt(inside) if half > 0.0 else -half + sqrt(inside)
    return tuple(up / down for up, down in ((root, square), (rest, root)) if down)
