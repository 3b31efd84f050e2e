# SPDX-License-Identifier: MIT
"""Types of what compiled functions are given."""

from __future__ import annotations

from typing import Any

from numba import types

VECTOR = types.UniTuple(types.float64, 3)
"""Three floats."""


def given(dtype: Any, dimensions: int) -> Any:
    """An array that is only read; one that may be written to is taken too."""
    return types.Array(dtype, dimensions, "C", readonly=True)
