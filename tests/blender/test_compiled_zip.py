# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip with the compiled engine, installed in a Blender of its own: all of it is there.

The newest Blender compiles it. The older ones have the same Python and numba: they load what the
newest has compiled of the same sources, if it has run before, and compile it themselves if not.
"""

import json
import os
import platform
import subprocess
import sys

import bpy
import pytest

from build_extension import build_compiled
from checkout import CACHE
from wheels import TARGETS

from ..picks_by_engine import PICKS

PLATFORMS = {("Linux", "x86_64"): "linux-x64", ("Windows", "AMD64"): "windows-x64"}
PLATFORMS |= {("Darwin", "arm64"): "macos-arm64", ("Darwin", "x86_64"): "macos-x64"}

# Before it is enabled, what is installed is made read-only, which stops everybody but root.
INSTALL = """
import hashlib, json, os, shutil, sys
from pathlib import Path
import bpy

given = json.loads(sys.argv[1])
bpy.ops.extensions.package_install_files(
    repo="user_default", filepath=given["zip"], enable_on_install=False)
extension = Path(bpy.utils.user_resource("EXTENSIONS"), "user_default", "raypick")

def set_mode(folder_mode, file_mode):
    for path in [extension, *extension.rglob("*")]:
        path.chmod(folder_mode if path.is_dir() else file_mode)

set_mode(0o555, 0o444)
bpy.ops.preferences.addon_enable(module="bl_ext.user_default.raypick")
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
"""

WORK = """
def contents():
    files = [f for f in extension.rglob("*") if f.is_file() and f.parent.name != "__pycache__"]
    return {str(f): (f.stat().st_mtime_ns, hashlib.sha256(f.read_bytes()).hexdigest())
            for f in files}

before = contents()
add_meshes()
numpy_picks = picks("NUMPY", given["seed"], 150)
if bpy.app.version < (5, 0):
    load_kernels(given["kernels"])
loads = any(own_kernels().iterdir())
compiled.compile()
numba_picks = picks("NUMBA", given["seed"], 150)
out = Path(given["out"])
bpy.ops.raypick.cast(origin=(0, 0, 9), direction=(0, 0, -1))
bpy.ops.raypick.save_history()
bpy.ops.raypick.export_history(filepath=str(out / "history.json"))
hit = api.ray_cast(bpy.context, (0, 0, 9), (0, 0, -1))[0]
api.landmarks.add(bpy.context, hit, "top")
bpy.ops.raypick.export_landmarks(filepath=str(out / "landmarks.csv"))
bpy.ops.wm.save_as_mainfile(filepath=str(out / "scene.blend"))
unchanged = before == contents()
keep_kernels(given["kernels"])
set_mode(0o755, 0o644)
import numba
user = bpy.utils.extension_path_user("bl_ext.user_default.raypick")
print("REPORT", json.dumps({
    "state": compiled.state().status, "equal": numpy_picks == numba_picks,
    "hits": sum(map(len, numpy_picks)), "numba": numba.__file__, "files": len(before),
    "loads": loads, "unchanged": unchanged,
    "kept": [str(f) for f in Path(user).rglob("complete-*")]}))
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture(scope="module")
def compiled_zip(tmp_path_factory):
    """Return the zip for this system, with the wheels that are downloaded once."""
    name = PLATFORMS.get((platform.system(), platform.machine()))
    name = "{}-py{}{}".format(name, *sys.version_info)
    if name not in TARGETS:
        pytest.skip("there are no wheels of numba for this system")
    (built,) = build_compiled([name], tmp_path_factory.mktemp("dist"))
    return built


def test_it_answers_with_compiled_code_and_writes_nothing_beside_its_own(compiled_zip, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    kernels = CACHE / "kernels-of-the-zip" / "no window"
    kernels.mkdir(parents=True, exist_ok=True)
    given = {"zip": str(compiled_zip), "seed": 18, "out": str(out), "kernels": str(kernels)}
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "profile")}
    environment.pop("NUMBA_CACHE_DIR", None)
    run = subprocess.run(
        [sys.executable, "-c", INSTALL + PICKS + WORK, json.dumps(given)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    reports = [line for line in run.stdout.splitlines() if line.startswith("REPORT")]
    assert len(reports) == 1, run.stdout + run.stderr
    assert "Traceback" not in run.stderr, run.stderr
    report = json.loads(reports[0].removeprefix("REPORT"))
    assert (report["state"], report["equal"], report["unchanged"]) == ("ready", True, True)
    assert not (report["loads"] and bpy.app.version >= (5, 0))
    assert report["hits"] > 150
    assert report["files"] > 200
    assert report["numba"].startswith(str(tmp_path / "profile"))
    assert report["kept"], "compiled code is kept in the extension's folder of the user"
    names = {path.name for path in out.iterdir()}
    assert names == {"history.json", "landmarks.csv", "scene.blend"}
