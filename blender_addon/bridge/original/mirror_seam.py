# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh keeps all its faces where it is merged with its mirror image."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np


def loses_no_face(mesh: bpy.types.Mesh, axes: Iterable[int], distance: float) -> bool:
    """Whether merging the vertices near the mirror planes surely removes no face.

    A face goes where all its vertices are merged, since it then coincides with its image; and a
    face that is there twice goes where it touches the plane, since Blender looks for doubles
    there.

    Parameters
    ----------
    mesh : bpy.types.Mesh
        What is mirrored, in its own space.
    axes : iterable of int
        The axes across the planes; each plane goes through the origin.
    distance : float
        The largest distance of a vertex to its image at which the two are merged. Twice as many
        are taken for merged here, so that rounding cannot matter.
    """
    count = len(mesh.polygons)
    if not count:
        return True
    positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    vertices = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.attributes[".corner_vert"].data.foreach_get("value", vertices)
    starts = np.empty(count, dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    sizes = np.diff(starts, append=len(vertices))
    for axis in axes:
        near = np.abs(positions[:, axis]) <= distance
        merged = np.add.reduceat(near[vertices], starts, dtype=np.int32)
        if np.any(merged == sizes):
            return False
        seam = np.flatnonzero(merged)
        different = {frozenset(vertices[starts[i] : starts[i] + sizes[i]].tolist()) for i in seam}
        if len(different) < len(seam):
            return False
    return True
