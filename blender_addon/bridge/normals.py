# SPDX-License-Identifier: GPL-3.0-or-later
"""Unit normals, from local to world space."""

from __future__ import annotations

import numpy as np

from ..standalone_core.extension import FloatArray, cross, dot, normalized


def world_normals(local: FloatArray, matrices: FloatArray) -> FloatArray:
    """Local normals (N, 3) in world space, by matrices (N, 4, 4) or one; NaN where none.

    By the cofactors, which are the inverse but for its size: they exist for a scale of zero too,
    and a mirrored object keeps its outside.
    """
    linear = matrices[..., :3, :3]
    x, y, z = linear[..., 0], linear[..., 1], linear[..., 2]
    with np.errstate(all="ignore"):
        cofactors = np.stack([cross(y, z), cross(z, x), cross(x, y)], axis=-1)
        outward = np.where(dot(cofactors[..., 2], z) < 0.0, -1.0, 1.0)[..., None] * local
        return normalized(
            outward[..., :1] * cofactors[..., 0]
            + outward[..., 1:2] * cofactors[..., 1]
            + outward[..., 2:] * cofactors[..., 2]
        )
