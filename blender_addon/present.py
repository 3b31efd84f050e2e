# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be missing elsewhere, but not here."""

from __future__ import annotations

from typing import TypeVar

_Value = TypeVar("_Value")


def present(value: _Value | None) -> _Value:
    """A value that a poll, or the kind of callback, guarantees."""
    assert value is not None
    return value
