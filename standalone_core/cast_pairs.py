# SPDX-License-Identifier: MIT
"""Many pairs of a ray and a triangle that it may hit, as columns."""

from __future__ import annotations

import numpy as np

from . import rational
from .arrays import BoolArray, FloatArray, IntArray
from .double_double import two_difference
from .geometry import Geometry
from .hit import RayHits
from .intersection import (
    BEGIN,
    DISTANT,
    FIRST_STEP,
    FLAT,
    LAST_STEP,
    LEAST,
    MAX_STEPS,
    ORDINARY,
    SIDE_CEILING,
    SIDE_FLOOR,
    SIDE_MARGIN,
    STEEP,
    TINY,
    Equations,
    Vector,
    correction,
    dot3,
    edge_side,
    equations,
    point_on,
    solution,
    tie_sides,
)
from .ray_batch import RayBatch
from .ray_frame import frames_of


def cast_pairs(
    geometry: Geometry, rays: RayBatch, axes: FloatArray, row: IntArray, item: IntArray
) -> tuple[IntArray, RayHits]:
    """The hits among pairs (N,) of a ray and a triangle, in the order of the pairs.

    Parameters
    ----------
    geometry : Geometry
    rays : RayBatch
    axes : ndarray (R, 2, 3)
        The rays' :func:`.all_axes_across`.
    row, item : ndarray (N,)
        The pairs.

    Returns
    -------
    row : ndarray (M,)
        The ray of each hit.
    hits : RayHits
    """
    excluded = rays.question.excluded
    if excluded is not None:
        kept = ~excluded[item]
        row, item = row[kept], item[kept]
    corners = geometry.vertices.take(geometry.triangles.take(item, axis=0), axis=0)
    with np.errstate(all="ignore"):
        side = _sides(corners, rays, axes, row)
        crossed = np.flatnonzero(side)
        row, item, side = row[crossed], item[crossed], side[crossed]
        t, v, w, normal, point = _solutions(corners[crossed], rays, row)
        distance = t * rays.lengths[row]
        hit = (t >= 0.0) & (distance <= rays.limits[row]) & (distance < np.inf)
        if rays.question.cull_sign:
            hit &= side == rays.question.cull_sign
        unit = normal / np.sqrt(dot3(*_columns(normal, normal)))[:, None]
    hits = RayHits(
        distance=distance,
        point=point,
        normal=unit,
        triangle=item,
        face=item if geometry.faces is None else geometry.faces[item],
        barycentric=np.stack([np.maximum((1.0 - v) - w, 0.0), v, w], axis=1),
        front=side > 0.0,
        instance=np.zeros(len(item), dtype=np.int64),
    )
    return row[hit], hits.take(hit)


def _sides(corners: FloatArray, rays: RayBatch, axes: FloatArray, row: IntArray) -> FloatArray:
    """From which side rays go through triangles (N, 3, 3): 1 front, -1 back, 0 not at all."""
    moved = corners - rays.origins.take(row, axis=0)[:, None]
    axes = axes.take(row, axis=0)
    x = dot3(*_columns(moved, axes[:, None, 0]))
    y = dot3(*_columns(moved, axes[:, None, 1]))
    ax, bx, cx = x.T
    ay, by, cy = y.T
    u = cx * by - cy * bx
    v = ax * cy - ay * cx
    w = bx * ay - by * ax
    size = np.maximum(np.abs(x), np.abs(y)).max(axis=1)
    reach = np.abs(moved).reshape(-1, 9).max(axis=1)
    bound = SIDE_MARGIN * size * reach + SIDE_FLOOR
    bound[~(bound < SIDE_CEILING)] = np.inf
    least, most = np.minimum(np.minimum(u, v), w), np.maximum(np.maximum(u, v), w)
    side: FloatArray = (least > bound) * 1.0 - (most < -bound) * 1.0
    unsure = (side == 0.0) & ~((least < -bound) & (most > bound))
    unsure &= np.isfinite(corners).reshape(-1, 9).all(axis=1)
    if unsure.any():
        rows = np.flatnonzero(unsure)
        side[rows] = _exact_sides(corners[rows], rays, row[rows])
    return side


def _exact_sides(corners: FloatArray, rays: RayBatch, row: IntArray) -> FloatArray:
    """:func:`_sides` where float64 alone does not know."""
    o, d = rays.origins[row], rays.directions[row]
    frames = np.stack(frames_of(d), axis=1)
    side = np.zeros((3, len(row)))
    for edge, (p, q) in enumerate(((2, 1), (0, 2), (1, 0))):
        side[edge], unsure = _edge_sides(o, d, corners[:, p], corners[:, q], frames)
        for i in np.flatnonzero(unsure):
            side[edge, i] = rational.edge_side(
                o[i].tolist(), d[i].tolist(), corners[i, p].tolist(), corners[i, q].tolist()
            )
    agreed = (side[0] == side[1]) & (side[1] == side[2])
    return np.where(agreed, side[0], 0.0)


