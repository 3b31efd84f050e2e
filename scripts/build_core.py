# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the wheel and the source distribution of the core in ``dist``.

They are built of a copy of the checkout, of what git lists there, with setuptools as it is pinned.
The same sources give the same bytes.

    python scripts/build_core.py
"""

import shutil
import tempfile
from pathlib import Path

from archives import repack_tar, repack_zip
from checkout import CACHE, ROOT, run_quietly, run_script
from environment import command_environment, environment
from sources import sources_alone

_LEFT_OUT = shutil.ignore_patterns(
    *(".cache", ".git", "dist", "build", "__pycache__", "*.egg-info", "images")
)


def build(folder: Path = ROOT / "dist") -> tuple[Path, Path]:
    """Build both, the wheel from the source distribution; return the wheel and the other."""
    python = environment("package")
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="build-core-") as scratch:
        # A copy: what setuptools writes beside its sources would be found by the next build.
        sources, output, packed = (Path(scratch, name) for name in ("sources", "output", "packed"))
        shutil.copytree(ROOT, sources, ignore=sources_alone(_LEFT_OUT))
        command = [python, "-m", "build", "--no-isolation", "--outdir", output, sources]
        run_quietly(command, "could not build the core", command_environment())
        folder.mkdir(parents=True, exist_ok=True)
        packed.mkdir()
        (wheel,), (sdist,) = output.glob("*.whl"), output.glob("*.tar.gz")
        repack_zip(wheel, packed / wheel.name)
        repack_tar(sdist, packed / sdist.name)
        # Renamed, so that whoever reads one of them sees the old one or the new one and no half.
        return tuple((packed / each.name).replace(folder / each.name) for each in (wheel, sdist))


def main() -> int:
    """Build them, and print where they are."""
    print(*build(), sep="\n")
    return 0


if __name__ == "__main__":
    run_script(main)
