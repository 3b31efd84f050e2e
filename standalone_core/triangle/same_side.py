# SPDX-License-Identifier: MIT
"""Point-in-triangle test 2: on the same side of every edge as the corner opposite to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..numerics.arrays import scaled_edges
from ..numerics.ray_triangle import Vector, cross3, dot3
from ..numerics.vectors import difference, scaled_ways


def contains_same_side(point: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Any:
    """Whether P is on the same side of AB as C, of BC as A, and of CA as B.

    Two points are on the same side of a line where the cross products of the line's direction
    with the ways to them point the same way: their dot product is not negative.

    Parameters
    ----------
    point, a, b, c : array_like (..., 3)
        Points that broadcast against each other, all in one space. A point off the plane is
        judged by its perpendicular projection onto it.

    Returns
    -------
    bool, or ndarray (...) of bool
        Borders count as inside; a triangle without area, or with corners that are not finite,
        contains nothing.

    Examples
    --------
    >>> contains_same_side((1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    True
    """
    points = arguments.single_points(point, a, b, c)
    ways = None if points is None else scaled_ways(*points)
    if ways is not None:
        return all(_conditions(*ways))
    p, pa, pb, pc = arguments.points_together(point=point, a=a, b=b, c=c)
    with np.errstate(all="ignore"):
        u, v, w = (np.moveaxis(way, -1, 0) for way in scaled_edges(pa, pb, pc, p))
        inside = np.logical_and.reduce([*_conditions(w, u, v)])
    return bool(inside) if inside.ndim == 0 else inside


def _conditions(w: Any, u: Any, v: Any) -> Iterator[Any]:
    """Whether w is in the triangle (0, u, v), step by step; components are floats or arrays."""
    zero = (0.0, 0.0, 0.0)
    yield _same_side(u, w, v)
    yield _same_side(difference(v, u), difference(w, u), difference(zero, u))
    yield _same_side(difference(zero, v), difference(w, v), difference(u, v))
    x, y, z = cross3(u, v)
    yield (x != 0.0) | (y != 0.0) | (z != 0.0)


def _same_side(edge: Vector[Any], p: Vector[Any], q: Vector[Any]) -> Any:
    """Whether p and q, from the start of an edge, are on the same side of it."""
    return dot3(cross3(edge, p), cross3(edge, q)) >= 0.0
