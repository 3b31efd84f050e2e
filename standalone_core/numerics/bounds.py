# SPDX-License-Identifier: MIT
"""How far finite vertices reach."""

import math

import numpy as np

from .arrays import FloatArray, SingleArray
from .read_only import read_only


def finite_extent(vertices: FloatArray) -> float:
    """Largest size of a finite coordinate of vertices (V, 3); 0 without one."""
    if not vertices.size:
        return 0.0
    extent = max(float(vertices.max()), -float(vertices.min()))
    if math.isfinite(extent):
        return extent
    return float(np.abs(vertices[np.isfinite(vertices)]).max(initial=0.0))


def finite_bounds(vertices: FloatArray | SingleArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corner (3,) around the finite ones of vertices (V, 3); NaN without one.

    Both are read-only.
    """
    if not len(vertices):
        return read_only(np.full(3, np.nan)), read_only(np.full(3, np.nan))
    # Axis by axis is faster than min(axis=0).
    lower, upper = (
        np.array([pick(vertices[:, axis]) for axis in range(3)]) for pick in (np.min, np.max)
    )
    if not np.isfinite([lower, upper]).all():
        return finite_bounds(vertices[np.isfinite(vertices).all(axis=1)])
    return read_only(lower), read_only(upper)
