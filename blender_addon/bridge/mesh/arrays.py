# SPDX-License-Identifier: GPL-3.0-or-later
"""From a mesh of Blender to arrays that hold nothing of Blender.

Attributes are contiguous arrays, which Blender copies at once; the properties of vertices, loops
and polygons are read one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]
Float32Array = npt.NDArray[np.float32]


class Faces(NamedTuple):
    """The faces of a mesh, as the core's polygons take them.

    Attributes
    ----------
    corners : ndarray (L,) of int32
        The vertex of each face corner, face after face.
    sizes : int, or ndarray (F,) of int32
        How many corners a face has; an int where all have the same number, 3 or 4.
    """

    corners: Int32Array
    sizes: int | Int32Array


def positions(mesh: bpy.types.Mesh) -> Float32Array:
    """Local positions (V, 3) of the vertices."""
    read = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    if len(read):
        mesh.attributes["position"].data.foreach_get("vector", read.ravel())
    return read


def faces(mesh: bpy.types.Mesh) -> Faces:
    """The faces, without their triangles."""
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    if len(corners):
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
    return Faces(corners, _sizes(mesh, len(corners), len(mesh.polygons)))


def triangle_corners(mesh: bpy.types.Mesh, triangles: npt.NDArray[np.int64]) -> Int32Array:
    """Blender's own triangles: the face corners (N, 3) of some of its ``loop_triangles`` (N,)."""
    mesh.calc_loop_triangles()
    own = mesh.loop_triangles
    if len(triangles) < len(own) // 32:
        return np.array([own[i].loops[:] for i in triangles.tolist()], np.int32).reshape(-1, 3)
    read = np.empty((len(own), 3), dtype=np.int32)
    own.foreach_get("loops", read.ravel())
    return read[triangles]


def _sizes(mesh: bpy.types.Mesh, corners: int, count: int) -> int | Int32Array:
    """Sizes of the faces, from the face of each triangle: a face of k corners has k - 2."""
    if corners == 3 * count:
        return 3
    triangle_faces = np.empty(corners - 2 * count, dtype=np.int32)
    mesh.loop_triangle_polygons.foreach_get("value", triangle_faces)
    if corners == 4 * count:
        pairs = triangle_faces.reshape(-1, 2).T
        rows = np.arange(count, dtype=np.int32)
        if np.array_equal(pairs[0], rows) and np.array_equal(pairs[1], rows):
            return 4
    return (np.bincount(triangle_faces, minlength=count) + 2).astype(np.int32)
