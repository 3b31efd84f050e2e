# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl C, or a polite request to end: what is being done stops at the next good place."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..standalone_core.extension import console


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
    with console.answered((signal.SIGINT, *console.ENDINGS), asked.note):
        yield asked
