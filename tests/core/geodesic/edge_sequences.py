# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest path on a small mesh by brute force: all sequences of triangles, unfolded.

From each vertex, and from both places, straight lines are drawn through all sequences of different
triangles; what they see are the edges of a graph, in which the shortest path is looked for.
"""

import itertools
from functools import cache

import numpy as np


def shortest(vertices, triangles, start, end):
    """The length of the shortest path between two places inside of triangles."""
    points = [*vertices, *(np.asarray(w) @ vertices[triangles[t]] for t, w in (start, end))]
    count, rows = len(points), triangles.tolist()
    share = cache(lambda a, b, other: _share(points[a], points[b], points[other]))
    seen = np.full((count, count), np.inf)
    inside = {start[0]: [count - 2]}
    inside.setdefault(end[0], []).append(count - 1)
    for one in range(count):
        for triangle, corners in enumerate(rows):
            own = [*corners, *inside.get(triangle, [])]
            if one in own:
                for other in own:
                    seen[one, other] = min(
                        seen[one, other], np.linalg.norm(points[one] - points[other])
                    )
                for a, b in itertools.combinations(corners, 2):
                    if one not in (a, b):
                        flat = _flat(points, one, a, b)
                        _see(share, rows, inside, seen[one], {triangle}, (a, b), flat, flat)
    for middle in range(count):
        seen = np.minimum(seen, seen[:, middle, None] + seen[None, middle])
    return seen[count - 2, count - 1]


def _flat(points, origin, a, b):
    """Where a and b are as complex numbers, seen from the origin; a is to the right of b."""
    u, v = points[a] - points[origin], points[b] - points[origin]
    across = np.linalg.norm(np.cross(u, v)) / np.linalg.norm(u)
    return complex(np.linalg.norm(u)), complex(u @ v / np.linalg.norm(u), across)


def _see(share, rows, inside, seen, used, edge, flat, wedge):
    """Note what is seen from 0 across an edge, between the two directions of a wedge."""
    a, b = edge
    p, q = flat
    for number, corners in enumerate(rows):
        if number in used or a not in corners or b not in corners:
            continue
        apex = next(corner for corner in corners if corner not in edge)
        for other in [apex, *inside.get(number, [])]:
            place = p + (q - p) * share(a, b, other)
            if _left(wedge[0], place) and _left(place, wedge[1]):
                seen[other] = min(seen[other], abs(place))
        top, rest = p + (q - p) * share(a, b, apex), used | {number}
        for side, ends in (((a, apex), (p, top)), ((apex, b), (top, q))):
            right = ends[0] if _left(wedge[0], ends[0]) else wedge[0]
            left = ends[1] if _left(ends[1], wedge[1]) else wedge[1]
            if _left(right, left):
                _see(share, rows, inside, seen, rest, side, ends, (right, left))


def _share(a, b, other):
    """Where a point of the next triangle is, on the other side of the edge from a, 0, to b, 1."""
    along, way = b - a, other - a
    return complex(along @ way, -np.linalg.norm(np.cross(along, way))) / complex(along @ along)


def _left(one, other):
    """Whether the other direction is left of the one, or the same."""
    return (one.conjugate() * other).imag >= -1e-12 * abs(one) * abs(other)
