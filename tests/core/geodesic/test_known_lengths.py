# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortest paths whose lengths are known: on what unfolds into a plane, and by brute force."""

from math import cos, hypot, pi, sin

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from .edge_sequences import shortest
from .surface_places import at, check, drawn, point_of


def jittered(rng, cells):
    """The unit square, in uneven triangles."""
    vertices, triangles = meshes.grid(cells)
    inner = ((vertices[:, :2] > 0) & (vertices[:, :2] < 1)).all(axis=1)
    vertices[inner, :2] += rng.uniform(-0.3, 0.3, (inner.sum(), 2)) / cells
    return vertices, triangles


def cone(turn, count, rings):
    """Triangles around an apex, vertex 0, with these angles there together: rings one apart."""
    chord, around = 2 * sin(turn / count / 2), np.arange(count)
    # The innermost ring is level, or goes up and down where the turn is too large for that.
    level = np.where(around % 2, 1.0, -1.0) if turn > 2 * pi else np.ones(count)
    low, high = 0.0, 1.0
    for _ in range(200):
        z = level * (low + high) / 2
        flat, angle = np.sqrt(1 - z**2), 2 * pi * around / count
        rim = np.stack([flat * np.cos(angle), flat * np.sin(angle), z], axis=1)
        is_long = np.linalg.norm(rim[1] - rim[0]) > chord
        low, high = (low, z[1]) if is_long == (turn > 2 * pi) else (z[1], high)
    vertices = np.concatenate([np.zeros((1, 3)), *(ring * rim for ring in range(1, rings + 1))])
    one, other = 1 + around, 1 + (around + 1) % count
    rows = [np.stack([0 * one, one, other], axis=1)]
    for inner in range(0, count * (rings - 1), count):
        corners = (one + inner, one + inner + count, other + inner + count, other + inner)
        rows += [np.stack([corners[i] for i in three], axis=1) for three in ((0, 1, 2), (0, 2, 3))]
    return vertices, np.concatenate(rows)


