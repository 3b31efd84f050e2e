# SPDX-License-Identifier: MIT
"""Barycentric weights of a point in a triangle, and quantities mixed by them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from typing import Any

import numpy as np

from .. import arguments
from ..errors import ArgumentError, ShapeError
from ..numerics.arrays import BoolArray, FloatArray, area_normal, scaled_edges
from ..numerics.ray_triangle import Vector, cross3, dot3
from ..numerics.reading import described_shape
from ..numerics.vectors import is_area_normal, scaled_ways
from ..types import Reals

_NOTHING = nullcontext()

# By how much the sum of weights may differ from 1, relative to their sizes: they may be of float32,
# or written with six decimals.
_SLACK = 2e-6

_LISTS = frozenset({list, tuple})


def barycentric(point: Reals, a: Reals, b: Reals, c: Reals) -> FloatArray:
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
    weights = weights_of(point, a, b, c)
    return np.array(weights) if type(weights[0]) is float else np.stack(weights, axis=-1)


def weights_of(point: Reals, a: Reals, b: Reals, c: Reals) -> Vector[Any]:
    """The weights of a single point as floats, or of many as arrays (...): the same to the bit."""
    w, u, v = scaled_ways_of(point, a, b, c)
    with quiet(w):
        n = cross3(u, v)
        nn: Any = dot3(n, n)
        if type(nn) is not float:
            sound = area_normal(*(np.moveaxis(way, 0, -1) for way in (u, v)))[1]
            nn = np.where(sound, nn, np.nan)
        elif not nn or not is_area_normal(n, u, v):
            return np.nan, np.nan, np.nan
        weight_b, weight_c = dot3(n, cross3(w, v)) / nn, dot3(n, cross3(u, w)) / nn
        return 1.0 - weight_b - weight_c, weight_b, weight_c


def scaled_ways_of(point: Reals, a: Reals, b: Reals, c: Reals) -> tuple[Any, Any, Any]:
    """The vectors from a to the point, to b and to c, divided by the triangle's size.

    Their components are floats for single points, or arrays (...).
    """
    points = arguments.single_points(point, a, b, c)
    ways = None if points is None else scaled_ways(*points)
    if ways is not None:
        return ways
    p, pa, pb, pc = arguments.points_together(point=point, a=a, b=b, c=c)
    u, v, w = (np.moveaxis(way, -1, 0) for way in scaled_edges(pa, pb, pc, p))
    return w, u, v


def quiet(way: Vector[Any]) -> AbstractContextManager[Any]:
    """Silence NumPy for a vector of arrays; floats give no warnings, and waste no time here."""
    return _NOTHING if type(way[0]) is float else np.errstate(all="ignore")


def interpolate(values: Reals, weights: Reals) -> FloatArray:
    """Mix the values of three vertices: V1 + U (V2 - V1) + W (V3 - V1), for any quantity V.

    Parameters
    ----------
    values : array_like (..., 3, C) or (3,)
        The quantity at each of the three vertices, of C components: a texture coordinate, a
        color, a normal (the caller normalizes the result); or three plain numbers.
        One number at each vertex of N triangles has the shape (N, 3, 1): add the last axis with
        ``values[..., None]``.
    weights : array_like (..., 3)
        Barycentric weights of those vertices, in the same order; their sum is 1. Those of a miss
        are NaN.

    Returns
    -------
    ndarray (..., C), or () for three plain numbers
        Where all three values are equal it is exactly that value, and NaN where a weight is NaN.
        A vertex of weight 0 takes no part, even if its value is infinite.

    Raises
    ------
    ShapeError, DtypeError
        If the input is not of this form.
    ArgumentError
        If weights do not add up to 1, within a rounding to float32 or to six decimals.

    Examples
    --------
    >>> interpolate([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.5, 0.25, 0.25]).tolist()
    [0.25, 0.25]

    One number a vertex, at the hits on two triangles:

    >>> heights = [[0.0, 1.0, 2.0], [4.0, 4.0, 8.0]]
    >>> weights = [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]
    >>> interpolate(np.expand_dims(heights, -1), weights)[..., 0].tolist()
    [0.75, 8.0]
    """
    quick = _mixed_quickly(values, weights)
    if quick is not None:
        return np.array(quick)
    w = arguments.points(weights, "weights")
    v = arguments.floats(values, "values")
    if v.shape == (3,):
        result: FloatArray = interpolate(v[:, None], w)[..., 0]
        return result
    if v.ndim < 2 or v.shape[-2] != 3:
        given = described_shape(v.shape)
        is_flat = v.shape[-1:] == (3,)
        advice = ": single numbers need a last axis, values[..., None]" if is_flat else ""
        raise ShapeError(f"values must have shape (..., 3, C) or (3,), not {given}{advice}")
    arguments.broadcast(values=v[..., 0], weights=w)
    refuse_other_sums(w)
    return mixed(v[..., 0, :], v[..., 1, :], v[..., 2, :], w)


def _mixed_quickly(values: Any, weights: Any) -> float | list[float] | None:
    """:func:`interpolate` at one place in plain floats, ten times as fast; None if in doubt."""
    shares, numbers = arguments.plain_floats(weights), arguments.plain_floats(values)
    if shares is None or not abs(sum(shares) - 1.0) <= _SLACK / 2:
        return None
    if numbers is None and (type(values) not in _LISTS or len(values) != 3):
        return None
    a, b, c = values if numbers is None else ((number,) for number in numbers)
    if not {type(a), type(b), type(c)} <= _LISTS or not len(a) == len(b) == len(c):
        return None
    if {*map(type, (*a, *b, *c))} != {float}:
        return None
    _, second, third = shares
    mixed = [x + second * (y - x) + third * (z - x) for x, y, z in zip(a, b, c, strict=True)]
    if not all(map(isfinite, mixed)):
        return None
    return mixed if numbers is None else mixed[0]


def refuse_other_sums(weights: FloatArray) -> None:
    """ArgumentError for the first weights (..., 3) whose sum is a number other than 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(weights.sum(axis=-1) - 1.0)
        good = (off <= _SLACK * np.abs(weights).sum(axis=-1)) & np.isfinite(off)
        bad: BoolArray = np.asarray(~good & ~np.isnan(weights).any(axis=-1))
    if bad.any():
        raise ArgumentError(f"weights must add up to 1, unlike {weights[bad][0].tolist()}")


def mixed(a: FloatArray, b: FloatArray, c: FloatArray, weights: FloatArray) -> FloatArray:
    """Values a, b, c (..., C) of three vertices, mixed as :func:`interpolate` does: (..., C)."""
    with np.errstate(over="ignore", invalid="ignore"):
        result = a + weights[..., 1, None] * (b - a) + weights[..., 2, None] * (c - a)
        rough = ~np.isfinite(result) | ~np.isfinite(weights).all(axis=-1, keepdims=True)
        return np.where(rough, _sum((a, b, c), weights), result) if rough.any() else result


def _sum(values: tuple[FloatArray, FloatArray, FloatArray], weights: FloatArray) -> FloatArray:
    """:func:`mixed` without differences of values, which may be infinite."""
    first, second, third = (
        np.where(share == 0.0, 0.0, share * value)
        for value, share in zip(values, np.moveaxis(weights[..., None], -2, 0), strict=True)
    )
    a, b, c = values
    equal: BoolArray = (a == b) & (a == c) & ~np.isnan(weights).any(axis=-1, keepdims=True)
    return np.where(equal, a, first + second + third)
