# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on meshes, drawn or found, and what every path between them must be."""

import numpy as np
import pytest


def drawn(rng, mesh):
    """A place inside of a triangle, on an edge, or at a vertex."""
    weights = rng.dirichlet((1, 1, 1))
    weights[rng.permutation(3)[: rng.choice(3, p=(0.6, 0.2, 0.2))]] = 0.0
    return int(rng.integers(len(mesh.triangles))), weights / weights.sum()


def at(mesh, point):
    """The place nearest to a point."""
    near = mesh.closest_point([point])
    return int(near.triangle[0]), near.barycentric[0]


def at_vertex(mesh, vertex):
    """The place of a vertex, in one of its triangles."""
    triangle, corner = np.argwhere(mesh.triangles == vertex)[0].tolist()
    return triangle, np.eye(3)[corner]


def point_of(mesh, place):
    """Where a place is."""
    return np.asarray(place[1]) @ mesh.vertices[mesh.triangles[place[0]]]


def is_on(point, corners, size):
    """Whether a point is on a triangle, but for rounding."""
    a, b, c = corners
    weights = np.linalg.lstsq(np.stack([b - a, c - a], axis=1), point - a, rcond=None)[0]
    off = np.linalg.norm(a + weights @ np.stack([b - a, c - a]) - point)
    return off < 1e-12 * size and weights.min() > -1e-9 and weights.sum() < 1 + 1e-9


def check(mesh, path, start, end):
    """A path of triangles: from the start to the end, straight within each, and so long."""
    corners = mesh.vertices[mesh.triangles[path.triangle]]
    size = np.abs(mesh.vertices).max()
    assert path.weights.min() >= 0
    assert path.weights.sum(axis=1) == pytest.approx(1, abs=1e-15)
    assert path.points == pytest.approx(np.einsum("ki,kij->kj", path.weights, corners), abs=0)
    assert path.points[0] == pytest.approx(point_of(mesh, start), abs=1e-15 * size)
    assert path.points[-1] == pytest.approx(point_of(mesh, end), abs=1e-15 * size)
    assert all(map(is_on, path.points[1:], corners[:-1], [size] * len(corners)))
    pieces = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
    assert path.distance == pytest.approx(pieces.sum(), rel=1e-14)
