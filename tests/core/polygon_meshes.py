# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of polygons that tests share, and what they are split into, face by face."""

from fractions import Fraction

import numpy as np

import standalone_core as sc
from standalone_core.polygons.split import split_quads

from . import oracle
from .questions import assert_same_bits, assert_same_hits, toward


def starts_of(sizes):
    return np.cumsum(sizes) - sizes


def random_polygons(rng, count, sizes=(3, 4, 5, 7), size=0.7):
    """Warped, concave, crossed, degenerate and broken polygons: vertices, corners, sizes."""
    sizes = rng.choice(np.atleast_1d(sizes), count)
    middles = np.repeat(rng.uniform(-1, 1, (count, 3)), sizes, axis=0)
    vertices = (middles + size * rng.uniform(-0.5, 0.5, (sizes.sum(), 3))).astype(np.float32)
    corners = rng.permutation(len(vertices)).astype(np.int32)
    shuffled = np.empty_like(vertices)
    shuffled[corners] = vertices
    # Some corners at their neighbours' vertices, or at those of other faces.
    again = rng.choice(len(corners), len(corners) // 8, replace=False)
    corners[again] = corners[again - 1]
    broken = rng.choice(len(vertices), 1 + len(vertices) // 40, replace=False)
    shuffled[broken, rng.integers(0, 3, len(broken))] = rng.choice([np.nan, np.inf], len(broken))
    return shuffled, corners, sizes.astype(np.int32)


def quad_grid(cells, dtype=np.float32):
    """A wavy square of cells * cells quads."""
    i, j = np.meshgrid(np.arange(cells + 1), np.arange(cells + 1), indexing="ij")
    x, y = i / cells, j / cells
    z = 0.05 * np.sin(7 * x) * np.cos(5 * y)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(dtype)
    i, j = (index[:-1, :-1] for index in (i, j))
    row = cells + 1
    quads = [i * row + j, (i + 1) * row + j, (i + 1) * row + j + 1, i * row + j + 1]
    return vertices, np.stack(quads, axis=-1).reshape(-1).astype(np.int32)


class Owner:
    """One who splits faces in a way of their own, and remembers what was asked."""

    def __init__(self, sizes):
        self.sizes = np.asarray(sizes)
        self.starts = starts_of(self.sizes)
        self.asked = []

    def corners(self, face):
        """A fan around the last corner."""
        start, size = int(self.starts[face]), int(self.sizes[face])
        last = start + size - 1
        return [(last, start + i, start + i + 1) for i in range(size - 2)]

    def __call__(self, faces):
        assert len(faces)
        self.asked.append(faces.tolist())
        return np.array([c for face in faces.tolist() for c in self.corners(face)])


def split_one_by_one(vertices, corners, sizes, owner=None, is_open=()):
    """Corners (T, 3) and faces (T,) of all triangles; `owner` splits n-gons and open faces."""
    triangles, faces = [], []
    for face, (start, size) in enumerate(zip(starts_of(sizes), sizes, strict=True)):
        if owner is not None and (size > 4 or face in is_open):
            found = owner.corners(face)
        elif size == 3:
            found = [(start, start + 1, start + 2)]
        elif flipped(vertices[corners[start : start + 4]]):
            found = [(start, start + 1, start + 3), (start + 1, start + 2, start + 3)]
        else:
            found = [(start, start + 1, start + 2), (start, start + 2, start + 3)]
        triangles += found
        faces += [face] * len(found)
    return np.array(triangles, dtype=np.int64).reshape(-1, 3), np.array(faces, dtype=np.int64)


def flipped(quad):
    """Whether corners 1 and 3 lie on the same side of the diagonal, without rounding.

    Where a corner is not finite, as far as floating point says so, like Blender.
    """
    if not np.isfinite(quad).all():
        with np.errstate(invalid="ignore", over="ignore"):
            b, c, d = np.asarray(quad[1:], dtype=np.float64) - quad[0]
            return bool(np.sum(np.cross(b, c) * np.cross(d, c)) > 0)
    a, b, c, d = (tuple(Fraction(float(x)) for x in corner) for corner in quad)
    diagonal = oracle.sub(c, a)
    one = oracle.cross(oracle.sub(b, a), diagonal)
    other = oracle.cross(oracle.sub(d, a), diagonal)
    return oracle.dot(one, other) > 0


def both(rng, engine, sizes, count=60, building="never"):
    """A polygon mesh, the mesh of its triangles, their corners and their owner."""
    vertices, corners, sizes = random_polygons(rng, count, sizes)
    owner = Owner(sizes)
    is_open = set(open_quads(vertices, corners, sizes))
    triangles, faces = split_one_by_one(vertices, corners, sizes, owner, is_open)
    polygons = sc.PolygonMesh(vertices, corners, sizes, owner, engine, building)
    plain = sc.Mesh(vertices, corners[triangles], faces, engine, "never")
    return polygons, plain, triangles, owner


def open_quads(vertices, corners, sizes):
    quads = np.flatnonzero(np.asarray(sizes) == 4)
    places = starts_of(sizes)[quads, None] + np.arange(4)
    return quads[split_quads(vertices[corners[places]]).open].tolist()


def questions(rng, plain, count=40):
    """Rays at triangles, some of them ending early."""
    origins, directions = toward(rng, plain.vertices, plain.triangles, count)
    reach = np.linalg.norm(directions, axis=1) * rng.uniform(0.5, 3, count)
    return origins, directions, np.where(rng.random(count) < 0.5, np.inf, reach)


def assert_same_answers(rng, polygons, plain, count=20):
    """One ray at a time, a few together, and many together."""
    rays = questions(rng, plain, count)
    exclude = rng.random(len(plain.triangles)) < 0.3
    for cull, excluded in [(None, None), ("back", None), (None, exclude), ("front", exclude)]:
        how = {"cull": cull, "exclude": excluded}
        for one in zip(*rays, strict=True):
            assert_same_hits(polygons.ray_cast_all(*one, **how), plain.ray_cast_all(*one, **how))
            assert_same_hits([polygons.ray_cast(*one, **how)], [plain.ray_cast(*one, **how)])
        for few in (3, count):
            some = [part[:few] for part in rays]
            hits, splits = polygons.cast_rays_all(*some, **how)
            expected, expected_splits = plain.cast_rays_all(*some, **how)
            np.testing.assert_array_equal(splits, expected_splits)
            assert_same_bits(hits, expected)
            assert_same_bits(polygons.cast_rays(*some, **how), plain.cast_rays(*some, **how))
