# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons as fans of triangles from their first corner, as Wrap counts them.

A polygon of K corners has the K - 2 triangles (0, i + 1, i + 2), and those of all polygons are
numbered one after the other: unlike Blender's triangles, whichever way Blender cuts a polygon.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .mark import Triple

Integers = npt.NDArray[np.int64]


def fan_triangles(sizes: npt.ArrayLike, faces: npt.ArrayLike, fans: npt.ArrayLike) -> Integers:
    """Indices (N,) of the triangles number `fans` (N,) in the fans of `faces` (N,).

    `sizes` (F,) are the numbers of corners of all polygons.
    """
    raise NotImplementedError


def fan_corners(sizes: npt.ArrayLike, triangles: npt.ArrayLike) -> tuple[Integers, Integers]:
    """The polygons (N,) of triangles (N,), and each triangle's corners (N, 3) among the polygon's.

    A corner counts from 0, the polygon's first; add the polygon's first loop for a loop.
    """
    raise NotImplementedError


def place_in_fan(corners: npt.ArrayLike, point: npt.ArrayLike) -> tuple[int, Triple, float]:
    """Where a point of a polygon is in its fan: number of the triangle, weights, distance moved.

    `corners` are the positions (K, 3) of the polygon's corners; the point (3,) is on the polygon,
    or near it where the polygon is not flat. The weights (a, b, c) are of the triangle's corners
    (0, i + 1, i + 2); Wrap's u and v are the first two. The nearest triangle is taken, and its
    point nearest to this one.
    """
    raise NotImplementedError


def places_in_fans(
    corners: Sequence[npt.ArrayLike], points: npt.ArrayLike
) -> tuple[Integers, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """As :func:`place_in_fan`, of a polygon's corners (K, 3) for each of the points (N, 3)."""
    raise NotImplementedError
