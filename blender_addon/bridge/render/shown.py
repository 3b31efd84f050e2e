# SPDX-License-Identifier: GPL-3.0-or-later
"""What a render shows of a view layer.

The depsgraph of a render has what renders: render levels, objects and collections enabled in
renders, simplification. Some is left to the engine, and done as Cycles does it: an object that is
not visible to the camera hides its instances too, and so does the object that makes them. Whether a
collection is Indirect Only or a Holdout counts for the object, or for the one that makes it; what
is both is a holdout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import bpy
import numpy as np

from ...model.hit import PickHit
from ...model.scene_hits import SceneHits
from ...standalone_core import Camera, Hit, RayHits
from ...standalone_core.extension import scattered
from ..batch.rays import BatchQuery, HowToCast, Part, camera_rays
from ..batch.run import CastRun, Progress
from ..mesh.cache import MeshCache
from ..mesh.scene_mesh import KeptPolygons
from ..query import Target, asked_again_if_outdated, reading
from ..report import pick_hits
from ..scene import snapshot
from ..scene.changes import evaluated_depsgraph
from ..scene.snapshot import EVERYTHING, Rule, Shown, Snapshot
from ..scene.tables import Tables, tables_of
from ..validation import Visibility
from .into_memory import asked_in_render

_Answer = TypeVar("_Answer")


class Rendered(Target):
    """What a render shows; meshes that an earlier frame had too are `kept` with their trees."""

    def __init__(
        self,
        depsgraph: bpy.types.Depsgraph,
        rule: Rule = EVERYTHING,
        kept: KeptPolygons | None = None,
    ) -> None:
        self.depsgraph, self.rule = depsgraph, rule
        objects, layer = _objects(depsgraph), depsgraph.view_layer_eval
        # Of a background scene's objects only their own setting tells; Cycles heeds it from 5.2 on.
        held = _addresses(
            each for each in objects if each.is_holdout or each.holdout_get(view_layer=layer)
        )
        unseen = _addresses(each for each in objects if not each.visible_camera)
        indirect = _addresses(each for each in objects if each.indirect_only_get(view_layer=layer))
        cache = MeshCache()
        seen = rule._replace(exclude=rule.exclude | unseen)
        self.shown = snapshot.of_depsgraph(depsgraph, cache, indirect - held, seen)
        for mesh in cache.meshes:
            mesh.kept_polygons = kept
        listed = self.shown.listed.items() if held else ()
        self.holdouts = np.array([key for key, row in listed if row.owner in held], np.int64)
        """The ids of instances that nothing is seen of, nor of what is behind them."""

    def check(self) -> None:
        pass

    @contextmanager
    def lent(self) -> Iterator[Shown]:
        yield self.shown

    def report(
        self, hits: Sequence[Hit], shown: Any, snaps: Sequence[str | None] | None = None
    ) -> list[PickHit]:
        return pick_hits(hits, shown, snaps)

    def tables(self, shown: Any) -> Tables:
        return tables_of(shown)


class RenderRun(CastRun):
    """The nearest hits of all rays; a holdout is a miss."""

    def _found(self, shown: Shown, part: Part) -> RayHits:
        found, target = super()._found(shown, part), self._query.target
        assert isinstance(target, Rendered)
        if not len(target.holdouts):
            return found
        rows = np.flatnonzero(~np.isin(found.instance, target.holdouts))
        return scattered(rows, found.take(rows), len(found.instance))


def survey(
    context: bpy.types.Context,
    camera: bpy.types.Object | str | Camera | None,
    rule: Rule,
    how: HowToCast,
    *limits: Any,
    columns: tuple[str, ...],
    lacking: bool,
    progress: Progress | None,
) -> SceneHits:
    """What renders show at all pixels of a camera; the arguments are as for a `camera_survey`."""

    def ask(depsgraph: bpy.types.Depsgraph, kept: KeptPolygons) -> SceneHits:
        made, shown = camera_rays(depsgraph, camera, *limits), Rendered(depsgraph, rule, kept)
        run = RenderRun(BatchQuery(made, how, shown), columns, lacking=lacking)
        run.go(progress)
        return run.hits()

    hits: SceneHits = asked_in_render(context, ask)
    return hits


@asked_again_if_outdated
def asked(
    context: bpy.types.Context,
    visibility: Visibility,
    ask: Callable[[bpy.types.Depsgraph, Snapshot], _Answer],
) -> _Answer:
    """What a function finds in a depsgraph, among all that its view layer or a render of it shows.

    For viewports, what a single one hides counts.
    """
    if visibility == "render":
        found: _Answer = asked_in_render(
            context, lambda depsgraph, kept: ask(depsgraph, Rendered(depsgraph, kept=kept).shown)
        )
        return found
    with context.temp_override(area=None), reading():
        return ask(evaluated_depsgraph(context), snapshot.of_context(context))


def _objects(depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
    """All evaluated objects; ``depsgraph.ids`` lacks those that nodes alone instance."""
    found = [each.evaluated_get(depsgraph) for each in bpy.data.objects]
    return [each for each in found if each.is_evaluated]


def _addresses(objects: Iterable[bpy.types.Object]) -> frozenset[int]:
    return frozenset(each.original.as_pointer() for each in objects)
