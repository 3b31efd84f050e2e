# SPDX-License-Identifier: GPL-3.0-or-later
"""Which triangles a ray hits and where, by whole numbers and fractions: nothing is rounded.

The rule, written down a second time and independently of the core. The ray from o along d passes
an edge p q on the side of the sign of det[d, p - o, q - o]; it hits a triangle whose three edges
it passes on the same side. Where a determinant is 0, the sign is that of the same ray moved by
(e, e^2) for an infinitely small e > 0, along the two axes that follow the direction's largest one
in cyclic order (swapped where that component is negative).
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from . import oracle
from .oracle import determinant, whole_numbers


class ExactHit(NamedTuple):
    """A hit as fractions; the distance has a root in it, to 128 digits of binary."""

    triangle: int
    distance: Fraction
    point: tuple
    weights: tuple
    front: bool


def exact_hits(origin, direction, vertices, triangles):
    """All hits of one ray, sorted by distance, then by triangle.

    Triangles at vertices that are not finite are left out.
    """
    origin, direction, vertices = (np.asarray(x).tolist() for x in (origin, direction, vertices))
    finite = [all(map(math.isfinite, vertex)) for vertex in vertices]
    good_vertices = [vertices[row] for row in range(len(vertices)) if finite[row]]
    places, unit = whole_numbers([origin, *good_vertices])
    (d,), d_unit = whole_numbers([direction])
    o, *good_places = places
    moved = ((x - o[0], y - o[1], z - o[2]) for x, y, z in good_places)
    seen = [next(moved) if good else None for good in finite]
    way = oracle.exact(direction)
    length = oracle.length(way)
    hits = []
    for row, corners in enumerate(triangles):
        a, b, c = (seen[i] for i in corners)
        if a is None or b is None or c is None:
            continue
        found = crossing(d, a, b, c)
        if found and found[0] >= 0:
            t, weights, front = found
            t *= Fraction(d_unit, unit)
            point = oracle.add(oracle.exact(origin), oracle.scaled(way, t))
            hits.append(ExactHit(row, t * length, point, weights, front))
    return sorted(hits, key=lambda hit: (hit.distance, hit.triangle))


def crossing(d, a, b, c):
    """Parameter, weights and side of the line from 0 along d in a triangle; None if it misses."""
    pairs = (b, c), (c, a), (a, b)
    volumes = [determinant(d, p, q) for p, q in pairs]
    if min(volumes) < 0 < max(volumes):
        return None
    sides = {
        oracle.sign(v) or side_of_tie(d, *pair) for v, pair in zip(volumes, pairs, strict=True)
    }
    if sides not in ({1}, {-1}):
        return None
    total = sum(volumes)
    weights = tuple(Fraction(volume, total) for volume in volumes)
    return Fraction(determinant(a, b, c), total), weights, total < 0


def passing_side(d, p, q):
    """The sign of det[d, p, q], a tie broken as if the ray were moved by (e, e^2)."""
    return oracle.sign(determinant(d, p, q)) or side_of_tie(d, p, q)


def side_of_tie(d, p, q):
    """The sign where the determinant is 0, by the move alone."""
    (px, py), (qx, qy) = across(d, p), across(d, q)
    return oracle.sign(py - qy) or oracle.sign(qx - px)


def across(d, p):
    """Where p lies across d, times the size of d's largest component."""
    z = max(range(3), key=lambda axis: abs(d[axis]))
    x, y = (z + 1) % 3, (z + 2) % 3
    if d[z] < 0:
        x, y = y, x
    return tuple(p[axis] * abs(d[z]) - d[axis] * p[z] * oracle.sign(d[z]) for axis in (x, y))
