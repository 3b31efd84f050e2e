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
    return becomes_of(child)


def becomes_of(child):
    """What becomes of a child: "" if its exit status is 0; it is killed if it hangs."""
    end = time.monotonic() + SOON
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return {0: "", 2: "is wrong"}.get(os.waitstatus_to_exitcode(status), "fails")
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"


def is_right_in_both(work):
    """Whether work says that it is right, in a parent and in its child.

    It is given a function that forks, to be called once in its middle.
    """
    children, is_right = [], False

    def fork():
        children.append(os.fork())
        return children[0]

    try:
        is_right = work(fork)
    finally:
        if children == [0]:
            os._exit(0 if is_right else 1)  # the tests go on in the parent alone
    return becomes_of(children[0]) == "" and is_right
