# SPDX-License-Identifier: MIT
"""The nearest place to a point on one instance, for many points at once."""

import numpy as np

from ..cast.hits import put
from ..closest.places import ClosestPoints, without_places
from ..closest.search import closest_points
from ..engines import engine_named
from ..numerics.arrays import EPS, FloatArray, IntArray, largest, moved
from ..numerics.columns import run_starts
from .instance import applied
from .placements import Placements

# Points with a larger coordinate in the space of a mesh are looked for in that of the scene: up to
# here the bounds of closest points hold.
_MOST = 2.0**1022


def nearest_at(
    part: Placements, places: IntArray, points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    """The nearest places to points (N, 3), each on the instance at a place (N,).

    Those beyond limits (N,) are left out, but for some that are a little beyond.
    """
    matrices, scales = part.placed.matrices[places], part.scales[places]
    local = applied(part.inverses[places], points - matrices[:, :3, 3])
    fits = np.isfinite(scales) & (largest(local) <= _MOST)
    found, kinds = without_places(len(points)), part.kinds[places]
    for row in _alike(kinds, np.flatnonzero(fits)):
        ends = limits[row] / scales[row] * (1 + 16 * EPS)
        near = part.meshes[kinds[row[0]]]._closest_points(local[row], ends, None)
        near.distance[:] *= scales[row]
        near.point[:] = moved(near.point, matrices[row, :3])
        put(found, row, near)
    for row in _alike(places, np.flatnonzero(~fits)):
        put(found, row, _nearest_moved(part, places[row[0]], points[row], limits[row]))
    found.instance[:] = np.where(found.hit, part.placed.ids[places], -1)
    return found


def _nearest_moved(
    part: Placements, place: int, points: FloatArray, limits: FloatArray
) -> ClosestPoints:
    """The nearest places on the triangles of one instance in the scene's space."""
    geometry, tree = part.moved_shape(place, len(points))
    if tree is None:
        return closest_points(geometry, None, points, limits, None)
    engine = engine_named(part.meshes[part.kinds[place]].engine)
    return engine.closest(geometry, tree, points, limits, None)


def _alike(keys: IntArray, rows: IntArray) -> list[IntArray]:
    """Some of the rows of keys (N,), in groups with the same key."""
    own = keys[rows]
    if (own == own[:1]).all():
        return [rows] if len(rows) else []
    order = np.argsort(own, kind="stable")
    return np.split(rows[order], run_starts(own[order])[1:])
