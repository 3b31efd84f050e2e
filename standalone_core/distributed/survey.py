# SPDX-License-Identifier: MIT
"""Surveys of Blender files by Blender in the background, by any scheduler of Dask."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .. import arguments
from ..concurrency.threads import ThreadLimit
from ..errors import ArgumentError
from ..files import whole_file
from ..frame_ranges import frames_of, runs
from ..numerics.reading import iterable
from .target import chosen
from .workers import dask, threads_here

_GUARD = Path(__file__).with_name("guard.py")
# The folder that the core is imported from.
_PACKAGES = str(Path(__file__).parents[(__package__ or "").count(".") + 1])
_LINES = 12  # of a failed program's output that a report keeps
_LONGEST = 2_000_000  # seconds that a system can wait: it counts milliseconds in 32 bits

FilePath = str | os.PathLike[str]


def survey(
    blend_files: FilePath | Iterable[FilePath],
    cameras: str | Sequence[str] | None,
    frames: str | int | Iterable[int] | None,
    out: FilePath,
    *,
    passes: str | Sequence[str] | None = None,
    run: int = 10,
    format: str = "npz",
    blender: FilePath | None = None,
    extension: FilePath | None = None,
    options: Sequence[str] = (),
    threads: int | None = None,
    timeout: float | None = None,
) -> tuple[Any, ...]:
    """Plan surveys of Blender files: what their cameras see at each pixel of each frame.

    Each task is one file, all its cameras and a run of frames. A worker has Blender open the file
    and run ``raypick survey --resume`` there. No script of a file is run. The results are files,
    ``OUT/FILE/CAMERA_FRAME.npz``. Each is moved into place when it is complete, and a complete one
    is not made again: a task that is retried goes on where it stopped.

    Parameters
    ----------
    blend_files : path-like, or several
        As all workers can read them. Each needs a name of its own, for the folder of its results.
    cameras : str, sequence of str, or None
        Names of camera objects, which all files have; None for the camera of the scene.
    frames : str, int, iterable of int, or None
        "1-240", "1,5,10-20", "1-240x5"; None for the frame that a file was saved at.
    out : path-like
        A folder that all workers can write to; one for each file is made in it.
    passes : str or sequence of str, optional
        What is written of each hit, as the command takes it: "id,face,weights,uv,depth".
    run : int
        How many frames a task surveys. Each task opens its file once.
    format : {"npz", "exr"}
    blender : path-like, optional
        The Blender program on the workers, which has the extension. By default Blender is the
        module bpy in the Python of the workers.
    extension : path-like, optional
        The zip of the extension for bpy, as workers can read it. By default the one that the
        user of the worker has installed. A Blender program uses the one installed in it.
    options : sequence of str
        Further arguments of the command.
    threads : int, optional
        How many threads a task may use; by default its share of those of its worker.
    timeout : float, optional
        Seconds after which a task is ended, as failed.

    Returns
    -------
    tuple of dask.delayed.Delayed
        One for each task, by file and then by frame. Each computes a :class:`SurveyReport`. If a
        file fails, its reports say so, and the others go on. Each plan has tasks of its own: a
        cluster that still holds the reports of an earlier plan runs the new one anyway.

    Raises
    ------
    MissingPackageError
        If Dask is not installed.
    RaypickError
        For bad arguments. The reports tell whether files and cameras are there.

    Examples
    --------
    >>> import standalone_core as sc
    >>> plan = sc.distributed.survey(["a.blend", "b.blend"], "Camera", "1-25", "shots", run=10)
    >>> len(plan)
    6

    ``reports = dask.compute(*plan)`` runs it, and ``pandas.DataFrame(r.as_dict() for r in
    reports)`` is a table of the reports.
    """
    delayed = dask("delayed").delayed
    words = [f"--format={chosen(format, ('npz', 'exr'), 'format')}"]
    if passes is not None:
        words.append(f"--passes={','.join(_texts(passes, 'passes'))}")
    shared: dict[str, Any] = {
        "options": (*words, *map(str, iterable(options, "options"))),
        "blender": None if blender is None else whole_file.path_of(blender),
        "extension": None if extension is None else whole_file.path_of(extension),
        "threads": threads,
        "timeout": None if timeout is None else _seconds(timeout),
    }
    ThreadLimit(threads)  # raises if it is no number of threads
    if blender is not None and extension is not None:
        raise ArgumentError(
            "extension is for bpy: a Blender program uses the extension that is installed in it"
        )
    one = isinstance(blend_files, (str, os.PathLike))
    several = [blend_files] if one else iterable(blend_files, "blend_files")
    files = [whole_file.path_of(each) for each in several]
    if run is None:
        raise ArgumentError("run must be 1 or more, not None")
    length = arguments.most(run, "run") or 1
    names = () if cameras is None else _texts(cameras, "cameras")
    parts = [""] if frames is None else runs(frames_of(frames), length)
    folders = _folders(files, os.path.abspath(whole_file.path_of(out)))
    tasks = [
        SurveyTask(os.path.abspath(file), folder, names, part, **shared)
        for file, folder in zip(files, folders, strict=True)
        for part in parts
    ]
    # A task writes files, so Dask must not answer it by an older report: each plan has new keys.
    do, plan = delayed(run_task), secrets.token_hex(16)
    return tuple(
        do(task, dask_key_name=f"raypick-survey-{plan}-{number}")
        for number, task in enumerate(tasks)
    )


def _seconds(timeout: Any) -> float:
    seconds = arguments.number(timeout, "timeout")
    if not 0.0 < seconds <= _LONGEST:
        raise ArgumentError(
            f"timeout must be more than 0 and at most {_LONGEST:,} seconds, not {seconds:g}"
        )
    return seconds


def _folders(files: list[str], out: str) -> list[str]:
    """The folder of each file's results; ArgumentError if two would have the same."""
    stems = [os.path.splitext(os.path.basename(file))[0] for file in files]
    known: dict[str, str] = {}
    for stem, file in zip(stems, files, strict=True):
        if (key := stem.casefold()) in known:
            raise ArgumentError(
                f"{known[key]!r} and {file!r} would share a folder: survey them apart"
            )
        known[key] = file
    return [os.path.join(out, stem) for stem in stems]


