# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and rays that tests share: vertices (V, 3) and triangles (T, 3) as plain arrays."""

import numpy as np

UNIT_TRIANGLE = (np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))

SQUARE = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)


def icosphere(subdivisions):
    """A convex closed mesh: an icosahedron, its triangles split in four so many times."""
    golden = (1 + 5**0.5) / 2
    vertices = [
        p for x in (-1, 1) for y in (-golden, golden) for p in ((0, x, y), (x, y, 0), (y, 0, x))
    ]
    vertices = np.array(vertices, dtype=float)
    triangles = _convex_faces(vertices)
    for _ in range(subdivisions):
        vertices, triangles = _split(vertices, triangles)
    return vertices / np.linalg.norm(vertices, axis=1)[:, None], triangles


def cube():
    """The cube from -1 to 1, two triangles a side."""
    vertices = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def torus(around, across, radius=1.0, tube=0.4):
    """A closed mesh that is not convex, of 2 * around * across triangles, normals outward."""
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    big, small = 2 * np.pi * i / around, 2 * np.pi * j / across
    reach = radius + tube * np.cos(small)
    vertices = np.stack([reach * np.cos(big), reach * np.sin(big), tube * np.sin(small)], axis=-1)
    return vertices.reshape(-1, 3), _quads(i, j, lambda p, q: p % around * across + q % across)


def grid(cells):
    """The square from 0 to 1 in z = 0, of cells * cells quads, normals up."""
    i, j = np.meshgrid(np.arange(cells + 1), np.arange(cells + 1), indexing="ij")
    vertices = np.stack([i, j, 0 * i], axis=-1).reshape(-1, 3) / cells
    inner = np.arange(cells)
    p, q = np.meshgrid(inner, inner, indexing="ij")
    return vertices, _quads(p, q, lambda a, b: a * (cells + 1) + b)


def terrain(rng, step=1.0, offset=(0, 0), angle=0.0):
    """A grid of 9 x 7 nodes with random heights, and two triangles for each of its cells."""
    x, y = np.meshgrid(np.arange(9) * step, np.arange(7) * step)
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = cos * x - sin * y + offset[0], sin * x + cos * y + offset[1]
    vertices = np.stack([x, y, rng.normal(scale=50, size=x.shape)], axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(x.shape)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    c, d = number[1:, 1:].ravel(), number[1:, :-1].ravel()
    return vertices, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def stack(count, gap=1e-3, start=0.0):
    """Horizontal triangles around the z axis, `count` of them `gap` apart, normals up."""
    one = np.array([[-1.0, -1, 0], [2, -1, 0], [-1, 2, 0]])
    vertices = np.concatenate([one + (0, 0, start + i * gap) for i in range(count)])
    return vertices, np.arange(3 * count).reshape(-1, 3)


def soup(rng, count, size=1.0):
    """Triangles without shared vertices, thrown about at random."""
    middles = rng.uniform(-1, 1, (count, 1, 3))
    vertices = (middles + size * rng.uniform(-0.5, 0.5, (count, 3, 3))).reshape(-1, 3)
    return vertices, np.arange(3 * count).reshape(-1, 3)


def nasty(rng, count=24):
    """Triangles on a small lattice: shared edges and vertices, duplicates, slivers, flat ones."""
    lattice = np.array([[x, y, z] for x in range(4) for y in range(4) for z in range(3)], float)
    slivers = np.array([[0, 0, 1], [3, 3, 1], [1.5, 1.5 + 2.0**-30, 1]], float)
    broken = np.array([[np.nan, 0, 0], [np.inf, 1, 1], [1, -np.inf, 2]])
    vertices = np.concatenate([lattice, slivers, broken])
    first = len(lattice)
    triangles = rng.integers(0, first, (count, 3))
    flat = np.repeat(rng.integers(0, first, (3, 1)), 3, axis=1)
    poisoned = np.stack([rng.integers(0, first, 6), rng.integers(0, first, 6)], axis=1)
    poisoned = np.column_stack([poisoned, first + 3 + np.arange(6) % 3])
    thin = np.array([[first, first + 1, first + 2]])
    again = triangles[:4]
    mirrored = triangles[4:8, ::-1]
    return vertices, np.concatenate([triangles, flat, poisoned, thin, again, mirrored])


def rotation(rng):
    """A random rotation (3, 3)."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def placement(linear=None, offset=(0, 0, 0)):
    """A 4 x 4 matrix for column vectors."""
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3) if linear is None else linear
    matrix[:3, 3] = offset
    return matrix


def directions(rng, count):
    """Unit vectors (count, 3), evenly spread."""
    d = rng.normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1)[:, None]


def edges(triangles):
    """Pairs of vertices (E, 2) that some triangle joins, each once."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _quads(i, j, index):
    a, b, c, d = (index(*p).ravel() for p in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def _convex_faces(vertices):
    """All triples at the shortest distance from each other, wound outward."""
    gaps = np.linalg.norm(vertices[:, None] - vertices, axis=-1)
    near = gaps < gaps[gaps > 0].min() * 1.01
    faces = []
    for a, b, c in np.argwhere(near[:, :, None] & near[:, None] & near):
        if a < b < c:
            outward = np.linalg.det(vertices[[a, b, c]]) > 0
            faces.append((a, b, c) if outward else (a, c, b))
    return np.array(faces)


def _split(vertices, triangles):
    pairs = edges(triangles)
    middle = {tuple(pair): len(vertices) + i for i, pair in enumerate(pairs.tolist())}
    vertices = np.concatenate([vertices, vertices[pairs].mean(axis=1)])
    finer = []
    for a, b, c in triangles.tolist():
        ab, bc, ca = (middle[tuple(sorted(p))] for p in ((a, b), (b, c), (c, a)))
        finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return vertices, np.array(finer)
