# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact answers by rational arithmetic: what the core is compared with, independent of it."""

import math
from fractions import Fraction
from typing import NamedTuple

EPS = 2.0**-52


def exact(values):
    """Numbers, vectors or matrices of floats as Fractions, without rounding."""
    if isinstance(values, Fraction):
        return values
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return tuple(exact(value) for value in values)
    return Fraction(values)


def approximate(values):
    """Fractions as floats."""
    return [approximate(v) for v in values] if isinstance(values, tuple) else float(values)


def add(a, b):
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b, strict=True))


def scaled(a, factor):
    return tuple(x * factor for x in a)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def root(square):
    """The square root of a Fraction, rounded; its size need not fit into a float squared."""
    if square == 0:
        return Fraction(0)
    if isinstance(square, int):
        shift = max(64 - square.bit_length() // 2, 0) + 64
        return Fraction(math.isqrt(square << 2 * shift), 1 << shift)
    shift = 4 * ((128 - (square.numerator.bit_length() - square.denominator.bit_length())) // 4)
    return Fraction(math.isqrt(int(square * Fraction(2) ** (shift + 128)))) / (
        Fraction(2) ** (shift // 2 + 64)
    )


def length(a):
    return root(dot(a, a))


def sign(x):
    return (x > 0) - (x < 0)


def edge_function(ax, ay, bx, by):
    """a x b in the plane, of floats."""
    return Fraction(ax) * Fraction(by) - Fraction(ay) * Fraction(bx)


def matmul(a, b):
    return tuple(tuple(dot(row, column) for column in zip(*b, strict=True)) for row in a)


def apply(matrix, vector):
    return tuple(dot(row, vector) for row in matrix)


def transposed(matrix):
    return tuple(zip(*matrix, strict=True))


def inverse(matrix):
    """The inverse of a square matrix of Fractions, by Gauss and Jordan."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = next(r for r in range(i, size) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(size):
            if r != i:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i], strict=True)]
    return tuple(tuple(row[size:]) for row in rows)


def barycentric(point, a, b, c):
    """Weights of the foot of the perpendicular from a point; None for a triangle without area."""
    u, v, w = sub(b, a), sub(c, a), sub(point, a)
    uu, uv, vv, wu, wv = dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)
    determinant = uu * vv - uv * uv
    if determinant == 0:
        return None
    weight_b = (vv * wu - uv * wv) / determinant
    weight_c = (uu * wv - uv * wu) / determinant
    return 1 - weight_b - weight_c, weight_b, weight_c


class Crossing(NamedTuple):
    """Where a line meets the plane of a triangle, with how sure a float64 answer can be.

    `gap` is the way from the nearest edge's line, across the ray, positive inside; `heights` are
    the triangle's as seen along the ray; `growth` says how many times larger an error of the
    corners can be in the distance.
    """

    triangle: int
    distance: float
    weights: tuple
    front: bool
    gap: float
    heights: tuple
    growth: float


def crossing(origin, direction, corners, triangle=0):
    """The Crossing of a line and a triangle's plane; None where they are parallel."""
    (o, *corners), unit = over_one_denominator([origin, *corners])
    (d,), _ = over_one_denominator([direction])
    a, b, c = (sub(corner, o) for corner in corners)
    sides = [determinant(d, *edge) for edge in ((b, c), (c, a), (a, b))]
    slope = sum(sides)  # The direction times the normal (b - a) x (c - a)
    if slope == 0:
        return None
    edges = (sub(c, b), sub(a, c), sub(b, a))
    size, steep = length(d), length(cross(edges[2], edges[1]))
    across = [length(cross(edge, d)) for edge in edges]
    gaps = (Fraction(side) / width for side, width in zip(sides, across, strict=True))
    return Crossing(
        triangle=triangle,
        distance=float(determinant(a, b, c) * size / (slope * unit)),
        weights=tuple(Fraction(side, slope) for side in sides),
        front=slope < 0,
        gap=float(min(gap * sign(slope) for gap in gaps) / unit),
        heights=tuple(float(abs(slope) / (width * unit)) for width in across),
        growth=float((steep * size + max(map(length, edges)) * max(across)) / abs(slope)),
    )


def crossings(origin, direction, vertices, triangles):
    """Crossings of a line with the planes of all triangles of finite corners."""
    origin, direction = exact(origin), exact(direction)
    points = [exact(v) if all(map(math.isfinite, v)) else None for v in vertices]
    for row, triangle in enumerate(triangles):
        corners = tuple(points[i] for i in triangle)
        if None not in corners:
            found = crossing(origin, direction, corners, row)
            if found:
                yield found


class Meeting(NamedTuple):
    """Where a ray goes through a triangle or its border, with t in lengths of the direction.

    `edges` are those that it goes exactly through, each by the number of the corner opposite.
    """

    t: Fraction
    edges: tuple
    front: bool


def meeting(origin, direction, corners):
    """The Meeting of a ray and a triangle (3, 3); None without one, or for one all edge-on."""
    (d,), d_unit = whole_numbers([direction])
    (o, *corners), unit = whole_numbers([origin, *corners])
    a, b, c = ((x - o[0], y - o[1], z - o[2]) for x, y, z in corners)
    sides = [determinant(d, *edge) for edge in ((b, c), (c, a), (a, b))]
    if not any(sides) or min(sides) < 0 < max(sides):
        return None
    slope = sum(sides)  # The direction times the normal (b - a) x (c - a)
    t = Fraction(determinant(a, b, c) * d_unit, slope * unit)
    edges = tuple(corner for corner, side in enumerate(sides) if side == 0)
    return None if t < 0 else Meeting(t, edges, slope < 0)


def determinant(a, b, c):
    """a * (b x c), of whole numbers or fractions."""
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def over_one_denominator(vectors):
    """Vectors of Fractions times the least number that makes all of them whole, and the number."""
    unit = math.lcm(*(x.denominator for vector in vectors for x in vector))
    whole = [tuple(x.numerator * (unit // x.denominator) for x in vector) for vector in vectors]
    return whole, unit


def whole_numbers(rows):
    """Rows of floats times the least power of two that makes all of them whole, and that power."""
    ratios = [[float(x).as_integer_ratio() for x in row] for row in rows]
    unit = max([denominator for row in ratios for _, denominator in row])
    return [tuple([n * (unit // whole) for n, whole in row]) for row in ratios], unit


def project(matrix, width, height, point, y_down=False):
    """Pixel and depth of a point, by a 4 x 4 matrix from world to clip space (column vectors)."""
    x, y, z, w = apply(matrix, (*point, Fraction(1)))
    up = -1 if y_down else 1
    return (x / w + 1) * width / 2, (up * y / w + 1) * height / 2, z / w


def unproject(matrix, width, height, x, y, depth, y_down=False):
    """The point that `project` takes to the pixel and the depth."""
    up = -1 if y_down else 1
    ndc = (2 * x / width - 1, (2 * y / height - 1) * up, depth, Fraction(1))
    *point, w = apply(inverse(matrix), ndc)
    return tuple(p / w for p in point)
