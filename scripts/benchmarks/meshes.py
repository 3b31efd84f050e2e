# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes that are measured: closed, noisy, and the same on every machine."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from .options import SIZES

FREQUENCIES = dict(zip(SIZES, (22, 71, 224, 707), strict=True))
"""Into how many parts each icosphere divides an icosahedron's edges: 20 n² triangles."""

_SCAN_AT_LEAST = 500_000


@dataclass(frozen=True)
class Shape:
    """A mesh by its arrays, as a program holds it: float64 vertices, int32 triangles."""

    name: str
    vertices: np.ndarray
    triangles: np.ndarray

    def __len__(self) -> int:
        return len(self.triangles)

    @property
    def corners(self) -> np.ndarray:
        """Lower and upper corner (2, 3) around all vertices."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])


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


def loaded(path: Path, seed: int, at_least: int = _SCAN_AT_LEAST) -> Shape:
    """Read a scan and divide its triangles in four until there are enough.

    It is an npz file with arrays ``vertices`` and ``triangles``, or ``v`` and ``f``.
    """
    with np.load(path) as arrays:
        keys = ("v", "f") if "v" in arrays else ("vertices", "triangles")
        vertices, triangles = (arrays[key] for key in keys)
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    triangles = np.ascontiguousarray(triangles, dtype=np.int32)
    rng = np.random.default_rng(seed)
    while len(triangles) < at_least:
        vertices, triangles = _subdivided(vertices, triangles, rng)
    return Shape(path.stem, vertices, triangles)


def save(shape: Shape, folder: Path) -> None:
    """Write a shape for another process to :func:`read`."""
    np.save(folder / "vertices.npy", shape.vertices)
    np.save(folder / "triangles.npy", shape.triangles)


def read(folder: Path) -> Shape:
    """Read what :func:`save` wrote."""
    return Shape("", np.load(folder / "vertices.npy"), np.load(folder / "triangles.npy"))


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


def _icosphere(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (V, 3) and triangles (T, 3) of an icosahedron whose faces are lattices.

    A vertex that faces share has one row: it has the same weights of the same corners in each of
    them, and so the same sum of their codes.
    """
    corners, faces = _icosahedron()
    i, j = _lattice(n)
    weights = np.stack([n - i - j, i, j], axis=1)
    codes = np.random.default_rng(0).integers(1 << 50, size=len(corners))
    _, first, inverse = np.unique(codes[faces] @ weights.T, return_index=True, return_inverse=True)
    points = (weights @ corners[faces]).reshape(-1, 3)[np.sort(first)]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    grids = np.zeros((len(faces), n + 1, n + 1), dtype=np.int32)
    grids[:, i, j] = np.argsort(np.argsort(first))[inverse].reshape(len(faces), -1)
    i, j = _lattice(n - 1)
    up = np.stack([grids[:, i, j], grids[:, i + 1, j], grids[:, i, j + 1]], axis=-1)
    i, j = _lattice(n - 2)
    down = np.stack([grids[:, i + 1, j], grids[:, i + 1, j + 1], grids[:, i, j + 1]], axis=-1)
    return points, np.concatenate([up, down], axis=1).reshape(-1, 3)


def _lattice(n: int) -> tuple[np.ndarray, ...]:
    """All i and j, not below 0, whose sum is `n` at most."""
    return np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)


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


def _subdivided(
    vertices: np.ndarray, triangles: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Divide triangles in four at the middles of their edges, which are moved a little."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1), axis=-1)
    keys = ends[..., 0].astype(np.int64) * len(vertices) + ends[..., 1]
    edges, middle = np.unique(keys, return_inverse=True)
    start, end = vertices[edges // len(vertices)], vertices[edges % len(vertices)]
    length = np.linalg.norm(end - start, axis=1, keepdims=True)
    added = (start + end) / 2 + 0.02 * length * rng.normal(size=start.shape)
    ab, bc, ca = (middle.reshape(-1, 3) + len(vertices)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    rows = np.concatenate([np.stack(part, axis=1) for part in parts]).astype(np.int32)
    return np.concatenate([vertices, added]), rows
