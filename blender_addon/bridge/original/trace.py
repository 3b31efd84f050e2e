# SPDX-License-Identifier: GPL-3.0-or-later
"""Trace faces of an evaluated mesh back to the object's own mesh."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...standalone_core.extension import BoolArray, IntArray
from ..mesh.arrays import at_corners, face_starts, positions
from ..mesh.evaluation import (
    has_dynamic_topology,
    is_sculpted,
    levels_of,
    shown_modifiers,
    shows_dynamic_topology,
)
from .faces import Copies, Faces, Subdivided, UnknownOriginError
from .modifiers import NumberedFaces, keeps_faces, numbered_faces
from .splits import Parts, Triangulated


def original_face(
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    face: int,
    depsgraph: bpy.types.Depsgraph,
    kept: dict[int, Any],
) -> tuple[int | None, str | None]:
    """Trace a face back through the modifiers.

    Modifiers can be traced if they keep the faces, subdivide or triangulate each, or copy all of
    them in order; others only if the faces have numbers, see :mod:`.modifiers`.

    `mesh` is as ``to_mesh`` returns it; the depsgraph is that of `evaluated`. `kept` caches what is
    read for the next call, as long as the mesh is up to date. Return the face's index in
    ``object.data``, or in the mesh being edited, or else why it is unknown, in English. An index is
    always right: it follows from what the modifiers do, and the number of faces confirms it.
    """
    try:
        return _traced(evaluated, mesh, depsgraph, kept).origin(face), None
    except UnknownOriginError as reason:
        return None, str(reason)


def original_faces(
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    depsgraph: bpy.types.Depsgraph,
    faces: IntArray | None = None,
) -> IntArray:
    """The original faces of some faces (N,), or of all, as :func:`original_face` finds them.

    -1 for those that have none.
    """
    if faces is None:
        faces = np.arange(len(mesh.polygons))
    try:
        return _traced(evaluated, mesh, depsgraph, {}).origins(faces)
    except UnknownOriginError:
        return np.full(len(faces), -1)


def only_splits_faces(evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the modifiers do no more to faces than to cut them along diagonals."""
    if evaluated.type != "MESH" or shows_dynamic_topology(evaluated, depsgraph):
        return False
    shown = shown_modifiers(evaluated, depsgraph)
    return all(each.type == "TRIANGULATE" or keeps_faces(each) for each in shown)


def _traced(
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    depsgraph: bpy.types.Depsgraph,
    kept: dict[int, Any],
) -> Faces | Parts | NumberedFaces:
    try:
        return faces_made(evaluated, mesh, depsgraph)
    except UnknownOriginError:
        numbered, own = numbered_faces(evaluated, mesh, depsgraph, kept), evaluated.original.data
        if numbered is not None:
            return numbered
        if isinstance(own, bpy.types.Mesh) and only_splits_faces(evaluated, depsgraph):
            return Parts(own, mesh)
        raise


def faces_made(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, depsgraph: bpy.types.Depsgraph
) -> Faces:
    """The faces that the modifiers make from an object's own; their number fits the mesh.

    `mesh` and the depsgraph are as for :func:`original_face`. UnknownOriginError if a modifier
    cannot be traced.
    """
    own = evaluated.original.data
    if evaluated.type != "MESH" or not isinstance(own, bpy.types.Mesh):
        raise UnknownOriginError("The object has no mesh of its own")
    faces = Faces(own)
    # Only the number of faces shows which modifiers sculpt mode skips.
    faces.uncertain = is_sculpted(evaluated, depsgraph)
    if faces.uncertain and has_dynamic_topology(evaluated.original):
        raise UnknownOriginError("Dynamic topology changes the faces")
    for modifier in shown_modifiers(evaluated, depsgraph):
        if not keeps_faces(modifier):
            faces = _made_by(modifier, faces, depsgraph)
    faces.check(mesh)
    return faces


