# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on meshes whose faces modifiers split between the vertices they have, as Triangulate does.

Which way a face is split changes with its shape. So places keep to the vertices, whose numbers are
those of the original mesh.
"""

from __future__ import annotations

import numpy as np

from ...standalone_core import PolygonMesh
from ...standalone_core.extension import BoolArray, IntArray
from ..mesh.scene_mesh import SceneMesh
from ..original.trace import only_splits_faces
from .face_places import FacePlaces


def are_split(mesh: SceneMesh, original: SceneMesh) -> bool:
    """Whether an evaluated mesh has the vertices of the original one, with its faces split."""
    if mesh.source.original is None or mesh.size[0] != original.size[0]:
        return False
    with mesh.source.found() as evaluated:
        return only_splits_faces(evaluated)


def on_whole_faces(
    mesh: SceneMesh, original: SceneMesh, places: FacePlaces
) -> tuple[FacePlaces, BoolArray]:
    """Places on parts of faces as places on the whole ones, and which (N,) are on any.

    A triangle is part of the first face that has all of its vertices.
    """
    vertices = places.vertices(mesh.polygons)
    around = _corners_at(original.polygons, np.unique(vertices))
    known = np.full(len(vertices), False)
    faces, corners = np.zeros(len(vertices), np.int64), np.zeros((len(vertices), 3), np.int64)
    for row, triangle in enumerate(vertices.tolist()):
        at = [around.get(vertex, {}) for vertex in triangle]
        shared = set(at[0]) & set(at[1]) & set(at[2])
        if shared:
            known[row], faces[row] = True, min(shared)
            corners[row] = [each[min(shared)] for each in at]
    return FacePlaces(faces, corners, places.weights).take(known), known


def _corners_at(polygons: PolygonMesh, vertices: IntArray) -> dict[int, dict[int, int]]:
    """Of vertices, the faces they are on, with the number of their corner there."""
    firsts, sizes = polygons.face_corners(np.arange(polygons.face_count))
    every = polygons.corner_vertices(np.arange(int(sizes.sum())))
    corners = np.flatnonzero(np.isin(every, vertices))
    faces = firsts.searchsorted(corners, side="right") - 1
    found: dict[int, dict[int, int]] = {}
    rows = zip(every[corners], faces, corners - firsts[faces], strict=True)
    for vertex, face, corner in rows:
        found.setdefault(int(vertex), {})[int(face)] = int(corner)
    return found
