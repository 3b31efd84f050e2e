# SPDX-License-Identifier: GPL-3.0-or-later
"""Face numbers that survive edits of a mesh, in attributes that Blender's operators copy.

Numbered faces have numbers from 1, others 0. Each corner of a numbered face stores its own number
and how many corners there were, so that dividing, joining or turning the face is noticed. By face
numbers, bound landmarks are found again on a mesh whose topology has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bmesh
import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core.extension import IntArray
from ..mesh.scene_mesh import SceneMesh
from ..placing import TOPOLOGY

FACES = "raypick_landmark"  # name of an integer attribute on faces
CORNERS = "raypick_landmark_corner"  # name of one on face corners
MOST_CORNERS = (1 << 15) - 1  # faces with more cannot be numbered

_DOMAINS = {FACES: "FACE", CORNERS: "CORNER"}
GONE = "The bound face was removed"
DIVIDED = "The bound face was divided"
CHANGED = "The bound face has other corners"


def corner_values(size: int) -> IntArray:
    """The values at the corners of a numbered face with `size` corners, in order."""
    values: IntArray = (size << 16) + np.arange(size)
    return values


def where_corners_went(values: IntArray) -> IntArray | None:
    """The present number of each corner that a face had; None if the face has changed.

    `values` are those at its present corners. A flipped face counts as unchanged.
    """
    size = len(values)
    went = np.argsort(values)
    if not np.array_equal(values[went], corner_values(size)):
        return None
    steps = np.diff(went, append=went[:1]) % size
    return went if np.all(steps == 1) or np.all(steps == size - 1) else None


def read_numbers(mesh: bpy.types.Mesh) -> tuple[IntArray, IntArray] | None:
    """The numbers of all faces (F,), and the values of all corners (L,); None if none has any."""
    if mesh.is_editmode:
        return _read_edited(mesh)
    found = []
    for name, domain in _DOMAINS.items():
        attribute: Any = mesh.attributes.get(name)
        if attribute is None or (attribute.domain, attribute.data_type) != (domain, "INT"):
            return None
        values = np.empty(len(attribute.data), np.int32)
        attribute.data.foreach_get("value", values)
        found.append(values.astype(np.int64))
    numbers, corners = found
    return (numbers, corners) if (numbers > 0).any() else None


def write(mesh: bpy.types.Mesh, numbers: IntArray, corners: IntArray) -> None:
    """Write numbers (F,) of faces and values (L,) of corners, or remove both if no face has one.

    In edit mode they are written to the edit mesh.
    """
    if not (numbers > 0).any():
        remove(mesh)
    elif mesh.is_editmode:
        _write_edited(mesh, numbers, corners)
    else:
        remove(mesh, other_kinds=True)
        for (name, domain), values in zip(_DOMAINS.items(), (numbers, corners), strict=True):
            attributes: Any = mesh.attributes
            held = attributes.get(name) or attributes.new(name, "INT", domain)
            held.data.foreach_set("value", values.astype(np.int32))
        mesh.update()


def remove(mesh: bpy.types.Mesh, other_kinds: bool = False) -> None:
    """Remove the attributes, or only those that have their names but another type."""
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        for elements, name in ((edited.faces, FACES), (edited.loops, CORNERS)):
            layer = elements.layers.int.get(name)
            if layer is not None:
                elements.layers.int.remove(layer)
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
        return
    for name, domain in _DOMAINS.items():
        held: Any = mesh.attributes.get(name)
        is_kept = other_kinds and held and (held.domain, held.data_type) == (domain, "INT")
        if held is not None and not is_kept:
            mesh.attributes.remove(held)


def keep_only(mesh: bpy.types.Mesh, kept: set[int]) -> None:
    """Forget all numbers but these."""
    found = read_numbers(mesh)
    if found is None:
        return
    numbers, corners = found
    if mesh.is_editmode:
        sizes = np.array([len(face.verts) for face in bmesh.from_edit_mesh(mesh).faces], np.int32)
    else:
        sizes = np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_total", sizes)
    gone = ~np.isin(numbers, [*kept])
    write(mesh, np.where(gone, 0, numbers), np.where(np.repeat(gone, sizes), 0, corners))


def _read_edited(mesh: bpy.types.Mesh) -> tuple[IntArray, IntArray] | None:
    edited = bmesh.from_edit_mesh(mesh)
    of_faces, of_corners = edited.faces.layers.int.get(FACES), edited.loops.layers.int.get(CORNERS)
    if of_faces is None or of_corners is None:
        return None
    numbers = np.array([face[of_faces] for face in edited.faces], np.int64)
    corners = np.array([loop[of_corners] for face in edited.faces for loop in face.loops], np.int64)
    return (numbers, corners) if (numbers > 0).any() else None


def _write_edited(mesh: bpy.types.Mesh, numbers: IntArray, corners: IntArray) -> None:
    edited = bmesh.from_edit_mesh(mesh)
    # A new layer moves all faces in memory, so both are added before the first face is read.
    for layers, name in ((edited.faces.layers, FACES), (edited.loops.layers, CORNERS)):
        layers.int.get(name) or layers.int.new(name)
    of_faces, of_corners = edited.faces.layers.int[FACES], edited.loops.layers.int[CORNERS]
    values = iter(corners.tolist())
    for face, number in zip(edited.faces, numbers.tolist(), strict=True):
        face[of_faces] = number
        for loop in face.loops:
            loop[of_corners] = next(values)
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def found_again(original: SceneMesh, anchors: Sequence[Anchor]) -> list[Anchor | str]:
    """Bound anchors on the original mesh as it is now, or why their faces are lost, in English."""
    polygons = original.polygons
    faces, corners = numbered(original)
    found: list[Anchor | str] = []
    for anchor in anchors:
        own = faces.get(anchor.bound or 0, [])
        if len(own) != 1:
            found.append(DIVIDED if own else GONE if faces else TOPOLOGY)
            continue
        first, size = (int(part[0]) for part in polygons.face_corners(own))
        went = where_corners_went(corners[first : first + size])
        if went is None:
            found.append(CHANGED)
            continue
        a, b, c = went[[*anchor.corners]].tolist()
        p, q, r = polygons.corner_vertices(first + np.array([a, b, c])).tolist()
        found.append(
            replace(
                anchor,
                face=own[0],
                corners=(a, b, c),
                vertices=(p, q, r),
                topology=polygons.topology,
                triangle=None,
            )
        )
    return found


def numbered(original: SceneMesh | None) -> tuple[dict[int, list[int]], IntArray]:
    """The faces of each number, and the values of all corners (L,)."""
    faces: dict[int, list[int]] = {}
    if original is None:
        return faces, np.empty(0, np.int64)
    with original.opened() as (_, mesh):
        read = read_numbers(mesh)
    if read is None or len(read[0]) != original.polygons.face_count:
        return faces, np.empty(0, np.int64)
    for face in np.flatnonzero(read[0] > 0).tolist():
        faces.setdefault(int(read[0][face]), []).append(face)
    return faces, read[1]
