# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays that begin or end exactly on triangles, or pass edges and vertices: fractions judge them."""

import math

import numpy as np
import pytest

import standalone_core as sc

from . import meshes, oracle, rational
from .questions import built

RAYS = 60


def city(rng):
    """Blocks on a grid: all faces along the axes, so that most determinants are 0."""
    lower = rng.integers(0, 4, (5, 3)).astype(float)
    upper = lower + rng.integers(1, 3, (5, 3))
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    box = np.array([each for a, b, c, d in quads for each in ((a, b, c), (a, c, d))])
    vertices = [low + corners * (high - low) for low, high in zip(lower, upper, strict=True)]
    return np.concatenate(vertices), np.concatenate([box + 8 * i for i in range(5)])


def terrain(rng):
    """Rough ground of float32 heights."""
    x, y = (each.ravel() for each in np.meshgrid(np.arange(5.0), np.arange(5.0)))
    vertices = np.column_stack([x, y, rng.normal(size=25).astype(np.float32)])
    cell = np.array([[0, 1, 6], [0, 6, 5]])
    first = [5 * i + j for i in range(4) for j in range(4)]
    return vertices, np.concatenate([cell + start for start in first])


def soup(rng):
    """Triangles of numbers with all digits, so that differences are rounded."""
    vertices = rng.normal(size=(24, 3)) * 10.0 ** rng.integers(-3, 4, (24, 1))
    return vertices, rng.permuted(np.tile(np.arange(24), (20, 1)), axis=1)[:, :3]


SHAPES = (city, terrain, soup)
PLACES = {
    "here": (1.0, 0.0),
    "far": (1.0, 2.0**20),
    "small": (2.0**-20, 0.0),
    "tiny": (2.0**-320, 0.0),
    "huge": (2.0**310, 0.0),
}


def on_surface(rng, vertices, triangles, count):
    """Vertices, points of edges and points of faces, by dyadic weights."""
    second, third = rng.integers(0, 9, (2, count))
    inside = second + third <= 8
    second, third = np.where(inside, second, 8 - second), np.where(inside, third, 8 - third)
    weights = np.stack([8 - second - third, second, third], axis=1) / 8
    corner = np.eye(3)[rng.integers(0, 3, count)]
    weights = np.where(rng.random((count, 1)) < 0.4, corner, weights)
    corners = vertices[triangles[rng.integers(0, len(triangles), count)]]
    return (weights[:, :, None] * corners).sum(axis=1)


def rays(rng, vertices, triangles):
    """Origins and directions: from the surface any way, along axes, or to the surface."""
    origins = on_surface(rng, vertices, triangles, RAYS)
    aims = on_surface(rng, vertices, triangles, RAYS) - origins
    size = np.abs(vertices).max()
    anywhere = rng.normal(size=(RAYS, 3)) * size
    axes = np.eye(3)[rng.integers(0, 3, RAYS)] * rng.choice([-size, size], (RAYS, 1))
    kind = rng.integers(0, 4, RAYS)[:, None]
    directions = np.select([kind == 0, kind == 1], [anywhere, axes], aims)
    directions[~directions.any(axis=1)] = (size, 0, 0)
    away = (rng.random(RAYS) < 0.2)[:, None]
    return np.where(away, origins - directions, origins), directions


LIMITS = ((0.0, math.inf), (1e-6, 1 - 1e-9), (0.0, 1.0))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_ties_are_as_fractions_have_them_however_they_are_asked(rng, engine, shape, place):
    vertices, triangles = shape(rng)
    scale, offset = PLACES[place]
    vertices = vertices * scale + offset
    asked = rays(rng, vertices, triangles)
    exact = exact_hits(asked, vertices, triangles)
    mesh = built(vertices, triangles, engine=engine)
    for limits in LIMITS:
        assert_as_fractions(mesh, asked, exact, limits, np.abs(vertices).max())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_what_is_left_out_takes_no_tie(rng, engine, shape):
    vertices, triangles = shape(rng)
    asked = rays(rng, vertices, triangles)
    mesh = built(vertices, triangles, engine=engine)
    left_out = rng.random(len(triangles)) < 0.4
    exact = [
        [hit for hit in some if not left_out[hit.triangle]]
        for some in exact_hits(asked, vertices, triangles)
    ]
    for limits in LIMITS:
        size = np.abs(vertices).max()
        assert_as_fractions(mesh, asked, exact, limits, size, exclude=left_out)


MOVES = {
    "turned": [[0, -1, 0], [0, 0, 1], [-1, 0, 0]],
    "turned and larger": [[1, -1, 0], [1, 1, 0], [0, 0, 2]],
    "smaller": np.eye(3) / 64,
    "mirrored": [[0, 4, 0], [4, 0, 0], [0, 0, 4]],
    "stretched": np.diag([1, -8, 0.25]),
    "sheared": [[1, 1, 0], [0, 1, -2], [0, 0, 2]],
}
"""Linear parts whose inverses are exact in binary, as are all moves of what has few digits."""


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("shape", [city, terrain], ids=lambda shape: shape.__name__)
def test_moved_instances_break_ties_as_their_meshes_do(rng, engine, shape, move):
    vertices, triangles = shape(rng)
    linear, offset = np.array(MOVES[move], dtype=float), rng.integers(-4, 5, 3).astype(float)
    inside = with_few_digits(*rays(rng, vertices, triangles))
    asked = inside[0] @ linear.T + offset, inside[1] @ linear.T
    exact = [
        [seen_from_outside(hit, linear, offset, origin) for hit in some]
        for origin, some in zip(asked[0], exact_hits(inside, vertices, triangles), strict=True)
    ]
    scene, mesh = sc.Scene(), built(vertices, triangles, engine=engine)
    for place in (np.zeros(3), offset):  # the first of them is left out
        scene.add(mesh, meshes.placement(linear, place))
    size = np.abs(vertices @ linear.T + offset).max()
    for limits in LIMITS:
        assert_as_fractions(scene, asked, exact, limits, size, exclude=[0])


