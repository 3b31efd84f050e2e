# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheels of the compiled engine, which zips of the extension bring along.

Blender installs those that fit its Python: 3.11 from version 4.2 to 5.0, 3.13 from 5.1 on,
and 3.14 in Debian. NumPy is not among them, as each Blender has its own. They are pinned with
hashes in ``requirements/compiled*.txt``, downloaded from PyPI once, and kept in ``.cache/wheels``.
"""

import hashlib
import re
import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from checkout import CACHE, locked, run_quietly, say
from environment import REQUIREMENTS, environment

FOLDER = CACHE / "wheels"

_PACKAGES = ("numba", "llvmlite")


@dataclass(frozen=True)
class Platform:
    """A platform of Blender: the tag of its wheels, and the Pythons that they are for."""

    tag: str
    pythons: tuple[str, ...]
    requirements: str = "compiled"


# By Blender's names. The last Blender for Macs with Intel processors is 4.5; the first numba for
# Windows on Arm is for Python 3.12.
PLATFORMS = {
    "linux-x64": Platform("manylinux_2_28_x86_64", ("3.11", "3.13", "3.14")),
    "windows-x64": Platform("win_amd64", ("3.11", "3.13")),
    "windows-arm64": Platform("win_arm64", ("3.13",)),
    "macos-arm64": Platform("macosx_12_0_arm64", ("3.11", "3.13")),
    "macos-x64": Platform("macosx_10_14_x86_64", ("3.11",), "compiled-macos-x64"),
}


def wheels(name: str) -> list[Path]:
    """Return the wheels for a platform by Blender's name, downloaded unless they are cached."""
    platform = PLATFORMS[name]
    text = (REQUIREMENTS / f"{platform.requirements}.txt").read_text(encoding="utf-8")
    pinned = pinned_packages(text, _PACKAGES)
    with locked("wheels"):
        found = [_wheels_for(pinned, platform.tag, python) for python in platform.pythons]
    return [*chain(*found)]


def pinned_packages(text: str, names: tuple[str, ...]) -> str:
    """Return the entries of a text of pinned requirements that pin these packages."""
    entries = re.findall(r"^([\w.-]+)(==.*?\n)(?=\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return "".join(name + pins for name, pins in entries if name in names)


def _wheels_for(pinned: str, tag: str, python: str) -> list[Path]:
    """Return the wheels for one Python, from a folder that has all of them or does not exist."""
    digest = hashlib.sha256(pinned.encode()).hexdigest()[:12]
    kept = FOLDER / f"{digest}-{tag}-{python}"
    if not kept.is_dir():
        say(f"downloading {' and '.join(_PACKAGES)} for Python {python} on {tag}")
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER, prefix="unfinished-") as scratch:
            requirements, output = Path(scratch, "requirements.txt"), Path(scratch, "wheels")
            requirements.write_text(pinned, encoding="utf-8")
            command = [
                *(environment("package"), "-m", "pip", "download", "--quiet", "--no-input"),
                *("--require-hashes", "--no-deps", "--only-binary", ":all:"),
                *("--implementation", "cp", "--abi", f"cp{python.replace('.', '')}"),
                *("--platform", tag, "--python-version", python),
                *("--dest", output, "--requirement", requirements),
            ]
            run_quietly(command, f"could not download wheels for {tag}")
            output.rename(kept)
    return sorted(kept.glob("*.whl"))
