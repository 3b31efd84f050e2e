# SPDX-License-Identifier: GPL-3.0-or-later
"""Packed trees hold every finite triangle once, in boxes that hold what is below them."""

import numpy as np
import pytest

import standalone_core as sc

from ... import meshes
from ...ray_batches import geometry

pytest.importorskip("numba")

from standalone_core.engines.numba import packing


def along(shape, tree):
    return packing.packed_along(shape, tree)


def by_area(shape, tree):
    return packing.packed_by_area(shape, tree, lambda done: None)


each_way = pytest.mark.parametrize("packed", [along, by_area])


def packed_tree(packed, vertices, triangles):
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    return packed(geometry(vertices, triangles), mesh.tree)


def walked(tree):
    """Blocks with the box that their node has for them, and how deep the tree is."""
    nodes, blocks = tree.nodes.reshape(-1, 7, 8), tree.blocks.reshape(-1, 13, 8)
    numbers = nodes.view(np.int32)[:, 6]
    waiting, found, depth = [(0, np.full(3, -2.0), np.full(3, 2.0), 1)], [], 0
    while waiting:
        node, low, high, level = waiting.pop()
        depth = max(depth, level)
        for child in np.flatnonzero(nodes[node, 0] <= nodes[node, 3]):
            box = nodes[node, :3, child], nodes[node, 3:6, child]
            assert (low <= box[0]).all() or node == 0 or not np.isfinite(box[0]).all()
            assert (box[1] <= high).all()
            number = numbers[node, child]
            if number < 0:
                found.append((blocks[~number], *box))
            else:
                waiting.append((number, *box, level + 1))
    return found, depth


def assert_holds(tree, vertices, triangles):
    found, depth = walked(tree)
    held = []
    for block, low, high in found:
        corners = block[:9].reshape(3, 3, 8)
        lanes = np.flatnonzero(np.isfinite(corners).all(axis=(0, 1)))
        numbers = block.view(np.int32)[9:].astype(int)
        for lane in lanes:
            assert (numbers[1:, lane] == triangles[numbers[0, lane]]).all()
            own = (vertices[numbers[1:, lane]] - tree.center) * tree.unit
            np.testing.assert_allclose(corners[:, :, lane], own, atol=2.0**-24)
            assert (low <= own).all()
            assert (own <= high).all()
            held.append(numbers[0, lane])
    finite = np.isfinite(vertices[triangles]).all(axis=(1, 2))
    assert sorted(held) == np.flatnonzero(finite).tolist()
    return depth


def growing(count):
    """Triangles each twice as far away and as large as the one before: no cut halves them."""
    sizes = 2.0 ** np.arange(count)[:, None, None]
    return (sizes * np.eye(3)).reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def copies(count):
    return np.eye(3), np.tile([0, 1, 2], (count, 1))


SHAPES = {
    "one": lambda rng: copies(1),
    "eight": lambda rng: copies(8),
    "copies": lambda rng: copies(1000),
    "growing": lambda rng: growing(100),
    "soup": lambda rng: meshes.soup(rng, 300),
    "nasty": lambda rng: meshes.nasty(rng, 80),
    "torus": lambda rng: meshes.torus(40, 30),
}


@each_way
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_finite_triangle_is_in_one_block(rng, packed, shape):
    vertices, triangles = shape(rng)
    vertices = np.asarray(vertices, float)
    depth = assert_holds(packed_tree(packed, vertices, triangles), vertices, triangles)
    assert depth < 80


@each_way
def test_a_mesh_without_finite_triangles_has_no_nodes(packed):
    tree = packed_tree(packed, np.full((3, 3), np.nan), [[0, 1, 2]])
    assert tree.nodes.size == tree.blocks.size == 0


@each_way
def test_triangles_that_a_refit_made_infinite_are_lost_alone(rng, packed):
    vertices, triangles = meshes.torus(20, 10)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    broken = vertices.copy()
    broken[rng.integers(0, len(vertices), 9)] = [[np.nan], [np.inf], [-np.inf]] * 3
    mesh.refit(broken)
    tree = packed(geometry(broken, triangles), mesh.tree)
    assert_holds(tree, broken, triangles)


def expected_visits(tree):
    """Nodes and blocks that a random line meets, by their areas."""
    nodes = tree.nodes.reshape(-1, 7, 8).astype(float)
    there = nodes[:, 0] <= nodes[:, 3]
    x, y, z = np.where(there[:, None], nodes[:, 3:6] - nodes[:, :3], 0).transpose(1, 0, 2)
    return (x * y + y * z + z * x).sum()


def test_a_tree_by_area_is_met_less(rng):
    for vertices, triangles in (meshes.torus(60, 40), meshes.soup(rng, 2000, 0.1)):
        quick, better = (packed_tree(way, vertices, triangles) for way in (along, by_area))
        assert expected_visits(better) < expected_visits(quick)


def worth(tree):
    """Per child (nodes, 8): the area of its triangles over that of all boxes below; NaN if none."""
    nodes, blocks = tree.nodes.reshape(-1, 7, 8), tree.blocks.reshape(-1, 13, 8).astype(float)
    numbers = nodes.view(np.int32)[:, 6]
    a, b, c = blocks[:, :9].reshape(-1, 3, 3, 8).transpose(1, 0, 3, 2)
    of_blocks = np.nansum(np.linalg.norm(np.cross(b - a, c - a), axis=2), axis=1)
    sizes = nodes[:, 3:6].astype(float) - nodes[:, :3]
    there = sizes[:, 0] >= 0.0
    x, y, z = np.where(there[:, None], sizes, 0.0).transpose(1, 0, 2)
    surface, boxes = np.zeros_like(x), x * y + y * z + z * x
    for node, child in reversed(np.argwhere(there)):  # parents come before their children
        number = numbers[node, child]
        surface[node, child] = of_blocks[~number] if number < 0 else surface[number].sum()
        boxes[node, child] += 0.0 if number < 0 else boxes[number].sum()
    return np.where(there, surface, np.nan) / boxes


def test_children_of_a_tree_by_area_are_sorted_by_what_their_tests_find(rng):
    for vertices, triangles in (meshes.torus(60, 40), meshes.soup(rng, 2000, 0.1)):
        found = worth(packed_tree(by_area, vertices, triangles))
        before, after = found[:, :-1], found[:, 1:]
        assert np.isfinite(after).sum() > 100
        assert not (before < 0.999 * after).any()


def test_a_tree_by_area_is_ended_by_its_progress(rng):
    vertices, triangles = meshes.soup(rng, 100)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    for most in (0.0, 0.5, 1.0):

        def progress(done, most=most):
            if done >= most:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            packing.packed_by_area(geometry(vertices, triangles), mesh.tree, progress)
