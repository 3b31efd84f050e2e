# SPDX-License-Identifier: MIT
"""A program that ends when whoever started it does: a worker that is killed leaves none behind.

The starter holds the other end of this program's standard input. When that closes, by whatever
end of the starter, or when this program is asked to end, the command is ended with all that it has
started: politely, so that it can clean up. This file is run as a
program, ``python guard.py COMMAND ...``, and needs nothing but Python.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

# Seconds that a command has to clean up.
_PATIENCE = 10.0

# What Linux's prctl calls PR_SET_PDEATHSIG.
_ON_DEATH_OF_PARENT = 1


def main(command: list[str]) -> int:
    """Run a command; return its exit status, or 128 and its signal."""
    is_over = threading.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: is_over.set())
    linux = sys.platform == "linux"
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_guard if linux else None,
        )
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror or error}", file=sys.stderr)
        return 127
    threading.Thread(target=_wait_for_starter, args=[is_over], daemon=True).start()
    threading.Thread(target=_end_when_over, args=[child, is_over], daemon=True).start()
    status = child.wait()
    if is_over.is_set():
        _signal(child, getattr(signal, "SIGKILL", None))  # what it started and did not end
    return status if status >= 0 else 128 - status


def _wait_for_starter(is_over: threading.Event) -> None:
    """Say that it is over once standard input closes."""
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    is_over.set()


def _end_when_over(child: "subprocess.Popen[bytes]", is_over: threading.Event) -> None:
    """Wait until it is over, then end the child: politely, and then at once."""
    is_over.wait()
    _signal(child, getattr(signal, "SIGTERM", None))
    end = time.monotonic() + _PATIENCE
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    _signal(child, getattr(signal, "SIGKILL", None))


def _signal(child: "subprocess.Popen[bytes]", number: "int | None") -> None:
    """Send a signal to the child and all that it started; elsewhere than on POSIX end it."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg") and number is not None:
            os.killpg(child.pid, number)
        else:
            child.kill()


def _die_with_guard() -> None:
    ctypes.CDLL(None).prctl(_ON_DEATH_OF_PARENT, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
