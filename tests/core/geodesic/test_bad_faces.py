# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths over faces that are there twice or have no area are those of the mesh without them."""

from math import dist

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.geodesic import search, windows

from .. import meshes
from .edge_sequences import shortest
from .surface_places import check, drawn, point_of


def hills(cells):
    """A square with hills."""
    vertices, triangles = meshes.grid(cells)
    vertices[:, 2] = 0.1 * np.sin(9 * vertices[:, 0]) * np.cos(11 * vertices[:, 1])
    return vertices, triangles


def doubled(vertices, triangles):
    return vertices, np.concatenate([triangles, triangles])


def double_sided(vertices, triangles):
    return vertices, np.concatenate([triangles, triangles[:, [2, 1, 0]]])


def five_times(vertices, triangles):
    return vertices, np.concatenate([np.roll(triangles, k, axis=1) for k in range(5)])


def with_needles(vertices, triangles):
    """With edges, and vertices, that are there as triangles too."""
    a, b, _ = triangles[::3].T
    more = [np.stack(corners, axis=1) for corners in ((a, b, b), (b, a, a), (a, b, a), (a, a, a))]
    return vertices, np.concatenate([triangles, *more])


def with_flaps(vertices, triangles):
    """With triangles that lie on edges, and have a vertex of their own there."""
    a, b, _ = triangles[::3].T
    own = vertices[a] + 0.3 * (vertices[b] - vertices[a])
    number = len(vertices) + np.arange(len(own))
    return np.concatenate([vertices, own]), np.concatenate([triangles, np.stack([b, number, a], 1)])


def with_flaps_on_flaps(vertices, triangles):
    """And with triangles and edges that lie on an edge of these."""
    points, faces = with_flaps(vertices, triangles)
    _, middle, a = faces[len(triangles) :].T
    own = points[middle] + 0.4 * (points[a] - points[middle])
    number = len(points) + np.arange(len(own))
    more = np.stack([a, number, middle], 1), np.stack([a, middle, a], 1)
    return np.concatenate([points, own]), np.concatenate([faces, *more])


@pytest.fixture
def followed(monkeypatch):
    """What each search from now on follows."""
    found = []

    class Noted(windows.Followed):
        def __init__(self):
            super().__init__()
            found.append(self)

    monkeypatch.setattr(search, "Followed", Noted)
    return found


BAD = [doubled, double_sided, five_times, with_needles, with_flaps, with_flaps_on_flaps]


@pytest.mark.parametrize("change", BAD)
def test_paths_are_those_of_the_clean_mesh(rng, change):
    clean = sc.Mesh(*hills(10))
    bad = sc.Mesh(*change(clean.vertices, clean.triangles))
    for _ in range(8):
        ends = drawn(rng, clean), drawn(rng, clean)
        path = bad.surface_path(*ends)
        assert path.exact
        assert path.distance == pytest.approx(clean.surface_path(*ends).distance, rel=1e-12)
        check(bad, path, *ends)


@pytest.mark.parametrize("change", BAD)
def test_the_same_windows_are_followed_as_on_the_clean_mesh(change, followed):
    clean = sc.Mesh(*hills(15))
    bad = sc.Mesh(*change(clean.vertices, clean.triangles))
    ends = (0, (0.2, 0.3, 0.5)), (len(clean.triangles) - 1, (0.2, 0.3, 0.5))
    assert bad.surface_path(*ends) == clean.surface_path(*ends)
    on_bad, on_clean = (each.count for each in followed)
    assert on_bad == on_clean > 1000


@pytest.mark.parametrize("change", BAD)
def test_a_place_on_a_bad_face_is_that_on_the_faces_that_it_lies_on(rng, change):
    clean = sc.Mesh(*hills(6))
    bad = sc.Mesh(*change(clean.vertices, clean.triangles))
    for _ in range(12):
        end = drawn(rng, clean)
        start = int(rng.integers(len(bad.triangles))), drawn(rng, clean)[1]
        near = clean.closest_point(point_of(bad, start))
        path = bad.surface_path(start, end)
        expected = clean.surface_path((near.triangle, near.barycentric), end).distance
        assert path.distance == pytest.approx(expected, rel=1e-12, abs=1e-14)
        back = bad.surface_path(end, start)
        assert back.distance == pytest.approx(expected, rel=1e-12, abs=1e-14)
        for point in path.points[0], back.points[-1]:
            assert dist(point, point_of(bad, start)) < 1e-14