def _texts(given: Any, name: str) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else iterable(given, name)
    return tuple(arguments.instance_of(each, str, f"{name} {i}") for i, each in enumerate(texts))


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
        As the command takes them, "1-10"; "" for the frame that the file was saved at.
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
        """The arguments of the command, without the number of threads."""
        words = ["survey", "--out", self.out, "--resume", "--quiet"]
        words += [f"--camera={name}" for name in self.cameras]
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
    """The result of one task of a survey.

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


def run_task(task: SurveyTask) -> SurveyReport:
    """Do a task. Its report tells what fails; nothing is raised."""
    start = time.monotonic()
    made, kept = [], []
    try:
        with (
            tempfile.TemporaryDirectory(prefix="raypick-") as scratch,
            threads_here(task.threads) as threads,
        ):
            path = os.path.join(scratch, "report.json")
            # Temporary files that a killed program leaves are removed with the folder.
            variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch)
            variables |= {"RAYPICK_THREADS": str(threads), "PYTHONUNBUFFERED": "1"}
            if task.blender is None:
                paths = filter(None, [_PACKAGES, os.environ.get("PYTHONPATH")])
                variables["PYTHONPATH"] = os.pathsep.join(paths)
            ended = run_program(task.command(threads, path), variables, task.timeout)
            told = _read(path)
        made, kept = ([str(path) for path in told.get(name, ())] for name in ("made", "kept"))
        reason = _failure(ended, told, task.timeout)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    return SurveyReport(
        task.file,
        task.cameras,
        task.frames,
        "failed" if reason else "done",
        tuple(sorted([*kept, *made])),
        len(kept),
        f"{task.file}: {reason}" if reason else "",
        time.monotonic() - start,
    )


def _failure(ended: Ended, told: dict[str, Any], timeout: float | None) -> str:
    """Why a program has not done all its work, "" if it has."""
    failed = "; ".join(
        f"camera {each.get('camera')}, frame {each.get('frame')}: {each.get('error')}"
        for each in told.get("failed", ())
    )
    if ended.status is None:
        return f"not done after {timeout:g} s"
    if ended.status == 0 and not told:
        return "the program ended without a report"
    if ended.status == 0:
        return failed
    lines = [line.rstrip() for line in ended.printed.splitlines() if line.strip()]
    printed = "\n".join(lines[-_LINES:]) or "it printed nothing"
    return failed or f"exit status {ended.status}: {printed}"


def _read(path: str) -> dict[str, Any]:
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


class Ended(NamedTuple):
    """How a program ended: its exit status, None if its time was up, and all that it printed."""

    status: int | None
    printed: str


def run_program(
    command: Sequence[str], variables: Mapping[str, str], timeout: float | None = None
) -> Ended:
    """Run a program to its end, or until its time (in seconds) is up."""
    process = subprocess.Popen(
        [sys.executable, "-I", str(_GUARD), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **variables},
        start_new_session=True,
    )
    # The guard ends the program once this is closed, so communicate() must not close it.
    held: Any = process.stdin
    process.stdin = None
    with held:
        try:
            printed, _ = process.communicate(timeout=timeout)
            return Ended(process.returncode, printed.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            held.close()
            printed, _ = process.communicate()
            return Ended(None, printed.decode(errors="replace"))
