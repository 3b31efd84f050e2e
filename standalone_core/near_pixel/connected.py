# SPDX-License-Identifier: MIT
"""The connected component of a triangle among those that a view shows near a position."""

from __future__ import annotations

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..region import Triangles
from .around_pixel import nearest_shares, pixels_away


def connected_to(row: int, found: Triangles, offsets: FloatArray, radius: float) -> BoolArray:
    """Those of N triangles that one leads to, from neighbor to neighbor within a radius, (N,).

    Triangles are neighbors if they have an edge in common of which a part is seen
    within the radius, or a vertex that is seen there, or are of one face. Vertices at the same
    place are the same, so a mesh whose faces have been split apart is still one component.

    Parameters
    ----------
    row : int
        The triangle to begin with.
    found : Triangles
        Of one instance.
    offsets : ndarray (N, 3, 3)
        Offsets of the corners, as :class:`.AroundPixel` has them.
    radius : float
        In pixels.
    """
    count = len(found)
    vertices = _same(found.corners)
    following = np.roll(vertices, -1, axis=1)
    edges = np.minimum(vertices, following) * (3 * count) + np.maximum(vertices, following)
    end = np.roll(offsets, -1, axis=1)
    share = nearest_shares(offsets, end)[..., None]
    triangles, groups, groups_so_far = [], [], 0
    for names, is_near in (
        (edges, pixels_away(offsets * (1.0 - share) + end * share) <= radius),
        (vertices, pixels_away(offsets) <= radius),
        (found.face[:, None], np.ones((count, 1), dtype=np.bool_)),
    ):
        kinds, group = np.unique(names[is_near], return_inverse=True)
        triangles.append(np.nonzero(is_near)[0])
        groups.append(group.reshape(-1) + groups_so_far)
        groups_so_far += len(kinds)
    label = _components(count, np.concatenate(triangles), np.concatenate(groups), groups_so_far)
    same: BoolArray = label == label[row]
    return same


def _same(corners: FloatArray) -> IntArray:
    """A number for each corner (N, 3), the same for those at the same place."""
    points = corners.reshape(-1, 3)
    order = np.lexsort(points.T)
    points = points[order]
    is_new = (points[1:] != points[:-1]).any(axis=1)
    numbers = np.zeros(len(points), dtype=np.int64)
    numbers[order[1:]] = np.cumsum(is_new)
    return numbers.reshape(-1, 3)


def _components(count: int, item: IntArray, group: IntArray, groups: int) -> IntArray:
    """A label for each of some items (count,), the same for those that groups lead to.

    Labels fall to the least around them, and what had a label follows it: the rounds it takes grow
    with the logarithm of the way (Shiloach and Vishkin, 1982).

    Parameters
    ----------
    item, group : ndarray (K,)
        Which items are in which groups.
    """
    label, is_new = np.arange(count), True
    while is_new:
        least = np.full(groups, count)
        np.minimum.at(least, group, label[item])
        lower = label.copy()
        np.minimum.at(lower, item, least[group])
        np.minimum.at(lower, label[item], least[group])
        lower = np.minimum(lower, lower[lower])
        label, is_new = lower, not np.array_equal(lower, label)
    return np.asarray(label)
