# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads meshes of Blender into NumPy arrays, and finds the faces that a viewport hides.

Attributes are contiguous arrays, which Blender copies at once; the properties of vertices, loops
and polygons are read one by one.
"""

from __future__ import annotations

from typing import Any, TypeVar

import bpy
import numpy as np

from ...standalone_core.extension import BoolArray, IndexArray, IntArray, SingleArray
from .evaluation import is_render

Values = TypeVar("Values", SingleArray, IndexArray)

# In these modes a viewport leaves hidden faces out, whether or not a paint mask is on.
_HIDING_MODES = frozenset({"EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"})
_INDICES_AT_CORNERS = {"POINT": ".corner_vert", "EDGE": ".corner_edge"}


def positions(mesh: bpy.types.Mesh) -> SingleArray:
    """Local positions (V, 3) of the vertices."""
    values = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    return _filled(values, mesh, "position", "vector")


def faces(mesh: bpy.types.Mesh) -> tuple[IndexArray, int | IndexArray]:
    """The vertex of each face corner (L,), face after face, and how many corners faces have (F,).

    The latter is an int where all have 3, or all 4.
    """
    corners = at_corners(mesh, ".corner_vert")
    return corners, _sizes(mesh, len(corners), len(mesh.polygons))


def at_corners(mesh: bpy.types.Mesh, name: str) -> IndexArray:
    """An integer attribute of the face corners (L,): ``".corner_vert"`` or ``".corner_edge"``."""
    return _filled(np.empty(len(mesh.loops), dtype=np.int32), mesh, name, "value")


def uv_map(layer: bpy.types.MeshUVLoopLayer) -> SingleArray:
    """The coordinates of a UV map at the face corners (L, 2)."""
    values = np.empty((len(layer.uv), 2), dtype=np.float32)
    layer.uv.foreach_get("vector", values.ravel())
    return values


def face_starts(mesh: bpy.types.Mesh) -> IndexArray:
    """The first corner of each face (F,)."""
    starts = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    return starts


def triangle_corners(mesh: bpy.types.Mesh, triangles: IntArray) -> IndexArray:
    """Blender's own triangles: the face corners (N, 3) of some of its ``loop_triangles`` (N,)."""
    mesh.calc_loop_triangles()
    own = mesh.loop_triangles
    if len(triangles) < len(own) // 32:
        return np.array([own[i].loops[:] for i in triangles.tolist()], np.int32).reshape(-1, 3)
    corners = np.empty((len(own), 3), dtype=np.int32)
    own.foreach_get("loops", corners.ravel())
    return corners[triangles]


def triangle_faces(mesh: bpy.types.Mesh, triangles: IntArray) -> IndexArray:
    """The faces (N,) that some of Blender's ``loop_triangles`` (N,) are part of."""
    own = mesh.loop_triangle_polygons
    if len(triangles) < len(own) // 32:
        return np.array([own[i].value for i in triangles.tolist()], np.int32)
    return _triangle_faces(mesh, len(own))[triangles]


def _filled(values: Values, mesh: bpy.types.Mesh, name: str, key: str) -> Values:
    """The values of an attribute; a mesh without elements may lack it."""
    if len(values):
        attribute: Any = mesh.attributes[name]
        attribute.data.foreach_get(key, values.ravel())
    return values


def _sizes(mesh: bpy.types.Mesh, corners: int, count: int) -> int | IndexArray:
    """Sizes of the faces, from the numbers of their triangles: a face of k corners has k - 2."""
    if corners == 3 * count:
        return 3
    faces = _triangle_faces(mesh, corners - 2 * count)
    if corners == 4 * count:
        pairs = faces.reshape(-1, 2).T
        rows = np.arange(count, dtype=np.int32)
        if np.array_equal(pairs[0], rows) and np.array_equal(pairs[1], rows):
            return 4
    return (np.bincount(faces, minlength=count) + 2).astype(np.int32)


def _triangle_faces(mesh: bpy.types.Mesh, count: int) -> IndexArray:
    """The face of each triangle; `count` is the number of triangles."""
    faces = np.empty(count, dtype=np.int32)
    mesh.loop_triangle_polygons.foreach_get("value", faces)
    return faces


def hidden_faces(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, depsgraph: bpy.types.Depsgraph
) -> BoolArray | None:
    """A mask (F,) of the faces of a displayed mesh that are not drawn; None if all are drawn.

    In renders all are, and in object mode, even if another object edits the same mesh. Modifiers
    pass the flag on to the faces that they make of a hidden one. Nodes that make meshes of
    instances turn it into a flag of points: as in Blender, a face has it if all of its points do.
    """
    if evaluated.mode not in _HIDING_MODES or is_render(depsgraph):
        return None
    attribute: Any = mesh.attributes.get(".hide_poly")
    if attribute is None or attribute.data_type != "BOOLEAN":
        return None
    hidden = np.empty(len(attribute.data), dtype=np.bool_)
    attribute.data.foreach_get("value", hidden)
    if len(hidden) == 1:  # one value may stand for all elements, from Blender 5.0
        hidden = np.repeat(hidden, len(mesh.polygons))
    elif attribute.domain != "FACE":
        if attribute.domain in _INDICES_AT_CORNERS:
            hidden = hidden[at_corners(mesh, _INDICES_AT_CORNERS[attribute.domain])]
        hidden = np.logical_and.reduceat(hidden, face_starts(mesh))
    return hidden if hidden.any() else None
