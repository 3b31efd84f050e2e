# SPDX-License-Identifier: MIT
"""On which side of a triangle's plane a point is, decided exactly.

Float64 with the bound of its error (Shewchuk, "Adaptive precision floating-point arithmetic and
fast robust geometric predicates", 1997), and integers where that leaves it open.
"""

import numpy as np

from ..numerics import rational
from ..numerics.arrays import EPS, FloatArray
from ..numerics.double_double import Number
from ..numerics.ray_triangle import SIDE_FLOOR, Vector

_MARGIN = 8 * EPS


def plane_side(p: Vector[float], a: Vector[float], b: Vector[float], c: Vector[float]) -> float:
    """1 where (b - a) x (c - a) points to, -1 on the other side, 0 on the plane; all finite."""
    value, bound = _height(p, a, b, c)
    if abs(value) > bound:
        return 1.0 if value > 0.0 else -1.0
    return float(rational.plane_side(p, a, b, c))


def plane_sides(p: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """:func:`plane_side` of points and corners (N, 3), as (N,); 0 where one is not finite."""
    with np.errstate(all="ignore"):
        value, bound = _height(*((x[:, 0], x[:, 1], x[:, 2]) for x in (p, a, b, c)))
        side = np.sign(value)
        unsure = ~(np.abs(value) > bound)
    side[unsure] = 0.0
    finite = np.isfinite([p, a, b, c]).all(axis=(0, 2))
    left = unsure & finite
    side[left] = rational.plane_sides(*(x[left].T for x in (p, a, b, c)))
    return side


def _height(
    p: Vector[Number], a: Vector[Number], b: Vector[Number], c: Vector[Number]
) -> tuple[Number, Number]:
    """(p - a) . (b - a) x (c - a) as -det[a - p, b - p, c - p], and the bound of its error."""
    ax, ay, az = a[0] - p[0], a[1] - p[1], a[2] - p[2]
    bx, by, bz = b[0] - p[0], b[1] - p[1], b[2] - p[2]
    cx, cy, cz = c[0] - p[0], c[1] - p[1], c[2] - p[2]
    bycz, bzcy, bzcx, bxcz, bxcy, bycx = by * cz, bz * cy, bz * cx, bx * cz, bx * cy, by * cx
    value = ax * (bycz - bzcy) + ay * (bzcx - bxcz) + az * (bxcy - bycx)
    size = (
        abs(ax) * (abs(bycz) + abs(bzcy))
        + abs(ay) * (abs(bzcx) + abs(bxcz))
        + abs(az) * (abs(bxcy) + abs(bycx))
    )
    return -value, _MARGIN * size + SIDE_FLOOR
