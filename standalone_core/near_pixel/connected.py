# SPDX-License-Identifier: MIT
"""The connected component of a triangle among those that a view shows near a position."""

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.columns import distinct
from ..region import Triangles
from .around_pixel import nearest_shares, pixels_away


def connected_to(row: int, found: Triangles, offsets: FloatArray, radius: float) -> BoolArray:
    """Which of N triangles are connected to one of them, within a radius: (N,).

    Neighbors share an edge that is partly visible within the radius, a vertex that is visible
    there, or a face. Vertices at the same place are the same, so a mesh whose faces have been split
    apart is still one component.

    The triangles are of one instance; `row` is the one to begin with. `offsets` (N, 3, 3) are those
    of the corners, as :class:`.AroundPixel` has them, and the radius is in pixels.
    """
    count = len(found)
    vertices = distinct(found.corners.reshape(-1, 3).T)[1].reshape(-1, 3)
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


def _components(count: int, item: IntArray, group: IntArray, groups: int) -> IntArray:
    """A label for each of some items (count,), the same for those that groups lead to.

    `item` and `group` (K,) say which items are in which groups. Labels fall to the least around
    them, and what had a label follows it: the rounds it takes grow with the logarithm of the way
    (Shiloach and Vishkin, 1982).
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
