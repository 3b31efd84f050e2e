# SPDX-License-Identifier: GPL-3.0-or-later
"""Bound landmarks on an original mesh whose topology has changed: their faces by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core.extension import IntArray
from ..mesh.scene_mesh import SceneMesh
from ..relocation import TOPOLOGY
from . import face_numbers

GONE = "The bound face was removed"
DIVIDED = "The bound face was divided"
CHANGED = "The bound face has other corners"


def found_again(original: SceneMesh, anchors: Sequence[Anchor]) -> list[Anchor | str]:
    """Bound anchors as they are on the original mesh now, or why they are not, in English."""
    polygons = original.polygons
    faces, corners = _numbered(original)
    found: list[Anchor | str] = []
    for anchor in anchors:
        own = faces.get(anchor.bound or 0, [])
        if len(own) != 1:
            found.append(DIVIDED if own else GONE if faces else TOPOLOGY)
            continue
        first, size = (int(part[0]) for part in polygons.face_corners(own))
        went = face_numbers.where_corners_went(corners[first : first + size])
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


def faces_of(original: SceneMesh, anchors: Sequence[Anchor]) -> list[list[int]]:
    """All faces that have the number of an anchor, for each of some."""
    faces, _ = _numbered(original)
    return [[] if each.bound is None else faces.get(each.bound, []) for each in anchors]


def _numbered(original: SceneMesh) -> tuple[dict[int, list[int]], IntArray]:
    """The faces of each number, and the values of all corners (L,)."""
    with original.opened() as (_, mesh):
        read = face_numbers.read(mesh)
    faces: dict[int, list[int]] = {}
    if read is None or len(read[0]) != original.polygons.face_count:
        return faces, np.empty(0, np.int64)
    for face in np.flatnonzero(read[0] > 0).tolist():
        faces.setdefault(int(read[0][face]), []).append(face)
    return faces, read[1]
