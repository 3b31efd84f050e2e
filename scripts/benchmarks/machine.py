# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine that is measured on, and what else it does meanwhile."""

import os
import time
from pathlib import Path

_STAT = Path("/proc/stat")


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class OtherWork:
    """How many cores other programs keep busy, from the making of this object on."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._others = _seconds_of_others()

    def cores(self) -> float | None:
        """Return the mean so far; None if it is not known."""
        now = _seconds_of_others()
        if now is None or self._others is None:
            return None
        return max(now - self._others, 0.0) / (time.monotonic() - self._start)


def _seconds_of_others() -> float | None:
    """Processor time of all programs but this one and those that it ran to their end."""
    if not _STAT.exists():
        return None
    user, nice, system, _idle, _waiting, *interrupts = map(int, _STAT.read_text().split()[1:8])
    every = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    return every - sum(os.times()[:4])
