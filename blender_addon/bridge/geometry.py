# SPDX-License-Identifier: GPL-3.0-or-later
"""From an evaluated object to a mesh of the core, with the way back to faces and corners."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from ..standalone_core import Mesh

Int32Array = npt.NDArray[np.int32]
Float32Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedMesh:
    """A copy of what picking needs of an evaluated mesh; it holds no reference into Blender.

    Attributes
    ----------
    mesh : Mesh
        Vertices in local space; triangle i is Blender's ``loop_triangles[i]``.
    corners : ndarray (T, 3) of int32, or None
        The face corners (loops) of each triangle; None where all faces are triangles, and corner
        j of triangle i is 3 i + j.
    uv : ndarray (L, 2) of float32, or None
        The active UV map, a coordinate a corner.
    material_index : ndarray (F,) of int32, or None
        The material slot of each face; None where all faces use the first.
    """

    mesh: Mesh
    corners: Int32Array | None
    uv: Float32Array | None
    material_index: Int32Array | None

    def corners_of(self, triangle: int) -> Int32Array:
        """The three face corners of a triangle."""
        if self.corners is None:
            return np.arange(3 * triangle, 3 * triangle + 3, dtype=np.int32)
        return self.corners[triangle]


def read(evaluated: bpy.types.Object) -> EvaluatedMesh:
    """Copy the mesh of an evaluated object.

    `to_mesh` gives what the modifiers made also where `Object.data` does not: in edit mode, and
    where the GPU does the subdivision. The mesh belongs to the object, not to the file's data,
    and is freed here.
    """
    mesh = evaluated.to_mesh()
    try:
        return _copied(mesh)
    finally:
        evaluated.to_mesh_clear()


def _copied(mesh: bpy.types.Mesh) -> EvaluatedMesh:
    """Read by the attributes, which are contiguous arrays, where there is a choice."""
    positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    if len(positions):
        mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    corner_vertices = np.empty(len(mesh.loops), dtype=np.int32)
    if len(corner_vertices):
        mesh.attributes[".corner_vert"].data.foreach_get("value", corner_vertices)
    corners, faces = _triangulation(mesh)
    triangles = corner_vertices.reshape(-1, 3) if corners is None else corner_vertices[corners]
    return EvaluatedMesh(
        Mesh(positions, triangles, faces), corners, _active_uv(mesh), _material_indices(mesh)
    )


def _triangulation(mesh: bpy.types.Mesh) -> tuple[Int32Array | None, Int32Array | None]:
    """Blender's triangles: their corners (T, 3), and their faces (T,).

    Both None where every face is a triangle, and so its own.
    """
    if len(mesh.loops) == 3 * len(mesh.polygons):
        return None, None
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    corners = np.empty((count, 3), dtype=np.int32)
    faces = np.empty(count, dtype=np.int32)
    mesh.loop_triangles.foreach_get("loops", corners.ravel())
    mesh.loop_triangle_polygons.foreach_get("value", faces)
    return corners, faces


def _active_uv(mesh: bpy.types.Mesh) -> Float32Array | None:
    layer = mesh.uv_layers.active
    if layer is None:
        return None
    uv = np.empty((len(mesh.loops), 2), dtype=np.float32)
    layer.uv.foreach_get("vector", uv.ravel())
    return uv


def _material_indices(mesh: bpy.types.Mesh) -> Int32Array | None:
    attribute = mesh.attributes.get("material_index")
    if attribute is None or attribute.domain != "FACE" or attribute.data_type != "INT":
        return None
    indices = np.empty(len(mesh.polygons), dtype=np.int32)
    attribute.data.foreach_get("value", indices)
    return indices
