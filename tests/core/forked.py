# SPDX-License-Identifier: GPL-3.0-or-later
"""What a forked child answers."""

import os
import time

import pytest

SOON = 60.0
"""Seconds that are enough for anything here, on any machine."""

needs_forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def in_child(work):
    """What becomes of a forked child that does some work: "" if that returns True or None."""
    child = os.fork()
    if not child:
        status = 1
        try:
            found = work()
            status = 0 if found is None or found else 2
        finally:
            os._exit(status)  # the tests go on in the parent alone
    end = time.monotonic() + SOON
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return {0: "", 2: "is wrong"}.get(os.waitstatus_to_exitcode(status), "fails")
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"
