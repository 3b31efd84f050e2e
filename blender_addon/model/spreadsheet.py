# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of tables that a spreadsheet opens: text stays text."""

from __future__ import annotations

import re

_FORMULA = re.compile("'*[=+\\-@\t\r]")
"""What makes a spreadsheet compute the text that begins with it; or would without apostrophes."""


def harmless(value: object) -> object:
    """A cell that no spreadsheet takes for a formula: with an apostrophe more. Numbers stay."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def text_of_cell(cell: str) -> str:
    """The text that :func:`harmless` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
