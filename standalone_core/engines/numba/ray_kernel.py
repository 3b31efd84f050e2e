# SPDX-License-Identifier: MIT
"""Compiled conversion of rays to the units of a packed tree, or of a tree of boxes.

Values in float32 come with bounds of their errors. With |p| the largest component of the ray's
origin in these units, float64 is off by at most 8 EPS |p|, which every bound includes. For the rest
see the functions.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ...bvh.approach import LARGEST_INVERSE, MARGIN, REACH, limit_of
from ...cast.rays import LEAST_LENGTH, LEAST_SQUARE, MOST_SQUARE, end_of, least_step, lengthened
from ...numerics import vectors
from ...numerics.arrays import EPS
from ...numerics.ray_triangle import dot3
from .block_kernel import point_at, put_vector
from .kernel_cache import helper, kernel
from .kernel_types import POINTS
from .simd import (
    LANES,
    at,
    bits,
    chosen,
    larger,
    numbers_at,
    put,
    single,
    smaller,
    store,
    vectors_at,
    with_sign,
)

for _function in (dot3, least_step, end_of, limit_of, vectors.largest, lengthened):
    helper(inline=False)(_function)

# Origins further away, in the tree's units, are left to NumPy; so are units so small or
# large that distances may be rounded to multiples of 5e-324, or to inf.
_FAR = 1e15
_LARGE = 1e90

_LEAST_COMPONENT = 1.0 / LARGEST_INVERSE

# The largest number in float32: an infinite one may make another NaN.
_LARGEST = 1e38

# The factor of the largest number's square in the bound of an edge function.
_SQUARED = np.float32(2.0**-20)

# How many numbers of a ray are float32, and how many float64.
_SINGLES, _DOUBLES = 15, 7


class LocalRay(NamedTuple):
    """A ray for :func:`.met_children` and :func:`.block_test`, its floats as these take them.

    It starts where boxes can begin, `skipped` beyond its origin, or at the origin. Depths are
    lengths from there along the largest component of the direction, in the tree's units.
    """

    known: bool  # if not, the other fields mean nothing
    rows: Any  # (6,), where a node has its planes: near x, y, z, then far ones
    starts: Any  # (6,)
    inverse: Any  # (3,)
    axes: Any  # (3,), where a block has the components of corner a across the ray, and along it
    shear: Any  # (2,), times a corner's z along the ray, is subtracted from its x and y across it
    offset: Any  # (2,), is subtracted as well
    margin: Any  # (3,), bound of edge functions: factors of the size and its square, a constant
    sign: float  # of the direction's largest component
    start: float  # along that component
    skipped: float
    unit: float  # t times this, less `skipped`, is a depth
    slack: float  # how far off a depth may be, apart from errors of edge functions


@helper(inline=True)
def _inverse(component: Any) -> Any:
    """1 / component in float32."""
    x, least = single(component), with_sign(_LEAST_COMPONENT, component)
    return single(1.0 / chosen(abs(x) > _LEAST_COMPONENT, x, least))


@helper(inline=True)
def _finite(number: Any) -> Any:
    """A start limited to what float32 can hold: with an infinite one, rays would meet empty boxes.

    No plane of any other box is near the limit.
    """
    return chosen(abs(number) < _LARGEST, number, with_sign(_LARGEST, number))


@helper(inline=True)
def _turned(is_x: Any, is_y: Any, v: Any) -> Any:
    """The components of a vector, rotated until x, y or else z is the last."""
    return (
        chosen(is_x, v[1], chosen(is_y, v[2], v[0])),
        chosen(is_x, v[2], chosen(is_y, v[0], v[1])),
        chosen(is_x, v[0], chosen(is_y, v[1], v[2])),
    )


@helper(inline=True)
def _numbers(center: Any, unit: float, origin: Any, direction: Any) -> Any:
    """The numbers of a :class:`LocalRay`, for one ray or for lanes: those for float32, then others.

    Across the ray, a corner (x, z) is at r = x - s z - c, with the slope s = e_x / e_z, at most 1,
    and c = p_x - s p_z. Coordinates of corners are at most 2, so c is at most 4 for a ray that
    meets any box. In float32, whose relative rounding error is at most h = 2**-24, r is off by
    4 h for c, 2 (h / 2) for s, h each for x and z, (2 + r) h for x - c, 2 h for the product and r h
    for the rest: by less than d = 16 h + 2 h r. Edge functions are u = r q' - r' q of such numbers;
    with r the largest of them, u is off by less than 4 d r + 2 d**2 + 3 h r**2, which is less than
    4 D r + 16 h r**2 + 4 D**2 with D = 16 h. The depth of a hit is rounded by less than 16 h.
    """
    p = (
        (origin[0] - center[0]) * unit,
        (origin[1] - center[1]) * unit,
        (origin[2] - center[2]) * unit,
    )
    ax, ay, az = abs(direction[0]), abs(direction[1]), abs(direction[2])
    longest = larger(larger(ax, ay), az)
    by = 1.0 / longest
    e = (direction[0] * by, direction[1] * by, direction[2] * by)
    away = larger(larger(abs(p[0]), abs(p[1])), abs(p[2]))
    skipped = larger(-dot3(p, e) / dot3(e, e) - REACH, 0.0)
    inverse = (_inverse(e[0]), _inverse(e[1]), _inverse(e[2]))
    pad = MARGIN + 16 * EPS * away
    x, y, z = p[0] + skipped * e[0], p[1] + skipped * e[1], p[2] + skipped * e[2]
    pad_x, pad_y, pad_z = with_sign(pad, e[0]), with_sign(pad, e[1]), with_sign(pad, e[2])
    starts = (
        _finite((x + pad_x) * inverse[0]),
        _finite((y + pad_y) * inverse[1]),
        _finite((z + pad_z) * inverse[2]),
        _finite((x - pad_x) * inverse[0]),
        _finite((y - pad_y) * inverse[1]),
        _finite((z - pad_z) * inverse[2]),
    )
    # As in `ray_triangle.frame_of`.
    is_x, is_y = (ax >= ay) & (ax >= az), ay >= az
    sign = with_sign(1.0, chosen(is_x, direction[0], chosen(is_y, direction[1], direction[2])))
    (p1, p2, p3), (e1, e2, _) = _turned(is_x, is_y, p), _turned(is_x, is_y, e)
    p1, p2 = chosen(sign > 0.0, p1, p2), chosen(sign > 0.0, p2, p1)
    e1, e2 = chosen(sign > 0.0, e1, e2), chosen(sign > 0.0, e2, e1)
    height = p3 * sign
    off = 2.0**-20 + 8 * EPS * away
    singles = (
        *starts,
        *inverse,
        *(e1 * sign, e2 * sign),
        *(p1 - e1 * height, p2 - e2 * height),
        # 1 % more for the rounding of the bound itself.
        *(4.04 * off, 4.04 * off * off),
    )
    third = chosen(is_x, 0.0 * sign, chosen(is_y, 0.0 * sign + 1.0, 0.0 * sign + 2.0))
    doubles = (
        *(away, third, sign, (height + skipped) * sign),
        *(skipped, longest * unit, 2.0**-19 + 32 * EPS * away),
    )
    return singles, doubles


@helper(inline=True)
def _local(singles: Any, doubles: Any, unit: float) -> LocalRay:
    x0, y0, z0, x1, y1, z1, ix, iy, iz, s1, s2, c1, c2, factor, least = singles
    away, third, sign, start, skipped, length, slack = doubles
    x, y, z = (0 if ix > 0.0 else 3), (1 if iy > 0.0 else 4), (2 if iz > 0.0 else 5)
    last = int(third)
    first = last + (1 if sign > 0.0 else 2)
    first = first - 3 if first > 2 else first
    return LocalRay(
        away < _FAR and 1.0 / _LARGE < unit < _LARGE,
        (x * LANES, y * LANES, z * LANES, (3 - x) * LANES, (5 - y) * LANES, (7 - z) * LANES),
        (
            *(np.float32(x0), np.float32(y0), np.float32(z0)),
            *(np.float32(x1), np.float32(y1), np.float32(z1)),
        ),
        (np.float32(ix), np.float32(iy), np.float32(iz)),
        (first * LANES, (3 - first - last) * LANES, last * LANES),
        (np.float32(s1), np.float32(s2)),
        (np.float32(c1), np.float32(c2)),
        (np.float32(factor), _SQUARED, np.float32(least)),
        *(sign, start, skipped, length, slack),
    )


@helper(inline=True)
def local_ray(center: Any, unit: float, origin: Any, direction: Any) -> Any:
    """A ray in the units of a tree with a center; a length of 1 is `unit` there, a power of two."""
    singles, doubles = _numbers(center, unit, origin, direction)
    return _local(singles, doubles, unit)


class LocalRays(NamedTuple):
    """Room for LANES rays, by fields."""

    singles: Any  # (_SINGLES * LANES,) of float32
    doubles: Any  # (_DOUBLES * LANES,)
    places: Any  # (2 * LANES,), where origins and directions are


@helper(inline=False)
def new_local_rays() -> LocalRays:
    """Room for LANES rays."""
    return LocalRays(
        np.empty(_SINGLES * LANES, dtype=np.float32),
        np.empty(_DOUBLES * LANES),
        np.empty(2 * LANES, dtype=np.int64),
    )


@helper(inline=False)
def root_box(nodes: Any) -> Any:
    """The lower and upper corner around all children of the root; zeros if there is none."""
    corners = np.empty(6)
    corners[:] = 0.0
    for row in range(6 if len(nodes) else 0):
        number = np.float64(nodes[row * LANES])
        for child in range(1, LANES):
            plane = np.float64(nodes[row * LANES + child])
            number = min(number, plane) if row < 3 else max(number, plane)
        corners[row] = number
    return numbers_at(corners, 0, 1, 3), numbers_at(corners, 3, 1, 3)


@helper(inline=True)
def _may_meet(singles: Any, box: Any) -> Any:
    """The lanes whose rays may meet a box, by the test of :func:`.met_children`."""
    x, y, z = _passage(singles, box, 0), _passage(singles, box, 1), _passage(singles, box, 2)
    entry = larger(larger(larger(x[0], y[0]), z[0]), 0.0)
    return ~(entry > smaller(smaller(x[1], y[1]), z[1]))


@helper(inline=True)
def _passage(singles: Any, box: Any, axis: int) -> Any:
    """Where rays enter and leave the space between a box's two planes across an axis."""
    inverse, is_ahead = singles[6 + axis], singles[6 + axis] > 0.0
    lower, upper = box[0][axis], box[1][axis]
    return (
        chosen(is_ahead, lower, upper) * inverse - singles[axis],
        chosen(is_ahead, upper, lower) * inverse - singles[3 + axis],
    )


