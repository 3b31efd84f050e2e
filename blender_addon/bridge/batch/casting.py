# SPDX-License-Identifier: GPL-3.0-or-later
"""Some rays at a snapshot, by the core: the nearest hits, all, any or their numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...standalone_core import RayHits, Scene
from ...standalone_core.extension import BoolArray, Cull, IntArray, concatenated
from ..occlusion import TURNED
from ..scene.snapshot import Snapshot
from .rays import Part


@dataclass(frozen=True, slots=True)
class HowToCast:
    """Which hits of a ray count, besides the limits of its distances."""

    cull: Cull = None
    threads: int | None = None
    # Of the nearest hits:
    in_front_first: bool = False  # what is drawn in front of all else comes before it
    behind_too: bool = False  # what is behind the origin counts too, at distances below 0


def nearest(shown: Snapshot, part: Part, how: HowToCast) -> RayHits:
    """The first hit of each ray (R,), misses included."""
    if how.in_front_first and shown.behind is not None:
        found = _nearest(shown.scene, part, how, shown.behind)
        missed = np.flatnonzero(~found.hit)
        later = _nearest(shown.scene, _taken(part, missed), how)
        return _put(found, missed, later)
    return _nearest(shown.scene, part, how)


def every(shown: Snapshot, part: Part, how: HowToCast) -> tuple[RayHits, IntArray]:
    """All hits of all rays, the nearest of each first, and the ray of each."""
    found, splits = shown.scene.cast_rays_all(
        part.origins, part.directions, part.most, how.cull, None, how.threads
    )
    return found, _rays_of(splits)


def any_hit(shown: Snapshot, part: Part, how: HowToCast) -> BoolArray:
    """Whether each ray (R,) hits anything."""
    rays = part.origins, part.directions, part.most
    found: BoolArray = np.atleast_1d(shown.scene.any_hit(*rays, how.cull, None, how.threads))
    return found


def counts(shown: Snapshot, part: Part, how: HowToCast) -> IntArray:
    """How many hits each ray (R,) has."""
    found: IntArray = np.atleast_1d(
        shown.scene.count_hits(
            part.origins, part.directions, part.most, how.cull, None, how.threads
        )
    )
    return found


def _nearest(scene: Scene, part: Part, how: HowToCast, exclude: list[int] | None = None) -> RayHits:
    found = scene.cast_rays(
        part.origins, part.directions, part.most, how.cull, exclude, how.threads
    )
    if part.least is not None:
        # Few rays meet anything before their part begins.
        early = np.flatnonzero(found.distance < part.least)
        if len(early):
            again = _taken(part, early)
            later = scene.cast_rays(
                again.origins, again.directions, again.most, how.cull, exclude, how.threads,
                min_distance=again.least,
            )  # fmt: skip
            found = _put(found, early, later)
    if how.behind_too:
        behind, ray = _behind(scene, part, how, exclude)
        rows, firsts = np.unique(ray, return_index=True)
        found = _put(found, rows, behind.take(firsts))
    return found


def _behind(
    scene: Scene, part: Part, how: HowToCast, exclude: list[int] | None
) -> tuple[RayHits, IntArray]:
    """All hits behind the origins, the farthest behind first, seen in the rays' directions."""
    found, splits = scene.cast_rays_all(
        part.origins, -part.directions, np.inf, TURNED[how.cull], exclude, how.threads
    )
    ray = _rays_of(splits)
    order = np.lexsort((-np.arange(len(ray)), ray))
    order = order[found.distance[order] > 0.0]
    turned = found.take(order)
    return replace(turned, distance=-turned.distance, front=~turned.front), ray[order]


def _rays_of(splits: IntArray) -> IntArray:
    return np.repeat(np.arange(len(splits) - 1), np.diff(splits))


def _taken(part: Part, rows: IntArray) -> Part:
    """Some of the rays."""
    most, least = part.most, part.least
    return Part(
        part.origins[rows],
        part.directions[rows],
        most if isinstance(most, float) else most[rows],
        None if least is None else least[rows],
    )


def _put(found: RayHits, rows: IntArray, others: RayHits) -> RayHits:
    """The hits (R,), with others (N,) in some of their rows (N,)."""
    if not len(rows):
        return found
    place = np.arange(len(found.distance))
    place[rows] = len(place) + np.arange(len(rows))
    return concatenated([found, others]).take(place)
