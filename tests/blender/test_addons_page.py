# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/addons.md says: how Raypick is found, two versions of a wheel, the public names."""

import json
import os
import re
import subprocess
import sys
import types
import zipfile

import pytest

from checkout import ROOT

PAGE = (ROOT / "docs" / "addons.md").read_text(encoding="utf-8")
FINDER, *_ = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

START = """
import json, os, sys
import bpy

def report(value):
    print("REPORT", json.dumps(value))
    sys.stdout.flush()
    os._exit(0)
"""

ASK = """
bpy.ops.mesh.primitive_cube_add()
hits = api.ray_cast(bpy.context, (0.1, 0.2, 9), (0, 0, -1))
landmark = api.landmarks.add(bpy.context, hits[0], "top").name
report([api.__name__, hits[0].distance, landmark])
"""

IN_A_REPOSITORY_OF_ITS_OWN = """
from pathlib import Path
folder = Path(os.environ["BLENDER_USER_RESOURCES"], "sources")
folder.mkdir()
bpy.context.preferences.extensions.repos.new(
    name="Developer", module="developer", custom_directory=str(folder))
"""

INSTALL = """
bpy.ops.extensions.package_install_files(
    repo={repository!r}, filepath={zip!r}, enable_on_install={enable})
"""


def in_a_fresh_blender(profile, code, **environment):
    """What a script reports that runs in a process of its own, with its own user files."""
    profile.mkdir(exist_ok=True)
    run = subprocess.run(
        [sys.executable, "-c", START + code],
        cwd=profile,  # not where the checkout's own core would be imported
        env={**os.environ, "BLENDER_USER_RESOURCES": str(profile), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    reports = [line for line in run.stdout.splitlines() if line.startswith("REPORT ")]
    assert reports, run.stdout + run.stderr
    return json.loads(reports[0].removeprefix("REPORT "))


def install(extension_zip, repository, enable=False):
    return INSTALL.format(repository=repository, zip=str(extension_zip), enable=enable)


def answer(repository):
    return [f"bl_ext.{repository}.raypick.api", 8.0, "top"]


@pytest.mark.parametrize("repository", ["user_default", "blender_org"])
@pytest.mark.parametrize("enable", [False, True], ids=["not enabled", "enabled"])
def test_it_is_found_in_a_fresh_process(extension_zip, tmp_path, repository, enable):
    code = install(extension_zip, repository, enable) + FINDER + ASK
    assert in_a_fresh_blender(tmp_path / "profile", code) == answer(repository)


def test_it_is_found_by_a_later_process_that_has_enabled_nothing(extension_zip, tmp_path):
    saved = install(extension_zip, "user_default") + "bpy.ops.wm.save_userpref(); report(None)"
    in_a_fresh_blender(tmp_path / "profile", saved)
    assert in_a_fresh_blender(tmp_path / "profile", FINDER + ASK) == answer("user_default")


def test_it_is_found_in_a_repository_of_a_developer(extension_zip, tmp_path):
    code = IN_A_REPOSITORY_OF_ITS_OWN + install(extension_zip, "developer") + FINDER + ASK
    assert in_a_fresh_blender(tmp_path / "profile", code) == answer("developer")


def test_it_is_found_among_the_extensions_of_the_system(extension_zip, tmp_path):
    folder = tmp_path / "system" / "system" / "raypick"
    with zipfile.ZipFile(extension_zip) as archive:
        archive.extractall(folder)
    found = in_a_fresh_blender(
        tmp_path / "profile", FINDER + ASK, BLENDER_SYSTEM_EXTENSIONS=str(tmp_path / "system")
    )
    assert found == answer("system")


@pytest.mark.parametrize("enabled", ["user_default", "developer"])
def test_of_two_copies_the_enabled_one_is_found(extension_zip, tmp_path, enabled):
    code = IN_A_REPOSITORY_OF_ITS_OWN
    for repository in ("user_default", "developer"):
        code += install(extension_zip, repository, repository == enabled)
    assert in_a_fresh_blender(tmp_path / "profile", code + FINDER + ASK) == answer(enabled)


def test_nothing_is_found_where_it_is_missing(tmp_path):
    code = f"try:\n    exec({FINDER!r})\nexcept ValueError:\n    report(names)\n"
    assert in_a_fresh_blender(tmp_path / "profile", code) == []


# A wheel with one module, and an extension that brings it.
MANIFEST = """
schema_version = "1.0.0"
id = "{name}"
version = "1.0.0"
name = "{name}"
tagline = "Brings a wheel"
maintainer = "Nobody"
type = "add-on"
blender_version_min = "4.2.0"
license = ["SPDX:MIT"]
wheels = ["./wheels/{wheel}"]
"""


def extension_with_core(folder, name, version):
    """The zip of an extension with a wheel by the name of the core, which tells its version."""
    info = f"raypick_core-{version}.dist-info"
    files = {
        "standalone_core/__init__.py": f"__version__ = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: raypick-core\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    wheel = folder / f"raypick_core-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    built = folder / f"{name}.zip"
    with zipfile.ZipFile(built, "w") as archive:
        archive.write(wheel, f"wheels/{wheel.name}")
        archive.writestr("blender_manifest.toml", MANIFEST.format(name=name, wheel=wheel.name))
        archive.writestr("__init__.py", "def register(): pass\ndef unregister(): pass\n")
    return built


@pytest.mark.parametrize("order", [("0.2.0", "0.10.0"), ("0.10.0", "0.2.0")])
def test_of_two_versions_of_a_wheel_blender_installs_the_newer_one(tmp_path, order):
    code = "".join(
        install(extension_with_core(tmp_path, f"brings_{number}", version), "user_default", True)
        for number, version in enumerate(order)
    )
    code += "import standalone_core\nreport(standalone_core.__version__)"
    assert in_a_fresh_blender(tmp_path / "profile", code) == "0.10.0"


def modules(api):
    return {"api": api, "landmarks": api.landmarks, "measures": api.measures}


@pytest.mark.parametrize("name", ["api", "landmarks", "measures"])
def test_a_module_of_the_api_shows_its_public_names_alone(raypick, name):
    module = modules(raypick.api)[name]
    assert dir(module) == sorted(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)
    imported = {}
    exec(f"from {module.__name__} import *", imported)
    assert imported.keys() - {"__builtins__"} == set(module.__all__)


@pytest.mark.parametrize("name", ["api", "landmarks", "measures"])
def test_each_public_name_is_described_and_listed_on_the_page(raypick, name):
    module = modules(raypick.api)[name]
    promised = PAGE.split("## What is promised")[1].split("\n## ")[0]
    listed = set(re.findall(r"`(\w+)`", promised))
    assert set(module.__all__) <= listed
    for each in map(vars(module).get, module.__all__):
        if isinstance(each, (type, types.ModuleType, types.FunctionType)):
            assert each.__doc__


def test_the_page_lists_nothing_that_is_not_there(raypick):
    promised = PAGE.split("## What is promised")[1].split("`api.__version__`")[0]
    public = {name for module in modules(raypick.api).values() for name in module.__all__}
    assert set(re.findall(r"`(\w+)`", promised)) <= public


def test_the_check_of_the_version_passes(raypick):
    (check,) = re.findall(r"^```python\n(if api\.API_VERSION.*?)^```$", PAGE, re.DOTALL | re.M)
    exec(check, {"api": raypick.api})
    raised = check.replace("(1, 0)", "(1, 9999)")
    with pytest.raises(RuntimeError, match="needs the API"):
        exec(raised, {"api": raypick.api})
