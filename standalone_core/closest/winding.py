# SPDX-License-Identifier: MIT
"""Winding numbers of points: how often the surface goes around each.

A descent through the tree adds up the shares of clusters that are far enough away, and those of
near triangles (:mod:`.solid_angle`). It knows how far off the sum can be at most. Where that is too
much, as for points whose number is near a half, the next descent trusts no cluster that is not
farther away; the last one goes to all triangles.
"""

from __future__ import annotations

from math import inf, pi
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..bvh import LEAF, WIDTH, Tree
from ..bvh.tree import child_count
from ..cast.rays import Geometry
from ..concurrency.forks import Lock
from ..concurrency.threads import go_on, on_all_cores
from ..numerics.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    area_normal,
    cross,
    dot_columns,
    finite_extent,
    pieces,
    power_of_two,
    scaled_edges,
)
from ..numerics.ray_triangle import Vector
from .solid_angle import FIELDS, careful_share, is_near, share_from_afar, share_of, tangent

INSIDE = 0.5 + 2.0**-30
"""A point is inside if its number is larger. A number of a half does not get there by rounding: not
by that of one share, nor by that of 2**18 triangles whose edges are all seen under at most a right
angle (:data:`.NEAR`)."""

FIRST, NEXT, LAST = 2.0**-5, 2.0**-3, 2.0**-24
"""The first descent opens clusters with a larger error than FIRST; each one after it divides the
error that it allows by 8, as NEXT says. Once that is below LAST, all triangles are added up."""

SHARE = 2.0**-6
"""The most that the first descent allows of a point's tolerance."""

FAR = 2.0**100
"""Points with larger coordinates, in the tree's units, see next to nothing."""

LEAST_SCALE = 2.0**-1000

# The areas of all triangles that underflow are less than 2**-40 of it.
_LEAST_AREA = 2.0**-400

# Instead of a center and a radius, where a last node has no child.
_NOWHERE, _NOTHING = 1e9, -1.0

# Leaves whose moments a thread computes at a time, points that descend together, pairs of a point
# and a node that are tested together, and triangles.
_LEAVES, _POINTS, _PAIRS, _TRIANGLES = 1 << 10, 1 << 8, 1 << 10, 1 << 12

# The work of a triangle's moments, compared with that of an element of an array.
_WORK = 1 << 6

_CHILDREN = np.arange(WIDTH)


class Clusters(NamedTuple):
    """The triangles below each child of each node of a tree."""

    triangles: IndexArray  # (LEAF * leaves, 3) in the tree's order; what does not count is a point
    fields: FloatArray  # (nodes, FIELDS, WIDTH), see `share_from_afar`; in the tree's units


# Trees never change, so these entries live as long as their trees.
_known: WeakKeyDictionary[Tree, tuple[BoolArray | None, Clusters]] = WeakKeyDictionary()
_making = Lock()


def clusters_of(geometry: Geometry, tree: Tree, excluded: BoolArray | None) -> Clusters:
    """The clusters of a tree without excluded triangles (T,), kept for later."""
    known = _known.get(tree)
    if known is None or known[0] is not excluded:
        with _making.here:  # The first thread makes them, others wait.
            known = _known.get(tree)
            if known is None or known[0] is not excluded:
                known = _known[tree] = excluded, _clusters(geometry, tree, excluded)
    return known[1]


def nbytes(tree: Tree) -> int:
    """Memory of the clusters that are kept of a tree, in bytes."""
    known = _known.get(tree)
    return 0 if known is None else known[1].triangles.nbytes + known[1].fields.nbytes


def surface_area(geometry: Geometry) -> float:
    """The area of all triangles that count; inf if it may be wrong, as it under- or overflows."""
    triangles = counted_triangles(geometry, slice(None), None)
    corners = geometry.vertices[triangles[triangles[:, 0] != triangles[:, 1]]]
    with np.errstate(all="ignore"):
        area = float(_area(corners.transpose(1, 2, 0)).sum())
    return area if area > _LEAST_AREA else inf


def counted_triangles(geometry: Geometry, order: Any, excluded: BoolArray | None) -> IndexArray:
    """Triangles (N, 3) in an order; those that do not count have one vertex for all three."""
    triangles = geometry.triangles[order]
    corners = geometry.vertices[triangles]
    with np.errstate(all="ignore"):
        _, counts = area_normal(*scaled_edges(*corners.swapaxes(0, 1)))
        counts &= np.isfinite(corners).all(axis=(1, 2))
    if excluded is not None:
        counts &= ~excluded[order]
    return np.asarray(np.where(counts[:, None], triangles, triangles[:, :1]))


