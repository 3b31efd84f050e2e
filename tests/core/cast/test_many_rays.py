# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of a ray and a triangle: the hits are those of rational arithmetic, each in full."""

from fractions import Fraction

import numpy as np
import pytest

from standalone_core.cast import many_rays
from standalone_core.numerics import rational
from standalone_core.numerics.ray_triangle import axes_across_many

from .. import meshes, oracle
from ..near_ties import exact_ties, near_ties
from ..oracle import EPS
from ..questions import assert_same_bits, lattice_rays, toward
from ..rational import exact_hits
from ..ray_batches import all_pairs, batch, cast_everything, cast_pairs_of, geometry

AT_1E154 = [
    (
        [
            [-6.868510812419505e153, -6.599672420235138e153, 5.59393216829914e151],
            [2.3937914597153377e153, 2.6804929566186497e154, 4.2097711787785946e153],
            [-8.207412726058173e153, -6.269761137190213e154, -1.0486538974178485e154],
        ],
        (-1.0, -1.0, -0.38042509702898153),
    ),
    (
        [
            [-3.666767470700199e153, -3.974924808105976e153, 1.4312968074171982e153],
            [1.828455406600628e154, -2.1833165711212107e154, 9.382669295570652e153],
            [-7.651798001072932e153, -3.0422492818211536e153, -1.1537901310882746e154],
        ],
        (-0.03927152120053647, -1.5209718919760915, -1.0),
    ),
]


def all_hits(vertices, triangles, rays):
    """Hits of all rays on all triangles, a list a ray."""
    row, hits = cast_everything(geometry(vertices, triangles), rays)
    return [list(hits.take(row == ray)) for ray in range(len(rays))]


def assert_hits_are_exact(vertices, triangles, rays):
    """All hits of all rays are the rational ones; return how many there are."""
    found = 0
    for ray, hits in enumerate(all_hits(vertices, triangles, rays)):
        origin, direction = rays.origins[ray].tolist(), rays.directions[ray].tolist()
        exact = exact_hits(origin, direction, vertices.tolist(), triangles.tolist())
        assert sorted((hit.triangle, hit.front) for hit in hits) == sorted(
            (hit.triangle, hit.front) for hit in exact
        )
        expected = {hit.triangle: hit for hit in exact}
        for hit in hits:
            true = expected[hit.triangle]
            assert hit.distance == pytest.approx(float(true.distance), rel=4 * EPS, abs=1e-320)
            weights = [float(weight) for weight in true.weights]
            np.testing.assert_allclose(hit.barycentric, weights, rtol=0, atol=4 * EPS)
        found += len(hits)
    return found


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e-30, 1.0, 1e30, 1e100, 1e300])
def test_hits_are_those_of_rational_arithmetic_at_any_size(rng, scale):
    vertices, triangles = meshes.soup(rng, 20)
    origins, directions = toward(rng, vertices, triangles, 15)
    rays = batch(origins * scale, directions)
    assert assert_hits_are_exact(vertices * scale, triangles, rays) >= 15


def test_hits_at_borders_are_those_of_rational_arithmetic(rng):
    vertices, triangles = meshes.nasty(rng)
    assert assert_hits_are_exact(vertices, triangles, batch(*lattice_rays(rng, 60))) > 40


@pytest.mark.parametrize("make", [near_ties, exact_ties])
@pytest.mark.parametrize(
    ("scale", "offset"), [(1, 0), (1, 1e6), (1e-3, 1e9), (1e-200, 0), (1e140, 0)]
)
def test_rays_almost_at_an_edge_hit_what_they_hit_in_rational_arithmetic(rng, make, scale, offset):
    o, d, p, q = make(rng, 120, scale, offset)
    a = 2 * o - (p + q) / 2 + d * scale + scale * rng.integers(-1, 2, (120, 1))
    vertices = np.concatenate([a, p, q])
    triangles = np.arange(360).reshape(3, 120).T
    found = 0
    for i in range(120):
        found += assert_hits_are_exact(vertices, triangles[i : i + 1], batch(o[i], d[i]))
    assert found > 10


