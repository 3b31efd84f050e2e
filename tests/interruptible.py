# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that a test interrupts, also where the tests run in the background of a shell."""

import signal
from contextlib import contextmanager


@contextmanager
def interruptible():
    """Have processes that start here notice Ctrl-C and a closed terminal.

    They inherit that a signal is ignored.
    """
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
