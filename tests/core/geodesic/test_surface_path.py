# SPDX-License-Identifier: GPL-3.0-or-later
"""What surface_path answers for all kinds of places and meshes, and what holds for any of them."""

import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes
from .surface_places import at, at_vertex, check, drawn, point_of


def rough(rng, subdivisions=2):
    """A ball with hills and valleys."""
    vertices, triangles = meshes.icosphere(subdivisions)
    return vertices * rng.uniform(0.6, 1.0, (len(vertices), 1)), triangles


def moved(mesh, change):
    return sc.Mesh(change(mesh.vertices), mesh.triangles)


def along_edges(mesh, start, end):
    """The length of the shortest way straight to a vertex, along edges, and straight to the end."""
    one, other = meshes.edges(mesh.triangles).T
    size = np.linalg.norm(mesh.vertices[one] - mesh.vertices[other], axis=1)
    far = np.full(len(mesh.vertices), np.inf)
    first, last = mesh.triangles[start[0]], mesh.triangles[end[0]]
    far[first] = np.linalg.norm(mesh.vertices[first] - point_of(mesh, start), axis=1)
    for _ in far:
        np.minimum.at(far, one, far[other] + size)
        np.minimum.at(far, other, far[one] + size)
    left = np.linalg.norm(mesh.vertices[last] - point_of(mesh, end), axis=1)
    return (far[last] + left).min()


def test_paths_are_a_metric(rng):
    mesh = sc.Mesh(*rough(rng))
    for _ in range(15):
        a, b, c = (drawn(rng, mesh) for _ in range(3))
        ab, bc, ac = mesh.surface_path(a, b), mesh.surface_path(b, c), mesh.surface_path(a, c)
        assert mesh.surface_path(b, a).distance == pytest.approx(ab.distance, rel=1e-12)
        assert ac.distance <= (ab.distance + bc.distance) * (1 + 1e-12)
        assert ac.distance >= np.linalg.norm(point_of(mesh, a) - point_of(mesh, c)) * (1 - 1e-12)
        for path, ends in ((ab, (a, b)), (bc, (b, c)), (ac, (a, c))):
            assert path.exact
            check(mesh, path, *ends)


def test_every_part_of_a_path_is_the_shortest(rng):
    mesh = sc.Mesh(*rough(rng))
    for _ in range(8):
        path = mesh.surface_path(drawn(rng, mesh), drawn(rng, mesh))
        pieces = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
        i, j = np.sort(rng.integers(0, len(path.points), 2)).tolist()
        ends = ((path.triangle[k], path.weights[k]) for k in (i, j))
        assert mesh.surface_path(*ends).distance == pytest.approx(
            pieces[i:j].sum(), rel=1e-9, abs=1e-12
        )


def test_there_and_back_it_is_as_far_where_many_ways_are_nearly_as_short(rng):
    vertices, triangles = meshes.icosphere(3)
    mesh = sc.Mesh(vertices * rng.uniform(0.9, 1.0, (len(vertices), 1)), triangles)
    for _ in range(12):
        start, end = drawn(rng, mesh), drawn(rng, mesh)
        back = mesh.surface_path(end, start).distance
        assert mesh.surface_path(start, end).distance == pytest.approx(back, rel=1e-12, abs=1e-14)


def test_a_place_at_an_edge_or_a_vertex_is_the_same_in_each_triangle(rng):
    mesh = sc.Mesh(*rough(rng, 1))
    end = drawn(rng, mesh)
    for vertex in range(12):
        rows = np.argwhere(mesh.triangles == vertex).tolist()
        lengths = [mesh.surface_path((t, np.eye(3)[k]), end).distance for t, k in rows]
        assert lengths == pytest.approx([lengths[0]] * len(rows), rel=1e-13)
    for a, b in meshes.edges(mesh.triangles)[:20].tolist():
        both = [t for t, row in enumerate(mesh.triangles.tolist()) if a in row and b in row]
        lengths = []
        for triangle in both:
            row = mesh.triangles[triangle]
            weights = 0.3 * (row == a) + 0.7 * (row == b)
            lengths.append(mesh.surface_path((triangle, weights), end).distance)
        assert lengths[0] == pytest.approx(lengths[1], rel=1e-13)


