# SPDX-License-Identifier: GPL-3.0-or-later
"""Who writes an add-on has the types of the API, as docs/addons.md sets it up."""

import re
import subprocess
import sys
import zipfile

import pytest

from build_extension import build
from checkout import CACHE, ROOT

PAGE = (ROOT / "docs" / "addons.md").read_text(encoding="utf-8")
SETTINGS, *_ = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

ADD_ON = """
from __future__ import annotations

import bpy
from bl_ext.user_default.raypick import api


def heights(context: bpy.types.Context) -> list[float]:
    try:
        hits = api.ray_cast(context, (0, 0, 5), (0, 0, -1), all_hits=True, cull="back")
    except api.RaypickError as error:
        print(error)
        return []
    return [hit.point[2] for hit in hits]


def seen(context: bpy.types.Context) -> int:
    camera: api.Camera = api.render_camera(context)
    shot: api.SceneHits = api.survey(context, camera, columns=["face"])
    return int(shot["face"].max())


def mark(context: bpy.types.Context, hit: api.PickHit) -> api.landmarks.LandmarkRecord:
    near = api.closest_point(context, hit.point, only=hit.object)
    name: str = near.object if near else api.__version__
    return api.landmarks.add(context, hit, name)
"""

MISTAKES = {
    "(0, 0, 5), (0, 0, -1)": '(0, 0, 5), "down"',  # an argument of another type
    'cull="back"': 'cull="both"',  # not one of the choices
    "hit.point[2]": "hit.points[2]",  # no such attribute
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The folder of an add-on, with the unpacked zip where the page wants it."""
    folder = tmp_path_factory.mktemp("project")
    with zipfile.ZipFile(build()) as archive:
        archive.extractall(folder / "typings" / "bl_ext" / "user_default" / "raypick")
    (folder / "pyproject.toml").write_text(SETTINGS)
    return folder


def errors(project, text):
    """The lines of errors that mypy finds in an add-on, and the types that it gives."""
    (project / "heights.py").write_text(text)
    cache = CACHE / "mypy-of-an-add-on"
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "heights.py"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stderr
    return [line for line in run.stdout.splitlines() if ": error: " in line]


def test_an_add_on_without_mistakes_passes(project):
    assert errors(project, ADD_ON) == []


def test_three_mistakes_are_reported_as_three(project):
    text = ADD_ON
    for right, wrong in MISTAKES.items():
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    kinds = [re.search(r"\[([\w-]+)\]$", line)[1] for line in errors(project, text)]
    assert sorted(kinds) == ["arg-type", "arg-type", "attr-defined"]


def test_the_types_are_known_and_not_any(project):
    calls = ("api.ray_cast", "api.survey", "api.landmarks.add", "api.measures.values", "api.place")
    text = ADD_ON + "".join(f"\nreveal_type({call})" for call in calls)
    (project / "heights.py").write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "heights.py", "--cache-dir", CACHE / "mypy-of-an-add-on"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    revealed = re.findall(r'Revealed type is "(.*)"', run.stdout)
    assert len(revealed) == len(calls)
    assert all(each.startswith("def (") and "-> Any" not in each for each in revealed), revealed
