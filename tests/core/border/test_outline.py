# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays that touch triangles and go through none hit them, as decided by integers."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.border.outline import Outline
from standalone_core.cast.rays import Geometry, Query
from standalone_core.cast.read_rays import many_rays
from standalone_core.numerics import rational

from ..meshes import cube


def touched(mesh, origins, directions, most=None):
    """The rows and hits of all rays that touch a mesh, if nothing else is hit."""
    mesh.build()
    outline = Outline(Geometry(mesh.vertices, mesh.triangles, None), mesh.tree)
    given = many_rays(
        origins, directions, np.inf, None, Query(every=True), "miss", lambda o, d: None
    )
    return outline.touched(given.rays, most)


def meets(origin, direction, corners):
    """Whether a ray meets a triangle that it is not in the plane of, its edges included."""
    o, d, (a, b, c) = origin.tolist(), direction.tolist(), corners.tolist()
    sides = [_volume(d, o, p, q) for p, q in ((b, c), (c, a), (a, b))]
    if not any(sides) or (min(sides) < 0 < max(sides)):
        return False
    normal = np.cross(np.subtract(b, a), np.subtract(c, a))
    return int(np.dot(normal, np.subtract(a, o))) * int(np.dot(normal, d)) >= 0


def _volume(d, o, p, q):
    x, y = np.subtract(p, o), np.subtract(q, o)
    return int(np.dot(d, np.cross(x, y)))


def test_rays_hit_or_touch_what_they_meet_by_integers(rng):
    vertices = rng.integers(-3, 4, (24, 3))
    triangles = rng.integers(0, len(vertices), (20, 3))
    mesh = sc.Mesh(vertices, triangles)
    origins = rng.integers(-4, 5, (3000, 3))
    directions = rng.integers(-2, 3, origins.shape)
    directions[~directions.any(axis=1)] = 1
    hit = mesh.any_hit(origins, directions)
    missed = np.flatnonzero(~hit)
    rows, _ = touched(mesh, origins[missed], directions[missed])
    by_touch = np.zeros_like(hit)
    by_touch[missed[rows]] = True
    wanted = [
        any(meets(o, d, vertices[t]) for t in triangles)
        for o, d in zip(origins, directions, strict=True)
    ]
    assert by_touch.sum() > 20
    assert hit.sum() > 200
    np.testing.assert_array_equal(hit | by_touch, wanted)


@pytest.mark.parametrize("most", [None, 1, 2])
def test_each_place_is_one_hit_and_the_nearest_are_kept(most):
    mesh = sc.Mesh(*cube())
    corners = np.array([[x, y, -5.0] for x in (-1, 1) for y in (-1, 1)])
    rows, hits = touched(mesh, corners, [0, 0, 1], most)
    count = most or 2
    assert rows.tolist() == np.repeat(np.arange(4), count).tolist()
    assert hits.point[:, 2].tolist() == [-1, 1][:count] * 4
    assert hits.distance.tolist() == [4, 6][:count] * 4
    assert hits.point[::count, :2].tolist() == corners[:, :2].tolist()


def test_what_passes_by_is_not_touched():
    mesh = sc.Mesh(*cube())
    just = np.nextafter(1, 2)
    rows, _ = touched(mesh, [[just, 0, -5], [1, 1, 5], [0, just, -5]], [0, 0, 1])
    assert rows.tolist() == []


def no_integers(*_):
    raise AssertionError("float64 should have been sure")


@pytest.mark.parametrize("plane", [[0, 0, 0.5], [2, -1, 0.25]])
def test_rays_in_the_plane_of_triangles_ask_no_integers(monkeypatch, plane):
    """As of the many triangles of a flat face, each of which once took a fraction's time."""
    monkeypatch.setattr(rational, "meeting", no_integers)
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(9.0), np.arange(9.0)))
    corner = np.flatnonzero((x < 8) & (y < 8))
    triangles = np.stack([corner, corner + 1, corner + 10], axis=1)
    level = plane[2] + plane[0] * x + plane[1] * y
    mesh = sc.Mesh(np.stack([x, y, level], axis=1), triangles)
    ways = np.array([[1, 0, plane[0]], [0, 1, plane[1]], [1, 1, plane[0] + plane[1]]])
    origins = np.array([[0, 0, plane[2]]]) - 3 * ways
    assert len(touched(mesh, origins, ways)[0]) == 0


def test_a_mesh_without_triangles_is_not_touched():
    mesh = sc.Mesh(np.empty((0, 3)), np.empty((0, 3), dtype=int))
    rows, hits = touched(mesh, [[0, 0, 1]], [0, 0, 1])
    assert (len(rows), len(hits)) == (0, 0)
