# SPDX-License-Identifier: MIT
"""One ray as a tree sees it, compiled; see :mod:`..bvh.approach`."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..bvh import WIDTH
from ..bvh.approach import LARGEST_INVERSE, MARGIN, REACH, limit_of
from ..cast.rays import end_of, least_step
from ..numerics.arrays import EPS
from ..numerics.ray_triangle import dot3
from .kernel_cache import helper

for _function in (dot3, least_step, end_of, limit_of):
    helper(inline=False)(_function)

# Beyond the range of float32 differences from an empty box would be NaN.
_FAR = 1e38


class Approached(NamedTuple):
    """One ray for :func:`.slab_test`, compare :class:`.Approach`."""

    known: bool  # else the rest says nothing: it takes more than float64
    rows: Any  # six int64
    starts: Any  # six float32
    inverse: Any  # three float32
    unit: float
    skipped: float
    away: float  # at least the origin's distance from anything in the tree, in each component


@helper(inline=False)
def approached(center: Any, scale: float, origin: Any, direction: Any) -> Approached:
    """Bring a ray to a tree."""
    ox, oy, oz = origin
    dx, dy, dz = direction
    longest = max(abs(dx), abs(dy), abs(dz))
    unit = longest / scale
    px, py, pz = (ox - center[0]) / scale, (oy - center[1]) / scale, (oz - center[2]) / scale
    ex, ey, ez = dx / longest, dy / longest, dz / longest
    skipped = max(-dot3((px, py, pz), (ex, ey, ez)) / dot3((ex, ey, ez), (ex, ey, ez)) - REACH, 0.0)
    pad = MARGIN + 16 * EPS * max(abs(px), abs(py), abs(pz))
    away = scale * (max(abs(px), abs(py), abs(pz)) + 2.0)
    px, py, pz = px + skipped * ex, py + skipped * ey, pz + skipped * ez
    known = abs(px) + abs(py) + abs(pz) + pad < _FAR
    ix = np.float32(min(max(1.0 / ex, -LARGEST_INVERSE), LARGEST_INVERSE))
    iy = np.float32(min(max(1.0 / ey, -LARGEST_INVERSE), LARGEST_INVERSE))
    iz = np.float32(min(max(1.0 / ez, -LARGEST_INVERSE), LARGEST_INVERSE))
    sx, sy, sz = math.copysign(1.0, ix), math.copysign(1.0, iy), math.copysign(1.0, iz)
    rows = (
        0 if sx > 0 else 3 * WIDTH,
        WIDTH if sy > 0 else 4 * WIDTH,
        2 * WIDTH if sz > 0 else 5 * WIDTH,
        3 * WIDTH if sx > 0 else 0,
        4 * WIDTH if sy > 0 else WIDTH,
        5 * WIDTH if sz > 0 else 2 * WIDTH,
    )
    starts = (
        np.float32(px + sx * pad),
        np.float32(py + sy * pad),
        np.float32(pz + sz * pad),
        np.float32(px - sx * pad),
        np.float32(py - sy * pad),
        np.float32(pz - sz * pad),
    )
    return Approached(known, rows, starts, (ix, iy, iz), unit, skipped, away)


@helper(inline=False)
def bound_of(reach: float, length: float, local: Approached) -> Any:
    """A distance in lengths of the tree's units from the moved origin, rounded up."""
    bound = limit_of(end_of(reach, length), local.unit, local.skipped)
    # NaN where its factors are 0 and inf.
    return np.float32(bound if bound < _FAR else np.inf)
