# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the meshes of a scene, and when it is old."""

import numpy as np

import standalone_core as sc
from standalone_core.instancing.placements import Revisions


def test_a_mesh_that_is_refitted_while_others_are_put_apart_is_not_missed():
    first, second = (sc.Mesh(np.eye(3), [[0, 1, 2]]) for _ in range(2))
    known = Revisions([first, second])
    first.refit(2 * np.eye(3))
    assert known.refitted() == {first}
    second.refit(2 * np.eye(3))  # as another thread may
    others = known.without({first})
    assert others.are_old
    assert others.refitted() == {second}
