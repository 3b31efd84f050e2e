# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as text."""

from __future__ import annotations

Table = list[list[str]]
"""Rows of cells; the first row is the heading."""


def aligned(table: Table) -> str:
    """Lay a table out in columns for a terminal."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in table]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def markdown_table(table: Table) -> str:
    """Lay a table out in Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in table]
    lines.insert(1, "|---" * len(table[0]) + "|")
    return "\n".join(lines)