@helper(inline=False)
def fill_local_rays(tree: Any, box: Any, rays: Any, first: int, last: int, room: Any) -> Any:
    """Convert LANES rays from `first` on to a tree's units; if there are fewer, repeat `last`.

    Returns a bit for each, 0 if it is known to miss the box around the tree.
    """
    origins, step, directions = rays
    for lane in range(LANES):
        ray = min(first + lane, last)
        put(room.places, lane, step * ray)
        put(room.places, LANES + lane, 3 * ray)
    o, d = vectors_at(origins, room.places, 0), vectors_at(directions, room.places, LANES)
    singles, doubles = _numbers(tree.center, tree.unit, o, d)
    for row in range(_SINGLES):
        store(room.singles, row * LANES, singles[row])
    for row in range(_DOUBLES):
        store(room.doubles, row * LANES, doubles[row])
    return bits(_may_meet(singles, box) | ~(doubles[0] < _FAR))


@helper(inline=True)
def local_ray_of(room: Any, lane: int, unit: float) -> Any:
    """One of the rays that :func:`fill_local_rays` has converted."""
    singles = numbers_at(room.singles, lane, LANES, _SINGLES)
    doubles = numbers_at(room.doubles, lane, LANES, _DOUBLES)
    return _local(singles, doubles, unit)


