# SPDX-License-Identifier: MIT
"""The answers of the ray-triangle tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray
from ..numerics.columns import have_same_fields, plain, rounded, truth_of
from ..numerics.values import record


@record
@dataclass(frozen=True, slots=True, eq=False)
class TriangleHit:
    """A hit; it unpacks as ``t, u, v``. Hits are equal if all their fields are.

    Attributes
    ----------
    t : float
        Where the hit is: the distance along a ray or line from its origin, or the fraction of a
        segment, from 0 to 1.
    u, v : float
        Weights of b and c: P = A + u (B - A) + v (C - A).
    point : ndarray (3,)
        P, in the space of the triangle.
    front : bool
        Whether the ray comes from the side that the normal (b - a) x (c - a) points to. Seen from
        that side, the corners run counter-clockwise in a right-handed world, clockwise in a
        left-handed one.

    Examples
    --------
    >>> from standalone_core import Ray, triangle
    >>> ray = Ray((0.25, 0.5, 2), (0, 0, -1))
    >>> hit = triangle.watertight(ray, (0, 0, 0), (1, 0, 0), (0, 1, 0))
    >>> hit.t, hit.point.tolist(), hit.front
    (2.0, [0.25, 0.5, 0.0], True)
    >>> t, u, v = hit
    """

    t: float
    u: float
    v: float
    point: FloatArray
    front: bool

    def __iter__(self) -> Iterator[float]:
        return iter((self.t, self.u, self.v))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TriangleHit):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, as numbers and lists of Python, which ``json.dumps`` takes.

        Examples
        --------
        >>> import standalone_core as sc
        >>> ray, corners = sc.Ray((1, 1, 5), (0, 0, -1)), [(0, 0, 0), (4, 0, 0), (0, 4, 0)]
        >>> sc.triangle.watertight(ray, *corners).as_dict()
        {'t': 5.0, 'u': 0.25, 'v': 0.25, 'point': [1.0, 1.0, 0.0], 'front': True}
        """
        return plain(self)

    def _key(self) -> tuple[float, ...]:
        return self.t, self.u, self.v, self.front, *self.point.tolist()

    def __repr__(self) -> str:
        return rounded(self)


@record
@dataclass(frozen=True, slots=True, eq=False)
class TriangleHits:
    """Hits of many tests as columns; it unpacks as ``t, u, v``.

    They are equal if all columns are; NaN equals NaN. The columns are read-only. A single test is
    true if it has a hit; for many use ``hits.hit.any()`` or ``hits.hit.all()``.

    Attributes
    ----------
    t, u, v : ndarray (...)
        As in a :class:`TriangleHit`. Where there is no hit, t is inf and u, v are NaN.
    point : ndarray (..., 3)
        NaN where there is no hit.
    front : ndarray (...) of bool
        False where there is no hit.

    Examples
    --------
    >>> from standalone_core import triangle
    >>> origins = [(0.25, 0.5, 2), (2, 2, 2)]
    >>> hits = triangle.watertight_many(origins, (0, 0, -1), (0, 0, 0), (1, 0, 0), (0, 1, 0))
    >>> hits.hit.tolist(), hits.t.tolist()
    ([True, False], [2.0, inf])
    """

    t: FloatArray
    u: FloatArray
    v: FloatArray
    point: FloatArray
    front: BoolArray

    def __iter__(self) -> Iterator[FloatArray]:
        return iter((self.t, self.u, self.v))

    def __bool__(self) -> bool:
        return truth_of(self.hit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TriangleHits):
            return NotImplemented
        return have_same_fields(self, other)

    @property
    def hit(self) -> BoolArray:
        """Where there is a hit, (...) of bool."""
        return ~np.isnan(self.u)