@pytest.mark.parametrize(("corners", "direction"), AT_1E154)
def test_a_product_that_just_overflows_beside_one_that_just_does_not_decides_nothing(
    corners, direction
):
    rays = batch((0, 0, 0), direction)
    assert_hits_are_exact(np.array(corners), np.array([[0, 1, 2]]), rays)


def flat_triangles(rng, count):
    """Triangles (N, 3, 3) without area: corners on a line, or the same twice or three times."""
    a = rng.integers(-4, 5, (count, 3)).astype(float)
    step = rng.integers(-2, 3, (count, 3))
    corners = np.stack([a, a + step, a + step * rng.integers(-3, 4, (count, 1))], axis=1)
    return rng.permuted(corners, axis=1) if False else corners[:, rng.permutation(3)]


@pytest.mark.parametrize("scale", [2.0**-300, 1.0, 2.0**300])
def test_a_triangle_without_area_is_never_hit(rng, scale):
    corners = flat_triangles(rng, 300)
    origins, directions = lattice_rays(rng, 60)
    within = corners[:60].mean(axis=1) - corners[:60, 0]
    aimed = np.concatenate([corners[:60, 1] - 3 * directions, corners[:60, 0] - 2 * within])
    origins = np.concatenate([origins, aimed])
    directions = np.concatenate([directions, directions, np.where(within == 0, 1.0, within)])
    vertices, triangles = corners.reshape(-1, 3) * scale, np.arange(900).reshape(-1, 3)
    rays = batch(origins * scale, directions)
    assert not any(all_hits(vertices, triangles, rays))


def test_what_is_not_finite_is_never_hit(rng):
    corners = rng.normal(size=(900, 3, 3)) + (0, 0, 5)
    where = rng.integers(0, 3, (900, 2))
    bad = np.array([np.nan, np.inf, -np.inf])[np.arange(900) % 3]
    corners[np.arange(900), where[:, 0], where[:, 1]] = bad
    triangles = np.arange(2700).reshape(-1, 3)
    rays = batch(np.zeros((4, 3)), [(0, 0, 1), (1, 0, 1), (0, 0, -1), (1, 1, 1)])
    assert not any(all_hits(corners.reshape(-1, 3), triangles, rays))


@pytest.mark.parametrize("height", [1e-100, 1e-160, 1e-170, 1e-200, 1e-230])
def test_a_needle_has_a_unit_normal(height):
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, height, 0)])
    ((hit,),) = all_hits(vertices, np.array([[0, 1, 2]]), batch((0.25, height / 4, 1), (0, 0, -1)))
    assert hit.normal.tolist() == [0, 0, 1]
    assert hit.distance == 1


def test_the_hits_come_in_the_order_of_the_pairs(rng):
    vertices, triangles = meshes.soup(rng, 30)
    shape, rays = geometry(vertices, triangles), batch(*toward(rng, vertices, triangles, 10))
    order = rng.permutation(300)
    row, item = (part[order] for part in all_pairs(10, 30))
    found, hits = cast_pairs_of(shape, rays, row, item)
    assert len(found) >= 10
    place = {pair: i for i, pair in enumerate(zip(row.tolist(), item.tolist(), strict=True))}
    places = [place[pair] for pair in zip(found.tolist(), hits.triangle.tolist(), strict=True)]
    assert places == sorted(places)


def test_a_pair_alone_and_among_others_has_the_same_bits(rng):
    for vertices, triangles in (meshes.soup(rng, 20), meshes.nasty(rng)):
        shape = geometry(vertices, triangles)
        rays = batch(
            *(
                np.concatenate(x)
                for x in zip(toward(rng, vertices, triangles, 6), lattice_rays(rng, 6), strict=True)
            )
        )
        row, item = all_pairs(12, len(triangles))
        together, hits = cast_pairs_of(shape, rays, row, item)
        for i, hit in enumerate(hits):
            alone = cast_pairs_of(shape, rays, together[i : i + 1], hits.triangle[i : i + 1])[1]
            assert_same_bits(alone.take(slice(None)), hits.take(slice(i, i + 1)))
            assert hit is not None
        ray = rays.take(slice(3, 4))
        _, others = cast_pairs_of(
            shape, ray, np.zeros(len(triangles), np.int64), item[: len(triangles)]
        )
        assert_same_bits(others, hits.take(together == 3))


