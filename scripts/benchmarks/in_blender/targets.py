# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured in Blender, and what Raypick aims at there."""

from ..results import Limit, Target
from .bench import FROZEN, LOOP, NEAREST, OURS

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
    "moved": "pick after one moved",
    "moved_later": "later picks, median",
    "moved_later_p99": "later picks, p99",
    "freeze": "freezing after one moved",
    "frozen": "picks in a frozen scene, median",
    "frozen_p99": "picks in a frozen scene, p99",
    "selected": "pick after a selection",
    "selected_later": "later picks, median",
    "selected_later_p99": "later picks, p99",
    "points": "nearest places of many points, each",
    "points_compiled": "nearest places of many points, each, with Numba",
    "point": "nearest place of one point",
    "deform": "pick on each frame",
    "held": "most memory held after a pick",
    "held_after": "memory held in the end",
    "held_share": "most memory held, at any time / limit",
    "enable": "enabling the extension",
    "open": "opening the file",
    "read_early": "meshes read by either",
    "survey": "a pixel of a render camera",
    "survey_compiled": "a pixel of a render camera, with Numba",
}


def _target(measure: str, limit: float, against: str = "", unit: str = "") -> Target:
    return Target(measure, against, {OURS: Limit(limit, unit)}, everywhere=True)


_SCENE, _TREE = "scene.ray_cast", "BVHTree"
TARGETS = (
    _target("first", 0.1, _SCENE),
    _target("later", 2e-3, unit="s"),
    _target("edit", 0.3, _SCENE),
    _target("edit_later", 0.01, _SCENE),
    _target("instances", 0.5, unit="s"),
    _target("instances_later", 5e-3, unit="s"),
    _target("read_again", 1),
    _target("moved", 1.5, _SCENE),
    _target("moved_later", 0.6, _SCENE),
    Target("frozen", _SCENE, {FROZEN: Limit(0.6, "")}, everywhere=True),
    _target("selected", 1, _SCENE),
    _target("selected_later", 0.6, _SCENE),
    _target("points", 0.5, NEAREST),
    _target("points_compiled", 0.5, NEAREST),
    _target("deform", 0.2, _TREE),
    _target("held_share", 1),
    _target("read_early", 0),
    _target("survey", 1 / 3, LOOP),
    _target("survey_compiled", 1 / 20, LOOP),
)
