# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the wheel and the source distribution of the core in ``dist``.

They are built from a copy of the files that git lists, with the pinned setuptools.
The same sources give the same bytes.

    python scripts/build_core.py
"""

import shutil
import tempfile
from pathlib import Path

from archives import repack_tar, repack_zip, sources_alone
from checkout import CACHE, ROOT, SetupError, run_quietly, run_script
from environment import environment

_LEFT_OUT = shutil.ignore_patterns(
    *(".cache", ".git", "dist", "build", "__pycache__", "*.egg-info", "images")
)

_LICENSE = "License-Expression: MIT\n"

_LICENSES_OF_SOURCES = """\
License-Expression: MIT AND GPL-3.0-or-later
License-File: LICENSE
License-File: blender_addon/LICENSE
License-File: standalone_core/LICENSE
Dynamic: License-Expression
"""
"""Metadata of the source distribution, which has the tests, scripts and pages too."""


def build(folder: Path = ROOT / "dist") -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from it; return the wheel and the former."""
    python = environment("package")
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="build-core-") as scratch:
        # A copy, as the next build would find the files that setuptools writes beside its sources.
        sources, output, packed = (Path(scratch, name) for name in ("sources", "output", "packed"))
        shutil.copytree(ROOT, sources, ignore=sources_alone(_LEFT_OUT))
        command = [python, "-m", "build", "--no-isolation", "--outdir", output, sources]
        run_quietly(command, "could not build the core")
        folder.mkdir(parents=True, exist_ok=True)
        packed.mkdir()
        (wheel,), (sdist,) = output.glob("*.whl"), output.glob("*.tar.gz")
        repack_zip(wheel, packed / wheel.name)
        repack_tar(sdist, packed / sdist.name, _with_all_licenses)
        # Renamed, which is atomic: readers see the old file or the new one, never half of one.
        return tuple((packed / each.name).replace(folder / each.name) for each in (wheel, sdist))


def _with_all_licenses(name: str, content: bytes) -> bytes:
    """Put all licences into the source distribution's metadata: setuptools writes the wheel's."""
    if not name.endswith("/PKG-INFO"):
        return content
    text = content.decode().replace("License-File: standalone_core/LICENSE\n", "", 1)
    if text.count(_LICENSE) != 1:
        raise SetupError(f"{name} must state the core's licence exactly once")
    return text.replace(_LICENSE, _LICENSES_OF_SOURCES).encode()


def main() -> int:
    print(*build(), sep="\n")
    return 0


if __name__ == "__main__":
    run_script(main)
