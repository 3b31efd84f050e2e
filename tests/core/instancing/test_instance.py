# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance's matrix is the scene's own, and what it takes beyond float64 is a miss."""

import numpy as np
import pytest

import standalone_core as sc

from ..meshes import HALVES, SQUARE
from ..questions import assert_same_hits

DOWN = (0, 0, -1)


@pytest.mark.parametrize("many", [False, True])
def test_an_instances_matrix_could_be_changed_behind_the_scene(many):
    scene, mesh = sc.Scene(), sc.Mesh(SQUARE, HALVES)
    added = scene.add_many(mesh, [np.eye(4)])[0] if many else scene.add(mesh)
    for matrix in (scene[added].matrix, scene[added].linear_inverse):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 50


def test_a_batch_at_a_scene_raised_where_a_ray_left_float64():
    scene = sc.Scene()
    added = scene.add(sc.Mesh(SQUARE, HALVES), np.diag([1e-300, 1e-300, 1e-300, 1]))
    rays = [(0.1e-300, 0.2e-300, 1.0), (0.1e-300, 0.2e-300, 1e9), (0, 0, -1e300)], DOWN
    hits = scene.cast_rays(*rays)
    assert hits.instance.tolist() == [added, -1, -1]
    for ray, hit in zip(rays[0], hits, strict=True):
        assert_same_hits([scene.ray_cast(ray, DOWN)], [hit])
