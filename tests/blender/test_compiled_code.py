# SPDX-License-Identifier: GPL-3.0-or-later
"""Why there is no compiled code, told so that somebody in Blender can do something about it."""

import importlib
import shutil
import sys
import sysconfig

import bpy
import pytest
from bl_pkg.cli.blender_ext import platform_from_this_system

from build_extension import zip_name
from wheels import TARGETS

from .conftest import PACKAGE

# What sysconfig.get_platform() returns in each Blender that a zip is for, and in some others.
SYSTEMS = {
    "linux-x86_64": "linux-x64",
    "linux-aarch64": "linux-arm64",
    "macosx-11.00-arm64": "macos-arm64",
    "macosx-10.15-x86_64": "macos-x64",
    "win-amd64": "windows-x64",
    "win-arm64": "windows-arm64",
    "freebsd-14.1-amd64": "freebsd-x64",
}


@pytest.fixture
def compiled_code(raypick):
    """Return the module that says why."""
    return importlib.import_module(f"{PACKAGE}.compiled_code")


@pytest.fixture
def engine(raypick):
    """Return the preferences, whose engine is the default one again afterwards."""
    preferences = bpy.context.preferences.addons[PACKAGE].preferences
    yield preferences
    preferences.engine = "AUTO"


def test_each_zip_is_named_where_it_is_needed_and_nowhere_else(compiled_code, monkeypatch):
    named = set()
    for system, by_blender in SYSTEMS.items():
        monkeypatch.setattr(sysconfig, "get_platform", lambda system=system: system)
        for minor in range(11, 16):
            monkeypatch.setattr(sys, "version_info", (3, minor, 0))
            target = TARGETS.get(f"{by_blender}-py3{minor}")
            why = compiled_code.why_missing()
            if target is None:
                none = f"No zip of Raypick has compiled code for Python 3.{minor} on {by_blender}"
                assert why == none
            else:
                assert why.endswith(f"the larger zip {zip_name(target)}")
                named.add(target)
    assert named == {*TARGETS.values()}


def test_the_platform_is_named_as_blender_names_it(compiled_code):
    assert compiled_code.this_platform() == platform_from_this_system()


@pytest.mark.parametrize(("minor", "words"), [(0, "install its zip again"), (1, "larger zip")])
def test_wheels_that_blender_has_not_installed_are_told(
    compiled_code, monkeypatch, tmp_path, minor, words
):
    """Those for another Python are of another zip: to install that again would not help."""
    python = f"cp3{sys.version_info.minor + minor}"
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / f"numba-0.68.1-{python}-{python}-win_amd64.whl").touch()
    shutil.copy(compiled_code._FOLDER / "compiled_zips.toml", tmp_path)
    monkeypatch.setattr(compiled_code, "_FOLDER", tmp_path)
    monkeypatch.setattr(compiled_code, "this_platform", lambda: "windows-x64")
    assert words in compiled_code.why_missing()


def test_a_failure_is_told_in_one_line(compiled_code, monkeypatch):
    state = compiled_code.compiled.State("failed", "ImportError: no processor\n----\nread this")
    monkeypatch.setattr(compiled_code.compiled, "state", lambda: state)
    expected = "Compiled code fails here, and NumPy answers: ImportError: no processor"
    assert compiled_code.why_not() == expected
    ready = compiled_code.compiled.State("ready")
    monkeypatch.setattr(compiled_code.compiled, "state", lambda: ready)
    assert compiled_code.why_not() is None


def test_nobody_in_blender_is_sent_to_pip(raypick, compiled_code, engine):
    why = compiled_code.why_not()
    assert compiled_code.compiled.state().reason == why
    bpy.ops.mesh.primitive_cube_add()
    engine.engine = "NUMBA"
    with pytest.raises(raypick.api.RaypickError) as error:
        raypick.api.ray_cast(bpy.context, (0, 0, 5), (0, 0, -1))
    assert str(error.value).endswith(why)
    assert "pip" not in str(error.value)
