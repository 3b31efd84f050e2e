# SPDX-License-Identifier: GPL-3.0-or-later
"""What every script shares: folders of the checkout, messages, errors, locks and commands."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
ARTEFACTS = CACHE / "artefacts"

# How the errors of apt, pip and Python begin.
_ERROR = re.compile(r"[EW]:|\w*error\b", re.IGNORECASE)


class SetupError(Exception):
    """The reason why a script cannot go on, for example a missing program, in one sentence."""


def say(message: str) -> None:
    print(f"raypick: {message}", flush=True)


def run_script(main: Callable[[], int]) -> NoReturn:
    """Run the main function of a script and exit with its status; print a SetupError in one line.

    A script that is told to end (SIGTERM) removes its temporary files.
    """
    signal.signal(signal.SIGTERM, leave)
    try:
        sys.exit(main())
    except SetupError as error:
        say(str(error))
        sys.exit(1)


def leave(number: int, _frame: object) -> NoReturn:
    """End the script at a signal, by an exception."""
    sys.exit(128 + number)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold the lock of this name, one process at a time; a process that dies releases it."""
    folder = CACHE / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.lock", "a+b") as file:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # gives up after 10 s
                    break
                except OSError:
                    continue
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file releases the lock


def command_environment(**variables: str) -> dict[str, str]:
    """Return the environment of a command: ours and `variables`, with a HOME except on Windows.

    PYTHONHOME and PYTHONPATH are passed on only if `variables` has them.
    """
    env = {**os.environ, **variables}
    if os.name != "nt" and not env.get("HOME"):
        home = CACHE / "home"
        home.mkdir(parents=True, exist_ok=True)
        env["HOME"] = str(home)
    for name in {"PYTHONHOME", "PYTHONPATH"} - {*variables}:
        env.pop(name, None)
    return env


def run_captured(command: Iterable, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command; ``stdout`` of the result is what it prints to both streams."""
    options.setdefault("env", command_environment())
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run([*map(str, command)], **streams, text=True, errors="replace", **options)


def run_quietly(command: list, failure: str, **options: Any) -> str:
    """Run a command and return what it printed; turn its failure into one sentence.

    The sentence begins with `failure` and ends with the last error line of the command.
    """
    run = run_captured(command, stdin=subprocess.DEVNULL, **options)
    if run.returncode != 0:
        lines = [line.strip() for line in run.stdout.splitlines() if line.strip()]
        errors = [line for line in lines if _ERROR.match(line)]
        reason = (errors or lines or [f"it ended with status {run.returncode}"])[-1]
        raise SetupError(f"{failure}: {reason}")
    return run.stdout


def remove_tree(folder: Path) -> None:
    """Delete a folder and all in it, read-only files too; do nothing if it does not exist."""

    def make_writable_and_retry(function, path, _error):
        os.chmod(path, stat.S_IWRITE)
        function(path)

    if folder.exists():
        shutil.rmtree(folder, onerror=make_writable_and_retry)
