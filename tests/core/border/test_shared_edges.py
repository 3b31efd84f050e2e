# SPDX-License-Identifier: GPL-3.0-or-later
"""A closed border of any mesh, of which triangles share edges, with all filters, by fractions."""

import numpy as np
import pytest

import standalone_core as sc

from ..questions import assert_same_hits
from .exact_rim import Filters, edges_of, wanted

RAYS = 16


def random_mesh(rng):
    """A few triangles on a lattice: edges are shared by two or more, or are no edges."""
    vertices = rng.integers(-2, 3, (rng.integers(3, 9), 3)).astype(float)
    return vertices, rng.integers(0, len(vertices), (rng.integers(1, 8), 3))


def random_rays(rng, vertices, triangles):
    """Rays (RAYS, 3) from a lattice at corners and at middles of edges."""
    chosen = triangles[rng.integers(0, len(triangles), RAYS)]
    corners = vertices[rng.permuted(chosen, axis=1)]
    targets = (corners[:, 0] + corners[np.arange(RAYS), rng.integers(0, 2, RAYS)]) / 2
    origins = rng.integers(-3, 4, (RAYS, 3)).astype(float)
    directions = targets - origins
    directions[~directions.any(axis=1)] = (0, 0, 1)
    return origins, directions


def random_filters(rng, count):
    numbers, sides = np.arange(count), [None, "back", "front"]
    return Filters(
        exclude=numbers[rng.random(count) < rng.choice([0, 0.2])].tolist(),
        only=numbers[rng.random(count) < rng.choice([1, 0.8])].tolist(),
        cull=[sides[i] for i in rng.integers(0, rng.choice([1, 3]), count)],
        min_distance=float(rng.integers(0, 3)),
        max_distance=float(rng.integers(3, 9)),
    )


def assert_hits_are(hits, openly, expected, length):
    """The hits of a ray are those by fractions; beside those of an open border, one a place."""
    found = hits.triangle.tolist()
    assert len(set(found)) == len(found)
    assert expected.inside <= set(found) <= set(expected.met)
    ts = [expected.met[triangle] for triangle in found]
    assert expected.rim <= set(ts)
    np.testing.assert_allclose(hits.distance, [float(t) * length for t in ts], rtol=1e-14)
    own = openly.triangle.tolist()
    more = [expected.met[triangle] for triangle in found if triangle not in own]
    assert set(own) <= set(found)
    assert len(set(more)) == len(more)
    assert set(more) <= expected.rim - {expected.met[triangle] for triangle in own}
    return len(more)


def assert_other_queries_agree(mesh, row, given, options, hits):
    """Each query answers for a ray by what all of its hits are."""
    origins, directions = given
    ray = origins[row], directions[row]
    assert_same_hits(mesh.ray_cast_all(*ray, **options), list(hits))
    assert_same_hits([mesh.ray_cast(*ray, **options)], [hits[0] if len(hits) else None])
    assert mesh.count_hits(*ray, **options) == len(hits)
    assert mesh.any_hit(*ray, **options) == bool(len(hits))


@pytest.mark.parametrize("power", [0, -330, 330])
@pytest.mark.parametrize("build", [False, True], ids=["scan", "tree"])
def test_a_closed_border_is_hit_where_fractions_say_so_whatever_is_left_out(
    rng, engine, build, power
):
    size, more = 2.0**power, 0
    for _ in range(30):
        vertices, triangles = random_mesh(rng)
        origins, directions = random_rays(rng, vertices, triangles)
        shape, given = (vertices * size, triangles), (origins * size, directions)
        filters = random_filters(rng, len(triangles))
        filters = filters._replace(
            min_distance=filters.min_distance * size, max_distance=filters.max_distance * size
        )
        border = edges_of(*shape)
        mesh, openly = (sc.Mesh(*shape, engine=engine, border=kind) for kind in ("closed", "open"))
        if build:
            mesh.build()
        options = filters._asdict()
        hits, splits = mesh.cast_rays_all(*given, **options)
        few, few_splits = mesh.cast_rays_all(*given, max_hits=2, **options)
        nearest = mesh.cast_rays(*given, **options)
        open_hits, open_splits = openly.cast_rays_all(*given, **options)
        for row, (origin, direction) in enumerate(zip(*given, strict=True)):
            own = hits[splits[row] : splits[row + 1]]
            without = open_hits[open_splits[row] : open_splits[row + 1]]
            expected = wanted(origin, direction, *shape, border, filters)
            more += assert_hits_are(own, without, expected, np.linalg.norm(direction))
            if row % 3 == 0:  # Alone a ray is asked four times, which takes most of the time.
                assert_other_queries_agree(mesh, row, given, options, own)
            assert_same_hits([nearest[row]], [own[0] if len(own) else None])
            assert_same_hits(list(few[few_splits[row] : few_splits[row + 1]]), list(own)[:2])
    assert more > 40


@pytest.mark.parametrize("size", [1.0, 2.0**-660, 2.0**660])
def test_a_hinge_that_was_touched_at_its_shared_edge_counted_as_touched_at_the_border(size):
    """Where float64 was not sure that the ray passes the border edge."""
    vertices = np.array([[0, 0, 0], [2, 0, 0], [1, -1, -1], [1, -1, 1.0]]) * size
    mesh = sc.Mesh(vertices, [[0, 1, 2], [1, 0, 3]], border="closed")
    assert mesh.count_hits(np.array([1, 0, -5.0]) * size, (0, 0, 1)) == 0


def test_a_needle_that_was_touched_at_its_shared_edge_counted_as_touched_at_the_border():
    e = 2.0**-52
    vertices = [[0, 0, 0], [1, 0, 0], [1, -e, -e], [1, -1, 1]]
    origin = np.array([4 * e, 0.12223990050718689, 0.9675362118938842])
    mesh = sc.Mesh(vertices, [[0, 1, 2], [1, 0, 3]], border="closed")
    assert mesh.count_hits(origin, origin * (0, -1, -1)) == 0
