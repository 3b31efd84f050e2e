# SPDX-License-Identifier: MIT
"""The share of all directions from a point in which triangles are seen: of one, or of many afar.

A share is the solid angle over 4 pi: positive where the back is seen, as from inside of a mesh with
its fronts outside, negative where the front is. The shares of all triangles add up to the winding
number (Jacobson, Kavan, Sorkine-Hornung, "Robust inside-outside segmentation using generalized
winding numbers", 2013).

The formulas have no branches and round alike for arrays and for vectors of compiled code. Shares
are rounded to multiples of 2**-48, so that their sums are exact up to 32, in whatever order.
"""

from math import inf, pi
from typing import Any

import numpy as np

from ..numerics.double_double import Pair, two_product, two_sum
from ..numerics.point_triangle import (
    exact_difference,
    larger,
    largest,
    pair_cross,
    pair_dot,
    pair_length,
    power_of_two,
    shrunk,
)
from ..numerics.ray_triangle import Vector, cross3, dot3

FIELDS = 24
"""Numbers of a cluster of triangles, see :func:`share_from_afar`."""

NEAR = 2.0**-20
"""A triangle is left to :func:`careful_share` if neither the numerator of its :func:`tangent`, of
either sign, nor the denominator is larger than this times their size. Then the point is nearly on
the triangle or on one of its edges.

Any other share is off by less than 2**-30. As a vector, numerator and denominator have a length of
r times the size, with r > NEAR, and are off by less than 25 EPS times the size. So the share is off
by 25 EPS / (2 pi r), and by 2**-49 and less than 2 EPS for what follows. If the edges are seen
under angles A, B, C of at most 90 degrees, r is at least the root of 2, and the share is off by
less than 2**-48: r**2 = 2 (1 + cos A) (1 + cos B) (1 + cos C)."""

# Nearer to a triangle than this share of the distances of its corners, a point is on it.
_ON = 2.0**-90

# Adding and then subtracting it rounds numbers below 8 to multiples of 2**-48.
_WHOLE = 1.5 * 2.0**4

# More than the rounding of a share from afar.
_ROUNDING = 2.0**-46

# Radii of clusters as shares of their distances from which on nothing is known of the error.
_CLOSE = 0.99

# The arctangent of t over 2 pi t, a polynomial in t**2 (off by less than 2**-52 of itself) up to
# t = tan(pi / 8).
_TANGENT = 0.41421356237309503
_TURNS = tuple(
    number / (2.0 * pi)
    for number in (
        *(1.0, -0.33333333333333126, 0.19999999999941517, -0.14285714279291964),
        *(0.11111110746347562, -0.09090896837915523, 0.0769204570006924, -0.06662954896624347),
        *(0.05846895079073925, -0.050351598040083406, 0.03796637071309207, -0.017806327475296917),
    )
)


def root(square: Any) -> Any:
    """The square root."""
    return np.sqrt(square)


def chosen(condition: Any, first: Any, second: Any) -> Any:
    """The first where a condition holds, else the second."""
    return np.where(condition, first, second)


def rounded_share(share: Any) -> Any:
    """A share as a multiple of 2**-48."""
    return (share + _WHOLE) - _WHOLE


def tangent(a: Any, b: Any, c: Any) -> Any:
    """Numerator and denominator of the tangent of half a triangle's solid angle, and their size.

    The vectors a, b, c lead from the point to the corners. From van Oosterom and Strackee, "The
    solid angle of a plane triangle", 1983.
    """
    x, y, z = root(dot3(a, a)), root(dot3(b, b)), root(dot3(c, c))
    size = x * y * z
    under = ((size + dot3(a, b) * z) + dot3(b, c) * x) + dot3(c, a) * y
    return dot3(a, cross3(b, c)), under, size


def is_near(over: Any, under: Any, size: Any) -> Any:
    """Whether float64 may not do for a share; see NEAR. Else it is off by less than 2**-30."""
    least = NEAR * size
    return (abs(over) <= least) & (under <= least)


