# SPDX-License-Identifier: MIT
"""One file, its cameras and a run of frames: what a worker has Blender do, and what came of it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from . import guarded
from .thread_share import threads_here

# Lines of what a failed program printed that are kept.
_LINES = 12


@dataclass(frozen=True)
class SurveyTask:
    """What one task of a survey does; :func:`survey` plans them.

    Attributes
    ----------
    file, out : str
        The Blender file, and the folder that the results go to.
    cameras : tuple of str
        Names of camera objects; none for the camera of the scene.
    frames : str
        As the command has it, "1-10"; "" for the frame that the file was saved at.
    options : tuple of str
        Further arguments of the command ``raypick survey``.
    blender, extension : str or None
        The Blender program, or None for the module bpy, and the zip of the extension for that.
    threads : int or None
        How many threads the task may use; None for what its worker was given.
    timeout : float or None
        Seconds after which it is ended, as failed.

    Examples
    --------
    >>> SurveyTask("shot.blend", "out/shot", ("Camera",), "1-10").arguments[:4]
    ('survey', '--out', 'out/shot', '--resume')
    """

    file: str
    out: str
    cameras: tuple[str, ...] = ()
    frames: str = ""
    options: tuple[str, ...] = ()
    blender: str | None = None
    extension: str | None = None
    threads: int | None = None
    timeout: float | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the command, but for how many threads it uses."""
        words = ["survey", "--out", self.out, "--resume", "--quiet"]
        for name in self.cameras:
            words.append(f"--camera={name}")
        if self.frames:
            words.append(f"--frames={self.frames}")  # which may begin with a minus sign
        return (*words, *self.options)

    def command(self, threads: int, report: str) -> list[str]:
        """The whole command line of a program that writes a report, as JSON, to a file."""
        words = [*self.arguments, f"--threads={threads}", f"--json={report}"]
        if self.blender is not None:
            # Blender's own options have their values in a word of their own.
            program = [self.blender, "--background", "--disable-autoexec", "--threads"]
            return [*program, str(threads), self.file, "--command", "raypick", *words]
        zips = [] if self.extension is None else ["--extension", self.extension]
        return [sys.executable, "-m", f"{__package__}.in_bpy", *zips, self.file, "--", *words]


@dataclass(frozen=True)
class SurveyReport:
    """What came of one task of a survey.

    Attributes
    ----------
    file, frames : str
    cameras : tuple of str
        Those of the task.
    state : {"done", "failed"}
        Whether all its frames are there.
    paths : tuple of str
        The files that are complete: those that were made, and those that were there already.
    kept : int
        How many were there already.
    error : str
        What failed, in words; "" if nothing did.
    seconds : float
        How long the task took.

    Examples
    --------
    >>> report = SurveyReport("shot.blend", (), "1-10", "failed", error="shot.blend: no camera")
    >>> report.as_dict()["state"]
    'failed'
    """

    file: str
    cameras: tuple[str, ...]
    frames: str
    state: Literal["done", "failed"]
    paths: tuple[str, ...] = ()
    kept: int = 0
    error: str = ""
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The fields by name; a list of these makes a data frame.

        Examples
        --------
        >>> list(SurveyReport("shot.blend", (), "1-10", "done").as_dict())[:4]
        ['file', 'cameras', 'frames', 'state']
        """
        return asdict(self)


def run(task: SurveyTask) -> SurveyReport:
    """Do a task. Whatever fails is told by its report, and no error."""
    start = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="raypick-") as scratch:
            path = os.path.join(scratch, "report.json")
            with threads_here(task.threads) as threads:
                # What a program that is ended leaves of its temporary files goes with the folder.
                variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch)
                variables |= _variables(threads, task.blender is None)
                ended = guarded.run(task.command(threads, path), variables, task.timeout)
            report = _told(task, ended, _read(path))
    except Exception as error:
        report = _failed(task, f"{type(error).__name__}: {error}")
    return replace(report, seconds=time.monotonic() - start)


def _told(task: SurveyTask, ended: guarded.Ended, told: dict[str, Any]) -> SurveyReport:
    """A report of how a program ended, and of what it reported itself."""
    kept = [str(path) for path in told.get("kept", ())]
    paths = tuple(sorted([*kept, *map(str, told.get("made", ()))]))
    failed = "; ".join(
        f"camera {each.get('camera')}, frame {each.get('frame')}: {each.get('error')}"
        for each in told.get("failed", ())
    )
    if ended.status == 0 and told and not failed:
        return SurveyReport(task.file, task.cameras, task.frames, "done", paths, len(kept))
    if ended.status is None:
        reason = f"not done after {task.timeout:g} s"
    elif ended.status == 0 and not told:
        reason = "the program ended without a report"
    else:
        reason = failed or f"exit status {ended.status}: {_end_of(ended.printed)}"
    return replace(_failed(task, reason), paths=paths, kept=len(kept))


def _failed(task: SurveyTask, reason: str) -> SurveyReport:
    error = f"{task.file}: {reason}"
    return SurveyReport(task.file, task.cameras, task.frames, "failed", error=error)


def _read(path: str) -> dict[str, Any]:
    """What a program reported, {} if nothing."""
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _end_of(printed: str) -> str:
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    return "\n".join(lines[-_LINES:]) or "it printed nothing"


def _variables(threads: int, needs_core: bool) -> dict[str, str]:
    """Environment variables of a program: its threads, and where the core is imported from."""
    variables = {"RAYPICK_THREADS": str(threads), "PYTHONUNBUFFERED": "1"}
    if needs_core:
        packages = str(Path(__file__).parents[(__package__ or "").count(".") + 1])
        there = os.environ.get("PYTHONPATH")
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, [packages, there]))
    return variables
