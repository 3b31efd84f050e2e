# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that many triangles are as near to, or nearly: what bounds alone cannot tell apart."""

import numpy as np

from .. import meshes
from ..near_ties import stepped


def lattice(rng, count):
    """Triangles and points of small whole numbers: most distances are those of other triangles."""
    vertices, triangles = meshes.nasty(rng, 40)
    points = rng.integers(-4, 8, (count, 3)) / 2.0
    return vertices, triangles, points


def mirrored(rng, count):
    """A random mesh and its mirror image, and points of the plane between the two."""
    vertices, triangles = meshes.soup(rng, 30, 0.7)
    vertices = vertices + (1.5, 0, 0)
    other = vertices * (-1, 1, 1)
    both = np.concatenate([triangles, triangles[:, ::-1] + len(vertices)])
    order = rng.permutation(len(both))
    points = rng.uniform(-1, 1, (count, 3)) * (0, 1, 1)
    return np.concatenate([vertices, other]), both[order], points


def coincident(rng, count):
    """Triangles that are there several times, by shared vertices and by equal ones."""
    vertices, triangles = meshes.torus(10, 6)
    apart = vertices[triangles.ravel()]
    again = len(vertices) + np.arange(len(apart)).reshape(-1, 3)
    both = np.concatenate([triangles, again[:, [1, 2, 0]], triangles[:, ::-1]])
    return np.concatenate([vertices, apart]), rng.permutation(both), rng.normal(size=(count, 3))


def on_features(rng, count):
    """Vertices, middles of edges and of triangles, and what is straight above them."""
    vertices, triangles = meshes.icosphere(2)
    corners = vertices[triangles[rng.integers(0, len(triangles), count)]]
    weights = np.array([(1, 0, 0), (0.5, 0.5, 0), (0.25, 0.75, 0), (0.25, 0.25, 0.5)])
    on = np.einsum("ni,nij->nj", weights[rng.integers(0, 4, count)], corners)
    away = rng.choice([0.0, 1e-15, 1e-9, 1e-3, 0.5, 3.0], (count, 1))
    return vertices, triangles, stepped(rng, on * (1 + away))


def medial(rng, count):
    """The inside of a prism of many sides: points of its axis and of the planes between sides."""
    angle = np.arange(14) * (2 * np.pi / 14)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    vertices = np.concatenate([ring, ring + (0, 0, 1.0)])
    i, j = np.arange(14), (np.arange(14) + 1) % 14
    triangles = np.concatenate([np.stack([i, j, j + 14], 1), np.stack([i, j + 14, i + 14], 1)])
    reach = rng.choice([0.0, 1e-16, 0.5], count)
    turn = rng.integers(0, 28, count) * (np.pi / 14)
    points = [reach * np.cos(turn), reach * np.sin(turn), rng.choice([0.0, 0.5, 0.3], count)]
    return vertices, rng.permutation(triangles), np.stack(points, axis=1)


def needles(rng, count):
    """Thin triangles around common edges, some without area, and points about them."""
    ends = rng.normal(size=(12, 2, 3))
    share = rng.uniform(-0.2, 1.2, (12, 8, 1))
    thin = rng.normal(size=(12, 8, 3)) / 10.0 ** rng.integers(1, 20, (12, 8, 1))
    third = ends[:, :1] + share * (ends[:, 1:] - ends[:, :1]) + thin
    vertices = np.concatenate([ends.reshape(-1, 3), third.reshape(-1, 3)])
    edge, row = np.repeat(np.arange(12), 8), 24 + np.arange(96)
    triangles = np.stack([2 * edge, 2 * edge + 1, row], axis=1)
    corners = vertices[triangles[rng.integers(0, len(triangles), count)]]
    on = np.einsum("ni,nij->nj", rng.dirichlet((1, 1, 1), count), corners)
    away = rng.choice([0.0, 1e-16, 1e-8, 1e-2, 1.0, 30.0], (count, 1))
    return vertices, triangles, on + away * rng.normal(size=(count, 3))


KINDS = (lattice, mirrored, coincident, on_features, medial, needles)