def test_an_edge_that_joins_pieces_as_a_triangle_leads_from_one_to_the_other():
    vertices, triangles = meshes.grid(1)
    pair = np.concatenate([vertices, vertices + (3, 0, 0)])
    first, last = int(triangles[0, 0]), int(triangles[0, 0]) + len(vertices)
    mesh = sc.Mesh(pair, [*triangles, *(triangles + len(vertices)), (first, last, last)])
    path = mesh.surface_path((0, (1, 0, 0)), (len(triangles), (1, 0, 0)))
    assert (path.distance, path.exact) == (3.0, True)


def test_from_the_middle_of_an_edge_that_is_split_on_one_side_it_is_straight(rng):
    """The vertex there is joined to the other side by a triangle without area, on it or not."""
    vertices = np.array([[0, 0, 0], [4, 0, 0], [1, 3, 0], [2, -3, 0], [1.5, 0, 0]], float)
    mesh = sc.Mesh(vertices, [[0, 4, 2], [4, 1, 2], [0, 1, 3], [1, 0, 4], [0, 1, 0], [4, 1, 4]])
    middle = (0, (0, 1, 0)), (1, (1, 0, 0)), (3, (0, 0, 1)), (5, (1, 0, 0))
    on_edge = (3, (0.2, 0.1, 0.7)), (4, (0.3, 0.5, 0.2)), (5, (0.6, 0.3, 0.1))
    for start in (*middle, *on_edge):
        for end in ((2, rng.dirichlet((1, 1, 1))), (0, rng.dirichlet((1, 1, 1)))):
            straight = dist(point_of(mesh, start), point_of(mesh, end))
            for path in (mesh.surface_path(start, end), mesh.surface_path(end, start)):
                assert path.distance == pytest.approx(straight, rel=1e-14)
                assert path.exact


def quads_split_both_ways(cells, height):
    """A sheet of quads on another one, which is split along the other diagonals."""
    vertices, _ = meshes.grid(cells)
    vertices[:, 2] = height * np.sin(3 * np.arange(len(vertices)))
    low = np.arange(cells * (cells + 1)).reshape(cells, cells + 1)[:, :-1].ravel()
    a, b, c, d = low, low + 1, low + cells + 2, low + cells + 1
    first = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    second = np.concatenate([np.stack([a, b, d], 1), np.stack([b, c, d], 1)])
    return vertices, first, np.concatenate([first, second])


def test_on_quads_that_are_split_both_ways_no_sequence_of_triangles_is_shorter(rng):
    for height in (0.1, 0.6):
        vertices, _, triangles = quads_split_both_ways(2, height)
        mesh = sc.Mesh(vertices, triangles)
        for _ in range(2):
            s, t = rng.integers(0, len(triangles), 2).tolist()
            ends = (s, rng.dirichlet((1, 1, 1))), (t, rng.dirichlet((1, 1, 1)))
            path = mesh.surface_path(*ends)
            expected = shortest(vertices, triangles, *ends)
            assert path.distance == pytest.approx(expected, rel=1e-11)
            check(mesh, path, *ends)


@pytest.mark.parametrize("height", [0.0, 0.01])
def test_sheets_of_quads_on_each_other_do_not_double_the_windows_at_every_edge(height, followed):
    vertices, sheet, both = quads_split_both_ways(14, height)
    one, mesh = sc.Mesh(vertices, sheet), sc.Mesh(vertices, both)
    ends = (0, (0.5, 0.2, 0.3)), (len(sheet) - 1, (0.5, 0.2, 0.3))
    path = mesh.surface_path(*ends, max_windows=50_000)
    assert path.exact
    assert followed[0].count < 20_000
    assert path.distance <= one.surface_path(*ends).distance * (1 + 1e-12)
    straight = np.linalg.norm(point_of(one, ends[0]) - point_of(one, ends[1]))
    assert height or path.distance == pytest.approx(straight, rel=1e-12)
    check(mesh, path, *ends)
