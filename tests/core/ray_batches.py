# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays and geometry as casts take them inside, past all checks, and answers without any tree."""

import numpy as np

from standalone_core.cast.hits import sorted_by_ray
from standalone_core.cast.many_rays import cross_many, hits_at
from standalone_core.cast.rays import Geometry, Query, RayBatch
from standalone_core.numerics.arrays import dot
from standalone_core.numerics.ray_triangle import axes_across_many


def batch(origins, directions, limits=np.inf, every=True, cull_sign=0, excluded=None, starts=0.0):
    """Rays (R, 3); one origin or direction may be for all."""
    o, d = np.broadcast_arrays(np.atleast_2d(origins), np.atleast_2d(directions))
    o, d = o.astype(float), d.astype(float)
    return RayBatch(
        origins=o,
        directions=d,
        lengths=np.sqrt(dot(d, d)),
        starts=np.broadcast_to(np.asarray(starts, float), len(o)).copy(),
        limits=np.broadcast_to(np.asarray(limits, float), len(o)).copy(),
        query=Query(cull_sign, every, excluded),
    )


def lone(origin, direction, limit=np.inf, every=True, cull_sign=0, excluded=None, starts=0.0):
    """One ray in plain floats."""
    return batch(origin, direction, limit, every, cull_sign, excluded, starts).ray(0)


def geometry(vertices, triangles, faces=None):
    """Arrays of a mesh as casts read them."""
    return Geometry(np.asarray(vertices, float), np.asarray(triangles, np.int32), faces)


def all_pairs(rays, items):
    """Each of R rays with each of N items, as two (R * N,)."""
    return np.repeat(np.arange(rays), items), np.tile(np.arange(items), rays)


def cast_pairs_of(shape, rays, row, item):
    """Rows and hits of pairs (N,) of a ray and a triangle, in their order."""
    crossings = cross_many(shape, rays, axes_across_many(rays.directions), row, item)
    return hits_at(shape, rays, crossings)


def cast_everything(shape, rays):
    """Rows and hits of rays on all triangles, sorted by ray, distance and triangle."""
    row, hits = cast_pairs_of(shape, rays, *all_pairs(len(rays), len(shape.triangles)))
    return sorted_by_ray(row, hits, rays.query.every)
