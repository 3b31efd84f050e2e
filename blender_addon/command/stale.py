# SPDX-License-Identifier: GPL-3.0-or-later
"""Temporary files that killed runs have left beside their results."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_SECONDS = 3600.0


def remove_stale(result: Path) -> None:
    """Remove the temporary files beside a result that was just written.

    Those that another run may be writing stay: they were changed within an hour before the result,
    by the clock of the machine that holds the folder.
    """
    with suppress(OSError):
        now = result.stat().st_mtime
        for path in result.parent.glob(".raypick-*.tmp"):
            with suppress(OSError):
                if path.stat().st_mtime < now - _SECONDS:
                    path.unlink()
