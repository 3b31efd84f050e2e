# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of NumPy by name, with rows that belong together."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Columns(Mapping[str, Array]):
    """Base of columns by name. Its length is the number of rows, as of the tables of pandas."""

    columns: dict[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    # Those of Mapping would take the number of rows for that of the columns.

    def keys(self) -> KeysView[str]:
        return self.columns.keys()

    def values(self) -> ValuesView[Array]:
        return self.columns.values()

    def items(self) -> ItemsView[str, Array]:
        return self.columns.items()

    def __eq__(self, other: object) -> bool:
        """They are equal to themselves alone: compare columns."""
        return self is other

    __hash__ = object.__hash__
