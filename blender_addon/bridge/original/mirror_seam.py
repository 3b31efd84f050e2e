# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh keeps all its faces where it is merged with its mirror image."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ..mesh.arrays import at_corners, face_starts, positions


def keeps_all_faces(mesh: bpy.types.Mesh, axes: Iterable[int], distance: float) -> bool:
    """Whether merging the vertices near the mirror planes surely removes no face.

    A face goes where all its vertices are merged, since it then coincides with its image; and a
    face that is there twice goes where it touches the plane, since Blender looks for doubles
    there.

    The planes go through the mesh's origin, across some of its axes. `distance` is the largest
    from a vertex to its image at which the two are merged. Here vertices up to twice as far are
    taken for merged, so that rounding cannot matter.
    """
    if not len(mesh.polygons):
        return True
    vertices, starts = at_corners(mesh, ".corner_vert"), face_starts(mesh)
    sizes = np.diff(starts, append=len(vertices))
    for coordinates in positions(mesh).T[list(axes)]:
        near = np.abs(coordinates) <= distance
        merged = np.add.reduceat(near[vertices], starts, dtype=np.int32)
        if np.any(merged == sizes):
            return False
        seam = np.flatnonzero(merged)
        different = {frozenset(vertices[starts[i] : starts[i] + sizes[i]].tolist()) for i in seam}
        if len(different) < len(seam):
            return False
    return True
