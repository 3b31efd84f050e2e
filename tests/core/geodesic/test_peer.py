# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside pygeodesic, an exact solver of another kind: that of Mitchell, Mount and Papadimitriou.

It knows vertices alone: the triangles of both places are split there.
"""

import itertools

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from ..peers import peer
from .surface_places import check
from .test_bad_faces import BAD

geodesic = peer("pygeodesic.geodesic")


def surfaces(rng):
    ball, triangles = meshes.icosphere(4)
    yield ball * (1 + 0.03 * rng.normal(size=(len(ball), 1))), triangles
    ring, triangles = meshes.torus(40, 20)
    yield ring + 0.01 * rng.normal(size=ring.shape), triangles
    hills, triangles = meshes.grid(40)
    hills[:, 2] = 0.1 * np.sin(9 * hills[:, 0]) * np.cos(11 * hills[:, 1])
    yield hills + 0.003 * rng.normal(size=hills.shape), triangles


def theirs(vertices, triangles, start, end):
    """The length of their path, on the mesh with a vertex at each of two places."""
    new = [weights @ vertices[triangles[triangle]] for triangle, weights in (start, end)]
    parts = [np.delete(triangles, [start[0], end[0]], 0)]
    for number, (triangle, _) in enumerate((start, end), len(vertices)):
        a, b, c = triangles[triangle].tolist()
        parts.append(np.array([[a, b, number], [b, c, number], [c, a, number]]))
    solver = geodesic.PyGeodesicAlgorithmExact(
        np.concatenate([vertices, new]), np.concatenate(parts).astype(np.int32)
    )
    return solver.geodesicDistance(len(vertices), len(vertices) + 1)[0]


def test_paths_are_as_long_as_those_of_an_exact_solver(rng):
    for vertices, triangles in surfaces(rng):
        mesh = sc.Mesh(vertices, triangles)
        for _ in range(8):
            first, second = rng.choice(len(triangles), 2, replace=False).tolist()
            ends = (first, rng.dirichlet((1, 1, 1))), (second, rng.dirichlet((1, 1, 1)))
            path = mesh.surface_path(*ends)
            assert path.distance == pytest.approx(theirs(vertices, triangles, *ends), rel=1e-9)
            check(mesh, path, *ends)


def test_bad_faces_change_no_length_that_an_exact_solver_finds_without_them(rng):
    for change, (vertices, triangles) in itertools.product(BAD, surfaces(rng)):
        mesh = sc.Mesh(*change(vertices, triangles))
        first, second = rng.choice(len(triangles), 2, replace=False).tolist()
        ends = (first, rng.dirichlet((1, 1, 1))), (second, rng.dirichlet((1, 1, 1)))
        path = mesh.surface_path(*ends)
        assert path.distance == pytest.approx(theirs(vertices, triangles, *ends), rel=1e-9)
        check(mesh, path, *ends)
