# SPDX-License-Identifier: GPL-3.0-or-later
"""Places through modifiers that make faces: from the original mesh to the evaluated, and back."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core.extension import BoolArray
from ..mesh.scene_mesh import SceneMesh
from ..original.face_origin import Copied, Faces
from ..original.spots import take
from ..original.trace import faces_made
from .face_places import FacePlaces, in_triangles


def on_evaluated(
    mesh: SceneMesh, original: SceneMesh, anchors: Sequence[Anchor], scene: bpy.types.Scene
) -> tuple[FacePlaces, BoolArray]:
    """Where anchors of the original mesh are on the evaluated one, and which (N,) are anywhere."""
    places = FacePlaces.of(anchors)
    known = np.full(len(anchors), False)
    faces = _faces(mesh, scene)
    if faces is None:
        return places, known
    known = places.are_on(original.polygons) & _have_copies(faces, anchors)
    rows = np.flatnonzero(known)
    copied = _copied(faces, [anchors[i] for i in rows.tolist()])
    spots = faces.carried(places.take(rows).spots(original.polygons), copied)
    polygons = mesh.polygons
    there = spots.faces < polygons.face_count
    _, sizes = polygons.face_corners(np.where(there, spots.faces, 0))
    there &= sizes == spots.sizes
    known[rows] = there
    found = in_triangles(polygons, take(spots, there), places.weights[rows[there]])
    for part, new in zip(places, found, strict=True):
        part[rows[there]] = new
    return places, known


def on_original(
    mesh: SceneMesh, original: SceneMesh, places: FacePlaces, scene: bpy.types.Scene
) -> tuple[FacePlaces, Copied, BoolArray]:
    """Where places on the evaluated mesh are on the original, on which copies, and which (N,) are.

    Those are the rows of the places that are returned.
    """
    faces = _faces(mesh, scene)
    if faces is None:
        known = np.full(len(places.faces), False)
        return places.take(known), {}, known
    known = faces.known(places.faces)
    spots, copied = faces.traced(places.take(known).spots(mesh.polygons))
    return in_triangles(original.polygons, spots, places.weights[known]), copied, known


def _faces(mesh: SceneMesh, scene: bpy.types.Scene) -> Faces | None:
    """The faces that the modifiers make of those of the object; None where they are unknown."""
    if mesh.source.original is None:  # made for instances
        return None
    with mesh.opened() as (evaluated, opened):
        return faces_made(evaluated, opened, scene)


def _have_copies(faces: Faces, anchors: Sequence[Anchor]) -> BoolArray:
    """Whether the copies that anchors (N,) are on are made now."""
    made = faces.copies

    def is_made(name: str, copy: int) -> bool:
        times = made.get(name, 0)
        return times is None or copy < times

    return np.array([all(is_made(*each) for each in anchor.copies) for anchor in anchors], np.bool_)


def _copied(faces: Faces, anchors: Sequence[Anchor]) -> Copied:
    """The copies that anchors are on, by the modifiers that make them."""
    numbers = [dict(each.copies) for each in anchors]
    return {
        name: np.array([each.get(name, 0) for each in numbers], np.int64) for name in faces.copies
    }
