# SPDX-License-Identifier: MIT
"""One ray in the units of a packed tree, in float32 with bounds of what that rounds, compiled.

With |p| the largest component of the ray's origin there, float64 is off by at most 8 EPS |p|, which
every bound has. For the rest see the functions that use it.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..bvh.approach import LARGEST_INVERSE, MARGIN, REACH
from ..numerics.arrays import EPS
from .block_simd import LANES
from .kernel_cache import helper

# Origins further away, in the tree's units, are left to NumPy; and so are units from where on
# distances may be rounded to multiples of 5e-324, or to inf.
_FAR = 1e15
_LARGE = 1e90

_LEAST_COMPONENT = np.float32(1.0 / LARGEST_INVERSE)


class LocalRay(NamedTuple):
    """A ray for :func:`.met_children` and :func:`.block_test`, its floats as these take them.

    It starts where boxes can begin, `skipped` beyond its origin, or at the origin. Depths are
    lengths from there along the largest component of the direction, in the tree's units.
    """

    known: bool  # else the rest says nothing
    rows: Any
    starts: Any
    inverse: Any
    axes: Any
    shear: Any
    offset: Any
    margin: Any
    sign: float  # of the direction's largest component
    start: float  # along it
    skipped: float
    unit: float  # what a parameter t is to be multiplied by for a length
    slack: float  # how far off a depth may be, besides what the edge functions are


@helper(inline=True)
def _inverse(component: float) -> Any:
    x = np.float32(component)
    x = x if abs(x) > _LEAST_COMPONENT else np.float32(math.copysign(_LEAST_COMPONENT, component))
    return np.float32(1.0) / x


@helper(inline=True)
def local_ray(center: Any, unit: float, origin: Any, direction: Any) -> LocalRay:
    """Bring a ray to a tree of that center, in which a length of 1 is `unit`, a power of two.

    Across the ray, a corner (x, z) is at x - s z - c, with the slope s = e_x / e_z, at most 1, and
    c = p_x - s p_z. Coordinates of corners are at most 1, so c is at most 2 for a ray that meets
    anything. In float32, where 2**-24 of a number is rounded at most, this is off by 2**-24 for c,
    2**-25 each for s, x and z, 2**-24 (1 + r) for x - c and 2**-24 (1 + r) for the rest, if r is
    the result: by less than d = 2**-21 + 2**-23 r. Edge functions are u = x y' - x' y of such
    numbers; with r the largest of them, u is off by less than
    4 d r + 2 d**2 + 3 * 2**-24 r**2 <= 4 * 2**-21 r + 2**-20 r**2 + 4 * 2**-42.
    """
    px = (origin[0] - center[0]) * unit
    py = (origin[1] - center[1]) * unit
    pz = (origin[2] - center[2]) * unit
    dx, dy, dz = direction
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    longest = max(ax, ay, az)
    by = 1.0 / longest
    ex, ey, ez = dx * by, dy * by, dz * by
    away = max(abs(px), abs(py), abs(pz))
    along = -(px * ex + py * ey + pz * ez) / (ex * ex + ey * ey + ez * ez)
    skipped = max(along - REACH, 0.0)
    ix, iy, iz = _inverse(ex), _inverse(ey), _inverse(ez)
    pad = MARGIN + 16 * EPS * away
    sx, sy, sz = px + skipped * ex, py + skipped * ey, pz + skipped * ez
    pad_x, pad_y, pad_z = math.copysign(pad, ex), math.copysign(pad, ey), math.copysign(pad, ez)
    starts = (
        np.float32((sx + pad_x) * ix),
        np.float32((sy + pad_y) * iy),
        np.float32((sz + pad_z) * iz),
        np.float32((sx - pad_x) * ix),
        np.float32((sy - pad_y) * iy),
        np.float32((sz - pad_z) * iz),
    )
    x, y, z = (0 if ix > 0 else 3), (1 if iy > 0 else 4), (2 if iz > 0 else 5)
    rows = (x * LANES, y * LANES, z * LANES, (3 - x) * LANES, (5 - y) * LANES, (7 - z) * LANES)
    # As in `shear.frame_of`.
    third = 0 if ax >= ay and ax >= az else (1 if ay >= az else 2)
    sign = math.copysign(1.0, dx if third == 0 else (dy if third == 1 else dz))
    first = third + (1 if sign > 0.0 else 2)
    first = first - 3 if first > 2 else first
    second = 3 - third - first
    p, e = (px, py, pz), (ex, ey, ez)
    height = p[third] * sign
    off = 2.0**-21 + 8 * EPS * away
    return LocalRay(
        away < _FAR and 1.0 / _LARGE < unit < _LARGE,
        rows,
        starts,
        (ix, iy, iz),
        (first * LANES, second * LANES, third * LANES),
        (np.float32(e[first] * sign), np.float32(e[second] * sign)),
        (np.float32(p[first] - e[first] * height), np.float32(p[second] - e[second] * height)),
        # A hundredth more for what the bound itself rounds.
        (np.float32(4.04 * off), np.float32(2.0**-20), np.float32(4.04 * off * off)),
        sign,
        (height + skipped) * sign,
        skipped,
        longest * unit,
        2.0**-20 + 32 * EPS * away,
    )
