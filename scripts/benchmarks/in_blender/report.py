# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured in Blender, what Raypick aims at there, and the report of a run."""

from typing import Any

from ..report import amount, bound, figures, rounds, whole
from ..results import Limit, Results, Target, nothing, peer, verdicts
from .bench import LOOP, OURS


def content(described: dict[str, Any], results: Results) -> dict[str, Any]:
    return {
        **described,
        "notes": results.notes,
        "results": [
            {
                "measure": result.measure,
                "scene": result.mesh,
                "contestant": result.contestant,
                "value": result.value,
                "unit": result.unit,
            }
            for result in results.items
        ],
        "targets": [
            {
                "title": verdict.title,
                "scene": verdict.mesh,
                "value": verdict.value,
                "at_most": verdict.limit.number,
                "verdict": verdict.word,
            }
            for verdict in verdicts(results, TARGETS, TITLES)
        ],
    }


def render(described: dict[str, Any], results: Results, markdown: bool) -> str:
    heading = (
        f"Blender {described['blender']}, NumPy {described['numpy']}{described['engine']}, "
        f"{described['cores']} cores, {rounds(described)}"
    )
    rows = [["target", "scene", "ratio or value", "wanted", "verdict"]]
    for verdict in verdicts(results, TARGETS, TITLES):
        value = "" if verdict.value is None else _written(verdict.value, verdict.limit.unit)
        rows.append([verdict.title, verdict.mesh, value, bound(verdict, _written), verdict.word])
    tables = [figures(results, TITLES, "scene", _written)]
    return whole(heading, tables, rows, results.notes, markdown)


def _written(value: float, unit: str) -> str:
    return f"{value:.3g}" if unit == "x" else amount(value, unit)


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
    "survey": "a pixel of a render camera",
    "survey_compiled": "a pixel of a render camera, with Numba",
}


def _target(measure: str, limit: Limit, against: str = "") -> Target:
    """One aim: a figure of ours, divided by that of a contestant if one is named."""
    baseline = peer(against) if against else nothing
    return Target(measure, against, baseline, {OURS: limit}, everywhere=True)


_SCENE, _TREE = "scene.ray_cast", "BVHTree"
TARGETS = (
    _target("first", Limit(0.1), _SCENE),
    _target("later", Limit(2e-3, unit="s")),
    _target("edit", Limit(0.3), _SCENE),
    _target("edit_later", Limit(0.01), _SCENE),
    _target("instances", Limit(0.5, unit="s")),
    _target("instances_later", Limit(5e-3, unit="s")),
    _target("read_again", Limit(1)),
    _target("deform", Limit(0.2), _TREE),
    _target("held_share", Limit(1)),
    _target("read_early", Limit(0)),
    _target("survey", Limit(1 / 3), LOOP),
    _target("survey_compiled", Limit(1 / 20), LOOP),
)
