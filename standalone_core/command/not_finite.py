# SPDX-License-Identifier: MIT
"""Triangles that no ray can hit, as a corner is NaN or infinite."""

import numpy as np

from ..mesh import Mesh
from ..scene import Scene


def triangles_not_finite(target: Mesh | Scene) -> int:
    """How many there are, of each mesh once."""
    if isinstance(target, Scene):
        meshes = {target[identifier].mesh for identifier in target}
        return sum(triangles_not_finite(mesh) for mesh in meshes if isinstance(mesh, Mesh))
    known = np.all(np.isfinite(target.vertices), axis=1)
    return 0 if known.all() else int(np.count_nonzero(~known[target.triangles].all(axis=1)))
