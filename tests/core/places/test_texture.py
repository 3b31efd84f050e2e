# SPDX-License-Identifier: GPL-3.0-or-later
"""Places at texture coordinates: those of fractions, each point of the surface once."""

import re
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

EPS = Fraction(1, 2**52)
TILT = np.array([[1.0, 0.5], [-0.25, 1.0]])

# How maps of small whole numbers are changed: exact ties stay in the first few.
CHANGES = {
    "as it is": lambda uv: uv,
    "tiny": lambda uv: uv * 2.0**-700,
    "huge": lambda uv: uv * 2.0**1000,
    "with differences beyond float64": lambda uv: (uv - 2.0) * 2.0**1022,
    "denormal": lambda uv: uv * 2.0**-1070,
    "far away": lambda uv: uv * 2.0**-40 + 1.0,
    "one corner beyond products": lambda uv: np.where(uv == 0.0, 2.0**-300, uv),
    "in tenths": lambda uv: uv / 10.0,
    "tilted": lambda uv: uv[..., :1] * TILT[0] / 3 + uv[..., 1:] * TILT[1] / 7,
}


def exact(value):
    return tuple(Fraction(float(x)) for x in value)


def turn(p, a, b):
    """Twice the area of the triangle p, a, b, by fractions."""
    return (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0])


def places_by_fractions(vertices, triangles, corners, p):
    """What is at a point of a map: weights by triangle, each point of the surface once."""
    found, known = {}, set()
    for number, (vertex, ends) in enumerate(zip(triangles, corners, strict=True)):
        if not (np.isfinite(ends).all() and np.isfinite(vertices[vertex]).all()):
            continue
        at = [exact(end) for end in ends]
        area = turn(*at)
        if area == 0:
            continue
        own = exact(p)
        weights = [turn(own, at[(i + 1) % 3], at[(i + 2) % 3]) / area for i in range(3)]
        if min(weights) < 0:
            continue
        shared = frozenset(
            (tuple(vertices[vertex[i]].tolist()), at[i]) for i in range(3) if weights[i]
        )
        if len(shared) < 3:
            if shared in known:
                continue
            known.add(shared)
        found[number] = weights, area
    return found


def check(vertices, triangles, uv, points, mesh=None):
    """Compare all places at points with fractions, and their weights."""
    vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles)
    mesh = mesh or sc.Mesh(vertices, triangles)
    places, splits = mesh.at_uv(uv, points)
    corners = uv if np.ndim(uv) == 3 else np.asarray(uv)[triangles]
    for i, p in enumerate(np.reshape(points, (-1, 2))):
        own = places[splits[i] : splits[i + 1]]
        wanted = places_by_fractions(vertices, triangles, corners, p)
        assert own.triangle.tolist() == sorted(wanted), p
        for triangle, weights in zip(own.triangle.tolist(), own.weights.tolist(), strict=True):
            right, area = wanted[triangle]
            ways = [np.subtract(exact(end), exact(p)) for end in corners[triangle]]
            longest = max(abs(x) for way in ways for x in way)
            lost = Fraction(1, 2**94) * longest**2 / abs(area)
            for weight, value in zip(weights, right, strict=True):
                assert (weight == 0) == (value == 0)
                assert abs(Fraction(weight) - value) <= 4 * EPS * value + lost + Fraction(
                    1, 2**1073
                )
    return places, splits


def sheet(size):
    """A grid of size x size quads as triangles: vertices (V, 3), triangles (T, 3), UV (V, 2)."""
    u, v = np.meshgrid(np.arange(size + 1.0), np.arange(size + 1.0))
    uv = np.stack([u.ravel(), v.ravel()], axis=1)
    first = (np.arange(size)[:, None] * (size + 1) + np.arange(size)).ravel()
    low, high = np.stack([first, first + 1, first + size + 2]), first + size + 1
    triangles = np.concatenate([low, [first, first + size + 2, high]], axis=1).T
    return np.column_stack([uv, np.sin(uv[:, 0])]), triangles, uv


@pytest.mark.parametrize("change", CHANGES)
def test_all_places_are_those_of_fractions_each_once(rng, change):
    """Triangles of few vertices at few places of the map: folded, flat, doubled, overlapping."""
    changed = CHANGES[change]
    vertices = rng.integers(0, 3, (12, 3)).astype(float)
    triangles = rng.integers(0, 12, (40, 3))
    whole = rng.integers(0, 5, (12, 2)).astype(float)
    corners = whole[triangles]
    torn = rng.random(40) < 0.3
    corners[torn] = rng.integers(0, 5, (int(torn.sum()), 3, 2))
    points = np.concatenate([rng.integers(0, 9, (60, 2)) / 2, rng.random((20, 2)) * 5])
    check(vertices, triangles, changed(corners), changed(points))
    check(vertices, triangles, changed(whole), changed(whole))


def test_points_within_rounding_of_an_edge_are_on_their_side_of_it(rng):
    vertices, triangles = rng.random((12, 3)), rng.integers(0, 12, (30, 3))
    uv = rng.random((12, 2)).astype(np.float32)
    one, other, share = *uv[rng.integers(0, 12, (2, 80))].astype(float), rng.random((80, 1))
    check(vertices, triangles, uv, one * (1 - share) + other * share)


