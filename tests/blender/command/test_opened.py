# SPDX-License-Identifier: GPL-3.0-or-later
"""What results are made from is as it was when it was loaded, or no run resumes them."""

import itertools
import json
import os
import shutil
import time

import bpy
import pytest
from bpy.app.handlers import persistent

from tests.blender.command.conftest import arrays, saved
from tests.blender.command.test_named_files import SURVEY, check_refused, reopened, square


def saved_elsewhere(path):
    """Save a file anew, as another program does: beside it, and moved into place."""
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    os.replace(copy, path)


def test_a_file_that_was_saved_after_it_was_loaded_is_not_resumed(animated, rays, type_in):
    saved_elsewhere(animated)
    said = "--resume cannot tell what was read: "
    for command in (SURVEY, ("cast", "--rays", "rays.npz", "--out", "h.npz")):
        ran = type_in(*command, "--resume")
        check_refused(ran, f"{said}{animated} has changed since it was loaded")
    ran = type_in(*SURVEY)
    assert (ran.code, len(ran.json["made"])) == (0, 1)
    assert f"{animated} has changed since it was loaded: no run will resume these" in ran.err
    reopened(animated)
    assert [len(type_in(*SURVEY, "--resume").json["made"]) for _ in range(2)] == [1, 0]


@pytest.mark.parametrize("moment", ["load_pre", "load_post"])
def test_a_file_that_is_saved_while_it_is_loaded_is_not_resumed(animated, type_in, moment):
    handlers = getattr(bpy.app.handlers, moment)

    @persistent
    def save(*_):
        saved_elsewhere(animated)

    handlers.append(save)
    try:
        reopened(animated)
    finally:
        if save in handlers:
            handlers.remove(save)
    check_refused(type_in(*SURVEY, "--resume"), "animated.blend has changed since it was loaded")


def test_a_file_that_the_program_itself_saved_is_what_was_loaded(animated, type_in, tmp_path):
    bpy.data.objects["Suzanne"].location.x = 1.0
    bpy.ops.wm.save_as_mainfile(filepath=os.fspath(tmp_path / "copy.blend"), copy=True)
    bpy.ops.wm.save_mainfile()
    assert [len(type_in(*SURVEY, "--resume").json["made"]) for _ in range(2)] == [1, 0]
    bpy.ops.wm.save_as_mainfile(filepath=os.fspath(tmp_path / "other.blend"))
    assert [len(type_in(*SURVEY, "--resume").json["made"]) for _ in range(2)] == [1, 0]
    with pytest.raises(RuntimeError):  # what is open stays
        bpy.ops.wm.open_mainfile(filepath=os.fspath(tmp_path / "none.blend"))
    assert type_in(*SURVEY, "--resume").json["made"] == []


def test_a_file_that_was_open_before_the_extension_was_enabled_is_not_resumed(
    animated, type_in, module
):
    module("opened").unwatch()
    module("opened").watch()
    check_refused(type_in(*SURVEY, "--resume"), "was opened before Raypick was enabled")
    reopened(animated)
    assert type_in(*SURVEY, "--resume").code == 0


def test_a_file_that_changes_while_the_run_goes_on_ends_it(animated, type_in, module, monkeypatch):
    survey, count = module("survey").api.survey, itertools.count()

    def cast(*given, **options):
        if next(count) == 1:
            saved_elsewhere(animated)
        return survey(*given, **options)

    command = *SURVEY, "--frames", "1-4"
    with monkeypatch.context() as patched:
        patched.setattr(module("survey").api, "survey", cast)
        ran = type_in(*command, "--resume")
        assert ran.code == 1
        assert [len(ran.json[key]) for key in ("made", "failed", "kept")] == [1, 1, 0]
        assert f"{animated} has changed since it was loaded" in ran.json["failed"][0]["error"]
        assert os.listdir("s") == ["Camera_0001.npz"]
    reopened(animated)
    ran = type_in(*command, "--resume")
    assert [len(ran.json[key]) for key in ("made", "failed", "kept")] == [3, 0, 1]


def test_a_run_that_need_not_be_resumed_goes_on_and_keeps_no_wrong_digest(
    animated, rays, type_in, module, monkeypatch
):
    for name in ("survey", "cast_rays"):
        query = getattr(module("survey").api, name)

        def cast(*given, query=query, **options):
            saved_elsewhere(animated)
            return query(*given, **options)

        monkeypatch.setattr(module("survey").api, name, cast)
    assert len(type_in(*SURVEY, "--frames", "1-2").json["made"]) == 2
    reopened(animated)
    assert type_in("cast", "--rays", "rays.npz", "--out", "h.npz").code == 0
    for path in ("s/Camera_0001.npz", "s/Camera_0002.npz", "h.npz"):
        assert json.loads(str(arrays(path)["meta"]))["question"]["files"] == []


@pytest.mark.parametrize("change", ["content", "time", "new member"])
def test_another_file_that_changed_after_it_was_loaded_is_not_resumed(
    raypick, type_in, tmp_path, change
):
    square().modifiers.new("Ocean", "OCEAN").filepath = "//sea"
    (tmp_path / "sea").mkdir()
    path = tmp_path / "sea" / "disp_0001.exr"
    path.write_bytes(b"one")
    saved(tmp_path / "a.blend")
    time.sleep(0.02)  # a tick of the clock of files
    if change == "content":
        path.write_bytes(b"two")
    elif change == "time":
        os.utime(path)
    else:
        path = tmp_path / "sea" / "disp_0002.exr"
        path.write_bytes(b"new")
    check_refused(type_in(*SURVEY, "--resume"), f"{path} has changed since a.blend was loaded")


def test_rays_that_change_while_they_are_read_are_not_cast(
    animated, rays, type_in, module, monkeypatch
):
    read = module("cast").read_rays

    def read_rays(path):
        found = read(path)
        saved_elsewhere(path)
        return found

    monkeypatch.setattr(module("cast"), "read_rays", read_rays)
    ran = type_in("cast", "--rays", rays[0], "--out", "h.npz")
    check_refused(ran, "rays.npz changes while it is read")
