# SPDX-License-Identifier: MIT
"""The place on each of some triangles that is visible nearest to a position in a view."""

from typing import NamedTuple

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray, dot
from ..numerics.vectors import matmul
from .around_pixel import AroundPixel, nearest_shares, pixels_away

# Pixels by which places that are as near may differ by rounding.
TIE = 1e-6

# A triangle whose area on the screen is less than this, relative, is a line there.
_LEAST_AREA = 1e-12

_CORNERS = np.eye(3)


class NearestVisible(NamedTuple):
    """A place on each of N triangles."""

    weights: FloatArray  # (N, 3), of the corners; NaN where nothing of the triangle is visible
    away: FloatArray  # (N,), pixels from the position; inf where nothing is visible
    covers: BoolArray  # (N,), visible at the position; the place is then one of its border


def nearest_visible(corners: FloatArray, around: AroundPixel, planes: FloatArray) -> NearestVisible:
    """Where triangles (N, 3, 3) are visible nearest to a position; of equals, nearest to the eye.

    What is visible has a x + b y + c z + d >= 0 for each of the planes (P, 4) and is in front of
    the eye. All in world space.
    """
    offsets, depths = around.offsets(corners), around.depths(corners)
    sides = matmul(corners, planes[:, :3].T) + planes[:, 3]
    covers = _covers(offsets, sides)
    weights, away = np.full((len(corners), 3), np.nan), np.full(len(corners), np.inf)
    is_cut: BoolArray = np.asarray((sides < 0.0).any(axis=(1, 2)))
    for rows in (np.flatnonzero(~is_cut), np.flatnonzero(is_cut)):
        if len(rows):
            polygons = np.broadcast_to(_CORNERS, (len(rows), 3, 3))
            for side in sides[rows].transpose(2, 0, 1) if is_cut[rows[0]] else ():
                polygons = _cut(polygons, side)
            weights[rows], away[rows] = _nearest(polygons, offsets[rows], depths[rows])
    return NearestVisible(weights, away, covers)


def _covers(offsets: FloatArray, sides: FloatArray) -> BoolArray:
    """Whether triangles of offsets (N, 3, 3) and sides (N, 3, P) are visible at the position."""
    first, second = offsets[:, (1, 2, 0)], offsets[:, (2, 0, 1)]
    weights = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    total = weights.sum(axis=1, keepdims=True)
    size = np.square(np.abs(offsets[..., :2]).max(axis=(1, 2)))
    with np.errstate(all="ignore"):
        weights = weights / total
        sides = np.concatenate([offsets[..., 2:], sides], axis=-1)
        place = (weights[..., None] * sides).sum(axis=1)
    covers: BoolArray = np.asarray((weights >= 0.0).all(axis=1))
    covers &= np.abs(total[:, 0]) > _LEAST_AREA * size
    covers &= (place[:, 0] > 0.0) & (place[:, 1:] >= 0.0).all(axis=1)
    return covers


def _cut(polygons: FloatArray, side: FloatArray) -> FloatArray:
    """What is left of convex polygons on the inner side of a plane (Sutherland and Hodgman, 1974).

    Polygons (N, M, 3), then (N, M + 1, 3), are corners as weights of a triangle's; the last may be
    repeated, and all are NaN where nothing is. `side` (N, 3) is what the plane says of the
    triangle's corners: 0 or more on the inner side.
    """
    value = dot(polygons, side[:, None])
    inside = value >= 0.0
    following, next_value = np.roll(polygons, -1, axis=1), np.roll(value, -1, axis=1)
    leaves = inside != np.roll(inside, -1, axis=1)
    with np.errstate(all="ignore"):
        share = (value / (value - next_value))[..., None]
        crossing = polygons * (1.0 - share) + following * share
    count, corners, _ = polygons.shape
    every = np.stack([polygons, crossing], axis=2).reshape(count, 2 * corners, 3)
    is_left = np.stack([inside, leaves], axis=2).reshape(count, 2 * corners)
    order = np.argsort(~is_left, axis=1, kind="stable")
    left = is_left.sum(axis=1, keepdims=True)
    place = np.minimum(np.arange(corners + 1), np.maximum(left - 1, 0))
    result = np.take_along_axis(every, np.take_along_axis(order, place, 1)[..., None], axis=1)
    result[left[:, 0] == 0] = np.nan
    return result


def _nearest(
    polygons: FloatArray, offsets: FloatArray, depths: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The nearest places on the borders of polygons (N, M, 3): weights (N, 3) and pixels (N,)."""
    start = matmul(polygons, offsets)
    end, following = np.roll(start, -1, axis=1), np.roll(polygons, -1, axis=1)
    share = nearest_shares(start, end)[..., None]
    places = polygons * (1.0 - share) + following * share
    away = pixels_away(start * (1.0 - share) + end * share)
    tied = away <= away.min(axis=1, keepdims=True) + TIE
    depth = np.where(tied, dot(places, depths[:, None]), np.inf)
    best = np.where(np.isnan(depth), np.inf, depth).argmin(axis=1)
    rows = np.arange(len(best))
    weights = np.maximum(places[rows, best], 0.0)
    return weights / weights.sum(axis=1, keepdims=True), away[rows, best]
