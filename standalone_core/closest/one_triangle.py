# SPDX-License-Identifier: MIT
"""The nearest place on one triangle in plain floats, with the bits of :func:`.on_triangle.closest`.

For most points float64 can tell, with a margin, whether a corner, the inside of an edge or that of
the face is nearest (:func:`region_of`). Only the formula of that region is then computed with twice
the digits. :func:`nearer` compares triangles one by one. The numba engine compiles these functions.
"""

from math import inf
from typing import NamedTuple

from ..numerics import point_triangle as exact
from ..numerics.double_double import Pair
from ..numerics.point_triangle import PairVector, exact_difference, largest, pair_cross, pair_length
from ..numerics.ray_triangle import Point, dot3
from .on_triangle import INSIDE, THIN

UNSURE, CORNER, EDGE, FACE = 0, 1, 4, 7
"""Regions: unknown, corners 0, 1, 2 (1 ... 3), edges 0-1, 0-2, 1-2 (4 ... 6), the face."""

CLEAR = 2.0**-30
"""The margin of a sure comparison, as a share of the product of the sizes in it."""

# Products of four sizes between these neither overflow nor underflow, nor do those of coordinates
# of at least _SHARE of these sizes.
_LEAST, _MOST = 1e-50, 1e50
_SHARE = 1e-60
_SMALL = 2.0**-40

Corners = tuple[Point, Point, Point]
Floats = Pair[float]
Places = tuple[int, int, int]
Ways = tuple[PairVector[float], PairVector[float], PairVector[float]]

# The corners where each edge starts and ends.
_START, _END = (0, 0, 1), (1, 2, 2)


def in_order(a: Point, b: Point, c: Point) -> tuple[Corners, Places]:
    """The corners sorted by x, then y, then z, and the number of each among those given."""
    first, second, third = a, b, c
    i, j, k = 0, 1, 2
    if _is_before(second, first):
        first, second, i, j = second, first, j, i
    if _is_before(third, second):
        second, third, j, k = third, second, k, j
        if _is_before(second, first):
            first, second, i, j = second, first, j, i
    return (first, second, third), (i, j, k)


def _is_before(a: Point, b: Point) -> bool:
    if a[0] != b[0]:
        return a[0] < b[0]
    if a[1] != b[1]:
        return a[1] < b[1]
    return a[2] < b[2]


def region_of(p: Point, corners: Corners) -> int:
    """The region of a triangle that is clearly nearest, or UNSURE.

    Let E be the size of the two edges from corner 0, S that of these and of the vector q to the
    point, and d = CLEAR. The sums of products below are off by less than 2**-44 S E, and those of
    four factors by less than 2**-44 S E**3; they must exceed d S E and d S E**3.

    The formulas with twice the digits are off by 2**-98 S E and 2**-96 S E**3, so they find the
    same signs, and thus the same corner, or inside of an edge or of the face. They also find that
    region nearer than the rest of the triangle's edges, though they round distances by 2**-98 S
    and to 82 bits:

    - Corner V: both edges u from it have -q.u > d S E, so places on the edge across are further
      from the point by more than d S E / (2 S), which is 2**-72 S or more.
    - Inside of an edge: with x the nearest place there, r the vector from it to the point, A an end
      and C the corner across, |A - x| > d S and -r.(C - x) > d S E. At the share s of the way from
      A to C, the squared distance is larger by at least 2 s d S E and by at least
      (d S - 2 s E)**2: for any s by d**2 S**2 / 4. That is 2**-64 S in distance.
    - Inside of the face: its area is far above THIN, its weights above INSIDE.
    - Point at a corner: the distance is 0, and the formulas take the first edge from there. The
      other corners and the edge across are clearly away, as the area is not small, and the point
      is not inside the face: its moments about the edges at the corner are 0.
    """
    a, b, c = corners
    q = (p[0] - a[0], p[1] - a[1], p[2] - a[2])
    e1 = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    e2 = (c[0] - a[0], c[1] - a[1], c[2] - a[2])
    g11, g12, g22, d1, d2 = dot3(e1, e1), dot3(e1, e2), dot3(e2, e2), dot3(q, e1), dot3(q, e2)
    square = g11 + g22
    edges = exact.root(square)
    size = exact.root(dot3(q, q)) + edges
    if not (_LEAST < size < _MOST and edges > _SMALL * size):
        return UNSURE
    margin = CLEAR * (size * edges)
    # The square of twice the area, and the shares of the corners in it.
    area = g11 * g22 - g12 * g12
    second, third = g22 * d1 - g12 * d2, g11 * d2 - g12 * d1
    first = (area - second) - third
    sound, border = area > _SMALL * (square * square), margin * square
    at = _corner_at(p, corners)
    if at != UNSURE:
        return at if sound else UNSURE
    if first > border and second > border and third > border:
        return FACE if sound else UNSURE
    return _region_outside((first, second, third), (g11, g12, g22), d1, d2, margin, border)


