# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as it was: it can be asked again and again, in any thread, and never asks Blender."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..model.hit import PickHit
from ..standalone_core import Hit, RaypickError, Scene
from ..standalone_core.extension import FloatArray
from .mesh.cache import FlatMesh
from .mesh.scene_mesh import SceneMesh
from .mesh.shown_mesh import ReadMesh
from .query import Live, Target, asked_again_if_outdated, viewport_of
from .report import Face, triangle_of, where
from .scene.instances import ListedMesh, persistent_ids
from .scene.snapshot import Rule, visibility
from .scene.tables import Tables
from .validation import Viewport

REASON = "The scene is frozen"


class FrozenRow(NamedTuple):
    """An object or instance as it was."""

    mesh: ReadMesh
    matrix: FloatArray  # (4, 4), local to world space
    persistent_id: tuple[int, ...] | None
    uid: int
    instancer: str | None
    instancer_uid: int | None
    is_evaluated: bool  # whether its mesh is as displayed, or else the object's own
    is_base_mesh: bool


class Kept(NamedTuple):
    """All that could be hit."""

    scene: Scene
    listed: dict[int, FrozenRow]
    behind: list[int] | None
    tables: Tables


class Frozen(Target):
    """A scene as it was, with the names of its objects.

    `visibility` is that of the viewport that decided what can be hit.
    """

    def __init__(self, rule: Rule, kept: Kept, visibility: tuple[object, ...]) -> None:
        self.rule = rule
        # One reference, so that a thread that asks while another closes has all or nothing.
        self.kept: Kept | None = kept
        self._visibility = visibility

    def check(self) -> None:
        self._open()

    def _open(self) -> Kept:
        kept = self.kept
        if kept is None:
            raise RaypickError("the frozen scene was closed")
        return kept

    def check_viewport(self, space: Viewport) -> None:
        """Raise an error if a viewport shows other objects than the one that was frozen."""
        if space is not None and visibility(space) != self._visibility:
            raise RaypickError(
                "the viewport hides other objects than the one that was frozen: freeze the scene "
                "with space=, the viewport to pick in"
            )

    @contextmanager
    def lent(self) -> Iterator[Kept]:
        yield self._open()

    def tables(self, shown: Any) -> Tables:
        kept: Kept = shown
        return kept.tables

    def report(
        self, hits: Sequence[Hit], shown: Any, snaps: Sequence[str | None] | None = None
    ) -> list[PickHit]:
        kinds = snaps or [None] * len(hits)
        return [self._hit(hit, shown, kind) for hit, kind in zip(hits, kinds, strict=True)]

    def _hit(self, hit: Hit, kept: Kept, snap: str | None) -> PickHit:
        row, tables = kept.listed[hit.instance], kept.tables
        polygons, edges = row.mesh.polygons, row.mesh.edges
        start, size = (int(each[0]) for each in polygons.face_corners([hit.face]))
        around = polygons.corner_vertices(np.arange(start, start + size)).tolist()
        face = Face(start, tuple(around), lambda corner: int(edges[corner]))
        name = tables.objects[tables.instances.object[hit.instance]]
        return PickHit(
            **where(hit, row, name, face, triangle_of(hit, row)[1], snap),
            smooth_normal=None,
            flat_normal=None,
            uv=None,
            uv_maps={},
            active_uv=None,
            colors={},
            weights={},
            attributes={},
            material=None,
            evaluated=row.is_evaluated,
            original_face=None if row.is_evaluated else hit.face,
            original_reason=REASON if row.is_evaluated else None,
            is_base_mesh=row.is_base_mesh,
        )


@asked_again_if_outdated
def frozen(live: Live) -> Frozen:
    """A copy of what can be hit now; all meshes are read."""
    with live.lent() as shown:
        read: dict[SceneMesh, ReadMesh] = {}
        listed, meshes, matrices = {}, [], []
        ids = persistent_ids([*shown.listed.values()])
        for (identifier, row), persistent_id in zip(shown.listed.items(), ids, strict=True):
            if row.mesh not in read:
                read[row.mesh] = row.mesh.read()
            mesh = read[row.mesh]
            listed[identifier] = _row(row, mesh, persistent_id)
            placed = shown.scene[identifier]
            is_flat = isinstance(placed.mesh, FlatMesh)
            meshes.append(FlatMesh(mesh, row.matrix) if is_flat else mesh)
            matrices.append(placed.matrix)
        scene = Scene()
        scene.add_many(meshes, np.array(matrices).reshape(-1, 4, 4))
        seen = visibility(viewport_of(live.context, live.space))
        tables = live.tables(shown)._replace(groups=[])  # which hold data of Blender's
        kept = Kept(scene, listed, shown.behind, tables)
        return Frozen(live.rule, kept, seen)


def _row(row: ListedMesh, mesh: ReadMesh, persistent_id: tuple[int, ...] | None) -> FrozenRow:
    source = row.mesh.source
    return FrozenRow(
        mesh,
        row.matrix,
        persistent_id,
        row.uid,
        row.instancer,
        row.instancer_uid,
        source.is_evaluated,
        source.is_base_mesh(row.original),
    )