def test_points_exactly_on_an_edge_are_so_if_twice_the_digits_do_not_tell(rng):
    """All is on a few lines through the origin, at powers of 2: differences are not exact."""
    ways = rng.random((3, 2)) * 2 - 1
    uv = np.concatenate([ways * 2.0**-power for power in (0, 20, 40, 60)])
    points = np.concatenate([ways * 2.0**-power for power in (0, 7, 20, 33, 50, 60)])
    check(rng.random((12, 3)), rng.integers(0, 12, (40, 3)), uv, points)


def test_the_middle_of_a_sheet_has_one_layer_and_so_have_its_edges(rng):
    vertices, triangles, uv = sheet(4)
    order = rng.permutation(len(triangles))
    points = np.stack(np.meshgrid(np.arange(17) / 4, np.arange(17) / 4), axis=-1)
    places, splits = check(vertices, triangles[order], uv, points)
    assert np.diff(splits).tolist() == [1] * 17 * 17
    assert places.interpolate(uv).tolist() == points.reshape(-1, 2).tolist()


def test_a_soup_of_triangles_has_the_places_of_the_mesh_that_it_is_of():
    vertices, triangles, uv = sheet(3)
    points = np.stack(np.meshgrid(np.arange(13) / 4, np.arange(13) / 4), axis=-1)
    whole, _ = sc.Mesh(vertices, triangles).at_uv(uv, points)
    corners = np.arange(triangles.size).reshape(-1, 3)
    soup, splits = sc.Mesh(vertices[triangles.ravel()], corners).at_uv(uv[triangles], points)
    assert np.diff(splits).tolist() == [1] * 169
    assert soup.triangle.tolist() == whole.triangle.tolist()


def test_mirrored_halves_are_two_layers_which_meet_once_at_the_fold():
    vertices = [[-2, 0, 0], [0, 0, 0], [2, 0, 0], [0, 0, 4]]
    triangles, uv = [[0, 1, 3], [1, 2, 3]], np.array([[1.0, 0], [0, 0], [1, 0], [0, 1]])
    places, splits = check(vertices, triangles, uv, [(0.25, 0.25), (0, 0.5), (0, 0), (0.5, 0.5)])
    assert np.diff(splits).tolist() == [2, 1, 1, 2]
    assert places.triangle.tolist() == [0, 1, 0, 0, 0, 1]


def test_copies_elsewhere_are_layers_of_their_own_on_their_borders_too():
    vertices, triangles, uv = sheet(2)
    both = np.concatenate([vertices, vertices + (9, 0, 0)])
    twice = np.concatenate([triangles, triangles + len(vertices)])
    points = [(0, 0), (0.5, 0), (1, 1), (0.25, 0.75), (2, 2)]
    places, splits = check(both, twice, np.concatenate([uv, uv]), points)
    assert np.diff(splits).tolist() == [2] * 5
    first, second = places.points(both).reshape(5, 2, 3).swapaxes(0, 1)
    assert (second - first).tolist() == [[9, 0, 0]] * 5


def test_a_seam_is_found_on_the_island_that_is_there():
    vertices, triangles, uv = sheet(1)
    corners = uv[triangles]
    corners[1] += (3, 0)  # the upper half lies apart, or in another tile
    places, splits = check(vertices, triangles, corners, [(0.5, 0.5), (3.5, 0.5), (1.5, 0.5)])
    assert places.triangle.tolist() == [0, 1]
    assert splits.tolist() == [0, 1, 2, 2]
    assert places.points(vertices)[0].tolist() == places.points(vertices)[1].tolist()


def test_two_ways_along_one_seam_are_two_places_of_the_map():
    """The edge runs up in the one island and down in the other."""
    vertices, triangles = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]]
    corners = np.array([[[0.0, 0], [1, 0], [0, 4]], [[0, 4], [0, 0], [-1, 0]]])
    places, splits = check(vertices, triangles, corners, [(0, 1), (0, 0)])
    assert splits.tolist() == [0, 2, 4]
    assert places.points(np.array(vertices, dtype=float)).tolist() == [
        *([1, 1, 0], [3, 3, 0]),
        *([0, 0, 0], [4, 4, 0]),
    ]


def test_what_was_never_unwrapped_or_is_not_finite_has_no_places():
    vertices, triangles, uv = sheet(2)
    corners = uv[triangles]
    corners[:4] = 0.0
    corners[4, 1, 0] = np.nan
    corners[5, 0, 1] = np.inf
    vertices[triangles[6, 2]] = np.nan
    points = [(0, 0), (1, 1), (2, 2), (1.5, 0.25), (0.25, 1.75), (np.nan, 0), (0, np.inf)]
    _, splits = check(vertices, triangles, corners, points[:5])
    _, with_bad = sc.Mesh(vertices, triangles).at_uv(corners, points)
    assert with_bad.tolist() == [*splits.tolist(), splits[-1], splits[-1]]


