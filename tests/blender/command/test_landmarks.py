# SPDX-License-Identifier: GPL-3.0-or-later
"""``landmarks``: listed, in files of other tools, and over frames."""

import csv
import json
import os
import re
import shutil

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import saved
from tests.blender.heads import animate, head, mark
from tests.blender.scenes import suzanne


@pytest.fixture(scope="module")
def heads_file(raypick, tmp_path_factory):
    """Save a file with an animated head with landmarks, and another one."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = head()
    animate(obj)
    mark(raypick, obj)
    other = suzanne()
    other.name = "Other/head"
    other.location.x = 20
    bpy.context.view_layer.update()
    mark(raypick, other, count=3, set="Few")
    return saved(tmp_path_factory.mktemp("heads") / "heads.blend")


@pytest.fixture
def two_heads(heads_file, tmp_path):
    """Open a copy of that file."""
    path = tmp_path / "heads.blend"
    shutil.copyfile(heads_file, path)
    bpy.ops.wm.open_mainfile(filepath=os.fspath(path))
    return path


def test_all_are_listed_for_people_and_for_programs(two_heads, type_in):
    ran = type_in("landmarks", "--list")
    assert ran.code == 0
    assert [line.split(":")[0] for line in ran.out.splitlines()] == [
        "Head, Face",
        "Other/head, Few",
    ]
    ran = type_in("landmarks", "--list", "--json")
    sizes = {
        each["object"]: {name: len(names) for name, names in each["sets"].items()}
        for each in ran.json["landmarks"]
    }
    assert sizes == {"Head": {"Face": 12}, "Other/head": {"Few": 3}}
    ran = type_in("landmarks", "--list", "--json", "--object", "Head")
    assert [each["object"] for each in ran.json["landmarks"]] == ["Head"]


def test_an_export_is_that_of_the_api_at_each_frame(raypick, two_heads, type_in, tmp_path):
    pattern = "out/{object}_{frame}.mrk.json"
    ran = type_in("landmarks", "--export", pattern, "--frames", "1,10,20", "--json")
    assert (ran.code, len(ran.json["made"])) == (0, 6)
    assert len(os.listdir(tmp_path / "out")) == 6
    written = []
    for frame in (1, 10, 20):
        bpy.context.scene.frame_set(frame)
        raypick.api.landmarks.export(bpy.context, "Head", tmp_path / "one.mrk.json")
        written.append((tmp_path / f"out/Head_{frame:04d}.mrk.json").read_bytes())
        assert written[-1] == (tmp_path / "one.mrk.json").read_bytes()
    assert len({*written}) == 3


def test_options_of_files_reach_them(raypick, two_heads, type_in, tmp_path):
    options = "--object", "Head", "--unit", "mm", "--axes", "Y_UP", "--columns", "name,position"
    assert type_in("landmarks", "--export", "head.csv", *options).code == 0
    with open("head.csv", newline="") as file:
        rows = list(csv.reader(file))
    points = np.array([[float(part) for part in row[1:4]] for row in rows[1:]])
    expected = raypick.api.landmarks.points(bpy.context, "Head") * 1000.0
    assert np.allclose(points, expected[:, [0, 2, 1]] * [1, 1, -1], rtol=1e-12)
    options = "--object", "Head", "--layout", "smplx", "--mesh", "original"
    assert type_in("landmarks", "--export", "head.npz", *options).code == 0
    with np.load("head.npz", allow_pickle=False) as found:
        assert found["lmk_faces_idx"].shape[-1] == 12


def test_a_track_has_the_points_of_all_frames(raypick, two_heads, type_in):
    ran = type_in("landmarks", "--track", "track.npz", "--frames", "1-20", "--json")
    assert (ran.code, ran.json["frames"], ran.json["landmarks"]) == (0, 20, 15)
    with np.load("track.npz", allow_pickle=False) as found:
        found = dict(found)
    head = raypick.api.landmarks.points(bpy.context, "Head", frames=range(1, 21))
    assert found["point"][:, :12].tobytes() == head.tobytes()
    assert np.ptp(head, axis=0).max() > 0.01
    assert found["frame"][:, 0].tolist() == [*range(1, 21)]
    assert found["object_names"].tolist() == ["Head", "Other/head"]
    names = found["landmark_names"][found["landmark"][0]].tolist()
    records = raypick.api.landmarks.of("Head") + raypick.api.landmarks.of("Other/head")
    assert names == [record.name for record in records]


def test_a_track_that_is_asked_to_end_leaves_no_file(two_heads, type_in, module, monkeypatch):
    checks = iter([None, None])
    interruption = module("talk").Interruption

    def check(_self):
        if next(checks, "end") == "end":
            raise KeyboardInterrupt

    monkeypatch.setattr(interruption, "check", check)
    assert type_in("landmarks", "--track", "track.npz", "--frames", "1-20").code == 130
    assert not os.path.exists("track.npz")


def test_no_export_replaces_the_report(two_heads, type_in, tmp_path):
    pattern = "{object}.mrk.json", "--json", "Head.mrk.json"
    ran = type_in("landmarks", "--export", *pattern)
    assert ran.code == 1
    assert "Head.mrk.json would replace --json" in ran.err
    assert not (tmp_path / "Head.mrk.json").exists()


def test_exports_that_cannot_be_written_are_told_before_any_is(two_heads, type_in, tmp_path):
    for pattern, said in (
        ("a/{object}/../b.csv", "the same name"),
        ("heads.blend/{object}.csv", "heads"),
    ):
        ran = type_in("landmarks", "--export", pattern, "--format", "csv")
        assert (ran.code, len(ran.err.splitlines())) == (1, 1)
        assert said in ran.err
    (tmp_path / "out").mkdir()
    type_in("landmarks", "--export", "out/{object}.csv")
    (other,) = (path for path in (tmp_path / "out").iterdir() if "Other" in path.name)
    for path in [*(tmp_path / "out").iterdir()]:
        path.unlink()
    other.mkdir()
    ran = type_in("landmarks", "--export", "out/{object}.csv")
    assert ran.code == 1
    assert f"{other.name}: Is a directory" in ran.err
    assert os.listdir("out") == [other.name]


def test_several_objects_or_frames_need_names_in_the_path(two_heads, type_in):
    ran = type_in("landmarks", "--export", "all.mrk.json")
    assert ran.code == 1
    assert "{object}" in ran.err
    ran = type_in("landmarks", "--export", "{object}.mrk.json", "--frames", "1-3")
    assert ran.code == 1
    assert os.listdir(".") == ["heads.blend"]
    assert type_in("landmarks", "--export", "one.mrk.json", "--object", "Head").code == 0


def test_what_a_format_cannot_hold_fails_by_name_and_the_rest_is_written(two_heads, type_in):
    obj = bpy.data.objects["Other/head"]
    obj["raypick_landmarks"] = "{"
    ran = type_in("landmarks", "--export", "{object}.mrk.json", "--json")
    assert ran.code == 1
    assert [each["object"] for each in ran.json["failed"]] == ["Other/head"]
    assert "Other/head, frame 1: " in ran.err
    assert sorted(os.listdir(".")) == ["Head.mrk.json", "heads.blend"]
    assert type_in("landmarks", "--list").code == 1


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ([], 2, "--export"),
        (["--list", "--export", "a.csv"], 2, "not allowed"),
        (["--export", "a.xyz"], 2, "a.xyz"),
        (["--track", "a.txt"], 2, "a.txt"),
        (["--export", "a.csv", "--object", "Nope"], 1, "Nope"),
        (["--export", "a.csv", "--object", "Head", "--set", "Nope"], 1, "Nope"),
        (["--export", "a.csv", "--object", "Head", "--unit", "mile"], 2, "mile"),
        (["--export", "a.npz", "--object", "Head", "--layout", "other"], 1, "other"),
        (["--export", "a.csv", "--offset", "1,2"], 2, "three numbers"),
        (["--import", "a.csv", "--object", "Head"], 2, "--out"),
        (["--import", "a.csv", "--out", "b.blend"], 2, "--object"),
        (["--import", "a.csv", "--object", "Head", "--out", "b.csv"], 2, "must end in .blend"),
        (["--import", "a.csv", "--object", "Head", "--out", "b.blend"], 1, "is no file"),
        (["--export", "a.csv", "--out", "b.blend"], 2, "--import"),
    ],
)
def test_wrong_usage_says_what_is_wrong(two_heads, type_in, options, code, said):
    ran = type_in("landmarks", *options)
    assert ran.code == code
    assert said in ran.err


def test_a_file_without_landmarks_has_none_to_list_and_none_to_write(animated, type_in):
    ran = type_in("landmarks", "--list", "--json")
    assert (ran.code, ran.json["landmarks"]) == (0, [])
    assert type_in("landmarks", "--export", "a.csv").code == 1


def test_an_export_says_its_unit_and_axes(two_heads, type_in):
    ran = type_in("landmarks", "--export", "{object}.mrk.json", "--json")
    assert [(each["unit"], each["axes"]) for each in ran.json["made"]] == [("mm", "LPS")] * 2
    assert "15 landmarks in mm, LPS" in type_in("landmarks", "--export", "{object}.pp.mrk.json").err
    assert "in scene units, Z_UP" in type_in("landmarks", "--export", "{object}.pts").err
    assert "landmarks\n" in type_in("landmarks", "--export", "{object}.npz").err


def test_an_import_is_saved_beside_and_says_how_it_was_read(raypick, two_heads, type_in, tmp_path):
    there = raypick.api.landmarks.points(bpy.context, "Head")
    shift = np.array([451000.0, 5410000.0, 300.0])
    rows = "".join(f"{x!r},{y!r},{z!r}\n" for x, y, z in (1000 * there + shift).tolist())
    (tmp_path / "scan.asc").write_text(rows)
    given = "landmarks", "--import", "scan.asc", "--object", "Head", "--out", "marked.blend"
    ran = type_in(*given)
    assert (ran.code, os.path.exists("marked.blend")) == (1, False)
    assert "do not fit 'Head'" in ran.err
    ways = re.search(r"They fit with (--unit=mm --offset=.*); --far takes them", ran.err)[1]
    ran = type_in(*given, "--offset", "451000,5410000,300", "--json")
    assert "12 landmarks in mm, Z_UP, moved by at most" in ran.err
    (read,) = ran.json["read"]
    assert (read["unit"], read["axes"], read["landmarks"]) == ("mm", "Z_UP", 12)
    assert read["moved"] < 1e-5
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "marked.blend"))
    points = raypick.api.landmarks.points(bpy.context, "Head", "scan")
    assert points == pytest.approx(there, abs=1e-5)
    assert type_in(*given[:-1], "fit.blend", *ways.split(" | ")[0].split()).code == 0


def test_json_may_go_to_a_file(two_heads, type_in):
    ran = type_in("landmarks", "--list", "--json", "told.json")
    assert (ran.code, ran.out) == (0, "")
    with open("told.json", encoding="utf-8") as file:
        assert len(json.load(file)["landmarks"]) == 2
