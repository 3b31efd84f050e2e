# SPDX-License-Identifier: MIT
"""Reading of what callers of another library pass."""

from typing import Any

from .. import arguments
from ..errors import ArgumentError


def array_of(value: Any) -> Any:
    """What a tensor holds, as an array; anything else as it is."""
    return value.numpy() if hasattr(value, "numpy") else value


def count(value: Any, name: str) -> int:
    """Read `value` as a whole number from 1."""
    number = arguments.most(value, name)
    if number is None:
        raise ArgumentError(f"{name} must be 1 or more, not None")
    return number
