# SPDX-License-Identifier: MIT
"""Triangles seen along a ray: the exact ray-triangle test of every cast.

The ray becomes the z axis by a permutation of the axes and a shear (Woop, Benthin and Wald,
"Watertight ray/triangle intersection", JCGT 2013). What a vertex becomes depends on the vertex
and the ray alone, so triangles that share it agree on it to the last bit; the sides of their
edges are then decided exactly (:mod:`.predicates`), with one rule for ties. Together these make
a closed mesh of triangles that have an area watertight, and every crossing is counted once. (A
triangle without area is never hit, so it closes no gap either.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .arrays import EPS, BoolArray, FloatArray, IntArray, area_normal, power_of_two, scaled_edges
from .columns import Columns, run_starts
from .predicates import edge_function, tie_broken_sign

# What the exact test sees of a vertex, and where the vertex is, differ by the rounding of a
# difference, a product and a sum of numbers no larger than the extents of mesh and origin; the
# boxes of a tree and the slab test round about as often.
_ROUNDING = 24 * EPS

# Products of three numbers between these sizes stay far from the ends of float64's range.
_SMALL, _LARGE = 1e-90, 1e90


def rounding_margin(extent: float, origins: FloatArray) -> FloatArray:
    """How far off (...) a vertex can appear to rays from `origins` (..., 3).

    Culling by boxes or half-spaces must leave this margin, or it loses hits of the exact test.

    Parameters
    ----------
    extent : float
        Largest size of a finite coordinate of the vertices, in the space of the rays.
    """
    margin: FloatArray = _ROUNDING * (extent + np.abs(origins).max(axis=-1))
    return margin


@dataclass(frozen=True, slots=True)
class RayFrame:
    """The permutation and shear that make each of R rays the z axis.

    Attributes
    ----------
    origin : ndarray (R, 3)
        Origins, their components in the order of `axes`.
    axes : ndarray (R, 3) of int64
        Which components become x, y and z; z is the direction's largest one, and x and y are
        swapped where it is negative, which keeps the triangles' winding.
    shear : ndarray (R, 3)
        Multiples of z that are taken off x and y, and the scale of z to the ray's parameter.
    """

    origin: FloatArray
    axes: IntArray
    shear: FloatArray

    @classmethod
    def of(cls, origins: FloatArray, directions: FloatArray) -> RayFrame:
        """Frames of rays (R, 3), (R, 3); directions of any length above 0."""
        rows = np.arange(len(origins))
        kz = np.abs(directions).argmax(axis=1)
        swap = directions[rows, kz] < 0.0
        kx = np.where(swap, kz + 2, kz + 1) % 3
        ky = np.where(swap, kz + 1, kz + 2) % 3
        axes = np.stack([kx, ky, kz], axis=1).astype(np.int64)
        d = np.take_along_axis(directions, axes, axis=1)
        shear = np.stack([d[:, 0] / d[:, 2], d[:, 1] / d[:, 2], 1.0 / d[:, 2]], axis=1)
        return cls(np.take_along_axis(origins, axes, axis=1), axes, shear)

    def see(self, points: FloatArray, rays: IntArray) -> FloatArray:
        """Points (N, 3), each seen along its ray `rays` (N,), as (N, 3): x, y across, z = t."""
        p = np.take_along_axis(points, self.axes[rays], axis=1) - self.origin[rays]
        shear = self.shear[rays]
        z = p[:, 2]
        return np.stack(
            [p[:, 0] - shear[:, 0] * z, p[:, 1] - shear[:, 1] * z, shear[:, 2] * z], axis=1
        )


@dataclass(frozen=True, eq=False)
class Crossings(Columns):
    """Where rays go through triangles, as columns (N,), weights and normals (N, 3).

    `t` counts in lengths of the ray's direction; the normals are by the triangles' winding and
    have any length above 0.
    """

    ray: IntArray
    triangle: IntArray
    t: FloatArray
    weights: FloatArray
    front: BoolArray
    normal: FloatArray

    @classmethod
    def none(cls) -> Crossings:
        """No crossing at all."""
        nothing = np.empty(0, dtype=np.int64)
        vectors = np.empty((0, 3))
        return cls(nothing, nothing, np.empty(0), vectors, np.empty(0, dtype=np.bool_), vectors)

    def ordered(self, every: bool) -> Crossings:
        """Sorted by ray, t and triangle; without `every`, only the first of each ray."""
        rows = np.lexsort((self.triangle, self.t, self.ray))
        if not every:
            rows = rows[run_starts(self.ray[rows])]
        return self.take(rows)

    def shifted(self, rays: int) -> Crossings:
        """The same crossings of rays that are numbered from `rays` on."""
        return replace(self, ray=self.ray + rays)


def cross_triangles(
    a: FloatArray, b: FloatArray, c: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Test triangles whose corners (N, 3) are seen along their rays.

    Returns
    -------
    t : ndarray (N,)
        Parameter along the ray, also negative; NaN where the ray's line misses the triangle,
        where the triangle is seen edge-on or has no area, and where a number is not finite.
    weights : ndarray (N, 3)
        Barycentric weights of a, b and c.
    front : ndarray (N,) of bool
        Whether the ray comes from the side on which a, b, c run counter-clockwise.
    """
    ax, ay, bx, by, cx, cy = _moderate(a, b, c)
    u = edge_function(cx, cy, bx, by)
    v = edge_function(ax, ay, cx, cy)
    w = edge_function(bx, by, ax, ay)
    side_u = tie_broken_sign(u, cx, cy, bx, by)
    side_v = tie_broken_sign(v, ax, ay, cx, cy)
    side_w = tie_broken_sign(w, bx, by, ax, ay)
    inside = (side_u == side_v) & (side_v == side_w) & (side_u != 0.0)
    determinant = u + v + w
    weights = np.stack([u, v, w], axis=1) / determinant[:, None] + 0.0  # no -0.0
    t = (u * a[:, 2] + v * b[:, 2] + w * c[:, 2]) / determinant
    t = np.where(inside & np.isfinite(t), t, np.nan)
    return t, weights, side_u > 0.0


