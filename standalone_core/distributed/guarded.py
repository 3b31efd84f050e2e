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
    theirs, ours = os.pipe()
    with open(ours, "wb", buffering=0) as held:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", str(_GUARD), *command],
                stdin=theirs,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **variables},
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        try:
            printed, _ = process.communicate(timeout=timeout)
            return Ended(process.returncode, printed.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            held.close()  # which ends the program
            printed, _ = process.communicate()
            return Ended(None, printed.decode(errors="replace"))
