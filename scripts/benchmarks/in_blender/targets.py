# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured in Blender, in words, and what Raypick aims at there."""

from __future__ import annotations

from dataclasses import dataclass

from ..results import Results
from ..targets import Limit, Verdict
from .contestants import OURS

TITLES = {
    "first": "first pick",
    "building": "picks while indexed, median",
    "building_most": "picks while indexed, longest",
    "index": "until the index is there",
    "later": "later picks, median",
    "later_p99": "later picks, p99",
    "edit": "first pick after an edit",
    "edit_whole": "the same with the evaluation",
    "edit_later": "the picks that follow, median",
    "edit_most": "the picks that follow, longest",
    "instances": "first pick",
    "instances_later": "later picks, median",
    "instances_later_p99": "later picks, p99",
    "changed": "pick after one changed",
    "unchanged": "pick when none changed, median",
    "unchanged_p99": "pick when none changed, p99",
    "read_again": "meshes read after one changed",
    "deform": "pick on each frame",
    "held": "most memory held after a pick",
    "held_after": "memory held in the end",
    "held_share": "most memory held, at any time / limit",
    "enable": "enabling the extension",
    "open": "opening the file",
    "read_early": "meshes read by either",
}


@dataclass(frozen=True)
class Target:
    """One aim: a figure of ours, divided by that of a contestant if one is named."""

    measure: str
    limit: Limit
    against: str = ""


_SCENE, _TREE = "scene.ray_cast", "BVHTree"
TARGETS = (
    Target("first", Limit(0.1), _SCENE),
    Target("later", Limit(2e-3, unit="s")),
    Target("edit", Limit(0.3), _SCENE),
    Target("edit_later", Limit(0.01), _SCENE),
    Target("instances", Limit(0.5, unit="s")),
    Target("instances_later", Limit(5e-3, unit="s")),
    Target("read_again", Limit(1)),
    Target("deform", Limit(0.2), _TREE),
    Target("held_share", Limit(1)),
    Target("read_early", Limit(0)),
)


def verdicts(results: Results) -> list[Verdict]:
    """Hold our figures against all targets of measures that were taken."""
    found = []
    for target in TARGETS:
        title = TITLES[target.measure] + (f" / {target.against}" if target.against else "")
        for result in results.of(target.measure):
            if result.contestant != OURS:
                continue
            value: float | None = result.value
            if target.against:
                baseline = results.value(target.measure, result.mesh, target.against)
                value = result.value / baseline if baseline else None
            found.append(Verdict(title, result.mesh, OURS, value, target.limit))
    return found
