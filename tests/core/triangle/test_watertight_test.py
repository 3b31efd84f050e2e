# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from ..scales import at_every_scale

watertight_many = sc.triangle.watertight_many


def hits_of(mesh, origins, directions):
    """How many triangles each ray hits."""
    vertices, triangles = mesh
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    t, _, _ = watertight_many(
        np.asarray(origins)[:, None], np.asarray(directions)[:, None], a, b, c
    )
    return np.isfinite(t).sum(axis=1)


@at_every_scale
@pytest.mark.parametrize("down", [1, -1])
def test_a_ray_through_a_shared_edge_or_vertex_hits_exactly_one_triangle(scale, down):
    vertices, triangles = meshes.grid(4)
    places = [(x / 8, y / 8) for x, y in itertools.product(range(1, 8), repeat=2)]
    origins = np.array([(x, y, down) for x, y in places])
    directions = np.tile((0, 0, -down), (len(places), 1))
    counts = hits_of((vertices * scale, triangles), origins * scale, directions)
    assert counts.tolist() == [1] * len(places)


@at_every_scale
def test_a_ray_through_a_vertex_of_a_turned_grid_hits_exactly_one_triangle(rng, scale):
    vertices, triangles = meshes.grid(6)
    vertices = (vertices @ meshes.rotation(rng).T + rng.normal(size=3)) * scale
    inner = vertices.reshape(7, 7, 3)[1:-1, 1:-1].reshape(-1, 3)
    normal = np.cross(vertices[7] - vertices[0], vertices[1] - vertices[0]) / scale**2
    for _ in range(5):
        origins = inner + scale * (3 * normal * np.sign(rng.normal()) + rng.normal(size=3) / 30)
        counts = hits_of((vertices, triangles), origins, inner - origins)
        assert counts.tolist() == [1] * len(inner)


def test_winding_does_not_decide_who_owns_an_edge():
    a, b, c, d = (0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)
    ray = sc.Ray((1, 1, 1), (0, 0, -1))
    for first in itertools.permutations((a, b, c)):
        for second in itertools.permutations((a, c, d)):
            hits = [sc.triangle.watertight(ray, *t) for t in (first, second)]
            assert sum(hit is not None for hit in hits) == 1


def test_a_border_of_a_lone_triangle_belongs_to_it_in_parts_only():
    corners = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    mirrored = -corners
    for x, y in ((2, 0), (0, 2)):
        above = sc.Ray((x, y, 1), (0, 0, -1))
        opposite = sc.Ray((-x, -y, 1), (0, 0, -1))
        owned = sc.triangle.watertight(above, *corners) is not None
        assert owned != (sc.triangle.watertight(opposite, *mirrored) is not None)


def test_the_weights_sum_to_1_and_are_never_negative(rng):
    corners = rng.normal(size=(500, 3, 3))
    weights = rng.dirichlet((0.2, 0.2, 0.2), 500)
    targets = np.einsum("ni,nij->nj", weights, corners)
    origins = rng.normal(size=(500, 3))
    t, u, v = watertight_many(origins, targets - origins, *np.moveaxis(corners, 1, 0))
    hit = np.isfinite(t)
    assert hit.sum() > 450
    assert (u[hit] >= 0).all()
    assert (v[hit] >= 0).all()
    assert (u[hit] + v[hit] <= 1 + 1e-15).all()
