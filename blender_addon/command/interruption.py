# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl C, or a polite request to end: what is being done stops at the next good place."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interruption:
    """Whether somebody asked the run to end."""

    def __init__(self) -> None:
        self.is_asked_for = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if the run is to end."""
        if self.is_asked_for:
            raise KeyboardInterrupt

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Remember the first request; raise KeyboardInterrupt for the second.

        What Blender calls, such as the handlers of a change of the frame, would swallow it.
        """
        if self.is_asked_for:
            raise KeyboardInterrupt
        self.is_asked_for = True


@contextmanager
def noticed() -> Iterator[Interruption]:
    """Note requests to end, while this is done; where signals cannot be caught, there are none."""
    asked = Interruption()
    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGINT, signal.SIGTERM):
            before[each] = signal.signal(each, asked.note)
    try:
        yield asked
    finally:
        for each, handler in before.items():
            # Blender's own, which is not Python's, cannot be put back by Python.
            signal.signal(each, signal.SIG_DFL if handler is None else handler)
