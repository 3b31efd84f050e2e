# SPDX-License-Identifier: GPL-3.0-or-later
"""Found bugs at the ends of float64's range, and triangles that are hardly any."""

import numpy as np
import pytest

import standalone_core as sc

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
HALVES = [[0, 1, 2], [2, 1, 3]]


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("scale", [1e-300, 1e-250, 1e-150, 1e-90, 1e90, 1e150, 1e200])
def test_a_mesh_of_extreme_scale_was_missed_or_hit_at_distance_0(scale, built):
    mesh = sc.Mesh(SQUARE * scale, HALVES)
    if built:
        mesh.build()
    hit = mesh.ray_cast(np.array((0.25, 0.25, 1)) * scale, (0, 0, -1))
    assert hit.triangle == 0
    assert hit.distance == pytest.approx(scale, rel=1e-14)
    assert hit.barycentric == pytest.approx([0.5, 0.25, 0.25], rel=1e-14)
    assert hit.normal.tolist() == [0, 0, 1]


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]])
def test_the_order_of_corners_decided_whether_a_thin_triangle_was_hit(order):
    corners = [[0, 0, 0], [1, 0, 0], [1, 2**-52, 0]]
    across = 0.9, 0.9 * 2**-53
    assert sc.Mesh(corners, [order]).ray_cast((*across, 1), (0, 0, -1)) is not None


def test_one_box_that_is_not_finite_keeps_a_far_tree_precise(rng):
    far = rng.uniform(-1, 1, (100, 3)) + 1e7
    lower, upper = far.copy(), far + 1e-3
    lower[17, 1] = -np.inf
    tree = sc.bvh.refit(np.arange(100), lower, upper)
    assert np.abs(tree.center - 1e7).max() < 2