def test_from_a_place_to_itself_there_is_one_point_and_no_way():
    mesh = sc.Mesh(*meshes.grid(3))
    path = mesh.surface_path((4, (0.25, 0.25, 0.5)), (4, (0.25, 0.25, 0.5)))
    assert (path.distance, len(path.points), path.triangle.tolist()) == (0.0, 1, [4])
    vertex = [(t, np.eye(3)[k]) for t, k in np.argwhere(mesh.triangles == 5).tolist()]
    assert {mesh.surface_path(vertex[0], other).distance for other in vertex} == {0.0}


def test_within_a_triangle_the_path_is_straight():
    mesh = sc.Mesh(*meshes.cube())
    path = mesh.surface_path((3, (1, 0, 0)), (3, (0, 0.5, 0.5)))
    ends = [point_of(mesh, place) for place in ((3, (1, 0, 0)), (3, (0, 0.5, 0.5)))]
    assert path.points.tolist() == [end.tolist() for end in ends]
    assert path.distance == np.linalg.norm(ends[1] - ends[0])


def test_no_path_leads_to_another_piece(rng):
    ball, triangles = meshes.icosphere(1)
    mesh = sc.Mesh(
        np.concatenate([ball, ball + 3]), np.concatenate([triangles, triangles + len(ball)])
    )
    path = mesh.surface_path((0, (1, 0, 0)), (len(triangles), (1, 0, 0)))
    assert (path.distance, path.exact) == (np.inf, True)
    assert (path.points.shape, path.triangle.shape, path.weights.shape) == ((0, 3), (0,), (0, 3))


def test_vertices_at_one_point_are_not_one_vertex():
    vertices, triangles = meshes.grid(1)
    seam = sc.Mesh(vertices[triangles].reshape(-1, 3), np.arange(6).reshape(2, 3))
    assert seam.surface_path((0, (0, 1, 0)), (1, (0, 0, 1))).distance == np.inf


def test_triangles_that_share_a_vertex_alone_are_connected_there():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], float)
    mesh = sc.Mesh(vertices, [[0, 1, 2], [0, 3, 4]])
    path = mesh.surface_path((0, (0, 0.5, 0.5)), (1, (0, 0.5, 0.5)))
    assert path.distance == pytest.approx(2**0.5, rel=1e-15)
    assert path.points[1].tolist() == [0, 0, 0]


def test_cones_that_share_an_apex_alone_are_connected_there():
    ball, triangles = meshes.icosphere(1)
    other = np.where(triangles == 0, 0, triangles + len(ball))
    vertices = np.concatenate([ball, 2 * ball[0] - ball])
    mesh = sc.Mesh(vertices, np.concatenate([triangles, other]))
    far = int(np.argmin(ball @ ball[0]))
    half = mesh.surface_path(at_vertex(mesh, far), at_vertex(mesh, 0)).distance
    whole = mesh.surface_path(at_vertex(mesh, far), at_vertex(mesh, far + len(ball))).distance
    assert whole == pytest.approx(2 * half, rel=1e-13)


def test_a_triangle_that_is_not_finite_is_not_there():
    vertices, triangles = meshes.grid(2)
    vertices[4] = np.nan  # the middle one
    mesh = sc.Mesh(vertices, triangles)
    there = np.isfinite(vertices[triangles]).all(axis=(1, 2))
    gone, left = np.flatnonzero(~there)[0], np.flatnonzero(there)
    assert mesh.surface_path((int(left[0]), (1, 0, 0)), (int(gone), (1, 0, 0))).distance == np.inf
    assert (
        mesh.surface_path((int(left[0]), (1, 0, 0)), (int(left[1]), (1, 0, 0))).distance == np.inf
    )


