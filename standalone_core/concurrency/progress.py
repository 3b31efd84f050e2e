# SPDX-License-Identifier: MIT
"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import DtypeError

Progress = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1; may raise to stop the work."""


def callable_progress(progress: Progress | None) -> Progress:
    """Return a caller's `progress`, or one that does nothing for None; DtypeError otherwise."""
    if progress is None:
        return _ignore
    if not callable(progress):
        raise DtypeError(f"progress must be callable or None, not {type(progress).__name__}")
    return progress


def _ignore(done: float) -> None:
    """No progress is reported."""