# Clusters


class _Moments(NamedTuple):
    """Integrals over N clusters of triangles, with h a place's way from the middle of its cluster.

    The middles are those of the areas; n is the unit normal.
    """

    middle: FloatArray  # (3, N)
    area: FloatArray  # (N,)
    normal: FloatArray  # (3, N), of n
    first: FloatArray  # (3, 3, N), of n h
    second: FloatArray  # (3, 3, 3, N), of n h h


def _clusters(geometry: Geometry, tree: Tree, excluded: BoolArray | None) -> Clusters:
    counted = counted_triangles(geometry, tree.order, excluded)
    filling = counted[-1:, :1].repeat(3, axis=1).repeat(-len(counted) % LEAF, axis=0)
    triangles = np.concatenate([counted, filling])
    fields = np.empty((tree.node_count, FIELDS, WIDTH))
    corners = np.empty((3, 3, len(triangles)))  # corner, axis, triangle
    parts = pieces(tree.leaf_count, _LEAVES)

    def moments(part: slice) -> _Moments:
        some = slice(part.start * LEAF, part.stop * LEAF)
        places = (geometry.vertices[triangles[some]] - tree.center) / tree.scale
        corners[:, :, some] = places.transpose(1, 2, 0)
        return _joined(_of_triangles(corners[:, :, some]), LEAF)

    found = on_all_cores(moments, parts, len(triangles) * _WORK)
    all_of = _Moments(*(np.concatenate(each, axis=-1) for each in zip(*found, strict=True)))
    areas = _area(corners)
    each, starts = LEAF, tree.starts.tolist()
    for height in range(len(tree.levels)):
        if height:
            all_of, each = _joined(all_of, WIDTH), each * WIDTH
        rows = _fields(all_of, *_extents(all_of.middle, corners, areas, each))
        nodes = len(tree.levels[height])
        padded = _padded(rows, WIDTH)
        padded[:, child_count(tree, height) :] = 0.0
        padded[0, child_count(tree, height) :] = _NOWHERE
        padded[3, child_count(tree, height) :] = _NOTHING
        start = starts[-1 - height]
        fields[start : start + nodes] = padded.reshape(FIELDS, nodes, WIDTH).swapaxes(0, 1)
    return Clusters(triangles, fields)


def _normals(corners: FloatArray) -> FloatArray:
    """Vectors (3, N) along the normals of triangles (3, 3, N), as long as these are large."""
    u, v = (corners[1] - corners[0]).T, (corners[2] - corners[0]).T
    return 0.5 * np.ascontiguousarray(cross(u, v).T)


def _area(corners: FloatArray) -> FloatArray:
    normals = _normals(corners)
    return np.asarray(np.sqrt(dot_columns(normals, normals)))


def _of_triangles(corners: FloatArray) -> _Moments:
    """The moments of triangles (3, 3, N), each a cluster."""
    middle = (corners[0] + corners[1] + corners[2]) / 3.0
    normal = _normals(corners)
    ways = corners - middle
    spread = (ways[:, :, None] * ways[:, None]).sum(axis=0) / 12.0
    area = np.sqrt(dot_columns(normal, normal))
    first = np.zeros((3, 3, corners.shape[2]))
    return _Moments(middle, area, normal, first, normal[:, None, None] * spread)


def _joined(clusters: _Moments, each: int) -> _Moments:
    """The moments of clusters of so many clusters."""
    groups = _Moments(*(_grouped(array, each) for array in clusters))
    middle, area, normal, first, second = groups
    area = _total(area)
    there = area > 0.0
    center = _total(middle * groups.area) / np.where(there, area, 1.0)
    center = np.where(there, center, middle[..., 0])
    step = middle - center[..., None]
    moved = normal[:, None] * step
    second = second + (first + moved)[:, :, None] * step
    second += first[:, None] * step[:, None]
    first = first + moved
    return _Moments(center, area, _total(normal), _total(first), _total(second))


def _total(array: FloatArray) -> FloatArray:
    """The sums over a short last axis, which takes NumPy longer by itself."""
    total = array[..., 0] + array[..., 1]
    for k in range(2, array.shape[-1]):
        total += array[..., k]
    return total


def _grouped(array: FloatArray, each: int) -> FloatArray:
    """Rows (..., N) as (..., groups, each); the last group is filled up with zeros."""
    padded = _padded(array, each)
    return padded.reshape(*array.shape[:-1], -1, each)


