# SPDX-License-Identifier: GPL-3.0-or-later
"""Pickles and deep copies of meshes and scenes answer alike, and share nothing."""

import copy
import pickle

import numpy as np
import pytest

import standalone_core as sc

from .meshes import HALVES, SQUARE
from .questions import assert_same_hits

DOWN = (0, 0, -1)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("building", ["thread", "never", "auto"])
def test_meshes_and_scenes_could_not_be_pickled(copied, building):
    mesh, scene = sc.Mesh(SQUARE, HALVES, building=building), sc.Scene()
    scene.add(mesh)
    mesh.build_in_thread().wait()
    for caster in (mesh, scene):
        hit = caster.ray_cast((0.1, 0.2, 5), DOWN)
        again = copied(caster)
        assert_same_hits([again.ray_cast((0.1, 0.2, 5), DOWN)], [hit])
    assert copied(mesh).stats.nodes == 1
    copied(mesh).refit(SQUARE + 1)
    copied(scene).add(mesh)
    assert mesh.revision == 0
    assert len(scene) == 1


def test_what_was_pickled_could_be_written_to_and_held_its_tree_twice():
    scene, mesh = sc.Scene(), sc.Mesh(SQUARE, HALVES)
    mesh.build()
    added = scene.add(mesh)
    again = pickle.loads(pickle.dumps(scene))[added]
    assert not again.matrix.flags.writeable
    assert not again.linear_inverse.flags.writeable
    tree = again.mesh.tree
    assert all(np.shares_memory(level, tree.nodes) for level in tree.levels)
