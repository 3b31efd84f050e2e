# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of an object that one of its UV maps puts at texture coordinates, as hits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...model.hit import PickHit
from ...model.scene_hits import SceneHits
from ...standalone_core import RayHits
from ...standalone_core.extension import (
    ArgumentError,
    FloatArray,
    IntArray,
    described,
    finite,
    floats,
)
from ..mesh import arrays
from ..placing import Place, place_of
from ..query import Live, asked_again_if_outdated
from ..refinding import Placed
from ..scene.instances import ListedMesh
from ..scene.snapshot import Snapshot
from .columns import Cast, ColumnStore
from .run import Collector


@asked_again_if_outdated
def hits_at_uv(live: Live, place: Place, uv_map: str | None, uv: Any) -> list[PickHit]:
    """The hits at one point of a UV map of the object that a place is on."""
    point = finite(floats(uv, "uv", (2,)), "uv")
    with live.lent() as shown:
        hits, _ = _found(shown, place, uv_map, point)
        return live.report([*hits], shown)


@asked_again_if_outdated
def columns_at_uvs(
    live: Live,
    place: Place,
    uv_map: str | None,
    uvs: npt.ArrayLike,
    names: tuple[str, ...],
    lacking: bool = False,
) -> SceneHits:
    """The hits at points (..., 2) of a UV map, as columns."""
    points = floats(uvs, "uvs")
    with live.lent() as shown:
        hits, splits = _found(shown, place, uv_map, points)
        collector = Collector(Cast(shown, live.tables(shown)), names, lacking)
        store = ColumnStore(names, None)
        store.add(collector.columns(hits))
    count, asked = len(hits), len(splits) - 1
    point = np.repeat(np.arange(asked), np.diff(splits))
    columns = {"ray": point, **store.columns((count,))}
    evaluated = live.rule.evaluated
    return collector.scene_hits(columns, (count,), asked, asked, splits=splits, evaluated=evaluated)


def _found(
    shown: Snapshot, place: Place, uv_map: str | None, points: FloatArray
) -> tuple[RayHits, IntArray]:
    """All hits (M,) at points (..., 2) of a UV map, and which are those of each point."""
    identifier = place_of(shown, place)
    row = shown.listed[identifier]
    mesh, polygons = row.mesh, row.mesh.polygons
    with mesh.opened() as (_, lent):
        uv = arrays.uv_map(_layer(lent, uv_map, row.original.name))
    places, splits = polygons.at_uv(uv, points, mesh._hidden)
    hits = _hits(row, places.triangle, places.weights)
    if not hits.hit.all():  # those without area are left out, as others may share their edges
        every = np.arange(polygons.triangle_count)
        counts = _hits(row, every, np.full((len(every), 3), 1 / 3)).hit & ~mesh.are_hidden(every)
        places, splits = polygons.at_uv(uv, points, only=counts)
        hits = _hits(row, places.triangle, places.weights)
    return replace(hits, instance=np.full(len(hits), identifier)), splits


def _hits(row: ListedMesh, triangle: IntArray, weights: FloatArray) -> RayHits:
    """Places (N,) on triangles of a mesh, as hits from the front; misses on those without area."""
    polygons = row.mesh.polygons
    corners = polygons.positions(polygons.triangle_vertices(triangle))
    front = np.ones(len(triangle), np.bool_)
    placed = Placed(polygons.faces_of(triangle), triangle, weights, corners, front)
    return placed.in_world([row], np.zeros(len(triangle), np.int64))


def _layer(mesh: bpy.types.Mesh, name: str | None, owner: str) -> bpy.types.MeshUVLoopLayer:
    layers = mesh.uv_layers
    layer = layers.active if name is None else layers.get(name)
    if layer is None:
        known = ", ".join(described(each.name) for each in layers) or "none"
        which = "" if name is None else f" {described(name)}"
        raise ArgumentError(f"the object {owner!r} has no UV map{which}: there are {known}")
    return layer
