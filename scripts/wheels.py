# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheels of the compiled engine, which zips of the extension bring along.

Each zip has those for one Python on one platform: Blender 4.2.0 installs wheels for any Python.
``blender_addon/compiled_zips.toml`` lists the zips. NumPy is not among the wheels, as each Blender
has its own. They are pinned with hashes in ``requirements/compiled*.txt``, downloaded from PyPI
once, and kept in ``.cache/wheels``.
"""

import hashlib
import re
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from checkout import CACHE, ROOT, locked, run_quietly, say
from environment import REQUIREMENTS, environment

FOLDER = CACHE / "wheels"

_PACKAGES = ("numba", "llvmlite")

LICENSES = {
    "numba": "BSD-2-Clause",
    "llvmlite": "BSD-2-Clause",
    "LLVM": "Apache-2.0 WITH LLVM-exception",
    "appdirs": "MIT",
    "cloudpickle": "BSD-3-Clause",
    "CPython": "Python-2.0",
    "CPython unicode": "HPND",
    "CUDA Half Precision Headers": "LicenseRef-NVIDIA-CUDA-EULA",
    "jquery.graphviz.svg": "MIT",
    "NetworkX": "BSD-3-Clause",
    "numba-cuda": "BSD-2-Clause",
    "NumPy": "BSD-3-Clause",
    "pythoncapi_compat": "0BSD",
}
"""The licence of each part of the wheels, as the wheels' own texts name them."""

LICENSES_ON_WINDOWS = {"msvcp140": "LicenseRef-Microsoft-Visual-Cpp-Runtime"}

COPYRIGHT = (
    *("2012-2026 Anaconda, Inc.", "2003-2026 The LLVM project", "2024 NVIDIA Corporation"),
    *("2001-2023 Python Software Foundation", "2004-2019 NetworkX developers"),
    *("2005-2021 NumPy developers", "2009-2015 Cloudpickle contributors"),
    "2010 ActiveState Software Inc.",
)


@dataclass(frozen=True)
class Target:
    """What a zip with compiled code is for."""

    name: str  # such as "linux-x64-py311"
    wheel_tag: str  # the platform, as wheels name it
    blenders: tuple[str, ...]  # the first version, and perhaps the first that is too new

    @property
    def platform(self) -> str:
        """The platform by Blender's name."""
        return self.name.rpartition("-")[0]

    @property
    def abi(self) -> str:
        """The Python, as wheels name it."""
        return f"cp{self.name.rpartition('-py')[2]}"

    @property
    def licenses(self) -> set[str]:
        """The licences of what its wheels bring."""
        bundled = LICENSES_ON_WINDOWS if self.platform.startswith("windows") else {}
        return {*LICENSES.values(), *bundled.values()}


def _targets() -> dict[str, Target]:
    text = (ROOT / "blender_addon" / "compiled_zips.toml").read_text(encoding="utf-8")
    return {
        name: Target(name, each["wheels"], tuple(each["blender"]))
        for name, each in tomllib.loads(text).items()
    }


TARGETS = _targets()


def wheels(target: Target) -> list[Path]:
    """Return the wheels of a zip, downloaded unless they are cached.

    They come from a folder that has all of them or does not exist.
    """
    # The last numba for Macs with Intel processors is an older one.
    requirements = "compiled-macos-x64" if target.platform == "macos-x64" else "compiled"
    text = (REQUIREMENTS / f"{requirements}.txt").read_text(encoding="utf-8")
    pinned = pinned_packages(text, _PACKAGES)
    digest = hashlib.sha256(pinned.encode()).hexdigest()[:12]
    kept = FOLDER / f"{digest}-{target.name}"
    with locked("wheels"):
        if not kept.is_dir():
            say(f"downloading {' and '.join(_PACKAGES)} for {target.name}")
            _download(pinned, target, kept)
    return sorted(kept.glob("*.whl"))


def pinned_packages(text: str, names: tuple[str, ...]) -> str:
    """Return the entries of a text of pinned requirements that pin these packages."""
    entries = re.findall(r"^([\w.-]+)(==.*?\n)(?=\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return "".join(name + pins for name, pins in entries if name in names)


def _download(pinned: str, target: Target, folder: Path) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix="unfinished-") as scratch:
        requirements, output = Path(scratch, "requirements.txt"), Path(scratch, "wheels")
        requirements.write_text(pinned, encoding="utf-8")
        command = [
            *(environment("package"), "-m", "pip", "download", "--quiet", "--no-input"),
            *("--require-hashes", "--no-deps", "--only-binary", ":all:"),
            *("--implementation", "cp", "--abi", target.abi),
            *("--platform", target.wheel_tag, "--python-version", target.abi.removeprefix("cp")),
            *("--dest", output, "--requirement", requirements),
        ]
        run_quietly(command, f"could not download wheels for {target.name}")
        output.rename(folder)
