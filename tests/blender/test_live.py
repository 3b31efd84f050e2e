# SPDX-License-Identifier: GPL-3.0-or-later
"""The live extension of scripts/live.py: what is edited is seen. It has a Blender of its own."""

import os
import shutil
import subprocess
import sys

import pytest

from build_extension import ADDON, CORE
from checkout import SetupError
from live import lay_out

# The operator Reload Scripts calls load_scripts, from a timer of the main loop that is not here.
SESSION = """
import os, sys
from pathlib import Path
import bpy
import addon_utils

NAME = "bl_ext.user_default.raypick"
FILES = {"session.history": "blender_addon/session/history.py",
         "standalone_core.errors": "standalone_core/errors.py"}

def edit(text):
    for file in FILES.values():
        with open(file, "a") as opened:
            opened.write(f"LIVE = {text!r}\\n")

def report():
    seen = {sys.modules[f"{NAME}.{module}"].LIVE for module in FILES}
    print("SEEN", *seen, hasattr(bpy.types, "RAYPICK_OT_pick"))

edit("first")
addon_utils.enable(NAME, default_set=True)
report()
edit("second one")
bpy.utils.load_scripts(reload_scripts=True)
report()
edit("the third")
addon_utils.disable(NAME)
addon_utils.enable(NAME)
report()
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture
def checkout(tmp_path):
    """Return a copy of the sources, and an empty folder of extensions."""
    for source in (ADDON, CORE):
        shutil.copytree(source, tmp_path / source.name)
    extensions = tmp_path / "profile" / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    return tmp_path, extensions


def test_edits_are_seen_after_reloading_scripts_and_after_enabling_again(checkout):
    folder, extensions = checkout
    lay_out(extensions, folder / ADDON.name, folder / CORE.name)
    run = subprocess.run(
        [sys.executable, "-c", SESSION],
        cwd=folder,
        env={**os.environ, "BLENDER_USER_RESOURCES": str(folder / "profile")},
        capture_output=True,
        text=True,
        check=False,
    )
    seen = [line for line in run.stdout.splitlines() if line.startswith("SEEN")]
    assert seen == ["SEEN first True", "SEEN second one True", "SEEN the third True"], run.stderr


def test_it_is_laid_out_again_but_replaces_no_installed_extension(checkout):
    folder, extensions = checkout
    sources = (folder / ADDON.name, folder / CORE.name)
    before = (sources[0] / "__init__.py").read_bytes()
    live = lay_out(extensions, *sources)
    assert lay_out(extensions, *sources) == live
    assert (sources[0] / "__init__.py").read_bytes() == before
    (live / "__init__.py").write_text('"""An installed one."""', encoding="utf-8")
    with pytest.raises(SetupError, match="uninstall"):
        lay_out(extensions, *sources)
