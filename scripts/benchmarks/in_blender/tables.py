# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run in Blender, as text, as Markdown and as JSON."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import machine
from ..layout import Table, aligned, markdown_table
from ..machine import OtherWork
from ..report import amount
from ..results import Results
from .bench import Bench
from .targets import TITLES, verdicts


def setting(options: Namespace, others: OtherWork) -> dict[str, Any]:
    """Describe what was run, and where."""
    return {
        "blender": bpy.app.version_string,
        "numpy": np.__version__,
        "cores": machine.cores(),
        "cores_busy_with_other_work": others.cores(),
        "seed": options.seed,
        "rounds": options.rounds,
        "quick": options.quick,
    }


def write_json(path: Path, described: dict[str, Any], bench: Bench) -> None:
    """Write all that was measured."""
    content = {
        **described,
        "notes": bench.notes,
        "results": [
            {
                "measure": result.measure,
                "scene": result.mesh,
                "contestant": result.contestant,
                "value": result.value,
                "unit": result.unit,
            }
            for result in bench.results.items
        ],
        "targets": [
            {
                "title": verdict.title,
                "scene": verdict.mesh,
                "value": verdict.value,
                "at_most": verdict.limit.number,
                "verdict": verdict.word,
            }
            for verdict in verdicts(bench.results)
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def render(described: dict[str, Any], bench: Bench, markdown: bool) -> str:
    """Return the whole report as text."""
    layout = markdown_table if markdown else aligned
    busy = described["cores_busy_with_other_work"]
    heading = (
        f"Blender {described['blender']}, NumPy {described['numpy']} alone, "
        f"{described['cores']} cores, seed {described['seed']}, "
        f"medians of {described['rounds']} rounds"
        + ("" if busy is None else f", other programs kept {busy:.1f} cores busy")
    )
    parts = [heading, layout(_figures(bench.results))]
    judged = verdicts(bench.results)
    if judged:
        parts.append(layout(_judged(judged)))
        words = [verdict.word for verdict in judged]
        counts = [f"{words.count(word)} {word}" for word in ("met", "missed", "not measured")]
        parts.append(f"Targets: {', '.join(counts)}.")
    if bench.notes:
        parts.append("\n".join(f"- {note}" for note in dict.fromkeys(bench.notes)))
    return "\n\n".join(parts)


def _figures(results: Results) -> Table:
    names = list(dict.fromkeys(result.contestant for result in results.items))
    rows = [["measure", "scene", *names]]
    for measure, title in TITLES.items():
        of_measure = results.of(measure)
        for scene in dict.fromkeys(result.mesh for result in of_measure):
            cells = {r.contestant: _value(r.value, r.unit) for r in of_measure if r.mesh == scene}
            rows.append([title, scene, *(cells.get(name, "") for name in names)])
    return rows


def _judged(judged: list) -> Table:
    rows = [["target", "scene", "ratio or value", "wanted", "verdict"]]
    for verdict in judged:
        limit = verdict.limit
        value = "" if verdict.value is None else _value(verdict.value, limit.unit)
        wanted = f"≤ {_value(limit.number, limit.unit)}"
        rows.append([verdict.title, verdict.mesh, value, wanted, verdict.word])
    return rows


def _value(value: float, unit: str) -> str:
    return f"{value:.3g}" if unit == "x" else amount(value, unit)