def test_triangles_without_area_are_crossed_like_the_edges_that_they_are(rng):
    vertices, triangles = meshes.grid(4)
    pairs = meshes.edges(triangles)
    inner = [
        (a, b)
        for a, b in pairs.tolist()
        if sum(a in row and b in row for row in triangles.tolist()) == 2
    ]
    a, b = inner[len(inner) // 2]
    first = next(t for t, row in enumerate(triangles.tolist()) if a in row and b in row)
    middle = len(vertices)
    vertices = np.concatenate([vertices, [(vertices[a] + vertices[b]) / 2]])
    row = triangles[first].tolist()
    apex = next(v for v in row if v not in (a, b))
    halves = [[apex, a, middle], [apex, middle, b], [a, b, middle]]
    mesh = sc.Mesh(vertices, np.concatenate([np.delete(triangles, first, 0), halves]))
    for _ in range(30):
        start, end = drawn(rng, mesh), drawn(rng, mesh)
        straight = np.linalg.norm(point_of(mesh, start) - point_of(mesh, end))
        assert mesh.surface_path(start, end).distance == pytest.approx(
            straight, rel=1e-12, abs=1e-14
        )


def test_an_edge_without_length_joins_its_ends(rng):
    vertices, triangles = meshes.grid(2)
    # The middle vertex is there twice, with two triangles of no area between.
    middle, is_above = vertices[triangles].mean(axis=1), (triangles == 4).any(axis=1)
    is_above &= middle[:, 1] > middle[:, 0]
    rows = np.where((triangles == 4) & is_above[:, None], 9, triangles)
    mesh = sc.Mesh(np.concatenate([vertices, vertices[4:5]]), [*rows, [4, 9, 0], [9, 4, 8]])
    assert mesh.surface_path(at_vertex(mesh, 4), at_vertex(mesh, 9)).distance == 0.0
    for _ in range(20):
        start, end = drawn(rng, mesh), drawn(rng, mesh)
        straight = np.linalg.norm(point_of(mesh, start) - point_of(mesh, end))
        path = mesh.surface_path(start, end)
        assert path.distance == pytest.approx(straight, rel=1e-12, abs=1e-14)


def test_which_way_triangles_are_wound_makes_no_difference(rng):
    vertices, triangles = rough(rng)
    mesh = sc.Mesh(vertices, triangles)
    turned = triangles.copy()
    some = rng.random(len(triangles)) < 0.5
    turned[some] = turned[some][:, [0, 2, 1]]
    other = sc.Mesh(vertices, turned)
    for _ in range(10):
        places = [drawn(rng, mesh) for _ in range(2)]
        same = [(t, w[[0, 2, 1]] if some[t] else w) for t, w in places]
        path, twin = mesh.surface_path(*places), other.surface_path(*same)
        assert twin.distance == pytest.approx(path.distance, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1e6, 1e200, 2.0**1021])
def test_the_scale_makes_no_difference(rng, scale):
    mesh = sc.Mesh(*rough(rng, 1))
    places = drawn(rng, mesh), drawn(rng, mesh)
    expected = mesh.surface_path(*places).distance * scale
    large = moved(mesh, lambda v: v * scale)
    assert large.surface_path(*places).distance == pytest.approx(expected, rel=1e-13)


def test_a_far_vertex_that_no_triangle_has_makes_no_difference():
    vertices, triangles = meshes.grid(1)
    mesh = sc.Mesh(np.concatenate([vertices, [[1e170, 0, 0]]]), triangles)
    path = mesh.surface_path(at_vertex(mesh, 0), at_vertex(mesh, 3))
    assert path.distance == pytest.approx(2**0.5, rel=1e-15)


def test_a_path_without_length_is_exact():
    mesh = sc.Mesh([[0, 0, 0]] * 4, [[0, 1, 2], [1, 2, 3]])
    path = mesh.surface_path((0, (1, 0, 0)), (1, (0, 0, 1)))
    assert (path.distance, path.exact) == (0.0, True)


def test_refit_moves_paths_and_vertices_that_return_are_there_again(rng):
    mesh = sc.Mesh(*rough(rng, 1))
    places = drawn(rng, mesh), drawn(rng, mesh)
    before, vertices = mesh.surface_path(*places), mesh.vertices.copy()
    mesh.refit(2 * vertices)
    assert mesh.surface_path(*places).distance == pytest.approx(2 * before.distance, rel=1e-14)
    broken = vertices.copy()
    broken[mesh.triangles[places[0][0]]] = np.inf
    mesh.refit(broken)
    assert mesh.surface_path(*places).points.shape == (0, 3)
    mesh.refit(vertices)
    assert mesh.surface_path(*places) == before


