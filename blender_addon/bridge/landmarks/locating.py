# SPDX-License-Identifier: GPL-3.0-or-later
"""Where landmarks are now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...model.landmarks.landmark import Anchor
from ...standalone_core import triangle
from ...standalone_core.extension import FloatArray, cross, moved, normalized
from ..mesh.scene_mesh import SceneMesh
from ..reading import asked_again_if_outdated, reading
from ..relocation import HIDDEN, NO_INSTANCE
from ..scene import snapshot
from ..scene.instances import ListedMesh
from ..scene.visibility import Rule
from .carrying import carried
from .rows import ObjectRows, rows_of

MISSING = "The landmark is missing"


@dataclass(frozen=True, slots=True)
class Located:
    """Where N places of one object are; NaN where that is not known."""

    points: FloatArray  # (N, 3), in world space
    normals: FloatArray  # (N, 3), in world space, of unit length
    local: FloatArray  # (N, 3), in the local space of the object, as evaluated
    reasons: list[str | None]  # why that is not known, in English
    anchors: list[Anchor | None]  # as they are by now: bound faces may have other numbers


@asked_again_if_outdated
def located(
    context: bpy.types.Context, wanted: Sequence[tuple[bpy.types.Object, Sequence[Anchor | None]]]
) -> list[Located]:
    """Where places of original objects are, whatever a single viewport hides.

    A landmark that is missing has no anchor.
    """
    # Blender asks the viewport of the context what is visible, unless there is none.
    with context.temp_override(area=None), reading():
        shown = rows_of(snapshot.of_context(context), [obj for obj, _ in wanted])
        return [_located(context, shown[obj], obj, anchors) for obj, anchors in wanted]


def original_mesh(context: bpy.types.Context, obj: bpy.types.Object) -> SceneMesh | None:
    """The mesh of a visible object without its modifiers and shape keys; None for none."""
    rows = rows_of(snapshot.of_context(context, None, Rule(evaluated=False)), [obj])[obj]
    row = rows.own or next(iter(rows.instances.values()), None)
    if row is None or row.mesh.source.is_evaluated:
        return None
    return row.mesh


def _located(
    context: bpy.types.Context,
    rows: ObjectRows,
    obj: bpy.types.Object,
    anchors: Sequence[Anchor | None],
) -> Located:
    unknown = np.full((len(anchors), 3), np.nan)
    found = Located(unknown, unknown.copy(), unknown.copy(), [None] * len(anchors), [*anchors])
    groups: dict[int, tuple[ListedMesh, dict[int, Anchor]]] = {}
    for i, anchor in enumerate(anchors):
        if anchor is None:
            found.reasons[i] = MISSING
            continue
        row = rows.find(anchor.instancer, anchor.instance)
        if row is None:
            found.reasons[i] = HIDDEN if anchor.instancer is None else NO_INSTANCE
        else:
            groups.setdefault(row.number, (row, {}))[1][i] = anchor
    for row, own in groups.values():
        _locate_on(context, row, obj, own, found)
    return found


def _locate_on(
    context: bpy.types.Context,
    row: ListedMesh,
    obj: bpy.types.Object,
    anchors: Mapping[int, Anchor],
    found: Located,
) -> None:
    """Fill in where the places of one mesh are, by their rows."""
    numbers, own = [*anchors], [*anchors.values()]
    places = carried(row.mesh, own, lambda: original_mesh(context, obj), context.scene)
    for i, reason, anchor in zip(numbers, places.reasons, places.anchors, strict=True):
        found.reasons[i], found.anchors[i] = reason, anchor
    known = [k for k, reason in enumerate(places.reasons) if reason is None]
    if not known:
        return
    into = [numbers[k] for k in known]
    corners = row.mesh.polygons.positions(places.vertices[known])
    weights = places.weights[known]
    found.local[into] = triangle.interpolate(corners, weights)
    in_world = moved(corners, row.matrix[:3])
    found.points[into] = triangle.interpolate(in_world, weights)
    a, b, c = in_world.swapaxes(0, 1)
    side = -1.0 if np.linalg.det(row.matrix[:3, :3]) < 0.0 else 1.0
    found.normals[into] = side * normalized(cross(b - a, c - a))
