# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures and verdicts as tables and as JSON, and the picture of cost against size."""

import json
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

from checkout import say

from . import timing
from .options import PLOTTED
from .results import NO_LIMIT, TITLES, Limit, Results, Verdict
from .timing import OtherWork

Table = list[list[str]]
"""Rows of cells; the first row is the heading."""

_AGREE = 0.99  # the report names contestants whose picks agree less often
_UNITS = {
    "s": ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs")),
    "B": ((1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")),
    "x": ((1.0, "x"),),
    "": ((1.0, ""),),
}

_COLORS = {
    "raypick numpy": "#d62728",
    "raypick numba": "#ff7f0e",
    "BVHTree": "#1f77b4",
    "Open3D": "#2ca02c",
    "embreex": "#9467bd",
    "trimesh": "#8c564b",
    "VTK": "#7f7f7f",
}


def setting(options: Namespace, others: OtherWork) -> dict[str, Any]:
    """Describe the run and the machine, as the JSON of all benchmarks does."""
    return {
        "seed": options.seed,
        "rounds": options.rounds,
        "quick": options.quick,
        "cores": timing.cores(),
        "cores_busy_with_other_work": others.cores(),
        "numpy": np.__version__,
    }


def publish(
    options: Namespace, described: dict[str, Any], results: Results, found: list[Verdict], text: str
) -> int:
    """Write all results as JSON, print the report, and return the exit status."""
    measured = {
        "notes": results.notes,
        "cores_busy": results.cores,
        "groups": results.groups,
        "results": [asdict(result) for result in results.items],
        "targets": [
            {**asdict(each), "limit": f"≤ {amount(*each.limit)}", "verdict": each.word}
            for each in found
        ],
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    written = json.dumps({**described, **measured}, indent=1, ensure_ascii=False)
    options.json.write_text(written + "\n", encoding="utf-8")
    print(f"\n{text}\n", flush=True)
    say(f"wrote {options.json}")
    return 1 if results.failed else 0


def render(
    described: dict[str, Any], results: Results, found: list[Verdict], markdown: bool
) -> str:
    versions = described["versions"].items()
    heading = (
        f"{described['cores']} cores, {described['machine']}, Python {described['python']}, "
        f"NumPy {described['numpy']}, {rounds(described)}; beside "
        + ", ".join(f"{name} {version}" for name, version in versions if "raypick" not in name)
    )
    tables, remarks = [figures(results, TITLES, "mesh")], _remarks(results) + results.notes
    return assembled(heading, tables, summary(results, found), remarks, markdown)


def cells(verdict: Verdict) -> list[str]:
    """Lay out a verdict: title, mesh, ratio or value, limit, and "met" or "missed"."""
    value, unit = verdict.value, verdict.limit.unit
    shown = "" if value is None else amount(value, unit)
    if verdict.parts:
        ours, others, unit = verdict.parts
        shown += f" ({amount(ours, unit)} / {amount(others, unit)})"
    return [verdict.title, verdict.mesh, shown, f"≤ {amount(*verdict.limit)}", verdict.word]


def summary(results: Results, verdicts: list[Verdict]) -> Table:
    """Lay out each goal with the geometric mean of what was measured, over each group of meshes."""
    rows = [["what", "measured", "goal", "verdict"]]
    found: dict[tuple[str, str, Limit], dict[str, list[float]]] = {}
    for each in verdicts:
        groups = found.setdefault((each.title, each.contestant, each.limit), {})
        if each.value is not None:
            groups.setdefault(results.groups.get(each.mesh, ""), []).append(each.value)
    for (title, contestant, limit), groups in found.items():
        means = {group: geometric_mean(values) for group, values in groups.items()}
        measured = [f"{_short(mean, limit.unit)} {group}".rstrip() for group, mean in means.items()]
        word = Verdict(title, "", contestant, max(means.values(), default=None), limit).word
        alone = ", NumPy alone" if contestant == "raypick numpy" else ""
        rows.append([title + alone, ", ".join(measured), _short(*limit), word])
    return rows


def _short(value: float, unit: str) -> str:
    if value == NO_LIMIT:
        return ""
    if unit == "x":
        return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"
    return amount(value, unit)


def rounds(described: dict[str, Any]) -> str:
    """Return the end of a heading: seed, rounds, and the load of other programs."""
    cores = described["cores_busy_with_other_work"]
    busy = "" if cores is None else f", other programs kept {cores:.1f} cores busy"
    return f"seed {described['seed']}, medians of {described['rounds']} rounds{busy}"


def assembled(
    heading: str, tables: list[Table], targets: Table, notes: list[str], markdown: bool
) -> str:
    """Put a report together; each row of `targets` ends with a verdict.

    In Markdown it is what stands on the page: the targets alone, or the tables if there are none.
    """
    words = [row[-1] for row in targets[1:]]
    counts = [f"{words.count(word)} {word}" for word in ("met", "missed", "not measured")]
    if markdown:
        parts = [heading, *map(_markdown_table, [targets] if words else tables)]
    else:
        parts = [heading, *map(_aligned, [*tables, targets]), f"Targets: {', '.join(counts)}."]
    if notes:
        parts.append("\n".join(f"- {note}" for note in dict.fromkeys(notes)))
    return "\n\n".join(parts)


def amount(value: float, unit: str) -> str:
    """Return a value with three digits and the prefix that suits it."""
    steps = _UNITS[unit]
    scale, name = next((step for step in steps if value >= step[0]), steps[-1])
    scaled = value / scale
    return (f"{scaled:.3g}" if scaled < 999.5 else f"{scaled:.0f}") + name


def figures(results: Results, titles: dict[str, str], where: str) -> Table:
    """Lay out all figures: a row for each measure and mesh, a column for each contestant."""
    names = list(dict.fromkeys(result.contestant for result in results.items))
    rows = [["measure", where, *names]]
    for measure, title in titles.items():
        of_measure = results.of(measure)
        for mesh in dict.fromkeys(result.mesh for result in of_measure):
            shown = {r.contestant: amount(r.value, r.unit) for r in of_measure if r.mesh == mesh}
            rows.append([title, mesh, *(shown.get(name, "") for name in names)])
    return rows


def _remarks(results: Results) -> list[str]:
    """Say what was measured only once, and which contestants disagree with most others."""
    most = max((result.rounds for result in results.items), default=0)
    once: dict[str, list[str]] = {}
    for result in results.items:
        unsaid = result.measure.startswith(("answer", "memory", "peak", "rays_"))
        if result.rounds == 1 < most and not unsaid:
            what = f"{TITLES[result.measure]}, {result.mesh}"
            once.setdefault(what, []).append(result.contestant)
    remarks = [f"one round only, {what}: {', '.join(names)}" for what, names in once.items()]
    for result in results.of("agreement"):
        if result.value < _AGREE:
            share = f"{100 * result.value:.1f} % of its picks hit what those of most others hit"
            remarks.append(f"{result.contestant}, {result.mesh}: {share}")
    return remarks


def _aligned(table: Table) -> str:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in table]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def _markdown_table(table: Table) -> str:
    lines = [f"| {' | '.join(row)} |" for row in table]
    lines.insert(1, "|---" * len(table[0]) + "|")
    return "\n".join(lines)


def draw(results: Results, path: Path) -> bool:
    """Draw first hit, build and warm pick against the triangles, both axes logarithmic.

    Return whether there was something to draw: two sizes at least.
    """
    measures = [measure for measure in PLOTTED if results.of(measure)]
    if not measures or len(results.sizes) < 2:
        return False
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(measures), figsize=(4 * len(measures), 4), squeeze=False, layout="constrained"
    )
    for axes, measure in zip(panels[0], measures, strict=True):
        for name, color in _COLORS.items():
            points = [
                (result.triangles, result.value)
                for result in results.of(measure)
                if result.contestant == name and result.mesh in results.sizes
            ]
            if points:
                columns = zip(*sorted(points), strict=True)
                width = 2.5 if name.startswith("raypick") else 1.3
                axes.plot(*columns, "o-", color=color, lw=width, label=name)
        axes.set(xscale="log", yscale="log", title=TITLES[measure], xlabel="triangles")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("seconds")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True
