# SPDX-License-Identifier: MIT
"""Records kept as columns: dataclasses whose fields are arrays with the same first axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from .arrays import IntArray


@dataclass(frozen=True, eq=False)
class Columns:
    """Base of records of N rows, one array a field."""

    def take(self, rows: Any) -> Self:
        """The given rows (indices or mask), in the given order."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def concatenated(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, one part after the other; at least one part is needed."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls))
        )


def run_starts(keys: IntArray) -> IntArray:
    """Where runs of equal keys start, for keys (N,) that are 0 or more."""
    return np.flatnonzero(np.diff(keys, prepend=-1))
