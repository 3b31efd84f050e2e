# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that are made up: closed, noisy, and the same on every machine."""

from itertools import combinations

import numpy as np

from .options import SIZES
from .shape import Shape

FREQUENCIES = dict(zip(SIZES, (22, 71, 224, 707), strict=True))
"""Into how many parts each icosphere divides an icosahedron's edges: 20 n² triangles."""


def noisy_icosphere(name: str, frequency: int, seed: int) -> Shape:
    """Make a sphere with hills of seven octaves and rough by a tenth of an edge."""
    rng = np.random.default_rng(seed)
    points, triangles = _icosphere(frequency)
    radius = 1 + _hills(points, rng, octaves=7, height=0.12, waves=3.0)
    radius += rng.normal(size=len(points)) * (0.1 / frequency)
    return Shape(name, points * radius[:, None], triangles)


def scan_like(name: str, frequency: int, seed: int) -> Shape:
    """Make a twisted blob with limbs, so that triangles differ in size, rough in all directions."""
    rng = np.random.default_rng(seed)
    points, triangles = _icosphere(frequency)
    radius = 1 + _hills(points, rng, octaves=9, height=0.25, waves=1.7)
    for limb in rng.normal(size=(6, 3)):
        radius += 0.7 * np.exp(12 * (points @ (limb / np.linalg.norm(limb)) - 1))
    x, y, z = (points * radius[:, None]).T
    twist = 0.8 * z
    turned = (x * np.cos(twist) - y * np.sin(twist), x * np.sin(twist) + y * np.cos(twist), 1.3 * z)
    jitter = rng.normal(size=points.shape) * (0.1 / frequency)
    return Shape(name, np.stack(turned, axis=1) + jitter, triangles)


def _hills(
    points: np.ndarray, rng: np.random.Generator, octaves: int, height: float, waves: float
) -> np.ndarray:
    """Sum waves in random directions; each octave is half as high and twice as fine."""
    total = np.zeros(len(points))
    for octave in range(octaves):
        for direction in rng.normal(size=(4, 3)):
            direction *= waves * 2.1**octave / np.linalg.norm(direction)
            phase = rng.uniform(0, 2 * np.pi)
            total += height / 4 * 0.5**octave * np.sin(points @ direction + phase)
    return total


def _icosphere(frequency: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (V, 3) and triangles (T, 3) of an icosahedron whose faces are lattices.

    A vertex that faces share has one row: its number follows from its corner or its edge.
    """
    corners, faces = _icosahedron()
    n = frequency
    inside = np.add.outer(np.arange(n + 1), np.arange(n + 1))  # i + j of a lattice point
    i, j = np.nonzero(inside <= n)
    weights = np.stack([n - i - j, i, j], axis=1) / n
    edges: dict[tuple[int, int], int] = {}
    count = 12 + 30 * (n - 1)
    points = np.empty((count + 10 * (n - 1) * (n - 2), 3))
    triangles = []
    for a, b, c in faces.tolist():
        grid = np.full((n + 1, n + 1), -1, dtype=np.int32)
        grid[0, 0], grid[n, 0], grid[0, n] = a, b, c
        step = np.arange(1, n)
        grid[step, 0] = _edge_rows(edges, a, b, n)
        grid[0, step] = _edge_rows(edges, a, c, n)
        grid[n - step, step] = _edge_rows(edges, b, c, n)
        free = (grid < 0) & (inside < n)
        grid[free] = np.arange(count, count + free.sum())
        count += int(free.sum())
        points[grid[i, j]] = weights @ corners[[a, b, c]]
        triangles.append(_lattice_triangles(grid, inside))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points, np.concatenate(triangles)


def _icosahedron() -> tuple[np.ndarray, np.ndarray]:
    """Corners (12, 3) with edges of length 2, and faces (20, 3) counter-clockwise from outside."""
    golden = (1 + 5**0.5) / 2
    rectangle = np.array([(0, y, z) for y in (-1, 1) for z in (-golden, golden)])
    corners = np.concatenate([np.roll(rectangle, turn, axis=1) for turn in range(3)])
    triples = np.array(list(combinations(range(12), 3)))
    sides = corners[triples] - corners[np.roll(triples, 1, axis=1)]
    faces = triples[np.isclose((sides**2).sum(axis=2), 4).all(axis=1)]
    inward = np.linalg.det(corners[faces]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return corners, faces


def _edge_rows(edges: dict[tuple[int, int], int], start: int, end: int, n: int) -> np.ndarray:
    """Rows of the points between two corners; `edges` numbers each pair once."""
    number = edges.setdefault((min(start, end), max(start, end)), len(edges))
    rows = 12 + number * (n - 1) + np.arange(n - 1)
    return rows if start < end else rows[::-1]


def _lattice_triangles(grid: np.ndarray, inside: np.ndarray) -> np.ndarray:
    n = len(grid) - 1
    i, j = np.nonzero(inside < n)
    up = np.stack([grid[i, j], grid[i + 1, j], grid[i, j + 1]], axis=1)
    i, j = np.nonzero(inside < n - 1)
    down = np.stack([grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]], axis=1)
    return np.concatenate([up, down])