def _corner_at(p: Point, corners: Corners) -> int:
    for k in range(3):
        corner = corners[k]
        if p[0] == corner[0] and p[1] == corner[1] and p[2] == corner[2]:
            return CORNER + k
    return UNSURE


def _region_outside(
    shares: Point, squares: Point, d1: float, d2: float, margin: float, border: float
) -> int:
    """The corner or edge that is clearly nearest, or UNSURE; see :func:`region_of`."""
    first, second, third = shares
    g11, g12, g22 = squares
    at_b, at_c = d1 - g11, d2 - g22
    b_to_c, c_to_b = (d2 - d1) - (g12 - g11), (d1 - d2) - (g12 - g22)
    if d1 < -margin and d2 < -margin:
        return CORNER
    if at_b > margin and b_to_c < -margin:
        return CORNER + 1
    if at_c > margin and c_to_b < -margin:
        return CORNER + 2
    if third < -border and d1 > margin and at_b < -margin:
        return EDGE
    if second < -border and d2 > margin and at_c < -margin:
        return EDGE + 1
    if first < -border and b_to_c > margin and c_to_b > margin:
        return EDGE + 2
    return UNSURE


def is_ordinary(p: Point, corners: Corners) -> bool:
    """Whether no formula over- or underflows for a point and a triangle, whatever the region."""
    a, b, c = corners
    ways = (
        (p[0] - a[0], p[1] - a[1], p[2] - a[2]),
        (p[0] - b[0], p[1] - b[1], p[2] - b[2]),
        (p[0] - c[0], p[1] - c[1], p[2] - c[2]),
        (b[0] - a[0], b[1] - a[1], b[2] - a[2]),
        (c[0] - a[0], c[1] - a[1], c[2] - a[2]),
        (c[0] - b[0], c[1] - b[1], c[2] - b[2]),
    )
    size = 0.0
    for way in ways:
        size = max(size, largest(way))
    if size != 0.0 and not _LEAST < size < _MOST:
        return False
    for way in ways:
        for number in way:
            if number != 0.0 and abs(number) < _SHARE * size:
                return False
    return True


def distance_in(region: int, p: Point, corners: Corners) -> Floats:
    """The distance of a point from a triangle; if UNSURE, they must be :func:`is_ordinary`."""
    q, away = _ways(p, corners)
    if region == UNSURE:
        high, low = _anywhere(q, corners)[0]
    elif region < EDGE:
        high, low = exact.rounded(pair_length(q[region - CORNER]))
    elif region < FACE:
        k = region - EDGE
        edge = _edge(corners, k)[0]
        high, low = exact.edge_distance(pair_cross(edge, q[_START[k]]), pair_length(edge))
    else:
        normal = pair_cross(_edge(corners, 0)[0], _edge(corners, 1)[0])
        high, low = exact.plane_distance(q[0], normal, pair_length(normal))
    return high * away, low * away


def weights_in(region: int, p: Point, corners: Corners) -> Point:
    """The corners' weights at the nearest place; arguments as for :func:`distance_in`."""
    if CORNER <= region < EDGE:
        k = region - CORNER
        return (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), (1.0 if k == 2 else 0.0)
    q = _ways(p, corners)[0]
    if region == UNSURE:
        return _anywhere(q, corners)[1]
    if region < FACE:
        k = region - EDGE
        edge = _edge(corners, k)[0]
        after, before = exact.along(edge, q[_START[k]]), -exact.along(edge, q[_END[k]])
        return _on_edge(k, after / (after + before))
    u, v, w = _sides(q, corners)
    total = (u + v) + w
    return u / total, v / total, w / total


def place_of(corners: Corners, weights: Point) -> Point:
    """The place with some weights, as an offset from the corner with the largest.

    So a corner is exact, and a place on an edge nearly.
    """
    near = 0
    if weights[1] > weights[near]:
        near = 1
    if weights[2] > weights[near]:
        near = 2
    o, (a, b, c), (u, v, w) = corners[near], corners, weights
    return (
        o[0] + (((a[0] - o[0]) * u + (b[0] - o[0]) * v) + (c[0] - o[0]) * w),
        o[1] + (((a[1] - o[1]) * u + (b[1] - o[1]) * v) + (c[1] - o[1]) * w),
        o[2] + (((a[2] - o[2]) * u + (b[2] - o[2]) * v) + (c[2] - o[2]) * w),
    )


def is_same(region: int, corners: Corners, other: int, others: Corners) -> bool:
    """Whether regions of two triangles are the same corner or edge, so at the same distance."""
    if CORNER <= region < EDGE and CORNER <= other < EDGE:
        return corners[region - CORNER] == others[other - CORNER]
    if EDGE <= region < FACE and EDGE <= other < FACE:
        k, n = region - EDGE, other - EDGE
        starts = corners[_START[k]] == others[_START[n]]
        return starts and corners[_END[k]] == others[_END[n]]
    return False


