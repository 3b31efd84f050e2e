# SPDX-License-Identifier: MIT
"""The exact sign of a x b in the plane: which side of an edge the ray passes.

A ray goes through a triangle where it is on the same side of all three edges. If those three
answers are exact, and every triangle at an edge asks the same question of the same numbers, no
ray can slip between two triangles, nor hit both (Shewchuk, "Adaptive precision floating-point
arithmetic and fast robust geometric predicates", 1997).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .arrays import BoolArray, FloatArray

_SPLITTER = 134217729.0  # 2**27 + 1, splits a float64 into two halves of 26 bits (Dekker 1971)
# Between these sizes neither a product's rounding error nor the splitting under- or overflows.
_SAFE_SMALL, _SAFE_LARGE = 1e-280, 1e280
_SMALLEST = Fraction(float(np.nextafter(0.0, 1.0)))
_LARGEST = Fraction(float(np.finfo(np.float64).max))


def edge_function(ax: FloatArray, ay: FloatArray, bx: FloatArray, by: FloatArray) -> FloatArray:
    """ax * by - ay * bx (N,), with a sign that is always the exact one.

    Rounding is monotone: where the two rounded products differ, their difference has the right
    sign. Only where they are equal the rounding errors of the products decide, which are
    themselves float64 numbers (Dekker 1971). Swapping a and b gives exactly the negative.
    NaN and infinities give NaN or infinities.
    """
    p = ax * by
    q = ay * bx
    value: FloatArray = p - q
    tied = (p == q) & (((ax != 0.0) & (by != 0.0)) | ((ay != 0.0) & (bx != 0.0)))
    if tied.any():
        value[tied] = _difference_of_errors(ax[tied], by[tied], ay[tied], bx[tied])
    return value


def tie_broken_sign(
    value: FloatArray, ax: FloatArray, ay: FloatArray, bx: FloatArray, by: FloatArray
) -> FloatArray:
    """Sign (N,) of an edge function, where a ray that meets the edge exactly has one side too.

    The ray's point is thought of as moved by (e, e^2) for an infinitely small e > 0 (simulation
    of simplicity, Edelsbrunner and Muecke 1990). Where the edge function is 0, the sign is that
    of ay - by, then that of bx - ax; it is 0 only for an edge without length.
    """
    sign = np.sign(value)
    zero = sign == 0.0
    if zero.any():
        first = np.sign(ay[zero] - by[zero])
        sign[zero] = np.where(first != 0.0, first, np.sign(bx[zero] - ax[zero]))
    return sign


def _difference_of_errors(
    ax: FloatArray, by: FloatArray, ay: FloatArray, bx: FloatArray
) -> FloatArray:
    """ax * by - ay * bx where both products round to the same number."""
    value: FloatArray = _product_error(ax, by) - _product_error(ay, bx)
    finite = np.isfinite(ax) & np.isfinite(by) & np.isfinite(ay) & np.isfinite(bx)
    for i in np.flatnonzero(finite & ~_splits_safely(ax, by, ay, bx)):
        value[i] = _rational(*(float(factor[i]) for factor in (ax, by, ay, bx)))
    return value


def _rational(ax: float, by: float, ay: float, bx: float) -> float:
    """ax * by - ay * bx by rational numbers; one too small or large keeps its sign."""
    exact = Fraction(ax) * Fraction(by) - Fraction(ay) * Fraction(bx)
    sign = (exact > 0) - (exact < 0)
    return sign * float(min(max(abs(exact), _SMALLEST), _LARGEST))


def _splits_safely(*factors: FloatArray) -> BoolArray:
    ax, by, ay, bx = (np.abs(f) for f in factors)
    sizes = np.stack([ax * by, ay * bx, ax, by, ay, bx])
    return np.asarray(((sizes > _SAFE_SMALL) & (sizes < _SAFE_LARGE)).all(axis=0))


def _product_error(a: FloatArray, b: FloatArray) -> FloatArray:
    """a * b minus the rounded product, without error (Dekker 1971)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error: FloatArray = a_low * b_low - (
        ((product - a_high * b_high) - a_low * b_high) - a_high * b_low
    )
    return error


def _split(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high
