# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns that grow chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...model.scene_hits import Column
from .columns import KINDS


class ColumnStore:
    """Columns of a known number of rows, or of any number."""

    def __init__(self, names: Sequence[str], rows: int | None) -> None:
        self._names, self._rows = names, rows
        self._filled = 0
        self._whole: dict[str, Column] = {}
        if rows is not None:  # memory for all at once, which nothing has to be joined in later
            known = [name for name in names if name in KINDS]
            self._whole = {name: KINDS[name].empty(rows) for name in known}
        self._parts: dict[str, list[Column]] = {
            name: [] for name in names if name not in self._whole
        }

    def add(self, columns: Mapping[str, Column]) -> None:
        """Append rows to all columns."""
        count = len(columns["instance"])
        for name, whole in self._whole.items():
            whole[self._filled : self._filled + count] = columns[name]
        for name, parts in self._parts.items():
            parts.append(columns[name])
        self._filled += count

    def columns(self, shape: tuple[int, ...]) -> dict[str, Column]:
        """All rows in a shape; those that are not there yet are misses."""
        rows = self._filled if self._rows is None else self._rows
        found = {}
        for name in self._names:
            column = self._whole.get(name)
            if column is None:
                column = self._joined(name, rows)
            found[name] = column.reshape((*shape, *column.shape[1:]))
        return found

    def _joined(self, name: str, rows: int) -> Column:
        """The parts of a column, which may have different widths, one below the other."""
        parts = self._parts[name]
        if name in KINDS:
            return np.concatenate([KINDS[name].empty(0), *parts])
        width = max((part.shape[1] for part in parts), default=1)
        column = np.full((rows, width), np.nan)
        start = 0
        for part in parts:
            column[start : start + len(part), : part.shape[1]] = part
            start += len(part)
        return column[:, 0] if width == 1 else column