def _ways(p: Point, corners: Corners) -> tuple[Ways, float]:
    """The vectors from the corners to a point, divided by a power of two, and that power."""
    a, b, c = corners
    x, y, z = exact_difference(p, a), exact_difference(p, b), exact_difference(p, c)
    size = exact.power_of_two(largest((largest(x[0]), largest(y[0]), largest(z[0]))))
    return (exact.shrunk(x, size), exact.shrunk(y, size), exact.shrunk(z, size)), size


def _edge(corners: Corners, k: int) -> tuple[PairVector[float], float]:
    """An edge, divided by a power of two, and that power."""
    edge = exact_difference(corners[_END[k]], corners[_START[k]])
    size = exact.power_of_two(largest(edge[0]))
    return exact.shrunk(edge, size), size


def _on_edge(k: int, share: float) -> Point:
    """The weights of the place at a share of an edge's length."""
    if k == 0:
        return 1.0 - share, share, 0.0
    if k == 1:
        return 1.0 - share, 0.0, share
    return 0.0, 1.0 - share, share


def _sides(q: Ways, corners: Corners) -> Point:
    first, size = _edge(corners, 0)
    second, size2 = _edge(corners, 1)
    third, size3 = _edge(corners, 2)
    normal = pair_cross(first, second)
    along_normal = (
        exact.along(pair_cross(first, q[0]), normal),
        exact.along(pair_cross(second, q[0]), normal),
        exact.along(pair_cross(third, q[1]), normal),
    )
    return exact.sides_of(along_normal, (size, size2, size3))


def _anywhere(q: Ways, corners: Corners) -> tuple[Floats, Point]:
    """Distance and weights, whatever the region."""
    distance, weights = (0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(3):
        edge = _edge(corners, k)[0]
        start, end = q[_START[k]], q[_END[k]]
        after, before = exact.along(edge, start), -exact.along(edge, end)
        # Where the angle at an end of an edge is obtuse, that end is nearest.
        if after <= 0.0:
            found, share = exact.rounded(pair_length(start)), 0.0
        elif before <= 0.0:
            found, share = exact.rounded(pair_length(end)), 1.0
        else:
            found = exact.edge_distance(pair_cross(edge, start), pair_length(edge))
            share = after / (after + before)
        if k == 0 or exact.less(found, distance):
            distance, weights = found, _on_edge(k, share)
    first, second = _edge(corners, 0)[0], _edge(corners, 1)[0]
    normal = pair_cross(first, second)
    area = pair_length(normal)
    if area[0] > THIN * (pair_length(first)[0] * pair_length(second)[0]):
        u, v, w = _sides(q, corners)
        total = (u + v) + w
        least = INSIDE * total
        if u > least and v > least and w > least and total > 0.0:
            return exact.plane_distance(q[0], normal, area), (u / total, v / total, w / total)
    return distance, weights


class Nearest(NamedTuple):
    """The nearest of the triangles that were compared."""

    is_sure: bool  # if not, plain floats are not enough, and the other fields mean nothing
    triangle: int  # -1 if there is none within the limit
    region: int
    corners: Corners  # in order
    places: Places  # which of the triangle's corners these are
    high: float  # the distance
    low: float


_ORIGIN = (0.0, 0.0, 0.0)

NOTHING = Nearest(True, -1, UNSURE, (_ORIGIN, _ORIGIN, _ORIGIN), (0, 1, 2), inf, 0.0)
"""The nearest before any comparison."""


def nearer(
    best: Nearest, p: Point, limit: float, triangle: int, a: Point, b: Point, c: Point
) -> Nearest:
    """The nearer of the best triangle so far and one with the finite corners a, b, c.

    At the same distance, it is the one with the smaller number.
    """
    if not best.is_sure:
        return best
    corners, places = in_order(a, b, c)
    region = region_of(p, corners)
    if region == UNSURE and not is_ordinary(p, corners):
        return Nearest(False, -1, region, corners, places, inf, 0.0)
    first = best.triangle < 0 or triangle < best.triangle
    if best.triangle >= 0 and is_same(region, corners, best.region, best.corners):
        high, low = best.high, best.low
    else:
        high, low = distance_in(region, p, corners)
    if high <= limit and (
        exact.less((high, low), (best.high, best.low))
        or (first and high == best.high and low == best.low)
    ):
        return Nearest(True, triangle, region, corners, places, high, low)
    return best


def place_on(best: Nearest, p: Point) -> tuple[Point, Point]:
    """The nearest place, and the weights of the triangle's corners there."""
    weights = weights_in(best.region, p, best.corners)
    i, j, _ = best.places
    first = weights[0] if i == 0 else weights[1] if j == 0 else weights[2]
    second = weights[0] if i == 1 else weights[1] if j == 1 else weights[2]
    third = weights[0] if i == 2 else weights[1] if j == 2 else weights[2]
    return place_of(best.corners, weights), (first, second, third)
