# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays from very far away, beside a mesh and at it."""

import itertools

import numpy as np
import pytest

import standalone_core as sc

from . import meshes
from .questions import assert_same_bits

ENGINES = ("numpy", "numba")
TETRAHEDRON = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
)


def built(shape, engine):
    try:
        mesh = sc.Mesh(*shape, engine=engine)
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    mesh.build()
    return mesh


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("away", [1e8, 1e9, 1e12, 1e14])
def test_rays_past_a_mesh_far_away_went_in_circles_and_crashed(engine, away):
    mesh = built(TETRAHEDRON, engine)
    axes = [*np.eye(3), *-np.eye(3)]
    for axis, side in itertools.product(axes, axes):
        if abs(axis @ side) == 1:
            continue
        origins = np.array([0.1, 0.1, 0.1]) + away * side
        for direction in (axis, axis + 0.0, axis - 1e-25 * side, axis + 1e-25 * side, -axis):
            assert not mesh.any_hit([origins], [direction]).any()
            assert mesh.count_hits([origins], [direction]).tolist() == [0]
            assert not mesh.cast_rays([origins], [direction]).hit.any()
            assert mesh.ray_cast_all(origins, direction) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("away", "count"), [(1e6, 60), (1e12, 60), (1e16, 100), (1e17, 400)])
def test_a_limit_at_a_hit_seen_from_far_away_hid_it_once_there_was_a_tree(rng, engine, away, count):
    shape = meshes.torus(12, 8)
    mesh, scan = built(shape, engine), sc.Mesh(*shape, building="never")
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    origins = rng.uniform(-1, 1, (count, 3)) - away * directions
    whole = scan.cast_rays(origins, directions)
    rows = np.flatnonzero(whole.hit)[:40]
    origins, directions, limits = origins[rows], directions[rows], whole.distance[rows]
    assert len(limits)
    for limit in (limits, np.nextafter(limits, np.inf), np.nextafter(limits, 0)):
        expected = scan.cast_rays(origins, directions, limit)
        assert_same_bits(mesh.cast_rays(origins, directions, limit), expected)
        assert mesh.any_hit(origins, directions, limit).tolist() == expected.hit.tolist()
        for row in range(0, len(limit), 10):
            hit = mesh.ray_cast(origins[row], directions[row], limit[row])
            assert (hit.triangle if hit else -1) == expected.triangle[row]
