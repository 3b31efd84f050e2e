# SPDX-License-Identifier: GPL-3.0-or-later
"""Why there is no compiled code in this Blender, and which zip of Raypick brings it."""

from __future__ import annotations

import sys
import sysconfig
import tomllib
from collections.abc import Callable
from pathlib import Path

from .standalone_core import __version__, compiled

_FOLDER = Path(__file__).parent
_PLATFORMS = {"linux": "linux", "macosx": "macos", "win": "windows"}
_MACHINES = {"amd64": "x64", "x86_64": "x64", "aarch64": "arm64"}


def why_not(translated: Callable[[str], str] = str) -> str | None:
    """Why compiled code is not used here, in a language; None if it is, or may be."""
    state = compiled.state()
    if state.status == "missing":
        return why_missing(translated)
    if state.status != "failed" or state.reason is None:
        return None
    first_line = state.reason.partition("\n")[0]
    return translated("Compiled code fails here, and NumPy answers: {}").format(first_line)


def why_missing(translated: Callable[[str], str] = str) -> str:
    """Why numba is missing, and how this Blender gets it, in a language."""
    platform, python = this_platform(), "{}.{}".format(*sys.version_info)
    digits = python.replace(".", "")
    if any((_FOLDER / "wheels").glob(f"*-cp{digits}-*.whl")):  # others are of another zip
        text = "Blender has not installed Raypick's wheels: install its zip again"
        return translated(text)
    tag = f"py{digits}"
    zips = tomllib.loads((_FOLDER / "compiled_zips.toml").read_text(encoding="utf-8"))
    if f"{platform}-{tag}" in zips:
        text = translated("Compiled code is in the larger zip {}")
        return text.format(f"raypick-{__version__}-{platform.replace('-', '_')}-{tag}.zip")
    text = translated("No zip of Raypick has compiled code for Python {} on {}")
    return text.format(python, platform)


def this_platform() -> str:
    """The platform by Blender's name, such as ``"linux-x64"``."""
    parts = sysconfig.get_platform().split("-")
    system, machine = parts[0], parts[-1]
    return f"{_PLATFORMS.get(system, system)}-{_MACHINES.get(machine, machine)}"
