# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of Blender's lists that hold but a number: what they show is kept elsewhere.

They belong to the window manager, and so to all windows. Where these show lists of different
lengths, there are rows for the longest, and lists pass those that show nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import bpy

Counts = Mapping[str, Callable[[], int]]
"""How many things there are to list in the window of the context, by the names of collections."""


def fit(rows: Any, count: int) -> None:
    """Have so many rows in a collection, numbered from 0."""
    while len(rows) > count:
        rows.remove(len(rows) - 1)
    for number in range(len(rows), count):
        rows.add().number = number


def flags(shown: Any, names: Iterable[str], count: int) -> list[int]:
    """Which of so many rows a list shows: those with a name that the user searches for.

    Rows beyond the names are there for another window.
    """
    sought: str = shown.filter_name.casefold()
    found = [shown.bitflag_filter_item * (sought in name.casefold()) for name in names]
    return [*found, *[0] * count][:count]


def fits(context: bpy.types.Context, counts: Counts) -> bool:
    """Whether there are enough rows for the window of the context, and none but for a window."""
    manager = context.window_manager
    missing = [count() - len(getattr(manager, name)) for name, count in counts.items()]
    return not any(missing) if len(manager.windows) < 2 else max(missing) <= 0


def fit_all(counts: Counts) -> None:
    """Have rows for all windows, and draw these again."""
    manager = bpy.context.window_manager
    wanted = dict.fromkeys(counts, 0)
    for window in manager.windows or [None]:
        with bpy.context.temp_override(window=window):
            wanted = {name: max(wanted[name], count()) for name, count in counts.items()}
    for name, count in wanted.items():
        fit(getattr(manager, name), count)
    for window in manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
