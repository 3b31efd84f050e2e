# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of Blender's lists that hold but a number: what they show is kept elsewhere."""

from __future__ import annotations

from typing import Any


def fit(rows: Any, count: int) -> None:
    """Have so many rows in a collection, numbered from 0."""
    while len(rows) > count:
        rows.remove(len(rows) - 1)
    for number in range(len(rows), count):
        rows.add().number = number