def test_polygons_have_the_paths_of_their_triangles(rng):
    vertices, _ = meshes.cube()
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    polygons = sc.PolygonMesh(vertices, np.ravel(quads), 4)
    mesh = polygons.as_mesh()
    places = drawn(rng, mesh), drawn(rng, mesh)
    assert polygons.surface_path(*places) == mesh.surface_path(*places)


def test_a_search_that_is_cut_short_says_so_and_answers_a_path_that_is_short(rng):
    mesh = sc.Mesh(*rough(rng, 3))
    seen = 0
    for _ in range(6):
        places = drawn(rng, mesh), drawn(rng, mesh)
        best = mesh.surface_path(*places, max_windows=None)
        for most in (1, 30, 300):
            path = mesh.surface_path(*places, max_windows=most)
            assert path.distance >= best.distance * (1 - 1e-12)
            assert path.distance <= along_edges(mesh, *places) * (1 + 1e-12)
            check(mesh, path, *places)
            if path.exact:
                assert path.distance == pytest.approx(best.distance, rel=1e-12, abs=1e-15)
            seen += not path.exact
    assert seen > 6


def test_beside_a_path_a_shorter_one_is_found(rng):
    """Where all windows near it may be followed, but not all there are."""
    mesh = sc.Mesh(*rough(rng, 3))
    start, end = at(mesh, (0, 0, 1)), at(mesh, (0, 0, -1))
    along, short = (mesh.surface_path(start, end, most) for most in (1, 1500))
    assert not short.exact
    assert short.distance < along.distance


def test_weights_are_taken_with_the_rounding_of_others():
    mesh = sc.Mesh(*meshes.grid(2))
    good = mesh.surface_path((0, (0.5, 0.5, 0)), (7, (1, 0, 0)))
    near = mesh.surface_path((0, (0.5, 0.5, -9.6e-14)), (7, (1, 1e-8, 0)))
    assert near.distance == pytest.approx(good.distance, rel=1e-7)


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ((99, (1, 0, 0)), errors.IndexRangeError),
        ((-1, (1, 0, 0)), errors.IndexRangeError),
        ((0, (1, 0)), errors.ShapeError),
        ((0, (1, 0, 0), 3), errors.ShapeError),
        ((0, (np.nan, 0, 0)), errors.NonFiniteError),
        ((0, (0.5, 0.6, 0)), errors.ArgumentError),
        ((0, (1.5, -0.5, 0)), errors.ArgumentError),
        ((0.5, (1, 0, 0)), errors.DtypeError),
        (7, errors.DtypeError),
        (None, errors.DtypeError),
    ],
)
def test_what_is_no_place_is_refused_by_name(place, error):
    mesh = sc.Mesh(*meshes.grid(2))
    with pytest.raises(error, match="start"):
        mesh.surface_path(place, (0, (1, 0, 0)))
    with pytest.raises(error, match="end"):
        mesh.surface_path((0, (1, 0, 0)), place)


def test_a_hit_and_a_closest_point_are_places(rng):
    mesh = sc.Mesh(*rough(rng, 1))
    hit, near = mesh.ray_cast((0, 0, 0), (0.1, 0.2, 1)), mesh.closest_point((1, -2, 0.5))
    pairs = [(each.triangle, each.barycentric) for each in (hit, near)]
    assert mesh.surface_path(hit, near) == mesh.surface_path(*pairs)


def test_an_answer_cannot_be_changed_and_can_be_pickled(rng):
    mesh = sc.Mesh(*rough(rng, 1))
    path = mesh.surface_path(drawn(rng, mesh), drawn(rng, mesh))
    with pytest.raises(errors.FrozenError):
        path.distance = 0.0
    for array in (path.points, path.triangle, path.weights):
        assert not array.flags.writeable
    assert pickle.loads(pickle.dumps(path)) == path
    assert pickle.loads(pickle.dumps(mesh)).surface_path(
        *((t, w) for t, w in zip(path.triangle[[0, -1]], path.weights[[0, -1]], strict=True))
    ).distance == pytest.approx(path.distance, rel=1e-14)
