# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest place on a mesh: by fractions, by brute force, and with and without a tree alike.

All places that are as near as the nearest one.
"""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.closest.places import without_places

from .. import meshes, oracle
from ..scales import EXACT_SCALES, at_every_scale
from .nearest_places import (
    EPS,
    around,
    assert_consistent,
    assert_same_bits,
    brute_force,
    built,
    exactly_nearest,
    exactly_nearest_of_all,
    place,
    scanning,
)

TRIANGLE = [(0, 0, 0), (4, 0, 0), (0, 4, 0)]

both_ways = pytest.mark.parametrize("make", [scanning, built], ids=["scan", "tree"])


@both_ways
@pytest.mark.parametrize("kind", ["lattice", "anywhere"])
def test_distances_triangles_and_places_are_the_exact_ones(rng, make, kind):
    vertices, triangles = meshes.nasty(rng, 16)
    points = rng.uniform(-2, 5, (40, 3))
    if kind == "lattice":
        points = np.round(points * 2) / 2
    near = make(vertices, triangles).closest_point(points)
    for row, point in enumerate(points):
        square, triangle, weights = exactly_nearest_of_all(point, vertices, triangles)
        distance = oracle.root(square)
        assert abs(Fraction(near.distance[row]) - distance) <= EPS * distance
        assert near.triangle[row] == near.face[row] == triangle
        exact = place(weights, oracle.exact(vertices[triangles[triangle]]))
        assert np.abs(near.point[row] - oracle.approximate(exact)).max() <= 32 * EPS


@pytest.mark.parametrize("aspect", [1, 1e3, 1e6, 1e10])
@pytest.mark.parametrize("away", [100.0, 1.0, 1e-8, 0.0])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_slivers_are_as_the_docstring_says(rng, aspect, away, offset):
    for _ in range(20):
        a, edge, side = rng.normal(size=(3, 3))
        corners = np.array([a, a + edge, a + rng.random() * edge + side / aspect]) + offset
        corners = rng.permutation(corners)
        (point,) = around(rng, corners, np.array([[0, 1, 2]]), 1, away)
        near = scanning(corners, [[0, 1, 2]]).closest_point([point])
        p, exact = oracle.exact(point), oracle.exact(corners)
        square, weights = exactly_nearest(p, *exact)
        edges = [oracle.sub(x, y) for x, y in zip(exact, exact[1:] + exact[:1], strict=True)]
        longest = max(map(oracle.length, edges))
        height = oracle.length(oracle.cross(edges[0], edges[1])) / longest
        furthest = max(oracle.length(oracle.sub(p, corner)) for corner in exact)
        if height < 2.0**-50 * float(longest):
            continue  # a sliver that the offset has rounded away
        distance = oracle.root(square)
        grown = furthest * longest / height / 2**96
        assert abs(Fraction(near.distance[0]) - distance) <= EPS * distance + grown
        for weight, right in zip(near.barycentric[0], weights, strict=True):
            assert abs(Fraction(weight) - right) <= Fraction(2) ** -50 + grown / height
        error = np.abs(near.point[0] - oracle.approximate(place(weights, exact))).max()
        assert error <= 4 * EPS * np.abs(corners).max() + float(grown)


@pytest.mark.parametrize("aspect", [1e14, 1e15, 1e16, 1e18, 1e30])
def test_what_is_nearly_a_segment_is_right_to_float64(rng, aspect):
    for away in (1.0, 1e-8, 1.0 / aspect):
        for _ in range(20):
            a, edge, side = rng.normal(size=(3, 3))
            corners = rng.permutation([a, a + edge, a + rng.random() * edge + side / aspect])
            (point,) = around(rng, corners, np.array([[0, 1, 2]]), 1, away)
            near = scanning(corners, [[0, 1, 2]]).closest_point([point])
            square, _ = exactly_nearest(oracle.exact(point), *oracle.exact(corners))
            furthest = np.linalg.norm(corners - point, axis=1).max()
            error = abs(Fraction(near.distance[0]) - oracle.root(square))
            assert error <= EPS * near.distance[0] + 2.0**-50 * furthest


@both_ways
@at_every_scale
@pytest.mark.parametrize("away", [0.0, 1e-3, 1.0, 100.0])
def test_a_mesh_of_many_triangles(rng, make, scale, away):
    vertices, triangles = meshes.torus(24, 16)
    points = around(rng, vertices, triangles, 60, away)
    expected = brute_force(points, vertices, triangles).min(axis=1)
    near = make(vertices * scale, triangles).closest_point(points * scale)
    reach = np.abs(points).max()
    assert np.abs(near.distance / scale - expected).max() <= 64 * EPS * reach
    assert_consistent(near, points * scale, vertices * scale, triangles, 32 * EPS * reach * scale)


@both_ways
def test_a_mesh_far_from_the_origin(rng, make):
    vertices, triangles = meshes.torus(24, 16)
    vertices = vertices * 1e-2 + (1e6, -2e6, 3e6)
    points = around(rng, vertices, triangles, 60, 1e-2)
    near = make(vertices, triangles).closest_point(points)
    middle = vertices.mean(axis=0)
    expected = brute_force(points - middle, vertices - middle, triangles).min(axis=1)
    assert near.distance == pytest.approx(expected, abs=1e-12)
    assert_consistent(near, points, vertices, triangles, 16 * EPS * 3e6)


@pytest.mark.parametrize("away", [0, 1e-12, 1e-6, 0.1, 1, 3, 10, 1e4, 1e9, 1e14, 1e18, 1e30, 1e200])
def test_scan_and_tree_agree_to_the_last_bit(rng, away):
    vertices, triangles = meshes.icosphere(3)
    points = around(rng, vertices, triangles, 30, 1.0 * away)
    assert_same_bits(
        scanning(vertices, triangles).closest_point(points),
        built(vertices, triangles).closest_point(points),
    )


@pytest.mark.parametrize("away", [1e4, 1e8, 1e11])
def test_a_point_far_away_finds_the_exact_triangle(rng, away):
    """Where all distances are the same but for some of their last digits, or even less."""
    vertices, triangles = meshes.icosphere(2)
    points = away * meshes.directions(rng, 4)
    near = built(vertices, triangles).closest_point(points)
    for row, point in enumerate(points):
        assert near.triangle[row] == exactly_nearest_of_all(point, vertices, triangles)[1]


@both_ways
@pytest.mark.parametrize("scale", [*EXACT_SCALES, 2.0**-600, 2.0**-530, 2.0**600, 2.0**1000])
def test_scaling_by_powers_of_two_changes_no_bit_but_the_exponents(rng, make, scale):
    vertices, triangles = meshes.nasty(rng)
    points = rng.uniform(-2, 5, (50, 3))
    near = make(vertices, triangles).closest_point(points)
    scaled = make(vertices * scale, triangles).closest_point(points * scale)
    np.testing.assert_array_equal(scaled.distance, near.distance * scale)
    np.testing.assert_array_equal(scaled.triangle, near.triangle)
    np.testing.assert_array_equal(scaled.barycentric, near.barycentric)
    np.testing.assert_array_equal(scaled.point, near.point * scale)


@both_ways
def test_points_of_the_mesh_are_at_distance_0_on_the_first_triangle_they_are_part_of(make):
    vertices, triangles = meshes.icosphere(2)
    near = make(vertices, triangles).closest_point(vertices)
    assert (near.distance == 0).all()
    np.testing.assert_array_equal(near.point, vertices)
    first = [np.flatnonzero((triangles == v).any(axis=1))[0] for v in range(len(vertices))]
    np.testing.assert_array_equal(near.triangle, first)


@both_ways
def test_of_triangles_at_the_same_distance_the_first_is_taken(rng, make):
    """All faces of a cube are as near to its middle; the triangles come in any order."""
    vertices, triangles = meshes.cube()
    for _ in range(10):
        triangles = np.array([rng.permutation(t) for t in rng.permutation(triangles)])
        near = make(vertices, triangles).closest_point([(0, 0, 0), (0, 0, 0.5), (2, 2, 2)])
        assert near.distance.tolist() == [1, 0.5, 3**0.5]
        top = (vertices[triangles][:, :, 2] == 1).all(axis=1).argmax()
        corner = (triangles == len(vertices) - 1).any(axis=1).argmax()
        assert near.triangle.tolist() == [0, top, corner]


@both_ways
@pytest.mark.parametrize("away", [1e6, 1.0, 1e-8, 0.0])
def test_of_the_same_triangle_in_any_order_of_corners_the_first_is_taken(rng, make, away):
    vertices, (triangle,) = rng.normal(size=(3, 3)), meshes.UNIT_TRIANGLE[1]
    triangles = np.array([rng.permutation(triangle) for _ in range(12)])
    points = around(rng, vertices, triangles, 50, away)
    near = make(vertices, triangles).closest_point(points)
    assert (near.triangle == 0).all()
    apart = make(vertices[triangles.ravel()], np.arange(36).reshape(12, 3)).closest_point(points)
    assert_same_bits(apart, near)


@both_ways
def test_the_insides_edges_and_corners_of_triangles_can_be_as_near(rng, make):
    """Of a corner at n, an edge across n, and a plane across n, n whole, 0 is as far away."""
    for _ in range(40):
        n = rng.integers(-60, 60, 3)
        if (n == 0).any():
            continue
        u = np.cross(n, rng.integers(-9, 9, 3))
        v = np.cross(n, u)
        triangles = np.array(
            [[n, 2 * n + u, 3 * n + v], [n + u, n - u, 3 * n], [n + 3 * u, n - u - v, n - u + v]]
        )
        corners = rng.permutation(triangles)[:, ::-1] * 1.0
        near = make(corners.reshape(-1, 3), np.arange(9).reshape(3, 3)).closest_point([(0, 0, 0)])
        if u.any():
            assert near.triangle.tolist() == [0]
            assert near.point.tolist() == [n.tolist()]


@both_ways
def test_the_order_of_corners_and_triangles_changes_no_bit(rng, make):
    vertices, triangles = meshes.nasty(rng)
    points = rng.uniform(-2, 5, (50, 3))
    near = make(vertices, triangles).closest_point(points)
    rows = rng.permutation(len(triangles))
    mixed = np.array([rng.permutation(t) for t in triangles[rows]])
    again = make(vertices, mixed).closest_point(points)
    np.testing.assert_array_equal(again.distance, near.distance)


@both_ways
def test_a_triangle_without_area_counts_as_the_segment_or_point_that_it_is(make):
    vertices = np.array([(0, 0, 0), (1, 1, 1), (3, 3, 3), (9, 0, 0)], float)
    for triangles in ([[0, 1, 2]], [[2, 0, 1]], [[0, 2, 2]], [[2, 0, 0]]):
        near = make(vertices, triangles).closest_point(
            [(2, 2, 2), (-1, 0, 0), (2, 0, 1), (9, 9, 9)]
        )
        assert near.distance.tolist() == pytest.approx([0, 1, 2**0.5, 108**0.5], abs=1e-15)
        expected = [(2, 2, 2), (0, 0, 0), (1, 1, 1), (3, 3, 3)]
        assert near.point == pytest.approx(np.array(expected, float), abs=1e-15)
    near = make(vertices, [[3, 3, 3]]).closest_point([(9, 3, 4)])
    assert (near.distance.tolist(), near.point.tolist()) == ([5], [[9, 0, 0]])


@both_ways
def test_triangles_at_vertices_that_are_not_finite_never_count(rng, make):
    vertices, triangles = meshes.torus(12, 8)
    vertices[::7] = np.nan
    vertices[3] = (np.inf, 0, 0)
    points = rng.normal(size=(50, 3))
    near = make(vertices, triangles).closest_point(points)
    good = np.flatnonzero(np.isfinite(vertices[triangles]).all(axis=(1, 2)))
    expected = make(vertices, triangles[good]).closest_point(points)
    np.testing.assert_array_equal(near.distance, expected.distance)
    np.testing.assert_array_equal(near.triangle, good[expected.triangle])


@both_ways
@pytest.mark.parametrize(
    ("vertices", "triangles"),
    [
        (np.empty((0, 3)), []),
        (np.zeros((3, 3)), []),
        (np.full((3, 3), np.nan), [[0, 1, 2]]),
        ([(0, 0, 0), (1, 0, 0), (np.inf, 0, 0)], [[0, 1, 2]]),
    ],
    ids=["nothing", "no triangles", "nan", "inf"],
)
def test_a_mesh_without_a_triangle_that_counts_is_missed(make, vertices, triangles):
    near = make(vertices, triangles).closest_point([(0, 0, 0), (1, 2, 3)])
    assert_same_bits(near, without_places(2))
    assert near.distance.tolist() == [np.inf, np.inf]
    assert near.triangle.tolist() == near.face.tolist() == [-1, -1]
    assert np.isnan(near.point).all()
    assert np.isnan(near.barycentric).all()
    assert not near.hit.any()


@both_ways
def test_places_beyond_the_distance_are_none(rng, make):
    vertices, triangles = meshes.torus(24, 16)
    mesh = make(vertices, triangles)
    for away in (0.1, 100.0, 1e9):
        points = around(rng, vertices, triangles, 40, away)
        near = mesh.closest_point(points)
        assert_same_bits(mesh.closest_point(points, near.distance), near)
        less = np.nextafter(near.distance, 0)
        assert_same_bits(mesh.closest_point(points, less), without_places(40))
        limit = float(np.median(near.distance))
        assert (mesh.closest_point(points, limit).hit == (near.distance <= limit)).all()


@both_ways
def test_a_distance_of_0_finds_what_is_there(make):
    near = make(TRIANGLE, [[0, 1, 2]]).closest_point([(1, 1, 0), (1, 1, 1)], 0)
    assert near.distance.tolist() == [0, np.inf]


@both_ways
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_excluded_triangles_do_not_count(rng, make, share):
    vertices, triangles = meshes.torus(24, 16)
    mesh = make(vertices, triangles)
    excluded = rng.random(len(triangles)) < share
    excluded[7] = False
    points = around(rng, vertices, triangles, 40, 0.1)
    near = mesh.closest_point(points, exclude=excluded)
    assert_same_bits(mesh.closest_point(points, exclude=np.flatnonzero(excluded)), near)
    expected = make(vertices, triangles[~excluded]).closest_point(points)
    np.testing.assert_array_equal(near.distance, expected.distance)
    np.testing.assert_array_equal(near.triangle, np.flatnonzero(~excluded)[expected.triangle])


@both_ways
def test_excluding_all_or_none(make):
    mesh = make(*meshes.cube())
    assert not mesh.closest_point([(0, 0, 0)], exclude=range(12)).hit.any()
    assert_same_bits(mesh.closest_point((0, 0, 3), exclude=[]), mesh.closest_point((0, 0, 3)))


@both_ways
def test_faces_are_those_of_the_mesh(make):
    near = make(*meshes.cube(), faces=np.arange(12) // 2 + 10).closest_point([(0, 0, 2), (2, 0, 0)])
    np.testing.assert_array_equal(near.face, near.triangle // 2 + 10)


@both_ways
@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,), (2, 0)])
def test_places_have_the_shape_of_the_points(make, rng, shape):
    mesh = make(*meshes.icosphere(1))
    points = rng.normal(size=(*shape, 3))
    near = mesh.closest_point(points)
    assert near.shape == near.hit.shape == near.instance.shape == shape
    assert near.point.shape == near.barycentric.shape == (*shape, 3)
    assert_same_bits(near.reshape(-1), mesh.closest_point(points.reshape(-1, 3)))
    assert (near.instance == 0).all()


@both_ways
def test_one_point_has_one_place_and_an_empty_list_has_none(make):
    mesh = make(TRIANGLE, [[0, 1, 2]])
    near = mesh.closest_point((1, 1, 5))
    assert (near.shape, near.point.tolist(), int(near.triangle)) == ((), [1, 1, 0], 0)
    assert near.barycentric.tolist() == [0.5, 0.25, 0.25]
    assert_same_bits(mesh.closest_point([]), without_places(0))


@both_ways
def test_points_that_are_none_have_no_place_and_are_no_end_of_the_others(make):
    mesh = make(TRIANGLE, [[0, 1, 2]])
    points = [(1, 1, 5), (np.nan, 0, 0), (0, np.inf, 0), (0, 0, 1)]
    near = mesh.closest_point(points, [9, 9, 9, -1])
    assert near.hit.tolist() == [True, False, False, False]
    assert near.distance.tolist() == [5, np.inf, np.inf, np.inf]
    assert near.instance.tolist() == [0, -1, -1, -1]
    with pytest.raises(errors.NonFiniteError, match=r"points is not finite at index \(1, 0\)"):
        mesh.closest_point(points, invalid="raise")
    with pytest.raises(errors.ArgumentError, match="max_distance 3 must be 0 or more"):
        mesh.closest_point([(0, 0, 1)] * 4, [9, 9, 9, -1], invalid="raise")


@both_ways
def test_arrays_of_places_are_read_only(make):
    near = make(TRIANGLE, [[0, 1, 2]]).closest_point([(1, 1, 5)])
    for column in (near.distance, near.point, near.barycentric, near.triangle):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7


@both_ways
def test_an_answer_does_not_depend_on_the_others(rng, make):
    """Also not where there are more points than are taken together."""
    vertices, triangles = meshes.icosphere(1)
    mesh = make(vertices, triangles)
    points = rng.normal(size=(40, 3))
    near = mesh.closest_point(points)
    for row in range(0, 40, 7):
        assert_same_bits(mesh.closest_point(points[row : row + 1]), near.take([row]))
    if make is built:
        many = mesh.closest_point(np.tile(points, (500, 1)))
        assert_same_bits(many, near.take(np.tile(np.arange(40), 500)))


def test_what_all_triangles_are_as_near_to(rng):
    """The middle of a sphere: no box can be left out, and more pairs wait than are kept."""
    vertices, triangles = meshes.icosphere(3)
    mesh = built(vertices, triangles)
    points = np.concatenate([np.zeros((80, 3)), 1e-17 * rng.normal(size=(20, 3))])
    near = mesh.closest_point(points)
    expected = brute_force(points[-1:], vertices, triangles).min()
    assert near.distance == pytest.approx(np.full(100, expected), rel=1e-14)
    assert_same_bits(near.take(range(1)), scanning(vertices, triangles).closest_point([(0, 0, 0)]))


@both_ways
def test_a_refitted_mesh_equals_a_fresh_one(rng, make):
    vertices, triangles = meshes.torus(20, 12)
    broken = vertices.copy()
    broken[::17] = np.nan
    mesh = make(vertices, triangles)
    points = rng.normal(size=(40, 3))
    for positions in (vertices * (3, 0.1, 1), rng.normal(size=vertices.shape), broken, vertices):
        mesh.refit(positions)
        expected = scanning(positions, triangles).closest_point(points)
        assert_same_bits(mesh.closest_point(points), expected)


def test_one_point_is_scanned_for_and_many_build_the_tree(rng):
    mesh = sc.Mesh(*meshes.icosphere(3))
    mesh.closest_point((0, 0, 2))
    assert mesh.tree is None
    assert mesh.stats.scans == 1
    mesh.closest_point(rng.normal(size=(1000, 3)))
    assert mesh.tree is not None


def test_nothing_that_was_given_is_changed(rng):
    vertices, triangles = meshes.torus(12, 8)
    points, limits = rng.normal(size=(20, 3)), np.full(20, 0.5)
    copies = [array.copy() for array in (vertices, triangles, points, limits)]
    built(vertices, triangles).closest_point(points, limits)
    for array, copy in zip((vertices, triangles, points, limits), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (((1, 2),), errors.ShapeError, r"points must have shape \(..., 3\), not \(2,\)"),
        ((5,), errors.ShapeError, "points"),
        (("abc",), errors.DtypeError, "points"),
        (((0, 0, 0), -1), errors.ArgumentError, "max_distance must be 0 or more"),
        (((0, 0, 0), np.nan), errors.ArgumentError, "max_distance"),
        (((0, 0, 0), [1, 2]), errors.ShapeError, "max_distance"),
        (((0, 0, 0), 1, [3]), errors.IndexRangeError, "exclude has the index 3"),
        (((0, 0, 0), 1, [True, False]), errors.ShapeError, "exclude"),
    ],
)
def test_bad_arguments_are_named(arguments, error, text):
    with pytest.raises(error, match=text):
        sc.Mesh(TRIANGLE, [[0, 1, 2]]).closest_point(*arguments)


BOTH_WAYS = pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])


def assert_tied(mesh, points, tolerance):
    """All triangles at the least distance are there, and none whose square is more, but for this.

    How many points have several is returned.
    """
    vertices, triangles = mesh.vertices, mesh.triangles
    places, splits = mesh.closest_point_all(points)
    assert_same_bits(places.take(splits[:-1]), mesh.closest_point(points))
    corners = oracle.exact(vertices[triangles])
    for row, point in enumerate(oracle.exact(points)):
        own = places.take(slice(*splits[row : row + 2]))
        squares = [exactly_nearest(point, *triangle)[0] for triangle in corners]
        least = min(squares)
        tied = [i for i, square in enumerate(squares) if square == least]
        near = [i for i, square in enumerate(squares) if square <= least * (1 + tolerance)]
        assert set(tied) <= set(own.triangle) <= set(near)
        assert (np.diff(own.triangle) > 0).all()
        assert (own.distance == own.distance[0]).all()
        on = np.einsum("nk,nkx->nx", own.barycentric, vertices[triangles[own.triangle]])
        np.testing.assert_allclose(on, own.point, atol=1e-12)
    return (np.diff(splits) > 1).sum()


@BOTH_WAYS
def test_ties_on_a_lattice_are_exactly_the_triangles_at_the_least_distance(rng, make, engine):
    """There distances are the same, or differ by more than the digits that are compared."""
    tied = 0
    for _ in range(8):
        vertices = rng.integers(-3, 4, (9, 3)).astype(float)
        mesh = make(vertices, rng.integers(0, 9, (14, 3)), engine=engine)
        tied += assert_tied(mesh, rng.integers(-8, 9, (20, 3)) / 2.0, 0)
    assert tied > 30


@BOTH_WAYS
def test_ties_are_the_triangles_whose_distances_differ_by_less_than_2_to_the_minus_81(
    rng, make, engine
):
    for shape in (meshes.cube(), meshes.icosphere(1), meshes.soup(rng, 40)):
        some = shape[0][rng.integers(0, len(shape[0]), 8)]
        points = np.concatenate([some, some * 1.5, rng.normal(size=(8, 3)), [[0, 0, 0]]])
        assert_tied(make(*shape, engine=engine), points, Fraction(1, 2**80))


def test_what_is_further_by_less_than_float64_tells_is_no_tie(engine):
    """From (0, 0, 2**-60) the planes z = 1 and z = -1 are as far away, but for 2**-59."""
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    corners = np.array([(-9, -9), (9, -9), (0, 9)])
    vertices = np.concatenate([np.insert(corners, 2, height, axis=1) for height in (1, -1)])
    mesh = built(vertices, triangles, engine=engine)
    places, splits = mesh.closest_point_all([(0, 0, 0), (0, 0, 2.0**-60), (0, 0, -(2.0**-60))])
    assert splits.tolist() == [0, 2, 3, 4]
    assert places.triangle.tolist() == [0, 1, 0, 1]
    assert (places.distance == 1).all()


def test_corners_of_a_cube_have_all_triangles_around_them():
    vertices, triangles = meshes.cube()
    _, splits = sc.Mesh(vertices, triangles).closest_point_all(vertices * 2.0)
    around = [(triangles == vertex).any(axis=1).sum() for vertex in range(8)]
    assert np.diff(splits).tolist() == around


def test_the_middle_of_a_sphere_of_planes_is_as_near_to_all_of_them():
    vertices, triangles = meshes.cube()
    places, splits = built(vertices, triangles).closest_point_all((0, 0, 0))
    assert splits.tolist() == [0, 12]
    assert places.triangle.tolist() == list(range(12))


def test_where_float64_is_left_the_nearest_place_is_still_among_the_ties(engine):
    """Beyond 2**1022 bounds hold no longer, and no tree has the triangle."""
    vertices, triangles = [[0, 0, 0], [1.7e308] * 3, [-1.7e308, 0, 0]], [[0, 1, 2]]
    points = [(0, 0, 1), (0.5, 0, 1)]
    for mesh in (sc.Mesh(vertices, triangles, engine=engine), built(vertices, triangles)):
        nearest = mesh.closest_point(points)
        assert nearest.hit.all()
        places, splits = mesh.closest_point_all(points)
        assert splits.tolist() == [0, 1, 2]
        assert_same_bits(places, nearest)


def test_filters_points_that_are_none_and_meshes_of_nothing():
    mesh = built(*meshes.cube())
    places, splits = mesh.closest_point_all([(0, 0, 0), (np.nan, 0, 0), (5, 0, 0)], 2, exclude=[0])
    assert splits.tolist() == [0, 11, 11, 11]
    assert 0 not in places.triangle
    assert mesh.closest_point_all((0, 0, 0), only={3})[0].triangle.tolist() == [3]
    places, splits = sc.Mesh(np.empty((0, 3)), []).closest_point_all([(0, 0, 0)])
    assert (len(places), splits.tolist()) == (0, [0, 0])


def test_polygons_have_their_faces():
    square = sc.PolygonMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 3], 4)
    places, splits = square.closest_point_all([(0.5, 0.5, 1)])
    assert (places.triangle.tolist(), places.face.tolist(), splits.tolist()) == (
        [0, 1],
        [0, 0],
        [0, 2],
    )
    near = square.closest_point([(0.5, 0.1, 1), (9, 9, 9)], [2, 1])
    assert (near.face.tolist(), near.hit.tolist()) == ([0, -1], [True, False])
