# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of a survey: how they are cut, run, reported, and done again where they were left.

A small program stands in for Blender, see :mod:`.stand_in`. What Blender makes of a task is tested
in ``tests/blender``.
"""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

import standalone_core as sc

from .helpers import wait_until

STAND_IN = Path(__file__).with_name("stand_in.py")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script of a shell")


@pytest.fixture
def blender(tmp_path):
    """Return the program that stands in for Blender."""
    program = tmp_path / "blender"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def shot(tmp_path):
    """Return what makes a file of orders for the stand-in."""

    def make(name="shot", **orders):
        path = tmp_path / f"{name}.blend"
        path.write_text(json.dumps({"log": str(tmp_path / "log"), **orders}))
        return path

    return make


def survey(blender, files, frames, out, cameras="Camera", **options):
    return sc.distributed.survey(files, cameras, frames, out, blender=blender, **options)


def runs(tmp_path):
    """The frames of each run of the stand-in so far."""
    path = tmp_path / "log"
    return [line.split()[1] for line in path.read_text().splitlines()] if path.exists() else []


def test_each_task_is_a_file_and_a_run_of_frames(tmp_path, dask, blender, shot):
    files = [shot("a"), shot("b")]
    plan = survey(blender, files, "1-5", tmp_path / "out", ["Left", "Right"], run=2)
    assert runs(tmp_path) == []
    reports = dask.compute(*plan)
    assert [(Path(r.file).stem, r.frames) for r in reports] == [
        (name, frames) for name in "ab" for frames in ("1-2", "3-4", "5")
    ]
    assert {(r.state, r.error, r.kept, r.cameras) for r in reports} == {
        ("done", "", 0, ("Left", "Right"))
    }
    wanted = {
        str(tmp_path / "out" / name / f"{camera}_{frame:04d}.npz")
        for name in "ab"
        for camera in ("Left", "Right")
        for frame in range(1, 6)
    }
    assert {path for report in reports for path in report.paths} == wanted
    assert {str(path) for path in (tmp_path / "out").rglob("*.*")} == wanted
    assert all(report.seconds > 0 for report in reports)


def test_what_is_asked_for_reaches_the_command(tmp_path, dask, blender, shot):
    plan = survey(blender, shot(), 7, tmp_path, None, passes=["id", "uv"], format="exr", threads=2)
    (report,) = dask.compute(*plan)
    assert report.paths == (str(tmp_path / "shot" / "Camera_0007.exr"),)
    assert Path(report.paths[0]).read_text() == "Camera 7 id,uv"
    assert report.as_dict()["frames"] == "7"


def test_a_bad_file_fails_alone_and_by_name(tmp_path, dask, blender, shot):
    files = [shot("good"), tmp_path / "missing.blend", shot("partly", bad_frames=[2])]
    good, missing, partly = dask.compute(*survey(blender, files, "1-3", tmp_path / "out"))
    assert (good.state, len(good.paths)) == ("done", 3)
    assert missing.state == partly.state == "failed"
    assert "missing.blend: exit status 1: Error: Cannot read file" in missing.error
    assert partly.error.endswith("partly.blend: camera Camera, frame 2: the frame is bad")
    assert [Path(path).stem for path in partly.paths] == ["Camera_0001", "Camera_0003"]


def test_a_program_that_crashes_fails_its_task_and_leaves_what_is_complete(
    tmp_path, dask, blender, shot
):
    plan = survey(blender, shot(dies_at=[2]), "1-3", tmp_path / "out")
    (report,) = dask.compute(*plan)
    assert report.state == "failed"
    assert f"exit status {128 + signal.SIGABRT}" in report.error
    shot()
    (again,) = dask.compute(*plan)
    assert (again.state, again.kept, len(again.paths)) == ("done", 2, 3)


def test_a_plan_made_again_is_done_again_though_a_cluster_holds_the_first_report(
    tmp_path, client, blender, shot
):
    file = shot(dies_at=[1])
    first = client.compute(survey(blender, file, 1, tmp_path / "out")[0])
    assert client.gather(first).state == "failed"
    shot()  # the file is mended
    again = client.compute(survey(blender, file, 1, tmp_path / "out")[0])
    assert client.gather(again).state == "done"
    assert len(runs(tmp_path)) == 2


def test_what_a_program_leaves_of_its_temporary_files_goes_with_its_task(
    tmp_path, monkeypatch, dask, blender, shot
):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (report,) = dask.compute(*survey(blender, shot(), 1, tmp_path / "out"))
    assert report.state == "done"
    assert list(folder.iterdir()) == []


def test_a_program_that_is_missing_is_an_error_in_the_report(tmp_path, dask, shot):
    (report,) = dask.compute(*survey(tmp_path / "no-blender", shot(), 1, tmp_path / "out"))
    assert report.state == "failed"
    assert "no-blender cannot be run" in report.error


def test_a_task_whose_time_is_up_fails_and_leaves_no_half_file(tmp_path, dask, blender, shot):
    plan = survey(blender, shot(seconds=50), 1, tmp_path / "out", timeout=3)
    (report,) = dask.compute(*plan)
    assert report.error.endswith("shot.blend: not done after 3 s")
    assert not list((tmp_path / "out").rglob("*.npz"))


def test_a_task_that_ends_without_a_report_is_not_done(tmp_path, dask, shot):
    (report,) = dask.compute(*survey("true", shot(), 1, tmp_path / "out"))
    assert report.error.endswith("ended without a report")


def test_a_killed_worker_takes_its_program_along_and_another_goes_on(
    tmp_path, client, blender, shot
):
    plan = survey(blender, shot(seconds=0.4), "1-24", tmp_path / "out", run=8)
    futures = client.compute(list(plan))
    wait_until(lambda: len(list((tmp_path / "out").rglob("*.npz"))) >= 4)
    pids = set(client.run(os.getpid).values())
    programs = [int(line.split()[0]) for line in (tmp_path / "log").read_text().splitlines()]
    busy = {worker for program in programs if (worker := worker_of(program)) in pids}
    os.kill(min(busy), signal.SIGKILL)
    reports = client.gather(futures)
    assert [report.state for report in reports] == ["done"] * 3
    assert sum(report.kept for report in reports) >= 1  # of what the dead worker had done
    assert sorted(path for report in reports for path in report.paths) == sorted(
        str(tmp_path / "out" / "shot" / f"Camera_{frame:04d}.npz") for frame in range(1, 25)
    )
    for frame in range(1, 25):
        path = tmp_path / "out" / "shot" / f"Camera_{frame:04d}.npz"
        assert path.read_text() == f"Camera {frame} None"
    assert len(runs(tmp_path)) == 4


def worker_of(program):
    """The process that started the guard of a program."""
    return parent(parent(program))


def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def test_bpy_is_run_in_the_python_of_the_worker():
    task = sc.distributed.SurveyTask("a.blend", "out", ("A", "B"), "-3--1", extension="ray.zip")
    module = "standalone_core.distributed.in_bpy"
    assert task.command(2, "report.json") == [
        *(sys.executable, "-m", module, "--extension", "ray.zip", "a.blend", "--"),
        *("survey", "--out", "out", "--resume", "--quiet", "--camera=A", "--camera=B"),
        *("--frames=-3--1", "--threads=2", "--json=report.json"),
    ]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"frames": "one"}, sc.errors.ArgumentError, "frames must be"),
        ({"run": 0}, sc.errors.ArgumentError, "run must be"),
        ({"run": None}, sc.errors.ArgumentError, "run must be 1 or more, not None"),
        ({"cameras": 5}, sc.errors.DtypeError, "cameras must be a list, not an int"),
        ({"cameras": ["A", 5]}, sc.errors.DtypeError, "cameras 1 must be a str, not an int"),
        ({"passes": 5}, sc.errors.DtypeError, "passes must be a list, not an int"),
        ({"options": "--samples"}, sc.errors.DtypeError, "options must be a list, not a str"),
        ({"timeout": "x"}, sc.errors.DtypeError, "timeout must be"),
        ({"timeout": -1}, sc.errors.ArgumentError, "timeout must be more than 0"),
        ({"timeout": float("inf")}, sc.errors.ArgumentError, "at most 2,000,000 seconds"),
        ({"format": "png"}, sc.errors.ArgumentError, "format must be"),
        ({"threads": 0}, sc.errors.ArgumentError, "threads must be"),
        ({"blend_files": 3}, sc.errors.DtypeError, "blend_files"),
        ({"blend_files": ["a/x.blend", "b/X.blend"]}, sc.errors.ArgumentError, "share a folder"),
        ({"blend_files": ["a.blend"] * 2}, sc.errors.ArgumentError, "share a folder"),
        ({"extension": "a.zip", "blender": "b"}, sc.errors.ArgumentError, "extension is for bpy"),
        ({"out": ""}, sc.errors.ArgumentError, "a path is empty"),
    ],
)
def test_bad_arguments_are_refused_when_a_survey_is_planned(dask, change, error, message):
    given = {"blend_files": "a.blend", "cameras": None, "frames": "1-3", "out": "out", **change}
    with pytest.raises(error, match=message):
        sc.distributed.survey(**given)
