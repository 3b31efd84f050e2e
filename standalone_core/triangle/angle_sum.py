# SPDX-License-Identifier: MIT
"""Point-in-triangle test 1: the angles seen from the point add up to a full turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arguments
from ..arrays import cross, dot, length, power_of_two

# An angle, so it has no scale. Rounding takes some multiples of 1e-16 off a full turn, and a height
# h over a triangle of size 1 about h squared.
_TOLERANCE = 1e-9


def contains_angle_sum(point: Any, a: Any, b: Any, c: Any) -> Any:
    """Whether the three corners, seen from the point, stand around it: 360 degrees in all.

    The angles are taken by the arctangent of cross and dot product, which unlike the arccosine
    is accurate near 0 and 180 degrees. The method needs a tolerance (1e-9 of a radian), so a
    point that is outside by less than about 1e-9 of the triangle's size counts as inside.

    Parameters
    ----------
    point, a, b, c : array_like (..., 3)
        Points that broadcast against each other, all in one space. A point off the plane sees
        less than 360 degrees: it is not contained, if it is off by more than about 1e-5 of the
        triangle's size.

    Returns
    -------
    bool, or ndarray (...) of bool
        A corner is contained; a triangle without area contains what lies on it, and one with
        corners that are not finite contains nothing.
    """
    p, pa, pb, pc = arguments.points_together(point=point, a=a, b=b, c=c)
    with np.errstate(all="ignore"):
        sides = pa - p, pb - p, pc - p
        size = power_of_two(np.max([np.abs(s).max(axis=-1) for s in sides], axis=0))[..., None]
        va, vb, vc = (s / size for s in sides)
        total = sum(
            np.arctan2(length(cross(x, y)), dot(x, y)) for x, y in ((va, vb), (vb, vc), (vc, va))
        )
        on_corner = (length(va) == 0.0) | (length(vb) == 0.0) | (length(vc) == 0.0)
        finite = np.isfinite(va + vb + vc).all(axis=-1)
        inside = finite & (on_corner | (np.asarray(total) >= 2.0 * np.pi - _TOLERANCE))
    return bool(inside) if inside.ndim == 0 else inside
