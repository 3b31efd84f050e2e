# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run in Blender, as text, as Markdown and as JSON."""

from typing import Any

from ..report import amount, bound, figures, rounds, whole
from ..results import Results
from .targets import TITLES, verdicts


def content(described: dict[str, Any], results: Results) -> dict[str, Any]:
    """Return all that was measured, for JSON."""
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
            for verdict in verdicts(results)
        ],
    }


def render(described: dict[str, Any], results: Results, markdown: bool) -> str:
    """Return the whole report as text."""
    heading = (
        f"Blender {described['blender']}, NumPy {described['numpy']}{described['engine']}, "
        f"{described['cores']} cores, {rounds(described)}"
    )
    rows = [["target", "scene", "ratio or value", "wanted", "verdict"]]
    for verdict in verdicts(results):
        value = "" if verdict.value is None else _written(verdict.value, verdict.limit.unit)
        rows.append([verdict.title, verdict.mesh, value, bound(verdict, _written), verdict.word])
    tables = [figures(results, TITLES, "scene", _written)]
    return whole(heading, tables, rows, results.notes, markdown)


def _written(value: float, unit: str) -> str:
    return f"{value:.3g}" if unit == "x" else amount(value, unit)
