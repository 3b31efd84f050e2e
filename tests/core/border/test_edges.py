# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges at which a surface ends are counted right, and sides that float64 is sure of are right."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.border import border_edges, may_touch, sure_sides

from .. import meshes, oracle
from ..ray_batches import batch, geometry
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


each_power = pytest.mark.parametrize("power", [0, -60, 60, -310, 300, -1070, 1020])


def on_lattice(rng, power, count=2000):
    """Rays and triangles (N, 3) of small whole numbers; places are times a power of two."""
    d, *places = rng.integers(-2, 3, (5, count, 3)).astype(float)
    o, *corners = np.ldexp(places, power)
    return o, d, *corners


def side(o, d, p, q):
    """The sign of det[d, p - o, q - o], by fractions."""
    o, d, p, q = (oracle.exact(tuple(x.tolist())) for x in (o, d, p, q))
    return oracle.sign(oracle.dot(d, oracle.cross(oracle.sub(p, o), oracle.sub(q, o))))


@each_power
def test_sides_that_are_sure_are_right(rng, power):
    o, d, p, q, _ = on_lattice(rng, power)
    found = sure_sides(batch(o, d), np.arange(len(o)), p, q)
    expected = np.array([side(*rows) for rows in zip(o, d, p, q, strict=True)])
    sure = ~np.isnan(found)
    np.testing.assert_array_equal(found[sure], expected[sure])
    if abs(power) <= 60:
        assert sure.all()
        assert (expected == 0).sum() > 100


def test_sides_of_rays_that_only_just_pass_are_right(rng):
    """Places on edges as near as float64 has them: some are to the left, some to the right."""
    p, q, away = rng.normal(size=(3, 2000, 3))
    weight = rng.random((2000, 1))
    o, d = p + weight * (q - p) - away, away
    found = sure_sides(batch(o, d), np.arange(len(o)), p, q)
    expected = np.array([side(*rows) for rows in zip(o, d, p, q, strict=True)])
    assert {-1, 1} <= set(expected)
    np.testing.assert_array_equal(found, expected)


def touches(o, d, a, b, c):
    """Whether a ray's line goes exactly through the border of a triangle and not in its plane."""
    sides = [side(o, d, p, q) for p, q in ((a, b), (b, c), (c, a))]
    return 0 in sides and any(sides) and len({*sides} - {0}) == 1


@each_power
def test_no_touch_is_left_out(rng, power):
    points = on_lattice(rng, power)
    found = may_touch(batch(*points[:2]), np.arange(2000), *points[2:])
    expected = np.array([touches(*rows) for rows in zip(*points, strict=True)])
    assert expected.sum() > 100
    if abs(power) <= 60:
        np.testing.assert_array_equal(found, expected)
    else:
        assert found[expected].all()
