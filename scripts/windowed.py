# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Blenders that can open a window, or prepare them.

``RAYPICK_BLENDER`` names the executables to use, on any system, separated as in ``PATH``. Without
it, and as root on Debian, two releases of Debian are unpacked into folders under ``.cache``, each
with its own Blender, a virtual screen and software OpenGL: about two minutes and 1.2 GB each, once.

    python scripts/windowed.py
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import debian_root
from checkout import SetupError, run_script, say


@dataclass(frozen=True)
class Build:
    """A Blender that can open a window."""

    label: str  # what tests call it: a Debian suite, or blender1, blender2 ...
    executable: str  # the program to start; a name found on the PATH inside a root
    root: Path | None  # the folder to chroot into first
    version: str  # as Blender says it: 4.3.2

    @property
    def version_tuple(self) -> tuple[int, ...]:
        """The numbers of the version, to compare with."""
        return tuple(int(number) for number in re.findall(r"\d+", self.version)[:3])

    def __str__(self) -> str:
        where = f"under {self.root}" if self.root else self.executable
        return f"{self.label}: Blender {self.version}, {where}"


def labels() -> list[str]:
    """Name the builds that `prepare` can get, without preparing any."""
    if executables := _named_executables():
        return [f"blender{number}" for number in range(1, len(executables) + 1)]
    return [] if debian_root.obstacle() else list(debian_root.SUITES)


def have_own_screens() -> bool:
    """Whether each build has a screen of its own, so that tests in them need not take turns."""
    return not _named_executables()


def why_none() -> str:
    """Say why `labels` is empty."""
    return f"RAYPICK_BLENDER names no Blender, and {debian_root.obstacle()}"


def prepare(label: str) -> Build:
    """Get one of the builds that `labels` names ready to start; SetupError if it cannot be had."""
    if executables := _named_executables():
        executable = executables[labels().index(label)]
        return Build(label, executable, None, _version([executable]))
    root = debian_root.prepare(label)
    return Build(label, "blender", root, _version(["chroot", str(root), "/usr/bin/blender"]))


def _named_executables() -> list[str]:
    """Read ``RAYPICK_BLENDER``; on macOS the name of an application will do."""
    named = [name for name in os.environ.get("RAYPICK_BLENDER", "").split(os.pathsep) if name]
    inside = "Contents/MacOS/Blender"
    return [str(Path(name, inside)) if name.endswith(".app") else name for name in named]


def _version(command: list[str]) -> str:
    try:
        run = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{command[-1]} does not start: {error}") from None
    match = re.search(r"^Blender (\d+\.\d+\.\d+)", run.stdout, re.MULTILINE)
    if not match:
        said = (run.stderr or run.stdout).strip().splitlines() or ["nothing"]
        raise SetupError(f"{command[-1]} --version says no version, but: {said[-1]}")
    return match[1]


def main() -> int:
    """Prepare all builds; return 0 if there is one at least and none failed."""
    if not labels():
        say(f"no windowed Blender: {why_none()}")
        return 1
    with ThreadPoolExecutor() as pool:  # mostly they wait, for downloads and for the disk
        return max(pool.map(_prepare_and_say, labels()))


def _prepare_and_say(label: str) -> int:
    try:
        say(str(prepare(label)))
    except SetupError as error:
        say(f"{label}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    run_script(main)