@helper(inline=False)
def bound_of(reach: float, length: float, local: LocalRay) -> Any:
    """The depth of a ray at the distance `reach`, rounded up; `length` is that of its direction."""
    bound = limit_of(end_of(reach, length), local.unit, local.skipped)
    # NaN, as the product of 0 and inf, becomes inf too.
    return np.float32(bound if bound < _LARGEST else np.inf)


ORDINARY, SHORT, UNUSUAL = 0, 1, 2
"""Rays: all of ordinary length and finite origin; so, but some are short; or some are not."""


@kernel(types.int64(POINTS, types.int64, POINTS, types.int64, types.int64, types.float64[::1]))
def measure(origins: Any, step: int, directions: Any, begin: int, end: int, lengths: Any) -> int:
    """Write the lengths of directions from `begin` to `end`; return what kind of rays these are.

    Origin i is at ``step * i`` of the flat origins. What is short, :func:`lengthen` changes.
    """
    nothing, is_usual, is_long = 0.0, True, True
    for i in range(begin, end):
        x, y, z = point_at(origins, step * i)
        nothing += x * 0.0 + y * 0.0 + z * 0.0
        direction = point_at(directions, 3 * i)
        square = dot3(direction, direction)
        length = math.sqrt(square)
        put(lengths, i, length)
        is_usual &= LEAST_SQUARE < square < MOST_SQUARE
        is_long &= length >= LEAST_LENGTH
    if not (is_usual and nothing == 0.0):
        return UNUSUAL
    return ORDINARY if is_long else SHORT


@kernel(types.void(POINTS, *[types.int64] * 2, types.float64[:, ::1], types.float64[::1]))
def lengthen(directions: Any, begin: int, end: int, longer: Any, lengths: Any) -> None:
    """Write the directions from `begin` to `end`, short ones lengthened, and their new lengths."""
    for i in range(begin, end):
        direction, length = lengthened(point_at(directions, 3 * i), at(lengths, i))
        put_vector(longer, 3 * i, direction)
        put(lengths, i, length)