def exact_hits(asked, vertices, triangles):
    """The exact hits of each ray."""
    return [rational.exact_hits(*ray, vertices, triangles) for ray in zip(*asked, strict=True)]


def with_few_digits(origins, directions):
    """Rays that linear parts and offsets of few digits move without rounding."""
    unit = 2.0**-24
    directions = np.round(directions / unit) * unit
    directions[~directions.any(axis=1)] = (1, 0, 0)
    return np.round(origins / unit) * unit, directions


def seen_from_outside(hit, linear, offset, origin):
    """A hit in a mesh's space, and the ray's origin outside of it, as a hit outside."""
    matrix, offset, origin = map(oracle.exact, (linear, offset, origin))
    point = oracle.add(oracle.apply(matrix, hit.point), offset)
    return hit._replace(point=point, distance=oracle.length(oracle.sub(point, origin)))


def assert_as_fractions(caster, asked, exact, limits, size, **options):
    """All queries find the exact hits of each ray, between limits in lengths of its direction."""
    origins, directions = asked
    lengths = [math.hypot(*direction) for direction in directions.tolist()]
    least, most = ([limit * length for length in lengths] for limit in limits)
    options |= {"min_distance": least, "max_distance": most}
    nearest = caster.cast_rays(*asked, **options)
    hits, splits = caster.cast_rays_all(*asked, **options)
    counts = caster.count_hits(*asked, **options)
    assert caster.any_hit(*asked, **options).tolist() == (counts > 0).tolist()
    assert np.diff(splits).tolist() == counts.tolist()
    for row, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        wanted, unsure = within(exact[row], least[row], most[row])
        some = hits[splits[row] : splits[row + 1]]
        found = set(some.triangle.tolist())
        assert wanted <= found <= wanted | unsure
        assert bool(nearest.hit[row]) == bool(found)
        own = options | {"min_distance": least[row], "max_distance": most[row]}
        one = caster.ray_cast(origin, direction, **own)
        assert (one is not None) == bool(found)
        if one is not None:
            assert one == some[0] == nearest[row]
        for hit in some:
            same = next(each for each in exact[row] if each.triangle == hit.triangle)
            assert hit.front == same.front
            assert_near(hit, same, size)


def within(hits, least, most):
    """Triangles surely hit within these distances, and those at a limit but for rounding."""
    wanted, unsure = set(), set()
    for hit in hits:
        distance = float(hit.distance)
        if least * (1 - 1e-14) <= distance <= most * (1 + 1e-14):
            sure = least * (1 + 1e-14) <= distance <= most * (1 - 1e-14) or (
                hit.distance == 0 and least == 0.0
            )
            (wanted if sure else unsure).add(hit.triangle)
    return wanted, unsure


def assert_near(hit, exact, size):
    """The distance is right to the last digits, and a hit at the origin is rounded once."""
    if exact.distance == 0:
        assert hit.distance == 0.0
        assert list(hit.point) == [float(x) for x in exact.point]
        assert list(hit.barycentric[1:]) == [float(x) for x in exact.weights[1:]]
    else:
        # Of a ray that begins on the triangle but for rounding, see docs/exactness.md.
        least = 1e-27 * size
        assert hit.distance == pytest.approx(float(exact.distance), rel=1e-14, abs=least)
        error = 1e-14 * size
        assert list(hit.point) == pytest.approx([float(x) for x in exact.point], rel=0, abs=error)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_instances_answer_as_their_meshes_do(rng, engine, shape):
    vertices, triangles = shape(rng)
    origins, directions = rays(rng, vertices, triangles)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    scene = sc.Scene()
    scene.add(mesh)
    for least in (0.0, 1e-6):
        here = mesh.cast_rays(origins, directions, min_distance=least, cull="back")
        there = scene.cast_rays(origins, directions, min_distance=least, cull="back")
        assert np.array_equal(here.triangle, there.triangle)
        assert np.array_equal(here.distance, there.distance)
        assert np.array_equal(here.point, there.point, equal_nan=True)
        assert np.array_equal(here.barycentric, there.barycentric, equal_nan=True)


@pytest.mark.parametrize(
    ("origin", "direction", "limit", "distance"),
    [((0, 0, 1e-322), (0, 0, -1e10), 0.0, 0.0), ((0, 0, 2e-323), (0.3, 0.2, -1), 2e-323, 2e-323)],
)
def test_distances_that_underflow_count_as_they_are_rounded(
    engine, origin, direction, limit, distance
):
    mesh = sc.Mesh([[-1e30, -1e30, 0], [1e30, 0, 0], [0, 1e30, 0]], [[0, 1, 2]], engine=engine)
    mesh.build()
    hits = mesh.cast_rays([origin], [direction], limit)
    assert hits.distance.tolist() == [distance]
    assert mesh.any_hit([origin], [direction], limit).tolist() == [True]
