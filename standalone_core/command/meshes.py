# SPDX-License-Identifier: MIT
"""The meshes of what is cast at, and what is wrong with them."""

import numpy as np

from ..mesh import Mesh
from ..scene import Scene


def meshes_of(target: Mesh | Scene) -> list[Mesh]:
    """A mesh by itself, or those of a scene, each once, in the order of their first instances."""
    if isinstance(target, Mesh):
        return [target]
    meshes = dict.fromkeys(target[identifier].mesh for identifier in target)
    return [mesh for mesh in meshes if isinstance(mesh, Mesh)]  # as all of a file are


def triangles_not_finite(target: Mesh | Scene) -> int:
    """How many triangles no ray can hit, as a corner is NaN or infinite; of each mesh once."""
    return sum(map(_not_finite, meshes_of(target)))


def _not_finite(mesh: Mesh) -> int:
    known = np.all(np.isfinite(mesh.vertices), axis=1)
    return 0 if known.all() else int(np.count_nonzero(~known[mesh.triangles].all(axis=1)))