def _moderate(*corners: FloatArray) -> list[FloatArray]:
    """x and y of each corner, brought to order 1 where their products would over- or underflow."""
    across = [corner[:, axis] for corner in corners for axis in (0, 1)]
    size = np.abs(across).max(axis=0)
    extreme = (size < _SMALL) | (size > _LARGE)
    if not extreme.any():
        return across
    scale = np.where(extreme, power_of_two(size), 1.0)
    return [coordinate / scale for coordinate in across]


def cast_candidates(
    frame: RayFrame,
    rays: IntArray,
    triangles: IntArray,
    corners: tuple[FloatArray, FloatArray, FloatArray],
    max_distance: FloatArray,
    cull_sign: int,
) -> Crossings:
    """The real crossings among candidate pairs of a ray and a triangle.

    Parameters
    ----------
    frame : RayFrame
        Of R rays.
    rays, triangles : ndarray (N,)
        The pairs.
    corners : three ndarray (N, 3)
        The triangles' vertices, in the space of the rays.
    max_distance : ndarray (R,)
        In lengths of each ray's direction.
    cull_sign : int
        1 keeps front-facing hits, -1 back-facing ones, 0 both.
    """
    with np.errstate(all="ignore"):
        a, b, c = (frame.see(corner, rays) for corner in corners)
        t, weights, front = cross_triangles(a, b, c)
    kept = (t >= 0.0) & (t <= max_distance[rays])
    if cull_sign:
        kept &= front == (cull_sign > 0)
    u, v, _ = scaled_edges(*(corner[kept] for corner in corners))
    # The rounding of the shear can open a triangle without area a crack.
    normal, has_area = area_normal(u, v)
    return Crossings(rays[kept], triangles[kept], t[kept], weights[kept], front[kept], normal).take(
        has_area
    )
