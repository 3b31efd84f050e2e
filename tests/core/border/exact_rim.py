# SPDX-License-Identifier: GPL-3.0-or-later
"""What rays hit of a mesh with a closed border, by fractions and counts of edges.

Whether an edge is at the border depends on the mesh alone: triangles that filters leave out are
not hit, but where they were no border begins.
"""

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .. import oracle


def edges_of(vertices, triangles):
    """Border edges as pairs of places, counted one by one."""
    places = [tuple(map(float, place)) for place in np.asarray(vertices) + 0.0]
    counts = Counter()
    for triangle in np.asarray(triangles).tolist():
        corners = [places[vertex] for vertex in triangle]
        if not np.isfinite(corners).all():
            continue
        for i in range(3):
            if corners[i] != corners[i - 1]:
                counts[frozenset((corners[i], corners[i - 1]))] += 1
    return {edge for edge, count in counts.items() if count % 2}


class Filters(NamedTuple):
    """What is left out: triangles of which not all sides are hit, and distances."""

    exclude: list
    only: list
    cull: list  # of each triangle: None, "back", "front"
    min_distance: float
    max_distance: float

    def lets(self, triangle, found, direction):
        """Whether a triangle is hit where it was found."""
        if triangle in self.exclude or triangle not in self.only:
            return False
        if self.cull[triangle] == ("front" if found.front else "back"):
            return False
        square = found.t**2 * oracle.dot(direction, direction)
        return Fraction(self.min_distance) ** 2 <= square <= Fraction(self.max_distance) ** 2


class Wanted(NamedTuple):
    """What a ray hits; t is in lengths of its direction."""

    met: dict  # t of all triangles that it goes through, their edges and corners included
    inside: set  # those that it goes through past their edges: all of them are hit
    rim: set  # each t at which it goes exactly through the border: it hits something there


def wanted(origin, direction, vertices, triangles, border, filters):
    """What a ray hits of a mesh with these border edges, of what is not left out."""
    exact_direction = oracle.exact(direction)
    met, inside, rim = {}, set(), set()
    for number, corners in enumerate(vertices[triangles]):
        found = oracle.meeting(origin, direction, corners)
        if found is None or not filters.lets(number, found, exact_direction):
            continue
        met[number] = found.t
        if not found.edges:
            inside.add(number)
        ends = [tuple(corner) for corner in (corners + 0.0).tolist()]
        if any(frozenset((ends[i - 2], ends[i - 1])) in border for i in found.edges):
            rim.add(found.t)
    return Wanted(met, inside, rim)
