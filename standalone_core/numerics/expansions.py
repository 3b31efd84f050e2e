# SPDX-License-Identifier: MIT
"""Exact determinants of float64 numbers: sums of which no digit is lost, for ties.

A determinant of differences is a sum of at most TERMS numbers, as the error of a difference or of
a product is a number too (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
geometric predicates", 1997). Adding such numbers in turn, and keeping the rounding errors in their
places, leaves the exact sum as it is and makes the numbers smaller, until the last one tells the
sign (Rump, Ogita and Oishi, "Accurate floating-point summation", 2008).

The rows of a determinant are vectors of pairs: a vector of high parts, then one of low parts.
Components are floats or arrays (N,), as in :mod:`.ray_triangle`. Numbers that may over- or
underflow are left to :mod:`.rational`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..concurrency.threads import go_on
from .arrays import BoolArray, FloatArray, IntArray, pieces
from .double_double import Number, Pair, two_difference, two_product, two_sum
from .ray_triangle import LEAST, SIDE_FLOOR, Vector

Row = tuple[Vector[Number], Vector[Number]]
Rows = tuple[Row[Number], Row[Number], Row[Number]]

TERMS = 8 * 6 * 4
"""The most terms: 8 ways to take a part of each row, 6 products of three numbers, of 4 terms."""

MOST = 1.0 / LEAST
"""Products of three numbers smaller than this do not overflow, nor does the sum of all terms."""

ENOUGH = 2.0**-30
"""How small the other numbers must be, all together, relative to the rounded sum."""

_MARGIN = 2.0**-70

# The terms of a determinant without low parts.
_PLAIN_TERMS = 6 * 4

# Columns that are computed together: their terms stay in the processor's cache.
_CHUNK = 1 << 10


def plain(v: Vector[Number]) -> Row[Number]:
    """A vector without low parts."""
    return v, (0.0 * v[0], 0.0 * v[1], 0.0 * v[2])


def moved(p: Vector[Number], o: Vector[Number]) -> Row[Number]:
    """p - o."""
    x, y, z = two_difference(p[0], o[0]), two_difference(p[1], o[1]), two_difference(p[2], o[2])
    return (x[0], y[0], z[0]), (x[1], y[1], z[1])


def edge_rows(
    o: Vector[Number], d: Vector[Number], p: Vector[Number], q: Vector[Number]
) -> Rows[Number]:
    """The rows of det[d, p - o, q - o], see :func:`.ray_triangle.edge_side`."""
    return plain(d), moved(p, o), moved(q, o)


def tie_rows(
    d: Vector[Number], p: Vector[Number], q: Vector[Number]
) -> tuple[Rows[Number], Rows[Number]]:
    """The rows of the two values of :func:`.ray_triangle.tie_sides`, without the factor d[2]."""
    edge, way = moved(p, q), plain(d)
    return (_unit(d, 0), edge, way), (_unit(d, 1), edge, way)


def _unit(like: Vector[Number], axis: int) -> Row[Number]:
    nothing = 0.0 * like[0]
    return plain(
        (nothing + 1.0 * (axis == 0), nothing + 1.0 * (axis == 1), nothing + 1.0 * (axis == 2))
    )


def fits(row: Row[Number]) -> Any:
    """Whether products with such numbers neither over- nor underflow."""
    (a, b, c), (d, e, f) = row
    return _fits(a) & _fits(b) & _fits(c) & _fits(d) & _fits(e) & _fits(f)


def _fits(x: Number) -> Any:
    return ((abs(x) >= LEAST) & (abs(x) <= MOST)) | (x == 0.0)


def fill(rows: Rows[Number], parts: tuple[int, int, int], terms: Any) -> int:
    """Write the terms of a determinant to an array (TERMS,) or (TERMS, N); return their number.

    `parts` says for each row whether to take the high parts alone, 1, or both, 2.
    """
    count = 0
    for i in range(parts[0]):
        for j in range(parts[1]):
            for k in range(parts[2]):
                p, q, r = rows[0][i], rows[1][j], rows[2][k]
                for x in range(3):
                    y, z = (x + 1) % 3, (x + 2) % 3
                    _put(terms, count, p[x], q[y], r[z])
                    _put(terms, count + 4, -p[x], q[z], r[y])
                    count += 8
    return count


def _put(terms: Any, place: int, a: Number, b: Number, c: Number) -> None:
    """Write a * b * c as four terms."""
    high, low = two_product(a, b)
    terms[place], terms[place + 1] = two_product(high, c)
    terms[place + 2], terms[place + 3] = two_product(low, c)


def distilled(terms: Any, count: int) -> tuple[Any, Any]:
    """Replace terms by others with the same exact sum; return the last, and the size of the rest.

    The last is the rounded sum T. The rest are its rounding errors; with n terms of the sizes M
    together, and u = EPS / 2, their sizes S are at most n u M. As long as S > ENOUGH abs(T), they
    shrink by n u (1 + 1 / ENOUGH) < 2**-14 each time. All terms are multiples of 2**-1053, so
    in the end S is 0, or small enough. The sum is off by at most n u S if the rest are added.
    """
    total, size = terms[0], 0.0 * terms[0]
    for i in range(1, count):
        total, error = two_sum(total, terms[i])
        terms[i - 1] = error
        size = size + abs(error)
    terms[count - 1] = total
    return total, size


def quotient(a: Pair[Number], b: Pair[Number]) -> tuple[Number, Any]:
    """a / b of pairs with errors of at most 2**-75, rounded once, and whether that is sure.

    The quotient found is off by less than _MARGIN, so it is rounded rightly if that does not
    change the result.
    """
    first = a[0] / b[0]
    product, error = two_product(first, b[0])
    rest = ((a[0] - product) - error) + (a[1] - first * b[1])
    high, low = two_sum(first, rest / b[0])
    margin = _MARGIN * abs(high)
    least, most = high + (low - margin), high + (low + margin)
    is_normal = (abs(a[0]) > SIDE_FLOOR) & (abs(high) > SIDE_FLOOR)
    return most + 0.0, ((least == most) & is_normal) | (a[0] == 0.0)


def start_solver(
    determinant: Callable[[Rows[Number]], Pair[Number]], is_exact: Callable[[Row[Number]], Any]
) -> Callable[..., Any]:
    """A function that solves where a ray begins on a triangle.

    `determinant` gives a pair, which is right if `is_exact` holds for its rows.

    ``solve_start(o, d, a, b, c) -> sure, v, w`` is for rays that begin in the plane of a triangle,
    and go through it. The weights are those of :func:`.rational.crossing`, where they are sure.
    """

    def solve_start(
        o: Vector[Number],
        d: Vector[Number],
        a: Vector[Number],
        b: Vector[Number],
        c: Vector[Number],
    ) -> tuple[Any, Number, Number]:
        way, p, q, r = plain(d), moved(a, o), moved(b, o), moved(c, o)
        u, v, w = determinant((way, q, r)), determinant((way, r, p)), determinant((way, p, q))
        slope = _sum_of(u, v, w)
        second, is_second_sure = quotient(v, slope)
        third, is_third_sure = quotient(w, slope)
        sure = is_second_sure & is_third_sure
        sure = sure & is_exact(way) & is_exact(p) & is_exact(q) & is_exact(r)
        return sure, second, third

    return solve_start


def _sum_of(a: Pair[Number], b: Pair[Number], c: Pair[Number]) -> Pair[Number]:
    """The sum of pairs of one sign."""
    total, first = two_sum(a[0], b[0])
    total, second = two_sum(total, c[0])
    return two_sum(total, (first + second) + (a[1] + b[1] + c[1]))


def determinants(rows: Rows[FloatArray]) -> Pair[FloatArray]:
    """Determinants (N,) of the high parts alone, as pairs off by less than 2**-75.

    The first of a pair has the sign.
    """
    count = len(rows[2][0][0])
    pairs = [np.empty((2, 0)), *(_determinants(rows, part) for part in pieces(count, _CHUNK))]
    high, low = np.concatenate(pairs, axis=1)
    return high, low


def _determinants(rows: Rows[FloatArray], part: slice) -> FloatArray:
    go_on()
    first, second, third = (((x[part], y[part], z[part]), low) for (x, y, z), low in rows)
    terms = np.empty((_PLAIN_TERMS, len(first[0][0])))
    fill((first, second, third), (1, 1, 1), terms)
    while True:
        total, size = distilled(terms, len(terms))
        if not (size > ENOUGH * np.abs(total)).any():
            return np.stack(two_sum(total, terms[:-1].sum(axis=0)))


def _is_plain(row: Row[FloatArray]) -> BoolArray:
    x, y, z = row[1]
    return np.asarray(fits(row) & (x == 0.0) & (y == 0.0) & (z == 0.0))


solve_starts = start_solver(determinants, _is_plain)
"""Solves many rays; those with low parts are not sure."""


def begin_in(
    o: Vector[FloatArray], a: Vector[FloatArray], b: Vector[FloatArray], c: Vector[FloatArray]
) -> BoolArray:
    """Which rays surely begin in the planes of triangles: columns (N,), as (N,)."""
    rows = moved(a, o), moved(b, o), moved(c, o)
    height, _ = determinants(rows)
    plain_rows = _is_plain(rows[0]) & _is_plain(rows[1]) & _is_plain(rows[2])
    return np.asarray((height == 0.0) & plain_rows)


def edge_sides(
    o: FloatArray, d: FloatArray, p: FloatArray, q: FloatArray, frames: IntArray
) -> tuple[FloatArray, BoolArray]:
    """:func:`.rational.edge_side` for columns (3, N): sides (N,), and where they are sure."""
    rows = edge_rows(*(_vector(x) for x in (o, d, p, q)))
    value, _ = determinants(rows)
    sure = _is_plain(rows[0]) & _is_plain(rows[1]) & _is_plain(rows[2])
    tied = np.flatnonzero(sure & (value == 0.0))
    if len(tied):
        turned = (np.take_along_axis(x[:, tied], frames[:, tied], axis=0) for x in (d, p, q))
        way, *ends = map(_vector, turned)
        first, second = tie_rows(way, *ends)
        (x, _), (y, _) = determinants(first), determinants(second)
        value[tied] = np.where(x == 0.0, np.sign(y), np.sign(x)) * np.sign(way[2])
        sure[tied] &= _is_plain(first[1])
    return np.sign(value), sure


def _vector(columns: FloatArray) -> Vector[FloatArray]:
    x, y, z = columns
    return x, y, z
