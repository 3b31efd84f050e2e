# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure Raypick beside other ray casters, all in one run, and hold it against its targets.

    python scripts/benchmark.py
    python scripts/benchmark.py --quick
    python scripts/benchmark.py --only first,build --mesh scan.npz
    python scripts/benchmark.py --blender
    python scripts/benchmark.py --blender --blender-version 4.2 --only first,later

Sets up what it needs first, in the checkout (3 GB). A peer that cannot be had on this machine is
left out, and that is said. The whole run takes about a quarter of an hour.

With `--blender` it measures the extension in Blender's module, with NumPy alone, beside Blender's
own ray casts. That takes about six minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.options import EXTENSION_VARIABLE, parse_arguments
from build_extension import build
from checkout import CACHE, ROOT, SetupError, say
from debian_library import library_folder
from environment import add_what_can_be_had, command_environment, environment


def main() -> int:
    """Set up, and measure in the environment made; return the exit status."""
    options = parse_arguments()
    try:
        if options.blender:
            return _measure_in_blender(options.blender_version)
        return _measure_core()
    except SetupError as error:
        say(str(error))
        return 1


def _measure_core() -> int:
    python = add_what_can_be_had("bench")
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as profile:
        env = _measuring_environment(profile)
        _add_library(env)
        return _run(python, "benchmarks", env)


def _measure_in_blender(version: str) -> int:
    python, extension = environment(f"bpy-{version}"), build()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as profile:
        env = {**_measuring_environment(profile), EXTENSION_VARIABLE: str(extension)}
        return _run(python, "benchmarks.in_blender", env)


def _run(python: Path, module: str, env: dict[str, str]) -> int:
    return subprocess.run([python, "-m", module, *sys.argv[1:]], env=env).returncode


def _measuring_environment(profile: str) -> dict[str, str]:
    """Return an environment that finds the core and nobody's settings."""
    env = command_environment()
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "scripts")])
    env["BLENDER_USER_RESOURCES"] = env["MPLCONFIGDIR"] = profile
    return env


def _add_library(env: dict[str, str]) -> None:
    """Let the environment find the library that Open3D is linked with."""
    try:
        folder = library_folder("libusb-1.0-0", "usb-1.0")
    except SetupError as error:
        say(str(error))
        return
    if folder:
        known = env.get("LD_LIBRARY_PATH")
        env["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder), *([known] if known else [])])


if __name__ == "__main__":
    sys.exit(main())
