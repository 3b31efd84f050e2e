# SPDX-License-Identifier: MIT
"""Barycentric weights of a point in a triangle."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..numerics.arrays import FloatArray, area_normal, cross, dot, scaled_edges
from ..numerics.ray_triangle import Vector, cross3, dot3
from ..numerics.vectors import is_area_normal, scaled_ways


def barycentric(point: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Weights of a, b and c, in this order, with P = wa A + wb B + wc C.

    With u = B - A, v = C - A, w = P - A and n = u x v: wb = n.(w x v) / n.n and
    wc = n.(u x w) / n.n (the areas of the parts, each over the whole), and wa = 1 - wb - wc, so
    that the sum is 1.

    Parameters
    ----------
    point, a, b, c : array_like (..., 3)
        Points that broadcast against each other, all in one space. A point off the triangle's
        plane gets the weights of its perpendicular projection onto it.

    Returns
    -------
    ndarray (..., 3)
        Outside of the triangle some weight is negative. NaN for a triangle whose corners lie on
        one line, and for corners that are not finite.

    Examples
    --------
    >>> barycentric((1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 4, 0)).tolist()
    [0.5, 0.25, 0.25]
    """
    weights = weights_of_one(point, a, b, c)
    if weights is not None:
        return np.array(weights)
    p, pa, pb, pc = arguments.points_together(point=point, a=a, b=b, c=c)
    with np.errstate(all="ignore"):
        u, v, w = scaled_edges(pa, pb, pc, p)
        n, sound = area_normal(u, v)
        nn = np.where(sound, dot(n, n), np.nan)
        weight_b, weight_c = dot(n, cross(w, v)) / nn, dot(n, cross(u, w)) / nn
        return np.stack([1.0 - weight_b - weight_c, weight_b, weight_c], axis=-1)


def weights_of_one(
    point: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike
) -> Vector[float] | None:
    """The weights of a single point, to the same bits; None if only arrays can answer."""
    points = arguments.single_points(point, a, b, c)
    ways = None if points is None else scaled_ways(*points)
    if ways is None:
        return None
    w, u, v = ways
    n = cross3(u, v)
    nn = dot3(n, n)
    if not nn or not is_area_normal(n, u, v):
        return None
    weight_b, weight_c = dot3(n, cross3(w, v)) / nn, dot3(n, cross3(u, w)) / nn
    return 1.0 - weight_b - weight_c, weight_b, weight_c