def test_limits_are_inclusive_and_are_lengths_whatever_the_direction_s():
    vertices, triangles = meshes.stack(4, gap=1.0)
    shape = geometry(vertices, triangles)
    for length in (0.5, 1.0, 8.0):
        ray = batch((0, 0, -1), (0, 0, length), 3.0)
        assert cast_everything(shape, ray)[1].distance.tolist() == [1, 2, 3]
        ray = batch((0, 0, -1), (0, 0, length), np.nextafter(3.0, 0))
        assert cast_everything(shape, ray)[1].distance.tolist() == [1, 2]
        ray = batch((0, 0, 1), (0, 0, length), 0.0)
        assert cast_everything(shape, ray)[1].distance.tolist() == [0]


def test_a_side_can_be_left_out_and_so_can_triangles():
    vertices, triangles = meshes.stack(6, gap=1.0)
    triangles[::2] = triangles[::2, ::-1]
    shape = geometry(vertices, triangles)
    up = (0, 0, -1), (0, 0, 1)
    excluded = np.arange(6) < 2
    for sign, expected in ((0, [0, 1, 2, 3, 4, 5]), (1, [0, 2, 4]), (-1, [1, 3, 5])):
        hits = cast_everything(shape, batch(*up, cull_sign=sign))[1]
        assert hits.triangle.tolist() == expected
        hits = cast_everything(shape, batch(*up, cull_sign=sign, excluded=excluded))[1]
        assert hits.triangle.tolist() == [t for t in expected if t > 1]


def test_faces_are_those_of_the_triangles_or_the_triangles_themselves():
    vertices, triangles = meshes.stack(3, gap=1.0)
    up = batch((0, 0, -1), (0, 0, 1))
    faces = np.array([7, 7, 9])
    assert cast_everything(geometry(vertices, triangles), up)[1].face.tolist() == [0, 1, 2]
    assert cast_everything(geometry(vertices, triangles, faces), up)[1].face.tolist() == [7, 7, 9]


def test_no_pairs_have_no_hits():
    nothing = np.empty(0, np.int64)
    row, hits = cast_pairs_of(
        geometry(*meshes.cube()), batch((0, 0, 9), (0, 0, -1)), nothing, nothing
    )
    assert len(row) == len(hits) == 0


def crossings_of(vertices, triangles, rays):
    """Crossings of all rays with all triangles, and the exact t of those that are ahead."""
    shape, pairs = geometry(vertices, triangles), all_pairs(len(rays), len(triangles))
    found = many_rays.cross_many(shape, rays, axes_across_many(rays.directions), *pairs)
    exact = {}
    for ray in range(len(rays)):
        origin, direction = rays.origins[ray].tolist(), rays.directions[ray].tolist()
        length = oracle.length(oracle.exact(tuple(direction)))
        for hit in exact_hits(origin, direction, vertices.tolist(), triangles.tolist()):
            exact[ray, hit.triangle] = hit.distance / length
    return found, exact


@pytest.mark.parametrize("make", ["soup", "slivers", "nasty", "ties"])
@pytest.mark.parametrize(
    ("scale", "offset"), [(1, 0), (1, 1e6), (1e-3, 1e9), (1e-20, 0), (1e40, 0)]
)
def test_t_lies_within_its_bounds_with_room_for_rounding(rng, make, scale, offset):
    if make == "soup":
        vertices, triangles = meshes.soup(rng, 20)
    elif make == "nasty":
        vertices, triangles = meshes.nasty(rng, 40)
    else:
        vertices, triangles = meshes.soup(rng, 20)
        thin = 1e-7 if make == "slivers" else 0.0
        thin = thin * rng.normal(size=(20, 3))
        vertices[2::3] = (vertices[::3] + vertices[1::3]) / 2 + thin
        if make == "ties":
            vertices[2::3] += rng.normal(size=(20, 3))
    chosen = vertices[triangles[:20]]
    chosen = chosen[np.isfinite(chosen).all(axis=(1, 2))]
    targets = (chosen[:, 0] + chosen[:, 1]) / 2
    targets[::2] = chosen[::2].mean(axis=1)
    place = offset * np.array([1.0, -0.7, 0.3])
    directions = rng.normal(size=targets.shape) * rng.choice([1e-9, 1.0, 1e9], (len(targets), 1))
    away = directions / np.linalg.norm(directions, axis=1)[:, None] * rng.choice([1.0, 1e3])
    rays = batch((targets - away) * scale + place, directions)
    found, exact = crossings_of(vertices * scale + place, triangles, rays)
    seen = 0
    for row, item, least, most in zip(
        *(x.tolist() for x in (found.row, found.item, found.least, found.most)), strict=True
    ):
        if (row, item) in exact:
            seen += 1
            t = exact[row, item]
            room = 16 * Fraction(EPS) * t
            assert Fraction(least) <= t - room
            assert t + room <= Fraction(most)
    assert seen >= (1 if offset else 5)


