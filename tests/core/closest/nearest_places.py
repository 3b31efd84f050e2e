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
    """The share of b in the place nearest to p, of exact vectors."""
    edge = oracle.sub(b, a)
    square = oracle.dot(edge, edge)
    share = oracle.dot(oracle.sub(p, a), edge) / square if square else Fraction(0)
    return min(max(share, Fraction(0)), Fraction(1))


def exactly_nearest(p, a, b, c):
    """The squared distance and the weights of the place nearest to p, of exact vectors."""
    ab, bc, ca = on_segment(p, a, b), on_segment(p, b, c), on_segment(p, c, a)
    found = [(1 - ab, ab, Fraction(0)), (Fraction(0), 1 - bc, bc), (ca, Fraction(0), 1 - ca)]
    over = oracle.barycentric(p, a, b, c)
    if over and min(over) >= 0:
        found.append(over)
    gaps = [oracle.sub(p, place(weights, (a, b, c))) for weights in found]
    return min(zip((oracle.dot(gap, gap) for gap in gaps), found, strict=True))


def place(weights, corners):
    return tuple(oracle.dot(weights, column) for column in zip(*corners, strict=True))


def exactly_nearest_of_all(point, vertices, triangles):
    """The squared distance, the triangle of the smallest index and the place on it."""
    best, p = None, oracle.exact(point)
    for row, corners in enumerate(vertices[triangles]):
        if np.isfinite(corners).all():
            square, weights = exactly_nearest(p, *oracle.exact(corners))
            if best is None or square < best[0]:
                best = square, row, weights
    return best


def brute_force(points, vertices, triangles):
    """Distances (N, T) in float64: to the plane over the inside of all edges, else to edges."""
    p = points[:, None]
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    inside = np.ones((len(points), len(triangles)), dtype=bool)
    to_edges = np.full(inside.shape, np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        edge = end - start
        inside &= (np.cross(edge, normal) * (p - start)).sum(axis=2) <= 0
        share = np.clip(((p - start) * edge).sum(axis=2) / (edge * edge).sum(axis=1), 0, 1)
        gap = p - start - share[:, :, None] * edge
        to_edges = np.minimum(to_edges, np.linalg.norm(gap, axis=2))
    to_plane = np.abs(((p - a) * normal).sum(axis=2)) / np.linalg.norm(normal, axis=1)
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