def _padded(array: FloatArray, each: int) -> FloatArray:
    lacking = -array.shape[-1] % each
    if not lacking:
        return array
    return np.concatenate([array, np.zeros((*array.shape[:-1], lacking))], axis=-1)


def _extents(
    middle: FloatArray, corners: FloatArray, areas: FloatArray, each: int
) -> tuple[FloatArray, FloatArray]:
    """The radii (N,) of clusters of so many triangles, and bounds of the integrals of |h|**3.

    The cube of a distance is convex, so its mean over a triangle is at most that at the corners.
    """
    ways = corners - middle.repeat(each, axis=-1)[:, : corners.shape[2]]
    sizes = np.sqrt(dot_columns(ways.swapaxes(0, 1), ways.swapaxes(0, 1)))
    cubes = areas * (sizes * sizes * sizes).sum(axis=0) / 3.0
    return _grouped(sizes.max(axis=0), each).max(axis=-1), _grouped(cubes, each).sum(axis=-1)


def _fields(moments: _Moments, radius: FloatArray, cubes: FloatArray) -> FloatArray:
    """The fields (FIELDS, N) of clusters, see :func:`.share_from_afar`."""
    s, t = moments.first, moments.second
    trace = (s[0, 0] + s[1, 1] + s[2, 2]) / 3.0
    quadratic = [
        *(s[0, 0] - trace, s[0, 1] + s[1, 0], s[0, 2] + s[2, 0]),
        *(s[1, 1] - trace, s[1, 2] + s[2, 1], s[2, 2] - trace),
    ]
    x, y, z = (
        (2.0 * (t[0, 0, k] + t[1, 1, k] + t[2, 2, k]) + (t[k, 0, 0] + t[k, 1, 1] + t[k, 2, 2])) / 5
        for k in range(3)
    )
    cubic = [
        t[0, 0, 0] - x,
        *(2.0 * t[0, 0, 1] + t[1, 0, 0] - y, 2.0 * t[0, 0, 2] + t[2, 0, 0] - z),
        *(t[0, 1, 1] + 2.0 * t[1, 0, 1] - x, 2.0 * (t[0, 1, 2] + t[1, 0, 2] + t[2, 0, 1])),
        t[0, 2, 2] + 2.0 * t[2, 0, 2] - x,
        *(t[1, 1, 1] - y, 2.0 * t[1, 1, 2] + t[2, 1, 1] - z, t[1, 2, 2] + 2.0 * t[2, 1, 2] - y),
        t[2, 2, 2] - z,
    ]
    forms = [*moments.normal, *(-3.0 * each for each in quadratic), *(7.5 * each for each in cubic)]
    return np.array([*moments.middle, radius, *(each / (4.0 * pi) for each in (cubes, *forms))])


# Descents


def winding_numbers(
    geometry: Geometry,
    tree: Tree,
    points: FloatArray,
    tolerances: FloatArray,
    excluded: BoolArray | None,
) -> FloatArray:
    """The winding numbers of finite points (N, 3), off by at most the tolerances (N,).

    Each is on the right side of INSIDE and its negative, but for points on a triangle. If the
    tolerance is infinite, these have the number 0.
    """
    if not tree.levels:
        return np.zeros(len(points))
    clusters = clusters_of(geometry, tree, excluded)

    def ask(part: slice) -> FloatArray:
        return _descents(geometry, tree, clusters, points[part], tolerances[part])

    parts = on_all_cores(ask, pieces(len(points), _POINTS), len(points) * _POINTS)
    return np.concatenate([np.empty(0), *parts])


def is_settled(number: Any, error: Any, tolerance: Any, is_on: Any) -> Any:
    """Whether a number that is off by at most an error will do."""
    return (error <= tolerance) & (is_on | (abs(abs(number) - INSIDE) > error))


def _descents(
    geometry: Geometry, tree: Tree, clusters: Clusters, points: FloatArray, tolerances: FloatArray
) -> FloatArray:
    numbers = np.zeros(len(points))
    with np.errstate(all="ignore"):
        place = (points - tree.center) / tree.scale
        row = np.flatnonzero(np.abs(place).max(axis=1) < FAR)
        allowed = np.minimum(FIRST, SHARE * tolerances)
        while len(row):
            go_on()
            is_last = allowed[row] < LAST
            some = row[is_last]
            numbers[some], is_on = exact_numbers(
                geometry, clusters.triangles, points[some], tree.scale
            )
            numbers[some[is_on & (tolerances[some] == inf)]] = 0.0
            row = row[~is_last]
            found, error, is_on = _descent(
                geometry, tree, clusters, points[row], place[row], allowed[row]
            )
            numbers[row] = np.where(is_on & (tolerances[row] == inf), 0.0, found)
            row = row[~is_settled(found, error, tolerances[row], is_on)]
            allowed[row] *= NEXT
    return numbers


