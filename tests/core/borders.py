# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles of all shapes and sizes, and rays at their borders: where float32 is not sure."""

import numpy as np
import pytest

from . import meshes

SCALES = [(1.0, 0.0), (1.0, 1e6), (1e-3, 1e9), (1e-30, 0.0), (1e-200, 0.0), (1e140, 0.0)]
each_scale = pytest.mark.parametrize(("scale", "offset"), SCALES)


def at_borders(rng, vertices, triangles, count):
    """Rays at corners and at places on edges, as near as float64 has them, and beside them."""
    weights = rng.dirichlet((1, 1, 1), count)
    weights[::2, 0] = 0
    weights[::4, 1] = 0
    weights = rng.permuted(weights / weights.sum(axis=1)[:, None], axis=1)
    chosen = vertices[triangles[rng.integers(0, len(triangles), count)]]
    targets = np.einsum("ni,nij->nj", weights, chosen)
    size = np.ptp(vertices, axis=0).max()
    directions = rng.normal(size=(count, 3))
    directions[::3] = np.eye(3)[rng.integers(0, 3, len(directions[::3]))]
    directions[1::3] += 1e3 * (chosen[1::3, 1] - chosen[1::3, 0]) / size
    beside = size * rng.choice([0, 0, 1e-16, 1e-12, 1e-8, 1e-6], (count, 1))
    far = rng.choice([0.1, 1.0, 3.0, 30.0, 1e4], (count, 1))
    return targets - far * size * directions + beside * rng.normal(size=(count, 3)), directions


def small_triangles(rng, count, size):
    """Triangles of this size thrown into a box of size 2."""
    middles = rng.uniform(-1, 1, (count, 1, 3))
    corners = middles + size * rng.uniform(-1, 1, (count, 3, 3))
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def slivers(rng, count):
    """Triangles a million times as long as high."""
    vertices, triangles = small_triangles(rng, count, 0.5)
    vertices[2::3] = (vertices[::3] + vertices[1::3]) / 2 + 5e-7 * rng.normal(size=(count, 3))
    return vertices, triangles


def flat(rng, count):
    """Triangles in planes across the axes, with corners on a lattice."""
    corners = rng.integers(-8, 9, (count, 3, 3)) / 8
    rows = np.arange(count)
    axis = rng.integers(0, 3, count)
    corners[rows, :, axis] = corners[rows, :1, axis]
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


SHAPES = {
    "soup": lambda rng: meshes.soup(rng, 60),
    "small": lambda rng: small_triangles(rng, 60, 1e-2),
    "tiny": lambda rng: small_triangles(rng, 60, 1e-6),
    "slivers": lambda rng: slivers(rng, 60),
    "flat": lambda rng: flat(rng, 60),
    "torus": lambda rng: meshes.torus(9, 7),
}
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
