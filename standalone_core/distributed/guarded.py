# SPDX-License-Identifier: MIT
"""Programs that a worker runs, and that never outlive it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_GUARD = Path(__file__).with_name("guard.py")


class Ended(NamedTuple):
    """How a program ended: its exit status, None if its time was up, and all that it printed."""

    status: int | None
    printed: str


def run(
    command: Sequence[str], variables: Mapping[str, str], timeout: float | None = None
) -> Ended:
    """Run a program to its end, or until its time (in seconds) is up."""
    ours, theirs = _pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", str(_GUARD), *command],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **variables},
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    try:
        return _awaited(process, timeout)
    finally:
        os.close(ours)  # which ends the program if it still runs
        process.wait()


def _awaited(process: subprocess.Popen[bytes], timeout: float | None) -> Ended:
    try:
        printed, _ = process.communicate(timeout=timeout)
        return Ended(process.returncode, printed.decode(errors="replace"))
    except subprocess.TimeoutExpired as error:
        return Ended(None, (error.output or b"").decode(errors="replace"))


def _pipe() -> tuple[int, int]:
    """The end of a pipe that this process keeps, and that which the program reads."""
    read, write = os.pipe()
    return write, read