@pytest.mark.parametrize("by", ["exclude", "only"])
def test_triangles_that_are_left_out_leave_what_they_share_to_others(rng, by):
    """As if they were not in the mesh."""
    vertices, triangles, uv = sheet(6)
    out = rng.random(len(triangles)) < 0.4
    points = np.concatenate([uv, (uv[triangles[:, 0]] + uv[triangles[:, 1]]) / 2])
    chosen = {"exclude": out, "only": np.flatnonzero(~out)}[by]
    found, splits = sc.Mesh(vertices, triangles).at_uv(uv, points, **{by: chosen})
    rest = sc.Mesh(vertices, triangles[~out])
    wanted, ends = rest.at_uv(uv, points)
    assert splits.tolist() == ends.tolist()
    assert found.triangle.tolist() == np.flatnonzero(~out)[wanted.triangle].tolist()
    np.testing.assert_array_equal(found.weights, wanted.weights)
    assert 0 < len(found) < len(points)


def test_a_side_too_near_for_a_weight_still_is_a_side():
    """The weight of the far corner is 2**-1574, which float64 does not have."""
    vertices = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [-1, 0, 0]]
    uv, least = np.array([[0.0, 0], [0, 1], [1, 0], [-1, 0]]) * 2.0**500, 2.0**-1074
    points = [(least, 2.0**499), (-least, 2.0**499), (0, 2.0**499)]
    places, splits = check(vertices, [[0, 1, 2], [0, 1, 3]], uv, points)
    assert splits.tolist() == [0, 1, 2, 3]
    assert places.triangle.tolist() == [0, 1, 0]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 200])
def test_points_may_come_in_any_shape_and_number(rng, count):
    vertices, triangles, uv = sheet(3)
    points = rng.random((count, 2)) * 4 - 0.5
    _, splits = check(vertices, triangles, uv, points)
    assert len(splits) == count + 1
    mesh = sc.Mesh(vertices, triangles)
    assert mesh.at_uv(uv, points[:, None])[1].tolist() == splits.tolist()
    assert mesh.at_uv(uv, [])[1].tolist() == [0]
    assert mesh.at_uv(uv, (0.25, 0.5))[1].tolist() == [0, 1]


def test_triangles_across_the_whole_map_find_points_in_all_strips(rng):
    """More pairs than are looked at together, and boxes of one triangle that hold them all."""
    vertices = np.column_stack([np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), np.zeros(4)])
    mesh = sc.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
    points = np.concatenate([rng.random((20_000, 2)), np.repeat(rng.random((1, 2)), 9_000, axis=0)])
    places, splits = mesh.at_uv(vertices[:, :2], points)
    assert (np.diff(splits) == 1).all()
    assert np.array_equal(places.triangle == 1, points[:, 1] > points[:, 0])
    assert np.allclose(places.points(vertices)[:, :2], points, rtol=0, atol=4e-16)


def test_a_mesh_without_triangles_has_no_places():
    empty = sc.Mesh(np.empty((0, 3)), np.empty((0, 3), dtype=int))
    for uv in ([], np.empty((0, 2)), np.empty((0, 3, 2))):
        places, splits = empty.at_uv(uv, [(0, 0)])
        assert len(places) == 0
        assert splits.tolist() == [0, 0]


def test_polygons_take_the_map_of_their_corners():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 1]])
    corners = np.array([0, 1, 4, 3, 1, 2, 5, 4])
    mesh = sc.PolygonMesh(vertices, corners, 4)
    uv = vertices[corners, :2]
    uv[4:] += (5, 0)
    triangles = mesh.triangle_vertices(np.arange(4))
    of_triangles = uv[mesh.triangle_corners(np.arange(4))]
    points = [(0.5, 0.5), (1, 0.5), (6, 0.5), (6.25, 0.75), (3, 3)]
    by_triangles, splits = check(vertices, triangles, of_triangles, points, mesh)
    by_corners, same = mesh.at_uv(uv, points)
    assert by_corners == by_triangles
    assert same.tolist() == splits.tolist() == [0, 1, 2, 3, 4, 4]
    with pytest.raises(errors.ShapeError, match=re.escape("(L, 2) or (T, 3, 2)")):
        mesh.at_uv(vertices[:, :2], points)


@pytest.mark.parametrize(
    "uv", [np.zeros((5, 2)), np.zeros((1, 2)), np.zeros((4, 3)), np.zeros((6, 2)), [], 3.0]
)
def test_a_map_of_another_mesh_is_refused(uv):
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
    with pytest.raises(errors.ShapeError, match=re.escape("(V, 2) or (T, 3, 2)")):
        mesh.at_uv(uv, [(0, 0)])


def test_points_of_three_numbers_and_words_are_refused():
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    uv = [[0, 0], [1, 0], [0, 1]]
    with pytest.raises(errors.ShapeError, match=re.escape("points must have shape (..., 2)")):
        mesh.at_uv(uv, [(0, 0, 0)])
    with pytest.raises(errors.DtypeError, match="points"):
        mesh.at_uv(uv, ["a", "b"])
    with pytest.raises(errors.DtypeError, match="uv"):
        mesh.at_uv(None, [(0, 0)])
