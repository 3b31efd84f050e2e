# SPDX-License-Identifier: MIT
"""Arithmetic with twice the digits of float64: numbers as unevaluated sums high + low.

The functions have no branches and round alike for floats and arrays, so that every engine gets the
same bits out of them.
"""

from typing import TypeVar

from .arrays import FloatArray

Number = TypeVar("Number", float, FloatArray)
Pair = tuple[Number, Number]

SPLITTER = 134217729.0  # 2**27 + 1 splits a float64 into two halves of 26 bits (Dekker 1971)


def two_sum(a: Number, b: Number) -> Pair[Number]:
    """The rounded sum of a and b, and its rounding error (Knuth, TAOCP 2, 4.2.2)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def two_difference(a: Number, b: Number) -> Pair[Number]:
    """The rounded difference of a and b, and its rounding error."""
    high = a - b
    part = high - a
    return high, (a - (high - part)) - (b + part)


def two_product(a: Number, b: Number) -> Pair[Number]:
    """The rounded product of a and b, and its rounding error (Dekker 1971).

    The error is exact unless the splitting overflows (above 1e300) or the error underflows.
    """
    high = a * b
    scaled = SPLITTER * a
    a_high = scaled - (scaled - a)
    a_low = a - a_high
    scaled = SPLITTER * b
    b_high = scaled - (scaled - b)
    b_low = b - b_high
    return high, a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)


def determinant2(
    a: Pair[Number], b: Pair[Number], c: Pair[Number], d: Pair[Number]
) -> tuple[Number, Number, Number]:
    """a * d - b * c of pairs: high, low, and the sum of the absolute values of all terms of low.

    The error of high + low is at most 16 EPS times that sum; where it is 0, nothing was rounded.
    """
    p, p_low = two_product(a[0], d[0])
    q, q_low = two_product(b[0], c[0])
    high, low = two_difference(p, q)
    first, second, third, fourth = a[0] * d[1], a[1] * d[0], b[0] * c[1], b[1] * c[0]
    size = (abs(p_low) + abs(q_low) + abs(low)) + (
        (abs(first) + abs(second)) + (abs(third) + abs(fourth))
    )
    low = low + ((p_low + (first + second)) - (q_low + (third + fourth)))
    return high, low, size
