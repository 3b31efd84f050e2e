# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed meshes of which edges are split on one side only, the gap closed by a flat triangle.

Modellers leave such T-junctions. The triangle between is without area where the new vertex lies
on the edge exactly, else a sliver, maybe turned inside out. No ray may leak in either case.
"""

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes

each_path = pytest.mark.parametrize("building", ["never", "auto"], ids=["scan", "tree"])


def split_edges(rng, vertices, triangles, share=0.5):
    """Split some edges in one of their triangles; vertices, triangles and which have no area.

    Each triangle is split at most once.
    """
    triangles, new, extra = triangles.tolist(), [], []
    owner = {(t[i], t[(i + 1) % 3]): row for row, t in enumerate(triangles) for i in range(3)}
    touched = set()
    for a, b in rng.permutation(meshes.edges(np.array(triangles))).tolist():
        row = owner[a, b]
        if row in touched or rng.random() > share:
            continue
        touched.add(row)
        (c,) = set(triangles[row]) - {a, b}
        m = len(vertices) + len(new)
        new.append((vertices[a] + vertices[b]) / 2)
        triangles[row] = [a, m, c]
        extra += [[m, b, c], [a, b, m]]
    return np.concatenate([vertices, new]), np.array(triangles + extra), len(new)


def lattice_ball():
    """A closed convex mesh of whole coordinates, whose edges have exact middles."""
    vertices, triangles = meshes.icosphere(1)
    return np.rint(vertices * 1024), triangles


def along_edges(rng, vertices, triangles, count=150):
    """Points on edges: ends, middles, and anywhere between."""
    start, end = np.moveaxis(vertices[meshes.edges(triangles)], 1, 0)
    between = start + rng.random((len(end), 1)) * (end - start)
    return rng.permutation(np.concatenate([start, (start + end) / 2, between]))[:count]


def balances(mesh, origins, directions):
    """How often each ray crosses, and how much oftener inward than outward."""
    hits, splits = mesh.cast_rays_all(origins, directions)
    rays = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    return np.diff(splits), np.bincount(rays, np.where(hits.front, 1, -1), len(splits) - 1)


@each_path
@pytest.mark.parametrize("make", [meshes.cube, lattice_ball])
def test_a_flat_triangle_without_area_closes_a_t_junction(rng, make, building):
    shape = make()
    vertices, triangles, splits = split_edges(rng, *shape)
    assert splits > 2
    mesh = sc.Mesh(vertices, triangles, building=building)
    aims = along_edges(rng, *shape)
    inside = 0.25 * np.abs(vertices).max() * meshes.directions(rng, len(aims))
    count, balance = balances(mesh, inside, aims - inside)
    assert (count == 1).all()
    assert (balance == -1).all()
    count, balance = balances(mesh, 3 * aims - 2 * inside, inside - aims)
    assert (count == 2).all()
    assert not balance.any()


@each_path
def test_rays_along_axes_exactly_through_t_junctions_do_not_leak(rng, building):
    vertices, triangles, _ = split_edges(rng, *meshes.cube(), share=1.0)
    mesh = sc.Mesh(vertices, triangles, building=building)
    for axis in range(3):
        for side in (1.0, -1.0):
            direction = np.zeros(3)
            direction[axis] = side
            aims = np.concatenate([vertices, along_edges(rng, vertices, triangles)])
            count, balance = balances(mesh, aims - 8 * direction, direction)
            assert not (count % 2).any()
            assert (count <= 2).all()
            assert not balance.any()


@each_path
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_a_sliver_closes_a_t_junction_whose_vertex_is_off_the_edge(rng, offset, building):
    sphere, sphere_triangles = meshes.icosphere(1)
    sphere = sphere @ meshes.rotation(rng).T + offset
    vertices, triangles, splits = split_edges(rng, sphere, sphere_triangles)
    assert splits > 20
    mesh = sc.Mesh(vertices, triangles, building=building)
    aims = along_edges(rng, sphere, sphere_triangles)
    inside = offset + 0.5 * meshes.directions(rng, len(aims))
    _, balance = balances(mesh, inside, aims - inside)
    assert (balance == -1).all()
    _, balance = balances(mesh, 3 * aims - 2 * inside, inside - aims)
    assert not balance.any()
