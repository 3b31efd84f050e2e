# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core import scan
from standalone_core.rayspace import RayFrame

from . import meshes
from .questions import exact_hits, lattice_rays, toward
from .scales import at_every_scale


def candidates(vertices, triangles, origins, directions, ray):
    good = vertices[np.isfinite(vertices).all(axis=1)]
    frame = RayFrame.of(origins, directions)
    found = scan.candidates(frame, ray, vertices, triangles, float(np.abs(good).max()))
    assert len(set(found.tolist())) == len(found)
    return set(found.tolist())


@at_every_scale
def test_every_triangle_that_a_ray_hits_is_a_candidate(rng, scale):
    vertices, triangles = meshes.soup(rng, 30)
    vertices = vertices * scale
    origins, directions = toward(rng, vertices, triangles, 12)
    for i in range(12):
        sure, _, _ = exact_hits(origins[i], directions[i], vertices, triangles)
        assert set(sure) <= candidates(vertices, triangles, origins, directions, i)
        assert sure


def test_borders_and_broken_vertices_lose_no_candidate(rng):
    vertices, triangles = meshes.nasty(rng)
    origins, directions = lattice_rays(rng, 25)
    for i in range(25):
        sure, doubtful, _ = exact_hits(origins[i], directions[i], vertices, triangles)
        found = candidates(vertices, triangles, origins, directions, i)
        assert set(sure) | doubtful <= found


@pytest.mark.parametrize("offset", [0, 1e6])
def test_few_others_are_candidates(rng, offset):
    vertices, triangles = meshes.icosphere(4)
    vertices = vertices + offset
    origins, directions = toward(rng, vertices, triangles, 20)
    counts = [len(candidates(vertices, triangles, origins, directions, i)) for i in range(20)]
    assert max(counts) < len(triangles) / 50


def test_what_is_behind_the_origin_is_no_candidate():
    vertices, triangles = meshes.stack(100, gap=1.0)
    found = candidates(vertices, triangles, np.array([(0, 0, 49.5)]), np.array([(0, 0, 1.0)]), 0)
    assert found == set(range(50, 100))
