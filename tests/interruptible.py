# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that a test interrupts, also where the tests run in the background of a shell."""

import signal
from contextlib import contextmanager


@contextmanager
def interruptible():
    """Have processes that start here notice Ctrl-C; they inherit that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
