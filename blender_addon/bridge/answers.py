# SPDX-License-Identifier: GPL-3.0-or-later
"""One question to the scene, from the ray to the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import bpy

from ..errors import SceneChangedError
from ..pick_hit import PickHit
from ..standalone_core import Hit, RaypickError, Scene
from ..standalone_core.arguments import Cull, cull_sign, distance
from . import changes, report, snapshot
from .scene_mesh import uses
from .visibility import Rule

_TURNED: dict[Cull, Cull] = {None: None, "back": "front", "front": "back"}

Ray = tuple[Sequence[float], Sequence[float]]

AHEAD = 0.0, inf
"""An interval of distances that holds all that is ahead of the origin."""

EVERYWHERE = -inf, inf
"""An interval of distances that holds all of the ray's line."""


def hits(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None,
    rule: Rule,
    ray: Ray,
    max_distance: float,
    cull: Cull,
    all_hits: bool,
    seen: tuple[float, float] = AHEAD,
) -> list[PickHit]:
    """What a ray in world space hits, the nearest first.

    Parameters
    ----------
    ray : (origin, direction)
    seen : (least, most)
        Distances between which hits count. Where `least` is below 0, hits behind the origin
        count too, all of them, at distances below 0.
    """
    least, most = seen
    most = min(distance(max_distance), most)
    cull_sign(cull)
    since = next(uses)
    try:
        shown = snapshot.of_context(context, space, rule)
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
    behind = _behind(scene, ray, cull) if least < 0.0 else []
    if not all_hits:
        if behind:
            return behind[:1]
        nearest = scene.ray_cast(*ray, most, cull)
        if nearest is None or nearest.distance >= least:
            return [nearest] if nearest else []
    ahead = [hit for hit in scene.ray_cast_all(*ray, most, cull) if hit.distance >= least]
    return behind + ahead if all_hits else ahead[:1]


def _behind(scene: Scene, ray: Ray, cull: Cull) -> list[Hit]:
    """All hits behind the origin, the farthest behind first, seen in the ray's direction."""
    origin, direction = ray
    found = scene.ray_cast_all(origin, [-part for part in direction], cull=_TURNED[cull])
    return [
        replace(hit, distance=-hit.distance, front=not hit.front)
        for hit in reversed(found)
        if hit.distance > 0.0
    ]
