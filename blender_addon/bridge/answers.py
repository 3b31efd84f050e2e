# SPDX-License-Identifier: GPL-3.0-or-later
"""One question to the scene, from the ray to the report."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import bpy

from ..errors import SceneChangedError
from ..pick_hit import PickHit
from ..standalone_core import Hit, RaypickError, Scene
from ..standalone_core.arguments import Cull, distance
from . import changes, report, snapshot
from .scene_mesh import uses
from .visibility import Rule

Ray = tuple[Sequence[float], Sequence[float]]

EVERYWHERE = 0.0, inf
"""An interval of distances that clips nothing."""


def hits(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None,
    rule: Rule,
    ray: Ray,
    max_distance: float,
    cull: Cull,
    all_hits: bool,
    seen: tuple[float, float] | None = None,
) -> list[PickHit]:
    """What a ray in world space hits, the nearest first.

    Parameters
    ----------
    ray : (origin, direction)
    seen : (least, most), optional
        Distances between which hits count.
    """
    least, most = seen or EVERYWHERE
    most = min(distance(max_distance), most)
    shown = snapshot.of_context(context, space, rule)
    since = next(uses)
    try:
        found = [] if least > most else _cast(shown.scene, ray, (least, most), cull, all_hits)
        return report.pick_hits(found, shown, context.scene)
    except RaypickError:
        raise
    except (LookupError, ReferenceError):
        changes.pending.forget_everything()
        raise SceneChangedError("the scene changed in the middle of the pick: pick again") from None
    finally:
        snapshot.trim(since)


def _cast(
    scene: Scene, ray: Ray, interval: tuple[float, float], cull: Cull, all_hits: bool
) -> list[Hit]:
    """All hits at distances in the interval, or the nearest."""
    least, most = interval
    if not all_hits:
        nearest = scene.ray_cast(*ray, most, cull)
        if nearest is None or nearest.distance >= least:
            return [nearest] if nearest else []
    found = [hit for hit in scene.ray_cast_all(*ray, most, cull) if hit.distance >= least]
    return found if all_hits else found[:1]
