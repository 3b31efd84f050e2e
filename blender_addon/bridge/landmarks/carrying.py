# SPDX-License-Identifier: GPL-3.0-or-later
"""From anchors to the triangles of a mesh that have the places, or why that is not known.

The same fingerprint says that faces have not changed. Where the original mesh has it and the
evaluated one has not, the modifiers make other faces, and tell which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import PolygonMesh
from ...standalone_core.extension import BoolArray, FloatArray, IntArray
from ..mesh.scene_mesh import SceneMesh
from ..relocation import TOPOLOGY
from .bound_faces import found_again
from .face_places import FacePlaces
from .split_faces import are_split
from .through_modifiers import on_evaluated

MODIFIERS = "The modifiers have changed the faces"


class Carried(NamedTuple):
    """Places of N anchors on one mesh."""

    vertices: IntArray  # (N, 3)
    weights: FloatArray  # (N, 3)
    reasons: list[str | None]  # why a place is not known, in English; its vertices are 0 then
    anchors: list[Anchor]  # as they are by now: bound faces may have other numbers


def carried(
    mesh: SceneMesh,
    anchors: Sequence[Anchor],
    original: Callable[[], SceneMesh | None],
    scene: bpy.types.Scene,
) -> Carried:
    """The places of anchors on a mesh; `original` reads that of the object without modifiers."""
    polygons = mesh.polygons
    reasons: list[str | None] = [None] * len(anchors)
    if any(each.bound is not None and each.topology != polygons.topology for each in anchors):
        anchors, reasons = _with_bound_faces(anchors, original())
    vertices, weights = np.zeros((len(anchors), 3), np.int64), np.zeros((len(anchors), 3))

    def settle(
        rows: IntArray,
        places: FacePlaces,
        known: BoolArray,
        reason: str,
        of: PolygonMesh = polygons,
    ) -> None:
        found = places.take(known)
        vertices[rows[known]], weights[rows[known]] = found.vertices(of), found.weights
        for i in rows[~known].tolist():
            reasons[i] = reason

    # Those on a copy count in the original mesh, and stand in none that has the same faces.
    is_own = [each.topology == polygons.topology and not each.copies for each in anchors]
    own = np.flatnonzero(is_own)
    if len(own):
        places = FacePlaces.of([anchors[i] for i in own.tolist()])
        known = places.are_on(polygons)
        settle(own, places, known, TOPOLOGY)
    if len(own) < len(anchors):
        base = original()
        base_topology = None if base is None else base.polygons.topology
        for i in np.flatnonzero(~np.array(is_own)).tolist():
            reasons[i] = reasons[i] or _reason(anchors[i], base_topology)
        through = np.array([i for i, each in enumerate(is_own) if not each and not reasons[i]], int)
        if len(through) and base is not None:
            rows = [anchors[i] for i in through.tolist()]
            if are_split(mesh, base):
                places = FacePlaces.of(rows)
                known = places.are_on(base.polygons) & np.array([not each.copies for each in rows])
                settle(through, places, known, MODIFIERS, base.polygons)
            else:
                settle(through, *on_evaluated(mesh, base, rows, scene), MODIFIERS)
    return Carried(vertices, weights, reasons, [*anchors])


def _with_bound_faces(
    anchors: Sequence[Anchor], original: SceneMesh | None
) -> tuple[list[Anchor], list[str | None]]:
    """Anchors on the original mesh as it is, where their faces are bound, or why they are not."""
    now: list[Anchor] = [*anchors]
    reasons: list[str | None] = [None] * len(now)
    if original is None:
        return now, reasons
    topology = original.polygons.topology
    rows = [i for i, each in enumerate(now) if each.bound is not None and each.topology != topology]
    for i, found in zip(rows, found_again(original, [now[i] for i in rows]), strict=True):
        if isinstance(found, str):
            reasons[i] = found
        else:
            now[i] = found
    return now, reasons


def _reason(anchor: Anchor, topology: str | None) -> str | None:
    """Why modifiers cannot lead from an original mesh of a topology to a place; None if they may.

    `topology` is None where there is no original mesh.
    """
    if anchor.evaluated:
        same = topology is not None and anchor.original_topology == topology
        return MODIFIERS if same else TOPOLOGY
    return None if anchor.topology == topology else TOPOLOGY
