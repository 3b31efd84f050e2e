# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin the packages of the environments and their dependencies, with versions and hashes.

Each ``.in`` file in ``requirements`` lists the packages that are wanted. Its ``.txt`` file, which
pip reads, adds all dependencies on any system, and the hashes of all files: a package that somebody
has replaced is not installed. Run this after a change of an ``.in`` file.

    python scripts/pin.py
"""

from pathlib import Path

from checkout import SetupError, run_quietly, run_script, say
from environment import REQUIREMENTS, find_uv

_OPTIONS = (
    *("--quiet", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate"),
    *("--custom-compile-command", "python scripts/pin.py"),
)


def main() -> int:
    uv = find_uv()
    if uv is None:
        raise SetupError("uv is needed, and could not be installed")
    # An environment comes before the additions to it, which are in a folder of its name.
    for source in [*sorted(REQUIREMENTS.glob("*.in")), *sorted(REQUIREMENTS.glob("*/*.in"))]:
        say(f"pinning {source.relative_to(REQUIREMENTS)}")
        pin(uv, source)
    return 0


def pin(uv: str, source: Path) -> None:
    command = [uv, "pip", "compile", *_OPTIONS, source, "--output-file", source.with_suffix(".txt")]
    if source.parent != REQUIREMENTS:  # additions must be compatible with the environment
        command += ["--constraint", source.parent.with_suffix(".txt")]
    run_quietly(command, f"could not pin {source.name}")


if __name__ == "__main__":
    run_script(main)
