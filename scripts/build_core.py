# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the wheel and the source distribution of the core in ``dist``.

This is ``python -m build`` with pinned packages. The same sources give the same bytes.

    python scripts/build_core.py
"""

import tempfile
from pathlib import Path

from checkout import CACHE, ROOT, run_quietly, run_script
from environment import environment


def build(folder: Path = ROOT / "dist") -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from it; return the wheel and the former."""
    python = environment("package")
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="build-core-") as output:
        command = [python, "-m", "build", "--no-isolation", "--outdir", output, ROOT]
        run_quietly(command, "could not build the core")
        folder.mkdir(parents=True, exist_ok=True)
        (wheel,), (sdist,) = Path(output).glob("*.whl"), Path(output).glob("*.tar.gz")
        # Renamed, which is atomic: readers see the old file or the new one, never half of one.
        return tuple(built.replace(folder / built.name) for built in (wheel, sdist))


def main() -> int:
    print(*build(), sep="\n")
    return 0


if __name__ == "__main__":
    run_script(main)