def share_of(over: Any, under: Any) -> Any:
    """The share of a triangle from its :func:`tangent`; 0 if both are 0."""
    x, y = abs(under), abs(over)
    is_over = y > x
    least, most = chosen(is_over, x, y), chosen(is_over, y, x)
    is_steep = least > _TANGENT * most
    top, bottom = chosen(is_steep, least - most, least), chosen(is_steep, least + most, most)
    t = top / chosen(bottom > 0.0, bottom, 1.0)
    z = t * t
    turns = _TURNS[10] + z * _TURNS[11]
    turns = _TURNS[9] + z * turns
    turns = _TURNS[8] + z * turns
    turns = _TURNS[7] + z * turns
    turns = _TURNS[6] + z * turns
    turns = _TURNS[5] + z * turns
    turns = _TURNS[4] + z * turns
    turns = _TURNS[3] + z * turns
    turns = _TURNS[2] + z * turns
    turns = _TURNS[1] + z * turns
    turns = t * (_TURNS[0] + z * turns)
    turns = chosen(is_steep, 0.125 + turns, turns)
    turns = chosen(is_over, 0.25 - turns, turns)
    turns = chosen(under < 0.0, 0.5 - turns, turns)
    return rounded_share(chosen(over < 0.0, -turns, turns))


def careful_share(p: Vector[Any], a: Vector[Any], b: Vector[Any], c: Vector[Any]) -> Any:
    """The share of a triangle seen from p with twice the digits, and whether p is on it.

    There, edges and corners included, it is 0: the mean of the shares on its two sides.
    """
    q, r, s = exact_difference(a, p), exact_difference(b, p), exact_difference(c, p)
    scale = power_of_two(larger(larger(largest(q[0]), largest(r[0])), largest(s[0])))
    q, r, s = shrunk(q, scale), shrunk(r, scale), shrunk(s, scale)
    x, y, z = pair_length(q), pair_length(r), pair_length(s)
    over, _ = pair_dot(q, pair_cross(r, s))
    under = _product(_product(x, y), z)
    under = _plus(under, _product(pair_dot(q, r), z))
    under = _plus(under, _product(pair_dot(r, s), x))
    under = _plus(under, _product(pair_dot(s, q), y))
    least = _ON * (x[0] * y[0] * z[0])
    is_in_plane = abs(over) <= least
    return chosen(is_in_plane, 0.0, share_of(over, under[0])), is_in_plane & (under[0] <= least)


def _product(a: Pair[Any], b: Pair[Any]) -> Pair[Any]:
    high, low = two_product(a[0], b[0])
    return two_sum(high, low + (a[0] * b[1] + a[1] * b[0]))


def _plus(a: Pair[Any], b: Pair[Any]) -> Pair[Any]:
    high, low = two_sum(a[0], b[0])
    return two_sum(high, low + (a[1] + b[1]))


def share_from_afar(f: Any, p: Any) -> tuple[Any, Any]:
    """The share of a cluster of triangles seen from p, and a bound of its error.

    `f` has FIELDS numbers: the center c (3), the radius r around all triangles, the bound B, and
    the coefficients of a linear, a quadratic and a cubic form.

    With R = c - p, d = |R| and a place c + h on the triangles, the share is the integral of
    n . grad(-1 / |R + h|) / (4 pi) over them. The forms are its Taylor series in h up to the second
    order (Barill, Dickson, Schmidt, Levin, Jacobson, "Fast winding numbers for soups and clouds",
    2018), each in the unit vector R / d.

    What is left out are the gradients of the parts of -1 / |R + h| of a degree n > 3 in h. Such a
    part is |h|**n / d**(n + 1) times a Legendre polynomial of the cosine of an angle: it varies
    with the angle as a trigonometric polynomial of degree n between -1 and 1, whose square and
    n**-2 times the square of whose derivative add up to at most 1 (Bernstein and Szegö). So the
    gradient is at most n |h|**(n - 1) / d**(n + 1). With t = r / d and 4 pi B, the integral of
    |h|**3, all of them add up to B (4 - 3 t) / (1 - t)**2 / d**5.
    """
    x, y, z = f[0] - p[0], f[1] - p[1], f[2] - p[2]
    i = 1.0 / root(x * x + y * y + z * z)
    x, y, z = x * i, y * i, z * i
    square, t = i * i, f[3] * i
    rest = 1.0 - t
    error = f[4] * (square * square) * i * (4.0 - 3.0 * t) / (rest * rest)
    first = f[5] * x + f[6] * y + f[7] * z
    second = (f[8] * x + f[9] * y + f[10] * z) * x + (f[11] * y + f[12] * z) * y + f[13] * z * z
    third = (
        ((f[14] * x + f[15] * y + f[16] * z) * x + (f[17] * y + f[18] * z) * y + f[19] * z * z) * x
        + (f[20] * y * y + f[21] * y * z + f[22] * z * z) * y
        + f[23] * z * z * z
    )
    share = (first + (second + third * i) * i) * square
    return rounded_share(share), chosen(t < _CLOSE, rounded_share(error) + _ROUNDING, inf)
