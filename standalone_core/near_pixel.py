# SPDX-License-Identifier: MIT
"""The surroundings of a pixel: a region of space, and visible places on triangles there."""

from typing import Any, NamedTuple

import numpy as np

from . import arguments
from .camera import Camera
from .numerics.arrays import EPS, BoolArray, FloatArray, IntArray, dot
from .numerics.columns import distinct
from .numerics.vectors import matmul
from .region import Region, Triangles

# The rounding of offsets in pixels: relative, and absolute in views of some thousand pixels.
_WIDENING = 1.0 + 64 * EPS
_LEAST_REACH = 1e-9

# Distances in pixels that differ by no more than this count as equal.
TIE = 1e-6

# A triangle whose area on the screen is a smaller share of its squared size is a line there.
_LEAST_AREA = 1e-12

_CORNERS = np.eye(3)


class AroundPixel:
    """The surroundings of a position in a view.

    A world point appears q / w pixels beside the position. Both the offset q (x and y) and the
    depth w, above 0 in front of the eye, are linear in the point: a place between two points has an
    offset and a depth between theirs, even if one of them is behind the eye.

    `ray` is the pick ray through the pixel (x, y). If the camera `is_perspective`, all rays come
    from its origin; else they are parallel.

    Examples
    --------
    >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)  # orthographic
    >>> AroundPixel(camera, 50, 60).offsets((0.5, 0, -5)).tolist()
    [25.0, -10.0, 1.0]
    """

    __slots__ = ("_rows", "_view", "is_perspective", "ray")

    def __init__(self, camera: Camera, x: float, y: float) -> None:
        p0, p1, _, p3 = camera.projection
        across, up = camera.width / 2.0, camera.height / 2.0
        down = camera.convention == "direct3d"
        rows = [p0 * across + p3 * (across - x), p1 * (-up if down else up) + p3 * (up - y), p3]
        # Where rays are parallel, the depth is the same everywhere, and everything is in front.
        self._rows = np.array(rows) * (1.0 if camera.is_perspective else np.sign(p3[3]))
        self._view = camera.view
        self.ray = camera.ray(x, y)
        self.is_perspective = camera.is_perspective

    def offsets(self, points: Any) -> FloatArray:
        """Offset and depth (qx, qy, w) of world points, (..., 3) -> (..., 3)."""
        p = arguments.points(points, "points")
        in_view = matmul(p, self._view[:3, :3].T) + self._view[:3, 3]
        return np.asarray(matmul(in_view, self._rows[:, :3].T) + self._rows[:, 3])

    def depths(self, points: FloatArray) -> FloatArray:
        """The distances (...) of world points (..., 3) along the ray, from its origin."""
        result: FloatArray = matmul(points - self.ray.origin, self.ray.direction)
        return result

    def toward(self, points: FloatArray) -> FloatArray:
        """The directions, of any length, in which one looks at world points (..., 3)."""
        if self.is_perspective:
            return points - self.ray.origin
        return np.broadcast_to(self.ray.direction, points.shape)

    def region(self, radius: float) -> Region:
        """The world points at most `radius` pixels from the position, in x and in y."""
        reach = radius * _WIDENING + _LEAST_REACH
        x, y, depth = self._rows
        sides = [side + reach * depth for side in (x, -x, y, -y)]
        return Region.of(sides).moved(self._view)


def pixels_away(offsets: FloatArray) -> FloatArray:
    """The distance in pixels (...) of offsets (..., 3) from the position; inf behind the eye."""
    with np.errstate(all="ignore"):
        away = np.hypot(offsets[..., 0], offsets[..., 1]) / offsets[..., 2]
    return np.where(offsets[..., 2] > 0.0, away, np.inf)


@np.errstate(all="ignore")
def nearest_shares(start: FloatArray, end: FloatArray) -> FloatArray:
    """The share (...) of each line at which it is nearest to the position on the screen.

    The share is measured in space, 0 at the start and 1 at the end; the ends (..., 3) are offsets.
    Where both are behind the eye, the result means nothing.

    The place at t appears q(t) / w(t) beside the position, q(t) = (1 - t) q0 + t q1. The foot of
    the position on the line on the screen is where q(t) . along = 0. Where it is beyond an end that
    is in front of the eye, that end is nearest.
    """
    along = end[..., :2] * start[..., 2:] - start[..., :2] * end[..., 2:]
    from_start, from_end = ((q[..., :2] * along).sum(axis=-1) for q in (start, end))
    at_start = (from_start >= 0.0) & (start[..., 2] > 0.0)
    at_end = (from_end <= 0.0) & (end[..., 2] > 0.0)
    foot = np.clip(from_start / (from_start - from_end), 0.0, 1.0)
    shares = np.select([at_start, at_end], [0.0, 1.0], foot)
    return np.where(np.isnan(shares), np.where(start[..., 2] > 0.0, 0.0, 1.0), shares)


class NearestVisible(NamedTuple):
    """A place on each of N triangles."""

    weights: FloatArray  # (N, 3), of the corners; NaN where nothing of the triangle is visible
    away: FloatArray  # (N,), pixels from the position; inf where nothing is visible
    covers: BoolArray  # (N,), visible at the position itself; the place is on the border even then


def nearest_visible(corners: FloatArray, around: AroundPixel, planes: FloatArray) -> NearestVisible:
    """The visible places of triangles (N, 3, 3) nearest to a position; of ties, to the eye.

    A visible place has a x + b y + c z + d >= 0 for each of the planes (P, 4) and is in front of
    the eye. Triangles and planes are in world space.
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
    """Convex polygons cut off at a plane, (N, M, 3) -> (N, M + 1, 3) (Sutherland, Hodgman, 1974).

    Their corners are weights of a triangle's corners. The last may be repeated, and all are NaN
    where nothing is left. `side` (N, 3) is the plane's value at the triangle's corners: 0 or more
    on the side that is kept.
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


def connected_to(row: int, found: Triangles, offsets: FloatArray, radius: float) -> BoolArray:
    """Which of N triangles are connected to one of them, within a radius: (N,).

    Neighbors share an edge that is partly visible within the radius, a vertex that is visible
    there, or a face. Vertices at the same place are the same, so a mesh whose faces have been split
    apart is still one component.

    The triangles are of one instance; `row` is the one to begin with. `offsets` (N, 3, 3) are the
    :meth:`.AroundPixel.offsets` of the corners, and the radius is in pixels.
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
    return np.asarray(label == label[row])


def _components(count: int, item: IntArray, group: IntArray, groups: int) -> IntArray:
    """A label for each item (count,), the same for all items that are connected by shared groups.

    Item ``item[k]`` is in the group ``group[k]``. Each round lowers the label of an item to the
    least label in its groups, and takes along the other items that had its old label. The number of
    rounds grows with the logarithm of the longest connection (Shiloach and Vishkin, 1982).
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
