# SPDX-License-Identifier: GPL-3.0-or-later
"""How long tests take, by stage and folder, beside budgets that are kept in the repository.

``tests/seconds.json`` has the budgets: the seconds on a quiet machine with two processors, and a
third more. A folder over its budget is named but fails nothing, since machines differ. Stages
start in the order of their budgets, the longest first.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from checkout import ROOT

BUDGETS = ROOT / "tests" / "seconds.json"

OUTSIDE = "(start, collection, end)"
"""The row for the seconds of a stage outside of its tests."""

_SHARE = 1.33

Seconds = Mapping[str, float]
"""Seconds by folder, such as ``tests/core/cast``."""


def read_report(report: Path, whole: float) -> Seconds:
    """Read the seconds of tests by folder from a JUnit XML report; `whole` is the stage's time."""
    found: Counter[str] = Counter()
    if report.is_file():
        for test in ElementTree.parse(report).iter("testcase"):
            folder = test.get("file", "").rpartition("/")[0]
            found[folder] += float(test.get("time", "0"))
    found[OUTSIDE] = max(whole - sum(found.values()), 0.0)
    return found


def read_budgets(file: Path = BUDGETS) -> dict[str, dict[str, float]]:
    budgets: dict[str, dict[str, float]] = json.loads(file.read_text(encoding="utf-8"))
    return budgets


def record(found: Mapping[str, Seconds], file: Path = BUDGETS) -> None:
    """Set the budgets of stages to their seconds, and a third more."""
    budgets = read_budgets(file)
    for stage, seconds in found.items():
        budgets[stage] = {name: math.ceil(_SHARE * seconds[name]) for name in sorted(seconds)}
    text = json.dumps(budgets, indent=2, sort_keys=True)
    file.write_text(text + "\n", encoding="utf-8")


def table(found: Mapping[str, Seconds], budgets: Mapping[str, Seconds]) -> str:
    """A line for each folder: its seconds in all stages that ran, and its budget for these.

    The last line names the folders that are over their budgets.
    """
    taken = _summed(found.values())
    known = _summed(budgets.get(stage, {}) for stage in found)
    allowed = {name: known[name] for name in taken if name in known}
    width = max(map(len, taken), default=0)
    lines = [f"{'folder'.ljust(width)}  seconds  budget"]
    for name in sorted(taken):
        budget = f"{allowed[name]:7.0f}" if name in allowed else "      -"
        lines.append(f"{name.ljust(width)} {taken[name]:8.1f} {budget}")
    whole = f"{sum(taken.values()):8.1f} {sum(allowed.values()):7.0f}"
    lines.append(f"{'all processes'.ljust(width)} {whole}")
    over = [
        f"{name} ({taken[name]:.0f} s, not {allowed[name]:.0f} s)"
        for name in sorted(allowed)
        if taken[name] > allowed[name]
    ]
    lines.append("Over their budget: " + ("; ".join(over) or "none"))
    return "\n".join(lines)


def _summed(each: Iterable[Seconds]) -> Counter[str]:
    found: Counter[str] = Counter()
    for seconds in each:
        found.update(seconds)
    return found