def test_the_bounds_of_t_are_narrow(rng):
    vertices, triangles = meshes.soup(rng, 50)
    rays = batch(*toward(rng, vertices, triangles, 50))
    found, _ = crossings_of(vertices, triangles, rays)
    assert len(found) > 50
    assert np.median((found.most - found.least) / np.abs(found.most)) < 1e-12


def test_a_hit_is_sure_well_ahead_and_before_the_limit_alone():
    vertices, triangles = meshes.stack(5, gap=1.0)
    rays = batch((0, 0, 1), (0, 0, 2), 3.0)
    found, _ = crossings_of(vertices, triangles, rays)
    assert found.item.tolist() == [1, 2, 3, 4]  # The first is surely behind the ray.
    assert found.are_hits(rays).tolist() == [False, True, True, False]
    assert many_rays.hits_at(geometry(vertices, triangles), rays, found)[1].triangle.tolist() == [
        1,
        2,
        3,
        4,
    ]


@pytest.mark.parametrize("size", [1e-290, 1e-200, 1e90, 1e200, 1e300])
def test_of_numbers_at_the_ends_of_float64_no_depth_is_known(size):
    vertices, triangles = meshes.stack(2, gap=1.0, start=1.0)
    rays = batch((0, 0, -size), (0, 0, 1))
    found, _ = crossings_of(vertices * size, triangles, rays)
    assert len(found) == 2
    assert np.isnan(found.least).all()
    assert not found.are_hits(rays).any()


def calls_of(monkeypatch, name):
    """How many columns a function of the integers is asked for, a number a call."""
    whole, asked = getattr(rational, name), []

    def counted(*columns):
        asked.append(columns[0].shape[1])
        return whole(*columns)

    monkeypatch.setattr(rational, name, counted)
    return asked


def test_identical_triangles_are_solved_once_for_each_ray(monkeypatch):
    asked = calls_of(monkeypatch, "crossings")
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])
    vertices, triangles = np.tile(corners, (50, 1)), np.arange(150).reshape(50, 3)
    rays = batch([(0.3, 0.3, 0.0), (0.2, 0.3, 0.0)], [(0.1, 0.1, -1.0)] * 2)
    assert assert_hits_are_exact(vertices, triangles, rays) == 100
    assert sum(asked) == 2


def test_an_edge_is_decided_once_whichever_triangles_ask(monkeypatch):
    asked = calls_of(monkeypatch, "edge_sides")
    vertices = np.array([(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    triangles = np.array([(0, 1, 2), (0, 2, 3), (2, 1, 0), (1, 2, 0), (2, 0, 3)])
    # So small a component is below what products can be trusted with.
    rays = batch([(-1.0, 0.5, 0.0)], [(1.0, 0.0, 1e-300)])
    assert_hits_are_exact(vertices, triangles, rays)
    assert sum(asked) <= 5


@pytest.mark.parametrize("size", [1, 7, 100])
def test_how_many_pairs_are_cast_together_changes_nothing(rng, monkeypatch, size):
    vertices, triangles = meshes.nasty(rng)
    rays = batch(*lattice_rays(rng, 20))
    row, hits = cast_everything(geometry(vertices, triangles), rays)
    monkeypatch.setattr(many_rays, "_CHUNK", size)
    rows, others = cast_everything(geometry(vertices, triangles), rays)
    assert np.array_equal(row, rows)
    assert_same_bits(hits, others)
