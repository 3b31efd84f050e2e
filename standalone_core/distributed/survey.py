# SPDX-License-Identifier: MIT
"""Surveys of Blender files by Blenders without a window, on whatever Dask runs on."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from .. import arguments
from ..concurrency.threads import ThreadLimit
from ..errors import ArgumentError
from ..files import whole_file
from ..frame_ranges import frames_of, runs
from ..numerics.reading import iterable
from . import survey_task
from .packages import dask_delayed
from .survey_task import SurveyTask
from .target import chosen

# Seconds that a system can wait: it counts the milliseconds in 32 bits.
_LONGEST = 2_000_000

Path = str | os.PathLike[str]


def survey(
    blend_files: Path | Iterable[Path],
    cameras: str | Sequence[str] | None,
    frames: str | int | Iterable[int] | None,
    out: Path,
    *,
    passes: str | Sequence[str] | None = None,
    run: int = 10,
    format: str = "npz",
    blender: Path | None = None,
    extension: Path | None = None,
    options: Sequence[str] = (),
    threads: int | None = None,
    timeout: float | None = None,
) -> tuple[Any, ...]:
    """Plan surveys of Blender files: what their cameras see at each pixel of each frame.

    Each task is one file, all its cameras and a run of frames. A worker has Blender open the file
    and run ``raypick survey --resume`` there. No script of a file is run. The results are files,
    ``OUT/FILE/CAMERA_FRAME.npz``; each is moved into place when it is complete, and what is
    complete is not made again. So a task that is retried goes on where it was.

    Parameters
    ----------
    blend_files : path-like, or several
        As all workers can read them. Each needs a name of its own, which its results' folder has.
    cameras : str, sequence of str, or None
        Names of camera objects, which all files have; None for the camera of the scene.
    frames : str, int, iterable of int, or None
        "1-240", "1,5,10-20", "1-240x5"; None for the frame that a file was saved at.
    out : path-like
        A folder that all workers can write to; one for each file is made in it.
    passes : str or sequence of str, optional
        What is written of each hit, as the command has it: "id,face,weights,uv,depth".
    run : int
        How many frames a task makes. Each opens its file once.
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
        One for each task, by file and then by frame. Computed, each is a :class:`SurveyReport`.
        A file that fails is told there, by name; the others go on. Each plan has tasks of its own:
        a cluster that still holds the reports of one does the next all the same.

    Raises
    ------
    MissingPackageError
        If Dask is not installed.
    RaypickError
        For bad arguments. Whether files and cameras are there is told by the reports.

    Examples
    --------
    >>> import standalone_core as sc
    >>> plan = sc.distributed.survey(["a.blend", "b.blend"], "Camera", "1-25", "shots", run=10)
    >>> len(plan)
    6

    ``reports = dask.compute(*plan)`` does it, and ``pandas.DataFrame(r.as_dict() for r in
    reports)`` is the table of what was done.
    """
    delayed = dask_delayed()
    tasks = survey_tasks(
        blend_files,
        cameras,
        frames,
        out,
        run=run,
        options=(*_words(passes, format), *map(str, iterable(options, "options"))),
        blender=_path(blender),
        extension=_path(extension),
        threads=threads,
        timeout=_seconds(timeout),
    )
    # A task makes files, so that no other plan's report may stand in for it: keys are new.
    do, plan = delayed(survey_task.run), secrets.token_hex(16)
    return tuple(
        do(task, dask_key_name=f"raypick-survey-{plan}-{number}")
        for number, task in enumerate(tasks)
    )


def survey_tasks(
    blend_files: Any, cameras: Any, frames: Any, out: Path, *, run: int, **shared: Any
) -> list[SurveyTask]:
    """The tasks of a survey, by file and then by frame."""
    with ThreadLimit(shared["threads"]):  # an error, if it is no number of threads
        pass
    if shared["blender"] and shared["extension"]:
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
    return [
        SurveyTask(os.path.abspath(file), folder, names, part, **shared)
        for file, folder in zip(files, folders, strict=True)
        for part in parts
    ]


def _folders(files: list[str], out: str) -> list[str]:
    """A folder for each file."""
    stems = [os.path.splitext(os.path.basename(file))[0] for file in files]
    known: dict[str, str] = {}
    for stem, file in zip(stems, files, strict=True):
        if (key := stem.casefold()) in known:
            raise ArgumentError(
                f"{known[key]!r} and {file!r} would share a folder: survey them apart"
            )
        known[key] = file
    return [os.path.join(out, stem) for stem in stems]


def _words(passes: Any, format: str) -> list[str]:
    """These options as words of the command."""
    words = [f"--format={chosen(format, ('npz', 'exr'), 'format')}"]
    if passes is not None:
        words.append(f"--passes={','.join(_texts(passes, 'passes'))}")
    return words


def _texts(given: Any, name: str) -> tuple[str, ...]:
    """One text or several."""
    texts = [given] if isinstance(given, str) else iterable(given, name)
    return tuple(arguments.instance_of(each, str, f"{name} {i}") for i, each in enumerate(texts))


def _seconds(given: Any) -> float | None:
    if given is None:
        return None
    seconds = arguments.number(given, "timeout")
    if not 0.0 < seconds <= _LONGEST:
        raise ArgumentError(
            f"timeout must be more than 0 and at most {_LONGEST:,} seconds, not {seconds:g}"
        )
    return seconds


def _path(given: Path | None) -> str | None:
    return None if given is None else whole_file.path_of(given)
