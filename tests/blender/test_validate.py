# SPDX-License-Identifier: GPL-3.0-or-later
"""The packaging tool of each Blender finds nothing wrong with the extension's zips."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import bpy
import pytest

from build_extension import compiled_manifest, packaging_tool, zip_name
from wheels import TARGETS


def test_this_blenders_packaging_tool_accepts_the_zip(extension_zip):
    tool = packaging_tool(Path(sys.executable))
    command = [sys.executable, tool, "validate", extension_zip]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (run.stdout + run.stderr).lower()
    assert run.returncode == 0, said
    assert "error" not in said
    assert "warning" not in said


@pytest.mark.skipif(bpy.app.version < (4, 3), reason="4.2.0 lists no Pythons of wheels")
def test_one_repository_can_offer_all_zips_with_compiled_code(tmp_path):
    for target in TARGETS.values():
        wheel = f"numba-1.0-{target.abi}-{target.abi}-{target.wheel_tag}.whl"
        with zipfile.ZipFile(tmp_path / zip_name(target), "w") as archive:
            archive.writestr("blender_manifest.toml", compiled_manifest(target, [wheel]))
            archive.writestr("__init__.py", "")
            archive.writestr(f"wheels/{wheel}", "")
    tool = packaging_tool(Path(sys.executable))
    command = [sys.executable, tool, "server-generate", f"--repo-dir={tmp_path}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "duplicate" not in run.stdout + run.stderr
    offered = json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))["data"]
    assert {(*each["platforms"], *each["python_versions"]) for each in offered} == {
        (target.platform, f"3.{target.abi[3:]}") for target in TARGETS.values()
    }
    assert len(offered) == len(TARGETS)