def _made_by(modifier: Any, faces: Faces, depsgraph: bpy.types.Depsgraph) -> Faces:
    match modifier.type:
        case "SUBSURF" | "MULTIRES":
            # Catmull-Clark and simple subdivision make the faces in the same order.
            levels = levels_of(modifier, depsgraph)
            return Subdivided(faces, modifier.name, levels) if levels else faces
        case "TRIANGULATE":
            return Triangulated(faces, modifier.name, modifier.min_vertices)
        case "MIRROR" if not any(modifier.use_bisect_axis[axis] for axis in _axes(modifier)):
            return _mirrored(modifier, faces, depsgraph)
        case "ARRAY":
            caps = modifier.start_cap is not None or modifier.end_cap is not None
            times = modifier.count if modifier.fit_type == "FIXED_COUNT" else None
            if caps and times is None:
                raise UnknownOriginError(f"The modifier {modifier.name} makes faces of its own")
            merged = modifier.use_merge_vertices
            return Copies(faces, modifier.name, times, more=caps, merged=merged, divides=merged)
        case "SOLIDIFY" if modifier.solidify_mode == "EXTRUDE":
            # The order: faces, faces of the other side, rim.
            sides = 1 if modifier.use_rim and modifier.use_rim_only else 2
            return Copies(faces, modifier.name, sides, more=modifier.use_rim, mirrored=_flipped)
    raise UnknownOriginError(f"The modifier {modifier.name} changes the faces")


def _axes(modifier: Any) -> list[int]:
    return [axis for axis in range(3) if modifier.use_axis[axis]]


def _mirrored(modifier: Any, faces: Faces, depsgraph: bpy.types.Depsgraph) -> Faces:
    """The faces, then their mirror images; each further axis mirrors all of these again."""
    axes = _axes(modifier)
    if not axes:
        return faces
    return Copies(
        faces,
        modifier.name,
        2 ** len(axes),
        merged=modifier.use_mirror_merge,
        keeps_all=lambda: _keeps_all_faces(modifier, depsgraph),
        mirrored=_flipped,
    )


def _keeps_all_faces(modifier: Any, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether merging the vertices near the mirror planes surely removes no face.

    This is known only if nothing has moved the own mesh's vertices. Merging removes a face whose
    vertices are all merged, since it coincides with its image. It also removes one of two equal
    faces that touch the plane, since Blender looks for doubles there.

    The planes go through the mesh's origin, across the modifier's axes. Blender merges a vertex and
    its image where their distance is at most the threshold. Here vertices up to twice as far count
    as merged, so that rounding cannot matter.
    """
    evaluated = modifier.id_data
    mesh = evaluated.original.data
    first = next(shown_modifiers(evaluated, depsgraph))
    if first != modifier or modifier.mirror_object or mesh.is_editmode or mesh.shape_keys:
        return False
    if evaluated.parent is not None and evaluated.parent_type in {"ARMATURE", "LATTICE"}:
        return False
    if not len(mesh.polygons):
        return True
    vertices, starts = at_corners(mesh, ".corner_vert"), face_starts(mesh)
    sizes = np.diff(starts, append=len(vertices))
    for coordinates in positions(mesh).T[_axes(modifier)]:
        near = np.abs(coordinates) <= modifier.merge_threshold
        merged = np.add.reduceat(near[vertices], starts, dtype=np.int32)
        if np.any(merged == sizes):
            return False
        seam = np.flatnonzero(merged)
        different = {frozenset(vertices[starts[i] : starts[i] + sizes[i]].tolist()) for i in seam}
        if len(different) < len(seam):
            return False
    return True


def _flipped(copies: IntArray) -> BoolArray:
    """Whether each copy (N,) is mirrored an odd number of times.

    Each bit of a copy's number is a mirror axis. The other side of a solid is mirrored once.
    """
    return np.asarray((copies ^ copies >> 1 ^ copies >> 2) & 1 == 1)
