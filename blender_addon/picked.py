# SPDX-License-Identifier: GPL-3.0-or-later
"""The last pick: what the panel shows, kept in Python so that no digit is lost."""

from __future__ import annotations

from dataclasses import dataclass

from .bridge.report import PickHit


@dataclass(frozen=True, slots=True)
class Picked:
    """The answer to one question.

    Attributes
    ----------
    hits : tuple of PickHit
        Nearest first; empty where nothing was hit.
    seconds : float
        How long the answer took.
    """

    hits: tuple[PickHit, ...]
    seconds: float


_last: Picked | None = None


def last() -> Picked | None:
    """The last pick since the extension was enabled, or None."""
    return _last


def keep(picked: Picked | None) -> None:
    """Make this the last pick."""
    global _last
    _last = picked
