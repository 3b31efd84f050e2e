# SPDX-License-Identifier: MIT
"""Where many rays meet triangles that they go through, as columns."""

import numpy as np

from ..numerics import rational
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.columns import distinct
from ..numerics.ray_triangle import (
    BEGIN,
    DISTANT,
    FIRST_STEP,
    FLAT,
    LAST_STEP,
    LEAST,
    MAX_STEPS,
    ORDINARY,
    STEEP,
    TINY,
    Equations,
    Vector,
    correction,
    dot3,
    equations,
    point_on,
    solution,
)
from .rays import RayBatch


def solve_many(
    corners: FloatArray, rays: RayBatch, row: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """t, v, w (N,), normal and point (3, N) of rays that go through triangles (3, 3, N)."""
    o, d = components(rays.origins[row]), components(rays.directions[row])
    a, b, c = (vector(corner) for corner in corners)
    known = equations(vector(o), vector(d), a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2 = np.abs(e1).max(axis=0), np.abs(e2).max(axis=0)
    size = np.maximum(size1, size2)
    full = np.abs(d).max(axis=0) * size1 * size2
    slope = np.abs(dot3(vector(d), normal))
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
    point = np.stack(point_on(a, e1, e2, v, w))
    normals = np.stack(normal)
    left = np.flatnonzero(~done)
    if len(left):
        first, kind = distinct(np.concatenate([corners[..., left].reshape(9, -1), row[None, left]]))
        lone = left[first]
        weights, places = rational.crossings(o[:, lone], d[:, lone], *corners[..., lone])
        t[left], v[left], w[left] = weights[:, kind]
        normals[:, left], point[:, left] = places[..., kind]
    return t, v, w, normals, point


def components(rows: FloatArray) -> FloatArray:
    """Rows (N, ...) as components (..., N), each in one piece, which NumPy is fastest with."""
    return np.ascontiguousarray(np.moveaxis(rows, 0, -1))


def vector(components: FloatArray) -> Vector[FloatArray]:
    """Components (3, ...) as a tuple of three."""
    x, y, z = components
    return x, y, z


def _rows(known: Equations[FloatArray], rows: IntArray) -> Equations[FloatArray]:
    """Some rows of all columns."""
    taken = [(x[rows], y[rows], z[rows]) for x, y, z in known]
    return tuple(taken)  # type: ignore[return-value]
