# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest place on a mesh by fractions and by brute force, and what all answers hold to."""

from dataclasses import fields
from fractions import Fraction

import numpy as np

import standalone_core as sc
from standalone_core.closest.search import ClosestPoints

from .. import oracle

EPS = 2.0**-52


def built(*arguments, **keywords):
    mesh = sc.Mesh(*arguments, **keywords)
    mesh.build()
    return mesh


def scanning(*arguments, **keywords):
    return sc.Mesh(*arguments, building="never", **keywords)


def assert_same_bits(a, b):
    for field in fields(ClosestPoints):
        left, right = getattr(a, field.name), getattr(b, field.name)
        np.testing.assert_array_equal(left, right, err_msg=field.name)
        assert left.dtype == right.dtype


def on_segment(p, a, b):
    """The shares of the ends in the place nearest to p, of vectors of whole numbers.

    All are over the same number, as are the squared distance and the square of that number.
    """
    edge, way = difference(b, a), difference(p, a)
    square, along = product(edge, edge), product(way, edge)
    square, along = (square, min(max(along, 0), square)) if square else (1, 0)
    gap = [square * w - along * e for w, e in zip(way, edge, strict=True)]
    return (square - along, along), square, product(gap, gap)


def exactly_nearest(p, a, b, c):
    """The squared distance and the weights of the place nearest to p, of exact vectors.

    Reckoned in whole numbers, which are many times faster than fractions.
    """
    (p, a, b, c), unit = oracle.over_one_denominator([p, a, b, c])
    found = []
    for corner, (start, end) in enumerate(((b, c), (c, a), (a, b))):
        weights, whole, square = on_segment(p, start, end)
        weights = (0, *weights)
        found.append((Fraction(square, whole**2), weights[-corner:] + weights[:-corner], whole))
    u, v, w = difference(b, a), difference(c, a), difference(p, a)
    uu, uv, vv, wu, wv = product(u, u), product(u, v), product(v, v), product(w, u), product(w, v)
    whole = uu * vv - uv * uv
    weight_b, weight_c = vv * wu - uv * wv, uu * wv - uv * wu
    weights = whole - weight_b - weight_c, weight_b, weight_c
    if whole and min(weights) >= 0:
        found.append((Fraction(oracle.determinant(w, u, v) ** 2, whole), weights, whole))
    least = min(square for square, _, _ in found)
    weights = (tuple(Fraction(w, n) for w in ws) for square, ws, n in found if square == least)
    return least / unit**2, min(weights)


def difference(a, b):
    """a - b of vectors, without the checks of the oracle's."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def product(a, b):
    """a * b of vectors, without the checks of the oracle's."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def place(weights, corners):
    return tuple(oracle.dot(weights, column) for column in zip(*corners, strict=True))


def exactly_nearest_of_all(point, vertices, triangles):
    """The squared distance, the triangle of the smallest index and the place on it."""
    best, p = None, oracle.exact(point)
    all_corners = vertices[triangles]
    finite = np.isfinite(all_corners).all(axis=(1, 2))
    for row, corners in enumerate(all_corners):
        if finite[row]:
            square, weights = exactly_nearest(p, *oracle.exact(corners))
            if best is None or square < best[0]:
                best = square, row, weights
    return best


def brute_force(points, vertices, triangles):
    """Distances (N, T) in float64: to the plane over the inside of all edges, else to edges."""
    p = points[:, None]
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    inside = np.tile(area > 0, (len(points), 1))
    to_edges = np.full(inside.shape, np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edge = end - start
        inside &= (np.cross(edge, normal) * (p - start)).sum(axis=2) <= 0
        square = (edge * edge).sum(axis=1)
        along = ((p - start) * edge).sum(axis=2)
        share = np.clip(along / np.where(square > 0, square, 1), 0, 1)
        gap = p - start - share[:, :, None] * edge
        to_edges = np.minimum(to_edges, np.linalg.norm(gap, axis=2))
    to_plane = np.abs(((p - a) * normal).sum(axis=2)) / np.where(area > 0, area, 1)
    return np.where(inside, to_plane, to_edges)


def around(rng, vertices, triangles, count, away):
    """Points on triangles, moved by about `away`."""
    corners = vertices[triangles[rng.integers(0, len(triangles), count)]]
    on = np.einsum("ni,nij->nj", rng.dirichlet((1, 1, 1), count), corners)
    return on + away * rng.normal(size=(count, 3))


def assert_consistent(near, points, vertices, triangles, slack):
    """Place, weights and distance say the same, up to `slack`."""
    assert near.hit.all()
    assert (near.barycentric >= 0).all()
    assert (near.barycentric <= 1).all()
    assert np.abs(near.barycentric.sum(axis=1) - 1).max() <= 2 * EPS
    corners = vertices[triangles[near.triangle]]
    assert np.abs(np.einsum("ni,nij->nj", near.barycentric, corners) - near.point).max() <= slack
    assert np.abs(np.linalg.norm(points - near.point, axis=1) - near.distance).max() <= slack
