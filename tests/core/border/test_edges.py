# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface ends where an odd number of triangles meets."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.border.edges import border_edges

from .. import meshes
from ..ray_batches import geometry
from .exact_rim import edges_of


def found_edges(vertices, triangles):
    shape = geometry(vertices, triangles)
    triangle, corner = border_edges(shape)
    ends = np.stack([shape.triangles[triangle, (corner + i) % 3] for i in (1, 2)], axis=1)
    return [frozenset(map(tuple, (shape.vertices[pair] + 0.0).tolist())) for pair in ends]


def soup_of(vertices, triangles):
    """The same triangles, each with vertices of its own."""
    corners = np.asarray(vertices, float)[np.asarray(triangles)].reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)


def test_border_edges_are_those_of_a_count(rng):
    for vertices, triangles in (
        meshes.stack(3),
        meshes.icosphere(1),
        meshes.soup(rng, 30),
        meshes.torus(6, 5),
        meshes.nasty(rng, 40),
    ):
        for shape in ((vertices, triangles), soup_of(vertices, triangles)):
            for count in (len(triangles), len(triangles) // 2):
                part = shape[0], shape[1][:count]
                assert set(found_edges(*part)) == edges_of(*part)


@pytest.mark.parametrize("make", [lambda *s: s, soup_of], ids=["shared", "soup"])
def test_closed_meshes_are_closed_and_open_ones_are_not(make):
    for shape in (meshes.cube(), meshes.icosphere(1), meshes.torus(8, 6)):
        vertices, triangles = make(*shape)
        assert sc.Mesh(vertices, triangles).is_closed
        assert not sc.Mesh(vertices, triangles[1:]).is_closed
    assert sc.Mesh(np.empty((0, 3)), []).is_closed


def test_minus_zero_is_zero_and_a_refit_is_looked_at_anew():
    vertices, triangles = soup_of(*meshes.cube())
    vertices = vertices - 1.0
    vertices[vertices == 0.0] = -0.0
    vertices[::2] += 0.0
    mesh = sc.Mesh(vertices, triangles)
    assert mesh.is_closed
    moved = vertices.copy()
    moved[0] += 1e-9
    mesh.refit(moved)
    assert not mesh.is_closed


def test_polygons_are_closed_as_their_triangles_are():
    vertices = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    assert sc.PolygonMesh(vertices, faces, 4).is_closed
    assert not sc.PolygonMesh(vertices, faces[4:], 4).is_closed
