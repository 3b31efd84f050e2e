# SPDX-License-Identifier: MIT
"""Point-in-triangle test 2: on the same side of every edge as the corner opposite to it."""

from typing import Any

import numpy as np

from .. import arguments
from ..numerics.arrays import BoolArray, FloatArray, cross, dot, scaled_edges
from ..numerics.ray_triangle import Vector, cross3, dot3
from ..numerics.vectors import difference, scaled_ways


def contains_same_side(point: Any, a: Any, b: Any, c: Any) -> Any:
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
    """
    points = arguments.single_points(point, a, b, c)
    ways = None if points is None else scaled_ways(*points)
    if ways is not None:
        return _contains_one(*ways)
    p, pa, pb, pc = arguments.points_together(point=point, a=a, b=b, c=c)
    with np.errstate(all="ignore"):
        u, v, w = scaled_edges(pa, pb, pc, p)
        zero = np.zeros_like(u)
        inside = (
            _same_side(w, v, zero, u)
            & _same_side(w, zero, u, v)
            & _same_side(w, u, v, zero)
            & cross(u, v).any(axis=-1)
        )
    return bool(inside) if inside.ndim == 0 else inside


def _same_side(p: FloatArray, q: FloatArray, start: FloatArray, end: FloatArray) -> BoolArray:
    edge = end - start
    result: BoolArray = dot(cross(edge, p - start), cross(edge, q - start)) >= 0.0
    return result


def _contains_one(w: Vector[float], u: Vector[float], v: Vector[float]) -> bool:
    zero = (0.0, 0.0, 0.0)
    return (
        _is_same_side(w, v, zero, u)
        and _is_same_side(w, zero, u, v)
        and _is_same_side(w, u, v, zero)
        and cross3(u, v) != zero
    )


def _is_same_side(
    p: Vector[float], q: Vector[float], start: Vector[float], end: Vector[float]
) -> bool:
    edge = difference(end, start)
    way, other = difference(p, start), difference(q, start)
    return dot3(cross3(edge, way), cross3(edge, other)) >= 0.0
