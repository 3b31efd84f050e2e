# SPDX-License-Identifier: MIT
"""Run a command, and end it when its starter ends: a killed worker leaves no process behind.

The starter holds the other end of this program's standard input, which closes however the starter
ends. Then, or at a signal, this program ends the command and all processes that it started: first
by SIGTERM, so that they can clean up. ``python guard.py COMMAND ...`` needs nothing but Python.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

_PATIENCE = 10.0  # seconds that a command has to clean up
_ON_DEATH_OF_PARENT = 1  # what Linux's prctl calls PR_SET_PDEATHSIG


def main(command: list[str]) -> int:
    """Run a command; return its exit status, or 128 plus the signal that ended it."""
    asked, ask = os.pipe()
    _note_signals(ask)
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
    is_over = threading.Event()
    threading.Thread(target=_wait_for_starter, args=[ask], daemon=True).start()
    threading.Thread(target=_end_when_asked, args=[child, asked, is_over], daemon=True).start()
    status = child.wait()
    if is_over.is_set():
        _signal(child, getattr(signal, "SIGKILL", None))  # processes that it left running
    return status if status >= 0 else 128 - status


def _note_signals(ask: int) -> None:
    """Write SIGINT, SIGTERM and SIGHUP to a pipe when they come, except those that are ignored.

    Python runs handlers only in the main thread, which waits for the command and is not woken if
    the system gives the signal to another thread.
    """
    if os.name == "posix":
        os.set_blocking(ask, False)  # set_wakeup_fd requires it
    signal.set_wakeup_fd(ask, warn_on_full_buffer=False)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def _wait_for_starter(ask: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    with contextlib.suppress(OSError):  # the pipe is full: the end was asked for
        os.write(ask, b"\0")


def _end_when_asked(child: "subprocess.Popen[bytes]", asked: int, is_over: threading.Event) -> None:
    """Wait for a byte in the pipe, then end the child: by SIGTERM, later by SIGKILL."""
    os.read(asked, 1)
    is_over.set()
    _signal(child, getattr(signal, "SIGTERM", None))
    end = time.monotonic() + _PATIENCE
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    _signal(child, getattr(signal, "SIGKILL", None))


def _signal(child: "subprocess.Popen[bytes]", number: "int | None") -> None:
    """Send a signal to the child and all that it started; on Windows, kill the child."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg") and number is not None:
            os.killpg(child.pid, number)
        else:
            child.kill()


def _die_with_guard() -> None:
    ctypes.CDLL(None).prctl(_ON_DEATH_OF_PARENT, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