def _descent(
    geometry: Geometry,
    tree: Tree,
    clusters: Clusters,
    points: FloatArray,
    place: FloatArray,
    allowed: FloatArray,
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Numbers, their errors, and whether each point is on a triangle; the latter all (N,).

    Clusters with errors that are `allowed` (N,) are not opened.
    """
    count = len(points)
    number, off, is_on = np.zeros(count), np.zeros(count), np.zeros(count, dtype=np.bool_)
    first, top = np.arange(count), len(tree.levels) - 1
    waiting = [(top, first, np.zeros_like(first))] if count else []
    while waiting:
        height, row, node = waiting.pop()
        if len(row) > _PAIRS:
            waiting.append((height, row[_PAIRS:], node[_PAIRS:]))
            row, node = row[:_PAIRS], node[:_PAIRS]
        if height < 0:
            items = (node[:, None] * LEAF + np.arange(LEAF)).ravel()
            each = row.repeat(LEAF)
            share, touched = _shares(geometry, clusters.triangles[items], points[each], tree.scale)
            is_on[each[touched]] = True
            number += np.bincount(each, share, count)
            continue
        fields = clusters.fields[tree.starts[top - height] + node].swapaxes(0, 1)
        share, error = share_from_afar(fields, place[row].T[:, :, None])
        far = (error <= allowed[row][:, None]) | (fields[3] < 0.0)
        number += np.bincount(row, np.where(far, share, 0.0).sum(axis=1), count)
        off += np.bincount(row, np.where(far, error, 0.0).sum(axis=1), count)
        near, child = np.nonzero(~far)
        if len(near):
            waiting.append((height - 1, row[near], node[near] * WIDTH + child))
    return number, off, is_on


def scanned_numbers(
    geometry: Geometry, points: FloatArray, tolerances: FloatArray, excluded: BoolArray | None
) -> FloatArray:
    """As :func:`winding_numbers`, without a tree."""
    triangles = counted_triangles(geometry, slice(None), excluded)
    extent = max(finite_extent(geometry.vertices), finite_extent(points))
    numbers, is_on = exact_numbers(geometry, triangles, points, float(power_of_two(extent)))
    numbers[is_on & (tolerances == inf)] = 0.0
    return numbers


def exact_numbers(
    geometry: Geometry, triangles: IndexArray, points: FloatArray, scale: float
) -> tuple[FloatArray, BoolArray]:
    """The winding numbers of points (N, 3) by all triangles, and whether each is on one.

    The scale is a power of two, of the order of the triangles' size.
    """
    numbers, is_on = np.zeros(len(points)), np.zeros(len(points), dtype=np.bool_)
    with np.errstate(all="ignore"):
        for row in range(len(points)):
            for part in pieces(len(triangles), _TRIANGLES):
                go_on()
                some = triangles[part]
                there = points[row].repeat(len(some)).reshape(3, -1).T
                share, touched = _shares(geometry, some, there, scale)
                numbers[row] += share.sum()
                is_on[row] |= len(touched) > 0
    return numbers, is_on


def _shares(
    geometry: Geometry, triangles: IndexArray, points: FloatArray, scale: float
) -> tuple[FloatArray, IntArray]:
    """The shares (N,) of triangles seen from points (N, 3), and the rows of points on them."""
    corners = geometry.vertices[triangles]
    inverse = 1.0 / max(scale, LEAST_SCALE)
    tangents = tangent(*(_vector((corners[:, k] - points) * inverse) for k in range(3)))
    share = share_of(*tangents[:2])
    row = np.flatnonzero(is_near(*tangents) & (triangles[:, 0] != triangles[:, 1]))
    if not len(row):
        return share, row
    share[row], is_on = careful_share(
        _vector(points[row]), *map(_vector, corners[row].swapaxes(0, 1))
    )
    return share, row[is_on]


def _vector(rows: FloatArray) -> Vector[FloatArray]:
    return rows[:, 0], rows[:, 1], rows[:, 2]