def _edge_sides(
    o: FloatArray, d: FloatArray, p: FloatArray, q: FloatArray, frames: IntArray
) -> tuple[FloatArray, BoolArray]:
    """:func:`.side_of_edge` for many: sides, and where they are not sure."""
    value, bound = edge_side(*_columns(o, d, p, q))
    side = np.sign(value)
    unsure = ~(np.abs(value) > bound + SIDE_FLOOR)
    differences = (*two_difference(p, o), *two_difference(q, o), *two_difference(p, q))
    sizes = np.abs(np.concatenate([d, *differences], axis=1))
    least = np.where(sizes == 0.0, np.inf, sizes).min(axis=1)
    tied = np.flatnonzero(unsure & (value == 0.0) & (bound == 0.0) & (least >= LEAST))
    if len(tied):
        d, p, q = (np.take_along_axis(x[tied], frames[tied], axis=1) for x in (d, p, q))
        first, first_bound, second, second_bound = tie_sides(*_columns(d, p, q))
        side[tied] = np.where(first != 0.0, np.sign(first), np.sign(second))
        sure = (np.abs(first) > first_bound) | ((first == 0.0) & (first_bound == 0.0))
        sure &= (first != 0.0) | (np.abs(second) > second_bound) | (second_bound == 0.0)
        unsure[tied] = ~sure
    return side, unsure


def _solutions(
    corners: FloatArray, rays: RayBatch, row: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """t, v, w (N,), normal and point (N, 3) of rays that go through triangles (N, 3, 3)."""
    origins, directions = rays.origins[row], rays.directions[row]
    o, d, a, b, c = _columns(origins, directions, *corners.transpose(1, 0, 2))
    known = equations(o, d, a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2 = np.abs(e1).max(axis=0), np.abs(e2).max(axis=0)
    size = np.maximum(size1, size2)
    full = np.abs(d).max(axis=0) * size1 * size2
    slope = np.abs(dot3(d, normal))
    away = np.abs(s).max(axis=0)
    done = (size > TINY) & (size < ORDINARY) & (away < ORDINARY) & (slope > FLAT * full)
    done &= slope > DISTANT * (np.abs(d).max(axis=0) * size * (away + size))
    done &= np.abs(normal).max(axis=0) > LEAST
    sizes = np.abs([*d, *s, *e1, *e2])
    done &= ((sizes >= LEAST) | (sizes == 0.0)).all(axis=0)
    t, v, w = solution(known, s)
    active = np.flatnonzero(done)
    done[:] = False
    for step in range(MAX_STEPS):
        if not len(active):
            break
        part = known if len(active) == len(t) else _rows(known, active)
        dt, dv, dw = correction(part, t[active], v[active], w[active])
        t[active] += dt
        v[active] += dv
        w[active] += dw
        trusted = (step == 0) & (slope[active] > STEEP * full[active])
        enough = np.where(trusted, FIRST_STEP, LAST_STEP)
        good = (np.abs(dt) <= enough * np.abs(t[active])) & (np.abs(dv) <= enough)
        good &= np.abs(dw) <= enough
        done[active[good]] = True
        active = active[~good]
    done &= np.abs(t) * slope > BEGIN * (away + size) * size1 * size2
    v, w = np.maximum(v, 0.0) + 0.0, np.maximum(w, 0.0) + 0.0
    point = np.stack(point_on(a, e1, e2, v, w), axis=1)
    normals = np.stack(normal, axis=1)
    for i in np.flatnonzero(~done):
        t[i], v[i], w[i], normals[i], point[i] = rational.crossing(
            origins[i].tolist(), directions[i].tolist(), *corners[i].tolist()
        )
    return t, v, w, normals, point


def _columns(*vectors: FloatArray) -> list[Vector[FloatArray]]:
    """Vectors (..., 3) as tuples of three (...)."""
    return [(p[..., 0], p[..., 1], p[..., 2]) for p in vectors]


def _rows(known: Equations[FloatArray], rows: IntArray) -> Equations[FloatArray]:
    """Some rows of all columns."""
    taken = [(x[rows], y[rows], z[rows]) for x, y, z in known]
    return tuple(taken)  # type: ignore[return-value]
