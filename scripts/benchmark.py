# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure Raypick beside other ray casters, all in one run, and hold it against its targets.

    python scripts/benchmark.py
    python scripts/benchmark.py --quick
    python scripts/benchmark.py --only first,build --mesh scan.npz

Sets up what it needs first, in the checkout (3 GB). A peer that cannot be had on this machine is
left out, and that is said. The whole run takes about a quarter of an hour.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.options import parse_arguments
from checkout import CACHE, ROOT, SetupError, say
from debian_library import library_folder
from environment import add_what_can_be_had, command_environment


def main() -> int:
    """Set up, and measure in the environment made; return the exit status."""
    parse_arguments()
    try:
        python = add_what_can_be_had("bench", "bench-peers")
    except SetupError as error:
        say(str(error))
        return 1
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as profile:
        command = [python, "-m", "benchmarks", *sys.argv[1:]]
        return subprocess.run(command, env=_measuring_environment(profile)).returncode


def _measuring_environment(profile: str) -> dict[str, str]:
    """Return an environment that finds the core, the libraries of peers, and nobody's settings."""
    env = command_environment()
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "scripts")])
    env["BLENDER_USER_RESOURCES"] = env["MPLCONFIGDIR"] = profile
    try:
        folder = library_folder("libusb-1.0-0", "usb-1.0")  # Open3D is linked with it
    except SetupError as error:
        say(str(error))
        folder = None
    if folder:
        known = env.get("LD_LIBRARY_PATH")
        env["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder), *([known] if known else [])])
    return env


if __name__ == "__main__":
    sys.exit(main())
