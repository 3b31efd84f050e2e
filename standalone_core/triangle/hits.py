# SPDX-License-Identifier: MIT
"""What a ray-triangle test answers."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from ..arrays import BoolArray, FloatArray


class _Place(NamedTuple):
    t: float
    u: float
    v: float


class TriangleHit(_Place):
    """A hit; it unpacks as ``t, u, v``.

    Attributes
    ----------
    t : float
        Where on what was tested: a length along a ray or line from its origin, a fraction from 0
        to 1 of a segment.
    u, v : float
        Weights of b and c: P = A + u (B - A) + v (C - A).
    point : ndarray (3,)
        P, in the space of the triangle.
    front : bool
        Whether it comes from the side that the normal (b - a) x (c - a) points to. There the
        corners run counter-clockwise in a right-handed world, clockwise in a left-handed one.
    """

    point: FloatArray
    front: bool

    def __new__(cls, t: float, u: float, v: float, point: FloatArray, front: bool) -> Self:
        """A hit of these fields."""
        self = tuple.__new__(cls, (t, u, v))
        self.point = point
        self.front = front
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.point, self.front)

    def __repr__(self) -> str:
        t, u, v = self
        return f"TriangleHit({t=}, {u=}, {v=}, point={self.point.tolist()}, front={self.front})"


class _Places(NamedTuple):
    t: FloatArray
    u: FloatArray
    v: FloatArray


class TriangleHits(_Places):
    """Hits of many tests as columns; it unpacks as ``t, u, v``.

    Attributes
    ----------
    t, u, v : ndarray (...)
        As of a :class:`TriangleHit`. Where there is no hit, t is inf and u, v are NaN.
    hit : ndarray (...) of bool
        Where there is one.
    point : ndarray (..., 3)
        NaN where there is none.
    front : ndarray (...) of bool
        False where there is none.
    """

    point: FloatArray
    front: BoolArray
    hit: BoolArray

    def __new__(
        cls, t: FloatArray, u: FloatArray, v: FloatArray, point: FloatArray, front: BoolArray
    ) -> Self:
        """Hits of these columns."""
        self = tuple.__new__(cls, (t, u, v))
        self.point = point
        self.front = front
        self.hit = u == u
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.point, self.front)