def unrolled(triangles, turn, count, place):
    """The distance from the apex of a cone, and the angle around it, of a place."""
    row = triangles[place[0]]
    ring, step = np.where(row == 0, 0, (row - 1) // count + 1), (row - 1) % count
    sector = place[0] % count  # Every ring of triangles begins with the first sector.
    is_far = (row != 0) & (step != sector)
    x, y = (
        place[1]
        @ (ring * np.stack([np.cos(is_far * turn / count), np.sin(is_far * turn / count)])).T
    )
    return hypot(x, y), sector * turn / count + np.arctan2(y, x)


def test_in_a_plane_the_path_is_straight(rng):
    mesh = sc.Mesh(*jittered(rng, 7))
    for _ in range(60):
        start, end = drawn(rng, mesh), drawn(rng, mesh)
        path = mesh.surface_path(start, end)
        straight = np.linalg.norm(point_of(mesh, end) - point_of(mesh, start))
        assert path.distance == pytest.approx(straight, rel=1e-13, abs=1e-15)
        assert path.exact
        check(mesh, path, start, end)


def test_on_a_regular_grid_lines_through_vertices_are_straight_too():
    mesh = sc.Mesh(*meshes.grid(6))
    for end in ((1, 1, 0), (1, 0, 0), (0.5, 1, 0), (1, 0.5, 0)):
        path = mesh.surface_path(at(mesh, (0, 0, 0)), at(mesh, end))
        assert path.distance == pytest.approx(np.linalg.norm(end), rel=1e-14)


def test_a_path_bends_around_the_corner_of_a_border():
    vertices, triangles = meshes.grid(8)
    is_left = ~(vertices[triangles].mean(axis=1)[:, :2] > 0.5).all(axis=1)
    mesh = sc.Mesh(vertices, triangles[is_left])
    start, end = at(mesh, (0.4, 0.95, 0)), at(mesh, (0.85, 0.45, 0))
    path = mesh.surface_path(start, end)
    assert path.distance == pytest.approx(hypot(0.1, 0.45) + hypot(0.35, 0.05), rel=1e-14)
    check(mesh, path, start, end)


def test_the_spider_walks_40_feet_to_the_fly():
    """Dudeney's room of 30, 12 and 12 feet: the way crosses five of its six sides."""
    vertices, triangles = meshes.cube()
    mesh = sc.Mesh(vertices * (15, 6, 6), triangles)
    spider, fly = at(mesh, (-15, 0, 5)), at(mesh, (15, 0, -5))
    assert mesh.surface_path(spider, fly).distance == pytest.approx(40, rel=1e-14)


def test_on_a_prism_the_path_is_straight_when_unrolled(rng):
    around, height = 12, 5.0
    angle = 2 * pi * np.arange(around) / around
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    levels = [np.column_stack([ring, np.full(around, z)]) for z in (0, 1.3, 3.1, height)]
    i, j = np.meshgrid(np.arange(3), np.arange(around), indexing="ij")
    a, b = (around * i + j).ravel(), (around * i + (j + 1) % around).ravel()
    triangles = np.concatenate(
        [np.stack([a, b, a + around], 1), np.stack([b, b + around, a + around], 1)]
    )
    mesh = sc.Mesh(np.concatenate(levels), triangles)
    side = 2 * sin(pi / around)
    for _ in range(40):
        s, t = rng.integers(0, around, 2).tolist()
        u, v = rng.uniform(0, 1, 2).tolist()
        low, high = rng.uniform(0, height, 2)
        ends = [
            at(mesh, (*((1 - share) * ring[k] + share * ring[(k + 1) % around]), z))
            for k, share, z in ((s, u, low), (t, v, high))
        ]
        turn = abs(s + u - t - v)
        expected = hypot(side * min(turn, around - turn), high - low)
        assert mesh.surface_path(*ends).distance == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("turn", [0.5 * pi, 1.3 * pi, 2.3 * pi, 3.3 * pi])
def test_around_a_cone_or_a_saddle_the_path_is_straight_or_goes_through_the_apex(rng, turn):
    count = 12
    vertices, triangles = cone(turn, count, 5)
    triangles = triangles.copy()
    some = rng.random(len(triangles)) < 0.5
    triangles[some] = triangles[some][:, [0, 2, 1]]  # Which way they are wound is no matter.
    mesh, through = sc.Mesh(vertices, triangles), 0
    for _ in range(60):
        ends = drawn(rng, mesh), drawn(rng, mesh)
        (r, a), (s, b) = (unrolled(triangles, turn, count, each) for each in ends)
        apart = abs(a - b) % turn
        apart = min(apart, turn - apart)
        expected = r + s if apart >= pi else (r**2 + s**2 - 2 * r * s * cos(apart)) ** 0.5
        path = mesh.surface_path(*ends)
        assert path.distance == pytest.approx(expected, rel=1e-12, abs=1e-14)
        check(mesh, path, *ends)
        through += apart >= pi
    assert bool(through) == (turn > 2 * pi)


def small_surfaces(rng):
    """Meshes of few triangles, closed and open, rough enough for paths to bend."""
    ball, triangles = meshes.icosphere(0)
    yield ball * rng.uniform(0.3, 1.0, (len(ball), 1)), triangles
    vertices, triangles = meshes.grid(3)
    vertices[:, 2] = rng.normal(0, 0.4, len(vertices))
    yield vertices, triangles
    yield vertices, triangles[rng.permutation(len(triangles))[:12]]


def test_no_sequence_of_triangles_has_a_shorter_path(rng):
    for vertices, triangles in small_surfaces(rng):
        mesh = sc.Mesh(vertices, triangles)
        for _ in range(6):
            s, t = rng.integers(0, len(triangles), 2).tolist()
            ends = (s, rng.dirichlet((1, 1, 1))), (t, rng.dirichlet((1, 1, 1)))
            path = mesh.surface_path(*ends)
            expected = shortest(vertices, triangles, *ends)
            assert path.distance == pytest.approx(expected, rel=1e-11)
            if np.isfinite(expected):
                check(mesh, path, *ends)


def test_an_edge_of_three_triangles_leads_from_each_to_each(rng):
    vertices = np.array([[0, 0, 0], [0, 0, 4], [3, 0, 1], [-3, 1, 2], [-1, -3, 2]], float)
    triangles = np.array([[0, 1, 2], [0, 1, 3], [1, 0, 4]])
    mesh = sc.Mesh(vertices, triangles)
    for s, t in ((0, 1), (1, 2), (2, 0)):
        ends = (s, rng.dirichlet((2, 2, 2))), (t, rng.dirichlet((2, 2, 2)))
        path = mesh.surface_path(*ends)
        assert path.distance == pytest.approx(shortest(vertices, triangles, *ends), rel=1e-12)
        check(mesh, path, *ends)
